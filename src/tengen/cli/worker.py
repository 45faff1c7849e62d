"""`tengen worker`: plays for a hub elsewhere; opens no port, needs no torch."""

import argparse
import hashlib
import ipaddress
import os
import sys
import time
from contextlib import chdir
from pathlib import Path
from urllib.parse import urlsplit

from tengen.cli import EXIT_USAGE, UsageError, Verbs, add_device, add_verb, device_for, number

EXAMPLE = """example: tengen worker http://127.0.0.1:8470 --token-file garage.token
         tengen worker https://hub.example:8470 --token-file garage.token --certificate hub.pem --threads 2
         tengen worker https://hub.example:8470 --token-file garage.token --memory 1000

Which game, which network and how to play is the hub's to say, within --memory: fewer games side by side and a smaller
cache if need be, and a sentence where that is not enough. The program itself takes some 150 MB beside it.

The worker ends when the hub says that its run is finished, or by Ctrl-C; it sends what is finished first. While a hub
is away it plays on. Games that could not be sent yet are kept (in --spool) and go out when a worker for the same hub is
started again."""

MEGABYTE = 1 << 20


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "worker", "play for a hub on another machine", EXAMPLE, run, json=False)
    parser.add_argument("url", metavar="URL", help="of the hub: http://HOST:PORT or https://HOST:PORT")
    parser.add_argument("--token-file", type=Path, required=True, metavar="FILE", help="made by tengen hub token add")
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="the hub's own, if it signed it itself (PEM)")
    parser.add_argument("--spool", type=Path, metavar="DIR", help="what is not sent yet (default: the user's cache)")
    threads = number(int, 0, 1024, "a number of threads from 0 (one per core) to 1024")
    parser.add_argument("--threads", type=threads, default=0, help="(default: one per core)")
    slots = number(int, 0, 65536, "a number of games from 0 (as the hub says) to 65536")
    parser.add_argument("--slots", type=slots, default=0, help="games side by side (default: as the hub says)")
    memory = number(int, 64, 10**6, "a number of megabytes from 64 to 1000000")
    parser.add_argument(
        "--memory",
        type=memory,
        metavar="MB",
        help="what the hub's networks and settings may take (default: a quarter of this machine's memory)",
    )
    every = number(float, 0.1, 3600, "a number of seconds from 0.1 to 3600")
    parser.add_argument("--every", type=every, default=30.0, help="seconds between two deliveries (default 30)")
    add_device(parser)


def run(args: argparse.Namespace) -> int:
    from tengen.cli.train import stop_on_signals
    from tengen.hub.http import HttpLink
    from tengen.hub.protocol import HubRefusedError
    from tengen.hub.tokens import TokenError, read_token
    from tengen.hub.worker import Worker, own_folder
    from tengen.hub.worker_bounds import BoundsError, default_memory, largest_network

    check_url(args.url)
    certificate = args.certificate and args.certificate.absolute()
    if certificate and not certificate.is_file():
        raise UsageError(f"{args.certificate} is not a file")
    memory = args.memory * MEGABYTE if args.memory else default_memory()
    try:
        token = read_token(args.token_file, lambda words: say(f"warning: {words}"))
        if leaves_readable(args.url):
            say("warning: over http:// everybody on the way can read the token and the games; see TLS in docs/hub.md")
        base = (args.spool or default_spool(args.url, token)).absolute()
        # In a folder of its own: a relative path in anything that a hub sends would lead to nothing of the user's.
        with own_folder(base) as folder, chdir(folder), stop_on_signals() as stop:
            link = HttpLink(args.url, token, folder / "networks", certificate, largest=largest_network(memory))
            worker = Worker(
                link,
                folder,
                device=device_for(args.device, long=True),
                threads=args.threads,
                slots=args.slots,
                memory=memory,
                every=args.every,
                stop=stop.event,
                say=say,
            )
            if not worker.run():
                leave(worker.fatal, 128 + stop.signal)
    except (TokenError, HubRefusedError, BoundsError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{error.filename or base}: {error.strerror or error}") from None
    if worker.over:
        games = f"games that could not be sent are kept in {base}" if worker.unsent else "all games are delivered"
        say(f"the hub's run is finished: there is nothing more to play, and {games}")
    say(f"ended after {worker.games} games")
    return 128 + stop.signal if stop.event.is_set() else 0


def check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port that is none
        valid = False
    if not valid:
        raise UsageError(f"a hub is http://HOST:PORT or https://HOST:PORT, not {url!r}")


def leaves_readable(url: str) -> bool:
    """Does a token go to another machine without TLS?"""
    parts = urlsplit(url)
    try:
        here = ipaddress.ip_address(str(parts.hostname)).is_loopback
    except ValueError:
        here = parts.hostname == "localhost"
    return parts.scheme == "http" and not here


def leave(why: Exception | None, code: int) -> None:
    """Ends the process while a search goes on that nothing can end; what was finished is on disk."""
    say(str(why or "ended in the middle of a search"))
    os._exit(EXIT_USAGE if why else code)


def default_spool(url: str, token: str) -> Path:
    """One folder per hub and token, so that games never go to the wrong one."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "tengen" / "worker" / hashlib.sha256(f"{url} {token}".encode()).hexdigest()[:16]


def say(words: str) -> None:
    print(time.strftime("%H:%M:%S"), words, file=sys.stderr, flush=True)
