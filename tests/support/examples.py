"""The examples of `examples/`, as objects of rules."""

from functools import cache
from pathlib import Path

from tengen.games import Rules, sources

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))


@cache
def example(name: str) -> Rules:
    return sources.find(str(EXAMPLES / f"{name}.py"))
