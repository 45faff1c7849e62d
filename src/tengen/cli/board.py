"""A position in colour for the terminal; plain letters where there is no colour or no Unicode."""

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


BLACK_AND_WHITE = ("●", "#101010"), ("●", "#ffffff")
LOOKS = {
    "cells": Look("#262626", ("·", "#808080"), (("X", "bold #ff8787"), ("O", "bold #87d7ff"))),
    "gravity": Look("#1c4587", ("·", "#5f87d7"), (("●", "#ff5f5f"), ("●", "#ffd75f"))),
    "lines": Look("#d7a75f", ("┼", "#8a6a3a"), BLACK_AND_WHITE),
    "discs": Look("#2e7d4f", ("·", "#1f5c38"), BLACK_AND_WHITE),
    # Rows of a hex board are shifted by half a cell, so cells have an even width.
    "hexes": Look("#303030", ("·", "#808080"), (("●", "#ff5f5f"), ("●", "#5fafff")), cell_width=2),
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
    from rich.text import Text

    if not in_colour(console):
        return Text(state.render().rstrip("\n"))
    layout = state.game.layout()
    look, rows, cols = LOOKS[layout["kind"]], layout["rows"], layout["cols"]
    gravity, hexes = layout["kind"] == "gravity", layout["kind"] == "hexes"
    highlights = state.highlights()
    marked = set(highlights["line"]) or {highlights["last"]}
    stones, names = state.stones(), layout["cell_names"]
    columns = [str(col + 1) if gravity else names[col][0] for col in range(cols)]
    header = Text("    " + "".join(name.center(look.cell_width) for name in columns))

    lines = [] if layout["first_row_at_bottom"] else [header]
    for row in range(rows):
        line = Text(" " * row if hexes else "")
        line.append(" " * 4 if gravity else f"{names[row * cols][1:]:>3} ")
        for cell in range(row * cols, (row + 1) * cols):
            symbol, colour = look.stones[stones[cell] - 1] if stones[cell] else look.empty
            background = MARKED if cell in marked else look.background
            line.append(symbol.center(look.cell_width), f"{colour} on {background}")
        lines.append(line)
    if layout["first_row_at_bottom"]:
        lines.append(header)
    return Text("\n").join(lines)
