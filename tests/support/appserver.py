"""A real server of the app on a free port of this machine, and clients for it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from tengen.app.keys import Keys
from tengen.app.server import make_server

PATIENCE = 60.0  # seconds until something that must happen is called missing; nothing is timed


class Client:
    """Asks the server as the page does, whose browser was opened at the address with the token."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}"
        self.http = httpx.Client(base_url=self.address, timeout=PATIENCE)
        answer = self.http.get("/", params={"token": token})
        assert answer.status_code == 303, answer.text
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def get(self, path: str, **query: str | int) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: object = None) -> Any:
        answer = self.http.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def error(self, path: str, body: object = None) -> dict[str, Any]:
        """The error that a request must be answered with: of POST with a body, else of GET."""
        answer = self.http.get(path) if body is None else self.http.post(path, json=body)
        assert 400 <= answer.status_code < 500, answer.text
        error: dict[str, Any] = answer.json()["error"]
        assert error["message"] and "\n" not in error["message"] and "Traceback" not in error["message"]
        return error

    @contextmanager
    def socket(self) -> Iterator[Socket]:
        headers = {"Cookie": self.cookie}
        address = f"ws://127.0.0.1:{self.port}/api/search"
        with connect(address, open_timeout=PATIENCE, additional_headers=headers) as connection:
            yield Socket(connection)


class Socket:
    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def say(self, type: str, id: int | str = 1, **values: Any) -> None:
        self.connection.send(json.dumps({"type": type, "id": id, **values}))

    def hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.connection.recv(timeout=PATIENCE))
        return message

    def hear_until(self, type: str, **values: Any) -> list[dict[str, Any]]:
        """All messages up to the first of a type with some values."""
        heard = []
        while True:
            heard.append(self.hear())
            if heard[-1]["type"] == type and all(heard[-1].get(key) == value for key, value in values.items()):
                return heard
            assert heard[-1]["type"] != "error", heard[-1]

    def search(self, game: str, moves: str = "", **values: Any) -> list[dict[str, Any]]:
        """Searches to the end; all updates."""
        message: dict[str, Any] = {"player": "mcts", "live": True, "settings": {"sims": 100}} | values
        self.say("search", position=at(game, moves), **message)
        return self.hear_until("update", done=True)


def at(game: str, moves: str = "", start: str | None = None) -> dict[str, Any]:
    return {"game": game, "start": start, "moves": moves.split()}


@contextmanager
def serving(runs: Path, host: str = "127.0.0.1", keys: Keys | None = None, send_buffer: int = 0) -> Iterator[Client]:
    """Serves from a thread of this process."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        if send_buffer:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)  # connections inherit it
        port, keys = listener.getsockname()[1], keys or Keys()
        server = make_server(runs, keys, host)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Client(port, keys.token)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def command(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], Client]]:
    """`tengen app` as a process of its own, once it has printed its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tengen", "app", "--port", "0", "--no-browser", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        printed = process.stdout.readline()
        found = re.search(r"http://\S+:(\d+)/\?token=([^\s#]+)", printed)
        assert found, printed
        yield process, Client(int(found[1]), found[2])
    finally:
        process.kill()
        process.wait()


def interrupt_again_and_again(process: subprocess.Popen[str]) -> int:
    """As somebody does who does not want to wait; the code it ends with. Signals that come too fast count as one."""
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None:
        assert time.monotonic() < deadline
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    return process.returncode


def eventually(happens: Callable[[], bool]) -> None:
    """Waits for something that must come true."""
    deadline = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def reading_slowly(client: Client) -> Iterator[Socket]:
    """A client that takes in nothing but what it is asked to hear, through the smallest of buffers."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
    raw.connect(("127.0.0.1", client.port))
    address, headers = f"ws://127.0.0.1:{client.port}/api/search", {"Cookie": client.cookie}
    with connect(address, sock=raw, max_queue=1, compression=None, additional_headers=headers) as connection:
        yield Socket(connection)
