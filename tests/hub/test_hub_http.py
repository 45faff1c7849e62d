"""A hub over HTTP: games arrive whole, once, from whoever may send them, whatever happens to the line."""

import hashlib
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import httpx
import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from support.hubs import BadLine, gather, http_hub, network, player, release, token_of, until
from support.training import GAME
from tengen._core import SelfPlay
from tengen.config import SelfPlayConfig
from tengen.hub.http import HttpLink
from tengen.hub.ledger import Ledger
from tengen.hub.protocol import PROGRAM, HubRefusedError, HubUnreachableError, Report
from tengen.hub.service import HttpHub
from tengen.hub.validate import searched_in_full
from tengen.records import GameRecord, encode_chunk, read_header, verify
from tengen.records.chunk import FORMAT, MAGIC, PREFIX, compress_body
from tengen.records.record import PER_ENTRY, PER_PLY
from tengen.records.store import ChunkStore
from tengen.run.folder import RunDirectory, RunError

pytestmark = pytest.mark.slow


def on_disk(hub: HttpHub) -> list[GameRecord]:
    damaged: list[str] = []
    games = [game for _, found in hub._store.read(lambda _, why: damaged.append(why)) for game in found]
    assert damaged == []
    return games


def numbers(records: list[GameRecord]) -> list[int]:
    return sorted(record.number for record in records)


def url(hub: HttpHub) -> str:
    return f"http://127.0.0.1:{hub.port}"


def test_games_of_two_workers_arrive_once_and_new_releases_reach_them(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub:
        token = token_of(hub)
        with (
            player(url(hub), token, tmp_path / "a"),
            player(url(hub), token, tmp_path / "b"),
        ):
            found = gather(hub, lambda games: len({game.number >> 32 for game in games}) == 2)
            hub.publish(release(hub._run, seed=1))
            found += gather(hub, lambda games: any(network(1).hash in game.networks for game in games))
        found += hub.gather(lambda _: True)
        for record in found:
            verify(record, GAME)
        assert numbers(found) == numbers(on_disk(hub)) and len(set(numbers(found))) == len(found)
        assert {name for record in found for name in record.networks} == {network(0).hash, network(1).hash}
        counts = hub.counts()
        assert counts["games"] == len(found) and counts["positions"] == sum(g.positions for g in found)
        assert counts["simulations"] > counts["evaluations"] > 0
        (row,) = json.loads(hub._run.workers.read_text("utf-8"))["workers"]
        assert row["name"] == "w" and row["games"] > 0
        assert not list((tmp_path / "a").glob("lease-*")) or not list((tmp_path / "a").glob("lease-*/chunk-*"))


def some_chunk(tmp_path: Path) -> tuple[bytes, list[GameRecord]]:
    """A chunk that a worker has sent to a hub in `tmp_path`/run, which is closed again."""
    with http_hub(tmp_path / "run") as hub, player(url(hub), token_of(hub), tmp_path / "w"):
        gather(hub, lambda games: len(games) > 20)
    path = ChunkStore(tmp_path / "run/games").paths()[0]
    return path.read_bytes(), ChunkStore(tmp_path / "run/games").load(path)


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, list[GameRecord]]:
    path = tmp_path_factory.mktemp("sent")
    return path, *some_chunk(path)


def link(hub: HttpHub, token: str, folder: Path) -> HttpLink:
    return HttpLink(url(hub), token, folder)


def test_the_same_chunk_counts_once_also_after_a_restart(
    sent: tuple[Path, bytes, list[GameRecord]], tmp_path: Path
) -> None:
    path, chunk, records = sent
    lease = records[0].number >> 32
    with http_hub(path / "run") as hub:
        before = len(on_disk(hub))
        own = next(name for name, *_ in hub.ledger.tokens() if name == "w")
        receipt = hub.push(str(own), chunk, (records[0].number - (1 << 48)) >> 32)
        assert receipt.duplicate and lease > 0 and len(on_disk(hub)) == before
        assert hub.gather(lambda _: True) == []
        with pytest.raises(HubRefusedError, match="somebody else's"):
            hub.push("x", chunk, 1)


def test_a_row_that_a_kill_has_prevented_is_made_up_for(sent: tuple[Path, bytes, list[GameRecord]]) -> None:
    path, chunk, records = sent
    ledger = Ledger(path / "run/hub.sqlite")
    digest = hashlib.sha256(chunk).hexdigest()
    with ledger.transaction():
        ledger._write("DELETE FROM chunks WHERE sha256 = ?", digest)
        for record in records:
            ledger._write("DELETE FROM games WHERE number = ?", record.number)
    ledger.close()
    with http_hub(path / "run") as hub:
        assert hub.ledger.chunk_of(digest) == "w"
        assert hub.push("w", chunk, (records[0].number - (1 << 48)) >> 32).duplicate


def test_who_may_not_is_told_so(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub:
        token = token_of(hub)
        watcher = link(hub, "tengen_" + "x" * 43, tmp_path / "n")
        with pytest.raises(HubRefusedError, match="unknown or revoked"):
            watcher.pull(None)
        good = link(hub, token, tmp_path / "n")
        offer = good.pull(None)
        assert offer is not None and offer.release.network == network().hash
        with pytest.raises(HubRefusedError, match="has no lease 77"):
            good.report(Report(77, 0))
        hub.ledger.revoke("w")
        for ask in (lambda: good.pull(offer.lease.id), lambda: good.report(Report(offer.lease.id, 1))):
            with pytest.raises(HubRefusedError, match="revoked"):
                ask()


def test_wrong_requests_get_a_reason_and_change_nothing(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub:
        headers = {"Authorization": f"Bearer {token_of(hub)}", "X-Tengen-Version": PROGRAM}
        with httpx.Client(base_url=url(hub), headers=headers) as client:
            for expected, method, path, body, more in [
                (405, "GET", "/v1/pull", b"", {}),
                (404, "GET", "/v1/networks/..%2f..%2frun.toml", b"", {}),
                (404, "GET", "/v1/networks/" + "0" * 64, b"", {}),
                (404, "GET", "/run.toml", b"", {}),
                (403, "GET", "/v1/status", b"", {}),
                (403, "POST", "/v1/pull", b"{}", {"Origin": "http://127.0.0.1"}),
                (426, "POST", "/v1/pull", b"{}", {"X-Tengen-Version": "0.0.0"}),
                (401, "POST", "/v1/pull", b"{}", {"Authorization": "Bearer x"}),
                (413, "POST", "/v1/pull", b" " * 5000, {}),
                (422, "POST", "/v1/pull", b'{"lease": "a"}', {}),
                (422, "POST", "/v1/pull", b"\xff", {}),
                (422, "POST", "/v1/report", b'{"lease": -1, "version": 0}', {}),
                (413, "PUT", f"/v1/chunks/{'0' * 64}?lease=1", bytes(3 << 20), {}),
                (422, "PUT", f"/v1/chunks/{'0' * 64}?lease=1", b"x", {}),
                (422, "PUT", f"/v1/chunks/{'0' * 64}?lease=one", b"x", {}),
                (409, "PUT", f"/v1/chunks/{hashlib.sha256(b'x').hexdigest()}?lease=1", b"x", {}),
            ]:
                answer = client.request(method, path, content=body, headers=more)
                assert answer.status_code == expected, (path, answer.status_code, answer.text)
                assert answer.json()["reason"] and "\n" not in answer.json()["reason"]
                assert answer.headers["X-Tengen-Hub"] == PROGRAM  # it is the hub that refuses, not a proxy
        assert on_disk(hub) == [] and "run.toml" not in answer.text


def test_a_network_is_fetched_on_where_the_line_broke_and_verified(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub:
        size, digest = len(network().data), hashlib.sha256(network().data).hexdigest()
        line = BadLine(hub.port, [size // 2])
        bad = HttpLink(f"http://127.0.0.1:{line.port}", token := token_of(hub), tmp_path / "n")
        with pytest.raises(HubUnreachableError):
            bad.network(digest)
        (part,) = (tmp_path / "n").iterdir()
        assert 0 < part.stat().st_size < size
        assert link(hub, token, tmp_path / "n").network(digest) == network().data
        kept = tmp_path / "n" / f"{digest}.onnx"
        kept.write_bytes(b"damaged")
        with pytest.raises(HubUnreachableError, match="damaged"):
            link(hub, token, tmp_path / "n").network(digest)
        assert link(hub, token, tmp_path / "n").network(digest) == network().data
        line.close()


def test_games_get_through_a_line_that_is_cut_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.hub.courier.LONGEST_WAIT", 0.2)
    with http_hub(tmp_path / "run") as hub:
        line = BadLine(hub.port, [300, None, 2000, None, 50, None, 9000])
        with player(f"http://127.0.0.1:{line.port}", token_of(hub), tmp_path / "w"):
            found = gather(hub, lambda games: len(games) > 50 and line.connections > 10)
        found += hub.gather(lambda _: True)
        line.close()
        assert numbers(found) == numbers(on_disk(hub)) and len(set(numbers(found))) == len(found)


def test_a_hub_that_comes_back_gets_everything_that_was_played_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tengen.hub.courier.LONGEST_WAIT", 0.2)
    with http_hub(tmp_path / "run") as hub:
        token, port = token_of(hub), hub.port
    with player(f"http://127.0.0.1:{port}", token, tmp_path / "w") as worker:
        with http_hub(tmp_path / "run", port) as hub:
            gather(hub, lambda games: len(games) > 0)
        played = worker.games
        until(lambda: worker.games > played + 50)
        with http_hub(tmp_path / "run", port) as hub:
            found = gather(hub, lambda games: len(games) > 50)
            assert len({record.number >> 32 for record in found}) == 1  # the same lease
    assert not list((tmp_path / "w").glob("lease-*/refused"))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes its certificate with openssl")
def test_tls_with_a_certificate_of_ones_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    certificate, key = tmp_path / "hub.pem", tmp_path / "hub.key"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*command, *names, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    with http_hub(tmp_path / "run", certificate=certificate, key=key) as hub:
        token, address = token_of(hub), f"https://127.0.0.1:{hub.port}"
        assert HttpLink(address, token, tmp_path / "n", certificate).pull(None) is not None
        with pytest.raises(HubUnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
            HttpLink(address, token, tmp_path / "n").pull(None)
    assert "graceful" not in capfd.readouterr().err  # the hub does not wait for a worker that is between two requests
    with pytest.raises(RunError, match="cannot listen"):
        HttpHub(RunDirectory(tmp_path / "run"), 0, certificate=key, key=certificate)


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads what Linux says of memory")
def test_bombs_are_refused_within_20_megabytes(sent: tuple[Path, bytes, list[GameRecord]]) -> None:
    """50 MB in 2 KB, sent over HTTP to a hub in this process."""
    path, _, records = sent
    header = msgspec.to_builtins(read_header(encode_chunk(records)))
    bombs = []
    for plies in (header["plies"], 100_000, 2_000_000):
        packed = msgspec.msgpack.encode(header | {"plies": plies})
        bombs.append(PREFIX.pack(MAGIC, FORMAT, len(packed)) + packed + compress_body(bytes(50 << 20)))
    assert all(len(bomb) < 4096 for bomb in bombs)
    with http_hub(path / "run") as hub:
        good = link(hub, token_of(hub, "bomber"), path / "n")
        offer = good.pull(None)
        assert offer is not None
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = memory("VmRSS")
        for bomb in bombs:
            with pytest.raises(HubRefusedError, match=r"not one frame|more than the"):
                good.push(bomb, offer.lease.id)
        assert memory("VmHWM") - before < 20_000


def memory(name: str) -> int:
    """In KB."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(name)))


def test_barred_workers_games_leave_the_disk_and_the_window(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub:
        with (
            player(url(hub), token_of(hub, "good"), tmp_path / "a"),
            player(url(hub), token_of(hub, "bad"), tmp_path / "b"),
        ):
            gather(hub, lambda games: len({game.number >> 32 for game in games}) == 2)
        other = Ledger(hub._run.hub)  # as `tengen hub bar` does, in another process
        assert other.bar("bad", "an example") and not other.bar("nobody", "")
        assert hub.withdrawn() is None
        hub.gather(lambda _: True)
        left = hub.withdrawn()
        assert left is not None and left == hub._store.paths() and hub.withdrawn() is None
        holders = {hub.ledger.holder((record.number - (1 << 48)) >> 32) for record in on_disk(hub)}
        assert holders == {"good"} and list((hub._run.games / "withdrawn").iterdir())
        with pytest.raises(HubRefusedError, match="bad is barred: an example"):
            hub.pull("bad", None)
        other.trust("bad")
        assert hub.pull("bad", None) is not None
        other.close()


def test_forged_chunks_are_refused(sent: tuple[Path, bytes, list[GameRecord]]) -> None:
    """Each forgery passes all checks but one."""
    path, _, records = sent
    lease = (records[0].number - (1 << 48)) >> 32
    settings = hub_settings(path)
    plain = next(record for record in records if not record.opening and record.full.any())
    free = range(plain.number + (1 << 20), plain.number + (2 << 20))  # numbers that were not used yet
    opened = next(number for number in free if SelfPlay.opening(GAME, settings, plain.seed, number))
    unopened = next(
        number
        for number in free
        if not SelfPlay.opening(GAME, settings, plain.seed, number)
        and not searched_in_full(plain.seed, number, int(plain.full.argmax()), settings)
    )
    with http_hub(path / "run") as hub:
        ended = next(record for record in records if record.result)
        for reason, forged in {
            "is there already": records[:1],
            "in the chunk twice": [records[0], records[0]],
            "does not belong to the lease": [replace(records[0], number=5)],
            "was never released": [replace(records[0], networks=("ab" * 32,))],
            "its opening is not": [replace(plain, number=opened)],
            "kind of search": [replace(plain, number=unopened)],
            "by the rules it is": [replace(ended, result=-ended.result)],
            "is not possible here": [shortened(next(r for r in records if len(r) > r.opening + 1))],
            "more than the": [replace(next(r for r in records if r.full.any()), visits=many(records))],
        }.items():
            with pytest.raises(HubRefusedError, match=reason) as refusal:
                hub.push("w", encode_chunk(forged), lease)
            assert refusal.value.status == 422
            hub.ledger.trust("w")  # or it would be barred after some of these


def hub_settings(path: Path) -> SelfPlayConfig:
    return RunDirectory(path / "run").config().selfplay


def many(records: list[GameRecord]) -> NDArray[np.uint32]:
    visits = next(record for record in records if record.full.any()).visits.copy()
    visits[0] = 5000
    return visits


def shortened(record: GameRecord) -> GameRecord:
    """The same game, resigned before its last move."""
    kept = len(record.actions) - int(record.entries[-1])
    per_ply = {name: getattr(record, name)[:-1] for name in PER_PLY}
    per_entry = {name: getattr(record, name)[:kept] for name in PER_ENTRY}
    return replace(record, ending="resigned", result=1, **per_ply, **per_entry)
