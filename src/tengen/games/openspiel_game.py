"""A game of OpenSpiel as Rules. `openspiel.py` finds it by its name.

Where sides alternate, a state is OpenSpiel's own, and copying, moving and listing moves are OpenSpiel's own functions,
with no Python between. Where one side may move several times in a row, `Turns` lets the other side pass meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy

from tengen._core import GameError
from tengen.games.openspiel_planes import Eyes
from tengen.games.rules import Rules

__all__ = ["MOVES_AGAIN", "OpenSpielGame"]

MOVES_AGAIN = {  # tests/games/test_openspiel_games.py plays random games to see that it is these, and no others
    "amazons",
    "checkers",
    "chinese_checkers",
    "cursor_go",
    "dots_and_boxes",
    "mancala",
    "nine_mens_morris",
    "ultimate_tic_tac_toe",
}
# Games whose planes tell all that matters for what follows, also tested: the search may prove their positions.
SHOWS_ALL = {"breakthrough", "clobber", "connect_four", "dots_and_boxes", "gomoku", "havannah", "hex", "mnk", "nim"}
SHOWS_ALL |= {"othello", "pentago", "tic_tac_toe", "y"}

# OpenSpiel lets some games go on for 17 695 plies (chess) or more. Memory and the moves-left head are sized for the
# longest game, so one that takes longer than this is a draw.
MOST_MOVES = 1000
MOST_ACTIONS = 65534
MOST_NUMBERS = 200_000


class Turns:
    """A position of a game in which a side may move again: OpenSpiel's state, the player whose ply it is, and how many
    moves the last player has made in a row."""

    __slots__ = ("player", "row", "state")

    def __init__(self, state: Any, player: int, row: int) -> None:
        self.state, self.player, self.row = state, player, row

    def __str__(self) -> str:
        return str(self.state)


class OpenSpielGame(Rules):
    def __init__(self, game: Any, name: str, title: str) -> None:
        import pyspiel

        self.name, self.title = name, title
        kind, state = game.get_type().short_name, game.new_initial_state()
        if state.is_terminal() or state.current_player() not in (0, 1) or not state.legal_actions():
            raise GameError(f"{name} cannot be played: it begins with chance, or without a move")
        self._game, self._first = game, int(state.current_player())
        self._draw = game.utility_sum() / 2
        self._longest = min(game.max_game_length(), MOST_MOVES)
        self._again = kind in MOVES_AGAIN
        self._eyes = Eyes(game)
        planes, self.rows, self.cols = self._eyes.shape
        self.inputs = [f"o{plane + 1}" for plane in range(planes)] + ["the second player moves"]
        if self._again:
            self.inputs += ["must pass", "moves again"]
        self._pass = game.num_distinct_actions()
        self.actions = self._pass + self._again
        self.most_plies = self._longest * (1 + self._again)
        numbers = len(self.inputs) * self.rows * self.cols
        if self._pass > MOST_ACTIONS or numbers > MOST_NUMBERS:
            raise GameError(
                f"{name} is too large: {self._pass} actions, at most {MOST_ACTIONS}, and {numbers} numbers for a "
                f"network, at most {MOST_NUMBERS}"
            )
        # Only what fills its board surely ends by itself: oware breaks its own limit with an error.
        self._cut = kind not in SHOWS_ALL or self._longest < game.max_game_length()
        self.remembers = self._cut  # the planes do not tell how near that draw is
        self._is_terminal, self._move_number = pyspiel.State.is_terminal, pyspiel.State.move_number
        if not self._again:
            its = pyspiel.State
            vars(self).update(start=game.new_initial_state, copy=its.clone)
            vars(self).update(legal=its.legal_actions, apply=its.apply_action)

    def start(self) -> Any:
        return Turns(self._game.new_initial_state(), self._first, 0)

    def copy(self, state: Any) -> Any:
        return Turns(state.state.clone(), state.player, state.row)

    def legal(self, state: Any) -> Sequence[int]:
        moves: Sequence[int] = state.state.legal_actions() if self._moves(state) else (self._pass,)
        return moves

    def apply(self, state: Any, action: int) -> None:
        if action != self._pass:
            state.state.apply_action(action)
            state.row = state.row + 1 if state.state.current_player() == state.player else 0
        state.player ^= 1

    def outcome(self, state: Any) -> int | None:
        at = state.state if self._again else state
        if not self._is_terminal(at):  # asked at every ply of a random game
            return 0 if self._cut and self._move_number(at) >= self._longest else None
        player = state.player if self._again else self._player(state)
        gain: float = at.player_return(player) - self._draw
        return (gain > 0) - (gain < 0)

    def planes(self, state: Any) -> Any:
        planes = numpy.empty((len(self.inputs), self.rows, self.cols), numpy.float32)
        if self._again:
            planes[-2] = not self._moves(state)
            planes[-1] = min(state.row, 4) / 4
            player, at, shown = state.player, state.state, -3
        else:
            player, at, shown = self._player(state), state, -1
        planes[shown] = player != self._first
        self._eyes.see(at, player, planes[:shown])
        return planes

    def move_text(self, state: Any, action: int) -> str:
        if action == self._pass:
            return "pass"
        if self._again:
            state = state.state
        text = state.action_to_string(state.current_player(), action).strip(" ;")
        return re.sub(r"\s+", "_", re.sub(r"\s*[,;]\s*", ".", text)) or str(action)

    def text(self, state: Any) -> str:
        return re.sub("\x1b\\[[0-9;]*m", "", str(state))  # TwixT has colours

    def _player(self, state: Any) -> int:
        """OpenSpiel's number of the side to move; also in a finished game, which OpenSpiel cannot tell. White, who
        begins in chess, is its player 1."""
        return self._first ^ (int(self._move_number(state)) & 1)

    def _moves(self, state: Turns) -> bool:
        """Does the side to move make a move, or does it wait until the other has made all its moves?"""
        return bool(state.state.current_player() == state.player)
