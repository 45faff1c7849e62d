"""The player's end of a hub over HTTP: dials out, trusts nothing that it has not hashed, and says how a request failed.

POST /v1/pull              the newest release and a lease      204: nothing is released yet
GET  /v1/networks/SHA256   the file that plays; Range goes on where a broken transfer ended
PUT  /v1/chunks/SHA256     finished games; sending them again changes nothing
POST /v1/report            a sign of life
"""

from __future__ import annotations

import hashlib
import ssl
from pathlib import Path
from typing import TypeVar

import httpx
import msgspec

from tengen.files import write_durably
from tengen.hub.protocol import (
    PROGRAM,
    HubRefusedError,
    HubUnreachableError,
    Offer,
    Orders,
    Receipt,
    Report,
)
from tengen.network import LARGEST

__all__ = ["HttpLink"]

TIMEOUT = httpx.Timeout(30.0, connect=10.0)
LARGEST_ANSWER = 1 << 20
NETWORKS_KEPT = 4  # the release, and those of a rating match
NOT_NOW = {408, 425, 429}  # and every 5xx: asking again later may help

_Answer = TypeVar("_Answer", Offer, Orders, Receipt)


class HttpLink:
    """Implements `Link`. The networks it has fetched are kept in a folder, the unfinished one included."""

    def __init__(self, url: str, token: str, networks: Path, certificate: Path | None = None) -> None:
        """`certificate`: of the hub, or of who signed it, when it is not one that the system knows."""
        self._networks = networks
        networks.mkdir(parents=True, exist_ok=True)
        headers = {"Authorization": f"Bearer {token}", "X-Tengen-Version": PROGRAM}
        verify = ssl.create_default_context(cafile=str(certificate)) if certificate else True
        self._client = httpx.Client(base_url=url.rstrip("/") + "/v1", headers=headers, timeout=TIMEOUT, verify=verify)

    def pull(self, lease: int | None) -> Offer | None:
        answer = self._ask("POST", "/pull", msgspec.json.encode({"lease": lease}))
        return self._read(answer, Offer) if answer.status_code != 204 else None

    def push(self, chunk: bytes, lease: int) -> Receipt:
        digest = hashlib.sha256(chunk).hexdigest()
        return self._read(self._ask("PUT", f"/chunks/{digest}?lease={lease}", chunk), Receipt)

    def report(self, report: Report) -> Orders:
        return self._read(self._ask("POST", "/report", msgspec.json.encode(report)), Orders)

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
        have = part.stat().st_size if part.exists() else 0
        request = self._client.build_request("GET", f"/networks/{sha256}", headers={"Range": f"bytes={have}-"})
        try:
            answer = self._client.send(request, stream=True)
            try:
                if answer.status_code not in (200, 206):
                    answer.read()
                    self._check(answer)
                with part.open("ab" if answer.status_code == 206 else "wb") as file:
                    for piece in answer.iter_bytes():
                        file.write(piece)
                        if file.tell() > LARGEST:
                            raise HubRefusedError(413, "the hub sent a network that is too large")
            finally:
                answer.close()
        except httpx.HTTPError as error:
            raise _unreachable(error) from None
        data = part.read_bytes()
        part.unlink()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise HubUnreachableError("a network arrived damaged; it is fetched again")
        return data

    def _ask(self, method: str, path: str, body: bytes) -> httpx.Response:
        try:
            answer = self._client.request(method, path, content=body)
        except httpx.HTTPError as error:
            raise _unreachable(error) from None
        self._check(answer)
        return answer

    def _check(self, answer: httpx.Response) -> None:
        if answer.is_success:
            return
        try:
            reason = str(msgspec.json.decode(answer.content[:LARGEST_ANSWER])["reason"])[:300]
        except (msgspec.DecodeError, KeyError, TypeError):
            reason = answer.reason_phrase
        if answer.is_client_error and answer.status_code not in NOT_NOW:
            raise HubRefusedError(answer.status_code, reason)
        raise HubUnreachableError(f"the hub answers {answer.status_code} {reason}")

    def _read(self, answer: httpx.Response, kind: type[_Answer]) -> _Answer:
        try:
            return msgspec.json.decode(answer.content[:LARGEST_ANSWER], type=kind)
        except msgspec.DecodeError as error:
            raise HubUnreachableError(f"the hub's answer makes no sense: {error}") from None


def _unreachable(error: httpx.HTTPError) -> HubUnreachableError:
    return HubUnreachableError(f"no answer from the hub: {str(error) or type(error).__name__}")
