"""SGF, the format of game records (FF[4], red-bean.com/sgf).

Go (GM 1), Gomoku (4), Othello (2) and Hex (11) are written as other programs write them: points as two letters, column
then row from the top left, an empty value for a pass; Hex as letter and number, `swap-pieces` for a swap. Every other
game has its own move texts as values of B and W. Two private properties make the round trip exact for all of them:

    TENGEN[connect4]          the game's id, with its options
    TENGENSTART[…]            the position text that a set-up game begins from
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from sgfmill import sgf_grammar

from tengen.games import Game, GameError, State, names, options, rules_of
from tengen.kifu.branches import LONGEST_FACT, About, Tree
from tengen.kifu.grammar import Properties, bad_sgf, escaped, parse_game, text_of
from tengen.kifu.moves import make_game, start_of
from tengen.kifu.refused import KifuError

__all__ = ["is_known", "read_parsed", "read_sgf", "sgf_value", "write"]

SWAP = {"swap": "swap-pieces"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def is_known(game: Game) -> bool:
    """Do other programs read this game's files?"""
    return game.facts.sgf_number is not None


def write(game: Game, start: str | None, tree: Tree, about: About) -> str:
    """A tree whose moves are legal, as SGF."""
    first = start_of(game, start)
    properties: dict[int, Properties] = {id(tree): _root_properties(game, first, start, about)}
    waiting: list[tuple[State, Tree]] = [(first, tree)]
    while waiting:
        state, node = waiting.pop()
        if comment := node.get("comment"):
            properties[id(node)]["C"] = [escaped(comment)]
        for child in node["children"]:
            action = state.parse_move(child["move"])
            properties[id(child)] = {"BW"[state.to_move()]: [escaped(sgf_value(state, action))]}
            after = state.copy()
            after.apply(action)
            waiting.append((after, child))
    coarse = sgf_grammar.make_coarse_game_tree(tree, lambda node: node["children"], lambda node: properties[id(node)])
    return bytes(sgf_grammar.serialise_game_tree(coarse, wrap=None)).decode()


def read_sgf(text: str) -> tuple[Game, str | None, Tree, About]:
    """The first game of a file: its game, its start, its tree, whose moves are yet to be checked for legality, and what
    it tells beside them."""
    return read_parsed(parse_game(text))


def read_parsed(coarse: Any) -> tuple[Game, str | None, Tree, About]:
    """The same of a file whose syntax is read already."""
    root = coarse.sequence[0]
    game = _game(root)
    start = _start(game, root)
    tree: Tree = {"move": None, "children": []}
    _comment(tree, root)
    waiting: list[tuple[State, Tree, Any, int]] = [(start_of(game, start), tree, coarse, 1)]
    while waiting:
        state, node, branch, at = waiting.pop()
        for properties in branch.sequence[at:]:
            state, node = _step(state, node, properties)
        # A stack gives back the last first: the main line must still come first among the children. They share the
        # position, which no step changes.
        waiting += [(state, node, child, 0) for child in reversed(branch.children)]
    return game, start, tree, _about(root)


def _step(state: State, node: Tree, properties: Properties) -> tuple[State, Tree]:
    """The position and node after one node of the file; nodes without a move only add their comment."""
    if properties.keys() & {"AB", "AW", "AE"}:
        raise bad_sgf("stones are set up in the middle of the game")
    if (key := next((key for key in "BW" if key in properties), None)) is None:
        _comment(node, properties)
        return state, node
    value = text_of(properties, key)
    if "BW"[state.to_move()] != key:
        raise bad_sgf(f"it is not the turn of {key} after {len(state.moves())} moves")
    try:
        action = _action(state, value)
        move = state.move_text(action)
        after = state.copy()
        after.apply(action)
    except KifuError:
        raise
    except GameError as error:
        raise KifuError("illegal_move", error, move=value, ply=len(state.moves())) from None
    child: Tree = {"move": move, "children": []}
    _comment(child, properties)
    node["children"].append(child)
    return after, child


def _about(root: Properties) -> About:
    facts = {key: text_of(root, key)[:LONGEST_FACT] or None for key in ("PB", "PW", "RE", "DT") if key in root}
    return About((facts.get("PB"), facts.get("PW")), facts.get("RE"), facts.get("DT"))


def _root_properties(game: Game, first: State, start: str | None, about: About) -> Properties:
    root: dict[str, list[str]] = {"FF": ["4"], "CA": ["UTF-8"], "AP": ["Tengen"], "TENGEN": [game.id]}
    layout = game.layout()
    if is_known(game):
        root |= {"GM": [str(game.facts.sgf_number)], "SZ": [str(layout["cols"])]}
    if (komi := options(game).get("komi")) is not None:
        root["KM"] = [komi]
    facts = {"PB": about.players[0], "PW": about.players[1], "RE": about.result, "DT": about.date}
    root |= {key: [fact] for key, fact in {"RU": game.facts.sgf_rules, **facts}.items() if fact}
    if start:
        root |= {"TENGENSTART": [start], "PL": ["BW"[first.to_move()]]}
        if is_known(game):
            stones = first.stones()
            for key, stone in (("AB", 1), ("AW", 2)):
                if points := [_point(game, cell) for cell, each in enumerate(stones) if each == stone]:
                    root[key] = points
    return {key: [escaped(value) for value in values] for key, values in root.items()}


def _game(root: Properties) -> Game:
    if "TENGEN" in root:
        return make_game(text_of(root, "TENGEN"))
    number = text_of(root, "GM") if "GM" in root else "1"
    game = _by_number().get(number)
    if game is None:
        raise bad_sgf(f"GM[{number[:20]}] is none of the games here")
    size = text_of(root, "SZ") if "SZ" in root else game.facts.sgf_size
    komi = f",komi={text_of(root, 'KM')}" if "KM" in root and "komi" in options(game) else ""
    return make_game(f"{game.name}{'' if size is None else f':{size}'}{komi}")


@cache
def _by_number() -> dict[str, Game]:
    every = [make_game(name) for name in names()]
    return {str(game.facts.sgf_number): game for game in every if is_known(game)}


def _start(game: Game, root: Properties) -> str | None:
    """The position a file begins from, if not the usual one."""
    if "TENGENSTART" in root:
        return text_of(root, "TENGENSTART")
    if not root.keys() & {"AB", "AW"}:
        return None
    layout = game.layout()
    board = ["."] * (layout["rows"] * layout["cols"])
    for key, mark in (("AB", "X"), ("AW", "O")):
        if len(root.get(key, [])) > len(board):  # each may be a rectangle as large as the board
            raise bad_sgf(f"{key} has more values than the board has points")
        for value in root.get(key, []):
            for cell in _cells(game, value.decode(errors="replace")):
                board[cell] = mark
    rows = ["".join(board[at : at + layout["cols"]]) for at in range(0, len(board), layout["cols"])]
    # Without a word about it White is to move where handicap stones stand, else Black.
    mover = text_of(root, "PL")[:1].upper() if "PL" in root else "B" if "AW" in root else "W"
    return f"{'/'.join(rows)} {'O' if mover == 'W' else 'X'}"


def _cells(game: Game, value: str) -> Sequence[int]:
    """The cells of a point, or of a rectangle of points such as aa:cc."""
    first, _, last = value.partition(":")
    cols = _layout(game.id)["cols"]
    a = _cell(game, first)
    b = _cell(game, last) if last else a
    return [
        row * cols + col
        for row in range(min(a, b) // cols, max(a, b) // cols + 1)
        for col in range(min(a % cols, b % cols), max(a % cols, b % cols) + 1)
    ]


def sgf_value(state: State, action: int) -> str:
    text = state.move_text(action)
    cell = state.landing_cell(action)
    if not _has_points(state.game):
        return SWAP.get(text, text)
    return "" if cell is None else _point(state.game, cell)


def _action(state: State, value: str) -> int:
    game = state.game
    if rules_of(game):
        return state.parse_move(value)  # capitals may mean something: Nf3
    if not _has_points(game):
        return state.parse_move({new: old for old, new in SWAP.items()}.get(value, value.lower()))
    # tt is a pass on boards up to 19x19: older files.
    if value == "" or (value == "tt" and _layout(game.id)["cols"] <= 19):
        return state.parse_move("pass")
    return state.parse_move(_layout(game.id)["cell_names"][_cell(game, value)])


@lru_cache(maxsize=16)
def _layout(id: str) -> dict[str, Any]:
    """Made anew at every look, which takes longer than all the rest of a move."""
    return make_game(id).layout()


def _has_points(game: Game) -> bool:
    """Are its points two letters in SGF? Boards of hexagons have names for theirs."""
    return is_known(game) and _layout(game.id)["kind"] != "hexes"


def _point(game: Game, cell: int) -> str:
    layout = _layout(game.id)
    if not _has_points(game):
        return str(layout["cell_names"][cell])
    row, col = divmod(cell, layout["cols"])
    return LETTERS[col] + LETTERS[row]


def _cell(game: Game, point: str) -> int:
    layout = _layout(game.id)
    names = layout["cell_names"]
    if not _has_points(game):
        if point.lower() in names:
            return int(names.index(point.lower()))
    elif len(point) == 2 and point[0] in LETTERS and point[1] in LETTERS:
        col, row = LETTERS.index(point[0]), LETTERS.index(point[1])
        if row < layout["rows"] and col < layout["cols"]:
            return int(row * layout["cols"] + col)
    raise bad_sgf(f"{point[:20]!r} is not a point of the board")


def _comment(node: Tree, properties: Properties) -> None:
    if "C" in properties and (text := text_of(properties, "C")):
        node["comment"] = f"{node['comment']}\n{text}" if "comment" in node else text
