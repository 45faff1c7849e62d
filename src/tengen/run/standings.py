"""What was measured of a run's networks, as `ladder.json` keeps it. Reading it needs nothing that training needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tengen.files import write_durably
from tengen.play.elo import Pairing, Rating, ladder
from tengen.run.folder import RunError

__all__ = ["Measurement", "Standings", "alone_name"]

VERSION = 1  # of ladder.json


def alone_name(network: str) -> str:
    """A network without a search, as a player of the ladder."""
    return f"{network}@0"


@dataclass(frozen=True)
class Measurement:
    network: str  # file name without .onnx
    minutes: float
    values: dict[str, float | str]


@dataclass
class Standings:
    level: int  # playouts of the pure MCTS to beat
    best: str = ""  # the network in best.onnx
    best_score: float = -1.0  # any network's best at this level; below 0 when nobody has played it yet
    pairings: list[Pairing] = field(default_factory=list)  # played by whoever trains
    measurements: list[Measurement] = field(default_factory=list)
    fleet: list[Pairing] = field(default_factory=list)  # played by workers elsewhere
    version: int = VERSION

    @classmethod
    def read(cls, path: Path, level: int = 0) -> Standings:
        """Empty, with the level to begin at, when nothing was measured yet. Raises RunError."""
        try:
            found = msgspec.json.decode(path.read_bytes(), type=Standings)
        except FileNotFoundError:
            return cls(level)
        except (OSError, msgspec.DecodeError) as error:
            raise RunError(f"{path}: {error}; move it away to begin a new ladder") from None
        if found.version > VERSION:
            raise RunError(f"{path}: version {found.version}, but this Tengen knows {VERSION}; a newer one wrote it")
        return found

    def write(self, path: Path) -> None:
        write_durably(path, msgspec.json.format(msgspec.json.encode(self)))

    def ratings(self) -> dict[str, Rating]:
        return {rating.name: rating for rating in ladder(self.all_pairings())}

    def all_pairings(self) -> list[Pairing]:
        """Each pair of players once, with all their games, in the order in which they first met."""
        total: dict[tuple[str, str], Pairing] = {}
        for each in [*self.pairings, *self.fleet]:
            before = total.get((each.first, each.second), Pairing(each.first, each.second, 0, 0))
            total[each.first, each.second] = Pairing(
                each.first, each.second, before.points + each.points, before.games + each.games
            )
        return list(total.values())
