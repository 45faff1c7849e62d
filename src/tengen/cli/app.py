"""`tengen app`: play, analyse, review and watch training in the browser."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tengen.cli import UsageError, Verbs, add_engines, add_verb, number, phrases
from tengen.games import Family
from tengen.preset import file_name

if TYPE_CHECKING:
    from tengen.app.keys import Keys

PORT = 8361

EXAMPLE = """example: tengen app
         tengen app --port 9000 --runs ~/runs --no-browser
         tengen app --train connect4      learns beside it, as `tengen train connect4` does
         tengen app --host 0.0.0.0        for other machines too

The address it prints has a token, which works once; then it prints the next one, for another browser.
Ctrl-C ends it; runs that were started in the app are saved and paused."""


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "app", "play, analyse and watch training in the browser", EXAMPLE, run, json=False)
    port = number(int, 0, 65535, "a port from 0 (any free one) to 65535")
    usual = f"(default {PORT}, or any free one where that is taken)"
    parser.add_argument("--port", type=port, metavar="P", help=usual)
    parser.add_argument("--host", default="127.0.0.1", metavar="H", help="address to listen on (default: this machine)")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="where training runs are (default %(default)s)"
    )
    parser.add_argument("--train", metavar="GAME", help="start this game's run, or go on with it, and open its page")
    add_engines(parser)
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(args: argparse.Namespace) -> int:
    from tengen.app.keys import Keys
    from tengen.play.outside.named import read_engines, use_engines

    use_engines(args.engines)
    read_engines()  # mistakes are told here, not to a page
    train = Family.parse(args.train).id if args.train else None
    if train and not find_spec("torch"):
        raise UsageError("training needs torch; pip install 'tengen[train]'")
    words = phrases.PHRASES[phrases.language()]
    with bind(args.host, args.port) as listener:
        port, page = listener.getsockname()[1], first_page(train)

        def announce(token: str) -> None:
            with suppress(OSError):  # nobody reads it any more
                print(words["serving_next"].format(address=address_of(args.host, port, token, page)), flush=True)

        keys = Keys(announce)
        address = address_of(args.host, port, keys.token, page)
        print(words["serving"].format(address=address), flush=True)
        if not args.no_browser and can_show_pages():
            open_browser(address)
        serve(listener, args.runs, keys, args.host, train)
    return 0


def bind(host: str, port: int | None) -> socket.socket:
    """Taken before anything is loaded, so that a taken port is told at once."""
    if port is None:
        with suppress(UsageError):
            return bind(host, PORT)
        port = 0
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(where)
            listener.listen(128)
        except OSError:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = error.strerror or error if isinstance(error, OSError) else "not a host name"
        raise UsageError(f"cannot listen on {host} port {port}: {reason}; try --port 0 for any free one") from None
    return listener


def first_page(train: str | None) -> str:
    """Where in the app a browser begins: who trains wants to see how it goes.

    >>> first_page("gomoku:15"), first_page(None)
    ('#/training/gomoku-15', '')
    """
    return f"#/training/{quote(file_name(train))}" if train else ""


def address_of(host: str, port: int, token: str, page: str = "") -> str:
    name = socket.gethostname() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/?token={token}{page}"


def can_show_pages() -> bool:
    """Without a display the browser would be one in the terminal, or none."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def open_browser(address: str) -> None:
    import webbrowser

    # The port is bound: what is asked before the server is up waits for it.
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def serve(listener: socket.socket, runs: Path, keys: Keys, host: str, train: str | None) -> None:
    from tengen.app.server import make_server

    with suppress(KeyboardInterrupt):  # uvicorn passes Ctrl-C on when it has shut down
        make_server(runs, keys, host, train).run(sockets=[listener])
