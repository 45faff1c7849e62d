"""The Go Text Protocol, version 2 (lysator.liu.se/~gunnar/gtp), for Go and, by their move texts, for all other games.

    gtp.py             this: lines, answers, and who carries a command out
    gtp_session.py     what commands share
    gtp_setup.py       board, komi, rules, handicap, files
    gtp_play.py        moves, time, scores
    gtp_analyze.py     analysis
    gtp_clock.py       clocks

It never resigns: a position that is lost against perfect play is not lost against people.
"""

from __future__ import annotations

import re
from importlib.metadata import version

from tengen.config import ConfigError
from tengen.engine.board import Board
from tengen.engine.channel import Channel, Odd
from tengen.engine.gtp_analyze import ANALYSIS_COMMANDS
from tengen.engine.gtp_play import PLAY_COMMANDS
from tengen.engine.gtp_session import GtpCommand, GtpError, GtpSession, at_least, has_komi
from tengen.engine.gtp_setup import HANDICAP_COMMANDS, SETUP_COMMANDS
from tengen.engine.thinker import Thinker
from tengen.games import Game, GameError

__all__ = ["serve"]

CONTROLS = dict.fromkeys([*range(32), 127]) | {ord("\t"): " "}
ID = re.compile(r"\d{1,10}", re.ASCII)


def serve(channel: Channel, thinker: Thinker, game: Game) -> None:
    """Answers commands until the client quits or goes away."""
    session = GtpSession(channel, thinker, Board(game))
    thinker.prepare(game)
    while not session.over:
        if not channel.waiting():
            _use_idle_time(session)
        line = channel.read()
        if session.open:
            channel.write("\n")
            session.open = False
        if line is Odd.END:
            return
        if isinstance(line, Odd):
            channel.write("? syntax error\n\n")
        elif command := _cleaned(line):
            _answer(session, command)


def _use_idle_time(session: GtpSession) -> None:
    """The player for the board as it is now is made before it is asked; then it ponders, if it is to."""
    session.thinker.prepare(session.board.game)
    if session.pondering:
        session.thinker.ponder(session.board.state, session.channel.waiting)


def _cleaned(line: str) -> str:
    """Without control characters and comments; tabs are blanks."""
    return line.translate(CONTROLS).partition("#")[0].strip(" ")


def _answer(session: GtpSession, line: str) -> None:
    words = [word for word in line.split(" ") if word]
    session.id = words.pop(0) if ID.fullmatch(words[0]) else ""
    command = _commands(session).get(words[0]) if words else None
    try:
        if command is None:
            raise GtpError("unknown command")
        answer = command(session, words[1:])
    except GtpError as error:
        session.channel.write(f"?{session.id} {error}\n\n")
    except (GameError, ConfigError, MemoryError) as error:  # of whoever should think
        session.channel.write(f"?{session.id} cannot search: {' '.join(str(error).split())}\n\n")
    else:
        if answer is not None:
            blank = " " if answer and not answer.startswith("\n") else ""
            session.channel.write(f"={session.id}{blank}{answer}\n\n")


def _commands(session: GtpSession) -> dict[str, GtpCommand]:
    """What the game of a session has a use for."""
    handicap = HANDICAP_COMMANDS if has_komi(session.board.game) else {}
    return ADMIN_COMMANDS | SETUP_COMMANDS | handicap | PLAY_COMMANDS | ANALYSIS_COMMANDS


def _known_command(session: GtpSession, args: list[str]) -> str:
    at_least(args, 1)
    return "true" if args[0] in _commands(session) else "false"


def _quit(session: GtpSession, args: list[str]) -> str:
    session.over = True
    return ""


def _stop(session: GtpSession, args: list[str]) -> str:
    """An analysis has ended already, by the line itself."""
    session.pondering = False
    return ""


def _clear_cache(session: GtpSession, args: list[str]) -> str:
    session.thinker.forget()
    return ""


ADMIN_COMMANDS: dict[str, GtpCommand] = {
    "protocol_version": lambda session, args: "2",
    "name": lambda session, args: "Tengen",
    "version": lambda session, args: version("tengen"),
    "known_command": _known_command,
    "list_commands": lambda session, args: "\n".join(_commands(session)),
    "quit": _quit,
    "stop": _stop,
    "clear_cache": _clear_cache,
}
