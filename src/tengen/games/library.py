"""Rules that are machine code: tables of C functions, which shared libraries bring along.

cpp/tengen/erased/tengen_game.h says what the functions mean; a search calls them without Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int32, c_uint16, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

from tengen._core import GameError
from tengen.games.rules import Rules

__all__ = ["NativeRules", "SharedLibrary", "Table"]

ABI = 1
GOES_ON = 2
MOST_BYTES = 65536
MOST_TEXT = 64  # bytes of a move's text


class Table(ctypes.Structure):
    """`tengen_game_t`."""

    _fields_ = (
        ("abi", c_int32),
        ("state_bytes", c_int32),
        ("actions", c_int32),
        ("most_plies", c_int32),
        ("planes", c_int32),
        ("rows", c_int32),
        ("cols", c_int32),
        ("remembers", c_int32),
        ("name", c_char_p),
        ("inputs", c_char_p),
        ("start", CFUNCTYPE(None, c_void_p)),
        ("legal", CFUNCTYPE(c_int32, c_void_p, c_void_p)),
        ("apply", CFUNCTYPE(None, c_void_p, c_uint16)),
        ("outcome", CFUNCTYPE(c_int32, c_void_p)),
        ("encode", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("hash", CFUNCTYPE(c_uint64, c_void_p, c_int32)),
        ("stone", CFUNCTYPE(c_int32, c_void_p, c_int32)),
        ("move_text", CFUNCTYPE(c_int32, c_void_p, c_uint16, c_char_p, c_int32)),
    )


class NativeRules(Rules):
    """The rules of a table, for calls from Python too. A state is the bytes of a position."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.name = table.name.decode()
        self.actions, self.most_plies = table.actions, table.most_plies
        self.rows, self.cols = table.rows, table.cols
        self.inputs = tuple(table.inputs.decode().split(", "))
        self.remembers = bool(table.remembers)
        if table.hash:
            self.hash = self._hash
        if table.stone:
            self.cells = self._cells

    def address(self) -> int:
        return ctypes.addressof(self.table)

    def seen(self, state: bytes) -> bytes:
        return state

    def start(self) -> bytes:
        position = self._position(b"")
        self.table.start(position.ctypes.data)
        return position.tobytes()

    def legal(self, state: bytes) -> Sequence[int]:
        out = np.empty(self.actions, np.uint16)
        count = self._ask("legal", state, out.ctypes.data)
        if not 0 <= count <= self.actions:
            raise GameError(f"{self.name}: legal returns {count}")
        return [int(action) for action in out[:count]]

    def apply(self, state: bytes, action: int) -> bytes:
        position = self._position(state)
        self.table.apply(position.ctypes.data, action)
        return position.tobytes()

    def outcome(self, state: bytes) -> int | None:
        outcome = self._ask("outcome", state)
        if not -1 <= outcome <= GOES_ON:
            raise GameError(f"{self.name}: outcome returns {outcome}")
        return None if outcome == GOES_ON else outcome

    def planes(self, state: bytes) -> Any:
        out = np.empty((len(self.inputs), self.rows, self.cols), np.float32)
        self._ask("encode", state, out.ctypes.data)
        return out

    def _hash(self, state: bytes, symmetry: int) -> int:
        return int(self._ask("hash", state, symmetry))

    def _cells(self, state: bytes) -> list[int]:
        stones = [self._ask("stone", state, cell) for cell in range(self.rows * self.cols)]
        if not set(stones) <= {0, 1, 2}:
            raise GameError(f"{self.name}: stone returns {max(stones, key=abs)}, not 0, 1 or 2")
        return stones

    def move_text(self, state: bytes, action: int) -> str:
        if not self.table.move_text:
            return super().move_text(state, action)
        out = ctypes.create_string_buffer(MOST_TEXT)
        length = self._ask("move_text", state, action, out, MOST_TEXT)
        if not 0 < length <= MOST_TEXT:
            raise GameError(f"{self.name}: move_text returns {length}, not a length from 1 to {MOST_TEXT}")
        return out.raw[:length].decode(errors="replace")

    def text(self, state: bytes) -> str:
        """What the network sees: the table has no other words for it."""
        lines = []
        for name, plane in zip(self.inputs, self.planes(state), strict=True):
            lines += [name, *("  " + " ".join(f"{number:g}" for number in row) for row in plane)]
        return "\n".join(lines)

    def _ask(self, function: str, state: bytes, *arguments: Any) -> Any:
        position = self._position(state)  # lives until the function has returned
        return getattr(self.table, function)(position.ctypes.data, *arguments)

    def _position(self, state: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The bytes where a C function may read and change them, aligned to 16."""
        size = self.table.state_bytes
        room = np.zeros(size + 15, np.uint8)
        skipped = -room.ctypes.data % 16
        position = room[skipped : skipped + size]
        if state:
            position[:] = np.frombuffer(state, np.uint8)
        return position


class SharedLibrary(NativeRules):
    """A game from a .so, .dylib or .dll. Opening it runs its code: only for a path that a person typed."""

    def __init__(self, path: str | Path) -> None:
        try:
            library = ctypes.CDLL(str(Path(path).resolve()))
        except OSError as error:
            raise GameError(f"{path}: not a shared library of this system ({str(error).split(': ', 1)[-1]})") from None
        try:
            function = library.tengen_game
        except AttributeError:
            raise GameError(f"{path}: the library has no function tengen_game") from None
        function.restype = POINTER(Table)
        found = function()
        if not found:
            raise GameError(f"{path}: tengen_game returns no table")
        _check(path, found.contents)
        super().__init__(found.contents)


def _check(path: str | Path, table: Table) -> None:
    """What must hold before anything is read or called; `register` checks the other facts like those of any rules.

    Nothing may be read from a table of another version but its first number."""
    if table.abi != ABI:
        raise GameError(f"{path}: written for version {table.abi} of tengen_game.h, not {ABI}")
    if not 0 < table.state_bytes <= MOST_BYTES:
        raise GameError(f"{path}: state_bytes is {table.state_bytes}, not from 1 to {MOST_BYTES}")
    for field in ("name", "inputs", "start", "legal", "apply", "outcome", "encode"):
        if not getattr(table, field):
            raise GameError(f"{path}: {field} is missing")
    if len(table.inputs) > MOST_BYTES:
        raise GameError(f"{path}: inputs are longer than {MOST_BYTES} bytes")
    try:
        table.name.decode()
        inputs = table.inputs.decode().split(", ")
    except UnicodeDecodeError:
        raise GameError(f"{path}: name and inputs must be UTF-8") from None
    if len(inputs) != table.planes:
        raise GameError(f"{path}: inputs name {len(inputs)} planes, and there are {table.planes}")
