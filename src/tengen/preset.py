"""Presets: one commented TOML per game, with the options that were measured to be good for it."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from tengen.config import SearchConfig
from tengen.games import Family, Game

__all__ = ["file_name", "network_search", "playing_search", "preset_names", "read_preset", "to_win"]

LEAVES_OF_A_SINGLE_GAME = 8
ANY = "any"  # the preset of games that have none


def file_name(game: str) -> str:
    """How a game's files are called: ids hold characters that file systems dislike.

    >>> file_name("gomoku:6,in_a_row=4")
    'gomoku-6-in_a_row-4'
    """
    return game.translate(str.maketrans(":,=()", "-----"))


def read_preset(game: Game | Family) -> dict[str, dict[str, Any]]:
    """How to train for a game: options by section and name."""
    return {section: values for section, values in _read(game).items() if section != "play"}


def _read(game: Game | Family) -> dict[str, dict[str, Any]]:
    """The game's preset, else that of its name and size (other komi), else of its name, else the one for any game. A
    family without one of its own has that of its largest size."""
    largest = Family.of(game).largest.id
    for id in (game.id, game.id.partition(",")[0], largest, largest.partition(",")[0], game.name, ANY):
        file = _folder() / f"{file_name(id)}.toml"
        if file.is_file():
            return tomllib.loads(file.read_text("utf-8"))
    raise FileNotFoundError(f"{ANY}.toml")


def preset_names() -> list[str]:
    return sorted(file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml"))


def to_win(search: SearchConfig) -> SearchConfig:
    """A search of self-play without what explores for the sake of learning."""
    rule = "puct" if search.rule == "gumbel" else search.rule
    return search.replace(noise_epsilon=0.0, rule=rule, temperature_plies=0, temperature_end=0.0)


def playing_search(game: Game) -> SearchConfig:
    """How a network plays a game unless it is told otherwise: as in self-play, but to win, and as `[play]` says."""
    preset, defaults = _read(game), SearchConfig()
    search = to_win(defaults.replace(**preset.get("search", {})))
    return search.replace(sims=defaults.sims, cache_mb=defaults.cache_mb, **preset.get("play", {}))


def network_search(game: Game, slots: int) -> SearchConfig:
    """The same for a number of games at once: a single one must fill a batch by itself; many fill it together, each one
    leaf at a time."""
    return playing_search(game).replace(leaves=LEAVES_OF_A_SINGLE_GAME if slots == 1 else 1)


def _folder() -> Any:
    return resources.files("tengen") / "data" / "presets"
