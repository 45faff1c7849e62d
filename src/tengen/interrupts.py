"""Ctrl-C while the main thread works in C++.

Python runs signal handlers in its main thread, between two of its own instructions: a search that works in C++ for a
minute keeps them waiting. The number of a signal, however, is written to a file at once (`signal.set_wakeup_fd`).
A thread reads it there and stops the search, so that Python gets its turn.
"""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["stopped_by_ctrl_c"]

AGAIN = 0.02  # seconds: a search that was about to begin has not heard of the first stop


@contextmanager
def stopped_by_ctrl_c(stop: Callable[[], None]) -> Iterator[None]:
    """Calls `stop`, from another thread, when Ctrl-C comes during the block.

    It costs some 0.1 ms. It does nothing outside the main thread, which gets no signals, and where somebody else, such
    as an event loop, has asked for the numbers of signals already.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = socket.socketpair()
    with reader, writer:
        writer.setblocking(False)
        before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        if before != -1:
            signal.set_wakeup_fd(before)
            yield
            return
        over = threading.Event()
        watcher = threading.Thread(target=_watch, args=(reader, stop, over), name="tengen-ctrl-c", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(-1)
            over.set()
            writer.close()
            watcher.join()


def _watch(reader: socket.socket, stop: Callable[[], None], over: threading.Event) -> None:
    while numbers := reader.recv(64):
        while signal.SIGINT in numbers and not over.wait(AGAIN):
            stop()
