"""The probe in C++ and the one in Python say the same of every position, one after the other.

What a proof finds depends on all that were asked before: on the order of moves, on what the table has kept, on the
plies that were given up. So whole sequences of questions are compared.
"""

import random
from collections import Counter

import pytest

from support.parity_case import GAMES, opening
from tengen import State, games
from tengen._core import Probe
from tengen.games import Game
from tengen.search.reference import RuleProbe
from tengen.search.reference.bounds import UNKNOWN, Bounds
from tengen.search.reference.probe import after

EMPTY_CELLS = 14  # most of the positions are that near to a full board


def late_positions(game: Game, count: int, seed: int) -> list[State]:
    """Random positions near the end, most of them in lines: a position and some that follow it."""
    rng, found = random.Random(seed), list[State]()
    _, rows, cols = game.planes_shape
    while len(found) < count:
        state = opening(game.id, rows * cols, f"{rng.random()}")
        if state.ply() < rows * cols - EMPTY_CELLS and rng.random() < 0.9:
            continue
        for _ in range(4):
            found.append(state.copy())
            state.apply(rng.choice(state.legal_actions()))
            if state.is_terminal():
                break
    return found[:count]


def answers(probe: Probe | RuleProbe, states: list[State], seed: int) -> list[Bounds]:
    """What it says of each, before and after an evaluation, while its limits change now and then."""
    rng, found = random.Random(seed), list[Bounds]()
    small = rng.random() < 0.5
    for number, state in enumerate(states):
        if number % 60 == 0:
            probe.limit(rng.randrange(3), rng.choice([20, 120] if small else [500, 900]))
        expected = rng.choice([-0.5, 0.0, 0.5])
        found += [probe(state, None), probe(state, expected)]
    return found


@pytest.mark.parametrize("id", GAMES)
def test_both_probes_answer_alike(id: str) -> None:
    game, values = games.make(id), Counter[Bounds]()
    for seed in range(4):
        states = late_positions(game, 120, seed)
        found = answers(Probe(game), states, seed)
        assert found == answers(RuleProbe(game), states, seed)
        values.update(found)
    assert values[UNKNOWN] > 50 and values[1, 1, 1] > 10
    if not game.remembers:  # proofs of all results
        draws = "hex" not in id
        assert values[1, 1, None] > 2 and values[-1, -1, None] > 2 and (values[0, 0, None] > 0) == draws


@pytest.mark.parametrize("id", ["connect4", "tictactoe"])
@pytest.mark.parametrize("plies", [3, 4])
def test_both_look_as_far_ahead(id: str, plies: int) -> None:
    game = games.make(id)
    probe, twin = Probe(game, plies), RuleProbe(game)
    twin.limit(plies, 0)
    found = Counter[Bounds]()
    for state in late_positions(game, 600, plies):
        if not any(after(state, action).is_terminal() for action in state.legal_actions()):
            found[probe(state)] += 1
            assert probe(state) == twin(state, None)
    assert found[UNKNOWN] and found[-1, -1, 2] and found[1, 1, 3] and (plies == 3 or found[-1, -1, 4])
