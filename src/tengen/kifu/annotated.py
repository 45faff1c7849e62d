"""A game in SGF that is written back with more in it. What stands in the file stays, also what nobody here reads."""

from __future__ import annotations

from collections.abc import Sequence

from sgfmill import sgf_grammar

from tengen.games import State
from tengen.kifu.branches import MOST_NODES, deepest
from tengen.kifu.grammar import Properties, escaped, parse_game
from tengen.kifu.sgf import read_parsed, sgf_value

__all__ = ["Annotated"]

JUDGEMENTS = {"BM", "DO", "IT", "TE"}  # of which a node may have one


class _Node:
    def __init__(self, properties: Properties) -> None:
        self.properties = properties
        self.children: list[_Node] = []


class Annotated:
    """The first game of a text. Places are told by the number of moves of the main line that were played: 0 is the
    start, `len(moves)` the end."""

    def __init__(self, text: str) -> None:
        coarse = parse_game(text)
        self.game, self.start, tree, self.about = read_parsed(coarse)
        self._root = _Node(coarse.sequence[0])
        self._count = 0
        sgf_grammar.make_tree(coarse, self._root, lambda parent, properties: _Node(properties), self._adopt)
        self._nodes, self._parents = self._main_line()
        self.moves: list[str] = [node["move"] for node, _ in zip(deepest(tree), self._parents, strict=False)]

    def comment(self, place: int, text: str) -> None:
        """Adds to what is said there already."""
        _comment(self._nodes[place], text)

    def set(self, place: int, key: str, value: str) -> None:
        self._nodes[place].properties[key] = [escaped(value)]

    def mark(self, place: int, key: str, value: str) -> None:
        """Judges a move, unless the file does so itself."""
        properties = self._nodes[place].properties
        if key not in properties and not (key in JUDGEMENTS and properties.keys() & JUDGEMENTS):
            properties[key] = [escaped(value)]

    def add_line(self, state: State, line: Sequence[str], text: str) -> None:
        """A variation in place of the move that was played in a position of the main line. Where the file has its
        first moves already, it goes on from there; `text` is said of its first move."""
        state, node = state.copy(), self._parents[len(state.moves())]
        for ply, move in enumerate(line):
            if self._count >= MOST_NODES:  # nobody could read it back
                return
            action = state.parse_move(move)
            key, value = "BW"[state.to_move()], escaped(sgf_value(state, action))
            state.apply(action)
            known = next((child for child in node.children if child.properties.get(key) == [value]), None)
            if known is None:
                known = _Node({key: [value]})
                self._adopt(node, known)
            node = known
            if ply == 0:
                _comment(node, text)

    def text(self) -> str:
        self._root.properties["CA"] = [b"UTF-8"]
        coarse = sgf_grammar.make_coarse_game_tree(self._root, lambda node: node.children, lambda node: node.properties)
        return bytes(sgf_grammar.serialise_game_tree(coarse, wrap=None)).decode()

    def _adopt(self, parent: _Node, child: _Node) -> None:
        self._count += 1
        parent.children.append(child)

    def _main_line(self) -> tuple[list[_Node], list[_Node]]:
        """The nodes that have its moves, the root first; and the node before each move."""
        nodes, parents, node = [self._root], [], self._root
        while node.children:
            before, node = node, node.children[0]
            if node.properties.keys() & {"B", "W"}:
                nodes.append(node)
                parents.append(before)
        return nodes, parents


def _comment(node: _Node, text: str) -> None:
    said = node.properties.get("C", [b""])[0]
    node.properties["C"] = [said + b"\n\n" + escaped(text) if said.strip() else escaped(text)]
