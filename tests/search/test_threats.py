"""Forced wins by threats: true by a solver that only knows rows of stones, as short as they claim, and played."""

import random
from collections import Counter
from typing import Any

import pytest

from support.engines import ENGINES, Verdict, judged
from support.parity_case import opening
from tengen import State, games
from tengen._core import Probe
from tengen.search.reference import RuleProbe
from tengen.search.reference.bounds import UNKNOWN, Bounds

MANY = 100_000


class Rows:
    """Freestyle five in a row on a dictionary of stones: nothing of the game's own code."""

    def __init__(self, state: State, in_a_row: int) -> None:
        _, self.size, _ = state.game.planes_shape
        self.stones = {cell: stone for cell, stone in enumerate(state.stones()) if stone}
        steps = [(0, 1), (1, 0), (1, 1), (1, -1)]
        cells = [(r, c, dr, dc) for r in range(self.size) for c in range(self.size) for dr, dc in steps]
        rows = [[(r + i * dr, c + i * dc) for i in range(in_a_row)] for r, c, dr, dc in cells]
        inside = range(self.size)
        self.rows = [
            [r * self.size + c for r, c in row] for row in rows if all(r in inside and c in inside for r, c in row)
        ]

    def missing(self, colour: int, count: int) -> set[int]:
        """The empty cells of rows that have `count` of them and no other stones than `colour`'s."""
        found = set[int]()
        for row in self.rows:
            empty = [cell for cell in row if cell not in self.stones]
            if len(empty) == count and all(self.stones.get(cell, colour) == colour for cell in row):
                found.update(empty)
        return found

    def forces(self, me: int, fours: int) -> bool:
        """Can `me`, to move and without a five at once, win by at most so many fours?"""
        other = 3 - me
        must = self.missing(other, 1)
        moves = self.missing(me, 2)
        for cell in moves & must if must else moves:
            self.stones[cell] = me
            threats = self.missing(me, 1)
            won = not self.missing(other, 1) and len(threats) > 1
            if not won and not self.missing(other, 1) and fours > 1:
                (answer,) = threats
                self.stones[answer] = other
                won = self.forces(me, fours - 1)
                del self.stones[answer]
            del self.stones[cell]
            if won:
                return True
        return False


def crowded(id: str, count: int, seed: int) -> list[State]:
    """Positions, mostly with many stones, in which nobody wins at once."""
    rng, found = random.Random(seed), list[State]()
    while len(found) < count:
        state = opening(id, 40, f"{rng.random()}")
        if not state.wins_at_once() and state.ply() < state.game.max_plies - 14:
            found.append(state)
    return found


@pytest.mark.parametrize(("id", "in_a_row"), [("gomoku:9", 5), ("gomoku:6,in_a_row=4", 4), ("gomoku:7", 5)])
def test_wins_by_threats_are_exactly_those_that_rows_of_stones_show(id: str, in_a_row: int) -> None:
    probe, found = Probe(games.make(id), 0, 0, MANY), Counter[Bounds]()
    for state in crowded(id, 150, seed=1):
        answer = probe(state)
        found[answer] += 1
        rows, me = Rows(state, in_a_row), 1 + state.to_move()
        assert (answer[0] == 1) == rows.forces(me, 6)
        assert (answer == (1, 1, 3)) == rows.forces(me, 1)
        assert (answer == (1, 1, 5)) == (rows.forces(me, 2) and not rows.forces(me, 1))
        threats = rows.missing(3 - me, 1)
        if len(threats) == 1 and answer[0] < 1:
            rows.stones[threats.pop()] = me
            assert (answer[0] == answer[1] == -1) == rows.forces(3 - me, 6)
        elif answer[0] < 1:
            assert (answer == (-1, -1, 2)) == (len(threats) > 1)
    assert found[UNKNOWN] and found[1, 1, 3] and found[1, 1, 5] and found[-1, -1, 2] and found[-1, -1, 4]


def test_distances_are_those_of_full_search() -> None:
    """What four plies of full search solve, threats solve with the same distance or not at all; what they know to take
    longer, no full search of four plies sees."""
    id = "gomoku:6,in_a_row=4"
    ahead, chains = Probe(games.make(id), 4), Probe(games.make(id), 0, 0, MANY)
    found = Counter[Bounds]()
    for state in crowded(id, 150, seed=2):
        seen, known = ahead(state), chains(state)
        found[known] += 1
        if seen != UNKNOWN:
            assert known in (seen, UNKNOWN) and (known == seen or seen[0] < 1)
        elif known != UNKNOWN:
            assert known[2] in (5, 6, None)
    assert found[1, 1, 5] and found[1, 1, None] + found[-1, -1, None] > 3


@pytest.mark.parametrize("id", ["gomoku:9", "gomoku:6,in_a_row=4", "gomoku:9,rule=exact", "connect4", "go:3"])
def test_both_probes_follow_threats_alike(id: str) -> None:
    """For every limit, and the move that begins a win as well. Games that offer no threats are left alone."""
    game, rng, found = games.make(id), random.Random(3), Counter[Bounds]()
    probe, twin = Probe(game), RuleProbe(game)
    for number in range(60):
        state = opening(id, 40, f"{number}")
        limits = (rng.choice([0, 1]), 0, rng.choice([1, 2, 5, 40]))
        probe.limit(*limits)
        twin.limit(*limits)
        found[probe(state)] += 1
        assert probe(state) == twin(state, None) and probe.win(state) == twin.win(state)
    if "gomoku" not in id:
        assert all(distance in (None, 1) for _, _, distance in found)
    else:
        assert found[UNKNOWN] and found[1, 1, 3]


def test_rules_that_end_games_otherwise_offer_no_threats() -> None:
    game = games.make("gomoku:9,rule=renju")
    for number in range(40):
        state = opening(game.id, 40, f"{number}")
        assert state.forcing() is None and Probe(game, 0, 0, 100)(state) == UNKNOWN


def test_few_positions_find_less() -> None:
    game = games.make("gomoku:9")
    states = crowded(game.id, 200, seed=4)
    solved = [sum(Probe(game, 0, 0, most)(state) != UNKNOWN for state in states) for most in (1, 10, 1000)]
    assert solved[0] < solved[1] < solved[2]


def long_chain(seed: int) -> State:
    """A position that a chain of three fours or more wins, and nothing shorter of the kind."""
    probe = Probe(games.make("gomoku:9"), 0, 0, 200)
    return next(state for state in crowded("gomoku:9", 400, seed) if probe(state) == (1, 1, None))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", [5, 6])
def test_a_chain_is_played_to_its_end(engine: type[Any], seed: int) -> None:
    """Four simulations and a network that knows nothing win against any answer; without threats they would not know."""
    state = long_chain(seed)
    nothing = lambda path: Verdict(0.0, m=9.0)  # noqa: E731
    unaware = judged(engine, nothing, state, sims=4, lookahead=1)
    assert unaware.nodes()[()].lo == -1
    rng = random.Random(seed)
    me = state.to_move()
    while not state.is_terminal():
        if state.to_move() != me:
            state.apply(rng.choice(state.safe() or state.legal_actions()))
            continue
        search = judged(engine, nothing, state, sims=4, threats=200)
        assert search.nodes()[()].lo == 1
        state.apply(search.best())
    assert state.outcome() == -1 and state.to_move() != me
