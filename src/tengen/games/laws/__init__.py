"""The laws of `tengen.games.Rules`, on random games: `tengen check` and the tests of every game of yours.

The laws come in an order in which each needs those before it; the first one that is broken ends the check. A game may
keep all of them here and break one in a position that no random game has reached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tengen.games.laws.asking import Broken
from tengen.games.laws.facts import check_facts
from tengen.games.laws.people import check_board, check_moves, check_score
from tengen.games.laws.playing import Sample, play_games
from tengen.games.laws.views import check_hash, check_remembers, check_symmetries, check_turned
from tengen.games.rules import Rules

__all__ = ["LAWS", "Broken", "Checked", "Sample", "calls_cost", "check_laws"]

LAWS = {
    "facts": "the class says what the game is",
    "start": "start() gives the same first position every time",
    "outcome": "outcome() is None, 1, 0 or -1, and stays so",
    "legal": "legal() is ascending, in range, never empty, and stays so",
    "planes": "planes() has the right shape and finite numbers, and stays so",
    "apply": "apply() leaves other positions alone, and the same moves lead to the same position",
    "end": "every game ends within most_plies",
    "remembers": "positions with equal planes have equal futures",
    "symmetries": "symmetries map moves to moves and positions to positions",
    "turned": "turned is a permutation that agrees with the symmetries",
    "hash": "hash() is equal exactly where the planes are",
    "moves": "move_text() is short, and different for every legal move",
    "board": "cells(), moves_on(), line() and text() can be shown",
    "score": "score() and owners() agree with outcome()",
}
ABOUT_SAMPLES: dict[str, Callable[[Rules, Sample, float], None]] = {
    "remembers": check_remembers,
    "symmetries": check_symmetries,
    "turned": check_turned,
    "hash": check_hash,
    "moves": check_moves,
    "board": check_board,
    "score": check_score,
}
TIMED, TRIES = 200, 5  # positions
MANY = 30  # games: if not even one of them is won, something may be wrong


@dataclass(frozen=True)
class Checked:
    """What was found: the sample, the laws that hold, the one that does not, and what is allowed but strange."""

    sample: Sample
    kept: Sequence[str]
    broken: Broken | None
    strange: Sequence[str] = ()


def check_laws(rules: Rules, seconds: float = 10.0, seed: int = 1) -> Checked:
    """Checks all laws, in about that time."""
    sample, names = Sample(), list(LAWS)
    try:
        check_facts(rules)
        sample = play_games(rules, seconds / 2, seed)
        for check in ABOUT_SAMPLES.values():
            check(rules, sample, seconds / 2 / len(ABOUT_SAMPLES))
    except Broken as broken:
        return Checked(sample, names[: names.index(broken.law)], broken)
    return Checked(sample, [name for name in names if applies(rules, name)], None, _strange(rules, sample))


def applies(rules: Rules, law: str) -> bool:
    """Is there anything to check? Laws of what a class leaves out are not said to hold."""
    left_out = {
        "remembers": rules.remembers,
        "symmetries": not rules.symmetries,
        "turned": rules.turned is None,
        "hash": rules.hash is None,
        "score": rules.score is None,
    }
    return not left_out.get(law, False)


def _strange(rules: Rules, sample: Sample) -> list[str]:
    """What the rules of some game may want, but mostly is a mistake."""
    ends = [seen for seen in sample.positions if seen.view.outcome is not None]
    found = []
    if len(ends) >= MANY and all(seen.view.outcome == 0 for seen in ends):
        found.append(f"all {len(ends)} random games are drawn: is that how the game ends?")
    won = [seen.view.outcome for seen in ends if seen.view.outcome]
    if won and min(won) == 1:
        found.append(
            "in every decided game the side to move has won, so nobody ever wins with a move of his own: outcome() is "
            "for the side to move, -1 where the last move has won"
        )
    if max(sample.plies) * 4 < rules.most_plies:
        found.append(
            f"the longest random game has {max(sample.plies)} plies, most_plies is {rules.most_plies}: a lower number "
            "is safer, where the rules allow it"
        )
    return found


def calls_cost(rules: Rules, sample: Sample) -> dict[str, float]:
    """Microseconds per call, over positions of all games; the least of some tries, for other programs run too."""
    some = [seen for seen in sample.some(TIMED) if seen.view.legal]
    states, actions = [seen.state for seen in some], [seen.view.legal[0] for seen in some]

    def cost(call: Callable[..., object], fresh: Callable[[], Sequence[object]], *further: Sequence[object]) -> float:
        tries = []
        for _ in range(TRIES):
            arguments = list(zip(fresh(), *further, strict=True))
            begun = time.perf_counter()
            for each in arguments:
                call(*each)
            tries.append(time.perf_counter() - begun)
        return min(tries) * 1e6 / len(some)

    costs = {}
    if rules.copy is not None:
        costs["copy"] = cost(rules.copy, lambda: states)
    costs["apply"] = cost(rules.apply, lambda: states if rules.copy is None else list(map(rules.copy, states)), actions)
    return costs | {name: cost(getattr(rules, name), lambda: states) for name in ("legal", "outcome", "planes")}
