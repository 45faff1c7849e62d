"""How a position is told to an engine and its answer understood: what all protocols have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tengen.games import Game, GameError, State
from tengen.play.clock import Timer
from tengen.play.outside.limits import EngineLimits
from tengen.play.outside.process import EngineFault, EngineProcess

__all__ = ["Client", "Followed", "Resigned", "WireProtocol", "action_at", "beginning", "legal_move"]


class Resigned(Exception):
    """The engine gives up by the rules."""


class Client(Protocol):
    """Speaks to one process about one game after another."""

    def get_ready(self, state: State, clocks: Sequence[Timer] | None) -> None:
        """Tells it the game so far, where that may take time. Raises EngineFault."""

    def choose(self, state: State, clocks: Sequence[Timer] | None) -> int:
        """A legal action, within both sides' time where the game has a clock. Raises EngineFault, Resigned."""


@dataclass(frozen=True)
class WireProtocol:
    """A protocol: which games it can tell, and who speaks it."""

    name: str
    refuses: Callable[[Game], str | None]  # why it cannot tell a game
    client: Callable[[EngineProcess, Game, EngineLimits], Client]


class Followed:
    """The game as an engine knows it, so that it is told only what is new."""

    def __init__(self) -> None:
        self._known: tuple[str, list[int]] | None = None

    def news(self, state: State) -> list[int] | None:
        """The moves since the engine was asked last; None if it must begin anew."""
        if self._known is None:
            return None
        start, moves = self._known
        all_moves = state.moves()
        return all_moves[len(moves) :] if (state.start_text(), all_moves[: len(moves)]) == (start, moves) else None

    def knows(self, state: State, *more: int) -> None:
        self._known = (state.start_text(), [*state.moves(), *more])


def beginning(state: State) -> State:
    """Where its moves begin: the game's start, or a position that was set up."""
    return state.game.position(state.start_text()) if state.start_text() else state.game.start()


def legal_move(state: State, text: str) -> int:
    """The action of a move's text. Raises EngineFault."""
    try:
        return state.parse_move(text.lower())
    except GameError:
        raise EngineFault(f"illegal move {_shown(text)}") from None


def action_at(state: State, cell: int, text: str) -> int:
    """The action that puts a stone there. Raises EngineFault; `text` is what the engine wrote."""
    for action in state.legal_actions():
        if state.landing_cell(action) == cell:
            return action
    raise EngineFault(f"illegal move {_shown(text)}")


def _shown(text: str) -> str:
    shown = "".join(char if char.isprintable() else "?" for char in text)
    return shown[:20] or "(nothing)"
