"""A worker and a hub that means it ill, or a line that does: games stay until a hub says itself that it never takes
them, and nothing ends the worker but a sentence or Ctrl-C."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.hubs import PATIENCE, until
from support.nastyhub import TOKEN, NastyHub, json, manifest, nasty_hub, offer, refusal
from support.recorded import play_record
from support.training import GAME
from tengen.hub.courier import Courier
from tengen.hub.http import HttpLink
from tengen.hub.protocol import Contestant, Orders, RatingMatch, Receipt
from tengen.hub.rating import play_rating
from tengen.hub.spool import Spool

LONG = RatingMatch(1, "connect4", Contestant("mcts:300000"), Contestant("mcts:300000"), {}, 0, 4)


@contextmanager
def courier(hub: NastyHub, folder: Path, chunks: int) -> Iterator[tuple[Spool, list[str]]]:
    """A courier with some chunks of an earlier lease; it plays nothing."""
    spool, said = Spool(folder / "lease-7"), list[str]()
    game = play_record(GAME, 0)
    for number in range(chunks):
        spool.add([replace(game, number=number)])
        spool.join(0.0, 1)
    running = Courier(HttpLink(hub.url, TOKEN, folder / "networks"), folder, 0.1, lambda release: release, said.append)
    running.start()
    try:
        yield spool, said
    finally:
        running.end()
        assert not running.is_alive() and running.fatal is None


@pytest.mark.parametrize("status", ["404 Not Found", "422 Wrong", "403 No"])
def test_a_proxys_refusal_moves_no_games(status: str, tmp_path: Path) -> None:
    with nasty_hub(chunks=refusal(status, hub=False)) as hub, courier(hub, tmp_path, 2) as (spool, said):
        until(lambda: len(hub.asked) >= 2)
        assert len(spool.chunks()) == 2 and not (spool.folder / "refused").exists()
        assert "not as a hub does" in said[0]
        hub.answers = {}
        until(lambda: not spool.chunks())


@pytest.mark.parametrize(
    ("status", "kept"), [("410 Gone", False), ("413 L", False), ("422 W", False), ("409 No", True)]
)
def test_what_a_hub_refuses_itself(status: str, kept: bool, tmp_path: Path) -> None:
    with nasty_hub(chunks=refusal(status)) as hub, courier(hub, tmp_path, 2) as (spool, said):
        until(lambda: hub.count("chunks") >= 2 and hub.count("pull") >= 1)
        assert (len(spool.chunks()) == 2) == kept
        refused = sorted(path.suffix for path in (spool.folder / "refused").glob("*"))
        assert refused == ([] if kept else [".games", ".games", ".txt", ".txt"]) and "an example" in said[0]


def test_an_error_for_one_chunk_stops_no_other(tmp_path: Path) -> None:
    bad: list[str] = []

    def chunks(path: str) -> bytes:
        bad[:] = bad or [path]
        return refusal("500 Oh") if path in bad else json(Receipt(1, False, 1))

    with nasty_hub(chunks=chunks) as hub, courier(hub, tmp_path, 4) as (spool, said):
        until(lambda: len(spool.chunks()) == 1 and hub.count("report") >= 1)
        assert bad[0].split("/")[-1].split("?")[0] in spool.chunks()[0].name
        assert "kept to be sent later: the hub answers 500 an example" in said[0] and len(said) == 1
        assert not (spool.folder / "refused").exists()
        until(lambda: hub.asked.count(bad[0]) >= 2)
        bad[:] = ["mended"]
        until(lambda: not spool.chunks())


def test_a_hub_that_is_busy_is_left_alone_as_long_as_it_wants(tmp_path: Path) -> None:
    busy = refusal("429 Later", Retry_After="2")
    with nasty_hub(chunks=busy, pull=busy, report=busy) as hub, courier(hub, tmp_path, 1) as (spool, _):
        until(lambda: len(hub.asked) == 1)
        hub.answers = {}
        until(lambda: not spool.chunks())
        assert hub.moments[1] - hub.moments[0] >= 2  # no machine is too slow for that


def test_a_rating_match_ends_in_the_middle_of_a_search() -> None:
    ended = threading.Event()
    threading.Timer(0.5, ended.set).start()
    began = time.monotonic()
    assert play_rating(LONG, {}, device="cpu", threads=1, memory=1 << 30, ended=ended.is_set) is None
    assert time.monotonic() - began < 100  # its first search alone would take far longer, and MATCH_SECONDS too


@contextmanager
def worker(hub: NastyHub, folder: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """`tengen worker` as a user starts it, and what it says."""
    token, said = folder / "token", list[str]()
    token.write_text(TOKEN)
    token.chmod(0o600)
    words = ["worker", hub.url, "--token-file", "token", "--spool", "spool", "--device", "cpu", "--every", "0.2", *more]
    process = subprocess.Popen(
        [sys.executable, "-m", "tengen", *words],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    reader = threading.Thread(target=said.extend, args=(iter(process.stderr),))
    reader.start()
    try:
        yield process, said
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
        reader.join()
    assert "Traceback" not in "".join(said)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"search": {"sims": 10**9, "max_nodes": 400_000_000}}, "start it with more --memory"),
        ({"search": {"self": 1}}, "make no sense"),
    ],
)
def test_a_release_that_cannot_be_played_ends_a_worker_with_a_sentence(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with nasty_hub(pull=json(offer(manifest(**changes)))) as hub, worker(hub, tmp_path) as (process, said):
        process.wait(PATIENCE)
    assert process.returncode == 2 and sentence in said[-1] and said[-1].strip().isprintable() and len(said) == 1


def peak(process: subprocess.Popen[str]) -> int:
    """Megabytes that a process has used at most."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) >> 10


def test_a_greedy_release_is_played_within_the_memory_that_is_given(tmp_path: Path) -> None:
    """Slots, cache and trees are lowered; and nobody's files are below the folder that it works in."""
    greedy = manifest({"max_nodes": 400_000_000, "cache_mb": 10**6, "sims": 100}, slots=65536)
    with (
        nasty_hub(pull=json(offer(greedy))) as hub,
        worker(hub, tmp_path, "--memory", "64") as (process, said),
    ):
        until(lambda: hub.count("chunks") >= 3 or process.poll() is not None)
        assert process.poll() is None, said
        assert Path(f"/proc/{process.pid}/cwd").readlink() == tmp_path / "spool/0"
        assert peak(process) < 300
        process.send_signal(signal.SIGTERM)
    assert process.returncode == 128 + signal.SIGTERM and "ended after" in said[-1]


def test_ctrl_c_ends_a_rating_match_and_what_cannot_be_played_is_declined(tmp_path: Path) -> None:
    too_much = RatingMatch(1, "connect4", Contestant("mcts:99999999"), Contestant("random"), {}, 0, 4)
    matches = [json({"version": 1, "match": {"first": {"name": "random\n"}}}), json(Orders(1, too_much))]

    def report(_: str) -> bytes:
        return matches.pop(0) if matches else json(Orders(1))

    with nasty_hub(report=report) as hub, worker(hub, tmp_path) as (process, said):
        until(lambda: any("plays no more rating matches" in line for line in said))
        assert any("makes no sense" in line for line in said)
        process.send_signal(signal.SIGINT)
    assert process.returncode == 130
    with (
        nasty_hub(report=json(Orders(1, LONG))) as hub,
        worker(hub, tmp_path, "--threads", "1", "--memory", "1000") as (process, said),
    ):
        until(lambda: hub.count("report") >= 2)
        time.sleep(1)  # now it is in the middle of the match
        process.send_signal(signal.SIGINT)
        process.wait(20)
    assert process.returncode == 130 and "ended after" in said[-1]


def test_a_search_that_goes_on_without_the_network_is_ended(tmp_path: Path) -> None:
    """A full tree is searched on without growing: 10^9 simulations that ask for nothing."""
    endless = manifest({"sims": 10**9, "max_nodes": 10, "solver": False}, slots=2)
    with nasty_hub(pull=json(offer(endless))) as hub, worker(hub, tmp_path) as (process, said):
        until(lambda: any("plays tictactoe" in line for line in said))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.wait(20)
    assert process.returncode == 130 and "ended" in said[-1]


@pytest.mark.parametrize(("url", "warned"), [("http://192.0.2.1:1", True), ("https://192.0.2.1:1", False)])
def test_who_sends_a_token_readable_is_warned(
    url: str, warned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tengen.cli import main
    from tengen.hub.worker import Worker

    monkeypatch.setattr(Worker, "run", lambda self: True)
    monkeypatch.chdir(tmp_path)
    Path("token").write_text(TOKEN)
    Path("token").chmod(0o644)
    assert main(["worker", url, "--token-file", "token", "--spool", "spool"]) == 0
    said = capsys.readouterr().err
    assert ("over http:// everybody on the way can read the token" in said) == warned
    assert "other users of this machine can read this token" in said and Path.cwd() == tmp_path
    Path("token").chmod(0o600)
    assert main(["worker", "http://127.0.0.2:1", "--token-file", "token", "--spool", "spool"]) == 0
    assert "warning" not in capsys.readouterr().err


def test_a_tokens_file_is_its_owners(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tengen.cli import main

    def add(name: str, out: str, code: int = 0) -> str:
        assert main(["hub", "token", "add", name, "--run", str(tmp_path / "run"), "--out", str(tmp_path / out)]) == code
        said = capsys.readouterr()
        assert said.out == ""
        return said.err

    before = os.umask(0)
    try:
        add("garage", "token")
    finally:
        os.umask(before)
    made = (tmp_path / "token").read_text()
    assert made.startswith("tengen_") and stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
    assert "File exists" in add("attic", "token", 2) and (tmp_path / "token").read_text() == made
    assert "there is a token" in add("garage", "other", 2) and not (tmp_path / "other").exists()
    assert "No such file" in add("attic", "nowhere/token", 2)
    add("attic", "other")  # those who failed have left no name behind
