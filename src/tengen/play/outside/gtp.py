"""GTP, version 2: Go as it was made for, and every other game by its own move texts.

The first player is Black. A game is told by its moves, so a position that was set up from text cannot be told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tengen import games
from tengen.games import Game, State
from tengen.play.clock import TimeControl, Timer
from tengen.play.outside.limits import EngineLimits
from tengen.play.outside.process import EngineFault, EngineProcess
from tengen.play.outside.protocols import Followed, Resigned, WireProtocol, legal_move

__all__ = ["GTP", "GtpClient"]

COLOURS = "bw"
UNKNOWN = "unknown command"


class GtpClient:
    def __init__(self, process: EngineProcess, game: Game, limits: EngineLimits) -> None:
        self._process, self._game, self._limits = process, game, limits
        self._followed = Followed()

    def get_ready(self, state: State, clocks: Sequence[Timer] | None) -> None:
        if state.start_text():
            raise EngineFault("GTP tells games by their moves: this position was set up from text")
        news = self._followed.news(state)
        if news is None:
            self._begin(clocks[0].control if clocks else None)
            news = state.moves()
        position = self._game.start()
        for action in state.moves()[: state.ply() - len(news)]:
            position.apply(action)
        for action in news:
            self.command(f"play {COLOURS[position.to_move()]} {position.move_text(action)}")
            position.apply(action)
        self._followed.knows(state)

    def choose(self, state: State, clocks: Sequence[Timer] | None) -> int:
        self.get_ready(state, clocks)
        for side, timer in enumerate(clocks or ()):
            stones = timer.periods if timer.moves and timer.control.moves == 1 else timer.moves  # as KGS counts
            self._tell(f"time_left {COLOURS[side]} {_seconds(timer.left)} {stones}")
        answer = self.command(f"genmove {COLOURS[state.to_move()]}")
        if answer.lower() == "resign":
            raise Resigned
        action = legal_move(state, answer)
        self._followed.knows(state, action)
        return action

    def command(self, text: str) -> str:
        """The answer to a command. Raises EngineFault, also where the engine says that it failed."""
        good, answer = self._ask(text)
        if not good:
            raise EngineFault(f"fails at {text!r}: {answer[:80]}")
        return answer

    def _begin(self, control: TimeControl | None) -> None:
        layout = self._game.layout()
        if layout["rows"] == layout["cols"]:  # GTP knows no other boards
            self._tell(f"boardsize {layout['rows']}")
        komi = games.options(self._game).get("komi")
        if komi is not None:
            self._tell(f"komi {float(komi)}")
        if control:
            self._tell_control(control)
        elif self._limits.seconds:  # a byo-yomi of one stone, in whole seconds as GTP has it
            self._tell(f"time_settings 0 {math.ceil(self._limits.seconds)} 1")
        self.command("clear_board")

    def _tell_control(self, control: TimeControl) -> None:
        """By the command that is made for it; engines without it go by `time_left`."""
        main, period = _seconds(control.main), _seconds(control.period)
        if control.increment:
            self._tell(f"kata-time_settings fischer {main} {_seconds(control.increment)}")
        elif control.periods and control.moves == 1:
            self._tell(f"kgs-time_settings byoyomi {main} {period} {control.periods}")
        else:
            self._tell(f"time_settings {main} {period} {control.moves if control.periods else 0}")

    def _tell(self, text: str) -> None:
        """What an engine need not know to play: one whose game has a single board may lack `boardsize`."""
        good, answer = self._ask(text)
        if not good and answer.lower() != UNKNOWN:
            raise EngineFault(f"fails at {text!r}: {answer[:80]}")

    def _ask(self, text: str) -> tuple[bool, str]:
        """Whether it succeeded, and the answer's lines as one."""
        self._process.send(text)
        while not (line := self._process.line()).startswith(("=", "?")):
            pass  # some print lines of their own between two answers
        good, lines = line[0] == "=", [line[1:].strip()]
        while line := self._process.line():
            lines.append(line.strip())
        return good, " ".join(filter(None, lines))


def _seconds(time: float) -> str:
    """Whole seconds, as GTP has them, where that is exact or makes little difference."""
    return f"{time:.0f}" if time >= 60 or time == int(time) else f"{time:.2f}"


GTP = WireProtocol("gtp", lambda game: None, GtpClient)
