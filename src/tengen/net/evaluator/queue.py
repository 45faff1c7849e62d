"""Many searches, one network: requests from different threads are merged into one batch."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Thread
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tengen.net.evaluator.contract import Batch, Counting, Evaluation, Evaluator, Leaves


class _Request:
    def __init__(self, leaves: Leaves, counted: bool) -> None:
        self.leaves = leaves
        self.counted = counted  # does it come from a registered client?
        self.arrived = time.monotonic()
        self.answer: Evaluation | BaseException | None = None


class QueueEvaluator:
    """Collects the requests of many threads and asks `inner` once for all of them.

    A batch goes out as soon as one of these holds, so that nobody waits for a full batch that never comes:
    `max_batch` leaves are there; `max_wait` seconds have passed since the oldest request; every registered client is
    waiting. Threads that search for long register themselves:

        with queue.client() as evaluate:
            ...

    A request is never split: one with more than `max_batch` leaves makes a batch of its own. What `inner` raises,
    every caller of that batch gets. `close()` answers whoever is still waiting; calls after it are refused.
    """

    def __init__(self, inner: Evaluator, max_batch: int = 256, max_wait: float = 0.002) -> None:
        if max_batch < 1:
            raise ValueError(f"max_batch must be at least 1, not {max_batch}")
        if not max_wait >= 0:
            raise ValueError(f"max_wait must be 0 or more seconds, not {max_wait}")
        self._inner = inner
        self._max_batch = max_batch
        self._max_wait = max_wait
        self._changed = Condition()  # guards everything below
        self._waiting: deque[_Request] = deque()
        self._clients = 0
        self._closed = False
        self._thread = Thread(target=self._serve, name="tengen-queue", daemon=True)
        self._thread.start()

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        return self._ask(_Request(leaves, counted=False))

    @property
    def counts(self) -> bool:
        return isinstance(self._inner, Counting) and self._inner.counts

    def owners(self, planes: NDArray[np.float32], /) -> NDArray[np.float32]:
        """Asked at once, beside the batches: it is wanted of a position now and then, not of a search's leaves."""
        assert isinstance(self._inner, Counting)
        return self._inner.owners(planes)

    @contextmanager
    def client(self) -> Iterator[Evaluator]:
        """Registers a client for the length of a `with` block; it must ask through the evaluator it is given."""
        with self._changed:
            self._clients += 1
        try:
            yield _Client(self)
        finally:
            with self._changed:
                self._clients -= 1
                self._changed.notify_all()  # the others may now be all there are

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ask(self, request: _Request) -> Evaluation:
        with self._changed:
            if self._closed:
                raise RuntimeError("this QueueEvaluator is closed")
            self._waiting.append(request)
            self._changed.notify_all()
            self._changed.wait_for(lambda: request.answer is not None)
        if isinstance(request.answer, BaseException):
            raise request.answer
        assert request.answer is not None
        return request.answer

    def _serve(self) -> None:
        while batch := self._next_batch():
            self._answer(batch)
            with self._changed:
                self._changed.notify_all()

    def _next_batch(self) -> list[_Request]:
        """Waits until a batch is due and takes it; empty only when the queue is closed and nobody waits."""
        with self._changed:
            while not self._due():
                oldest = self._waiting[0].arrived if self._waiting else None
                self._changed.wait(None if oldest is None else max(0.0, oldest + self._max_wait - time.monotonic()))
            batch, rows = list[_Request](), 0
            while self._waiting and (not batch or rows + len(self._waiting[0].leaves) <= self._max_batch):
                batch.append(self._waiting.popleft())
                rows += len(batch[-1].leaves)
            return batch

    def _due(self) -> bool:
        if not self._waiting:
            return self._closed
        everybody = 0 < self._clients <= sum(request.counted for request in self._waiting)
        full = sum(len(request.leaves) for request in self._waiting) >= self._max_batch
        return self._closed or full or everybody or time.monotonic() - self._waiting[0].arrived >= self._max_wait

    def _answer(self, batch: list[_Request]) -> None:
        try:
            for request, answer in zip(batch, self._evaluate([r.leaves for r in batch]), strict=True):
                request.answer = answer
        except BaseException as error:  # whatever it is, nobody may be left waiting
            for request in batch:
                request.answer = error

    def _evaluate(self, parts: list[Leaves]) -> list[Evaluation]:
        merged = parts[0]
        if len(parts) > 1:
            merged = Batch(np.concatenate([p.planes for p in parts]), np.concatenate([p.keys for p in parts]))
        evaluation = self._inner(merged)
        rows = [len(array) for array in evaluation if array is not None]
        if any(count != len(merged) for count in rows):
            raise ValueError(f"the evaluator gave {rows} rows of policy, wdl, moves_left for {len(merged)} leaves")
        ends = np.cumsum([len(part) for part in parts]).tolist()
        # Copies: the arrays may be lent, and the next call would overwrite them under the reader.
        places = [slice(end - len(part), end) for part, end in zip(parts, ends, strict=True)]
        return [evaluation.each(lambda array, own=own: np.array(array[own])) for own in places]  # type: ignore[misc]


class _Client:
    """The queue, as a client that is registered asks it."""

    def __init__(self, queue: QueueEvaluator) -> None:
        self._queue, self.counts, self.owners = queue, queue.counts, queue.owners

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        return self._queue._ask(_Request(leaves, counted=True))
