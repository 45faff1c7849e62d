"""A fake network for tests: arbitrary, but always the same for the same position."""

import numpy as np
from numpy.typing import NDArray

from tengen.games import Game
from tengen.net.evaluator.contract import Evaluation, Leaves

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mix64(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finaliser, as in rng.h, over an array."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


class Hash:
    """Logits in [-2, 2), WDL all positive, plies in [0, 40), a lead in [-20, 20) where the game is counted: a pure
    function of the key and the seed."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self._actions, self._counted = game.num_actions, game.counted
        columns = np.arange(1, game.num_actions + 6, dtype=np.uint64)
        self._salt = columns * _GOLDEN + _mix64(np.array([seed], np.uint64) + _GOLDEN)

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        keys = np.asarray(leaves.keys, np.uint64)
        bits = _mix64(_mix64(keys)[:, None] + self._salt)
        uniform = (bits >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)  # exact: 24 bits, in [0, 1)
        logits, wdl, beside = np.split(uniform, [self._actions, self._actions + 3], axis=1)
        wdl = wdl + np.float32(0.05)
        total = wdl[:, 0] + wdl[:, 1] + wdl[:, 2]  # not sum(): its order of additions may depend on the batch size
        lead = np.ascontiguousarray(beside[:, 1]) * 40 - 20 if self._counted else None
        return Evaluation(logits * 4 - 2, wdl / total[:, None], beside[:, 0] * 40, lead)
