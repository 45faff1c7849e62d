"""What people read of a tournament, written anew from its games whenever it ends or is interrupted."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tengen import games
from tengen.files import write_durably
from tengen.games import Game
from tengen.kifu import About, deepest, kifu_text, line
from tengen.play.tournament.kept import PlayedGame, TournamentFolder
from tengen.play.tournament.page import draw_page
from tengen.play.tournament.table import ResultTable, make_table, table_text

__all__ = ["write_reports"]


def write_reports(folder: TournamentFolder) -> ResultTable:
    """`table.txt`, `results.json`, `games.sgf` and `report.html`; returns the table. Raises OSError."""
    table = make_table(folder.plan, folder.games)
    texts = {
        "table.txt": table_text(table) + "\n",
        "results.json": json.dumps(table.to_dict(), indent=1, ensure_ascii=False) + "\n",
        "games.sgf": _collection(games.make(folder.plan.game), folder.games),
        "report.html": draw_page(table, folder.games),
    }
    for name, text in texts.items():
        write_durably(folder.path / name, text.encode())
    return table


def _collection(game: Game, played: Sequence[PlayedGame]) -> str:
    """All games in one file, as SGF allows."""
    return "".join(_sgf(game, each) for each in played)


def _sgf(game: Game, played: PlayedGame) -> str:
    state, moves = game.start(), []
    for action in game.from_moves(played.moves).moves():
        moves.append(state.move_text(action))
        state.apply(action)
    tree = line(moves)
    result = None
    if played.forfeit:
        winner = "BW"[played.sides.index(played.loser or "") - 1]
        result = f"{winner}+{'F' if played.fault else 'R'}"
        last = list(deepest(tree))[-1:] or [tree]
        last[0]["comment"] = f"{played.loser}: {played.forfeit}"
    return kifu_text(game.id, None, tree, "sgf", About(played.sides, result, played.date))["text"]
