"""Another program as a player: one process per game, as many at work as there are cores.

A crash, an illegal move or silence loses the game; the next one begins with a new process.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from tengen.games import Game, State
from tengen.net.cpu import usable_cores
from tengen.play.choosers import Forfeit, PlayerError
from tengen.play.clock import Timer
from tengen.play.outside.gomocup import GOMOCUP
from tengen.play.outside.gtp import GTP
from tengen.play.outside.limits import EngineLimits
from tengen.play.outside.nboard import NBOARD
from tengen.play.outside.process import EngineFault, EngineProcess, find_program
from tengen.play.outside.protocols import Client, Resigned, WireProtocol

__all__ = ["WIRE_PROTOCOLS", "Engine", "OutsidePlayer", "fitting_slots"]

WIRE_PROTOCOLS = {protocol.name: protocol for protocol in (GTP, GOMOCUP, NBOARD)}


@dataclass(frozen=True)
class Engine:
    """A program, and how to speak to it."""

    protocol: str  # one of WIRE_PROTOCOLS
    command: tuple[str, ...]  # the program and its arguments
    limits: EngineLimits = field(default_factory=EngineLimits)
    games: tuple[str, ...] = ()  # names of those it plays; empty: whatever the protocol can tell

    @classmethod
    def parse(cls, protocol: str, command: str) -> Engine:
        """From one text, split as a shell would, without any. Raises PlayerError."""
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise PlayerError(f"{protocol}:{command[:80]}: {str(error).lower()}") from None
        if not words:
            raise PlayerError(f"{protocol}: needs a command, such as {protocol}:'./engine --option'")
        return cls(protocol, tuple(words))

    def refuses(self, game: Game) -> str | None:
        """Why it cannot play a game."""
        if self.games and game.name not in self.games:
            return f"it plays {', '.join(self.games)}"
        why = WIRE_PROTOCOLS[self.protocol].refuses(game)
        return f"{self.protocol} cannot tell it: {why}" if why else None

    def is_there(self) -> bool:
        """Whether its program is on this machine."""
        with suppress(EngineFault):
            return bool(find_program(self.command[0]))
        return False


class OutsidePlayer:
    """Raises PlayerError if the engine cannot play the game, or is not there."""

    def __init__(self, name: str, engine: Engine, game: Game, slots: int) -> None:
        self.name = " ".join(name.split())
        if why := engine.refuses(game):
            raise PlayerError(f"{self.name} does not play {game.id}: {why}")
        try:
            find_program(engine.command[0])
        except EngineFault as fault:
            raise PlayerError(f"{self.name}: {fault}") from None
        self._stop = threading.Event()
        self._seats = [_Seat(engine, game, self._stop.is_set) for _ in range(slots)]
        self._threads = ThreadPoolExecutor(min(slots, usable_cores()), "tengen-engine")

    def new_game(self, slot: int, number: int) -> None:
        self._seats[slot].new_game()

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int | Forfeit]:
        self._stop.clear()
        seats = [self._seats[slot] for slot in slots]
        if len(seats) == 1:  # without a thread, so that Ctrl-C ends it
            return [seats[0].choose(states[0])]
        return list(self._threads.map(_Seat.choose, seats, states))

    def get_ready(self, state: State, slot: int, clocks: Sequence[Timer]) -> None:
        self._stop.clear()
        self._seats[slot].get_ready(state, clocks)

    def act_in_time(self, state: State, slot: int, clocks: Sequence[Timer]) -> int | Forfeit:
        self._stop.clear()
        return self._seats[slot].choose(state, clocks)

    def stop(self) -> None:
        self._stop.set()

    def close(self) -> None:
        """Ends all processes. They also end when the player is forgotten, and with Python."""
        list(self._threads.map(_Seat.close, self._seats))
        self._threads.shutdown()


class _Seat:
    """One game's engine, started when it is asked first."""

    def __init__(self, engine: Engine, game: Game, stopped: Callable[[], bool]) -> None:
        self._engine, self._game, self._stopped = engine, game, stopped
        self._protocol: WireProtocol = WIRE_PROTOCOLS[engine.protocol]
        self._process: EngineProcess | None = None
        self._client: Client | None = None

    def new_game(self) -> None:
        self._client = None

    def get_ready(self, state: State, clocks: Sequence[Timer]) -> None:
        try:
            self._ready(state, clocks).get_ready(state, clocks)
        except EngineFault:
            self.close()  # `choose` tries once more, and says what is wrong

    def _ready(self, state: State, clocks: Sequence[Timer] | None) -> Client:
        """The client of a process, which is started if there is none."""
        if self._process is None:
            self._process = EngineProcess(self._engine.command, self._engine.limits, self._stopped)
        if clocks:  # the referee's clock decides who is too late; silence far beyond it is a fault all the same
            self._process.patience = self._engine.limits.patience + clocks[state.to_move()].all_left()
        if self._client is None:
            self._client = self._protocol.client(self._process, self._game, self._engine.limits)
        return self._client

    def choose(self, state: State, clocks: Sequence[Timer] | None = None) -> int | Forfeit:
        try:
            return self._ready(state, clocks).choose(state, clocks)
        except Resigned:
            return Forfeit("resigned", fault=False)
        except EngineFault as fault:
            self.close()
            return Forfeit(str(fault), fault=not self._stopped())

    def close(self) -> None:
        if self._process:
            self._process.close()
        self._process = self._client = None


def fitting_slots(most: int) -> int:
    """Games side by side: enough to keep every core at work."""
    return min(most, 2 * usable_cores())
