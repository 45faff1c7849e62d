"""The syntax of SGF: nodes, properties and values, whatever they mean.

Reading and writing of it is sgfmill's, whose grammar knows nothing of Go. It makes a hundred bytes and more of every
byte of a file, so nodes and values are counted before it sees them.
"""

from __future__ import annotations

import re
from typing import Any

from sgfmill import sgf_grammar

from tengen.kifu.branches import check_nodes
from tengen.kifu.refused import KifuError

__all__ = ["Properties", "bad_sgf", "escaped", "games_in", "parse_game", "text_of"]

MOST_VALUES = 100_000
MOST_GAMES = 1000  # in one file
BEGIN = re.compile(rb"\(\s*;")
# What is counted: a value in brackets, to its end or that of the file, or a delimiter. Nothing is looked at twice.
TOKEN = re.compile(rb"\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\]?|[;()]", re.DOTALL)

Properties = dict[str, list[bytes]]


def parse_game(text: str) -> Any:
    """The first game of a file, as sgfmill's coarse tree."""
    data = text.encode()
    first = BEGIN.search(data)
    _end_of_game(data, first.start() if first else 0)
    try:
        return sgf_grammar.parse_sgf_game(data)
    except (ValueError, AssertionError, UnboundLocalError) as error:  # the latter two: sgfmill on unbalanced files
        raise bad_sgf(f"not a game in SGF: {error}" if isinstance(error, ValueError) else "not a game in SGF") from None


def games_in(text: str) -> list[str]:
    """The games of a file, one text each; the whole text where none begins."""
    data, at = text.encode(), 0
    found: list[str] = []
    while first := BEGIN.search(data, at):
        if len(found) == MOST_GAMES:
            raise KifuError("too_large", f"a file has at most {MOST_GAMES} games", most=MOST_GAMES)
        at = _end_of_game(data, first.start())
        found.append(data[first.start() : at].decode())
    return found or [text]


def _end_of_game(data: bytes, start: int) -> int:
    """Where the game that begins at `start` ends; counts its nodes and values on the way."""
    nodes = branches = depth = values = 0
    for token in TOKEN.finditer(data, start):
        match data[token.start()]:
            case 0x5B:  # [
                values += 1
            case 0x3B:  # ;
                nodes += 1
            case 0x28:  # (
                branches, depth = branches + 1, depth + 1
            case _:
                depth -= 1
        check_nodes(max(nodes, branches) - 1)  # the root is no move
        if values > MOST_VALUES:
            raise KifuError("too_large", f"a file has at most {MOST_VALUES} values of properties", most=MOST_VALUES)
        if depth <= 0:
            return token.end()
    return len(data)


def text_of(properties: Properties, key: str) -> str:
    return str(sgf_grammar.text_value(properties[key][0]).decode(errors="replace"))


def escaped(text: str) -> bytes:
    return bytes(sgf_grammar.escape_text(text.encode()))


def bad_sgf(message: str) -> KifuError:
    return KifuError("bad_sgf", message)
