"""The project's own labelled Connect4 positions: of the kind they claim, right, and made by their generator."""

import random
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tengen import games
from tengen.exact import solver

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import make_connect4_positions as generator

COUNT = 300


def read(name: str) -> list[tuple[str, int, list[int | None]]]:
    """(moves, score, the score of each column) of every line of a set."""
    header, *lines = (files("tengen") / "data" / "connect4" / f"{name}.tsv").read_text().splitlines()
    assert header == generator.HEADER
    cells = [line.split("\t") for line in lines]
    return [(row[0], int(row[1]), [None if cell == "." else int(cell) for cell in row[2:]]) for row in cells]


@pytest.mark.parametrize("name", generator.CLASSES)
def test_positions_are_of_their_class(name: str) -> None:
    phase, difficulty = name.split("_")
    rows = read(name)
    assert len(rows) == COUNT
    boards = set()
    for moves, score, columns in rows:
        state = games.make("connect4").from_moves(moves)
        assert not state.is_terminal()
        assert state.ply() in generator.PHASES[phase]
        plies = solver.plies_left(state.ply(), score)
        assert plies in generator.DIFFICULTIES[difficulty]
        assert score == 0 or plies > 2
        assert score == max(column for column in columns if column is not None)
        assert [i for i, column in enumerate(columns) if column is not None] == state.legal_actions()
        boards.add(min(state.hash(0), state.hash(1)))
    assert len(boards) == COUNT


@cache
def independent_solver() -> tuple[Any, Any]:
    """bitbully with the opening book, which test_solver.py compares with a search of our own."""
    core = pytest.importorskip("bitbully").bitbully_core
    return core, core.BitBullyCore(solver.book_path()) if solver.book_path() else core.BitBullyCore()


@pytest.mark.parametrize("name", generator.CLASSES)
@pytest.mark.parametrize("count", [15, pytest.param(COUNT, marks=pytest.mark.fuzz)])
def test_an_independent_solver_agrees(name: str, count: int) -> None:
    core, referee = independent_solver()
    for moves, score, columns in random.Random(name).sample(read(name), count):
        board = core.BoardCore()
        assert all(board.play(int(move) - 1) for move in moves)
        answers = referee.scoreMoves(board)
        assert [None if column is None else answer for answer, column in zip(answers, columns, strict=True)] == columns
        assert referee.mtdf(board, 0) == score


def test_the_generator_makes_the_committed_lines() -> None:
    for name in ["end_easy", "middle_easy"]:
        text = generator.table(generator.positions_of(name, 20, seed=1))
        committed = (files("tengen") / "data" / "connect4" / f"{name}.tsv").read_text()
        assert committed.startswith(text)
        assert generator.table(generator.positions_of(name, 20, seed=2)) != text
