"""Connections that say nothing, or say it slowly, do not keep a server from answering others."""

from __future__ import annotations

import asyncio
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest
import uvicorn

from tengen.serving import Door, _home, raise_file_limit

PATIENCE = 60.0
LATER = threading.Event()

# A server with the door and nothing else, in a process of its own, whose limit of open files can be set.
SERVER = """
import socket, uvicorn
from tengen.serving import Door

async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
print(listening.getsockname()[1], flush=True)
door = Door(header_seconds=60, per_address=10_000, most=10_000)
config = uvicorn.Config(app, http=door.protocol, log_level="error", lifespan="off")
uvicorn.Server(config).run(sockets=[door.guard(listening)])
"""


async def app(scope: Any, receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
    """Answers at once, or, asked for /later, when the test says so."""
    while scope["path"] == "/later" and not LATER.is_set():
        await asyncio.sleep(0.01)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def serving(door: Door) -> Iterator[int]:
    LATER.clear()
    listening = door.guard(socket.create_server(("127.0.0.1", 0)))
    port = listening.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, http=door.protocol, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield port
    finally:
        LATER.set()
        server.should_exit = True
        thread.join()


def connected(port: int, said: bytes = b"") -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    opened.sendall(said)
    return opened


def answers(port: int) -> bool:
    return httpx.get(f"http://127.0.0.1:{port}/", timeout=PATIENCE).text == "ok"


def answered(opened: socket.socket) -> bool:
    heard = b""
    while not heard.endswith(b"ok"):
        heard += (part := opened.recv(1000))
        assert part, heard
    return heard.startswith(b"HTTP/1.1 200 ")


def is_closed(opened: socket.socket) -> bool:
    """Waits for the end of a connection on which nothing is to come."""
    try:
        return opened.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("limit", [(1024, 1024), (64, 64)])
def test_idle_connections_beyond_the_limit_of_files_do_not_end_a_server(limit: tuple[int, int]) -> None:
    if raise_file_limit() < 1500:
        pytest.skip("this process may not have as many files open")
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, limit)
        assert server.stdout is not None and server.stderr is not None
        port = int(server.stdout.readline())
        with ExitStack() as stack:
            stack.callback(server.kill)
            for _ in range(1100):
                stack.enter_context(connected(port))
            for _ in range(3):
                assert answers(port)
            server.terminate()
            assert server.stderr.read() == ""  # not a word of "too many open files"


def test_a_header_must_come_in_time_the_first_and_every_other() -> None:
    with serving(Door(header_seconds=1.0, per_address=10, most=10)) as port:
        silent, slow = connected(port), connected(port, b"GET / HT")
        again = connected(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answered(again)
        again.sendall(b"GET / HTTP/1.1\r\nHo")
        unfinished = connected(port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx")
        assert answered(unfinished)
        for each in (silent, slow, unfinished, again):
            assert is_closed(each)
            each.close()


def test_an_answer_may_take_longer_than_a_header() -> None:
    with serving(Door(header_seconds=0.2, per_address=10, most=10)) as port:
        asked = connected(port, b"GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
        silent = connected(port)
        assert is_closed(silent)
        LATER.set()
        assert answered(asked)
        asked.close()
        silent.close()


@pytest.mark.parametrize("bounds", [{"per_address": 4, "most": 100}, {"per_address": 100, "most": 4}])
def test_the_longest_waiting_makes_room_and_who_is_at_work_stays(bounds: dict[str, int]) -> None:
    with serving(Door(header_seconds=PATIENCE, **bounds)) as port:
        asked = connected(port, b"GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
        time.sleep(0.2)  # until the server has read it
        waiting = [connected(port) for _ in range(10)]
        assert answers(port)
        for each in waiting[:6]:
            assert is_closed(each)
        LATER.set()
        assert answered(asked)
        for each in (asked, *waiting):
            each.close()


def test_where_all_are_at_work_the_new_one_is_turned_away() -> None:
    with serving(Door(header_seconds=PATIENCE, per_address=4, most=100)) as port:
        asked = [connected(port, b"GET /later HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(4)]
        time.sleep(0.2)
        late = connected(port)
        assert is_closed(late)
        LATER.set()
        for each in asked:
            assert answered(each)
            each.close()
        assert answers(port)  # those that left are not counted any more
        late.close()


def test_an_address_of_ipv6_is_a_network() -> None:
    assert _home("2001:db8::1") == _home("2001:db8::ffff:1") != _home("2001:db8:0:1::1")
    assert _home("::ffff:10.1.2.3") == _home("10.1.2.3") != _home("10.1.2.4")
    assert _home("fe80::1%eth0") == _home("fe80::2")
