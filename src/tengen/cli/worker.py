"""`tengen worker`: plays for a hub elsewhere; opens no port, needs no torch."""

import argparse
import hashlib
import os
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from tengen.cli import UsageError, Verbs, add_device, add_verb, number

EXAMPLE = """example: tengen worker http://127.0.0.1:8470 --token-file garage.token
         tengen worker https://hub.example:8470 --token-file garage.token --certificate hub.pem --threads 2

Which game, which network and how to play is the hub's to say. Ctrl-C sends what is finished and ends. Games that could
not be sent yet are kept (in --spool) and go out when a worker for the same hub is started again."""


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
    every = number(float, 0.1, 3600, "a number of seconds from 0.1 to 3600")
    parser.add_argument("--every", type=every, default=30.0, help="seconds between two deliveries (default 30)")
    add_device(parser)


def run(args: argparse.Namespace) -> int:
    from tengen.cli.train import stop_on_signals
    from tengen.hub.http import HttpLink
    from tengen.hub.protocol import HubRefusedError
    from tengen.hub.tokens import TokenError, read_token
    from tengen.hub.worker import Worker, own_folder

    if urlsplit(args.url).scheme not in ("http", "https") or not urlsplit(args.url).hostname:
        raise UsageError(f"a hub is http://HOST:PORT or https://HOST:PORT, not {args.url!r}")
    if args.certificate and not args.certificate.is_file():
        raise UsageError(f"{args.certificate} is not a file")
    try:
        token = read_token(args.token_file)
        base = args.spool or default_spool(args.url, token)
        with own_folder(base) as folder, stop_on_signals() as stop:
            link = HttpLink(args.url, token, folder / "networks", args.certificate)
            worker = Worker(
                link,
                folder,
                device=args.device,
                threads=args.threads,
                slots=args.slots,
                every=args.every,
                stop=stop.event,
                say=say,
            )
            worker.run()
    except (TokenError, HubRefusedError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{error.filename or base}: {error.strerror or error}") from None
    say(f"ended after {worker.games} games")
    return 128 + stop.signal if stop.event.is_set() else 0


def default_spool(url: str, token: str) -> Path:
    """One folder per hub and token, so that games never go to the wrong one."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "tengen" / "worker" / hashlib.sha256(f"{url} {token}".encode()).hexdigest()[:16]


def say(words: str) -> None:
    print(time.strftime("%H:%M:%S"), words, file=sys.stderr, flush=True)
