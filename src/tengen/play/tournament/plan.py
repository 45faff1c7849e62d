"""What a tournament is: the game, how many games, and who plays, from a TOML file.

>>> plan = read_plan('''
... game = "connect4"
... games = 10
... [[players]]
... player = "mcts:100"
... [[players]]
... name = "chance"
... player = "random"
... ''')
>>> plan.pairings()
[('mcts:100', 'chance')]
"""

from __future__ import annotations

import dataclasses
import itertools
import tomllib
from dataclasses import dataclass
from typing import Self

from tengen import games
from tengen.config import ConfigError, changed, did_you_mean
from tengen.play.arena import opening_plies
from tengen.play.clock import TimeControl

__all__ = ["Entrant", "Plan", "read_plan"]

SYSTEMS = ("round robin", "gauntlet")
MOST_GAMES = 10_000  # of a pairing
MOST_PLAYERS = 100
MOST_PLIES = 1000
LONGEST_NAME = 80
LONGEST_PLAYER = 1000


@dataclass(frozen=True)
class Entrant:
    """A player under the name that tables show."""

    name: str
    player: str  # the text that names it everywhere
    settings: tuple[str, ...] = ()  # search.NAME=VALUE, or engine.NAME=VALUE for other programs

    @classmethod
    def read(cls, row: object) -> Self:
        """One of the file's [[players]]. Raises ConfigError."""
        if not isinstance(row, dict):
            raise ConfigError("players must be a list of [[players]] tables")
        known = [field.name for field in dataclasses.fields(cls)]
        for key in row:
            if key not in known:
                raise ConfigError(f"players: unknown key {key[:40]!r}{did_you_mean(key, known)}")
        if "player" not in row:
            raise ConfigError('every one of [[players]] needs a player, such as player = "mcts:1000"')
        player = _line("player", row["player"], LONGEST_PLAYER)
        settings = row.get("settings", [])
        if not isinstance(settings, list) or not all(isinstance(each, str) for each in settings):
            raise ConfigError('settings must be a list of texts such as ["search.sims=200"]')
        return cls(_line("name", row.get("name", player[:LONGEST_NAME]), LONGEST_NAME), player, tuple(settings))


@dataclass(frozen=True)
class Plan:
    """A tournament before its first game."""

    game: str
    opening_plies: int
    """Random plies before the players take over; the same openings for every pairing."""
    players: tuple[Entrant, ...] = ()
    games: int = 20
    """Games of each pairing: every opening twice, with colours swapped."""
    system: str = "round robin"
    """round robin: everybody meets everybody. gauntlet: one player meets all others."""
    gauntlet: str = ""
    """Who meets all others in a gauntlet; the first player unless it is said."""
    clock: str = ""
    """Time of each side for a game, as in `tengen match --clock`; none unless it is said."""
    seed: int = 0
    """Names the openings and the players' randomness."""
    anchor: str = ""
    """Whose Elo is 0; unless it is said, the mean of all players is."""
    openings: str = "random"
    """As in `tengen match --openings`: random; balanced, by the shipped network; or balanced:PLAYER."""

    def __post_init__(self) -> None:
        if not 2 <= self.games <= MOST_GAMES or self.games % 2:
            raise ValueError(f"games are played in pairs: games must be even, from 2 to {MOST_GAMES}, not {self.games}")
        if not 0 <= self.opening_plies <= MOST_PLIES:
            raise ValueError(f"opening_plies must be from 0 to {MOST_PLIES}, not {self.opening_plies}")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed must be from 0 to 2^63 − 1, not {self.seed}")
        if self.system not in SYSTEMS:
            hint = did_you_mean(self.system, SYSTEMS) or f"; it is {' or '.join(map(repr, SYSTEMS))}"
            raise ValueError(f"unknown system {self.system[:40]!r}{hint}")
        if self.clock:
            TimeControl.parse(self.clock)
        if self.gauntlet and self.system != "gauntlet":
            raise ValueError("gauntlet names a player, so system must be 'gauntlet' too")

    @property
    def names(self) -> list[str]:
        return [player.name for player in self.players]

    def checked(self) -> Self:
        """The same plan, whose players can meet. Raises ConfigError."""
        if not 2 <= len(self.players) <= MOST_PLAYERS:
            raise ConfigError(f"a tournament has 2 to {MOST_PLAYERS} players, not {len(self.players)}")
        if twice := next((name for name in self.names if self.names.count(name) > 1), None):
            raise ConfigError(f"two players are called {twice!r}: give one of them a name of its own")
        for key in ("gauntlet", "anchor"):
            name = getattr(self, key)
            if name and name not in self.names:
                raise ConfigError(f"{key} = {name[:40]!r} is none of the players{did_you_mean(name, self.names)}")
        return self

    def pairings(self) -> list[tuple[str, str]]:
        """Who meets whom, in the order of play. After each of them the players seen so far are joined by games, so that
        there is a table at any time."""
        if self.system == "round robin":
            return list(itertools.combinations(self.names, 2))
        return [(self.gauntlet, other) for other in self.names if other != self.gauntlet]


def read_plan(text: str) -> Plan:
    """The plan in the text of a TOML file. Raises ConfigError, GameError."""
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of more digits than Python reads, brackets in brackets
        raise ConfigError(f"not TOML: {str(error)[:200]}") from None
    rows, id = values.pop("players", []), values.pop("game", None)
    if not isinstance(id, str):
        raise ConfigError('it names no game; one is named by game = "NAME", see tengen games')
    if not isinstance(rows, list):
        raise ConfigError("players must be a list of [[players]] tables")
    for key, value in values.items():
        if isinstance(value, dict | list):
            raise ConfigError(f"{key[:40]} must be a single value{did_you_mean(key, ['players'])}")
    game = games.make(id)
    plan = changed(Plan(game.id, opening_plies(game)), values)
    players = tuple(map(Entrant.read, rows))
    if plan.system == "gauntlet" and not plan.gauntlet and players:
        plan = dataclasses.replace(plan, gauntlet=players[0].name)
    return dataclasses.replace(plan, players=players).checked()


def _line(key: str, value: object, longest: int) -> str:
    """A text that stands in one line of a table, and cannot drive a terminal."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > longest:
        raise ConfigError(f"{key} must be a text of one line, 1 to {longest} characters long, not {str(value)[:40]!r}")
    return value
