"""The position a client sets up. Programs place stones out of turn, take moves back and go on after the end; the rules
know alternating sides only. So a move out of turn comes after a pass where the game has one, and else the stones are
set up anew with the other side to move. Every step can be taken back.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.games import Game, GameError, State

__all__ = ["Board"]

MOST_STEPS = 4000  # that can be taken back, beyond the longest games there are; those before are forgotten


class Board:
    """A game, its position, and the positions before."""

    def __init__(self, game: Game) -> None:
        self.clear(game)

    def clear(self, game: Game) -> None:
        """The start of a game."""
        self.game = game
        self._states = [game.start()]

    @property
    def state(self) -> State:
        return self._states[-1]

    @property
    def steps(self) -> int:
        """How many can be taken back."""
        return len(self._states) - 1

    def play(self, side: int, text: str) -> int:
        """A move of a side, in its turn or not; returns the action. Raises GameError, and changes nothing, when the
        rules refuse it."""
        if text.lower() == self.pass_after_end():
            self._keep(self.state)
            return self.game.start().parse_move("pass")
        state = self.in_turn(side)
        action = state.parse_move(text.lower())
        state.apply(action)
        self._keep(state)
        return action

    def _keep(self, state: State) -> None:
        self._states.append(state)
        del self._states[: -1 - MOST_STEPS]

    def pass_after_end(self) -> str | None:
        """The move that changes nothing any more: programs pass on after the game has ended by passes."""
        return "pass" if self.state.is_terminal() and pass_of(self.game.start()) is not None else None

    def undo(self) -> None:
        """Takes the last step back. Raises GameError when there is none."""
        if not self.steps:
            raise GameError("there is no move to take back")
        self._states.pop()

    def set_up(self, stones: Sequence[int], side: int) -> None:
        """The stones of a whole board (0, 1 first player's, 2 second player's), a side to move: the game begins here.
        Raises GameError."""
        self.begin(self._position(stones, side))

    def begin(self, first: State, moves: Sequence[str] = ()) -> None:
        """A game that begins at a position, and its moves. Raises GameError, and changes nothing, when the rules refuse
        one."""
        fresh = Board(first.game)
        fresh._states = [first]
        for move in moves:
            fresh.play(fresh.state.to_move(), move)
        self.game, self._states = fresh.game, fresh._states

    def change(self, game: Game) -> None:
        """The same moves by other options of the game. Raises GameError, and changes nothing, when they are refused."""
        states: list[State] = []
        for state in self._states:
            before = states[-1] if states else None
            start, moves = state.start_text(), state.moves()
            if before is not None and before.start_text() == start and moves[: len(before.moves())] == before.moves():
                changed, moves = before.copy(), moves[len(before.moves()) :]
            else:
                changed = game.position(start) if start else game.start()
            for move in moves:
                changed.apply(move)
            states.append(changed)
        self.game, self._states = game, states

    def in_turn(self, side: int) -> State:
        """A copy of the position in which a side is to move. Raises GameError."""
        state = self.state.copy()
        if state.to_move() != side and not state.is_terminal() and (action := pass_of(state)) is not None:
            state.apply(action)
        if state.to_move() == side and not state.is_terminal():
            return state
        if state.is_terminal() and pass_of(self.game.start()) is None:
            raise GameError("the game is over")
        return self._position(self.state.stones(), side)

    def _position(self, stones: Sequence[int], side: int) -> State:
        cols = self.game.layout()["cols"]
        rows = ["".join(".XO"[stone] for stone in stones[at : at + cols]) for at in range(0, len(stones), cols)]
        return self.game.position(f"{'/'.join(rows)} {'XO'[side]}")


def pass_of(state: State) -> int | None:
    """The action that passes, if it is legal."""
    try:
        return state.parse_move("pass")
    except GameError:
        return None
