"""Scripts in processes of their own, for what would harm the tests' own process."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PRELUDE = """
    import gc, resource, sys
    import numpy as np
    from tengen import games
    from tengen._core import BatchSearch
    from tengen.search.agent import Agent
    from tengen.config import SearchConfig
    from tengen.net.evaluator import Hash, Rollout, Uniform
    game = games.make("connect4")

    def no_more_memory(megabytes):
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (megabytes << 20),) * 2)
"""


@contextmanager
def process(script: str) -> Iterator["subprocess.Popen[str]"]:
    code = textwrap.dedent(PRELUDE) + textwrap.dedent(script)
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as running:
        try:
            yield running
        finally:
            running.kill()


def output(script: str) -> str:
    with process(script) as running:
        out, errors = running.communicate(timeout=60)
        assert running.returncode == 0, (running.returncode, errors[-2000:])
    return str(out).strip()
