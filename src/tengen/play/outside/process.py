"""A child process that is spoken to in lines. It may hang, flood, crash or fork: nothing of it outlives its owner.

It runs without a shell, in a session of its own, whose process group is ended as a whole. Nothing is read while nobody
waits for an answer: the pipes are its only buffer, so that what it prints takes no memory here.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tengen.play.outside.limits import EngineLimits

__all__ = ["EngineFault", "EngineProcess", "find_program"]

LONGEST_LINE = 1 << 20  # bytes
MOST_OUTPUT = 8 << 20  # bytes before one answer is complete
KEPT_ERRORS = 2000  # bytes of stderr, for messages
LOOK = 0.05  # seconds between two looks whether to stop
GRACE = 0.5  # seconds from the request to end until the end
CHUNK = 1 << 16
GAMES = "/usr/local/games:/usr/games"  # Debian's places for them, where the PATH of root does not look

# Between fork and exec only C may run where there are threads, so the limit is set by a program that becomes the other.
LAUNCH = """
import os, resource, sys
most, hard = int(sys.argv[1]), resource.getrlimit(resource.RLIMIT_AS)[1]
most = most if hard == resource.RLIM_INFINITY else min(most, hard)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
os.execv(sys.argv[2], sys.argv[2:])
"""


class EngineFault(Exception):
    """The engine failed; the message says how, as people read it."""


class EngineProcess:
    """One run of a program. Raises EngineFault if it cannot be started."""

    def __init__(
        self, command: Sequence[str], limits: EngineLimits, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        program = [find_program(command[0]), *command[1:]]
        if limits.memory_mb:
            program = [sys.executable, "-I", "-S", "-c", LAUNCH, str(limits.memory_mb << 20), *program]
        self.patience = limits.patience
        self._stopped = stopped
        try:
            self._child = subprocess.Popen(
                program,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise EngineFault(f"cannot be started: {error.strerror}") from None
        assert self._child.stdin and self._child.stdout and self._child.stderr
        pipes = (self._child.stdin, self._child.stdout, self._child.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes)
        for number in (self._in, self._out, self._err):
            os.set_blocking(number, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._unsent, self._unread, self._errors = b"", b"", b""
        self._read, self._deadline = 0, 0.0  # bytes since something was asked, and when it is too late to answer
        # Also when this object is forgotten, and when Python exits.
        self._end = weakref.finalize(self, _end_group, self._child)

    def send(self, *lines: str) -> None:
        """Puts lines into the queue; they are sent while an answer is waited for. Its time begins."""
        self._read, self._deadline = 0, time.monotonic() + self.patience
        self._unsent += "".join(f"{line}\n" for line in lines).encode()

    def line(self) -> str:
        """The next line, without its end. Raises EngineFault when it does not come."""
        while b"\n" not in self._unread:
            if self._stopped():
                raise EngineFault("stopped")
            if time.monotonic() > self._deadline:
                raise EngineFault(f"silent for {self.patience:g} s")
            self._exchange()
            if len(self._unread) > LONGEST_LINE:
                raise EngineFault(f"a line of more than {LONGEST_LINE >> 20} MB")
        line, self._unread = self._unread.split(b"\n", 1)
        self._read += len(line) + 1
        if self._read > MOST_OUTPUT:
            raise EngineFault(f"more than {MOST_OUTPUT >> 20} MB of output without an answer")
        return line.decode(errors="replace").rstrip("\r")

    def close(self) -> None:
        """Ends it with its whole group."""
        self._end()

    def _exchange(self) -> None:
        """Reads and writes what is possible within a moment."""
        if self._unsent:
            self._poll.register(self._in, select.POLLOUT)
        for number, _ in self._poll.poll(1000 * LOOK):
            if number == self._in:
                self._write()
            elif number == self._err:
                if not self._read_errors():
                    self._poll.unregister(self._err)  # a closed pipe is always ready
            elif found := os.read(self._out, CHUNK):
                self._unread += found
            else:
                raise EngineFault(self._crash())

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._in, self._unsent[:CHUNK]) :]
        except BrokenPipeError:
            self._unsent = b""  # what it said before it closed may still be read
        if not self._unsent:
            self._poll.unregister(self._in)

    def _read_errors(self) -> bool:
        """Whether there were any."""
        found = os.read(self._err, CHUNK)
        self._errors = (self._errors + found)[-KEPT_ERRORS:]
        return bool(found)

    def _crash(self) -> str:
        """How it ended, and the last thing it complained about."""
        _wait_for_end(self._child.pid)
        with suppress(BlockingIOError):
            while self._read_errors():
                pass
        self.close()
        code = self._child.returncode
        lines = self._errors.decode(errors="replace").split("\n")
        last = next((" ".join(line.split()) for line in reversed(lines) if line.strip()), "")
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        return f"crashed, {how}" + (f": {last[:100]}" if last else "")


def find_program(name: str) -> str:
    """The file of a program. Raises EngineFault if there is none that may be run."""
    found = shutil.which(name) or shutil.which(name, path=GAMES)
    if found is None:
        raise EngineFault(f"there is no program {name[:80]!r}")
    return str(Path(found).absolute())  # not resolved: some programs go by the name they were called


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """Asks the group to end, makes it end, and only then takes the leader's number back: until then no stranger can
    have it."""
    assert child.stdin and child.stdout and child.stderr
    child.stdin.close()
    _signal_group(child.pid, signal.SIGTERM)
    _wait_for_end(child.pid)
    _signal_group(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    child.stderr.close()


def _wait_for_end(pid: int) -> None:
    """Returns after some time at the latest."""
    deadline = time.monotonic() + GRACE
    ended = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while os.waitid(os.P_PID, pid, ended) is None and time.monotonic() < deadline:
        time.sleep(0.005)


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nobody is left in it
        os.killpg(pid, number)
