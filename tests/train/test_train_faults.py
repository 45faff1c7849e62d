"""Training survives what happens to it: kills, full disks, damaged files, a second process."""

import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.training import GAME, sit, tiny_run
from tengen.net.file import NetworkError, NetworkFile
from tengen.net.shape import NetworkShape
from tengen.records import GameRecord
from tengen.records.store import ChunkStore
from tengen.run.events import Event, Measured, Started, Warned
from tengen.run.folder import RunDirectory, RunError
from tengen.train.learner import Learner
from tengen.train.strength import Measurer

pytestmark = pytest.mark.slow

CHILD = Path(__file__).parents[1] / "support" / "training.py"
FOR_EVER = "loop.steps=1000000"


@contextlib.contextmanager
def training(path: Path, *settings: str) -> Iterator[subprocess.Popen[str]]:
    """A process that trains, killed at the end if it still does."""
    command = [sys.executable, str(CHILD), str(path), *settings]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def next_event(child: subprocess.Popen[str], kind: str) -> dict[str, Any]:
    assert child.stdout is not None
    for line in child.stdout:
        event: dict[str, Any] = json.loads(line)
        if event["kind"] == kind:
            return event
    raise AssertionError(f"the process ended without a {kind}: {child.stderr.read() if child.stderr else ''}")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def records(run: RunDirectory) -> list[GameRecord]:
    """Every game on disk; a chunk that cannot be read fails the test."""
    damaged: list[str] = []
    found = [game for _, games in ChunkStore(run.games).read(lambda path, why: damaged.append(why)) for game in games]
    assert damaged == []
    return found


def state(run: RunDirectory) -> dict[str, Any]:
    """What the saved learner says about itself; a learner that cannot be loaded fails the test."""
    config = run.config()
    return Learner(NetworkShape.of(GAME, config.loop.size), config.learner).load(run.state)


def kill_and_resume(path: Path, kills: int) -> None:
    """Kills a run at random moments; after each of them nothing is lost, broken or counted twice."""
    rng = random.Random(kills)
    run = RunDirectory(path)
    chunks: dict[str, bytes] = {}
    games, step, positions = 0, 0, 0
    for _ in range(kills):
        with training(path, FOR_EVER, "measure.every=0.01") as child:
            start = next_event(child, "start")
            assert (start["step"], start["values"]["positions"]) == (step, positions)
            # The first turn of a sitting has the games of earlier ones to learn from, or none.
            events = [next_event(child, "turn"), next_event(child, "turn")]
            time.sleep(rng.random())
            child.send_signal(signal.SIGKILL)
            events += [json.loads(line) for line in child.communicate()[0].splitlines() if line.endswith("}")]
        turns = [event for event in events if event["kind"] == "turn"]

        now = files(run.games)
        assert chunks.items() <= now.items()
        chunks = {name: data for name, data in now.items() if not name.startswith(".")}
        found = records(run)
        games += sum(turn["values"]["games"] for turn in turns)
        assert len(found) >= games  # more when it was killed between a chunk and the event that tells of it
        games = len(found)
        assert len({record.number for record in found}) == games
        positions = sum(int(record.full.sum()) for record in found)
        about = state(run)
        assert about["step"] >= max(turn["step"] for turn in turns) > step
        assert about["drawn"] <= run.config().replay.samples_per_position * positions
        step = about["step"]
        for network in [run.current, *run.networks.glob("[0-9]*.onnx"), *path.glob("best.onnx")]:
            NetworkFile.load(network, GAME)
        Measurer(run)


def test_three_kills_lose_nothing(tmp_path: Path) -> None:
    kill_and_resume(tmp_path / "run", 3)


@pytest.mark.soak
def test_twenty_kills_lose_nothing(tmp_path: Path) -> None:
    kill_and_resume(tmp_path / "run", 20)


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    with training(tmp_path / "run", FOR_EVER) as first:
        next_event(first, "start")
        with training(tmp_path / "run") as second:
            out, error = second.communicate()
        assert second.returncode == 2 and out == ""
        assert error.startswith("another process is training in") and error.count("\n") == 1
        next_event(first, "turn")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    """A run of forty steps. Tests that change it copy it first."""
    run = tiny_run(tmp_path_factory.mktemp("finished") / "run", ["loop.steps=40"])
    sit(run)
    return run


def copy(run: RunDirectory, path: Path, steps: int) -> RunDirectory:
    """The same run, with further to go."""
    for folder in (path, path / "games", path / "networks"):
        folder.mkdir()
        for name, data in files(run.path / folder.relative_to(path)).items():
            (folder / name).write_bytes(data)
    other = RunDirectory(path)
    other.configure(run.config().with_settings([f"loop.steps={steps}"]))
    return other


def test_a_full_disk_ends_training_with_one_line_and_the_run_goes_on_later(
    finished: RunDirectory, tmp_path: Path
) -> None:
    """No file may grow beyond a size below the state's: writing it fails half-way, as on a full disk."""
    run = copy(finished, tmp_path / "run", steps=80)
    before = {folder: files(folder) for folder in (run.path, run.games, run.networks)}
    limit = run.state.stat().st_size - 100
    assert limit > run.current.stat().st_size  # the state is what does not fit
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))  # Python ignores the signal: writing raises EFBIG
    try:
        with pytest.raises(RunError, match=r"cannot go on in .*run: File too large; the run is intact, and"):
            sit(run)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    for folder, content in before.items():
        kept = {name: data for name, data in content.items() if name not in ("current.onnx", "live.json")}
        assert kept.items() <= files(folder).items()
        assert not list(folder.glob(".*"))
    NetworkFile.load(run.current, GAME)
    events = sit(run)
    assert (events[0].step, events[-1].step) == (40, 80)
    assert len({record.number for record in records(run)}) == len(records(run))


def warnings(events: list[Event]) -> list[str]:
    return [event.reason for event in events if isinstance(event, Warned)]


def test_a_damaged_chunk_is_told_of_and_the_rest_is_used(finished: RunDirectory, tmp_path: Path) -> None:
    run = copy(finished, tmp_path / "run", steps=60)
    store = ChunkStore(run.games)
    games = dict(store.read(lambda path, why: None))
    victim = list(games)[1]
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)
    events = sit(run)
    (warning,) = warnings(events)
    assert victim.name in warning and "damaged" in warning and "\n" not in warning
    rest = sum(int(record.full.sum()) for path, games in games.items() if path != victim for record in games)
    start = next(event for event in events if isinstance(event, Started))
    assert start.positions == rest and events[-1].step == 60
    assert victim.read_bytes() == data


def test_a_damaged_state_is_refused_and_kept(finished: RunDirectory, tmp_path: Path) -> None:
    run = copy(finished, tmp_path / "run", steps=60)
    for damaged in (run.state.read_bytes()[:-50], b"", b"{}" * 500):
        run.state.write_bytes(damaged)
        with pytest.raises(NetworkError, match=r"state.safetensors: damaged"):
            sit(run)
        assert run.state.read_bytes() == damaged


def test_damaged_networks_do_not_stop_training(finished: RunDirectory, tmp_path: Path) -> None:
    """The one that plays is written anew; one that was measured is left alone, and measuring says so."""
    run = copy(finished, tmp_path / "run", steps=60)
    measurer = Measurer(run, "cpu")
    sit(run, measure=measurer)
    (run.networks / "00000060.onnx").write_bytes(b"nonsense")
    run.current.write_bytes(b"nonsense")
    run.configure(run.config().with_settings(["loop.steps=70"]))
    (measured,) = (event for event in sit(run, measure=Measurer(run, "cpu")) if isinstance(event, Measured))
    assert "00000060.onnx: not a network file" in (measured.note or "") and measured.elo is not None
    assert NetworkFile.load(run.current, GAME).step == 70
    assert (run.networks / "00000060.onnx").read_bytes() == b"nonsense"


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(RunError, match=r"cannot write to .*: Not a directory"),
        RunDirectory(tmp_path / "file/run").locked(),
    ):
        pass
    if os.geteuid() == 0:
        pytest.skip("the superuser may write everywhere")
    (tmp_path / "closed").mkdir(mode=0o555)
    with (
        pytest.raises(RunError, match=r"cannot write to .*: Permission denied"),
        RunDirectory(tmp_path / "closed/run").locked(),
    ):
        pass


def hash_of(run: RunDirectory) -> str:
    return NetworkFile.load(run.current, GAME).hash


def test_games_under_way_can_be_watched(finished: RunDirectory) -> None:
    shown = json.loads(finished.live.read_text("utf-8"))
    assert 0 < len(shown) <= 16
    for each in shown:
        state = GAME.start()
        for action in each["moves"]:
            state.apply(action)
        assert not state.is_terminal() and (each["value"] is None or -1 <= each["value"] <= 1)


def test_the_same_seed_gives_the_same_network(finished: RunDirectory, tmp_path: Path) -> None:
    again, other = (
        tiny_run(tmp_path / name, ["loop.steps=40", f"loop.seed={seed}"]) for name, seed in [("a", 0), ("b", 1)]
    )
    sit(again)
    sit(other)
    assert hash_of(again) == hash_of(finished) != hash_of(other)


def test_measuring_does_not_change_what_is_learned(finished: RunDirectory, tmp_path: Path) -> None:
    run = tiny_run(tmp_path / "run", ["loop.steps=40", "measure.every=0.000001"])
    events = sit(run, measure=Measurer(run, "cpu"))
    assert sum(event.kind == "measure" for event in events) > 3
    assert hash_of(run) == hash_of(finished)
