"""Chunks of format 3, which commit 5140b96 was the last to write: they are still read.

A game had one network, the last that played in it. Games could end where their result was proven, and hold positions
beside those that were played; the former are kept, the latter left out.
"""

from __future__ import annotations

import numpy as np

from tengen.records.header import AnyHeader, Count, Layout, columns_of
from tengen.records.record import PER_ENTRY, PER_GAME, PER_PLY, Columns, RecordError, Units

OLD_ENDINGS = ("end", "resigned", "cut")

_PER_GAME: Units = {
    "number": PER_GAME["number"],
    "seed": PER_GAME["seed"],
    "network": np.dtype(np.uint16),
    "result": PER_GAME["result"],
    "ending": PER_GAME["ending"],
    "opening": PER_GAME["opening"],
    "plies": PER_GAME["plies"],
    "sides": np.dtype(np.uint32),
}
_PER_PLY = {name: dtype for name, dtype in PER_PLY.items() if name != "release"}
_PER_SIDE: Units = {
    "side_ply": np.dtype(np.uint16),
    "side_q": np.dtype(np.float32),
    "side_d": np.dtype(np.float32),
    "side_exact": np.dtype(np.int8),
    "side_plies": np.dtype(np.uint16),
}
_PER_SIDE_MOVE: Units = {"side_moves": np.dtype(np.uint16)}


class Header3(AnyHeader, frozen=True, forbid_unknown_fields=True):
    sides: Count
    side_moves: Count

    def layout(self) -> Layout:
        games = ((_PER_GAME, self.games), (_PER_PLY, self.plies), (PER_ENTRY, self.entries))
        return columns_of(*games, (_PER_SIDE, self.sides), (_PER_SIDE_MOVE, self.side_moves))


def from_format3(columns: Columns) -> Columns:
    """The same games in the columns of today: every ply has its game's network."""
    if int(columns["plies"].sum(dtype=np.int64)) != len(columns["moves"]):
        raise RecordError("the lengths of games do not add up")
    kept = {name: columns[name] for name in (PER_GAME | PER_PLY | PER_ENTRY) if name != "release"}
    return kept | {"release": np.repeat(columns["network"], columns["plies"])}
