"""Games in and out: lists of moves, position texts, SGF, and JSON.

A game is a tree of plain dicts: {"move": text or None, "comment": text, "children": [...]}, the root without a move,
the first child the main line. Trees are as deep as games are long, so nothing here recurses.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

from tengen.games import Game, GameError, State, result_text
from tengen.kifu import sgf
from tengen.kifu.branches import LONGEST_FACT, About, Tree, check_nodes, line
from tengen.kifu.moves import check_length, make_game, move_texts, play_main_line, play_moves, start_of
from tengen.kifu.refused import KifuError
from tengen.preset import file_name

__all__ = ["kifu_text", "parse_kifu"]

JSON_FORMAT = "tengen-game-1"
NOTHING_TOLD = About()


def parse_kifu(text: str, game: str | None) -> dict[str, Any]:
    """The game in a text of any of the formats. `game` says which game bare moves and positions are of."""
    text = text.strip()
    tree: object
    if text.startswith("(") or "(;" in text[:200]:
        found, start, tree, about = sgf.read_sgf(text)
    elif text.startswith("{"):
        found, start, tree, about = _read_json(text)
    else:
        if game is None:
            raise KifuError("bad_request", "which game are these moves of?")
        found, start, tree = _read_plain(text, make_game(game))
        about = NOTHING_TOLD
    return {"game": found.id, "start": start, "tree": checked(found, start, tree), **about.to_dict()}


def kifu_text(
    game_id: str, start: str | None, tree: dict[str, Any], format: str, about: About = NOTHING_TOLD
) -> dict[str, str]:
    """A game as a file. Where nobody says how it ended, the rules do, if it is over; where nobody says when, today."""
    game = make_game(game_id)
    clean = checked(game, start, tree)
    name = file_name(game.id)
    if not all(_is_text(player or "") for player in about.players):
        raise KifuError("bad_request", "a player's name is a text")
    end = play_main_line(game, start, clean)
    about = replace(about, result=about.result or result_text(end), date=about.date or str(date.today()))
    if format == "sgf":
        return {"text": sgf.write(game, start, clean, about), "file_name": f"{name}.sgf"}
    if format == "json":
        content = {"format": JSON_FORMAT, "game": game.id, "start": start, "tree": clean, **about.to_dict()}
        return {"text": json.dumps(content, ensure_ascii=False), "file_name": f"{name}.json"}
    return {"text": end.moves_text(), "file_name": f"{name}.txt"}


def checked(game: Game, start: str | None, tree: object) -> Tree:
    """A copy with every move played by the rules and spelled as the rules spell it, and nothing else in it."""
    root = _node(tree, None)
    count = 0
    # A node waits with its parent's position, which all children share: of a thousand none is made before its turn.
    waiting: list[tuple[State, Tree, dict[str, Any], int]] = []

    def children_wait(state: State, node: Tree, source: object, depth: int) -> None:
        nonlocal count
        check_length(game, depth)
        children = _children(source)
        count += len(children)
        check_nodes(count)
        waiting.extend((state, node, child, depth) for child in reversed(children))

    children_wait(start_of(game, start), root, tree, 0)
    while waiting:
        before, parent, source, depth = waiting.pop()
        text = source.get("move")
        if not isinstance(text, str) or not _is_text(text):
            raise KifuError("bad_moves", "every node below the first needs a move")
        state = before.copy()
        node = _node(source, play_moves(state, text, depth))
        parent["children"].append(node)
        children_wait(state, node, source, depth + 1)
    return root


def _node(source: object, move: str | None) -> Tree:
    if not isinstance(source, dict):
        raise KifuError("bad_moves", "a node is an object with move, comment and children")
    comment = source.get("comment")
    if comment is not None and (not isinstance(comment, str) or not _is_text(comment)):
        raise KifuError("bad_moves", "a comment is a text")
    return {"move": move, **({"comment": comment} if comment else {}), "children": []}


def _children(source: object) -> list[dict[str, Any]]:
    children = source.get("children", []) if isinstance(source, dict) else None
    if not isinstance(children, list) or not all(isinstance(child, dict) for child in children):
        raise KifuError("bad_moves", "children are a list of nodes")
    return children


def _is_text(text: str) -> bool:
    """JSON can hold halves of characters, which no file can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _read_json(text: str) -> tuple[Game, str | None, object, About]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise KifuError("bad_request", f"not JSON: {error}") from None
    start = content.get("start")
    if not isinstance(content.get("game"), str) or not isinstance(start, str | None) or "tree" not in content:
        raise KifuError("bad_request", "not a game: it needs game, start and tree")
    if not _is_text(content["game"] + (start or "")):
        raise KifuError("bad_request", "not a game: it holds halves of characters")
    return make_game(content["game"]), start, content["tree"], _about(content)


def _about(content: dict[str, Any]) -> About:
    """What is told beside the moves; whatever is no short text is left out."""

    def fact(value: object) -> str | None:
        return value[:LONGEST_FACT] if isinstance(value, str) and value and _is_text(value) else None

    players = content.get("players")
    first, second = players if isinstance(players, list) and len(players) == 2 else (None, None)
    return About((fact(first), fact(second)), fact(content.get("result")), fact(content.get("date")))


def _read_plain(text: str, game: Game) -> tuple[Game, str | None, Tree]:
    """Moves, or a position: only positions have rows, separated by slashes."""
    if not _is_text(text):
        raise KifuError("bad_moves", "the moves are not text")
    state: State
    try:
        state = game.position(text) if "/" in text else game.from_moves(text or "-")
    except GameError as error:
        raise KifuError("bad_position" if "/" in text else "bad_moves", error) from None
    return game, state.start_text() or None, line(move_texts(state))
