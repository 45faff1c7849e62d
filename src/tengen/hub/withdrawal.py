"""Games of workers that are not believed leave the window, and come back when a person trusts their worker again.

The ledger says what should count; files follow, some hundreds at a time, so that nobody who sends games meanwhile has
to wait. A kill in between leaves some files to move: rows change after their files.
"""

from __future__ import annotations

from tengen.hub.ledger import Ledger
from tengen.records.store import ChunkStore

__all__ = ["Withdrawals", "advice"]

SLICE = 500  # chunks that are moved at once


class Withdrawals:
    """Used by the loop's thread alone."""

    def __init__(self, store: ChunkStore, ledger: Ledger) -> None:
        self._store, self._ledger = store, ledger
        self._moved: set[str] = set()  # workers whose games were, since all of them lay where they belong

    def step(self) -> list[str] | None:
        """Moves some chunks, whoever changed a worker's standing: a check, or a person in another process. When the
        last of them lies where it belongs: what there is to say about it."""
        chunks = self._ledger.misplaced(SLICE)
        if chunks:
            self._store.withdraw({chunk.sha256 for chunk in chunks if chunk.withdraw})
            self._store.bring_back({chunk.sha256 for chunk in chunks if not chunk.withdraw})
            self._ledger.placed(chunks)
            self._moved |= {chunk.worker for chunk in chunks}
        if len(chunks) == SLICE or not self._moved:
            return None
        told = [advice(self._ledger, worker) for worker in sorted(self._moved)]
        self._moved.clear()
        return told


def advice(ledger: Ledger, worker: str) -> str:
    """What has become of a worker's games, and what a person may do about it."""
    standing = ledger.standing(worker)
    if standing.believed:
        return f"{worker} is trusted: its games count again"
    trust = f"`tengen hub trust {worker}` brings them back"
    if standing.barred is None:
        said = f"{worker} is held: {standing.held}; its games do not count until you have looked: {trust}, "
        said += f"`tengen hub bar {worker}` is final"
    else:
        said = f"{worker} is barred: {standing.barred}; its games count no more ({trust})"
    if (step := ledger.first_step(worker)) is not None:
        said += f". The network may have learned from them since step {step}; "
        said += f"`tengen hub rewind --before {worker}` forgets that"
    return said
