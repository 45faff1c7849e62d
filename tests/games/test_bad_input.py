"""Wrong text never does worse than raise GameError with one clear line; what is accepted is read back the same."""

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.positions import IDS, play, reachable
from tengen import Game, GameError, State, games

EXAMPLES = 800
FUZZ_EXAMPLES = 20_000

# Characters that mean something somewhere, and some that never do; among them letters of two, three and four bytes.
ALPHABET = "XO./ -,:=abchijkst0123456789+\t\n\0éß天\u2028😀"
noise = st.one_of(st.text(ALPHABET, max_size=12), st.text(max_size=80))


@lru_cache
def sample(id: str) -> list[State]:
    return reachable(Game.parse(id), 24, seed=20)


def spoilt(text: str, edits: list[tuple[int, int, str]]) -> str:
    """`text` after a few small edits: at some place, some characters out and others in."""
    for place, removed, added in edits:
        at = place % (len(text) + 1)
        text = text[:at] + added + text[at + removed :]
    return text


edits = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 2), st.text(ALPHABET, max_size=2)), max_size=3)


def texts(right: Callable[[State], str]) -> st.SearchStrategy[tuple[State, str]]:
    """A position, and a text that is right for it, nearly right, or nothing of the kind."""
    states = st.sampled_from(IDS).flatmap(lambda id: st.sampled_from(sample(id)))
    near = st.tuples(states, edits).map(lambda pair: (pair[0], spoilt(right(pair[0]), pair[1])))
    return st.one_of(near, st.tuples(states, noise))


def refused(error: GameError) -> None:
    message = str(error)
    assert message and "\n" not in message and "\r" not in message and "\0" not in message
    assert len(message) < 500


def near_ids() -> st.SearchStrategy[str]:
    names = st.sampled_from(games.names())
    keys = st.sampled_from([str(option["name"]) for entry in games.registry() for option in entry["options"]] or ["x"])
    words = [
        word for entry in games.registry() for option in entry["options"] for word in str(option["values"]).split()
    ]
    numbers = st.one_of(st.integers(-3, 30), st.floats(-400, 400), st.floats()).map(str)
    values = st.one_of(numbers, st.sampled_from([*words, "on", "off"]), noise)
    options = st.lists(st.tuples(keys, values).map("=".join), max_size=3)
    composed = st.tuples(names, st.one_of(st.just(""), numbers.map(":{}".format)), options)
    return st.one_of(
        st.tuples(st.sampled_from(IDS), edits).map(lambda pair: spoilt(*pair)),
        composed.map(lambda parts: ",".join([parts[0] + parts[1], *parts[2]])),
        noise,
    )


def check_id(text: str) -> None:
    try:
        game = Game.parse(text)
    except GameError as error:
        return refused(error)
    assert Game.parse(game.id) == game and Game.parse(game.id).id == game.id
    assert game.start().legal_actions()


def check_move(state: State, text: str) -> None:
    before = (state.position_text(), state.hash(), state.moves())
    try:
        action = state.parse_move(text)
    except GameError as error:
        refused(error)
    else:
        assert state.is_legal(action)
        assert state.parse_move(state.move_text(action)) == action
    assert (state.position_text(), state.hash(), state.moves()) == before


def check_moves(state: State, text: str) -> None:
    try:
        after = state.game.from_moves(text)
    except GameError as error:
        return refused(error)
    again = state.game.from_moves(after.moves_text())
    assert again.moves() == after.moves() and again.position_text() == after.position_text()


def check_position(state: State, text: str) -> None:
    game = state.game
    try:
        position = game.position(text)
    except GameError as error:
        return refused(error)
    again = game.position(position.position_text())
    assert again.position_text() == position.position_text()
    assert (again.hash(), again.to_move()) == (position.hash(), position.to_move())
    # Positions nobody has played to must still be safe to play from.
    for plies, later in enumerate(play(position, random.Random(1))):
        assert bool(later.legal_actions()) != later.is_terminal()
        assert later.ply() <= game.max_plies
        later.planes()
        if plies == 10:
            break


moves = texts(lambda state: state.move_text(random.Random(state.hash()).randrange(state.game.num_actions)))
move_lists = texts(State.moves_text)
positions = texts(State.position_text)


CHECKS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], None]]] = {
    "ids": (near_ids(), check_id),
    "moves": (moves, lambda case: check_move(*case)),
    "move lists": (move_lists, lambda case: check_moves(*case)),
    "positions": (positions, lambda case: check_position(*case)),
}


def examine(what: str, examples: int) -> None:
    strategy, check = CHECKS[what]
    settings(max_examples=examples)(given(strategy)(lambda case: check(case)))()


@pytest.mark.parametrize("what", CHECKS)
def test_wrong_text_is_refused(what: str) -> None:
    examine(what, EXAMPLES)


@pytest.mark.fuzz
@pytest.mark.parametrize("what", CHECKS)
def test_much_wrong_text_is_refused(what: str) -> None:
    examine(what, FUZZ_EXAMPLES)


@pytest.mark.parametrize(
    ("id", "named"),
    [
        ("chess", "tictactoe"),
        ("", "connect4"),
        ("connect4:7", "one board"),
        ("connect4,colour=red", "none"),
        ("go:1", "2 to 19"),
        ("go:20", "2 to 19"),
        ("go:9,komi=x", "komi"),
        ("go:9,komi=nan", "komi"),
        ("go:9,rule=renju", "komi"),
        ("gomoku:15,in_a_row=7", "from 3 to 6"),
        ("gomoku:15,rule=swap2", "freestyle, exact, renju"),
        ("othello:7", "6, 8"),
        ("hex:5,swap=yes", "off, on"),
        ("hex:5,swap=on,swap=on", "twice"),
    ],
)
def test_a_wrong_id_is_told_the_legal_choices(id: str, named: str) -> None:
    with pytest.raises(GameError, match=named):
        Game.parse(id)


@pytest.mark.parametrize("id", IDS)
def test_an_illegal_move_is_told_the_legal_ones(id: str) -> None:
    state = Game.parse(id).start()
    with pytest.raises(GameError, match=state.move_text(state.legal_actions()[0])):
        state.parse_move("nonsense")


@pytest.mark.parametrize("id", IDS)
def test_no_move_follows_the_end(id: str) -> None:
    game = Game.parse(id)
    *_, end = play(game.start(), random.Random(1))
    text = end.position_text()
    for attempt in (lambda: end.apply(0), lambda: end.parse_move(end.move_text(0))):
        with pytest.raises(GameError, match="over"):
            attempt()
    with pytest.raises(GameError, match="over"):
        game.from_moves(f"{end.moves_text()} {end.move_text(0)}")
    assert end.position_text() == text


@pytest.mark.parametrize("id", IDS)
def test_numbers_out_of_range_are_refused(id: str) -> None:
    game = Game.parse(id)
    state = game.start()
    for attempt in (
        lambda: state.perft(-1),
        lambda: state.perft(1, passes="sometimes"),
        lambda: state.planes(game.num_symmetries),
        lambda: state.hash(-1),
        lambda: state.policy_index(game.num_actions),
        lambda: state.policy_index(0, game.num_symmetries),
        lambda: state.move_text(-1),
        lambda: state.landing_cell(game.num_actions),
        lambda: game.transform(0, game.num_actions),
        lambda: game.transform(game.num_symmetries, 0),
        lambda: game.inverse(-1),
    ):
        with pytest.raises(GameError) as error:
            attempt()
        refused(error.value)
