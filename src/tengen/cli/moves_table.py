"""What a search found out about each move, as a table for the terminal and as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tengen.search.agent import Analysis, MoveInfo

if TYPE_CHECKING:
    from rich.table import Table

HEADINGS = {
    "en": ("move", "visits", "share", "prior", "Q", "win", "draw", "loss", "plies", "proven", "line"),
    "zh": ("着法", "访问", "占比", "先验", "Q", "胜", "和", "负", "剩余步数", "已证明", "变化"),
}
PROVEN = {"en": {"win": "win", "draw": "draw", "loss": "loss"}, "zh": {"win": "必胜", "draw": "必和", "loss": "必败"}}
LINE = 8  # moves of the expected line shown; JSON has all of them


def moves_table(analysis: Analysis, lang: str = "en", most: int = 20, priors: bool = True) -> "Table":
    """The `most` best moves. Without a network priors mean nothing: leave them out."""
    from rich.table import Table

    hidden = set() if priors else {HEADINGS[lang][3]}
    table = Table(box=None, header_style="bold", pad_edge=False)
    for i, heading in enumerate(HEADINGS[lang]):
        if heading not in hidden:
            table.add_column(heading, justify="left" if i in (0, 9, 10) else "right", no_wrap=i < 10)
    for i, move in enumerate(analysis.moves[:most]):
        row = _row(move, lang)
        cells = [cell for cell, heading in zip(row, HEADINGS[lang], strict=True) if heading not in hidden]
        table.add_row(*cells, style="bold" if i == 0 else "" if move.visits else "dim")
    return table


def _row(move: MoveInfo, lang: str) -> list[str]:
    win, draw, loss = (f"{share:.0%}" for share in move.wdl)
    line = " ".join(move.pv[:LINE]) + (" …" if len(move.pv) > LINE else "")
    numbers = [f"{move.q:+.3f}", win, draw, loss, f"{move.plies:.1f}"] if move.visits else ["", "", "", "", ""]
    proven = PROVEN[lang][move.proven] if move.proven else ""
    return [move.text, f"{move.visits:,}", f"{move.share:.1%}", f"{move.prior:.3f}", *numbers, proven, line]


def as_json(analysis: Analysis) -> dict[str, Any]:
    """Everything, moves best first, for scripts."""
    moves = [{"move": move.text, **asdict(move)} for move in analysis.moves]
    for row in moves:
        del row["text"]
    return {
        "best": analysis.moves[0].text,
        "visits": analysis.visits,
        "nodes": analysis.nodes,
        "q": analysis.q,
        "wdl": analysis.wdl,
        "plies": analysis.plies,
        "moves": moves,
    }
