"""What a chunk says of itself before its games."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from tengen.records.record import PER_ENTRY, PER_GAME, PER_PLY, Units

MOST_NETWORKS = 1 << 11
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
_Text = Annotated[str, msgspec.Meta(max_length=200)]
_Hash = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{1,64}\Z")]
_Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,39}\Z")]

Layout = list[tuple[str, np.dtype[Any], int]]  # columns in order: name, type, length


class AnyHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the headers of all formats that are read have in common."""

    program: _Text  # version of Tengen that wrote it
    game: _Text  # canonical id
    schema: _Hash  # of the planes that the networks saw
    networks: Annotated[tuple[_Hash, ...], msgspec.Meta(max_length=MOST_NETWORKS)]  # of all games, sorted
    games: Count
    plies: Count
    entries: Count

    def layout(self) -> Layout:
        """The columns of the body."""
        raise NotImplementedError

    def body_bytes(self) -> int:
        """The exact size of the unpacked body."""
        return sum(dtype.itemsize * length for _, dtype, length in self.layout())


class Extra(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column after those that every chunk has. A reader that does not know its name skips it."""

    name: _Name
    dtype: Literal["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
    length: Count


class Header(AnyHeader, frozen=True, forbid_unknown_fields=True):
    """Of the format that is written."""

    extra: Annotated[tuple[Extra, ...], msgspec.Meta(max_length=16)] = ()

    def __post_init__(self) -> None:
        names = [name for name, _, _ in self.layout()]
        if len(set(names)) < len(names):
            raise ValueError("two columns of one name")

    def layout(self) -> Layout:
        known = columns_of((PER_GAME, self.games), (PER_PLY, self.plies), (PER_ENTRY, self.entries))
        return known + [(extra.name, np.dtype(f"<{extra.dtype}"), extra.length) for extra in self.extra]


def columns_of(*units: tuple[Units, int]) -> Layout:
    return [(name, dtype.newbyteorder("<"), length) for unit, length in units for name, dtype in unit.items()]
