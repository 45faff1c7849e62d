"""Who may talk to the server: pages it served itself, and nobody else.

A page on any other site can make a browser send requests here. Three walls stand in the way:
- the Host must be a name of this server: a foreign name that was pointed at this machine (DNS rebinding) is refused;
- the Origin, which browsers send with every request that could change something and with every WebSocket, must be this
  server's own, and Sec-Fetch-Site must not say that another site asks;
- bodies must be JSON, which a foreign page cannot send without asking first.
Behind them nothing is told to anybody without the cookie of `keys.py`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tengen.app.errors import AppError
from tengen.app.keys import Keys

__all__ = ["Guard", "is_loopback"]

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
LARGEST_HEADER = 1 << 15  # cookies of other programs on this machine included, which browsers send along
LARGEST_BODY = 1 << 20
BODY_SECONDS = 10.0  # to send a body in
ANSWER_SECONDS = 60.0

LOCKED = """Tengen opens only from the address that `tengen app` shows in its terminal, such as
http://127.0.0.1:8361/?token=...
Every address works once. When it is used, the terminal shows the next one, for another browser.

请打开 `tengen app` 在终端里显示的地址，例如 http://127.0.0.1:8361/?token=...
每个地址只能用一次；用过之后，终端会显示下一个地址，可供另一个浏览器使用。
"""

HEADERS = {
    # Images also from memory: the page draws its board into a picture to save it.
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    return host in LOOPBACK


class Guard:
    """Wraps the whole app, so that no route can be forgotten."""

    def __init__(self, app: ASGIApp, host: str, keys: Keys) -> None:
        self._app, self._keys = app, keys
        self._only_here = is_loopback(host)
        self._names = {host.lower(), socket.gethostname().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        refusal = self._refusal(scope)
        if scope["type"] == "websocket":
            if refusal is None and self._keys.are_held(scope):
                return await self._app(scope, receive, send)
            await receive()  # the request to connect
            return await send({"type": "websocket.close", "code": 1008, "reason": "forbidden"})
        answer = _with_headers(send)
        if refusal is None:
            refusal = self._welcome(scope)
        if refusal is not None:
            return await refusal(scope, receive, answer)
        await self._serve(scope, receive, answer)

    def _refusal(self, scope: Scope) -> Response | None:
        size = len(scope["path"]) + len(scope["query_string"]) + sum(len(a) + len(b) for a, b in scope["headers"])
        if size > LARGEST_HEADER:
            message = f"the header of a request has at most {LARGEST_HEADER} bytes"
            return _error(AppError("too_large", message, most=LARGEST_HEADER), 431)
        headers = Headers(scope=scope)
        if not self._is_own_host(_only(headers, "host")):
            return _error(AppError("forbidden", "this name is not one of the server's own"))
        if not _is_own_origin(scope, headers):
            return _error(AppError("forbidden", "requests from other sites are refused"))
        return None

    def _is_own_host(self, header: str | None) -> bool:
        host = _host_of(header)
        if host is None:
            return False
        if self._only_here:
            return host in LOOPBACK
        # Reached by address, or by the name it was told: neither can be pointed here by somebody else.
        return host in LOOPBACK or host in self._names or _is_address(host)

    def _welcome(self, scope: Scope) -> Response | None:
        """Turns the token of the address into a cookie; refuses who has neither."""
        held = self._keys.are_held(scope)
        if scope["path"] == "/" and scope["method"] == "GET" and b"token=" in scope["query_string"]:
            # Who has the cookie already came here by a bookmark or by "back": the token stays for somebody else.
            if held:
                return RedirectResponse("/", status_code=303)
            if self._keys.redeem(scope):
                response = RedirectResponse("/", status_code=303)
                self._keys.give(scope, response)
                return response
        if held:
            return None
        if scope["path"].startswith("/api/"):
            return _error(AppError("forbidden", "open the address that `tengen app` shows in its terminal"))
        return PlainTextResponse(LOCKED, status_code=403)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reads the whole body first: bounded in size and time, whatever the route does with it."""
        try:
            body = await asyncio.wait_for(_read_body(scope, receive), BODY_SECONDS)
        except TimeoutError:
            return await _error(AppError("too_busy", "the request came too slowly"), 408)(scope, receive, send)
        except AppError as error:
            return await _error(error)(scope, receive, send)
        if body is None:
            return  # the client left
        served = False

        async def replay() -> Message:
            nonlocal served
            if served:
                return await receive()
            served = True
            return {"type": "http.request", "body": body, "more_body": False}

        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await asyncio.wait_for(self._app(scope, replay, watch), ANSWER_SECONDS)
        except TimeoutError:
            if not started:
                await _error(AppError("too_busy", "this took too long"), 408)(scope, receive, send)


def _only(headers: Headers, name: str) -> str | None:
    values = headers.getlist(name)
    return values[0] if len(values) == 1 else None


def _host_of(header: str | None) -> str | None:
    """The name in a Host header, without its port: a tunnel may have another."""
    if not header:
        return None
    name, _, port = header.rpartition(":") if not header.endswith("]") and ":" in header else (header, "", "")
    if port and not port.isdecimal():
        return None
    return name.removeprefix("[").removesuffix("]").lower()


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_own_origin(scope: Scope, headers: Headers) -> bool:
    site = headers.get("sec-fetch-site", "none")
    # Other sites may link to the page itself, and to nothing else.
    if site not in ("none", "same-origin") and not (scope.get("method") == "GET" and scope["path"] == "/"):
        return False
    origins = headers.getlist("origin")
    if not origins:
        return True  # not a browser, or a plain GET of our own page
    host = headers.get("host", "")
    return len(origins) == 1 and origins[0].lower() in (f"http://{host}".lower(), f"https://{host}".lower())


async def _read_body(scope: Scope, receive: Receive) -> bytes | None:
    headers = Headers(scope=scope)
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > LARGEST_BODY:
        raise AppError("too_large", f"a request has at most {LARGEST_BODY} bytes", most=LARGEST_BODY)
    parts, size = list[bytes](), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST_BODY:
            raise AppError("too_large", f"a request has at most {LARGEST_BODY} bytes", most=LARGEST_BODY)
        if not message.get("more_body", False):
            break
    if size and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise AppError("bad_request", "a body must be application/json")
    return b"".join(parts)


def _with_headers(send: Send) -> Send:
    async def tell(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return tell


def _error(error: AppError, status: int | None = None) -> Response:
    return JSONResponse({"error": error.to_dict()}, status_code=status or error.status)
