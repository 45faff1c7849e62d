"""The wall between a learner and whoever plays for it. Four verbs cross it; two of them carry everything that lasts:

    learner ── publish ─▶ ┌─────┐ ─▶ pull ──── player      releases: a network, and how to play with it
            ◀─ gather ─── │ hub │ ◀─ push ────             records: finished games, in chunks
            ◀─ counts ─── └─────┘ ◀─ report ──             how much was done, and that it is being done

`Hub` is the learner's side, `Link` the player's. What a hub has gathered is on disk already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

import msgspec

from tengen.config import ConfigError, SearchConfig, SelfPlayConfig
from tengen.play.elo import Pairing
from tengen.records import FORMAT, GameRecord
from tengen.records.selfplay import Counts

__all__ = [
    "HUB_HEADER",
    "LEASED",
    "LEASE_GAMES",
    "PROGRAM",
    "Contestant",
    "Hub",
    "HubRefusedError",
    "HubUnreachableError",
    "Lease",
    "Link",
    "Manifest",
    "Offer",
    "Orders",
    "RatedGames",
    "RatingMatch",
    "Receipt",
    "Release",
    "Report",
    "one_line",
]

# Hubs and players of different versions might not mean the same by the same words.
PROGRAM = f"{version('tengen')}+chunks{FORMAT}"
HUB_HEADER = "X-Tengen-Hub"  # of every answer of a hub: what lacks it comes from something in between
LEASED = 1 << 48  # games numbered below were played by the learner's own process
LEASE_GAMES = 1 << 32  # numbers in a lease: with the seed they name random streams, so no two leases share any

# Patterns end in \Z: a `$` would also match before a newline at the end.
_Hex = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
_Text = Annotated[str, msgspec.Meta(max_length=200)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
_Config = TypeVar("_Config", SearchConfig, SelfPlayConfig)
_Word = Annotated[str, msgspec.Meta(max_length=64)]
_Options = Annotated[dict[_Word, bool | int | float | _Word], msgspec.Meta(max_length=256)]
_Moves = Annotated[list[Annotated[int, msgspec.Meta(ge=0, lt=1 << 16)]], msgspec.Meta(max_length=1 << 12)]


class HubRefusedError(Exception):
    """The hub will not have it, now or later; `status` is HTTP's."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class HubUnreachableError(Exception):
    """Not now: the hub is away, busy, or the line to it is bad. Asking again is right, in `wait` seconds at the
    earliest. `status`: HTTP's, if there was an answer."""

    def __init__(self, reason: str, status: int = 0, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.status, self.wait = status, wait


def one_line(text: str, most: int = 300) -> str:
    """What somebody else wrote, fit for a terminal: no control characters, and not long.

    >>> one_line("no\\nsuch \\x1b[31mgame")
    'no such ?[31mgame'
    """
    return "".join(c if c.isprintable() else "?" for c in " ".join(text[: 2 * most].split()))[:most]


def _config(kind: type[_Config], options: dict[str, Any]) -> _Config:
    try:
        return kind(**options)
    except TypeError:  # a name that means something else to Python, such as self
        raise ConfigError("options that make no sense") from None


class Manifest(msgspec.Struct, frozen=True):
    """A release without its network."""

    version: _Count  # counts up in a run; 0 before the hub has numbered it
    game: _Text  # canonical id
    program: _Text  # version of Tengen that plays it
    network: _Hex  # what records call the network
    sha256: _Hex  # of the file that plays: perhaps the same network in 8 bits
    seed: _Count
    slots: Annotated[int, msgspec.Meta(ge=1, le=1 << 16)]  # games side by side
    search: _Options
    selfplay: _Options

    def configs(self) -> tuple[SearchConfig, SelfPlayConfig]:
        """How to play. Raises ConfigError."""
        return _config(SearchConfig, self.search), _config(SelfPlayConfig, self.selfplay)


@dataclass(frozen=True)
class Release:
    """A network and everything that is needed to play with it: there is no second way to learn of settings."""

    manifest: Manifest
    data: bytes = field(repr=False)

    @classmethod
    def of(
        cls, game: str, network: str, data: bytes, search: SearchConfig, selfplay: SelfPlayConfig, seed: int, slots: int
    ) -> Release:
        digest = hashlib.sha256(data).hexdigest()
        settings = (search.to_dict(), selfplay.to_dict())
        return cls(Manifest(0, game, PROGRAM, network, digest, seed, slots, *settings), data)


class Lease(msgspec.Struct, frozen=True):
    """The numbers of the games that one player may play."""

    id: _Count
    first_game: _Count
    seconds: float  # a player that is not heard of for so long counts as gone; its games are taken all the same

    def holds(self, number: int) -> bool:
        return self.first_game <= number < self.first_game + LEASE_GAMES


class Offer(msgspec.Struct, frozen=True):
    """The answer to a pull."""

    release: Manifest
    lease: Lease


class Receipt(msgspec.Struct, frozen=True):
    """A chunk is on the hub's disk, and counts once."""

    games: _Count
    duplicate: bool  # it had been there before
    version: _Count  # the newest release


class Contestant(msgspec.Struct, frozen=True):
    """Who plays in a rating match: a network by its hash, or a player that everybody can make by its name."""

    name: Annotated[str, msgspec.Meta(pattern=r"^(random|mcts:[0-9]{1,8}|[0-9]{1,20})\Z")]
    sha256: _Hex | None = None  # of a network's file


class RatingMatch(msgspec.Struct, frozen=True):
    """Some pairs of games between two contestants, for the ladder."""

    id: _Count  # 0 before the hub has numbered it
    game: _Text
    first: Contestant
    second: Contestant
    search: _Options  # of networks
    seed: _Count  # of the openings, and of the searches
    pairs: Annotated[int, msgspec.Meta(ge=1, le=64)]

    def config(self) -> SearchConfig:
        """How networks play. Raises ConfigError."""
        return _config(SearchConfig, self.search)


class RatedGames(msgspec.Struct, frozen=True):
    """A rating match as it was played: the moves of each game, openings included."""

    id: _Count
    games: Annotated[list[_Moves], msgspec.Meta(max_length=128)]


class Report(msgspec.Struct, frozen=True):
    """A player's sign of life: totals since it got its lease; and what it has rated, if anything."""

    lease: _Count
    version: _Count  # the release it plays
    simulations: _Count = 0
    evaluations: _Count = 0
    batches: _Count = 0
    slots: Annotated[int, msgspec.Meta(ge=0, le=1 << 16)] = 0  # games side by side: its places number theirs in turn
    waiting: _Count = 0  # chunks that it has not got rid of yet
    free: bool = False  # a rating match would be welcome
    rated: RatedGames | None = None
    leaving: bool = False  # its last: everything is sent, or stays with it


class Orders(msgspec.Struct, frozen=True):
    """The answer to a report."""

    version: _Count  # the newest release
    match: RatingMatch | None = None  # to be played beside self-play
    over: bool = False  # the run is finished: no more games are needed


class Hub(Protocol):
    """What the loop knows: it cannot tell which hub it has."""

    threads: int  # of this machine's cores, those that the hub plays on

    def publish(self, release: Release) -> None:
        """Who plays, plays with this from now on."""

    def gather(self, done: Callable[[Counts], bool]) -> list[GameRecord]:
        """Waits until `done`, asked again and again, says yes to the counts so far; then the games since last time."""

    def counts(self) -> Counts:
        """Totals of what was gathered in this sitting, named as in self-play."""

    def workers(self) -> int | None:
        """How many play elsewhere right now; None where nobody can."""

    def news(self) -> list[str]:
        """What whoever watches should hear, each once."""

    def withdrawn(self) -> list[Path] | None:
        """If games were taken away or came back since this was last asked: the chunks that count. They are all that
        does so far, games that were gathered or wait to be included: the window should be filled anew from them."""

    def rate(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Who plays, should also play some rating games between these: networks of the run, or players by name."""

    def rated(self) -> list[Pairing]:
        """All rating games so far that others have played."""

    def finish(self) -> None:
        """The run is finished: who plays need not play on. Without it a hub may come back, and players wait for it."""

    def close(self) -> None:
        """The sitting is over."""


class Link(Protocol):
    """What a player knows. Raises HubRefusedError or HubUnreachableError."""

    def pull(self, lease: int | None) -> Offer | None:
        """The newest release, with the lease one has or a new one; None when nothing is released yet. Refused with 410
        once the run is finished."""

    def network(self, sha256: str) -> bytes:
        """The file that plays, whole and verified."""

    def push(self, chunk: bytes, lease: int) -> Receipt:
        """Hands over a chunk; pushing it again changes nothing."""

    def report(self, report: Report) -> Orders: ...
