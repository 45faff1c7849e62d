"""Values of finished games, proven backwards: equal to a textbook's and the exact solver's, and in the targets."""

import random
from typing import Any

import numpy as np
import pytest

from support.engines import ENGINES, Verdict, judged
from support.parity_case import opening
from support.recorded import make_record
from tengen import games
from tengen._core import ConfigError, Probe, SearchConfig, SelfPlay, SelfPlayConfig
from tengen.exact.solver import score_many
from tengen.games import Game, GameError, State
from tengen.records import UNSOLVED
from tengen.records.replay import value_targets
from tengen.search.reference.prove import exact_value

QUIET = "313114255454753341"  # columns 5 and 6 win, the others draw; nothing ends soon


def random_game(game: Game, seed: int, *, long: bool = False) -> list[int]:
    """`long`: moves that end it are avoided."""
    rng, state = random.Random(seed), game.start()
    while not state.is_terminal():
        moves = state.legal_actions()
        going_on = [action for action in moves if not after(state, action).is_terminal()] if long else []
        state.apply(rng.choice(going_on or moves))
    return state.moves()


def after(state: State, action: int) -> State:
    following = state.copy()
    following.apply(action)
    return following


def positions(game: Game, moves: list[int]) -> list[State]:
    """Those in which the moves were played."""
    states = [game.start()]
    for action in moves[:-1]:
        states.append(after(states[-1], action))
    return states


def proven(game: Game, moves: list[int], nodes: int) -> list[int]:
    return [int(value) for value in SelfPlay.exact_values(game, SelfPlayConfig(label_nodes=nodes), moves)]


@pytest.mark.parametrize("id", ["tictactoe", "connect4", "gomoku:6,in_a_row=4", "othello:6", "hex:4", "hex:4,swap=on"])
def test_what_is_proven_is_true(id: str) -> None:
    game, count = games.make(id), 0
    for seed in range(12):
        moves = random_game(game, seed, long=True)
        near_the_end = game.planes_shape[1] * game.planes_shape[2] - 7  # a textbook cannot look at more
        states = positions(game, moves)
        for nodes in (0, 3, 400):
            values = proven(game, moves, nodes)
            first = next((ply for ply, value in enumerate(values) if value != UNSOLVED), len(values))
            assert UNSOLVED not in values[first:]
            assert (first == len(values)) == (nodes == 0)  # the last position needs no more than one
            last = max(first, near_the_end)
            assert values[last:] == [exact_value(state) for state in states[last:]]
            count += len(values[last:])
    assert count > 20


def test_proofs_end_at_the_first_ply_that_is_asked_for() -> None:
    game = games.make("connect4")
    moves = random_game(game, 3, long=True)
    config, every = SelfPlayConfig(label_nodes=20_000), proven(game, moves, 20_000)
    earliest = next(ply for ply, value in enumerate(every) if value != UNSOLVED)
    for first in (0, earliest, earliest + 5, len(moves)):
        begin = max(first, earliest)
        expected = [UNSOLVED] * begin + every[begin:]
        assert SelfPlay.exact_values(game, config, moves, first).tolist() == expected


def test_proofs_are_the_solver_s_values() -> None:
    game, count = games.make("connect4"), 0
    for seed in range(30):
        moves = random_game(game, seed)
        values = proven(game, moves, 20_000)
        first = next(ply for ply, value in enumerate(values) if value != UNSOLVED)
        assert UNSOLVED not in values[first:]
        assert values[first:] == np.sign(score_many(positions(game, moves)[first:], weak=True)).tolist()
        count += len(moves) - first
    assert count > 150


def test_tic_tac_toe_is_proven_from_its_start() -> None:
    game = games.make("tictactoe")
    assert proven(game, random_game(game, 1), 100_000)[0] == 0


def test_an_illegal_game_is_refused() -> None:
    with pytest.raises(ValueError, match="illegal"):
        proven(games.make("connect4"), [3] * 7, 10)


def test_where_earlier_positions_matter_nothing_can_be_proven_so() -> None:
    game = games.make("go:3")
    with pytest.raises(ConfigError, match="label_nodes must be 0"):
        SelfPlay(game, 1, SearchConfig(sims=4), SelfPlayConfig(label_nodes=10))
    assert proven(game, random_game(game, 1), 0) == [UNSOLVED] * len(random_game(game, 1))


def test_targets_begin_anew_with_what_was_proven() -> None:
    """Ply 2 is proven drawn although the game was lost later: before it, returns know of the draw alone."""
    game = games.make("tictactoe")
    moves = [0, 1, 3, 6, 4, 8, 5]
    plies = [{"q": 0.5, "d": 0.25, "m": 3, "policy": {move: (1, 1.0)}} for move in moves]
    plies[2]["exact"] = 0
    value, draw = value_targets(make_record(game, moves, plies, result=1), 0.5)
    assert value[2] == 0 and draw[2] == 1
    assert value[1] == 0.25 and draw[1] == 0.625  # half its own, half of the draw after it
    assert value[6] == 0.75 and draw[6] == 0.125


def test_what_was_proven_is_known_at_a_random_move_too() -> None:
    game = games.make("tictactoe")
    moves = [0, 1, 3]
    searched = {"q": 0.5, "d": 0.0, "m": 3, "policy": {4: (1, 1.0)}}
    for exact, expected in ((1, 0.5 * 0.5 - 0.5), (UNSOLVED, 0.5)):
        record = make_record(game, moves, [searched, {"exact": exact}, searched], result=1, opening=0)
        assert value_targets(record, 0.5)[0][0] == expected


def test_a_state_proves_what_it_is_worth() -> None:
    game, known = games.make("connect4"), 0
    for seed in range(8):
        for state in positions(game, random_game(game, seed, long=True))[::2]:
            value = state.prove(3000)
            if value is not None:
                known += 1
                assert value == np.sign(score_many([state], weak=True))[0]
    assert known > 40
    assert game.start().prove(3000) is None and game.start().prove(0) is None
    assert games.make("go:3").start().prove(3000) is None
    with pytest.raises(GameError, match="over"):
        game.from_moves("1212121").prove(10)


@pytest.mark.parametrize("engine", ENGINES)
def test_proofs_replace_what_the_network_says_of_values(engine: type[Any]) -> None:
    """A network that thinks every position won: with proofs the values are the solver's, plies are the network's."""
    state = games.make("connect4").from_moves(QUIET)

    def wrong(path: tuple[int, ...]) -> Verdict:
        return Verdict(0.75, m=9.0)

    for nodes in (0, 100_000):
        seen = judged(engine, wrong, state, sims=30, prove_nodes=nodes, fpu_mode="infinite").nodes()
        for action in state.legal_actions():
            exact = int(np.sign(score_many([after(state, action)], weak=True))[0])
            found = seen[action,]
            if nodes:
                assert (found.lo, found.hi, found.q, found.d) == (exact, exact, exact, exact == 0)
                assert found.dist is None and found.visits > 0
            else:
                assert (found.lo, found.hi) == (-1, 1) and found.q != exact
            assert found.m > 8


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ply", [18, 20, 22, 24])
def test_solved_values_choose_the_move(engine: type[Any], ply: int) -> None:
    """With an evaluator that is always wrong, a few simulations and proofs find a move that keeps the value; and the
    root, solved without distance, goes on to the end of its budget."""
    game = games.make("connect4")
    for seed in range(6):
        state = positions(game, random_game(game, seed, long=True))[ply]
        worth = np.sign(score_many([state], weak=True))[0]
        search = judged(engine, lambda path: Verdict(-0.5, m=9.0), state, sims=20, prove_nodes=200_000)
        played = after(state, search.best())
        if not played.is_terminal():
            assert np.sign(score_many([played], weak=True))[0] == -worth
        root = search.nodes()[()]
        if root.dist is None:
            assert search.nodes()[()].visits == 21


@pytest.mark.parametrize("engine", ENGINES)
def test_a_move_proven_to_win_is_played_before_one_with_more_visits(engine: type[Any]) -> None:
    """The network is sure of column 4, which draws; that columns 5 and 6 win is what so few positions prove."""
    state = games.make("connect4").from_moves(QUIET)
    sure = [0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0]

    def wrong(path: tuple[int, ...]) -> Verdict:
        return Verdict(0.9 if len(path) % 2 == 0 else -0.9, m=9.0, logits=sure)

    search = judged(engine, wrong, state, sims=20, prove_nodes=3000, fpu_mode="infinite")
    seen = search.nodes()
    assert seen[3,].visits > seen[5,].visits > 0 and seen[3,].lo < seen[3,].hi
    assert (seen[()].lo, seen[()].hi, seen[()].dist) == (1, 1, None)
    assert search.best() in (4, 5)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_solved_node_without_distance_starts_afresh_as_the_root(engine: type[Any]) -> None:
    """Below it moves were never told apart: nothing of it is kept."""
    state = games.make("connect4").from_moves(QUIET)
    search = judged(engine, lambda path: Verdict(0.0, m=9.0), state, sims=60, prove_nodes=100_000)
    best = search.best()
    child = search.nodes()[best,]
    assert child.lo == child.hi and child.dist is None and child.visits > 2
    search.advance(best)
    assert list(search.nodes()) == [()] and not search.nodes()[()].expanded


def value_of(probe: Probe, state: State, expected: float = 0) -> int | None:
    """What a proof finds: never a distance, and bounds only where it solves the position."""
    lo, hi, distance = probe(state, expected)
    assert distance is None and ((lo, hi) == (-1, 1) or lo == hi)
    return lo if lo == hi else None


def test_what_is_expected_is_asked_first_and_changes_no_value() -> None:
    """A win is found in fewer positions where it is expected; both ways agree with the solver."""
    game = games.make("connect4")
    random_ones = (opening("connect4", 36, f"{number}") for number in range(3000))
    states = [state for state in random_ones if state.ply() >= 20 and state.prove(5) is None]
    exact = np.sign(score_many(states, weak=True)).tolist()
    found, wins = [0, 0], [0, 0]
    for state, value in zip(states, exact, strict=True):
        for expected in (0, 1):
            short = value_of(Probe(game, 0, 20), state, expected)
            assert short in (None, value) and value_of(Probe(game, 0, 10**7), state, expected) == value
            found[expected] += short is not None
            wins[expected] += short == 1
    assert len(states) > 50 and min(found) > 5 and wins[True] > wins[False] + 3


def test_a_probe_gives_up_plies_where_it_fails_and_remembers_what_it_found() -> None:
    game = games.make("connect4")
    quiet = game.from_moves(QUIET)
    # What failed at first goes on where it stopped: a drawn position that 30,000 positions do not prove, in six tries.
    drawn = after(quiet, 3)
    assert drawn.prove(30_000 // 4) is None
    patient = Probe(game, 0, 30_000 // 4)
    tries = [value_of(patient, drawn) for _ in range(6)]
    assert tries[0] is None and tries[-1] == 0
    # Sixteen failures at a ply are enough, four of small proofs; there and nowhere else.
    easy, same_ply = game.from_moves("121212"), game.from_moves("132537")
    for positions, enough in ((50, 4), (499, 4), (500, 16)):
        assert value_of(Probe(game, 0, positions), easy) == 1
        probe = Probe(game, 0, positions)
        assert [value_of(probe, same_ply) for _ in range(enough - 1)] == [None] * (enough - 1)
        assert value_of(probe, easy) == 1
        probe = Probe(game, 0, positions)
        assert [value_of(probe, same_ply) for _ in range(enough)] == [None] * enough and value_of(probe, easy) is None
        assert value_of(probe, game.from_moves("12121234")) is not None


def test_a_probe_refuses_what_it_cannot_be_asked() -> None:
    game = games.make("connect4")
    probe = Probe(game, 1, 10)
    for ask in (probe, probe.win):
        with pytest.raises(GameError, match="over"):
            ask(game.from_moves("1212121"))
    with pytest.raises(GameError, match="for connect4, the position is of tictactoe"):
        probe(games.make("tictactoe").start())
    for limits in ((-1, 0), (5, 0), (0, -1), (0, 0, -1)):
        with pytest.raises(GameError, match="0 to 4 plies"):
            probe.limit(*limits)
    assert Probe(games.make("go:3"), 0, 100)(games.make("go:3").start(), 0) == (-1, 1, None)
