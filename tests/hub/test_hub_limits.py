"""What one token, one lie, or one broken file can cost a hub: a refusal with a reason and a time, and nothing else."""

import errno
import hashlib
import json
import os
import resource
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from support.hubs import SLOWLY, http_hub, network, player, release, some_games, token_of, until
from support.training import tiny_run
from tengen.cli import main
from tengen.hub.desk import REFUSALS, Desk
from tengen.hub.ledger import Ledger
from tengen.hub.protocol import PROGRAM, HubRefusedError, Report
from tengen.hub.service import HttpHub
from tengen.hub.tokens import add_token
from tengen.records import encode_chunk

pytestmark = pytest.mark.slow

LIE = 1 << 62


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tiny_run(tmp_path / "run"), 0, "cpu")
    desk.publish(release(desk._run))
    yield desk
    desk.close()


def client(hub: HttpHub, name: str = "w") -> httpx.Client:
    headers = {"Authorization": f"Bearer {token_of(hub, name)}", "X-Tengen-Version": PROGRAM}
    return httpx.Client(base_url=f"http://127.0.0.1:{hub.port}/v1", headers=headers)


def put(asker: httpx.Client, chunk: bytes, lease: int) -> httpx.Response:
    return asker.put(f"/chunks/{hashlib.sha256(chunk).hexdigest()}?lease={lease}", content=chunk)


def is_refused(answer: httpx.Response, status: int, reason: str) -> None:
    """With a time after which to ask again, and the sign that it is the hub that refuses."""
    assert answer.status_code == status and reason in answer.json()["reason"], answer.text
    assert int(answer.headers["Retry-After"]) >= 1 and answer.headers["X-Tengen-Hub"] == PROGRAM


def test_one_token_takes_only_so_many_leases_and_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.hub.quota.LEASES_ALIVE", 3)
    monkeypatch.setattr("tengen.hub.quota.LEASES_A_DAY", 5)
    with http_hub(tmp_path / "run") as hub, client(hub) as many, client(hub, "other") as other:
        leases = [many.post("/pull", json={}).json()["lease"]["id"] for _ in range(3)]
        is_refused(many.post("/pull", json={}), 429, "leases in use")
        assert many.post("/pull", json={"lease": leases[0]}).status_code == 200  # those that it has are good
        assert other.post("/pull", json={}).status_code == 200  # and so are other people's
    with http_hub(tmp_path / "run") as hub:
        for _ in range(2):
            hub.pull("w", None)
        with pytest.raises(HubRefusedError, match="5 leases within a day"):
            hub.pull("w", None)
        hub.report("w", Report(leases[0], 1))
        with pytest.raises(HubRefusedError, match="leases in use"):  # old ones do not come back all at once
            hub.report("w", Report(leases[1], 1))
    monkeypatch.setattr("tengen.hub.quota.REQUESTS_A_MINUTE", 4)
    with http_hub(tmp_path / "run") as hub, client(hub, "third") as third:
        answers = [third.get(f"/networks/{'0' * 64}") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [404] * 4 + [429]
        is_refused(answers[-1], 429, "requests a minute")


def test_bytes_a_day_and_a_disk_that_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with http_hub(tmp_path / "run") as hub, client(hub) as asker:
        records, lease = some_games(hub, "w", 4)
        chunk = encode_chunk(records)
        with monkeypatch.context() as patch:
            patch.setattr("tengen.hub.quota.RESERVE", 1 << 60)
            patch.setattr("tengen.hub.quota.RESERVE_SHARE", 1.0)
            is_refused(put(asker, chunk, lease), 507, "the hub's disk is full but for")
        assert hub._store.paths() == [] and hub.ledger.standing("w").refused == 0
        assert put(asker, chunk, lease).json()["games"] == 4
        with monkeypatch.context() as patch, client(hub, "greedy") as greedy:
            patch.setattr("tengen.hub.quota.BYTES_A_DAY", len(chunk) + 1)
            assert put(greedy, chunk, lease).status_code == 422  # somebody else's; but it was sent
            is_refused(put(greedy, chunk, lease), 429, "GB a day")


def test_what_a_report_says_was_done_is_bounded(desk: Desk) -> None:
    offers = [desk.pull("liar", None) for _ in range(8)]
    for offer in offers:
        assert offer is not None
        lie = Report(offer.lease.id, LIE, simulations=LIE, evaluations=LIE, batches=LIE, waiting=LIE)
        desk.report("liar", lie)
        desk.report("liar", lie)
    desk.gather(lambda _: True)
    assert desk.counts()["simulations"] < 1 << 40
    (row,) = desk.status().workers
    assert row.version == 1 and row.waiting < 1 << 30 and row.simulations_per_second < 1 << 40


def test_refusals_of_long_ago_count_less(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    offer = desk.pull("w", None)
    assert offer is not None
    now, days = time.time(), 0.0
    monkeypatch.setattr(time, "time", lambda: now + 86_400 * days)

    def refused(times: int) -> None:
        for _ in range(times):
            with pytest.raises(HubRefusedError):
                desk.push("w", b"no chunk", offer.lease.id)

    for week in range(6):  # a disk that spoils a chunk every other week
        days = 14.0 * week
        refused(1)
    assert desk.ledger.standing("w").barred is None and desk.ledger.standing("w").refused == 6
    days += 14
    refused(REFUSALS)
    assert desk.ledger.standing("w").barred is not None


def test_equal_settings_are_held_against_a_game_once(desk: Desk) -> None:
    """However often they are released: else each release would make every check longer."""
    for _ in range(30):
        desk.publish(release(desk._run))
    assert len(desk._networks[network().hash]) == 1
    desk._run.configure(desk._run.config().with_settings(["search.sims=9"]))
    desk.publish(release(desk._run))
    assert len(desk._networks[network().hash]) == 2
    again = Desk(desk._run, 0, "cpu")
    assert len(again._networks[network().hash]) == 2
    again.close()


@pytest.mark.parametrize(("number", "status"), [(errno.EMFILE, 503), (errno.ENOSPC, 507)])
def test_too_many_files_is_no_full_disk(
    number: int, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    with http_hub(tmp_path / "run") as hub, client(hub) as asker:
        records, lease = some_games(hub, "w", 4)
        with monkeypatch.context() as patch:
            patch.setattr(hub._store, "put", fail)
            is_refused(put(asker, encode_chunk(records), lease), status, "the hub")
        assert put(asker, encode_chunk(records), lease).json()["games"] == 4


def test_a_ledger_that_another_process_has_locked_means_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.hub.database.BUSY_SECONDS", 0.2)
    with http_hub(tmp_path / "run") as hub, client(hub) as asker:
        records, lease = some_games(hub, "w", 4)
        with closing(sqlite3.connect(hub._run.hub, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            is_refused(put(asker, encode_chunk(records), lease), 503, "busy")
            is_refused(asker.post("/pull", json={}), 503, "busy")
            hub.publish(release(hub._run, seed=1))  # the run's own thread goes on, with the release before
            hub.rate([("mcts:10", "random")])
            assert hub.gather(lambda _: True) == [] and hub.rated() == [] and hub.version == 1
            (told,) = hub.news()
            assert "busy" in told and "\n" not in told
            other.execute("ROLLBACK")
        assert put(asker, encode_chunk(records), lease).json()["games"] == 4
        hub.publish(release(hub._run, seed=1))
        assert hub.version == 2 and len(hub.gather(lambda _: True)) == 4


def damage(path: Path) -> None:
    """All pages but the first, so that it still looks like a database."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))


def test_a_damaged_ledger_is_one_line_and_training_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with http_hub(tmp_path / "run") as hub, client(hub) as asker:
        hub.pull("w", None)
        hub.ledger._read("PRAGMA wal_checkpoint(TRUNCATE)")
        damage(hub._run.hub)
        hub.ledger._read("PRAGMA shrink_memory")  # or it would go by what it remembers
        is_refused(asker.post("/pull", json={}), 503, "the hub cannot answer now")
        assert hub.gather(lambda _: True) == []
        (told,) = hub.news()
        assert "training goes on" in told and "\n" not in told
        run = hub._run
    for words in (["tictactoe", "--device", "cpu", "--port", "0"], ["workers"]):
        assert main(["hub", *words, "--run", str(run.path)]) == 2
        said = capsys.readouterr().err
        assert str(run.hub) in said and said.count("\n") == 1, said


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's limits")
def test_idle_connections_end_neither_training_nor_the_hub(tmp_path: Path) -> None:
    """1,100 connections that say nothing, where a process may have 1,024 files open."""
    run = tiny_run(tmp_path / "run", [*SLOWLY, "loop.steps=1000000"])
    ledger = Ledger(run.hub)
    token = add_token(ledger, "w")
    ledger.close()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024)); import tengen.cli; "
    words = ["hub", "tictactoe", "--run", str(run.path), "--port", str(port), "--json", "--device", "cpu"]
    log = tmp_path / "log"

    def turns() -> int:
        assert hub.poll() is None, log.read_text("utf-8")
        lines = [line for line in log.read_text("utf-8").splitlines() if line.endswith("}")]
        return sum(json.loads(line)["kind"] == "turn" for line in lines)

    command = [sys.executable, "-c", limited + "sys.exit(tengen.cli.main(sys.argv[1:]))", *words]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard) if hard > 0 else 4096, hard))
    with log.open("w") as file, ExitStack() as stack:
        hub = subprocess.Popen(command, stdout=file, stderr=file)
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        stack.callback(hub.wait)
        stack.callback(hub.kill)
        stack.enter_context(player(f"http://127.0.0.1:{port}", token, tmp_path / "w"))
        until(lambda: turns() > 0)
        for _ in range(1100):
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        before = turns()
        until(lambda: turns() > before + 2)  # games come, are learned from, and the state is saved
