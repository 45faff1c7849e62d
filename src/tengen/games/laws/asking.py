"""Asks rules one question at a time, and says in plain words what is wrong with an answer."""

from __future__ import annotations

import operator
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen._core import GameError
from tengen.games.rules import Rules

__all__ = ["Asker", "Broken", "View", "permutation", "shortened", "whole"]

Planes = npt.NDArray[np.float32]

SHOWN_MOVES = 30  # of a long game only the last ones are told
PACKAGE = Path(__file__).parents[2]  # frames of these files are not the user's


class Broken(GameError):
    """A law that does not hold: what is wrong, the moves that lead there, and the user's line if one failed."""

    def __init__(self, law: str, what: str, actions: Sequence[int] = (), told: str = "", place: str = "") -> None:
        self.law, self.what, self.actions, self.place = law, what, list(actions), place
        self.moves = told
        parts = [what, told, place]
        super().__init__("; ".join(part for part in parts if part))


@dataclass(frozen=True)
class View:
    """What can be told of a position: enough to notice that it has changed."""

    outcome: int | None
    legal: tuple[int, ...]
    planes: bytes  # a digest

    def difference(self, other: View) -> str:
        """The first thing that differs, or nothing."""
        names = {"outcome": "outcome", "legal": "legal actions", "planes": "planes"}
        return next((text for name, text in names.items() if getattr(self, name) != getattr(other, name)), "")


class Asker:
    """The rules behind checks of their answers. `law` names the law that an exception breaks."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.law = "facts"
        self.cells = 0

    def fail(self, what: str, actions: Sequence[int] = (), error: BaseException | None = None) -> Broken:
        return Broken(self.law, what, actions, self.told(actions), own_line(error) if error else "")

    def call(self, name: str, actions: Sequence[int], *arguments: Any) -> Any:
        """The answer of one method; whatever it raises becomes one line."""
        try:
            return getattr(self.rules, name)(*arguments)
        except (Exception, SystemExit) as error:
            why = f"{type(error).__name__}: {shortened(error)}".rstrip(": ")
            raise self.fail(f"{name}() raises {why}", actions, error) from error

    def told(self, actions: Sequence[int]) -> str:
        """The moves that lead to a position, as people write them and as numbers."""
        if not actions:
            return "at the start" if self.law != "facts" else ""
        texts: list[str] = []
        try:
            state = self.rules.start()
            for action in actions:
                texts.append(str(self.rules.move_text(state, action)))
                state = self._moved(state, action)
        except Exception:  # the very rules that are at fault: then the numbers must do
            texts = []
        more = "… " if len(actions) > SHOWN_MOVES else ""
        numbers = more + " ".join(map(str, actions[-SHOWN_MOVES:]))
        if len(texts) < len(actions) or texts == [str(action) for action in actions]:
            return f"after the actions {numbers}"
        return f"after {more}{' '.join(texts[-SHOWN_MOVES:])[:400]} (actions {numbers})"

    def start(self) -> Any:
        return self.call("start", ())

    def outcome(self, state: Any, actions: Sequence[int]) -> int | None:
        given = self.call("outcome", actions, state)
        found = None if given is None else whole(given)
        if given is not None and found not in (-1, 0, 1):
            raise self.fail(f"outcome() gives {shortened(given)}, not None, 1, 0 or -1", actions)
        return found

    def legal(self, state: Any, actions: Sequence[int]) -> tuple[int, ...]:
        given = self.call("legal", actions, state)
        if not hasattr(given, "__len__") or not hasattr(given, "__getitem__") or isinstance(given, str | bytes | dict):
            raise self.fail(f"legal() gives {shortened(given)}, not a list of actions", actions)
        found: list[int] = []
        for value in given:
            action = whole(value)
            if action is None:
                raise self.fail(f"legal() gives {shortened(value)} among the actions, not a whole number", actions)
            if not 0 <= action < self.rules.actions:
                raise self.fail(f"legal() gives {action}, but actions are 0 … {self.rules.actions - 1}", actions)
            if found and action <= found[-1]:
                what = "twice" if action == found[-1] else f"after {found[-1]}"
                raise self.fail(f"legal() gives {action} {what}; actions must be ascending", actions)
            found.append(action)
        if not found:
            raise self.fail("legal() is empty, but the game goes on: outcome() is None", actions)
        return tuple(found)

    def planes(self, state: Any, actions: Sequence[int]) -> Planes:
        given = self.call("planes", actions, state)
        try:
            with np.errstate(over="ignore"):
                found = np.array(given, np.float32)
        except (TypeError, ValueError, OverflowError):
            raise self.fail("planes() gives something that is no block of numbers", actions) from None
        wanted = (len(self.rules.inputs), self.rules.rows, self.rules.cols)
        if found.shape != wanted:
            sizes = " × ".join(map(str, found.shape)) or "a single number"
            raise self.fail(
                f"planes() gives {sizes}, not {' × '.join(map(str, wanted))} (inputs × rows × cols)", actions
            )
        if not np.isfinite(found).all():
            plane = int(np.argwhere(~np.isfinite(found))[0][0])
            raise self.fail(f"planes() gives NaN or infinity in plane {plane} ({self.rules.inputs[plane]})", actions)
        return found + np.float32(0)  # -0 becomes 0

    def view(self, state: Any, actions: Sequence[int]) -> View:
        """Asks everything, as the laws of `outcome`, `legal` and `planes` want it."""
        asked = self.law
        self.law = "outcome"
        outcome = self.outcome(state, actions)
        self.law = "legal"
        legal = self.legal(state, actions) if outcome is None else ()
        self.law = "planes"
        planes = self.planes(state, actions)
        self.law = asked
        return View(outcome, legal, digest(planes))

    def copy(self, state: Any, actions: Sequence[int]) -> Any:
        """A state that may be changed."""
        return state if self.rules.copy is None else self.call("copy", actions, state)

    def apply(self, state: Any, action: int, actions: Sequence[int]) -> Any:
        """The position after a move; `state` is as it was."""
        own = self.copy(state, actions)
        given = self.call("apply", [*actions, action], own, action)
        if self.rules.copy is None and given is None:
            raise self.fail("apply() returns nothing: return the next state, or define copy()", [*actions, action])
        if self.rules.copy is not None and given is not None:
            raise self.fail(
                "apply() returns something, but with copy() it must change its argument", [*actions, action]
            )
        return own if self.rules.copy is not None else given

    def _moved(self, state: Any, action: int) -> Any:
        if self.rules.copy is None:
            return self.rules.apply(state, action)
        self.rules.apply(state, action)
        return state


def digest(planes: Planes) -> bytes:
    return blake2b(np.ascontiguousarray(planes).tobytes(), digest_size=16).digest()


def whole(value: object) -> int | None:
    """A whole number of any kind, but not True, which would count as 1."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def permutation(given: object, size: int) -> list[int] | None:
    """The numbers 0 … size - 1 in some order, or None."""
    try:
        found = [whole(value) for value in given]  # type: ignore[attr-defined]
    except TypeError:
        return None
    numbers = [value for value in found if value is not None]
    return numbers if sorted(numbers) == list(range(size)) and len(found) == size else None


def shortened(value: object, most: int = 120) -> str:
    """Somebody else's text, in one line."""
    try:
        text = " ".join((str(value) if isinstance(value, BaseException) else repr(value)).split())
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= most else text[: most - 1] + "…"


def own_line(error: BaseException) -> str:
    """Where the user's own code failed: the innermost frame that is neither ours nor a library's, if there is one."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if PACKAGE not in Path(f.filename).parents]
    own = [f for f in frames if "site-packages" not in f.filename and not f.filename.startswith("<")] or frames
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
