"""The protocol of Gomocup and Piskvork: five in a row on a square board; coordinates x,y from 0 at the top left."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tengen import games
from tengen.games import Game, State
from tengen.play.clock import Timer
from tengen.play.outside.limits import EngineLimits
from tengen.play.outside.process import EngineFault, EngineProcess
from tengen.play.outside.protocols import Followed, WireProtocol, action_at, beginning

__all__ = ["GOMOCUP", "GomocupClient"]

RULES = {"freestyle": 0, "exact": 1, "renju": 4}  # the game's words and the protocol's numbers
WINNING_ROW = 5
NO_LIMIT = 2147483647  # milliseconds left, where a game has no time limit
AGAINST_ENGINE = 1  # the game type of an opponent that is a program


class GomocupClient:
    def __init__(self, process: EngineProcess, game: Game, limits: EngineLimits) -> None:
        self._process, self._game, self._limits = process, game, limits
        self._cols = int(game.layout()["cols"])
        self._followed = Followed()

    def get_ready(self, state: State, clocks: Sequence[Timer] | None) -> None:
        self._begin()

    def choose(self, state: State, clocks: Sequence[Timer] | None) -> int:
        news = self._followed.news(state)
        if news is not None and len(news) == 1:
            turn = [f"TURN {self._place(_cells(state)[-1])}"]
        else:
            self._begin()
            turn = self._position(state)
        self._tell(self._times(clocks[state.to_move()] if clocks else None))
        self._process.send(*turn)
        found = self._answer(r"(\d+)\s*,\s*(\d+)")
        x, y = (int(number[:6]) for number in found.groups())
        cell = y * self._cols + x if x < self._cols else -1
        action = action_at(state, cell, found[0])
        self._followed.knows(state, action)
        return action

    def _begin(self) -> None:
        self._process.send(f"START {self._cols}")
        self._answer("OK.*")
        rule = RULES[games.options(self._game)["rule"]]
        self._tell({"max_memory": self._limits.memory_mb << 20, "game_type": AGAINST_ENGINE, "rule": rule})

    def _tell(self, facts: dict[str, int]) -> None:
        self._process.send(*(f"INFO {name} {value}" for name, value in facts.items()))

    def _times(self, timer: Timer | None) -> dict[str, int]:
        """In milliseconds. The protocol knows time per move and per game; an increment shows in what is left."""
        if timer:
            left = round(1000 * timer.left)
            return {"timeout_turn": left, "timeout_match": round(1000 * timer.all_left()), "time_left": left}
        turn = round(1000 * self._limits.seconds)
        return {"timeout_turn": turn, "timeout_match": 0, "time_left": NO_LIMIT} if turn else {}

    def _position(self, state: State) -> list[str]:
        cells = _cells(state)
        if not cells:
            return ["BEGIN"]
        stones, own = state.stones(), state.to_move() + 1
        return ["BOARD", *(f"{self._place(cell)},{1 if stones[cell] == own else 2}" for cell in cells), "DONE"]

    def _place(self, cell: int) -> str:
        y, x = divmod(cell, self._cols)
        return f"{x},{y}"

    def _answer(self, pattern: str) -> re.Match[str]:
        """The next line that is an answer; engines print MESSAGE, DEBUG and other lines between."""
        while not (found := re.fullmatch(pattern, line := self._process.line().strip(), re.ASCII)):
            if line.startswith("ERROR"):
                raise EngineFault(f"says {line[:80]}")
        return found


def _cells(state: State) -> list[int]:
    """Where the stones are, in the order in which they were played."""
    position = beginning(state)
    cells = [cell for cell, stone in enumerate(position.stones()) if stone]
    for action in state.moves():
        cell = position.landing_cell(action)
        cells += [] if cell is None else [cell]
        position.apply(action)
    return cells


def _refuses(game: Game) -> str | None:
    layout, options = game.layout(), games.options(game)
    if layout["kind"] != "lines" or layout["rows"] != layout["cols"] or not {"in_a_row", "rule"} <= options.keys():
        return "it is for games of stones in a row"
    if float(options["in_a_row"]) != WINNING_ROW:
        return f"it has only {WINNING_ROW} in a row"
    return None if options["rule"] in RULES else f"it has no rule {options['rule']}"


GOMOCUP = WireProtocol("gomocup", _refuses, GomocupClient)
