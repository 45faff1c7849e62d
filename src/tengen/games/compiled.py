"""Rules in Python at the speed of C: one line above the class.

    from tengen.games import Rules, compiled

    @compiled
    class Connect4(Rules):
        …
        @staticmethod
        def start():              return np.zeros(42, np.int8)
        @staticmethod
        def copy(state):          return state.copy()
        @staticmethod
        def apply(state, action): …                              # changes the array

A position is one array whose size never changes, and the methods that a search calls are static: functions of that
array alone. Numba compiles them when the game is registered. Without the line the same class runs in Python.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from traceback import extract_tb
from typing import Any, TypeVar

import numpy as np

from tengen._core import GameError
from tengen.games.library import MOST_BYTES, NativeRules, Table
from tengen.games.rules import Rules

__all__ = ["compiled"]

R = TypeVar("R", bound=type[Rules])

GAMES, PLIES = 3, 60  # played in Python and compiled


def compiled(rules: R) -> R:
    """A class decorator: searches call what Numba makes of legal, apply, outcome, planes and hash."""
    names = ("__module__", "__qualname__", "__doc__")
    return type(rules.__name__, (_Compiled, rules), {name: getattr(rules, name) for name in names})  # type: ignore[return-value]


class _Compiled(Rules):
    """What the decorator adds."""

    def address(self) -> int:
        return ctypes.addressof(self._functions[0])

    def seen(self, state: bytes) -> Any:
        """A position as the methods in Python take it, from the bytes that the core keeps."""
        first = self._first
        return np.frombuffer(state, first.dtype, first.size).reshape(first.shape).copy()

    def explain(self, actions: Sequence[int]) -> str:
        """Why C functions fail after these actions: the methods are asked in Python, which names the user's line."""
        return _fault(self, actions) or (
            "it fails when compiled, but not in Python: a division by zero, or a number of more than 64 bits?"
        )

    @cached_property
    def _first(self) -> np.ndarray[Any, Any]:
        try:
            first = self.start()
        except Exception as error:
            raise GameError(f"{self.name}: start raises {_told(error)}") from None
        if not isinstance(first, np.ndarray) or first.dtype.kind not in "biuf" or not first.flags.c_contiguous:
            raise GameError(f"{self.name}: compiled rules have a NumPy array of numbers for a position")
        if not 0 < first.nbytes < MOST_BYTES:
            raise GameError(f"{self.name}: a position has {first.nbytes} bytes, not from 1 to {MOST_BYTES - 1}")
        if self.copy is None:
            raise GameError(f"{self.name}: compiled rules change the array in apply, and define copy")
        return first

    @cached_property
    def _functions(self) -> tuple[Table, object]:
        first = self._first
        try:
            from tengen.games import jit
        except ImportError:
            raise GameError(f"{self.name}: compiled rules need Numba: pip install 'tengen[jit]'") from None
        table, functions = jit.table_of(self, first)
        _compare(self, NativeRules(table))
        return table, functions


def _compare(rules: _Compiled, native: NativeRules) -> None:
    """Whole numbers have 64 bits when compiled, and no end in Python: so the methods may differ."""
    for seed in range(GAMES):
        actions: list[int] = []
        try:
            different = _difference(rules, native, random.Random(seed), actions)
        except Exception:  # raised in Python, or answered by a C function whose code raised
            raise GameError(f"{rules.name} fails {_after(actions)}: {rules.explain(actions)}") from None
        if different:
            why = _fault(rules, actions) or f"{different} says one thing in Python and another when compiled"
            raise GameError(f"{rules.name} fails {_after(actions)}: {why}")


def _difference(rules: _Compiled, native: NativeRules, draw: random.Random, actions: list[int]) -> str | None:
    state, compiled = rules.start(), native.start()
    while True:
        for (method, said), (_, other) in zip(_answers(rules, state), _answers(native, compiled), strict=True):
            if said != other:
                return method
        if rules.outcome(state) is not None or len(actions) == PLIES:
            return None
        actions.append(int(draw.choice(rules.legal(state))))
        rules.apply(state, actions[-1])
        compiled = native.apply(compiled, actions[-1])


def _answers(rules: Rules, state: Any) -> Iterator[tuple[str, object]]:
    outcome = rules.outcome(state)
    yield "outcome", outcome
    if outcome is None:
        yield "legal", [int(action) for action in rules.legal(state)]
    yield "planes", np.asarray(rules.planes(state), np.float32).tobytes()
    if rules.hash is not None:
        yield "hash", int(rules.hash(state, 0)) % (1 << 64)


def _fault(rules: Rules, actions: Sequence[int]) -> str | None:
    """What the first method does wrong that fails in Python, in a game of these actions."""
    state, method = rules.start(), ""
    try:
        for action in (*actions, None):
            method = "outcome"
            outcome = rules.outcome(state)
            if outcome not in (None, -1, 0, 1):
                return f"outcome is {outcome}, not 1, 0, -1 or None"
            method = "legal"
            legal = [] if outcome is not None else [int(action) for action in rules.legal(state)]
            if legal != sorted(set(legal) & set(range(rules.actions))):
                return f"legal actions must be ascending and from 0 to {rules.actions - 1}, not {str(legal)[:80]}"
            method = "planes"
            shape, right = np.shape(rules.planes(state)), (len(rules.inputs), rules.rows, rules.cols)
            if shape != right:
                return f"planes have the shape {shape}, not {right}"
            method = "hash"
            if rules.hash is not None:
                rules.hash(state, 0)
            method = "apply"
            if action is not None:
                rules.apply(state, action)
    except Exception as error:
        return f"{method} raises {_told(error)}"
    return None


def _told(error: Exception) -> str:
    frame = extract_tb(error.__traceback__)[-1]
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return f"{said} ({Path(frame.filename).name}, line {frame.lineno})"


def _after(actions: Sequence[int]) -> str:
    return f"after the actions {' '.join(map(str, actions))}" if actions else "at the start"
