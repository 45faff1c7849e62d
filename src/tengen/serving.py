"""What connections may cost a server before it knows who asks: files, memory and patience.

uvicorn waits for ever for the header of a request, and asyncio takes in every connection: 1,100 that say nothing end a
server under the usual limit of 1,024 open files. A `Door` stands before both:

    door = Door(header_seconds=30, per_address=64, most=512)
    server = uvicorn.Server(uvicorn.Config(app, http=door.protocol, ...))
    server.run(sockets=[door.guard(listening_socket)])

A connection *waits* while no request is under way on it: from the first moment until the header of a request is whole,
and again from the end of the answer on. Who waits longer than `header_seconds` is closed (a TLS handshake has asyncio's
60 s before that). Where there are too many connections, of one address or in all, the one that has waited longest makes
room for the new one; so who has something to say gets in, however many say nothing. Only where all are at work is the
new one turned away.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from collections import Counter
from contextlib import suppress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Door", "raise_file_limit"]

FILES = 8192  # open at once, where the system lets a process have so many
RESERVED = 256  # of them for what is not a connection: networks, chunks, databases, processes


def raise_file_limit() -> int:
    """How many files this process may have open: the soft limit, which is 1,024 nearly everywhere, goes up first."""
    try:
        import resource
    except ImportError:  # Windows has no such limit for sockets
        return FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return FILES
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft < wanted:
        with suppress(OSError, ValueError):  # a system with a bound that it does not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class Door:
    """All connections of one server. Used by the thread of its event loop alone."""

    def __init__(self, *, header_seconds: float, per_address: int, most: int) -> None:
        self.header_seconds, self._per_address = header_seconds, per_address
        files = raise_file_limit()
        self._most = min(most, max(files - RESERVED, files // 2))
        self._open: dict[int, _Connection] = {}  # by descriptor
        self._waiting: dict[int, _Connection] = {}  # the longest first
        self._homes: Counter[str] = Counter()

    @property
    def protocol(self) -> type[asyncio.Protocol]:
        """For uvicorn's option `http`."""

        class Protocol(_Protocol):
            door = self

        return Protocol

    def guard(self, listening: socket.socket) -> socket.socket:
        """Takes over a listening socket; serve the one that is returned."""
        return _Listener(self, listening)

    def is_full(self) -> bool:
        return len(self._open) >= self._most

    def make_room(self, home: str | None = None) -> bool:
        """Ends the connection that has waited longest, of one address or of all. It is closed when the event loop sees
        its end."""
        longest = next((each for each in self._waiting.values() if home in (None, each.home)), None)
        if longest is None:
            return False
        del self._waiting[longest.fileno()]
        with suppress(OSError):  # the other side has gone already
            longest.shutdown(socket.SHUT_RDWR)
        return True

    def enter(self, accepted: socket.socket, address: str) -> socket.socket | None:
        """The connection as it is counted from now on; None where it was turned away."""
        home = _home(address)
        if self.is_full() or (self._homes[home] >= self._per_address and not self.make_room(home)):
            accepted.close()
            return None
        connection = _Connection(self, accepted.detach(), home)
        self._homes[home] += 1
        self._open[connection.fileno()] = self._waiting[connection.fileno()] = connection
        return connection

    def note(self, descriptor: int, waits: bool) -> None:
        connection = self._open.get(descriptor)
        self._waiting.pop(descriptor, None)
        if connection is not None and waits:
            self._waiting[descriptor] = connection

    def leave(self, connection: _Connection) -> None:
        self._waiting.pop(connection.fileno(), None)
        if self._open.pop(connection.fileno(), None) is not None:
            self._homes[connection.home] -= 1
            if not self._homes[connection.home]:
                del self._homes[connection.home]


class _Listener(socket.socket):
    def __init__(self, door: Door, listening: socket.socket) -> None:
        super().__init__(fileno=listening.detach())
        self._door = door

    def accept(self) -> tuple[socket.socket, Any]:
        """What asyncio calls in a loop. BlockingIOError tells it to come back in the next round, when those that were
        ended have been closed."""
        if self._door.is_full() and self._door.make_room():
            raise BlockingIOError
        try:
            accepted, address = super().accept()
        except OSError as error:  # out of files all the same; where nobody can make room, asyncio pauses for a second
            if error.errno in (errno.EMFILE, errno.ENFILE) and self._door.make_room():
                raise BlockingIOError from None
            raise
        connection = self._door.enter(accepted, address[0])
        if connection is None:
            raise BlockingIOError
        return connection, address


class _Connection(socket.socket):
    def __init__(self, door: Door, descriptor: int, home: str) -> None:
        super().__init__(fileno=descriptor)
        self._door, self.home = door, home

    def close(self) -> None:
        self._door.leave(self)
        super().close()


class _Protocol(H11Protocol):
    """uvicorn's, with a deadline for every header."""

    door: Door
    _deadline: asyncio.TimerHandle | None = None
    _upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._note()

    def handle_events(self) -> None:
        super().handle_events()
        self._note()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._note()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._upgraded = True
        super().handle_websocket_upgrade(event)

    def shutdown(self) -> None:
        """At the end of the server. TLS is closed by a word from either side; a client between two requests does not
        listen for ours, and the server would wait for its until uvicorn loses patience."""
        super().shutdown()
        if self._deadline is not None and not self.transport.get_write_buffer_size():
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._end_deadline()

    def _note(self) -> None:
        """Called whenever a request may have begun or ended."""
        waits = not self._upgraded and (self.cycle is None or self.cycle.response_complete)
        if waits == (self._deadline is not None):
            return
        self.door.note(self.transport.get_extra_info("socket").fileno(), waits)
        self._end_deadline()
        if waits:
            # Not closed in order, which would wait until a reader that has stopped reading takes the last answer.
            self._deadline = self.loop.call_later(self.door.header_seconds, self.transport.abort)

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def _home(address: str) -> str:
    """Whom an address belongs to: in IPv6 one customer has a whole network of 2^64 of them."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        ip = ip.ipv4_mapped or ipaddress.IPv6Address(int(ip) >> 64 << 64)
    return str(ip)
