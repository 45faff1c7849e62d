"""The laws of what the network sees: planes, their symmetries and their hash."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from tengen.games.laws.asking import Asker, Planes, View, digest, whole
from tengen.games.laws.facts import check_permutations
from tengen.games.laws.playing import Sample, Seen
from tengen.games.rules import Rules

__all__ = ["check_hash", "check_remembers", "check_symmetries", "check_turned"]

MOST_HASHED = 2000  # positions, each under all symmetries


def check_remembers(rules: Rules, sample: Sample, seconds: float) -> None:
    """`remembers = False`: positions with equal planes have equal futures."""
    if rules.remembers:
        return
    asker, rng, until = Asker(rules), random.Random(1), time.monotonic() + seconds
    asker.law = "remembers"
    first: dict[bytes, Seen] = {}
    for seen in sample.positions:
        if time.monotonic() > until:
            break
        known = first.setdefault(seen.view.planes, seen)
        if known.actions == seen.actions:
            continue
        what = known.view.difference(seen.view)
        if not what and seen.view.legal:
            action = rng.choice(seen.view.legal)
            after = [asker.view(asker.apply(s.state, action, s.actions), (*s.actions, action)) for s in (known, seen)]
            what = after[0].difference(after[1])
            what = what and f"{what} after action {action}"
        if what:
            raise asker.fail(
                f"remembers is False, but two positions with equal planes differ in {what}: "
                f"{asker.told(known.actions)}, and",
                seen.actions,
            )


def check_symmetries(rules: Rules, sample: Sample, seconds: float) -> None:
    """Moves that are played as a symmetry shows them lead to the positions that it shows."""
    check_permutations(rules)
    asker, until = Asker(rules), time.monotonic() + seconds
    asker.law = "symmetries"
    orders = [(list(cells), list(actions)) for cells, actions in rules.symmetries]
    for number, game in enumerate(sample.games()):
        if not orders or (number > 0 and time.monotonic() > until):
            return
        for symmetry, (cells, actions) in enumerate(orders):
            state = asker.start()
            shown: tuple[int, ...] = ()
            for seen in game:
                if seen.actions:
                    action = actions[seen.actions[-1]]
                    state = asker.apply(state, action, shown)
                    shown = (*shown, action)
                what = _difference(asker, seen, state, shown, cells, actions)
                if what:
                    raise asker.fail(
                        f"symmetries[{symmetry}] is none: it shows the position {asker.told(seen.actions)} with other "
                        f"{what} than the moves lead to that it shows,",
                        shown,
                    )


def _difference(
    asker: Asker, seen: Seen, state: Any, shown: tuple[int, ...], cells: list[int], actions: list[int]
) -> str:
    """What differs between a position shown under a symmetry and the position that transformed moves led to."""
    planes = under(asker.planes(seen.state, seen.actions), cells)
    wanted = View(seen.view.outcome, tuple(sorted(actions[a] for a in seen.view.legal)), digest(planes))
    return wanted.difference(_view_in_law(asker, state, shown, wanted))


def _view_in_law(asker: Asker, state: Any, shown: tuple[int, ...], wanted: View) -> View:
    outcome = asker.outcome(state, shown)
    legal = asker.legal(state, shown) if outcome is None and wanted.outcome is None else ()
    return View(outcome, legal, digest(asker.planes(state, shown)))


def under(planes: Planes, cells: list[int]) -> Planes:
    """Planes as a symmetry shows them."""
    shown = np.empty_like(planes).reshape(len(planes), -1)
    shown[:, cells] = planes.reshape(len(planes), -1)
    return shown.reshape(planes.shape)


def check_turned(rules: Rules, sample: Sample, seconds: float) -> None:
    """A board that is turned and then mirrored is the one that is mirrored and then turned."""
    if rules.turned is None:
        return
    asker = Asker(rules)
    asker.law = "turned"
    turned = [int(action) for action in rules.turned]
    for symmetry, (_, actions) in enumerate(rules.symmetries):
        for seen in sample.positions:
            for action in seen.view.legal if len(seen.actions) % 2 else ():
                one, other = turned[actions[action]], actions[turned[action]]
                if one != other:
                    raise asker.fail(
                        f"action {action} turned and then shown by symmetries[{symmetry}] is {other}, the other way "
                        f"round it is {one}",
                        seen.actions,
                    )


def check_hash(rules: Rules, sample: Sample, seconds: float) -> None:
    """The game's own hash is equal exactly where the planes are, under every symmetry."""
    if rules.hash is None:
        return
    asker, until = Asker(rules), time.monotonic() + seconds
    asker.law = "hash"
    orders = [list(range(rules.rows * rules.cols)), *(list(cells) for cells, _ in rules.symmetries)]
    by_planes: dict[bytes, tuple[int, Seen]] = {}
    by_hash: dict[int, tuple[bytes, Seen]] = {}
    for number, seen in enumerate(sample.some(MOST_HASHED)):
        if number > 0 and time.monotonic() > until:
            return
        planes = asker.planes(seen.state, seen.actions)
        for symmetry, cells in enumerate(orders):
            given = asker.call("hash", seen.actions, seen.state, symmetry)
            found = whole(given)
            if found is None or not 0 <= found < 1 << 64:
                raise asker.fail(f"hash() gives {given!r:.80}, not a whole number of 64 bits", seen.actions)
            mark = digest(under(planes, cells))
            known, other = by_planes.setdefault(mark, (found, seen))
            if known != found:
                raise asker.fail(
                    f"hash() under symmetry {symmetry} gives another number than for equal planes "
                    f"{asker.told(other.actions)}; here it is",
                    seen.actions,
                )
            same, other = by_hash.setdefault(found, (mark, seen))
            if same != mark:
                raise asker.fail(
                    f"hash() under symmetry {symmetry} gives the same number as for other planes "
                    f"{asker.told(other.actions)}; here it is",
                    seen.actions,
                )
