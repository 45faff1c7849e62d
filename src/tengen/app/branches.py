"""The shape of a game with branches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tengen.app.errors import AppError

__all__ = ["MOST_NODES", "Tree", "check_nodes", "deepest", "line"]

MOST_NODES = 20_000

Tree = dict[str, Any]  # {"move": text or None, "comment": text if any, "children": [Tree…]}


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
        raise AppError("too_large", f"a game has at most {MOST_NODES} moves, branches included", most=MOST_NODES)
