"""Work beside the event loop, which nobody can leave half done."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

__all__ = ["in_thread"]

AGAIN = 0.1  # seconds

_Result = TypeVar("_Result")


async def in_thread(threads: Executor, work: Callable[[], _Result], stop: Callable[[], None]) -> _Result:
    """Awaits a thread even when cancelled: what it works on is its own until it returns. `stop` makes it return soon;
    it is called until it does, because work that has only just begun may not have heard it."""
    job = asyncio.get_running_loop().run_in_executor(threads, work)
    try:
        return await asyncio.shield(job)
    except asyncio.CancelledError:
        while not job.done():
            stop()
            await asyncio.wait([job], timeout=AGAIN)
        raise
