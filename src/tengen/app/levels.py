"""Strength levels with measured Elo, from tables that `benchmarks/levels.py` makes: tengen/data/levels/GAME.json.

    {"game": "connect4", "anchor": "random", "network": "<hash of the shipped network>", "games": 200,
     "levels": [{"id": "1", "player": "mcts", "sims": 10, "settings": {…}, "elo": 320.5, "error": 21.0}, …]}

Elo counts from random play, weakest level first; `error` is half of the 95 % interval.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import msgspec

from tengen.games import Game
from tengen.net.file import NetworkFile, shipped_network
from tengen.preset import file_name

__all__ = ["Level", "LevelTable", "read_levels"]


class Level(msgspec.Struct, frozen=True):
    id: str
    player: str  # as the page names players
    sims: int
    settings: dict[str, bool | int | float | str]
    elo: float
    error: float


class LevelTable(msgspec.Struct, frozen=True):
    game: str
    anchor: str
    network: str  # its hash: another network has other strengths
    games: int  # between two levels
    levels: list[Level]

    def to_json(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"


def read_levels(game: Game) -> list[dict[str, Any]]:
    """The measured levels of a game; those of the shipped network only while it is the one that was measured."""
    file = resources.files("tengen") / "data" / "levels" / f"{file_name(game.id)}.json"
    if not file.is_file():
        return []
    table = msgspec.json.decode(file.read_bytes(), type=LevelTable)
    path = shipped_network(game)
    same = path is not None and NetworkFile.load(path, game).hash == table.network
    return [msgspec.to_builtins(level) for level in table.levels if same or level.player != "shipped"]
