"""The Connect4 solver against published and independent results, and what it answers to bad input."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tengen import games
from tengen._core import Connect4Solver
from tengen.cli import main
from tengen.exact import solver
from tengen.games import GameError

SETS = ["L1_R1", "L2_R1", "L2_R2", "L3_R1"]

needs_book = pytest.mark.skipif(solver.book_path() is None, reason="slow without the extra `perfect`")


def read_table(path: Path) -> tuple[list[str], list[list[int]]]:
    """Positions, and the score of each of their columns, from a file with a header line."""
    lines = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    rows = [[solver.FULL_COLUMN if cell == "." else int(cell) for cell in line[2:]] for line in lines]
    return [line[0] for line in lines], rows


def mirrored(moves: str) -> str:
    return moves.translate(str.maketrans("1234567", "7654321"))


@pytest.fixture
def without_book(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A solver as it is when bitbully-databases is not installed."""
    monkeypatch.setattr(solver, "book_path", lambda: None)
    solver._solver.cache_clear()
    yield
    solver._solver.cache_clear()


@pytest.mark.parametrize("name", SETS)
def test_the_score_of_every_benchmark_position(data_dir: Path, name: str) -> None:
    lines = [line.split() for line in (data_dir / "connect4" / f"Test_{name}").read_text().splitlines()]
    positions, scores = [line[0] for line in lines], [int(line[1]) for line in lines]
    assert len(positions) == 1000
    assert solver.score_many(positions).tolist() == scores
    assert solver.score_many(positions, weak=True).tolist() == np.sign(scores).tolist()


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.fuzz)])
def test_the_score_of_every_column(data_dir: Path, name: str, count: int) -> None:
    positions, rows = read_table(data_dir / "connect4" / f"moves_{name}.tsv")
    chosen = sorted(random.Random(name).sample(range(len(positions)), count))
    positions, rows = [positions[i] for i in chosen], [rows[i] for i in chosen]
    assert solver.solve_many(positions).tolist() == rows
    signs = [[score if score == solver.FULL_COLUMN else int(np.sign(score)) for score in row] for row in rows]
    assert solver.solve_many(positions, weak=True).tolist() == signs


@needs_book
def test_the_first_moves() -> None:
    solution = solver.solve("-")
    assert solution.moves == "-"
    assert solution.score == 1
    assert list(solution.scores.values()) == [-2, -1, 0, 1, 0, -1, -2]


@needs_book
def test_the_book_and_the_search_agree() -> None:
    rng = random.Random(12)
    texts: list[str] = []
    while len(texts) < 20:
        state = games.make("connect4").start()
        while state.ply() < solver.BOOK_PLIES and not state.is_terminal():
            state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal():
            texts.append(state.position_text())
    with_book = Connect4Solver(str(solver.book_path())).scores(texts)
    assert with_book.tolist() == Connect4Solver().scores(texts).tolist()


@pytest.mark.parametrize("moves", ["1", "4433227", "45454", "3333355555"])
@needs_book
def test_mirrored_positions_score_the_same(moves: str) -> None:
    assert solver.solve_many([moves])[0].tolist() == solver.solve_many([mirrored(moves)])[0][::-1].tolist()


def test_threads_do_not_change_results(data_dir: Path) -> None:
    positions, _ = read_table(data_dir / "connect4" / "moves_L2_R1.tsv")
    assert (solver.solve_many(positions[:200], threads=1) == solver.solve_many(positions[:200], threads=4)).all()


def test_shapes_of_batches() -> None:
    state = games.make("connect4").from_moves("444444123567")
    assert solver.solve_many([]).shape == (0, 7)
    assert solver.score_many([]).shape == (0,)
    many = solver.solve_many([state, state.moves_text()])
    assert many.dtype == np.int8
    assert many.shape == (2, 7)
    assert (many[0] == many[1]).all()
    assert many[0, 3] == solver.FULL_COLUMN
    assert solver.score_many([state]).tolist() == [many[0].max()]


@pytest.mark.parametrize(
    ("stones", "score", "plies"), [(0, 1, 41), (1, -1, 40), (1, 2, 39), (12, 0, 30), (7, 18, 1), (6, -18, 2)]
)
def test_plies_left(stones: int, score: int, plies: int) -> None:
    assert solver.plies_left(stones, score) == plies


@pytest.mark.parametrize("moves", ["4444444", "8", "x", "12121213"])
def test_wrong_moves_are_refused(moves: str) -> None:
    with pytest.raises(GameError, match=r"legal moves|is over"):
        solver.solve(moves)
    with pytest.raises(GameError, match=r"legal moves|is over"):
        solver.solve_many(["1", moves])


def test_finished_games_and_other_games_are_refused() -> None:
    with pytest.raises(GameError, match="nothing to solve"):
        solver.solve("1212121")
    with pytest.raises(GameError, match="only connect4"):
        solver.solve(games.make("tictactoe").start())


def test_without_the_book_it_still_solves(without_book: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "connect4", "44455554221", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["score"] == -15
    assert "tengen[perfect]" in err


@pytest.mark.parametrize("damage", [b"", b"12345", None])
def test_a_damaged_book_is_one_clear_line(
    damage: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_book: None
) -> None:
    book = tmp_path / "book.dat"
    if damage is not None:
        book.write_bytes(damage)
    monkeypatch.setattr(solver, "book_path", lambda: book)
    with pytest.raises(GameError, match="missing or damaged; reinstall"):
        solver.solve("444")


@needs_book
def test_the_command_line_answers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "connect4", "4444", "--json"]) == 0
    scores = {"1": -2, "2": -2, "3": -2, "4": 1, "5": -2, "6": -2, "7": -2}
    assert json.loads(capsys.readouterr().out) == {"moves": "4444", "score": 1, "scores": scores}
    assert main(["solve", "connect4", "444444", "--json", "--weak"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["scores"] == {"1": -1, "2": 0, "3": 1, "4": None, "5": 1, "6": 0, "7": -1}


@needs_book
def test_the_command_line_answers_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "connect4", "444444"]) == 0
    out = capsys.readouterr().out
    assert "score 1: the side to move wins in 35 plies" in out
    assert "column 4  full" in out
    assert main(["solve", "connect4", "-", "--weak"]) == 0
    assert "score 1: the side to move wins\n" in capsys.readouterr().out
