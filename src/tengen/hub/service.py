"""The hub's end of HTTP: checks who asks, how much is sent and how fast, and leaves the rest to the desk.

Endpoints stand in `http.py`. Answers that refuse are `{"reason": …}` with a status of 4xx, or 5xx where the hub is at
fault; those that are worth asking again have `Retry-After`. Every answer has `X-Tengen-Hub`: one without it comes from
somebody between, a proxy, and says nothing about the games.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
import math
import re
import socket
import sqlite3
import ssl
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tengen.hub.desk import TICK, Desk
from tengen.hub.protocol import HUB_HEADER, PROGRAM, HubRefusedError, Release, Report
from tengen.hub.quota import DISK_SECONDS, NotNowError
from tengen.hub.seats import LEASE_SECONDS
from tengen.hub.tokens import worker_of
from tengen.hub.validate import STRANGERS
from tengen.run.folder import RunDirectory, RunError
from tengen.serving import Door

__all__ = ["HttpHub", "make_app"]

MOST_JSON = 4096  # bytes
MOST_REPORT = 1 << 16  # it may carry the moves of a rating match
BODY_SECONDS = 60.0  # for the whole body of a request to arrive
HEADER_SECONDS = 30.0  # for the header of a request to arrive, and between two requests of one connection
CONNECTIONS = 4096  # at once; fewer where the system lets a process have fewer files, for the learner needs some too
PER_ADDRESS = 1024  # of them: behind a proxy, all workers have one address
BUSY = 5.0  # seconds after which to ask again
_RANGE = re.compile(r"bytes=(\d{1,18})-")


class PullRequest(msgspec.Struct, forbid_unknown_fields=True):
    lease: int | None = None


def make_app(desk: Desk) -> FastAPI:
    """The API in front of a desk."""
    app = FastAPI(title="Tengen hub", version=PROGRAM, docs_url=None, redoc_url=None, openapi_url=None)

    async def worker(request: Request, scope: str = "play") -> str:
        name = await run_in_threadpool(worker_of, desk.ledger, request.headers.get("Authorization"), scope)
        theirs = request.headers.get("X-Tengen-Version")
        if scope == "play" and theirs != PROGRAM:
            raise HubRefusedError(
                426, f"this hub speaks tengen {PROGRAM}, not {str(theirs)[:40]}; install that version"
            )
        desk.quotas.request(name)
        return name

    @app.post("/v1/pull")
    async def pull(request: Request) -> Response:
        name = await worker(request)
        wanted = _decode(await _body(request, MOST_JSON), PullRequest)
        offer = await run_in_threadpool(desk.pull, name, wanted.lease)
        return Response(status_code=204) if offer is None else _json(offer)

    @app.get("/v1/networks/{sha256}")
    async def network(request: Request, sha256: str) -> Response:
        await worker(request)
        return _part(desk.network(sha256), request.headers.get("Range"))

    @app.put("/v1/chunks/{sha256}")
    async def push(request: Request, sha256: str, lease: int) -> Response:
        name = await worker(request)
        chunk = await _body(request, STRANGERS.file_bytes)
        if hashlib.sha256(chunk).hexdigest() != sha256:
            raise HubRefusedError(422, "the chunk is not what its hash says")
        return _json(await run_in_threadpool(desk.push, name, chunk, lease))

    @app.post("/v1/report")
    async def report(request: Request) -> Response:
        name = await worker(request)
        said = _decode(await _body(request, MOST_REPORT), Report)
        return _json(await run_in_threadpool(desk.report, name, said))

    @app.get("/v1/status")
    async def status(request: Request) -> Response:
        await worker(request, "watch")
        return _json(await run_in_threadpool(desk.status))

    @app.middleware("http")
    async def no_browsers(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        """Players are programs: a page that asks in somebody's name has no business here."""
        if "Origin" in request.headers:
            return _refusal(403, "this hub is not for browsers")
        answer = await go_on(request)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @app.exception_handler(HubRefusedError)
    async def refused(_: Request, error: HubRefusedError) -> Response:
        return _refusal(error.status, str(error), error.seconds if isinstance(error, NotNowError) else None)

    @app.exception_handler(OSError)
    async def cannot(_: Request, error: OSError) -> Response:
        """Workers keep the games, and ask again."""
        if error.errno in (errno.EMFILE, errno.ENFILE):
            return _refusal(503, "the hub has too many files open", BUSY)
        return _refusal(507, f"the hub cannot write: {error.strerror or error}", DISK_SECONDS)

    @app.exception_handler(sqlite3.Error)
    async def no_ledger(_: Request, error: sqlite3.Error) -> Response:
        """Busy, or damaged: whoever keeps the hub sees that at its screen."""
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
            return _refusal(507, f"the hub cannot write: {error}", DISK_SECONDS)
        return _refusal(503, f"the hub cannot answer now: {error}", BUSY)

    @app.exception_handler(RequestValidationError)
    async def wrong(_: Request, error: RequestValidationError) -> Response:
        return _refusal(422, "; ".join(f"{each['loc'][-1]}: {each['msg']}" for each in error.errors())[:300])

    @app.exception_handler(HTTPException)
    async def unknown(_: Request, error: HTTPException) -> Response:
        return _refusal(error.status_code, str(error.detail))

    return app


async def _body(request: Request, most: int) -> bytes:
    """The body, of which no more than `most` bytes are ever held. Raises HubRefusedError."""
    length = request.headers.get("Content-Length", "")
    if not length.isdecimal():
        raise HubRefusedError(411, "the length of the body must be given")
    if int(length) > most:
        raise HubRefusedError(413, f"{length} bytes, more than the {most} allowed")
    pieces, size = [], 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                size += len(piece)
                if size > most:
                    raise HubRefusedError(413, f"more than the {most} bytes allowed")
                pieces.append(piece)
    except ClientDisconnect:
        raise HubRefusedError(400, "the body was cut short") from None
    except TimeoutError:
        raise HubRefusedError(408, "the body came too slowly") from None
    return b"".join(pieces)


def _decode(body: bytes, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HubRefusedError(422, str(error)[:300]) from None


def _json(answer: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(answer), status, media_type="application/json")


def _refusal(status: int, reason: str, seconds: float | None = None) -> Response:
    """`seconds`: after which asking again makes sense."""
    answer = _json({"reason": reason}, status)
    if seconds is not None:
        answer.headers["Retry-After"] = str(max(1, math.ceil(seconds)))
    return answer


def _part(data: bytes, wanted: str | None) -> Response:
    """All of a file, or what a Range header asks for: everything from some byte on."""
    found = _RANGE.fullmatch(wanted or "")
    start = int(found[1]) if found else 0
    headers = {"Accept-Ranges": "bytes"}
    if start == 0 or start >= len(data):  # who has it all, or too much, should look at the whole again
        return Response(data, 200, headers, "application/octet-stream")
    headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
    return Response(data[start:], 206, headers, "application/octet-stream")


class HttpHub(Desk):
    """A desk that answers on a port, from its first release to the end of the sitting."""

    def __init__(
        self,
        run: RunDirectory,
        first_game: int,
        device: str = "auto",
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        certificate: Path | None = None,
        key: Path | None = None,
    ) -> None:
        super().__init__(run, first_game, device)
        door = Door(header_seconds=HEADER_SECONDS, per_address=PER_ADDRESS, most=CONNECTIONS)
        try:
            if certificate:
                ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
            self._socket = door.guard(socket.create_server((host, port), backlog=2048))
        except OSError as error:  # ssl's are such
            super().close()
            raise RunError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        # Answers go out in two pieces; waiting for the first to be acknowledged would cost 40 ms.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port: int = self._socket.getsockname()[1]
        # A log of requests would hold nothing that workers.json and the run's events do not; headers are never logged.
        config = uvicorn.Config(
            make_app(self),
            log_level=logging.WARNING,
            access_log=False,
            server_header=False,
            headers=[(HUB_HEADER, PROGRAM)],
            timeout_graceful_shutdown=20,
            http=door.protocol,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="hub", daemon=True)

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def publish(self, release: Release) -> None:
        super().publish(release)
        if not self._thread.is_alive():
            self._thread.start()

    def close(self) -> None:
        try:
            if self.over:
                self._see_off()
        finally:
            self._server.should_exit = True
            if self._thread.is_alive():
                self._thread.join(30)
            self._socket.close()
            super().close()

    def _see_off(self) -> None:
        """Answers until every player has heard that the run is finished, has sent its last games and has left. One that
        says nothing counts as gone when its lease runs out."""
        end = time.monotonic() + LEASE_SECONDS
        while self._seats.alive() and self._thread.is_alive() and time.monotonic() < end:
            time.sleep(TICK)
