"""`tengen games`: the games, or one game in detail."""

import argparse
import json
from typing import Any

from tengen import games
from tengen.cli import Verbs, add_verb

EXAMPLE = """example: tengen games             all games
         tengen games connect4    one of them: options, planes, symmetries"""


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "games", "list the games, their sizes and options", EXAMPLE, run)
    parser.add_argument("game", metavar="GAME", nargs="?", help="show this game alone, in detail")


def run(args: argparse.Namespace) -> int:
    entries = {str(entry["name"]): entry for entry in games.registry()}
    chosen = [games.make(args.game)] if args.game else [games.make(name) for name in entries]
    rows = [game_text(game, entries[game.name]) for game in chosen]
    if args.json:
        print(json.dumps(rows[0] if args.game else rows, ensure_ascii=False, indent=2))
    elif args.game:
        show_one(rows[0])
    else:
        show_all(rows)
    return 0


def game_text(game: games.Game, entry: dict[str, Any]) -> dict[str, Any]:
    from tengen.net.file import shipped_network

    planes, rows, cols = game.planes_shape
    return entry | {
        "id": game.id,
        "rows": rows,
        "cols": cols,
        "actions": game.num_actions,
        "planes": planes,
        "schema": game.schema,
        "symmetries": game.num_symmetries,
        "max_plies": game.max_plies,
        "state_bytes": game.state_bytes,
        "network_ships": shipped_network(game) is not None,
    }


def sizes_text(row: dict[str, Any]) -> str:
    sizes: list[int] = row["sizes"]
    if not sizes:
        return f"{row['rows']}×{row['cols']}"
    if len(sizes) > 2 and sizes[-1] - sizes[0] + 1 == len(sizes):
        return f"{sizes[0]}–{sizes[-1]}"
    return ", ".join(map(str, sizes))


def show_all(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from tengen.net.file import shipped_games

    table = Table("game", "sizes", "options", box=None, header_style="bold", pad_edge=False)
    for heading in ("example", "actions", "planes", "plies ≤"):
        table.add_column(heading, justify="left" if heading == "example" else "right")
    for row in rows:
        options = ", ".join(option["name"] for option in row["options"]) or "–"
        numbers = [str(row[key]) for key in ("actions", "planes", "max_plies")]
        table.add_row(row["name"], sizes_text(row), options, row["id"], *numbers)
    console = Console(highlight=False)
    console.print(table)
    console.print("\nNumbers are those of the example. One game in detail: tengen games GAME")
    console.print(f"Networks ship for {', '.join(shipped_games())}", soft_wrap=True)


def show_one(row: dict[str, Any]) -> None:
    print(f"{row['id']}: {row['title']}, {row['rows']}×{row['cols']}")
    print(f"sizes       {sizes_text(row)}")
    for option in row["options"]:
        print(f"option      {option['name']}: {option['values']} (default {option['default']}). {option['about']}")
    print(f"actions     {row['actions']}")
    print(f"planes      {row['planes']}: {row['schema'].partition(': ')[2] or row['schema']}")
    print(f"symmetries  {row['symmetries']}")
    print(f"plies       at most {row['max_plies']}")
    print(f"network     {'ships with Tengen: player shipped' if row['network_ships'] else 'none ships'}")
    print(f"memory      {row['state_bytes']} bytes per position")
