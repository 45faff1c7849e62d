"""The shape of a game with branches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tengen.kifu.refused import KifuError

__all__ = ["LONGEST_FACT", "MOST_NODES", "About", "Tree", "check_nodes", "deepest", "line"]

MOST_NODES = 20_000
LONGEST_FACT = 100  # characters

Tree = dict[str, Any]  # {"move": text or None, "comment": text if any, "children": [Tree…]}


@dataclass(frozen=True)
class About:
    """What a file tells beside the moves; None where it tells nothing."""

    players: tuple[str | None, str | None] = (None, None)
    result: str | None = None  # B+12.5, W+R, Draw: B is the first player
    date: str | None = None  # 2024-05-31

    def to_dict(self) -> dict[str, Any]:
        return {"players": list(self.players), "result": self.result, "date": self.date}


def line(moves: Sequence[str]) -> Tree:
    """A game without branches.

    >>> line(["4", "3"])
    {'move': None, 'children': [{'move': '4', 'children': [{'move': '3', 'children': []}]}]}
    """
    root: Tree = {"move": None, "children": []}
    node = root
    for move in moves:
        node["children"].append({"move": move, "children": []})
        node = node["children"][0]
    return root


def deepest(tree: Tree) -> Iterator[Tree]:
    """The nodes of the main line, the root left out."""
    while tree["children"]:
        tree = tree["children"][0]
        yield tree


def check_nodes(count: int) -> None:
    """To be asked while a tree is read, before more of it is made."""
    if count > MOST_NODES:
        raise KifuError("too_large", f"a game has at most {MOST_NODES} moves, branches included", most=MOST_NODES)
