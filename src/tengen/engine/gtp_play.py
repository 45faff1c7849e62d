"""GTP: moves, time, and how a game ended."""

from __future__ import annotations

import time
from collections.abc import Callable

from tengen.engine.gtp_clock import named_control, usual_control
from tengen.engine.gtp_session import GtpCommand, GtpError, GtpSession, at_least, colour, real, to_vertex, whole
from tengen.games import GameError, State
from tengen.play.clock import ClockError, TimeControl

__all__ = ["PLAY_COMMANDS", "done", "move_for"]

MOST_STONES = 10_000  # in a period of overtime, or periods


def _play(session: GtpSession, args: list[str]) -> str:
    at_least(args, 2)
    side = colour(args[0])
    try:
        session.board.play(side, args[1])
    except GameError:
        raise GtpError("illegal move") from None
    return ""


def _undo(session: GtpSession, args: list[str]) -> str:
    try:
        session.board.undo()
    except GameError:
        raise GtpError("cannot undo") from None
    return ""


def _genmove(session: GtpSession, args: list[str]) -> str:
    at_least(args, 1)
    side, begun = colour(args[0]), time.monotonic()
    move = session.board.pass_after_end() or move_for(session, session.turn(side))
    return done(session, side, move, begun)


def _reg_genmove(session: GtpSession, args: list[str]) -> str:
    """A move that is not played, and that no clock hurries."""
    at_least(args, 1)
    state = session.turn(colour(args[0]))
    move = session.board.pass_after_end() or state.move_text(session.thinker.choose(state, None))
    return to_vertex(state.game, move)


def move_for(session: GtpSession, state: State, look: Callable[[], bool] = lambda: False) -> str:
    """The engine's move by its clock. `look` is called now and then; True ends the search."""
    return state.move_text(session.thinker.choose(state, session.clocks.budget(state), look))


def done(session: GtpSession, side: int, move: str, begun: float) -> str:
    """Plays the engine's own move; returns it as the client reads it."""
    session.board.play(side, move)
    session.clocks.spend(side, time.monotonic() - begun)
    session.pondering = True
    return to_vertex(session.board.game, move)


def _time_settings(session: GtpSession, args: list[str]) -> str:
    at_least(args, 3)
    return _start_clocks(session, lambda: usual_control(real(args[0]), real(args[1]), whole(args[2], MOST_STONES)))


def _named_time_settings(session: GtpSession, args: list[str]) -> str:
    at_least(args, 1)
    return _start_clocks(session, lambda: named_control(args[0].lower(), [real(arg) for arg in args[1:5]]))


def _start_clocks(session: GtpSession, control: Callable[[], TimeControl | None]) -> str:
    try:
        session.clocks.start(control())
    except ValueError:
        raise GtpError("syntax error") from None
    session.thinker.wait()
    return ""


def _time_left(session: GtpSession, args: list[str]) -> str:
    at_least(args, 3)
    # Referees that measure late send a little less than nothing.
    side, seconds, stones = colour(args[0]), max(0.0, real(args[1])), whole(args[2], MOST_STONES)
    try:
        session.clocks.correct(side, seconds, stones)
    except ClockError:
        raise GtpError("syntax error") from None
    return ""


def _final_score(session: GtpSession, args: list[str]) -> str:
    score = session.board.state.score()
    if score is None:
        raise GtpError("cannot score")
    lead = score[0] - score[1]
    return f"{'BW'[lead < 0]}+{abs(lead):g}" if lead else "0"


def _final_status_list(session: GtpSession, args: list[str]) -> str:
    """The rules count what stands on the board: to be dead, a stone must have been captured."""
    at_least(args, 1)
    status = args[0].lower()
    if status not in ("alive", "dead", "seki"):
        raise GtpError("syntax error")
    state, game = session.board.state, session.board.game
    if state.score() is None:
        raise GtpError("cannot score")
    stones = zip(state.stones(), game.layout()["cell_names"], strict=True)
    return " ".join(to_vertex(game, name) for stone, name in stones if stone) if status == "alive" else ""


def _showboard(session: GtpSession, args: list[str]) -> str:
    """An empty line would end the answer."""
    lines = [line.rstrip() for line in session.board.state.render().splitlines()]
    return "\n" + "\n".join(line for line in lines if line)


PLAY_COMMANDS: dict[str, GtpCommand] = {
    "play": _play,
    "undo": _undo,
    "genmove": _genmove,
    "reg_genmove": _reg_genmove,
    "time_settings": _time_settings,
    "kgs-time_settings": _named_time_settings,
    "kata-time_settings": _named_time_settings,
    "time_left": _time_left,
    "final_score": _final_score,
    "final_status_list": _final_status_list,
    "showboard": _showboard,
}
