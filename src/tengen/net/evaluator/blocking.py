"""For backends that only know how to wait: the same two ways to ask, with one thread behind the second."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.net.evaluator.contract import Evaluation, Leaves
from tengen.net.file import NetworkFile


@dataclass(frozen=True)
class _Pending:
    future: Future[Evaluation]

    def wait(self) -> Evaluation:
        return self.future.result()


class Blocking:
    """A subclass gives `run`, which lets other Python threads go on while it computes."""

    def __init__(self, file: NetworkFile) -> None:
        self.network_hash, self.counts = file.network_hash, file.counted
        self._thread = ThreadPoolExecutor(1, "tengen-network")

    def run(self, planes: NDArray[np.float32]) -> Evaluation:
        raise NotImplementedError

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        return self.run(leaves.planes)

    def start(self, leaves: Leaves, /) -> _Pending:
        return _Pending(self._thread.submit(self.run, np.array(leaves.planes)))  # a copy: the planes are only lent
