"""An evaluator that knows nothing."""

import numpy as np

from tengen.games import Game
from tengen.net.evaluator.contract import Evaluation, Leaves


class Uniform:
    """Every move is as likely as the next, winning and losing are even (so Q is exactly 0), the end is now.

    The arrays are made once and lent again at every call; a larger batch than ever before makes larger ones.
    """

    def __init__(self, game: Game) -> None:
        self._actions = game.num_actions
        self._reserve(256)

    def _reserve(self, rows: int) -> None:
        self._policy = np.zeros((rows, self._actions), np.float32)
        self._wdl = np.tile(np.array([0.5, 0, 0.5], np.float32), (rows, 1))
        self._moves_left = np.zeros(rows, np.float32)
        self._last = Evaluation(self._policy, self._wdl, self._moves_left)

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        rows = len(leaves)
        if rows > len(self._moves_left):
            self._reserve(2 * rows)
        if rows != len(self._last.moves_left):
            self._last = Evaluation(self._policy[:rows], self._wdl[:rows], self._moves_left[:rows])
        return self._last
