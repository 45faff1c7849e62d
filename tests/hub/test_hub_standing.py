"""Held, barred, trusted: whose games count, and what a run that learned from the wrong ones can do about it."""

import hashlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from support.hubs import release, some_games
from support.training import GAME, sit, tiny_run
from tengen.cli import main
from tengen.hub.desk import Desk
from tengen.hub.ledger import Ledger
from tengen.hub.protocol import HubRefusedError
from tengen.hub.withdrawal import SLICE
from tengen.net.file import NetworkFile
from tengen.net.tower.export import sample_planes
from tengen.net.tower.unfold import unfold
from tengen.records import encode_chunk
from tengen.records.store import ChunkStore
from tengen.run.events import Event, Released, Warned
from tengen.run.folder import RunDirectory


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tiny_run(tmp_path / "run"), 0, "cpu")
    desk.publish(release(desk._run))
    yield desk
    desk.close()


def push(desk: Desk, worker: str) -> str:
    records, lease = some_games(desk, worker, 6)
    chunk = encode_chunk(records)
    assert desk.push(worker, chunk, lease).games == 6
    return hashlib.sha256(chunk).hexdigest()


def owners(desk: Desk) -> list[str | None]:
    """Of the chunks that count."""
    return [desk.ledger.chunk_of(path.stem.partition("-")[2]) for path in desk._store.paths()]


def test_held_games_leave_and_come_back_when_a_person_says_so(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    for worker in ("odd", "good", "odd"):
        push(desk, worker)
    assert len(desk.gather(lambda _: True)) == 18 and desk.withdrawn() is None
    before = desk._store.paths()
    desk.ledger.hold("odd", "its games are too short")
    desk.gather(lambda _: True)
    assert owners(desk) == ["good"] and desk.withdrawn() == desk._store.paths()
    with pytest.raises(
        HubRefusedError, match="odd is held until the owner of the hub has looked: its games are too"
    ) as e:
        desk.pull("odd", None)
    assert e.value.status == 403
    (told,) = desk.news()
    order = ["hub", "--run", str(desk._run.path)]
    assert main([*order, "workers"]) == 0
    for said in (told, capsys.readouterr().out):
        for words in ("held: its games are too short", "hub trust odd", "hub bar odd", "since step 0"):
            assert words in said
    assert main([*order, "trust", "odd"]) == 0 and "count again" in capsys.readouterr().out
    desk.gather(lambda _: True)
    assert desk.withdrawn() == desk._store.paths() == before  # in their old places
    assert "odd is trusted" in desk.news()[0] and desk.pull("odd", None) is not None
    assert main([*order, "bar", "odd", "it", "lied"]) == 0 and "rewind --before odd" in capsys.readouterr().out
    desk.gather(lambda _: True)
    assert owners(desk) == ["good"] and desk.ledger.standing("odd").barred == "it lied"


def test_others_send_games_while_some_are_withdrawn(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    push(desk, "bad")
    desk.ledger.bar("bad", "an example")
    begun, go_on, sent = threading.Event(), threading.Event(), threading.Event()
    really = ChunkStore.withdraw

    def slowly(store: ChunkStore, digests: set[str]) -> None:
        begun.set()
        assert go_on.wait(60)
        really(store, digests)

    def send() -> None:
        push(desk, "good")
        sent.set()

    monkeypatch.setattr(ChunkStore, "withdraw", slowly)
    gathering = threading.Thread(target=desk.gather, args=(lambda _: True,))
    gathering.start()
    assert begun.wait(60)
    sending = threading.Thread(target=send)
    sending.start()
    arrived = sent.wait(10)
    go_on.set()
    gathering.join()
    sending.join()
    assert arrived and owners(desk) == ["good"]


def test_many_chunks_are_withdrawn_together(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders reach the disk once per slice, not once per chunk; each slice ends before the next tick."""
    count, synced = SLICE + 100, list[int]()
    with desk.ledger.transaction():
        for number in range(count):
            digest = hashlib.sha256(str(number).encode()).hexdigest()
            desk.ledger.add_chunk(digest, "bad", [number], 1)
            (desk._run.games / f"{number:08}-{digest}.games").touch()
    desk.ledger.bar("bad", "an example")
    really = os.fsync

    def counted(file: int) -> None:
        synced.append(file)
        really(file)

    monkeypatch.setattr(os, "fsync", counted)
    desk.gather(lambda _: True)
    assert len(desk._store.paths()) == 100 and desk.withdrawn() is None
    desk.gather(lambda _: True)
    assert desk.withdrawn() == [] and len(synced) == 4
    assert len(list((desk._run.games / "withdrawn").iterdir())) == count


def test_what_a_kill_has_left_half_withdrawn_is_finished(desk: Desk) -> None:
    digests = {push(desk, "bad"), push(desk, "bad")}
    desk._store.withdraw({min(digests)})  # the file was moved, its row was not changed
    desk.ledger.bar("bad", "an example")
    desk.gather(lambda _: True)
    assert desk.withdrawn() == [] and desk.ledger.misplaced(9) == []
    assert len(list((desk._run.games / "withdrawn").iterdir())) == 2


def answers(data: bytes) -> torch.Tensor:
    """What a network says of some positions."""
    planes = sample_planes(GAME, 32)
    with torch.inference_mode():
        said = unfold(NetworkFile.parse(data, "x"), GAME, planes).eval()(torch.from_numpy(planes))
    return torch.cat([said.policy, said.wdl], 1)


@pytest.fixture
def taught(tmp_path: Path) -> RunDirectory:
    """40 steps; from the 20th on, games of "bad" were among those learned from."""
    run = tiny_run(tmp_path / "run", ["loop.steps=20"])
    sit(run)
    first = len(ChunkStore(run.games).paths())
    run.configure(run.config().with_settings(["loop.steps=40"]))
    sit(run)
    ledger = Ledger(run.hub)
    for step, paths in ((0, ChunkStore(run.games).paths()[:first]), (20, ChunkStore(run.games).paths()[first:])):
        manifest = ledger.add_release(release(run).manifest, step)
        for path in paths:
            digest, numbers = path.stem.partition("-")[2], [game.number for game in ChunkStore(run.games).load(path)]
            with ledger.transaction():
                ledger.add_chunk(digest, "bad" if step else "good", numbers, manifest.version)
    ledger.close()
    return run


def test_a_run_can_go_back_to_before_a_liar(taught: RunDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    order = ["hub", "rewind", "--run", str(taught.path), "--before"]
    for name, reason in (("bad", "first tengen hub bar bad"), ("nobody", "learned nothing from 'nobody'")):
        assert main([*order, name]) == 2
        said = capsys.readouterr().err
        assert reason in said and said.count("\n") == 1
    taught_wrong = answers(taught.current.read_bytes())
    assert main(["hub", "bar", "bad", "--run", str(taught.path)]) == 0
    assert "since step 20" in capsys.readouterr().out
    with taught.locked():
        assert main([*order, "bad"]) == 2 and "another process is training" in capsys.readouterr().err
    assert main([*order, "bad"]) == 0
    assert "those of step 20 (" in capsys.readouterr().out and (taught.path / "state-00000040.safetensors").is_file()
    taught.configure(taught.config().with_settings(["loop.steps=41"]))
    current: list[bytes] = []

    def look(event: Event) -> None:
        if isinstance(event, Released):
            current.append(taught.current.read_bytes())

    events = sit(taught, look)
    right = answers(taught.network(20).read_bytes())
    now = answers(current[0])
    assert (now - right).abs().max() < 1e-3 < (now - taught_wrong).abs().max()
    assert (events[0].step, events[-1].step) == (40, 41)
    assert [event for event in events if isinstance(event, Warned)] == []
    left = {path.stem.partition("-")[2] for path in ChunkStore(taught.games).paths()}
    ledger = Ledger(taught.hub)
    assert {ledger.chunk_of(digest) for digest in left} <= {"good", None}
    ledger.close()


def test_a_liar_from_the_beginning_leaves_nothing_to_go_back_to(
    taught: RunDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hub", "bar", "good", "--run", str(taught.path)]) == 0
    assert main(["hub", "rewind", "--run", str(taught.path), "--before", "good"]) == 0
    assert "the weights are those of step 0 " in capsys.readouterr().out
    assert sit(taught)[-1].step == 40
