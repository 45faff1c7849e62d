"""`tengen hub`: a run whose games are played by workers anywhere; and what its keeper has to do."""

import argparse
import functools
import json
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli import UsageError, Verbs, add_verb, known_id, number
from tengen.cli import train as training

if TYPE_CHECKING:
    from tengen.hub.ledger import Ledger
    from tengen.run.folder import RunDirectory

EXAMPLE = """example: tengen hub token add garage --run runs/connect4 --out garage.token   once per machine or person
         tengen hub connect4 --run runs/connect4 --host 0.0.0.0 --certificate hub.pem --key hub.key
         tengen worker https://hub.example:8470 --token-file garage.token        there, as many as you like

         tengen hub token list --run DIR              who may play; also: token revoke NAME
         tengen hub workers --run DIR                 who plays, how much, and whether it is believed
         tengen hub bar NAME --run DIR                take nothing more from it, and learn no more from what it sent
         tengen hub trust NAME --run DIR              believe it again, and learn from what it sent
         tengen hub rewind --before NAME --run DIR    forget what was learned since its first games (stop the hub first)
         tengen hub set search.sims=400 --run DIR     from the next release on, everywhere

All but rewind work while the hub runs. Options of tengen train hold here too. More in docs/hub.md."""


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "hub", "train with workers on other machines", EXAMPLE, run)
    parser.add_argument("words", metavar="GAME", nargs="+", help="the game to learn, or one of the orders below")
    training.add_training_options(parser)
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1, this machine only)"
    )
    parser.add_argument(
        "--port", type=number(int, 0, 65535, "a port from 0 to 65535"), default=8470, help="(default 8470)"
    )
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="speak TLS with this certificate (PEM)")
    parser.add_argument("--key", type=Path, metavar="FILE", help="the certificate's key (PEM)")
    parser.add_argument("--before", metavar="NAME", help="rewind: the worker whose games taught the network wrong")
    parser.add_argument("--scope", action="append", help="token add: play or watch (repeatable; default play)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="token add: a new file for it (default: print it)")


def run(args: argparse.Namespace) -> int:
    order, *words = args.words
    if order in ORDERS:
        return run_order(ORDERS[order], words, args)
    if words:
        raise UsageError(f"{order!r} is not an order; the orders are {', '.join(ORDERS)}")
    from tengen.hub.service import HttpHub

    if bool(args.certificate) != bool(args.key):
        raise UsageError("--certificate and --key belong together")
    for file in filter(None, (args.certificate, args.key)):
        if not file.is_file():
            raise UsageError(f"{file} is not a file")
    if not args.certificate and args.host not in ("127.0.0.1", "::1", "localhost"):
        print("warning: without --certificate, tokens and games travel readable; see docs/hub.md", file=sys.stderr)
    args.typed, args.game = order, known_id(order)
    where = functools.partial(HttpHub, host=args.host, port=args.port, certificate=args.certificate, key=args.key)
    return training.run(args, where)


def run_order(order: "Order", words: list[str], args: argparse.Namespace) -> int:
    from tengen.hub.ledger import Ledger
    from tengen.run.folder import RunDirectory

    if args.folder is None:
        raise UsageError("which run? Give --run DIR")
    directory = RunDirectory(args.folder)
    try:
        if words[:1] == ["add"]:  # a token may be made before the hub is started for the first time
            directory.path.mkdir(parents=True, exist_ok=True)
        elif not directory.hub.is_file():
            raise UsageError(f"{directory.path} has no hub; tengen hub token add NAME --run DIR prepares one")
        ledger = Ledger(directory.hub)
        try:
            return order(ledger, directory, words, args)
        finally:
            ledger.close()
    except BrokenPipeError:
        raise
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"{directory.hub}: {getattr(error, 'strerror', None) or error}") from None


def token(ledger: "Ledger", run: "RunDirectory", words: list[str], args: argparse.Namespace) -> int:
    from tengen.hub.tokens import TokenError, add_token, write_token

    match words:
        case ["add", name]:
            make = functools.partial(add_token, ledger, name, tuple(args.scope or ["play"]))
            try:
                if args.out:
                    write_token(args.out, make)
                else:
                    print(make())
            except TokenError as error:
                raise UsageError(str(error)) from None
        case ["list"]:
            rows = [dict(zip(("name", "scopes", "created", "revoked"), row, strict=True)) for row in ledger.tokens()]
            show(rows, args.json)
        case ["revoke", name]:
            if not ledger.revoke(name):
                raise UsageError(f"there is no token {name!r}")
        case _:
            raise UsageError("tengen hub token add NAME, token list, or token revoke NAME")
    return 0


def workers(ledger: "Ledger", run: "RunDirectory", words: list[str], args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from tengen.hub.withdrawal import advice

    standings = ledger.standings()
    show([{"name": name, **asdict(standing)} for name, standing in standings.items()], args.json)
    for name, standing in standings.items():
        if standing.held is not None and not args.json:
            print(f"\n{advice(ledger, name)}")
    return 0


def bar(ledger: "Ledger", run: "RunDirectory", words: list[str], args: argparse.Namespace) -> int:
    if not words:
        raise UsageError("tengen hub bar NAME [REASON]")
    return set_standing(ledger, words[0], ledger.bar(words[0], " ".join(words[1:]) or "by hand"))


def trust(ledger: "Ledger", run: "RunDirectory", words: list[str], args: argparse.Namespace) -> int:
    if len(words) != 1:
        raise UsageError("tengen hub trust NAME")
    return set_standing(ledger, words[0], ledger.trust(words[0]))


def set_standing(ledger: "Ledger", name: str, known: bool) -> int:
    from tengen.hub.withdrawal import advice

    if not known:
        raise UsageError(f"nobody called {name!r} has played here")
    print(advice(ledger, name))
    return 0


def rewind_run(ledger: "Ledger", run: "RunDirectory", words: list[str], args: argparse.Namespace) -> int:
    from tengen.run.folder import RunError
    from tengen.train.rewind import rewind as go_back

    if words or not args.before:
        raise UsageError("tengen hub rewind --before NAME --run DIR")
    try:
        with run.locked():
            print(go_back(run, ledger, args.before))
    except RunError as error:
        raise UsageError(str(error)) from None
    return 0


def set_options(ledger: "Ledger", run: "RunDirectory", words: list[str], args: argparse.Namespace) -> int:
    """What a release carries may change while a run goes on: it is in run.toml, which every release reads."""
    from tengen.run.folder import RunError

    if not words or not all(word.startswith(("search.", "selfplay.")) for word in words):
        raise UsageError("only options of search and selfplay travel with releases: search.NAME=VALUE, selfplay.NAME=…")
    try:
        with run.changing():
            run.configure(run.config().with_settings(words))
    except RunError as error:
        raise UsageError(str(error)) from None
    return 0


Order = Callable[["Ledger", "RunDirectory", list[str], argparse.Namespace], int]
ORDERS: dict[str, Order] = {
    **{"token": token, "workers": workers, "bar": bar, "trust": trust},
    **{"rewind": rewind_run, "set": set_options},
}


def show(rows: list[dict[str, object]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows))
        return
    for row in rows:
        for name in ("created", "revoked"):
            if isinstance(moment := row.get(name), float):
                row[name] = time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
        print(*(f"{name}={value}" for name, value in row.items() if value is not None), sep="  ")
