"""What a search found out about each move, as a table for the terminal and as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tengen.search.agent import Analysis, MoveInfo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table

HEADINGS = {
    "en": ("move", "visits", "share", "prior", "Q", "win", "draw", "loss", "lead", "plies", "proven", "line"),
    "zh": ("着法", "访问", "占比", "先验", "Q", "胜", "和", "负", "分差", "剩余步数", "已证明", "变化"),
}
PROVEN = {"en": {"win": "win", "draw": "draw", "loss": "loss"}, "zh": {"win": "必胜", "draw": "必和", "loss": "必败"}}
PRIOR, LEAD = 3, 8  # columns that may be missing
LINE = 8  # moves of the expected line shown; JSON has all of them


def moves_table(analysis: Analysis, lang: str = "en", most: int = 20, priors: bool = True) -> "Table":
    """The `most` best moves. Without a network priors mean nothing: leave them out; so is a lead that nobody counts."""
    from rich.table import Table
    from rich.text import Text

    shown = {PRIOR: priors, LEAD: analysis.lead is not None}
    hidden = {HEADINGS[lang][column] for column, is_known in shown.items() if not is_known}
    table = Table(box=None, header_style="bold", pad_edge=False)
    for i, heading in enumerate(HEADINGS[lang]):
        if heading not in hidden:
            table.add_column(heading, justify="left" if i in (0, 10, 11) else "right", no_wrap=i < 11)
    for i, move in enumerate(analysis.moves[:most]):
        row = _row(move, lang)
        cells = [cell for cell, heading in zip(row, HEADINGS[lang], strict=True) if heading not in hidden]
        table.add_row(*map(Text, cells), style="bold" if i == 0 else "" if move.visits else "dim")
    return table


def _row(move: MoveInfo, lang: str) -> list[str]:
    win, draw, loss = (f"{share:.0%}" for share in move.wdl)
    line = " ".join(move.pv[:LINE]) + (" …" if len(move.pv) > LINE else "")
    lead = "" if move.lead is None else f"{move.lead:+.1f}"
    numbers = [f"{move.q:+.3f}", win, draw, loss, lead, f"{move.plies:.1f}"] if move.visits else [""] * 6
    proven = PROVEN[lang][move.proven] if move.proven else ""
    return [move.text, f"{move.visits:,}", f"{move.share:.1%}", f"{move.prior:.3f}", *numbers, proven, line]


def as_json(analysis: Analysis, owners: "NDArray[np.float32] | None") -> dict[str, Any]:
    """Everything, moves best first, for scripts; all of it for the side to move."""
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
        "lead": analysis.lead,
        "owners": None if owners is None else [round(each, 4) for each in owners.tolist()],
        "moves": moves,
    }
