"""Random games, and the laws without which none can be played."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tengen.games.laws.asking import Asker, View
from tengen.games.rules import Rules

__all__ = ["Sample", "Seen", "play_games"]

MOST_GAMES, MOST_POSITIONS = 500, 20_000
FEWEST_GAMES = 2  # however long they take
TRIES = 4  # moves looked at by a player who wants the game to go on


@dataclass(frozen=True)
class Seen:
    """A position of a random game."""

    state: Any
    actions: tuple[int, ...]  # that lead to it
    view: View


@dataclass
class Sample:
    """The games that were played: their positions in order, and how long the games were."""

    positions: list[Seen] = field(default_factory=list)
    plies: list[int] = field(default_factory=list)

    def some(self, count: int) -> list[Seen]:
        """So many positions, spread evenly over all games."""
        step = max(1, len(self.positions) // count)
        return self.positions[::step]

    def games(self) -> Iterator[list[Seen]]:
        """The positions game by game."""
        first = 0
        for plies in self.plies:
            yield self.positions[first : first + plies + 1]
            first += plies + 1

    @property
    def branching(self) -> float:
        going_on = [len(seen.view.legal) for seen in self.positions if seen.view.legal]
        return sum(going_on) / len(going_on)


def play_games(rules: Rules, seconds: float, seed: int) -> Sample:
    """Plays until the time is over. Raises Broken where the rules break the laws start to end."""
    asker, rng, sample = Asker(rules), random.Random(seed), Sample()
    until = time.monotonic() + seconds
    while len(sample.plies) < FEWEST_GAMES or time.monotonic() < until:
        if len(sample.plies) >= MOST_GAMES or len(sample.positions) >= MOST_POSITIONS:
            break
        # Every other game avoids its end: so games that need not end at all are found.
        game = _play(asker, rng, long=len(sample.plies) % 2 == 1)
        _ask_again(asker, game)
        sample.positions += game
        sample.plies.append(len(game) - 1)
    return sample


def _play(asker: Asker, rng: random.Random, long: bool) -> list[Seen]:
    asker.law = "start"
    state = asker.start()
    view = asker.view(state, ())
    game = [Seen(state, (), view)]
    _ask_twice(asker, game[0])
    asker.law = "start"
    if changed := view.difference(asker.view(asker.start(), ())):
        raise asker.fail(f"start() gives a position with other {changed} when it is asked again")
    if view.outcome is not None:
        raise asker.fail("the game is over before the first move: outcome() of start() is not None")
    while view.outcome is None:
        actions = game[-1].actions
        if len(actions) >= asker.rules.most_plies:
            asker.law = "end"
            raise asker.fail(f"the game goes on after most_plies = {asker.rules.most_plies} plies", actions)
        asker.law = "apply"
        for _ in range(TRIES if long else 1):
            action = rng.choice(view.legal)
            after = asker.apply(state, action, actions)
            following = asker.view(after, (*actions, action))
            if following.outcome is None:
                break
        _kept(asker, game[-1], action)
        state, view = after, following
        game.append(Seen(state, (*actions, action), view))
        _ask_twice(asker, game[-1])
    return game


def _ask_twice(asker: Asker, seen: Seen) -> None:
    """Questions change neither the answers nor the position."""
    again = asker.view(seen.state, seen.actions)
    if changed := seen.view.difference(again):
        asker.law = {"outcome": "outcome", "legal actions": "legal", "planes": "planes"}[changed]
        raise asker.fail(f"{asker.law}() gives something else when it is asked again", seen.actions)


def _kept(asker: Asker, before: Seen, action: int) -> None:
    changed = before.view.difference(asker.view(before.state, before.actions))
    if changed and asker.rules.copy is None:
        raise asker.fail(f"apply() with action {action} changes the {changed} of the state that it is given; return a "
                         "new state, or define copy()", before.actions)  # fmt: skip
    if changed:
        raise asker.fail(
            f"apply() with action {action} on a copy changes the {changed} of the original: copy() shares something",
            before.actions,
        )


def _ask_again(asker: Asker, game: list[Seen]) -> None:
    """After the game: all its positions are what they were, and the same moves lead there again."""
    asker.law = "apply"
    for seen in game:
        if changed := seen.view.difference(asker.view(seen.state, seen.actions)):
            raise asker.fail(
                f"later moves have changed the {changed} of this position: states share something", seen.actions
            )
    state = game[0].state
    for before, seen in pairwise(game):
        state = asker.apply(state, seen.actions[-1], before.actions)
        if changed := seen.view.difference(asker.view(state, seen.actions)):
            raise asker.fail(f"the same moves lead to other {changed} when they are played again", seen.actions)
