"""Plain functions over one array, made into C functions by Numba. Needs the extra `jit`.

Nothing may be raised through a C function, so each one catches what the user's code raises and answers what no rules
may answer: legal -1, outcome 99, planes that are not numbers. After a move that fails, a byte behind the array says
that the position is broken, and it answers like that from then on. Indices are checked, as in Python: a wrong one would
else write into the search's memory. Nothing is written to disk.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, cast

import numba
import numpy as np
from numba import carray, types

from tengen._core import GameError
from tengen.games.library import ABI, GOES_ON, Table
from tengen.games.rules import Rules

Function = Callable[..., Any]
Array = np.ndarray[Any, Any]

NO_MOVES = -1
NO_OUTCOME = 99


def table_of(rules: Rules, first: Array) -> tuple[Table, object]:
    """For rules whose positions are arrays like `first`. The table is valid as long as the second object lives."""
    shape = len(rules.inputs), rules.rows, rules.cols
    methods = _methods(rules, numba.typeof(first))
    functions = {
        "start": _start(first),
        "legal": _legal(methods["legal"], first, rules.actions),
        "apply": _apply(methods["apply"], first),
        "outcome": _outcome(methods["outcome"], first),
        "encode": _encode(methods["planes"], first, shape),
    }
    if "hash" in methods:
        functions["hash"] = _hash(methods["hash"], first)
    table = Table(ABI, first.nbytes + 1, rules.actions, rules.most_plies, *shape, rules.remembers)
    table.name, table.inputs = rules.name.encode(), ", ".join(rules.inputs).encode()
    for name, function in functions.items():
        setattr(table, name, type(getattr(table, name))(function.address))
    return table, functions


# The user's methods.


def _methods(rules: Rules, board: Any) -> dict[str, Any]:
    """Compiled, and known to return what the C functions can use."""
    made: dict[FunctionType, Any] = {}
    methods = {}
    for name in ("legal", "apply", "outcome", "planes", "hash"):
        if name == "hash" and rules.hash is None:
            continue
        arguments = (board, types.int64) if name in ("apply", "hash") else (board,)
        method = inspect.getattr_static(type(rules), name)
        if not isinstance(method, staticmethod):
            raise GameError(f"{rules.name}: compiled code has no self: {name} must be a @staticmethod without it")
        function = cast(FunctionType, method.__func__)
        try:
            compiled = _jit(function, made)
            compiled.compile(arguments)
        except Exception as error:  # Numba has many kinds
            raise GameError(f"{rules.name}: Numba cannot compile {name}: {_reason(error, function)}") from None
        found = compiled.overloads[arguments].signature.return_type
        wanted, right = {
            "legal": ("an array or a list of whole numbers", _holds(found, types.Integer)),
            "apply": ("nothing", isinstance(found, types.NoneType)),
            "outcome": ("None or a whole number", isinstance(_inside(found), types.Integer)),
            "planes": ("an array [planes, rows, cols]", isinstance(found, types.Array) and found.ndim == 3),
            "hash": ("a whole number", isinstance(found, types.Integer)),
        }[name]
        if not right:
            raise GameError(f"{rules.name}: {name} must return {wanted}; compiled it returns {str(found)[:80]}")
        methods[name] = compiled
    return methods


def _inside(found: Any) -> Any:
    return found.type if isinstance(found, types.Optional) else found


def _holds(found: Any, kind: type) -> bool:
    listed = isinstance(found, types.IterableType) and not isinstance(found, types.Generator)
    return listed and isinstance(found.iterator_type.yield_type, kind)


def _jit(function: FunctionType, made: dict[FunctionType, Any]) -> Any:
    """Functions that it calls are plain Python too: they are compiled with it, in a copy of its surroundings."""
    if function not in made:
        known = dict(function.__globals__)
        code = function.__code__
        copy = FunctionType(code, known, function.__name__, function.__defaults__, function.__closure__)
        made[function] = numba.njit(copy, nogil=True, boundscheck=True)
        for name in _names(code):
            if isinstance(known.get(name), FunctionType):
                known[name] = _jit(known[name], made)
    return made[function]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _reason(error: Exception, function: FunctionType) -> str:
    """Numba explains itself on a page: its first sentence, and the innermost line that it names."""
    text = re.sub("\x1b\\[[0-9;]*m", "", str(error))  # it likes colours
    lines = [line for line in text.splitlines() if line and not line.startswith("Failed in nopython mode")]
    place = re.search(r'File "([^"]+)", line (\d+)', text) or re.search(r"(\S+) \((\d+)\)", text)
    file, line = place.groups() if place else (function.__code__.co_filename, function.__code__.co_firstlineno)
    sentence = (lines[0] if lines else f"{type(error).__name__} in Numba").partition(" Raised from ")[0].rstrip(". ")
    return f"{sentence[:200]} ({Path(file).name}, line {line})"


# The C functions. Only functions without `try` call the user's: Numba compiles those better.


def _c(name: str, function: Function) -> Any:
    return numba.cfunc(SIGNATURES[name])(function)


def _inner(function: Function) -> Any:
    return numba.njit(function, nogil=True, boundscheck=True)


SIGNATURES = {
    "start": types.void(types.voidptr),
    "legal": types.int32(types.voidptr, types.CPointer(types.uint16)),
    "apply": types.void(types.voidptr, types.uint16),
    "outcome": types.int32(types.voidptr),
    "encode": types.void(types.voidptr, types.CPointer(types.float32)),
    "hash": types.uint64(types.voidptr, types.int32),
}


def _start(first: Array) -> Any:
    content = np.append(first.reshape(-1).view(np.uint8), np.uint8(0))  # the 0: not broken
    size = content.size

    def start(state: Any) -> None:
        position = carray(state, (size,), np.uint8)
        for i in range(size):
            position[i] = content[i]

    return _c("start", start)


def _legal(method: Function, first: Array, actions: int) -> Any:
    shape, dtype, size = first.shape, first.dtype, first.nbytes

    def fill(board: Array, out: Any) -> int:
        count, last = 0, -1
        for action in method(board):
            if not last < action < actions:  # so there is room for all of them
                raise ValueError
            out[count] = last = action
            count += 1
        return count

    filled = _inner(fill)

    def legal(state: Any, out: Any) -> int:
        count = NO_MOVES
        if carray(state, (size + 1,), np.uint8)[size] == 0:
            try:
                count = filled(carray(state, shape, dtype), out)
            except Exception:
                count = NO_MOVES
        return count

    return _c("legal", legal)


def _apply(method: Function, first: Array) -> Any:
    shape, dtype, size = first.shape, first.dtype, first.nbytes

    def apply(state: Any, action: int) -> None:
        try:
            method(carray(state, shape, dtype), np.int64(action))
        except Exception:
            carray(state, (size + 1,), np.uint8)[size] = 1

    return _c("apply", apply)


def _outcome(method: Function, first: Array) -> Any:
    shape, dtype, size = first.shape, first.dtype, first.nbytes

    def ask(board: Array) -> int:
        outcome = method(board)
        if outcome is None:
            return GOES_ON
        return int(outcome) if -1 <= outcome <= 1 else NO_OUTCOME

    asked = _inner(ask)

    def outcome(state: Any) -> int:
        outcome = NO_OUTCOME
        if carray(state, (size + 1,), np.uint8)[size] == 0:
            try:
                outcome = asked(carray(state, shape, dtype))
            except Exception:
                outcome = NO_OUTCOME
        return outcome

    return _c("outcome", outcome)


def _encode(method: Function, first: Array, planes: tuple[int, int, int]) -> Any:
    shape, dtype, size = first.shape, first.dtype, first.nbytes
    depth, rows, cols = planes

    # Loops: an assignment of whole arrays takes Numba five seconds to compile.
    def fill(board: Array, out: Any) -> None:
        found = method(board)
        if found.shape != planes:
            raise ValueError
        i = 0
        for plane in range(depth):
            for row in range(rows):
                for col in range(cols):
                    out[i] = found[plane, row, col]
                    i += 1

    filled = _inner(fill)

    def encode(state: Any, out: Any) -> None:
        fails = carray(state, (size + 1,), np.uint8)[size] != 0
        if not fails:
            try:
                filled(carray(state, shape, dtype), out)
            except Exception:
                fails = True
        if fails:
            for i in range(depth * rows * cols):
                out[i] = np.nan

    return _c("encode", encode)


def _hash(method: Function, first: Array) -> Any:
    shape, dtype, size = first.shape, first.dtype, first.nbytes

    # Every number is a hash: a position without one is broken.
    def hash(state: Any, symmetry: int) -> np.uint64:
        number = np.uint64(0)
        try:
            number = np.uint64(method(carray(state, shape, dtype), np.int64(symmetry)))
        except Exception:
            carray(state, (size + 1,), np.uint8)[size] = 1
        return number

    return _c("hash", hash)
