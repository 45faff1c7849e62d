"""A server that answers a worker with whatever a test wants, on loopback: a good hub but for what is said otherwise."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from support.hubs import network
from support.training import GAME
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.hub.protocol import HUB_HEADER, PROGRAM, Lease, Manifest, Offer, Orders, Receipt, Release

Answer = bytes | Iterable[bytes]  # all that goes over the line, headers included; pieces with pauses of their own
TOKEN = "tengen_" + "x" * 43


def answer(body: bytes = b"", status: str = "200 OK", hub: bool = True, **headers: str) -> bytes:
    """An answer in HTTP; `hub`: says that it is a hub's."""
    more = {"Content-Length": str(len(body)), "Connection": "close", **({HUB_HEADER: PROGRAM} if hub else {})}
    more |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in more.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def refusal(status: str, hub: bool = True, **headers: str) -> bytes:
    return answer(b'{"reason": "an example"}', status, hub, **headers)


def manifest(search: dict[str, Any] | None = None, selfplay: dict[str, Any] | None = None, **changes: Any) -> Manifest:
    """A release of a tiny network for a tiny game."""
    options = {"sims": 8, "cache_mb": 0, **(search or {})}
    released = Release.of(GAME.id, network().hash, network().data, SearchConfig(), SelfPlayConfig(), 0, 4).manifest
    options = {**released.search, **options}
    changes = {"version": 1, "search": options, "selfplay": {**released.selfplay, **(selfplay or {})}, **changes}
    return msgspec.structs.replace(released, **changes)


def offer(release: Manifest | None = None, **lease: Any) -> dict[str, Any]:
    """What a pull gets, as it goes over the line; to be changed at will."""
    whole = Offer(release or manifest(), msgspec.structs.replace(Lease(1, 1 << 48, 90.0), **lease))
    return dict(msgspec.to_builtins(whole))


def json(what: object) -> bytes:
    return answer(msgspec.json.encode(what))


@dataclass
class NastyHub:
    """Answers by the last part of a request's path that says what is asked for: pull, networks, chunks or report."""

    answers: dict[str, Answer | Callable[[str], Answer]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)  # paths, in the order in which they came
    moments: list[float] = field(default_factory=list)  # and when
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def count(self, what: str) -> int:
        return sum(f"/v1/{what}" in path for path in list(self.asked))

    def _answer(self, path: str) -> Answer:
        what = path.split("/")[2].split("?")[0]
        good: dict[str, Answer] = {
            "pull": json(offer()),
            "networks": answer(network().data),
            "chunks": json(Receipt(1, False, 1)),
            "report": json(Orders(1)),
        }
        found = self.answers.get(what, good[what])
        return found(path) if callable(found) else found

    def serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError), client.makefile("rb") as lines:
            _, path, _ = lines.readline().decode().split(" ")
            length = 0
            while (line := lines.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            lines.read(length)
            self.moments.append(time.monotonic())
            self.asked.append(path)
            found = self._answer(path)
            for piece in [found] if isinstance(found, bytes) else found:
                client.sendall(piece)


@contextlib.contextmanager
def nasty_hub(**answers: Answer | Callable[[str], Answer]) -> Iterator[NastyHub]:
    hub = NastyHub(dict(answers))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        hub.port = listener.getsockname()[1]

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client = listener.accept()[0]
                    client.settimeout(60)
                    threading.Thread(target=hub.serve, args=(client,), daemon=True).start()

        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        yield hub
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join()


def slowly(data: bytes, pause: float) -> Iterator[bytes]:
    """A byte at a time."""
    for byte in data:
        yield bytes([byte])
        time.sleep(pause)
