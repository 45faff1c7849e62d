"""Tokens: who may talk to a hub. Random, shown once, kept as hashes; revoking one is felt at the next request.

They hold 256 random bits, so a plain hash cannot be turned back, and nothing is gained by a slow one.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from tengen.hub.ledger import Ledger
from tengen.hub.protocol import HubRefusedError

__all__ = ["SCOPES", "TokenError", "add_token", "read_token", "worker_of", "write_token"]

SCOPES = ("play", "watch")  # pull, push and report; read the status
PREFIX = "tengen_"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TOKEN = re.compile(PREFIX + r"[A-Za-z0-9_-]{43}")


class TokenError(Exception):
    """A token that cannot be made or read; the message is one line and never holds the token."""


def add_token(ledger: Ledger, name: str, scopes: tuple[str, ...] = ("play",)) -> str:
    """A new token. It cannot be shown again. Raises TokenError."""
    if not _NAME.fullmatch(name):
        raise TokenError(f"a token's name is 1 to 64 letters, digits, '.', '_' or '-', not {name!r}")
    if unknown := [scope for scope in scopes if scope not in SCOPES] or not scopes:
        raise TokenError(f"the scopes are {', '.join(SCOPES)}, not {unknown}")
    token = PREFIX + secrets.token_urlsafe(32)
    if not ledger.add_token(name, _hash(token), " ".join(scopes)):
        raise TokenError(f"there is a token {name!r} already; names are not used twice, also after revoking")
    return token


def worker_of(ledger: Ledger, authorization: str | None, scope: str) -> str:
    """The name of a token in an Authorization header. Raises HubRefusedError: 401 nobody, 403 not for this."""
    kind, _, token = (authorization or "").partition(" ")
    found = ledger.token(_hash(token)) if kind.lower() == "bearer" and _TOKEN.fullmatch(token) else None
    if found is None:
        raise HubRefusedError(401, "no token, or one that is unknown or revoked")
    name, scopes = found
    if scope not in scopes.split():
        raise HubRefusedError(403, f"this token may not {scope}")
    return name


def write_token(path: Path, make: Callable[[], str]) -> None:
    """A token that `make` makes, in a new file that only its owner can read. Raises TokenError: then none is made, or
    what `make` raises."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise TokenError(f"{path}: {error.strerror}") from None
    try:
        with os.fdopen(file, "w", encoding="ascii") as writer:
            writer.write(make() + "\n")
    except BaseException:
        path.unlink()
        raise


def read_token(path: Path, warn: Callable[[str], None]) -> str:
    """A token from a file of its own. Raises TokenError."""
    try:
        token = path.read_text("ascii").strip()
        if path.stat().st_mode & stat.S_IRWXO:
            warn(f"{path}: other users of this machine can read this token; chmod 600 it")
    except (OSError, UnicodeDecodeError) as error:
        raise TokenError(f"{path}: {getattr(error, 'strerror', None) or 'not a token'}") from None
    if not _TOKEN.fullmatch(token):
        raise TokenError(f"{path}: not a token of tengen hub token add")
    return token


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
