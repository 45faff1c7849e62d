"""Lines in and out of an engine. What comes in is bounded in length and number; when nobody reads what goes out any
more, the process ends at once, in the middle of a search if need be.

A client that writes faster than it is answered waits: at most BUFFER bytes of its lines are kept here.
"""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from enum import Enum
from typing import Protocol

__all__ = ["Channel", "Odd", "Script", "StdChannel"]

BUFFER = 4 << 20  # bytes of lines that wait to be read
CHUNK = 1 << 16
EXIT_BROKEN_PIPE = 141  # as a shell says it of a program whose reader went away


class Odd(Enum):
    """In place of a line."""

    END = "nothing more comes in"
    TOO_LONG = "a line beyond the limit, left out"


class Channel(Protocol):
    """Where commands come from and answers go."""

    def read(self) -> str | Odd:
        """The next line, without its end; waits for it."""

    def waiting(self) -> bool:
        """Is there anything to read, the end included?"""

    def write(self, text: str) -> None:
        """Says something at once; the text has its line ends."""


class Script:
    """A channel over a list of lines, for tests and for whoever drives an engine in its own process."""

    def __init__(self, lines: list[str] | None = None) -> None:
        self.lines: deque[str] = deque(lines or [])
        self.said = ""

    def read(self) -> str | Odd:
        return self.lines.popleft() if self.lines else Odd.END

    def waiting(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.said += text


class StdChannel:
    """Standard input and output, the former read by a thread of its own."""

    def __init__(self, longest: int = CHUNK, reads: int = 0, writes: int = 1) -> None:
        self._longest, self._reads, self._writes = longest, reads, writes
        self._lines: deque[bytes | Odd] = deque()
        self._bytes = 0
        self._change = threading.Condition()
        for work in (self._take_in, self._watch_reader):
            threading.Thread(target=work, name="tengen-channel", daemon=True).start()

    def read(self) -> str | Odd:
        with self._change:
            self._change.wait_for(lambda: self._lines)
            line = self._lines[0]
            if line is Odd.END:
                return line  # and stays: every later read finds it too
            self._lines.popleft()
            if isinstance(line, bytes):
                self._bytes -= len(line)
            self._change.notify_all()
        return line if isinstance(line, Odd) else line.decode(errors="replace")

    def waiting(self) -> bool:
        return bool(self._lines)

    def write(self, text: str) -> None:
        data = memoryview(text.encode(errors="replace"))
        try:
            while data:
                data = data[os.write(self._writes, data) :]
        except OSError:
            os._exit(EXIT_BROKEN_PIPE)

    def _take_in(self) -> None:
        part, skipping = b"", False
        while True:
            try:
                chunk = os.read(self._reads, CHUNK)
            except OSError:
                chunk = b""
            if not chunk:
                break
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                self._put(Odd.TOO_LONG if skipping or len(part) + len(end) > self._longest else part + end)
                part, skipping = b"", False
            part = b"" if skipping else part + rest
            if len(part) > self._longest:
                part, skipping = b"", True
        if part or skipping:  # the last line has no end
            self._put(Odd.TOO_LONG if skipping else part)
        self._put(Odd.END)

    def _put(self, line: bytes | Odd) -> None:
        with self._change:
            self._change.wait_for(lambda: self._bytes <= BUFFER and len(self._lines) <= BUFFER // 64)
            self._lines.append(line.rstrip(b"\r") if isinstance(line, bytes) else line)
            self._bytes += len(line) if isinstance(line, bytes) else 0
            self._change.notify_all()

    def _watch_reader(self) -> None:
        """A pipe whose reader has gone reports an error, asked or not: without this a search would go on for nobody."""
        poll = select.poll()
        poll.register(self._writes, 0)
        poll.poll()
        os._exit(EXIT_BROKEN_PIPE)
