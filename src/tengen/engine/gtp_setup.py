"""GTP: the board, its size, komi and rules, handicaps, and games from files."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

from tengen import games
from tengen.engine.gtp_session import GtpCommand, GtpError, GtpSession, at_least, real, to_vertex, whole
from tengen.engine.rulesets import RULES, are_played
from tengen.games import Game, GameError
from tengen.kifu import deepest, play_main_line, read_sgf
from tengen.kifu.sgf_file import read_bounded

__all__ = ["HANDICAP_COMMANDS", "SETUP_COMMANDS"]


def _boardsize(session: GtpSession, args: list[str]) -> str:
    at_least(args, 1)
    size = whole(args[0])
    game, layout = session.board.game, session.board.game.layout()
    entry = next(entry for entry in games.registry() if entry["name"] == game.name)
    if entry["sizes"]:
        try:
            game = _other(game, str(size), games.options(game))
        except GameError:
            raise GtpError("unacceptable size") from None
    elif size != max(layout["rows"], layout["cols"]):
        raise GtpError("unacceptable size")
    _new_game(session, game)
    return ""


def _clear_board(session: GtpSession, args: list[str]) -> str:
    _new_game(session, session.board.game)
    return ""


def _new_game(session: GtpSession, game: Game) -> None:
    session.board.clear(game)
    session.clocks.restart()
    session.thinker.forget()
    session.pondering = False


def _other(game: Game, size: str, options: dict[str, str]) -> Game:
    return games.make(",".join([f"{game.name}:{size}", *(f"{key}={value}" for key, value in options.items())]))


def _komi(session: GtpSession, args: list[str]) -> str:
    """The moves stay as they are. A komi beyond the rules, such as a quarter of a point, is refused: to play with
    another one in silence would give another result."""
    at_least(args, 1)
    game, komi = session.board.game, real(args[0])
    try:
        changed = _other(game, str(game.layout()["cols"]), games.options(game) | {"komi": str(komi)})
    except GameError:
        raise GtpError("syntax error") from None
    session.board.change(changed)
    return ""


def _get_rules(session: GtpSession, args: list[str]) -> str:
    return json.dumps(RULES, separators=(",", ":"))


def _set_rules(session: GtpSession, args: list[str]) -> str:
    at_least(args, 1)
    text = " ".join(args)
    try:
        rules = json.loads(text) if text.startswith("{") else text
    except (ValueError, RecursionError):
        raise GtpError("syntax error") from None
    if not are_played(rules, session.board.game):
        raise GtpError("these rules are not supported; see kata-get-rules")
    return ""


def _fixed_handicap(session: GtpSession, args: list[str]) -> str:
    at_least(args, 1)
    stones, size = whole(args[0]), int(session.board.game.layout()["cols"])
    points = _handicap_points(stones, size)
    if size < 7 or not points:
        raise GtpError("invalid number of stones")
    return _place(session, points)


def _place_free_handicap(session: GtpSession, args: list[str]) -> str:
    """As many as there are usual points for; the protocol allows fewer than were asked for."""
    at_least(args, 1)
    stones, size = whole(args[0]), int(session.board.game.layout()["cols"])
    points = next((found for n in range(min(stones, 9), 1, -1) if (found := _handicap_points(n, size))), [])
    if not points or stones >= size * size:
        raise GtpError("invalid number of stones")
    return _place(session, points)


def _handicap_points(stones: int, size: int) -> list[str]:
    """Where the protocol's table puts so many stones; nothing where it has no such number."""
    low = 3 if size >= 13 else 2 if size >= 7 else 1  # lines from the edge
    high, mid = size - 1 - low, size // 2
    corners = [(low, low), (high, high), (low, high), (high, low)]
    sides = [(low, mid), (high, mid), (mid, low), (mid, high)]
    most = 0 if size < 4 else 4 if size % 2 == 0 or size <= 7 else 9
    if not 2 <= stones <= most:
        return []
    even = (corners + sides)[: stones if stones < 5 else stones // 2 * 2]
    centre = [(mid, mid)] if stones >= 5 and stones % 2 else []
    return [f"{'abcdefghjklmnopqrstuvwxyz'[col]}{row + 1}" for col, row in even + centre]


def _set_free_handicap(session: GtpSession, args: list[str]) -> str:
    names = session.board.game.layout()["cell_names"]
    points = [arg.lower() for arg in args]
    if len(set(points)) < len(points) or not set(points) <= set(names):
        raise GtpError("bad vertex list")
    if not 2 <= len(points) < len(names):
        raise GtpError("invalid number of stones")
    _place(session, points)
    return ""


def _place(session: GtpSession, points: list[str]) -> str:
    board = session.board
    if board.steps or any(board.state.stones()):
        raise GtpError("board not empty")
    names = board.game.layout()["cell_names"]
    board.set_up([int(name in points) for name in names], side=1)
    return " ".join(to_vertex(board.game, point) for point in points)


def _loadsgf(session: GtpSession, args: list[str]) -> str:
    """`loadsgf FILE [MOVE]`: the main line, or its part before a move. Says nothing of what is in the file."""
    at_least(args, 1)
    before = None
    if len(args) > 1 and args[-1].isdecimal():  # a name may have blanks
        args, before = args[:-1], max(0, whole(args[-1]) - 1)
    try:
        _load(session, read_bounded(Path(" ".join(args))), before)
    except (OSError, ValueError, GameError):
        raise GtpError("cannot load file") from None
    session.clocks.restart()
    session.pondering = False
    return ""


def _load(session: GtpSession, text: str, moves: int | None) -> None:
    """Raises GameError, and changes nothing."""
    game, start, tree, _ = read_sgf(text)
    if game.name != session.board.game.name:
        raise GameError("a file of another game")
    first = play_main_line(game, start, tree, 0)
    session.board.begin(first, [node["move"] for node in islice(deepest(tree), moves)])


SETUP_COMMANDS: dict[str, GtpCommand] = {
    "boardsize": _boardsize,
    "clear_board": _clear_board,
    "loadsgf": _loadsgf,
}
# For games with komi.
HANDICAP_COMMANDS: dict[str, GtpCommand] = {
    "komi": _komi,
    "fixed_handicap": _fixed_handicap,
    "place_free_handicap": _place_free_handicap,
    "set_free_handicap": _set_free_handicap,
    "kata-get-rules": _get_rules,
    "kata-set-rules": _set_rules,
}
