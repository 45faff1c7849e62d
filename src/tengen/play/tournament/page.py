"""`report.html`: the tables, and every game to click through, in one file that needs nothing else.

No script but its own may run in it: the content security policy names that script by its hash. Names and reasons come
from strangers: they are escaped in the HTML, and the script sets them as text only.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from tengen import games
from tengen.games import Game, State
from tengen.play.tournament.kept import PlayedGame
from tengen.play.tournament.table import (
    PlayerRow,
    ResultTable,
    anchor_text,
    cross_text,
    elo_texts,
    points_text,
    reasons_text,
)

__all__ = ["draw_page"]

MOST_SHOWN = 4000  # games in the page: some 1 kB each
HERE = Path(__file__).parent


def draw_page(table: ResultTable, played: Sequence[PlayedGame]) -> str:
    """The whole file."""
    script, style = ((HERE / name).read_text("utf-8") for name in ("page.js", "page.css"))
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}"
    title = escape(f"{table.plan.game}: {table.plan.system}")
    # In a script element only "<" could end it, and with it the data.
    data = json.dumps(_data(table, played), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{_head(table, title)}
{_elo_table(table)}
{_cross_table(table)}
{_faults(table)}
{GAMES}
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


GAMES = """<section id="games" aria-label="Games" hidden>
<h2 id="pairing"></h2>
<p id="more"></p>
<ol id="list"></ol>
<div id="player">
<div id="sides"></div>
<p id="outcome"></p>
<svg id="board" class="board" role="img" aria-labelledby="ply"></svg>
<div class="controls">
<button id="start" aria-label="To the start">|◀</button><button id="back" aria-label="One move back">◀</button>
<button id="next" aria-label="One move on">▶</button><button id="end" aria-label="To the end">▶|</button>
</div>
<input id="slider" type="range" min="0" value="0" aria-label="Move">
<p id="ply" aria-live="polite"></p>
</div>
</section>
<noscript><p>The games need JavaScript; they are also in games.sgf.</p></noscript>"""


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _head(table: ResultTable, title: str) -> str:
    plan = table.plan
    rest = "" if table.played == table.planned else f" It is not over: {table.planned} games are planned."
    kind = "" if plan.openings == "random" else ", balanced"
    return (
        f"<h1>{title}</h1>\n<p>{table.played} games, {plan.games} for each pairing, from the same openings of "
        f"{plan.opening_plies} random plies{kind}, each with colours swapped; seed {plan.seed}.{rest}</p>"
    )


def _elo_table(table: ResultTable) -> str:
    rated = [row.rating for row in table.rows if row.rating]
    low = min((rating.elo - rating.error for rating in rated), default=0.0)
    high = max((rating.elo + rating.error for rating in rated), default=0.0)
    rows = "\n".join(_elo_row(place + 1, row, low, high) for place, row in enumerate(table.rows))
    heads = "".join(f"<th scope='col'>{head}</th>" for head in ("points", "games", "won", "drawn", "lost", "faults"))
    return f"""<h2>Elo</h2>
<div class="scroll"><table>
<thead><tr><th scope="col">#</th><th scope="col" class="name">player</th><th scope="col" colspan="2">Elo</th>
<th scope="col" class="name">95 % interval</th>{heads}</tr></thead>
<tbody>
{rows}
</tbody></table></div>
<p>{escape(anchor_text(table)[0].upper() + anchor_text(table)[1:])}; ± is the reach of the 95 % interval.</p>"""


def _elo_row(place: int, row: PlayerRow, low: float, high: float) -> str:
    elo, error = elo_texts(row.rating)
    about = " ".join([row.entrant.player, *row.entrant.settings])
    small = f"<small>{escape(about)}</small>" if about != row.name else ""
    counts = "".join(f"<td>{count}</td>" for count in (row.games, row.wins, row.draws, row.losses))
    faults = f"<td class='fault'>{row.faults.total()}</td>" if row.faults else "<td></td>"
    return (
        f"<tr><td>{place}</td>{_name_cell(row.name, small)}<td>{elo}</td><td>{error}</td>"
        f"<td>{_error_bar(row, low, high)}</td><td>{points_text(row.points)}</td>{counts}{faults}</tr>"
    )


def _name_cell(name: str, more: str = "") -> str:
    return f"<td class='name' title='{escape(name)}'>{escape(name)}{more}</td>"


def _error_bar(row: PlayerRow, low: float, high: float) -> str:
    """The interval on the scale of all of them."""
    if row.rating is None:
        return ""

    def at(elo: float) -> str:
        return f"{4 + 232 * (elo - low) / ((high - low) or 1):.1f}"

    elo, error = row.rating.elo, row.rating.error
    zero = f"<line class='zero' x1='{at(0)}' x2='{at(0)}' y1='0' y2='22'/>" if low <= 0 <= high else ""
    return (
        f"<svg class='elo' viewBox='0 0 240 22' preserveAspectRatio='none' aria-hidden='true'>{zero}"
        f"<line x1='{at(elo - error)}' x2='{at(elo + error)}' y1='11' y2='11'/>"
        f"<circle cx='{at(elo)}' cy='11' r='4'/></svg>"
    )


def _cross_table(table: ResultTable) -> str:
    pairing = {key: place for place, (a, b) in enumerate(table.plan.pairings()) for key in ((a, b), (b, a))}
    heads = "".join(f"<th scope='col' title='{escape(row.name)}'>{i + 1}</th>" for i, row in enumerate(table.rows))
    rows = []
    for place, row in enumerate(table.rows):
        cells = []
        for other in table.rows:
            text = cross_text(table, row.name, other.name)
            if (row.name, other.name) not in table.cross:
                cells.append(f"<td>{text}</td>")
                continue
            points, count = table.cross[row.name, other.name]
            tone = "" if 2 * points == count else f" class='s{min(5, int(6 * points / count))}'"
            label = escape(f"{row.name} against {other.name}: {text} points, show the games")
            link = f"<a href='#p{pairing[row.name, other.name]}' aria-label='{label}'>{text}</a>"
            cells.append(f"<td{tone}>{link}</td>")
        rows.append(f"<tr><td>{place + 1}</td>{_name_cell(row.name)}{''.join(cells)}</tr>")
    body = "\n".join(rows)
    return f"""<h2>Points of games</h2>
<p>The player of the row against that of the column. A cell opens the games.</p>
<div class="scroll"><table class="cross">
<thead><tr><th scope="col">#</th><th scope="col" class="name">player</th>{heads}</tr></thead>
<tbody>
{body}
</tbody></table></div>"""


def _faults(table: ResultTable) -> str:
    faulty = [row for row in table.rows if row.faults]
    if not faulty:
        return ""
    items = "".join(
        f"<li>{escape(row.name)}: <span class='fault'>{escape(reasons_text(row))}</span></li>" for row in faulty
    )
    return f"<h2>Faults</h2>\n<p>Each of them lost its game.</p>\n<ul>{items}</ul>"


def _data(table: ResultTable, played: Sequence[PlayedGame]) -> dict[str, Any]:
    """What the script shows."""
    game, names = games.make(table.plan.game), table.plan.names
    pairings = table.plan.pairings()
    shown = max(2, MOST_SHOWN // len(pairings))
    of: dict[tuple[str, str], list[PlayedGame]] = {pairing: [] for pairing in pairings}
    for each in played:
        of[each.first, each.second].append(each)
    return {
        "layout": {key: game.layout()[key] for key in ("kind", "rows", "cols")},
        "start": game.start().stones(),
        "names": names,
        "pairs": [
            {
                "first": names.index(first),
                "second": names.index(second),
                "played": len(found),
                "games": [
                    _game_data(game, names, each) for each in sorted(found, key=lambda each: each.number)[:shown]
                ],
            }
            for (first, second), found in of.items()
        ],
    }


def _game_data(game: Game, names: list[str], played: PlayedGame) -> dict[str, Any]:
    """A game as the cells that each move changes, each as 3 · cell + stone: the script knows no rules."""
    state, moves, changes, last = game.start(), [], [], []
    before = state.stones()
    for action in game.from_moves(played.moves).moves():
        moves.append(state.move_text(action))
        state.apply(action)
        after = state.stones()
        changes.append(
            [3 * cell + stone for cell, (old, stone) in enumerate(zip(before, after, strict=True)) if old != stone]
        )
        landed = state.highlights()["last"]
        last.append(-1 if landed is None else landed)
        before = after
    first = played.points if played.number % 2 == 0 else 1 - played.points
    return {
        "sides": [names.index(name) for name in played.sides],
        "result": {1.0: "1–0", 0.5: "½–½", 0.0: "0–1"}[first],
        "outcome": _outcome(state, played),
        "forfeit": played.forfeit,
        "fault": played.fault,
        "opening": played.opening,
        "moves": moves,
        "changes": changes,
        "last": last,
        "line": state.highlights()["line"],
    }


def _outcome(state: State, played: PlayedGame) -> str:
    if played.loser is None:
        return "Draw"
    winner = played.second if played.loser == played.first else played.first
    lead = (games.result_text(state) or "").partition("+")[2]
    return f"{winner} wins{f' by {lead}' if lead else ''}"
