"""Games in and out: trees of moves with comments, as SGF, JSON, lists of moves and position texts."""

from tengen.kifu.branches import About, Tree, deepest, line
from tengen.kifu.formats import kifu_text, parse_kifu
from tengen.kifu.moves import play_main_line
from tengen.kifu.refused import KifuError
from tengen.kifu.sgf import read_sgf

__all__ = ["About", "KifuError", "Tree", "deepest", "kifu_text", "line", "parse_kifu", "play_main_line", "read_sgf"]
