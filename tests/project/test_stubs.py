"""The committed type stub is the one the compiled module would give."""

import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).parents[2] / "src" / "tengen" / "_core.pyi"


def test_the_stub_of_the_core_is_current(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "tengen._core", "-o", fresh], check=True)
    assert fresh.read_text() == STUB.read_text(), "run `make stubs` and commit the result"
