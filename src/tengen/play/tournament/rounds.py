"""Plays what a tournament has not played yet, one pairing after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import date

from tengen import games
from tengen.config import ConfigError
from tengen.games import Game, GameError
from tengen.play.arena import ArenaGame, Match, play_match
from tengen.play.clock import TimeControl
from tengen.play.openings import openings_for
from tengen.play.players import Player, make_player, slots_that_fit
from tengen.play.tournament.kept import PlayedGame, TournamentFolder
from tengen.play.tournament.plan import Entrant, Plan

__all__ = ["check_players", "openings_of", "play_rounds"]

LONGEST_REASON = 200

Openings = list[tuple[int, ...]]


def check_players(plan: Plan) -> None:
    """Makes every player once, so that none is found missing in the middle. Raises ConfigError."""
    game = games.make(plan.game)
    for entrant in plan.players:
        try:
            _make(entrant, game, 1, plan.seed)
        except (GameError, ConfigError) as error:
            raise ConfigError(f"player {entrant.name!r}: {error}") from None


def openings_of(plan: Plan) -> Openings:
    """The same for every pairing: nobody has the easier ones. Raises ConfigError."""
    try:
        return openings_for(plan.openings, games.make(plan.game), plan.games // 2, plan.opening_plies, plan.seed)
    except (GameError, ValueError) as error:
        raise ConfigError(str(error)) from None


def play_rounds(folder: TournamentFolder, openings: Openings, told: Callable[[Sequence[PlayedGame]], None]) -> bool:
    """Plays to the end, or until Ctrl-C: True if all is played. `told` hears of games that have just been kept. Raises
    OSError where games cannot be."""
    plan, game = folder.plan, games.make(folder.plan.game)
    seats = _Seats(plan, game)
    clock = TimeControl.parse(plan.clock) if plan.clock else None
    for first, second in plan.pairings():
        played = folder.numbers(first, second)
        if len(played) == plan.games:
            continue

        def keep(match: Match, first: str = first, second: str = second, played: set[int] = played) -> bool:
            new = [_record(game, first, second, each) for each in match.games if each.number not in played]
            folder.keep(new)
            played.update(each.number for each in new)
            told(new)
            return False

        a, b, slots = seats.take(first, second)
        play_match(game, a, b, openings, slots=slots, played=frozenset(played), clock=clock, finished=keep)
        if len(played) < plan.games:  # Ctrl-C: the arena has ended the games under way
            return False
    return True


class _Seats:
    """The two players at the board. Whoever stays for the next pairing is not made again: loading takes a while."""

    def __init__(self, plan: Plan, game: Game) -> None:
        self.plan, self.game = plan, game
        self.entrants = {each.name: each for each in plan.players}
        self.seated: dict[tuple[str, int], Player] = {}

    def take(self, first: str, second: str) -> tuple[Player, Player, int]:
        both = [self.entrants[name] for name in (first, second)]
        fitting = (slots_that_fit(each.player, self.game, each.settings) for each in both)
        slots = 1 if self.plan.clock else min(self.plan.games, *fitting)
        # Those who leave go first: two players may need all the memory there is.
        self.seated = {
            key: player for key, player in self.seated.items() if key in [(each.name, slots) for each in both]
        }
        for each in both:
            if (each.name, slots) not in self.seated:
                self.seated[each.name, slots] = _make(each, self.game, slots, self.plan.seed)
        return self.seated[first, slots], self.seated[second, slots], slots


def _make(entrant: Entrant, game: Game, slots: int, seed: int) -> Player:
    # A seed for each name, whoever else plays: the same player twice must not think the same thoughts.
    own = int.from_bytes(hashlib.sha256(f"{seed} {entrant.name}".encode()).digest()[:7])
    return make_player(entrant.player, game, slots=slots, seed=own, settings=entrant.settings)


def _record(game: Game, first: str, second: str, played: ArenaGame) -> PlayedGame:
    state = game.start()
    for action in played.moves:
        state.apply(action)
    # A reason may quote another program.
    reason = played.forfeit and "".join(c if c.isprintable() else "?" for c in played.forfeit[:LONGEST_REASON])
    moves, opening = state.moves_text(), len(played.opening)
    return PlayedGame(
        first, second, played.number, opening, moves, played.points, str(date.today()), reason, played.fault
    )
