"""GTP, version 2: Go as it was made for, and every other game by its own move texts.

The first player is Black. A game is told by its moves, so a position that was set up from text cannot be told.
"""

from __future__ import annotations

import math

from tengen import games
from tengen.games import Game, State
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

    def choose(self, state: State) -> int:
        if state.start_text():
            raise EngineFault("GTP tells games by their moves: this position was set up from text")
        news = self._followed.news(state)
        if news is None:
            self._begin()
            news = state.moves()
        position = self._game.start()
        for action in state.moves()[: state.ply() - len(news)]:
            position.apply(action)
        for action in news:
            self.command(f"play {COLOURS[position.to_move()]} {position.move_text(action)}")
            position.apply(action)
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

    def _begin(self) -> None:
        layout = self._game.layout()
        if layout["rows"] == layout["cols"]:  # GTP knows no other boards
            self._tell(f"boardsize {layout['rows']}")
        komi = games.options(self._game).get("komi")
        if komi is not None:
            self._tell(f"komi {float(komi)}")
        if self._limits.seconds:  # a byo-yomi of one stone, in whole seconds as GTP has it
            self._tell(f"time_settings 0 {math.ceil(self._limits.seconds)} 1")
        self.command("clear_board")

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


GTP = WireProtocol("gtp", lambda game: None, GtpClient)
