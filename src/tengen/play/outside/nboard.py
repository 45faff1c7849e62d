"""NBoard, version 2: discs on a board of 8 × 8. Games are told as GGF, then by moves; `go` does not play the move."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tengen.games import Game, State
from tengen.play.clock import Timer
from tengen.play.outside.limits import EngineLimits
from tengen.play.outside.process import EngineProcess
from tengen.play.outside.protocols import Followed, WireProtocol, beginning, legal_move

__all__ = ["NBOARD", "NBoardClient"]

SIZE = 8
MARKS = "-*O"  # of a cell in GGF: empty, the first player's, the second's
COLOURS = "BW"
PASS = "PA"
ANSWER = re.compile(r"===\s*([^\s/]+).*")  # the move, then perhaps /EVAL/SECONDS


class NBoardClient:
    def __init__(self, process: EngineProcess, game: Game, limits: EngineLimits) -> None:
        self._process, self._game = process, game
        self._followed = Followed()
        self._pings = 0
        process.send("nboard 2", *([f"set depth {limits.depth}"] if limits.depth else []))

    def get_ready(self, state: State, clocks: Sequence[Timer] | None) -> None:
        self._synchronise()

    def choose(self, state: State, clocks: Sequence[Timer] | None) -> int:
        news = self._followed.news(state)
        if news is None:
            self._process.send(f"set game {_ggf(state)}")
        else:
            texts = _move_texts(state)
            self._process.send(*(f"move {text}" for text in texts[len(texts) - len(news) :]))
        self._followed.knows(state)
        self._synchronise()
        self._process.send("go")
        while not (found := ANSWER.fullmatch(self._process.line().strip())):
            pass  # status, search and other lines for people to read
        return legal_move(state, "pass" if found[1].upper() == PASS else found[1])

    def _synchronise(self) -> None:
        """Waits until everything sent before was understood."""
        self._pings += 1
        self._process.send(f"ping {self._pings}")
        while self._process.line().split() != ["pong", str(self._pings)]:
            pass


def _ggf(state: State) -> str:
    """The whole game: where it began, and every move."""
    position = beginning(state)
    board = "".join(MARKS[stone] for stone in position.stones())
    first = position.to_move()
    moves = "".join(f"{COLOURS[(first + i) % 2]}[{text}]" for i, text in enumerate(_move_texts(state)))
    names = "PC[Tengen]PB[first]PW[second]RE[?]TI[0]TY[8]"
    return f"(;GM[Othello]{names}BO[{SIZE} {board} {MARKS[first + 1]}]{moves};)"


def _move_texts(state: State) -> list[str]:
    position, texts = beginning(state), []
    for action in state.moves():
        texts.append(PASS if position.landing_cell(action) is None else position.move_text(action).upper())
        position.apply(action)
    return texts


def _refuses(game: Game) -> str | None:
    layout = game.layout()
    fits = (layout["kind"], layout["rows"], layout["cols"]) == ("discs", SIZE, SIZE)
    return None if fits else f"it is for discs on a board of {SIZE} × {SIZE}"


NBOARD = WireProtocol("nboard", _refuses, NBoardClient)
