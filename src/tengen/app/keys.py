"""Who may come in: the browser that was opened at the printed address.

Everybody on this machine can reach a port of it, and so can every program; so a token is needed here too, as with
Jupyter. There are two secrets. The *token* stands in the address, where it ends up in histories and on screens: it
works once, and the terminal then shows the next address. Who brings it gets the other, in a cookie that scripts cannot
read and other sites cannot use. Both are made anew at every start and written nowhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from hmac import compare_digest
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

__all__ = ["Keys"]


class Keys:
    """`announce` is told every token after the first."""

    def __init__(self, announce: Callable[[str], None] = lambda token: None) -> None:
        self._announce = announce
        self._secret = secrets.token_urlsafe(32)
        self.token = secrets.token_urlsafe(24)

    def redeem(self, scope: Scope) -> bool:
        """Does the address have the token? It does not work a second time."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if not any(compare_digest(word.encode(), self.token.encode()) for word in given):
            return False
        self.token = secrets.token_urlsafe(24)
        self._announce(self.token)
        return True

    def give(self, scope: Scope, response: Response) -> None:
        response.set_cookie(_cookie_name(scope), self._secret, httponly=True, samesite="strict", path="/")

    def are_held(self, scope: Scope) -> bool:
        """Does the request bring the cookie? Looks for its one name: general parsers take time that grows with the
        square of what a stranger sends (http.cookies before Python 3.11.10)."""
        wanted = f"{_cookie_name(scope)}={self._secret}".encode()
        cookies = (part.strip() for name, value in scope["headers"] if name == b"cookie" for part in value.split(b";"))
        return any(compare_digest(cookie, wanted) for cookie in cookies)


def _cookie_name(scope: Scope) -> str:
    """Browsers send cookies of one port to all others of the same name: each has its own, as the browser sees it."""
    port = Headers(scope=scope).get("host", "").rpartition(":")[2]
    return f"tengen_{port}" if port.isdecimal() else "tengen"
