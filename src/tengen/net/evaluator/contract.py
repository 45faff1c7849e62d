"""The wall between a search and whatever judges positions."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Leaves(Protocol):
    """Positions waiting for a judgement, each as the network is shown it (under the symmetry the search chose)."""

    @property
    def planes(self) -> NDArray[np.float32]: ...  # [L, planes, rows, cols], side to move first

    @property
    def keys(self) -> NDArray[np.uint64]: ...  # [L], equal exactly when the planes are equal

    def __len__(self) -> int: ...


class Evaluation(NamedTuple):
    """One row per leaf. Arrays may be lent: they are valid until the evaluator is called again."""

    policy: NDArray[np.float32]  # [L, A] logits over all actions, in the order of the shown view
    wdl: NDArray[np.float32]  # [L, 3] win, draw, loss for the side to move, summing to 1
    moves_left: NDArray[np.float32]  # [L] plies


class Evaluator(Protocol):
    """Anything that judges a batch of leaves: a network, a queue in front of one, a function of your own."""

    def __call__(self, leaves: Leaves, /) -> Evaluation: ...


@dataclass(frozen=True)
class Batch:
    """Leaves held in plain arrays."""

    planes: NDArray[np.float32]
    keys: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.keys)
