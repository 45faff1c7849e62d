"""What a hub answers may be anything: it costs a worker a bounded amount of memory and time, and a line of text."""

import gzip
import hashlib
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

import msgspec
import pytest

from support.hubs import network
from support.nastyhub import TOKEN, Answer, NastyHub, answer, json, manifest, nasty_hub, offer, refusal, slowly
from tengen.hub import http
from tengen.hub.http import HttpLink
from tengen.hub.protocol import Contestant, HubRefusedError, HubUnreachableError, Orders, RatingMatch, Report

MEGABYTE = 1 << 20
SHA = hashlib.sha256(network().data).hexdigest()
LARGEST = 5_000_000
MATCH = RatingMatch(1, "tictactoe", Contestant("random"), Contestant("mcts:9"), {}, 0, 1)


@pytest.fixture(scope="module")
def hub() -> Iterator[NastyHub]:
    with nasty_hub() as hub:
        yield hub


@pytest.fixture(scope="module")
def link(hub: NastyHub, tmp_path_factory: pytest.TempPathFactory) -> HttpLink:
    """One for all: to make one takes a tenth of a second, for the system's certificates."""
    return HttpLink(hub.url, TOKEN, tmp_path_factory.mktemp("link"), largest=LARGEST)


def ask(hub: NastyHub, link: HttpLink, what: str, sent: Answer | Callable[[str], Answer] | None = None) -> object:
    """What a link makes of an answer."""
    hub.answers = {what: sent} if sent is not None else {}
    asking: dict[str, Callable[[], object]] = {
        "pull": lambda: link.pull(None),
        "networks": lambda: link.network(SHA),
        "chunks": lambda: link.push(b"x", 1),
        "report": lambda: link.report(Report(1, 1)),
    }
    return asking[what]()


def zeros(size: int) -> Iterator[bytes]:
    """An answer of which nobody knows in advance how long it is."""
    yield answer(Content_Length="")
    for _ in range(size // MEGABYTE):
        yield bytes(MEGABYTE)


BOMB = gzip.compress(b" " * (100 * MEGABYTE))


@pytest.mark.parametrize(
    ("what", "sent", "reason"),
    [
        ("pull", lambda: answer(BOMB, Content_Encoding="gzip"), "compressed"),
        ("chunks", lambda: answer(BOMB, "500 Oh", Content_Encoding="gzip"), "compressed"),
        ("networks", lambda: answer(BOMB, Content_Encoding="gzip"), "compressed"),
        ("report", lambda: zeros(100 * MEGABYTE), "more than 1048576 bytes"),
        ("pull", lambda: answer(b"x", Content_Length=str(1 << 60)), "more than 1048576 bytes"),
        ("networks", lambda: zeros(100 * MEGABYTE), "more than 5000000 bytes"),
        ("networks", lambda: answer(b"x", Content_Length=str(1 << 60)), "more than 5000000 bytes"),
        ("networks", lambda: answer(b"x", "404 No", Content_Length=str(1 << 60)), "more than 1048576 bytes"),
        ("pull", lambda: repeat(b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 8000 + b"\r\n", 1000), "no answer"),
        ("pull", lambda: repeat(b"HTTP/1.1 100 Continue\r\n\r\n", 1000), "no answer"),
    ],
)
def test_answers_are_counted_while_they_are_read(
    what: str, sent: Callable[[], Answer], reason: str, hub: NastyHub, link: HttpLink
) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(HubUnreachableError, match=reason):
            ask(hub, link, what, lambda _: sent())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * MEGABYTE
    assert sum(path.stat().st_size for path in link._networks.iterdir()) <= LARGEST


@pytest.mark.parametrize("where", ["head", "body"])
def test_a_request_ends_however_steadily_bytes_drip_in(
    where: str, hub: NastyHub, link: HttpLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "REQUEST_SECONDS", 0.5, raising=False)
    head, body = json(Orders(1)).split(b"\r\n\r\n")
    drip = [head[:20], *slowly(head[20:], 0)] if where == "head" else [head + b"\r\n\r\n", *slowly(body, 0)]

    def sent() -> Iterator[bytes]:
        for piece in drip:
            yield from slowly(piece, 0.1)

    with pytest.raises(HubUnreachableError, match=r"longer than 0\.5"):
        ask(hub, link, "report", lambda _: sent())


def changed(path: str, value: object) -> bytes:
    """An offer with one thing in it that is not as it should be."""
    whole: dict[str, Any] = offer()
    *folders, name = path.split(".")
    place = whole
    for folder in folders:
        place = place[folder]
    place[name] = value
    return json(whole)


def with_match(**changes: object) -> bytes:
    match = {**msgspec.to_builtins(MATCH), **changes}
    return json({"version": 1, "match": match})


NONSENSE: list[tuple[str, Answer]] = [
    ("pull", b""),
    ("pull", b"\x00" * 1000),
    ("pull", b"HTTP/1.1 999 What\r\n\r\n"),
    ("pull", b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"),
    ("pull", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}"),
    ("pull", answer(b"{}", "302 Found", Location="http://127.0.0.1:1/")),
    ("pull", answer(b"{}", "302 Found", Location="http://[oh/\x80")),
    ("pull", answer(b"not JSON")),
    ("pull", answer(b'{"release":' + b"[" * 500_000)),
    ("pull", answer(b'{"a":' * 100_000)),
    ("pull", answer(b'{"release": "\xff\xfe"}')),
    ("pull", answer(b'{"release": "\\ud800"}')),
    ("pull", answer(b"[]")),
    ("pull", answer(b"null")),
    ("pull", changed("release.sha256", "0" * 64 + "\n")),
    ("pull", changed("release.sha256", "../" * 20)),
    ("pull", changed("release.network", "0" * 63)),
    ("pull", changed("release.version", -1)),
    ("pull", changed("release.version", 10**40)),
    ("pull", changed("release.seed", 0.5)),
    ("pull", changed("release.slots", 0)),
    ("pull", changed("release.slots", 1 << 20)),
    ("pull", changed("release.game", "x" * 1000)),
    ("pull", changed("release.search", {"sims": [1] * 1000})),
    ("pull", changed("release.search", {"sims": {"a": {}}})),
    ("pull", changed("release.search", {"x" * 1000: 1})),
    ("pull", changed("release.search", {str(i): i for i in range(1000)})),
    ("pull", changed("release.selfplay", None)),
    ("pull", changed("lease.id", -1)),
    ("pull", changed("lease.first_game", 1 << 63)),
    ("pull", changed("lease.seconds", "soon")),
    ("chunks", answer()),
    ("chunks", json({"games": -1, "duplicate": False, "version": 1})),
    ("chunks", refusal("500 Oh")),
    ("chunks", refusal("404 Not Found", hub=False)),
    ("chunks", answer(b"<html>\x1b]0;gone\x07</html>", "422 \x1b[31mred", hub=False)),
    ("report", json({"version": -1})),
    ("report", with_match(first={"name": "random\n"})),
    ("report", with_match(first={"name": "mcts:5\n"})),
    ("report", with_match(first={"name": "7", "sha256": SHA + "\n"})),
    ("report", with_match(first={"name": "net:/etc/passwd"})),
    ("report", with_match(first={"name": "mcts:999999999"})),
    ("report", with_match(pairs=65)),
    ("report", with_match(pairs=0)),
    ("report", with_match(game=5)),
    ("report", with_match(search={"sims": None})),
    ("networks", answer(b"something else")),
    ("networks", answer(b"", "206 Partial Content")),
]


@pytest.mark.parametrize(("what", "sent"), NONSENSE, ids=[f"{what}-{i}" for i, (what, _) in enumerate(NONSENSE)])
def test_nonsense_is_a_line_of_text_and_asked_again(what: str, sent: Answer, hub: NastyHub, link: HttpLink) -> None:
    with pytest.raises(HubUnreachableError) as found:
        ask(hub, link, what, sent)
    assert str(found.value).isprintable() and 10 < len(str(found.value)) < 500


def test_what_a_hub_refuses_for_good_and_for_now(hub: NastyHub, link: HttpLink) -> None:
    def refused(status: str, named: bool = True, **headers: str) -> HubRefusedError | HubUnreachableError:
        with pytest.raises((HubRefusedError, HubUnreachableError)) as found:
            ask(hub, link, "chunks", refusal(status, named, **headers))
        error = found.value
        assert isinstance(error, HubRefusedError | HubUnreachableError) and "an example" in str(error)
        return error

    for status in (401, 403, 409, 410, 413, 422, 426):
        final = refused(f"{status} No")
        assert isinstance(final, HubRefusedError) and final.status == status
        assert isinstance(refused(f"{status} No", named=False), HubUnreachableError)
    for words, wait in {"7": 7.0, "0": 0.0, "99999999999": 600.0, "-5": 0.0, "soon": 0.0, "9" * 400: 0.0}.items():
        for status in (429, 503):
            later = refused(f"{status} Later", Retry_After=words)
            assert isinstance(later, HubUnreachableError) and (later.status, later.wait) == (status, wait)


def test_good_answers_are_taken(hub: NastyHub, link: HttpLink) -> None:
    assert msgspec.to_builtins(ask(hub, link, "pull")) == offer(manifest())
    assert ask(hub, link, "pull", answer(status="204 No Content", Content_Length="")) is None
    assert ask(hub, link, "networks") == network().data
    assert ask(hub, link, "report") == Orders(1)
