"""Processors that offer what cannot be used: networks must run on them all the same."""

import os
import subprocess
import sys

import pytest

from tengen import _core
from tengen.net import cpu


@pytest.mark.parametrize(
    ("tiles", "given", "limit"),
    [
        ("hidden", None, cpu.WITHOUT_TILES),
        ("hidden", "AVX2", "AVX2"),
        ("usable", None, None),
        ("none", None, None),
    ],
)
def test_hidden_tiles_are_avoided_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tiles: str, given: str | None, limit: str | None
) -> None:
    monkeypatch.setattr(_core, "matrix_tiles", lambda: tiles)
    # Set and taken away again, so that what is set below is undone in any case.
    monkeypatch.setenv(cpu.LIMIT, given or "")
    if given is None:
        monkeypatch.delenv(cpu.LIMIT)
    cpu.avoid_hidden_tiles()
    assert os.environ.get(cpu.LIMIT) == limit


@pytest.mark.parametrize(
    ("tiles", "intel", "fast"), [("usable", True, True), ("hidden", True, False), ("none", False, True)]
)
def test_bfloat16_where_it_pays(monkeypatch: pytest.MonkeyPatch, tiles: str, intel: bool, fast: bool) -> None:
    monkeypatch.setattr(_core, "matrix_tiles", lambda: tiles)
    monkeypatch.setattr(_core, "made_by_intel", lambda: intel)
    assert cpu.bfloat16_is_fast() is fast


def test_a_network_answers_in_a_process_that_was_told_nothing() -> None:
    """On the processor that this runs on: with hidden tiles it dies of SIGILL when nobody sets the limit."""
    plain = {name: value for name, value in os.environ.items() if name != cpu.LIMIT}
    code = (
        "from tengen import games, make_player; game = games.make('connect4'); "
        "print(make_player('shipped@0', game).act_many([game.from_moves('44')], [0]))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
