"""`python -m tengen` is the same as `tengen`."""

import sys

from tengen.cli import main

sys.exit(main())
