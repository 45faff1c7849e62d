"""Move counts and random-play statistics against published tables: perft.json in the folder of external data."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from tengen import Game, State


@pytest.fixture(scope="module")
def tables(data_dir: Path) -> Any:
    return json.loads((data_dir / "perft.json").read_text())


OTHELLO = {"finished_counts": True}
PLACEMENTS = "go_placements_only_PSK_no_suicide"
# id, table (or table/row), keywords of State.perft, deepest in `make test`, deepest in `make fuzz`.
PERFT: list[tuple[str, str, dict[str, Any], int, int]] = [
    ("tictactoe", "tictactoe", {}, 9, 9),
    ("connect4", "connect4_7x6", {}, 8, 10),
    ("gomoku:15", "gomoku_15x15", {}, 3, 3),
    ("gomoku:15,rule=exact", "gomoku_15x15", {}, 3, 3),
    ("othello", "othello_8x8_pass_is_ply", {"passes": "ply", **OTHELLO}, 8, 10),
    ("othello", "othello_8x8_pass_free", {"passes": "free", **OTHELLO}, 8, 10),
    ("hex:9", "hex_9x9", {}, 3, 4),
    ("hex:11", "hex_11x11", {}, 3, 3),
    ("go:2", f"{PLACEMENTS}/2x2", {"passes": "none"}, 8, 8),
    ("go:3", f"{PLACEMENTS}/3x3", {"passes": "none"}, 7, 8),
    ("go:4", f"{PLACEMENTS}/4x4", {"passes": "none"}, 4, 5),
    ("go:5", f"{PLACEMENTS}/5x5", {"passes": "none"}, 4, 4),
    ("go:7", f"{PLACEMENTS}/7x7", {"passes": "none"}, 3, 3),
    ("go:9", f"{PLACEMENTS}/9x9", {"passes": "none"}, 3, 3),
]


def counts_by_depth(tables: Any, table: str) -> dict[int, int]:
    name, _, key = table.partition("/")
    if key:
        return dict(enumerate(tables[name][key], start=1))
    first = next(depth for depth in (0, 1) if f"depth{depth}" in tables[name])
    return dict(enumerate(tables[name][f"depth{first}"], start=first))


@pytest.mark.parametrize(("id", "table", "how", "quick", "slow"), PERFT)
def test_perft(tables: Any, id: str, table: str, how: dict[str, Any], quick: int, slow: int) -> None:
    counts = counts_by_depth(tables, table)
    start = Game.parse(id).start()
    depths = [depth for depth in counts if depth <= quick]
    assert max(depths) == quick
    assert {depth: start.perft(depth, **how) for depth in depths} == {depth: counts[depth] for depth in depths}


@pytest.mark.fuzz
@pytest.mark.parametrize(("id", "table", "how", "quick", "slow"), [row for row in PERFT if row[3] < row[4]])
def test_deep_perft(tables: Any, id: str, table: str, how: dict[str, Any], quick: int, slow: int) -> None:
    counts = counts_by_depth(tables, table)
    start = Game.parse(id).start()
    for depth in range(quick + 1, slow + 1):
        assert start.perft(depth, **how) == counts[depth]


def test_connect4_distinct_positions(tables: Any) -> None:
    """Positions by ply, transpositions told by their hash (OEIS A212693)."""
    published = counts_by_depth(tables, "connect4_7x6_distinct_positions")
    level: dict[int, State] = {0: Game.parse("connect4").start()}
    for ply in range(8):
        assert len(level) == published[ply]
        following: dict[int, State] = {}
        for state in level.values():
            for action in state.legal_actions():
                child = state.copy()
                child.apply(action)
                following[child.hash()] = child
        level = following


# Go is left out: the table's games end as a draw when a board repeats, ours go on.
PLAYOUTS = {
    "connect4": "connect4",
    "tictactoe": "tictactoe",
    "othello": "othello_pass_is_ply",
    "gomoku:15": "gomoku15_freestyle",
    "hex:9": "hex9",
    "hex:11": "hex11",
}


@pytest.mark.parametrize("id", PLAYOUTS)
def test_random_play_statistics(tables: Any, id: str) -> None:
    mean_plies, score_percent, note = tables["random_playouts"]["openspiel"][PLAYOUTS[id]]
    table_games = int(re.findall(r"n=(\d+)", note)[0])
    games = 4000
    totals = [Game.parse(id).start().play_outs(1, seed) for seed in range(games)]
    plies = [row[0] for row in totals]
    scores = [100 * (row[1] + row[2] / 2) for row in totals]
    for ours, published in ((plies, mean_plies), (scores, score_percent)):
        mean = sum(ours) / games
        deviation = math.sqrt(sum((x - mean) ** 2 for x in ours) / games)
        error = deviation * math.sqrt(1 / games + 1 / table_games)
        assert abs(mean - published) < 5 * error
