"""Gomocup's protocol (plastovicka.github.io/protocl2en.htm) for Piskvork and other managers of Gomoku programs.

    gomocup.py         this: commands and answers
    gomocup_limits.py  time and memory, as the manager grants them
    gomocup_swap.py    the opening of swap2

A command gets one line: coordinates, OK, ERROR or UNKNOWN; INFO gets none. The manager does not read while it sends
INFO, so what there is to say about one (MESSAGE) waits for the next answer. An ERROR leaves everything as it was.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from importlib.metadata import version

from tengen import games
from tengen.config import ConfigError
from tengen.engine.board import Board
from tengen.engine.channel import Channel, Odd
from tengen.engine.gomocup_limits import GomocupLimits
from tengen.engine.gomocup_swap import Judgement, open_swap2
from tengen.engine.thinker import Thinker
from tengen.games import Game, GameError, State

__all__ = ["serve"]

RULES = {"0": "freestyle", "1": "exact", "4": "renju"}  # of the manager's sum of bits; 2 goes on after five, 8 is caro
STONE = re.compile(r"(\d{1,4}) *, *(\d{1,4})", re.ASCII)
STONE_OF = re.compile(r"(\d{1,4}) *, *(\d{1,4}) *, *([123])", re.ASCII)
NUMBER = re.compile(r"-?\d{1,15}", re.ASCII)


def serve(channel: Channel, thinker: Thinker, game: Game) -> None:
    """Answers commands until the manager says END or goes away. Raises GameError where a game has other moves."""
    if not {"rule", "in_a_row"} <= games.options(game).keys():
        raise GameError(f"the protocol of Gomocup is for stones in a row, not for {game.id}")
    brain = Brain(channel, thinker, game)
    thinker.prepare(game)
    while (line := brain.read()) is not Odd.END:
        if line is Odd.TOO_LONG:
            brain.say("ERROR the line is too long")
        elif not brain.obey(str(line)):
            return


class Brain:
    """What the protocol calls an engine: a board, limits, and who thinks."""

    def __init__(self, channel: Channel, thinker: Thinker, game: Game) -> None:
        self._channel, self._thinker, self._game = channel, thinker, game
        self._board: Board | None = None  # before START
        self._cells: list[str] = []  # names of the board's cells, row by row
        self._limits = GomocupLimits()
        self._notes: list[str] = []
        self._pushed: str | None = None  # a command where a stone was expected

    def read(self) -> str | Odd:
        line, self._pushed = self._pushed, None
        return self._channel.read() if line is None else line

    def say(self, answer: str) -> None:
        self._channel.write("".join(f"{line}\r\n" for line in [*self._notes, answer]))
        self._notes.clear()

    def obey(self, line: str) -> bool:
        """Carries a command out; False when it was the last."""
        name, _, rest = line.strip().partition(" ")
        if name.upper() == "END":
            return False
        command = COMMANDS.get(name.upper())
        try:
            answer = command(self, rest.strip()) if command else "UNKNOWN command"
        except (GameError, ConfigError, MemoryError) as error:
            answer = f"ERROR {' '.join(str(error).split())}"
        if name and answer:
            self.say(answer)
            if self._board and answer[0].isdigit():
                self._thinker.ponder(self._board.state, self._channel.waiting)
        return True

    def start(self, rest: str) -> str:
        if not re.fullmatch(r"\d{1,4}", rest, re.ASCII):
            raise GameError("START needs a size")
        try:
            self._begin(self._variant(int(rest), games.options(self._game)["rule"]))
        except GameError:
            return "ERROR unsupported size"
        return "OK"

    def rectstart(self, rest: str) -> str:
        found = STONE.fullmatch(rest)
        if not found or found[1] != found[2]:
            raise GameError("rectangular boards are not supported")
        return self.start(found[1])

    def restart(self, rest: str) -> str:
        self._begin(self._started().game)
        return "OK"

    def begin(self, rest: str) -> str:
        if any(self._started().state.stones()):
            raise GameError("the board is not empty")
        return self._move(self._started())

    def turn(self, rest: str) -> str:
        board = self._started()
        (cell,) = self._numbers(STONE, rest)
        board.play(board.state.to_move(), self._cells[cell])
        try:
            return self._move(board)
        except (GameError, ConfigError, MemoryError):
            board.undo()
            raise

    def board(self, rest: str) -> str:
        """The stones in any order, of the side to move (1) and of the other (2); there are as many of both, or one more
        of the other. Stones that a manager has taken out of the game (3) are unknown to the rules."""
        old = self._started()
        stones = [0] * len(self._cells)
        for cell, owner in self._stones(STONE_OF):
            if owner == 3:
                raise GameError("stones that no longer count are not supported")
            stones[cell] = owner
        side = int(stones.count(1) != stones.count(2))
        new = Board(old.game)
        new.set_up([stone and (stone - 1 ^ side) + 1 for stone in stones], side)
        answer = self._move(new)
        self._board = new
        return answer

    def takeback(self, rest: str) -> str:
        board = self._started()
        (cell,) = self._numbers(STONE, rest)
        stones, side = board.state.stones(), 1 - board.state.to_move()
        stones[cell] = 0  # the rules refuse what is left if it was not the last move's
        board.set_up(stones, side)
        return "OK"

    def swap2board(self, rest: str) -> str:
        new = Board(self._started().game)
        for (cell,) in self._stones(STONE):
            new.play(new.state.to_move(), self._cells[cell])
        answer = open_swap2(new, self._judge)
        self._board = new
        return " ".join(self._point(cell) for cell in answer) or "SWAP"

    def info(self, rest: str) -> None:
        key, _, value = rest.partition(" ")
        value = value.strip()
        if key.lower() == "rule":
            self._change_rule(value)
        elif NUMBER.fullmatch(value):
            self._limits.set(key.lower(), int(value))
            if key.lower() == "max_memory":
                self._thinker.limit_memory(max(0, int(value)))
                self._thinker.prepare(self._board.game if self._board else self._game)

    def about(self, rest: str) -> str:
        return f'name="Tengen", version="{version("tengen")}"'

    def _change_rule(self, value: str) -> None:
        try:
            if value not in RULES:
                raise GameError(f"rules are {', '.join(f'{key} ({rule})' for key, rule in RULES.items())}")
            game = self._variant(self._game.layout()["cols"], RULES[value])
            if self._board:
                state, new = self._board.state, Board(game)
                new.set_up(state.stones(), state.to_move())
                self._board = new
            self._game = game
            self._thinker.prepare(game)
        except GameError as error:
            self._notes.append(f"MESSAGE this rule is not supported: {error}")

    def _variant(self, size: int, rule: str) -> Game:
        kept = [part for part in self._game.id.split(",")[1:] if not part.startswith("rule=")]
        return games.make(",".join([f"{self._game.name}:{size}", *kept, f"rule={rule}"]))

    def _begin(self, game: Game) -> None:
        """An empty board."""
        self._game, self._board, self._cells = game, Board(game), game.layout()["cell_names"]
        self._limits.restart()
        self._thinker.prepare(game)
        self._thinker.forget()

    def _started(self) -> Board:
        if self._board is None:
            raise GameError("START comes first")
        return self._board

    def _numbers(self, form: re.Pattern[str], text: str) -> tuple[int, ...]:
        """The cell that a text names, and what follows it."""
        found = form.fullmatch(text)
        if not found:
            raise GameError("coordinates are X,Y from 0")
        x, y, *more = map(int, found.groups())
        size = self._game.layout()["cols"]
        if not (x < size and y < size):
            raise GameError(f"coordinates are from 0 to {size - 1}")
        return y * size + x, *more

    def _stones(self, form: re.Pattern[str]) -> list[tuple[int, ...]]:
        """The lines up to DONE. A wrong one spoils all of them, a command ends them."""
        found: dict[int, tuple[int, ...]] = {}
        wrong: str | None = None
        while (line := self._channel.read()) is not Odd.END:
            text = "?" if isinstance(line, Odd) else line.strip()
            if text.upper() == "DONE" and wrong:
                break
            if text.upper() == "DONE":
                return list(found.values())
            if text.partition(" ")[0].upper() in [*COMMANDS, "END"]:
                self._pushed = text
                raise GameError("DONE is missing")
            try:
                if text and found.setdefault((stone := self._numbers(form, text))[0], stone) is not stone:
                    wrong = "there are two stones in one place"
            except GameError as error:
                wrong = str(error)
        raise GameError(wrong or "DONE is missing")

    def _move(self, board: Board) -> str:
        """Plays for the side to move."""
        side, (action, _) = board.state.to_move(), self._judge(board.state)
        text, cell = board.state.move_text(action), board.state.landing_cell(action)
        board.play(side, text)
        return self._point(cell or 0)

    def _judge(self, state: State, share: float = 1.0) -> Judgement:
        """The best move and what it is worth, within a share of the time for a move."""
        if state.is_terminal():
            raise GameError("the game is over")
        begun = time.monotonic()
        self._thinker.agent(state.game)  # which may still be loading
        if self._thinker.cramped:
            self._notes.append(f"MESSAGE {self._thinker.cramped}")
            self._thinker.cramped = None
        budget = self._limits.budget(state.stones().count(0), share, time.monotonic() - begun)
        action = self._thinker.choose(state, budget)
        value = self._thinker.move_info(state, action).q
        self._limits.spend(time.monotonic() - begun)
        return action, value

    def _point(self, cell: int) -> str:
        y, x = divmod(cell, self._game.layout()["cols"])
        return f"{x},{y}"


COMMANDS: dict[str, Callable[[Brain, str], str | None]] = {
    "START": Brain.start,
    "RECTSTART": Brain.rectstart,
    "RESTART": Brain.restart,
    "BEGIN": Brain.begin,
    "TURN": Brain.turn,
    "BOARD": Brain.board,
    "TAKEBACK": Brain.takeback,
    "SWAP2BOARD": Brain.swap2board,
    "INFO": Brain.info,
    "ABOUT": Brain.about,
}
