"""What the commands of GTP share: the session they change, and how their arguments are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tengen.engine.board import Board
from tengen.engine.channel import Channel
from tengen.engine.gtp_clock import Clocks
from tengen.engine.thinker import Thinker
from tengen.games import Game, GameError, State, options

__all__ = ["GtpCommand", "GtpError", "GtpSession", "at_least", "colour", "has_komi", "real", "to_vertex", "whole"]

COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
NUMBER = re.compile(r"[+-]?(\d{1,9}(\.\d{0,9})?|\.\d{1,9})", re.ASCII)  # no NaN, no infinity, no exponent


class GtpError(Exception):
    """A command that fails; the message is the protocol's own where it has one."""


@dataclass
class GtpSession:
    """A client's game."""

    channel: Channel
    thinker: Thinker
    board: Board
    clocks: Clocks = field(default_factory=Clocks)
    id: str = ""  # of the command that is carried out
    open: bool = False  # an analysis goes on: its answer ends when the next line comes in
    pondering: bool = False
    over: bool = False

    def turn(self, side: int) -> State:
        """The position with a side to move. Raises GtpError where the rules know no such position."""
        try:
            state = self.board.in_turn(side)
        except GameError:
            over = self.board.state.is_terminal()
            raise GtpError("the game is over" if over else "not that side's turn") from None
        if state.is_terminal():
            raise GtpError("the game is over")
        return state


# Returns the answer, or None if it said everything itself.
GtpCommand = Callable[[GtpSession, list[str]], str | None]


def has_komi(game: Game) -> bool:
    """Is it the game that GTP was made for? Its vertices are upper-case, and it has handicaps and rule sets."""
    return "komi" in options(game)


def to_vertex(game: Game, move: str) -> str:
    """A move as a client reads it: a vertex, or the text that the game has for it."""
    return move if move == "pass" or not has_komi(game) else move.upper()


def at_least(args: Sequence[str], count: int) -> None:
    """Programs may send more than a command needs, never less."""
    if len(args) < count:
        raise GtpError("syntax error")


def colour(text: str) -> int:
    """0 for the first player, black."""
    side = COLOURS.get(text.lower())
    if side is None:
        raise GtpError("syntax error")
    return side


def real(text: str) -> float:
    if not NUMBER.fullmatch(text):
        raise GtpError("syntax error")
    return float(text)


def whole(text: str, most: int = 1_000_000) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or int(text) > most:
        raise GtpError("syntax error")
    return int(text)
