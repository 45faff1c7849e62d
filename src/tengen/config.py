"""Settings. The search's options are defined once, in the C++ core; those of Python parts as fields of frozen
dataclasses, each with a sentence. Flags, TOML and JSON derive from these.

>>> SearchConfig(sims=100, fpu_mode="zero")
SearchConfig(sims=100, fpu_mode=zero)
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tengen._core import ConfigError, SearchConfig, SelfPlayConfig
from tengen.retired import refuse_retired

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = [
    "ConfigError",
    "SearchConfig",
    "SelfPlayConfig",
    "changed",
    "did_you_mean",
    "parse_settings",
    "split_settings",
]

_Config = TypeVar("_Config")


def parse_settings(config: SearchConfig, settings: Sequence[str]) -> SearchConfig:
    """Applies `search.NAME=VALUE` texts, as given to `--set`. Raises ConfigError.

    >>> parse_settings(SearchConfig(), ["search.sims=50", "search.solver=off"])
    SearchConfig(sims=50, solver=off)
    """
    return changed(config, split_settings(settings, ["search"]).get("search", {}))


def split_settings(settings: Sequence[str], sections: Sequence[str]) -> dict[str, dict[str, str]]:
    """The values of `SECTION.NAME=VALUE` texts, by section and name. Raises ConfigError.

    >>> split_settings(["search.sims=50", "learner.batch=64"], ["search", "learner"])
    {'search': {'sims': '50'}, 'learner': {'batch': '64'}}
    """
    found: dict[str, dict[str, str]] = {}
    for setting in settings:
        path, equals, value = setting.partition("=")
        section, dot, name = path.partition(".")
        if not equals or not dot or section not in sections:
            known = ", ".join(f"{section}.NAME=VALUE" for section in sections)
            example = ", such as search.sims=200" if "search" in sections else ""
            raise ConfigError(f"a setting is {known}{example}, not {setting!r}")
        refuse_retired(path)
        found.setdefault(section, {})[name] = value
    return found


def changed(config: _Config, changes: Mapping[str, Any]) -> _Config:
    """A config with some fields set, from their values or from texts. Raises ConfigError."""
    if isinstance(config, SearchConfig | SelfPlayConfig):
        return config.replace(**changes)  # type: ignore[return-value]
    fields = {field.name: field for field in dataclasses.fields(_instance(config))}
    values: dict[str, Any] = {}
    for name, value in changes.items():
        if name not in fields:
            hint = did_you_mean(name, fields) or f"; there are {', '.join(fields)}"
            raise ConfigError(f"unknown option {name!r}{hint}")
        values[name] = _read(name, value, type(getattr(config, name)))
    try:
        return dataclasses.replace(_instance(config), **values)  # type: ignore[return-value]
    except ValueError as error:
        raise ConfigError(str(error)) from None


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """The end of a message about a word that nobody knows: empty if none is like it.

    >>> did_you_mean("batsh", ["batch", "rate"])
    '; did you mean batch?'
    """
    close = difflib.get_close_matches(word, list(words), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _instance(config: object) -> DataclassInstance:
    assert dataclasses.is_dataclass(config) and not isinstance(config, type)
    return config


def _read(name: str, value: Any, kind: type) -> Any:
    """A value of the right kind: TOML and JSON have kinds of their own, `--set` has texts."""
    words = {"on": True, "true": True, "off": False, "false": False}
    try:
        if kind is bool:
            return words[value] if isinstance(value, str) else {True: True, False: False}[value]
        if kind is str:
            return str(value)
        if isinstance(value, bool):  # would pass for a number
            raise ValueError
        number = kind(value)
        if isinstance(value, float) and number != value:
            raise ValueError
        return number
    except (KeyError, ValueError, TypeError, OverflowError):  # the last: TOML's inf
        wanted = {bool: "on or off", int: "a whole number", float: "a number"}.get(kind, "a text")
        raise ConfigError(f"{name} must be {wanted}, not {value!r}") from None
