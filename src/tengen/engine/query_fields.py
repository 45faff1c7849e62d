"""JSON that strangers send, field by field: of the right kind and within bounds, or refused in one sentence."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["LONGEST_ECHO", "Fields", "Refused", "parse"]

LONGEST_ECHO = 60  # characters of what was sent, in a message


class Refused(Exception):
    """A query that cannot be answered; the message is one line."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


def parse(line: str) -> dict[str, Any]:
    """The object of a line. Raises Refused."""
    try:
        found = json.loads(line, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise Refused("the line is nested too deeply") from None
    except ValueError as error:
        raise Refused(f"the line is no JSON: {str(error)[:LONGEST_ECHO]}") from None
    if not isinstance(found, dict):
        raise Refused("a query is a JSON object")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    return value if math.isfinite(value := float(text)) else _no_number("a number beyond all bounds")


class Fields:
    """The fields of an object; those that nobody took are unknown."""

    def __init__(self, raw: dict[str, Any], within: str | None = None) -> None:
        self.raw, self._within, self._taken = raw, within, set[str]()

    def refuse(self, name: str, must: str) -> Refused:
        return Refused(f"{name!r} must be {must}", self._within or name)

    def take(self, name: str, kind: type | tuple[type, ...], must: str) -> Any:
        """A value of a kind, None when it is not there."""
        self._taken.add(name)
        value = self.raw.get(name)
        if value is None or (isinstance(value, kind) and (kind is bool or not isinstance(value, bool))):
            return value
        raise self.refuse(name, must)

    def number(self, name: str, low: float, high: float) -> float | None:
        must = f"a number from {low:g} to {high:g}"
        value = self.take(name, (int, float), must)
        if value is not None and not low <= value <= high:
            raise self.refuse(name, must)
        return None if value is None else float(value)

    def whole(self, name: str, low: int, high: int) -> int | None:
        must = f"a whole number from {low} to {high}"
        value: int | None = self.take(name, int, must)
        if value is not None and not low <= value <= high:
            raise self.refuse(name, must)
        return value

    def flag(self, name: str) -> bool:
        return bool(self.take(name, bool, "true or false"))

    def items(self, name: str) -> list[Any]:
        return self.take(name, list, "a list") or []

    def text(self, name: str) -> str | None:
        value: str | None = self.take(name, str, "a string")
        return value

    def unknown(self) -> list[str]:
        return [name for name in self.raw if name not in self._taken]

    def turns(self, name: str) -> list[int] | None:
        """Turn numbers, None when they are not there."""
        found: list[int] | None = self.take(name, list, "a list")
        if found is not None and any(type(turn) is not int or turn < 0 for turn in found):
            raise self.refuse(name, "a list of whole numbers, 0 or more")
        return found
