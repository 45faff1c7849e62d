"""What games may offer besides: laws 9 to 16 of cpp/tengen/game.h, for every game that offers it."""

import random
from collections import Counter

import pytest

from support.positions import IDS, crowded, play, reachable
from tengen import Game, GameError, State, games
from tengen._core import Rng

every_game = pytest.mark.parametrize("id", IDS)
# Who offers what. A game that gains or loses an ability belongs into another row.
OFFERED = {
    "sample": {"gomoku", "othello", "go"},
    "legal_only_shrinks": {"tictactoe", "hex"},
    "remembers": {"go"},
    "wins_at_once": {"connect4", "gomoku"},
    "safe": {"connect4", "gomoku"},
    "promising": {"connect4"},
    "forcing": {"gomoku"},
    "settled": {"go"},
    "counted_after": {"go"},
    "varied": {"go"},
}


def going_on(game: Game, count: int, seed: int) -> list[State]:
    return [state for state in reachable(game, count, seed) if not state.is_terminal()]


def after(state: State, action: int) -> State:
    following = state.copy()
    following.apply(action)
    return following


def wins(state: State, action: int) -> bool:
    following = after(state, action)
    return following.is_terminal() and following.outcome() == -1


def can_win(state: State) -> bool:
    return any(wins(state, action) for action in state.legal_actions())


def test_who_offers_what() -> None:
    found: dict[str, set[str]] = {ability: set() for ability in OFFERED}
    for name in games.names():
        state = games.make(name).start()
        answers = {
            "sample": state.sample(Rng(0, 0, 0, "rollout")),
            "legal_only_shrinks": state.legal_only_shrinks(),
            "remembers": state.game.remembers or None,
            "wins_at_once": state.wins_at_once(),
            "safe": state.safe(),
            "promising": state.promising(),
            "forcing": state.forcing(),
            "settled": state.settled(),
            "counted_after": state.game.counted_after,
            "varied": state.game.varied(1, 1) != state.game or None,
        }
        for ability, answer in answers.items():
            if answer is not None:
                found[ability].add(name)
    assert found == OFFERED


@every_game
def test_a_finished_game_has_no_moves_to_ask_about(id: str) -> None:
    *_, end = play(Game.parse(id).start(), random.Random(0))
    for ask in (lambda: end.sample(Rng(0, 0, 0, "rollout")), end.wins_at_once, end.safe, end.promising, end.forcing):
        with pytest.raises(GameError, match="over"):
            ask()


@every_game
def test_samples_are_uniform_over_the_legal_actions(id: str) -> None:
    """Each count is within six standard deviations of its mean, and every legal action of few is drawn."""
    rng, draws = Rng(1, 0, 0, "rollout"), 4000
    for state in going_on(Game.parse(id), 12, seed=9):
        if state.sample(rng) is None:
            return
        legal = state.legal_actions()
        counts = Counter(state.sample(rng) for _ in range(draws))
        assert set(counts) <= set(legal)
        mean = draws / len(legal)
        assert all(abs(counts[action] - mean) <= 6 * mean**0.5 + 1 for action in legal)


@every_game
def test_where_legal_actions_only_shrink_nothing_else_happens_to_them(id: str) -> None:
    for seed in range(4):
        before: State | None = None
        for state in play(Game.parse(id).start(), random.Random(seed)):
            if before is not None and before.legal_only_shrinks():
                assert state.legal_only_shrinks()
                played = state.moves()[-1]
                left = [action for action in before.legal_actions() if action != played]
                assert state.is_terminal() or state.legal_actions() == left
            before = state.copy()


def future(state: State) -> list[object]:
    """All that the rules say of what follows, one move on."""
    end = state.outcome() if state.is_terminal() else None
    return [end, [(action, after(state, action).hash()) for action in state.legal_actions()]]


def forgetful(game: Game) -> bool:
    """Do positions with equal planes have the same future?"""
    futures = dict[int, list[object]]()
    for state in crowded(game, 400, seed=5) + reachable(game, 64, seed=6):
        if futures.setdefault(state.hash(), future(state)) != future(state):
            return False
    return True


@every_game
def test_equal_planes_have_equal_futures_unless_the_game_remembers(id: str) -> None:
    game = Game.parse(id)
    assert game.remembers or forgetful(game)


def test_a_game_that_remembers_has_a_reason() -> None:
    assert not forgetful(games.make("go:2"))


@every_game
def test_a_win_at_once_is_seen_exactly_where_a_move_wins(id: str) -> None:
    """And nothing but a win, or the very last ply, ends such a game."""
    game, seen = Game.parse(id), Counter[bool]()
    for state in going_on(game, 500, seed=7):
        if state.wins_at_once() is None:
            return
        assert state.wins_at_once() == can_win(state)
        seen[can_win(state)] += 1
        for action in state.legal_actions():
            following = after(state, action)
            assert not following.is_terminal() or wins(state, action) or following.ply() == game.max_plies
    assert min(seen[True], seen[False]) > 50


@every_game
def test_safe_and_promising_moves_are_those_that_do_not_lose_at_once(id: str) -> None:
    game, sizes = Game.parse(id), set[int]()
    count = max(80, min(500, 2_000_000 // game.num_actions**2))  # every answer to every move is tried
    for state in going_on(game, count, seed=8):
        if state.wins_at_once() is None or can_win(state):
            continue
        safe = [action for action in state.legal_actions() if not can_win(after(state, action))]
        assert state.safe() == safe
        assert state.promising() is None or sorted(state.promising() or []) == safe
        sizes.add(len(state.legal_actions()) - len(safe))
    assert not sizes or len(sizes) > 3


@every_game
def test_forcing_moves_leave_at_most_one_safe_answer(id: str) -> None:
    game, found = Game.parse(id), Counter[int]()
    for state in going_on(game, 120, seed=10):
        if state.forcing() is None:
            return
        if state.wins_at_once() or state.ply() + 2 >= game.max_plies:
            continue
        answers = {action: len(after(state, action).safe() or []) for action in state.safe() or []}
        assert state.forcing() == [action for action, count in answers.items() if count <= 1]
        found.update(answers.values())
    assert found[0] and found[1]
