"""The player's end of a hub over HTTP: dials out, trusts nothing that it has not hashed, and says how a request failed.

POST /v1/pull              the newest release and a lease      204: nothing is released yet
GET  /v1/networks/SHA256   the file that plays; Range goes on where a broken transfer ended
PUT  /v1/chunks/SHA256     finished games; sending them again changes nothing
POST /v1/report            a sign of life

Whoever answers may be anybody. So every answer is counted while it is read, none may be compressed (a gzip of 0.4 MB
unpacks to 400), none may redirect, and a request has a time in which it must be over, however steadily bytes drip in:
that is what asyncio is for here, whose time limits hold for whatever a request waits for.
"""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import httpx
import msgspec

from tengen.files import write_durably
from tengen.hub.protocol import (
    HUB_HEADER,
    PROGRAM,
    HubRefusedError,
    HubUnreachableError,
    Offer,
    Orders,
    Receipt,
    Report,
    one_line,
)
from tengen.net.file import LARGEST

__all__ = ["HttpLink"]

TIMEOUT = httpx.Timeout(30.0, connect=10.0)  # without any byte
REQUEST_SECONDS = 120.0  # for a whole request: 2 MB of games at 20 KB/s
NETWORK_SECONDS = 600.0  # for a network; what has arrived by then is kept, and the next request goes on
LARGEST_ANSWER = 1 << 20
LONGEST_RETRY = 600.0  # seconds that a hub may ask for with Retry-After
NETWORKS_KEPT = 4  # the release, and those of a rating match
NOT_NOW = {408, 425, 429}  # and every 5xx: asking again later may help

_Answer = TypeVar("_Answer", Offer, Orders, Receipt)


class HttpLink:
    """Implements `Link`, for one thread at a time. The networks it has fetched are kept in a folder, the unfinished one
    included."""

    def __init__(
        self, url: str, token: str, networks: Path, certificate: Path | None = None, *, largest: int = LARGEST
    ) -> None:
        """`certificate`: of the hub, or of who signed it, when it is not one that the system knows. `largest`: bytes of
        a network that is taken."""
        self._networks, self._largest = networks, min(largest, LARGEST)
        networks.mkdir(parents=True, exist_ok=True)
        headers = {"Authorization": f"Bearer {token}", "X-Tengen-Version": PROGRAM, "Accept-Encoding": "identity"}
        verify = ssl.create_default_context(cafile=certificate) if certificate else True
        base = url.rstrip("/") + "/v1"
        self._client = httpx.AsyncClient(base_url=base, headers=headers, timeout=TIMEOUT, verify=verify)
        self._loop = asyncio.Runner()

    def pull(self, lease: int | None) -> Offer | None:
        answer = self._ask("POST", "/pull", msgspec.json.encode({"lease": lease}))
        return _read(answer, Offer) if answer else None

    def push(self, chunk: bytes, lease: int) -> Receipt:
        digest = hashlib.sha256(chunk).hexdigest()
        return _read(self._ask("PUT", f"/chunks/{digest}?lease={lease}", chunk), Receipt)

    def report(self, report: Report) -> Orders:
        return _read(self._ask("POST", "/report", msgspec.json.encode(report)), Orders)

    def network(self, sha256: str) -> bytes:
        whole = self._networks / f"{sha256}.onnx"
        if not whole.exists():
            data = self._fetch(sha256)
            kept = sorted(self._networks.glob("*.onnx"), key=lambda path: path.stat().st_mtime)
            for older in kept[: 1 - NETWORKS_KEPT]:
                older.unlink()
            write_durably(whole, data)
        data = whole.read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            whole.unlink()
            raise HubUnreachableError("a network was damaged on this machine's disk; it is fetched again")
        return data

    def _fetch(self, sha256: str) -> bytes:
        """Goes on with what an earlier attempt has left, and leaves what it got to the next."""
        part = self._networks / f"{sha256}.part"
        for other in self._networks.glob("*.part"):
            if other != part:
                other.unlink()
        self._loop.run(self._fetch_rest(f"/networks/{sha256}", part))
        data = part.read_bytes()
        part.unlink()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise HubUnreachableError("a network arrived damaged; it is fetched again")
        return data

    async def _fetch_rest(self, path: str, part: Path) -> None:
        have = part.stat().st_size if part.exists() else 0
        async with self._answer("GET", path, NETWORK_SECONDS, Range=f"bytes={have}-") as answer:
            goes_on = answer.status_code == 206
            room = self._largest - (have if goes_on else 0)
            with part.open("ab" if goes_on else "wb") as file:
                async for piece in _pieces(answer, room):
                    file.write(piece)

    def _ask(self, method: str, path: str, body: bytes) -> bytes:
        return self._loop.run(self._exchange(method, path, body))

    async def _exchange(self, method: str, path: str, body: bytes) -> bytes:
        async with self._answer(method, path, REQUEST_SECONDS, body) as answer:
            return await _whole(answer)

    @asynccontextmanager
    async def _answer(
        self, method: str, path: str, seconds: float, body: bytes = b"", **headers: str
    ) -> AsyncIterator[httpx.Response]:
        """An answer that is not a refusal, still to be read."""
        try:
            async with (
                asyncio.timeout(seconds),
                self._client.stream(method, path, content=body, headers=headers) as answer,
            ):
                if not answer.is_success:
                    raise await _refusal(answer)
                yield answer
        except TimeoutError:
            raise HubUnreachableError(f"the hub's answer took longer than {seconds:g} seconds") from None
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError) as error:
            reason = one_line(str(error)) or type(error).__name__
            raise HubUnreachableError(f"no answer from the hub: {reason}") from None


async def _pieces(answer: httpx.Response, most: int) -> AsyncIterator[bytes]:
    """A body as it comes, of which no more than `most` bytes are ever taken."""
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise HubUnreachableError("the hub's answer is compressed, which nobody asked for")
    length = answer.headers.get("Content-Length", "0")
    left = most - (int(length) if length.isdecimal() and len(length) < 20 else 0)
    if left >= 0:
        left = most
        async for piece in answer.aiter_raw():
            left -= len(piece)
            if left < 0:
                break
            yield piece
    if left < 0:
        what = f"{answer.request.url.path} of more than {most} bytes"
        raise HubUnreachableError(f"the hub sends {what}, which is more than this worker takes")


async def _whole(answer: httpx.Response) -> bytes:
    return b"".join([piece async for piece in _pieces(answer, LARGEST_ANSWER)])


async def _refusal(answer: httpx.Response) -> HubRefusedError | HubUnreachableError:
    """What a status other than 2xx means. Only a hub can refuse for good: a proxy's 404 says nothing about games."""
    status, body = answer.status_code, await _whole(answer)
    try:
        reason = one_line(str(msgspec.json.decode(body)["reason"]))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError):
        reason = one_line(answer.reason_phrase)
    if answer.is_client_error and status not in NOT_NOW:
        if HUB_HEADER in answer.headers:
            return HubRefusedError(status, reason)
        reason += ", and not as a hub does: is it a proxy, or a wrong address?"
    after = answer.headers.get("Retry-After", "")
    wait = min(float(after), LONGEST_RETRY) if after.isdecimal() and len(after) < 20 else 0.0
    return HubUnreachableError(f"the hub answers {status} {reason}", status, wait)


def _read(answer: bytes, kind: type[_Answer]) -> _Answer:
    try:
        return msgspec.json.decode(answer, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HubUnreachableError(f"the hub's answer makes no sense: {one_line(str(error))}") from None
