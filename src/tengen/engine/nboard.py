"""NBoard's protocol, version 2 (github.com/weltyc/ntest, instructions/Protocol.htm), for discs that are turned over.

The client tells the game as GGF and by its moves, and asks with `go` and `hint`; lines that make no sense are ignored,
as the protocol wants it, and change nothing. Whatever comes in ends a search under way: a client that says `ping`
waits for `pong` and no longer for a move.

The depths that its users choose are those of another kind of search. Here two plies more double the simulations:

    depth          1    6     10     20       26 and more
    simulations   70  400  1,600  51,200  409,600 … 1,000,000

An evaluation is the value of the search, −1 … 1, times the cells of the board: for a lead in discs one would need a
network that counts them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress

from tengen import games
from tengen.config import ConfigError
from tengen.engine.board import Board, pass_of
from tengen.engine.channel import Channel, Odd
from tengen.engine.thinker import Thinker
from tengen.games import Game, GameError, State
from tengen.search.agent import MoveInfo

__all__ = ["serve"]

FEWEST_SIMS, MOST_SIMS = 50, 1_000_000
EVERY = 0.5  # seconds between two reports of a hint
PASS = "PA"
MARKS = "-*O"  # of a cell in GGF: empty, the first player's, the second's
PROPERTY = re.compile(r"([A-Z]{1,2})\[((?:\\.|[^\]\\]){0,300})\]")  # bounded: nothing is looked through twice
START = re.compile(r"(\d{1,2}) +([-*O ]+) +([*O])", re.ASCII)
NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def serve(channel: Channel, thinker: Thinker, game: Game) -> None:
    """Answers lines until the client quits or goes away. Raises GameError where a game has other moves."""
    if game.layout()["kind"] != "discs":
        raise GameError(f"the protocol of NBoard is for discs that are turned over, not for {game.id}")
    engine = DiscEngine(channel, thinker, game)
    thinker.prepare(game)
    while (line := channel.read()) is not Odd.END:
        if isinstance(line, str) and not engine.obey(line):
            return


class DiscEngine:
    """A game of discs, and who thinks about it."""

    def __init__(self, channel: Channel, thinker: Thinker, game: Game) -> None:
        self._channel, self._thinker = channel, thinker
        self._board = Board(game)
        self._depth: int | None = None

    def obey(self, line: str) -> bool:
        """Carries a line out; False when it was the last."""
        name, _, rest = line.strip().partition(" ")
        if name == "set":
            key, _, rest = rest.strip().partition(" ")
            name = f"set {key}"
        if command := COMMANDS.get(name):
            try:
                command(self, rest.strip())
            except (GameError, ConfigError, MemoryError) as error:
                self._say(f"status cannot search: {' '.join(str(error).split())}")
        return name != "quit"

    def nboard(self, rest: str) -> None:
        self._say("set myname Tengen")

    def depth(self, rest: str) -> None:
        if NUMBER.fullmatch(rest):
            self._depth = int(rest)
            self._say(f"set myname Tengen{self._depth}")

    def game(self, rest: str) -> None:
        with suppress(GameError):
            self._board = _read_ggf(rest, self._board.game)
            self._thinker.prepare(self._board.game)

    def move(self, rest: str) -> None:
        with suppress(GameError):
            _play(self._board, self._board.state.to_move(), rest)

    def hint(self, rest: str) -> None:
        if not NUMBER.fullmatch(rest):
            return
        state, moves, said = self._board.state, max(1, int(rest)), 0.0
        if self._is_over(state):
            return
        self._say("status Tengen is analyzing")
        for spent in self._thinker.looks(state, EVERY, self._sims(state.game)):
            if self._channel.waiting():
                break
            if spent - said >= EVERY:
                self._show(state, moves)
                said = spent
        self._show(state, moves)
        self._say("status")

    def go(self, rest: str) -> None:
        state = self._board.state
        if self._is_over(state):
            return
        self._say("status Tengen is thinking")
        begun = time.monotonic()
        action = self._thinker.choose(state, None, self._channel.waiting, self._sims(state.game))
        found = self._thinker.move_info(state, action)
        text = _written(state.move_text(action))
        self._say(f"=== {text}/{_evaluation(state, found)}/{time.monotonic() - begun:.2f}")
        self._say("status")

    def ping(self, rest: str) -> None:
        if NUMBER.fullmatch(rest):
            self._say(f"pong {int(rest)}")

    def learn(self, rest: str) -> None:
        self._say("learned")

    def _say(self, line: str) -> None:
        self._channel.write(f"{line}\n")

    def _is_over(self, state: State) -> bool:
        if state.is_terminal():
            self._say("status the game is over")
        return state.is_terminal()

    def _show(self, state: State, moves: int) -> None:
        """The most visited moves, best first."""
        for move in self._thinker.report(state, lines=moves).moves[:moves]:
            line = "-".join(map(_written, move.pv))
            self._say(f"search {line} {_evaluation(state, move)} 0 {self._depth or 0}")

    def _sims(self, game: Game) -> int:
        """As many as a person asked for; else by the depth; else as many as the player takes by itself."""
        if self._depth is None or self._thinker.bounded:
            return self._thinker.agent(game).config.sims
        return min(MOST_SIMS, int(FEWEST_SIMS * 2 ** (min(self._depth, 50) / 2)))


def _read_ggf(text: str, game: Game) -> Board:
    """The game in a GGF text, on any board that the rules have. Raises GameError."""
    properties = PROPERTY.findall(text)
    start = START.fullmatch(next((value for name, value in properties if name == "BO"), "").strip())
    if not start:
        raise GameError("the game has no board")
    size, marks, side = int(start[1]), start[2].replace(" ", ""), MARKS.index(start[3]) - 1
    if len(marks) != size * size:
        raise GameError("the board has another size")
    board = Board(games.make(f"{game.name}:{size}"))
    stones = [MARKS.index(mark) for mark in marks]
    if (stones, side) != (board.state.stones(), board.state.to_move()):
        board.set_up(stones, side)
    for colour, move in ((name, value) for name, value in properties if name in ("B", "W")):
        _play(board, "BW".index(colour), move)
    return board


def _play(board: Board, side: int, move: str) -> None:
    """A move such as D3/0.5/1.2. Some programs leave passes out. Raises GameError."""
    text = move.partition("/")[0].strip()
    if board.state.to_move() != side and pass_of(board.state) is None:
        raise GameError("it is the other side's turn")
    board.play(side, "pass" if text.upper() == PASS else text)


def _written(text: str) -> str:
    return PASS if text == "pass" else text.upper()


def _evaluation(state: State, move: MoveInfo) -> str:
    """In discs: the expected lead, or where nobody counts the value's share of the board."""
    return f"{move.q * len(state.stones()) if move.lead is None else move.lead:.2f}"


COMMANDS: dict[str, Callable[[DiscEngine, str], None]] = {
    "nboard": DiscEngine.nboard,
    "set depth": DiscEngine.depth,
    "set game": DiscEngine.game,
    "move": DiscEngine.move,
    "hint": DiscEngine.hint,
    "go": DiscEngine.go,
    "ping": DiscEngine.ping,
    "learn": DiscEngine.learn,
}
