"""Draws terminal.svg, two real games as `tengen play` shows them. Run: .venv/bin/python docs/images/terminal.py"""

import io
import re
from pathlib import Path

from rich.columns import Columns
from rich.console import Console, Group
from rich.text import Text

from tengen import games
from tengen.cli import board

GAMES = {"connect4": "4453645526311316", "gomoku:9": "e5 f5 e6 e4 d6 f6 f4 g3 d7 c7 d5 d4 c6"}

console = Console(record=True, width=64, file=io.StringIO(), force_terminal=True, color_system="truecolor")
boards = []
for id, moves in GAMES.items():
    state = games.make(id).from_moves(moves)
    boards.append(Group(Text(f"    {id}", "bold"), board.draw_board(console, state)))
console.print(Columns(boards, padding=(0, 3)))
svg = console.export_svg(title="tengen play", unique_id="tengen")
svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # a picture should load nothing
Path(__file__).with_suffix(".svg").write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n")
