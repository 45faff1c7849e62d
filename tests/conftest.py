"""What all tests share: the folder of external truth, and Hypothesis without chance or clocks."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tengen import games

REPOSITORY = Path(__file__).resolve().parent.parent

# Derandomized: a run is a function of the sources alone. No deadline: nothing is timed in tests.
settings.register_profile("tengen", derandomize=True, deadline=None, database=None, max_examples=100)
settings.load_profile("tengen")


# What tests measure of networks is not remembered for the person who runs them; workers share it.
os.environ.setdefault("TENGEN_CACHE", tempfile.mkdtemp(prefix="tengen-tests-"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regen", action="store_true", help="rewrite the golden files instead of comparing with them")


@pytest.fixture(autouse=True, scope="module")
def own_games_are_forgotten() -> Iterator[None]:
    """A game that a test registers is one more in every list of games: not in the lists of other tests."""
    before = set(games.names())
    yield
    for name in set(games.names()) - before:
        games.unregister(name)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Facts from elsewhere: TENGEN_DATA, by default ../shared/data beside the checkout."""
    folder = Path(os.environ.get("TENGEN_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no external data: {folder} is not there (set TENGEN_DATA)")
    return folder
