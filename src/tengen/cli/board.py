"""A position in colour for the terminal; plain letters where there is no colour or no Unicode. Games that name glyphs
are drawn with them, and games without a board by their own text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.games import State

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


@dataclass(frozen=True)
class Look:
    """How a kind of board is drawn: a background, the empty cell, and a (symbol, colour) per player."""

    background: str
    empty: tuple[str, str]
    stones: tuple[tuple[str, str], tuple[str, str]]
    cell_width: int = 3


RED_AND_BLUE = ("●", "#ff5f5f"), ("●", "#5fafff")
BLACK_AND_WHITE = ("●", "#101010"), ("●", "#ffffff")
LOOKS = {
    "cells": Look("#262626", ("·", "#808080"), (("X", "bold #ff8787"), ("O", "bold #87d7ff"))),
    "gravity": Look("#1c4587", ("·", "#5f87d7"), (("●", "#ff5f5f"), ("●", "#ffd75f"))),
    "lines": Look("#d7a75f", ("┼", "#8a6a3a"), BLACK_AND_WHITE),
    "discs": Look("#2e7d4f", ("·", "#1f5c38"), BLACK_AND_WHITE),
    # Rows of a hex board are shifted by half a cell, so cells have an even width.
    "hexes": Look("#303030", ("·", "#808080"), RED_AND_BLUE, cell_width=2),
    "text": Look("#303030", ("·", "#808080"), RED_AND_BLUE),
}
MARKED = "#af5fd7"  # background of the last move, or of the winning line


def in_colour(console: "Console") -> bool:
    return console.color_system is not None and console.encoding.startswith("utf")


def mark(console: "Console", state: State, side: int) -> str:
    """A player's stone as a word of rich markup."""
    if not in_colour(console):
        return "XO"[side]
    look = LOOKS[state.game.layout()["kind"]]
    symbol, colour = look.stones[side]
    return f"[{colour} on {look.background}] {symbol} [/]"


def draw_board(console: "Console", state: State) -> "RenderableType":
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    layout, glyphs = state.game.layout(), state.glyphs()
    if layout["kind"] == "text":
        return Text((state.text() or "").rstrip("\n"))
    if not in_colour(console):
        return Text(
            _letters(state, glyphs, console.encoding) if glyphs and any(glyphs) else state.render().rstrip("\n")
        )
    look, rows, cols = LOOKS[layout["kind"]], layout["rows"], layout["cols"]
    gravity, hexes = layout["kind"] == "gravity", layout["kind"] == "hexes"
    highlights = state.highlights()
    marked = set(highlights["line"]) or {highlights["last"]}
    stones, names = state.stones(), layout["cell_names"]
    columns = [str(col + 1) if gravity else names[col].rstrip("0123456789") for col in range(cols)]
    width = max(look.cell_width, *(cell_len(glyph) + look.cell_width - 1 for glyph in glyphs or [""]))
    header = Text("    " + "".join(name.center(width) for name in columns))

    lines = [] if layout["first_row_at_bottom"] else [header]
    for row in range(rows):
        line = Text(" " * row if hexes else "")
        line.append(" " * 4 if gravity else f"{names[row * cols][1:]:>3} ")
        for cell in range(row * cols, (row + 1) * cols):
            symbol, colour = look.stones[stones[cell] - 1] if stones[cell] else look.empty
            symbol = (glyphs and glyphs[cell]) or symbol
            background = MARKED if cell in marked else look.background
            left = (width - cell_len(symbol)) // 2
            line.append(set_cell_size(" " * left + symbol, width), f"{colour} on {background}")
        lines.append(line)
    if layout["first_row_at_bottom"]:
        lines.append(header)
    return Text("\n").join(lines)


def _letters(state: State, glyphs: list[str], encoding: str) -> str:
    """Whose a piece is, X or O, then its glyph; a question mark where the terminal cannot write that."""
    from rich.cells import cell_len

    layout, stones = state.game.layout(), state.stones()
    rows, cols, names = layout["rows"], layout["cols"], layout["cell_names"]
    shown = ["?" if glyph.encode(encoding, "ignore").decode(encoding) != glyph else glyph for glyph in glyphs]
    cells = [" XO"[stones[cell]] + shown[cell] if stones[cell] or shown[cell] else "." for cell in range(rows * cols)]
    width = max(2, *(cell_len(cell) for cell in cells)) + 1
    padded = [" " * (width - cell_len(cell)) + cell for cell in cells]
    lines = [f"{names[row * cols][1:]:>3}" + "".join(padded[row * cols : (row + 1) * cols]) for row in range(rows)]
    return "\n".join([*lines, "   " + "".join(f"{names[col].rstrip('0123456789'):>{width}}" for col in range(cols))])
