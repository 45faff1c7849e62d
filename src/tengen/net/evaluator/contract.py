"""The wall between a search and whatever judges positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Leaves(Protocol):
    """Positions waiting for a judgement, each as the network is shown it (under the symmetry the search chose)."""

    @property
    def planes(self) -> NDArray[np.float32]: ...  # [L, planes, rows, cols], side to move first

    @property
    def keys(self) -> NDArray[np.uint64]: ...  # [L], equal exactly when the planes are equal

    def __len__(self) -> int: ...


@runtime_checkable
class Counting(Protocol):
    """An evaluator that may count: it then says the lead, and whose every cell will be."""

    @property
    def counts(self) -> bool: ...

    def owners(self, planes: NDArray[np.float32], /) -> NDArray[np.float32]:
        """[L, cells] from 1, the side to move's, to -1, in the order of the shown view. Only where it `counts`."""


class Evaluation(NamedTuple):
    """One row per leaf. Arrays may be lent: they are valid until the evaluator is called again."""

    policy: NDArray[np.float32]  # [L, A] logits over all actions, in the order of the shown view
    wdl: NDArray[np.float32]  # [L, 3] win, draw, loss for the side to move, summing to 1
    moves_left: NDArray[np.float32]  # [L] plies
    lead: NDArray[np.float32] | None = None  # [L] points at the end, where somebody counts

    def each(self, change: Callable[[NDArray[np.float32]], NDArray[np.float32]]) -> Evaluation:
        """The same with every array that is there changed."""
        lead = None if self.lead is None else change(self.lead)
        return Evaluation(change(self.policy), change(self.wdl), change(self.moves_left), lead)

    @classmethod
    def join(cls, parts: list[Evaluation]) -> Evaluation:
        """Of one batch in parts, which all count or all do not."""
        policy, wdl, moves_left = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("policy", "wdl", "moves_left")
        )
        leads = [part.lead for part in parts if part.lead is not None]
        return cls(policy, wdl, moves_left, np.concatenate(leads) if leads else None)


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
