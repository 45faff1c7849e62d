"""Differential test against OpenSpiel: random games replayed move for move, with the same legal moves, side to move,
end and result at every ply.

Moves are drawn from our legal moves; the legal sets are compared as sets, so a difference in either direction shows.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from support.positions import cells_of_actions
from tengen import Game, State

pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra openspiel)")

CHUNK = 500  # fuzz games per test item, so that several processes can share them


@dataclass(frozen=True)
class Pair:
    """One game, as both call it, and how many random games of it are compared."""

    id: str
    theirs: str
    games: int
    fuzz_games: int


# Fuzz games add up to 20 000 for each of the six games.
PAIRS = [
    Pair("tictactoe", "tic_tac_toe", 100, 20_000),
    Pair("connect4", "connect_four", 100, 20_000),
    Pair("gomoku:6,in_a_row=4", "gomoku(size=6,connect=4)", 40, 8_000),
    Pair("gomoku:9", "gomoku(size=9)", 30, 6_000),
    Pair("gomoku:15", "gomoku(size=15)", 20, 4_800),
    Pair("gomoku:19,in_a_row=6", "gomoku(size=19,connect=6)", 10, 1_000),
    Pair("gomoku:20", "gomoku(size=20)", 4, 200),
    Pair("othello", "othello", 100, 20_000),
    # OpenSpiel ends a game of Go after 2 · size² moves unless told otherwise.
    Pair("go:2,komi=7.5", "go(board_size=2,komi=7.5,max_game_length=100000)", 60, 4_000),
    Pair("go:3,komi=7.5", "go(board_size=3,komi=7.5,max_game_length=100000)", 60, 4_000),
    Pair("go:5,komi=7.5", "go(board_size=5,komi=7.5,max_game_length=100000)", 30, 5_000),
    Pair("go:5,komi=0", "go(board_size=5,komi=0.0,max_game_length=100000)", 20, 3_000),
    Pair("go:9,komi=7.5", "go(board_size=9,komi=7.5,max_game_length=100000)", 10, 2_000),
    Pair("go:9,komi=7", "go(board_size=9,komi=7.0,max_game_length=100000)", 10, 1_500),
    Pair("go:13,komi=7.5", "go(board_size=13,komi=7.5,max_game_length=100000)", 2, 400),
    Pair("go:19,komi=7.5", "go(board_size=19,komi=7.5,max_game_length=100000)", 1, 100),
    Pair("hex:3", "hex(board_size=3)", 20, 5_000),
    Pair("hex:5", "hex(board_size=5)", 20, 5_000),
    Pair("hex:11", "hex(board_size=11)", 20, 3_000),
    Pair("hex:13", "hex(board_size=13)", 5, 1_000),
    Pair("hex:3,swap=on", "hex(board_size=3,swap=True)", 20, 3_000),
    Pair("hex:5,swap=on", "hex(board_size=5,swap=True)", 20, 2_000),
    Pair("hex:11,swap=on", "hex(board_size=11,swap=True)", 20, 1_000),
]


def their_actions(game: Game, theirs: Any) -> list[int]:
    """OpenSpiel's number for each of our actions. Both count cells row by row from the top, except that its Go counts
    from the bottom; Connect4's actions are columns in both; pass and swap are the last action in both."""
    _, rows, cols = game.planes_shape

    def renamed(action: int, cell: int | None) -> int:
        if cell is None:
            return int(theirs.num_distinct_actions()) - 1
        if game.name == "connect4":
            return action
        return (rows - 1 - cell // cols) * cols + cell % cols if game.name == "go" else cell

    return [renamed(action, cell) for action, cell in enumerate(cells_of_actions(game))]


def check_legal(state: State, theirs: Any, names: list[int], allowed: Callable[[Any, int], bool]) -> list[int]:
    legal = state.legal_actions()
    ours, others = {names[a] for a in legal}, set(theirs.legal_actions())
    assert not ours - others, f"legal only here: {ours - others}\n{state.render()}\n{state.position_text()}"
    for action in others - ours:
        assert allowed(theirs, action), f"legal only there: {action}\n{state.render()}\n{state.position_text()}"
    return legal


def never(_theirs: Any, _action: int) -> bool:
    return False


def repeats_a_board(theirs: Any, action: int) -> bool:
    """OpenSpiel lets a move against superko be played, and then ends the game as a draw. Here it is illegal."""
    after = theirs.child(action)
    return bool(after.is_terminal()) and list(after.returns()) == [0.0, 0.0]


def compare_game(game: Game, theirs: Any, names: list[int], number: int) -> None:
    rng = random.Random(f"{game.id} {number}")
    # Every other game of Go passes (its last action) only when it must: repetitions and the longest game come up then.
    stubborn = game.name == "go" and number % 2 == 1
    state, other = game.start(), theirs.new_initial_state()
    allowed = repeats_a_board if game.name == "go" else never
    while not state.is_terminal():
        assert not other.is_terminal(), f"ended only there\n{state.render()}\n{state.moves_text()}"
        assert state.to_move() == other.current_player()
        legal = check_legal(state, other, names, allowed)
        action = rng.choice(legal[:-1] if stubborn and len(legal) > 1 else legal)
        state.apply(action)
        other.apply_action(names[action])
    if game.name == "go" and state.ply() == game.max_plies:
        # Here the game is scored as it stands, there it would go on: two passes score it.
        while not other.is_terminal():
            other.apply_action(names[-1])
    assert other.is_terminal(), f"ended only here\n{state.render()}\n{state.moves_text()}"
    first = state.outcome() * (1 if state.to_move() == 0 else -1)
    assert first == other.returns()[0] == -other.returns()[1], f"results differ\n{state.render()}\n{state.moves_text()}"


def compare(pair: Pair, numbers: range) -> None:
    game, theirs = Game.parse(pair.id), pyspiel.load_game(pair.theirs)
    names = their_actions(game, theirs)
    assert sorted(names) == list(range(theirs.num_distinct_actions()))
    for number in numbers:
        compare_game(game, theirs, names, number)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_random_games_agree(pair: Pair) -> None:
    compare(pair, range(pair.games))


CHUNKS = [(pair, start) for pair in PAIRS for start in range(0, pair.fuzz_games, CHUNK)]


@pytest.mark.fuzz
@pytest.mark.parametrize(("pair", "start"), CHUNKS, ids=lambda value: value.id if isinstance(value, Pair) else None)
def test_many_random_games_agree(pair: Pair, start: int) -> None:
    compare(pair, range(start, min(start + CHUNK, pair.fuzz_games)))


def test_the_fuzz_plan_is_large_enough() -> None:
    planned: dict[str, int] = {}
    for pair in PAIRS:
        name = Game.parse(pair.id).name
        planned[name] = planned.get(name, 0) + pair.fuzz_games
    assert set(planned.values()) == {20_000} and len(planned) == 6
