"""Balanced openings: even by whoever judges them, different under symmetries, the same for the same seed."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tengen import State, cli, games
from tengen.play.arena import draw_openings
from tengen.play.openings import BALANCED, balanced_openings, openings_for, read_openings
from tengen.play.players import PlayerError
from tengen.play.tournament import openings_of, read_plan

GAME = games.make("hex:5")


def after(moves: Sequence[int]) -> State:
    state = GAME.start()
    for action in moves:
        state.apply(action)
    return state


def lopsided(states: Sequence[State]) -> list[float]:
    """Pure functions of the board, the same for all its symmetries: a third of the positions are even."""
    return [(shape(state) % 3 - 1) * 0.9 for state in states]


def shape(state: State) -> int:
    return min(state.hash(symmetry) for symmetry in range(GAME.num_symmetries))


def test_openings_are_those_that_the_judge_finds_even() -> None:
    found = balanced_openings(GAME, 40, lopsided, plies=3, seed=1)
    assert len(found) == 40 and all(abs(value) <= BALANCED for value in lopsided([after(m) for m in found]))
    unfiltered = [after(moves) for moves in draw_openings(GAME, 40, plies=3, seed=1)]
    assert sum(abs(value) > BALANCED for value in lopsided(unfiltered)) > 10
    for value in (BALANCED + 0.01, -BALANCED - 0.01):
        with pytest.raises(ValueError, match=r"only 0 balanced openings of 1 random plies .* not 2"):
            balanced_openings(GAME, 2, lambda states, value=value: [value] * len(states), plies=1)  # type: ignore[misc]


def test_no_two_are_alike_under_symmetries_and_a_seed_names_them() -> None:
    even = lambda states: [0.0] * len(states)  # noqa: E731
    found = balanced_openings(GAME, 60, even, plies=2, seed=2)
    assert len({shape(after(moves)) for moves in found}) == 60
    assert found == balanced_openings(GAME, 60, even, plies=2, seed=2)
    assert found[:20] == balanced_openings(GAME, 20, even, plies=2, seed=2)
    assert found != balanced_openings(GAME, 60, even, plies=2, seed=3)
    with pytest.raises(ValueError, match="only 13 balanced"):  # 25 cells, of which each but the middle has a twin
        balanced_openings(GAME, 20, even, plies=1)


def test_a_search_judges() -> None:
    """Hex without a swap is won by the first player, more surely from the middle: only poor first moves are even."""
    found = openings_for("balanced:plain:300", GAME, 2, plies=1, seed=1)
    assert len(found) == 2
    middle = GAME.start().parse_move("c3")
    assert (middle,) not in found
    assert found == openings_for("balanced:plain:300", GAME, 2, plies=1, seed=1)
    assert openings_for("random", GAME, 3, seed=4) == draw_openings(GAME, 3, seed=4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("balance", "openings are random, balanced or balanced:PLAYER"),
        ("balanced", "no network ships for hex:4"),
        ("balanced:random", "random does not search"),
        ("balanced:gtp:rm -rf /", "does not search"),
        ("balanced:net:nowhere.onnx", "nowhere.onnx"),
    ],
)
def test_who_cannot_judge_is_refused(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((PlayerError, games.GameError), match=re.escape(message)):
        read_openings(text, games.make("hex:4"))
    assert cli.main(["match", "hex:4", "random", "random", "--games", "2", "--openings", text]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_a_match_and_a_tournament_begin_so(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    options = ["--games", "4", "--seed", "5", "--openings", "balanced:plain:50", "--save", str(file)]
    assert cli.main(["match", "hex:5", "random", "random", *options]) == 0
    expected = openings_for("balanced:plain:50", GAME, 2, seed=5)
    lines = [line.split("\t") for line in file.read_text().splitlines()[1:]]
    begun = [GAME.from_moves(line[5]).moves()[: int(line[4])] for line in lines]
    assert begun == [list(opening) for opening in expected for _ in range(2)]
    players = '[[players]]\nplayer = "random"\n[[players]]\nplayer = "mcts:1"\n'
    plan = read_plan(f'game = "hex:5"\nseed = 5\ngames = 4\nopenings = "balanced:plain:50"\n{players}')
    assert openings_of(plan) == expected
