"""A run of several board sizes begins on the smallest, grows, is measured on the largest, and goes on after a kill."""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch")

from support.training import sit, tiny_run
from tengen import games
from tengen.cli import main
from tengen.games import Family
from tengen.net.evaluator import make_evaluator
from tengen.net.file import NetworkFile
from tengen.preset import read_preset
from tengen.records.store import ChunkStore
from tengen.run.events import Ended, Measured, Started, TurnTaken
from tengen.run.folder import RunDirectory
from tengen.train.sizes import size_of_turn, size_shares
from tengen.train.strength import Measurer

FAMILY = Family.parse("hex:3-5")
SETTINGS = ["search.rule=gumbel", "search.noise_epsilon=0", "selfplay.full_share=1", "learner.warmup=1"]
CHILD = Path(__file__).parents[1] / "support" / "training.py"

Capture = pytest.CaptureFixture[str]


def family_run(path: Path, *settings: str) -> RunDirectory:
    return tiny_run(path, [*SETTINGS, *settings], FAMILY)


def sizes(run: RunDirectory) -> list[str]:
    """What each chunk is of, in order; damaged ones fail the test."""
    return [
        records[0].game for _, records in ChunkStore(run.games).read(lambda path, why: pytest.fail(f"{path} {why}"))
    ]


def test_a_run_grows_is_measured_and_goes_on(tmp_path: Path) -> None:
    run = family_run(tmp_path / "run", "loop.steps=160", "loop.sizes_until=0.2", "loop.precision=int8")
    events = sit(run, measure=Measurer(run, "cpu"))
    played = sizes(run)
    assert played[:3] == ["hex:3"] * 3 and set(played) == {"hex:3", "hex:4", "hex:5"}
    assert not [event for event in events if event.kind == "warning"]
    assert isinstance(events[-1], Ended) and events[-1].finished

    measured = [event for event in events if isinstance(event, Measured)]
    assert all(
        set(event.alone) == set(event.smallest) == {"random", "mcts:10", "mcts:30", "mcts:100"} for event in measured
    )
    assert "smallest_random" in measured[-1].values()
    ladder = json.loads(run.ladder.read_text())
    opponents = [pairing for pairing in ladder["pairings"] if "random" in str(pairing)]
    assert opponents and "hex" not in str(ladder)  # one board's games alone

    file = NetworkFile.load(run.current)
    assert file.family == FAMILY
    for game in FAMILY.games:
        make_evaluator(file, game, "onnxruntime")

    positions, config = [event.positions for event in events if isinstance(event, TurnTaken)][-1], run.config()
    assert positions
    # More steps than all games so far allow: the next ones may learn from what the first sitting left, while the games
    # of the second are still under way.
    steps = int(positions * config.replay.samples_per_position / config.learner.batch) + 10
    with run.changing():
        run.configure(config.with_settings([f"loop.steps={steps}"]))
    again = sit(run)
    started = again[0]
    assert isinstance(started, Started) and started.resumed and started.positions == positions
    assert (started.game, again[-1].step) == ("hex:3-5", steps)
    assert sizes(run)[: len(played)] == played and len(sizes(run)) > len(played)


def test_the_same_seed_gives_the_same_network(tmp_path: Path) -> None:
    networks = []
    for name in ("one", "two"):
        run = family_run(tmp_path / name, "loop.steps=60")
        sit(run)
        networks.append(NetworkFile.load(run.current).hash)
    assert networks[0] == networks[1]


def test_the_schedule_adds_sizes_and_gives_the_largest_half() -> None:
    assert size_shares(1, 0.0, 0.5) == size_shares(1, 1.0, 0.0) == [1.0]
    assert size_shares(4, 0.0, 0.0) == size_shares(4, 1.0, 1.0) == pytest.approx([1 / 6] * 3 + [0.5])
    for progress in (0.0, 0.2, 0.4, 0.6):
        shares = size_shares(4, progress, 0.6)
        assert sum(shares) == pytest.approx(1)
        turns = Counter(size_of_turn(turn, shares) for turn in range(3000))
        assert [turns[size] / 3000 for size in range(4)] == pytest.approx(shares, abs=0.01)


def test_a_family_is_trained_as_its_largest_size() -> None:
    assert read_preset(Family.parse("gomoku:6-9")) == read_preset(games.make("gomoku:9")) != {}
    assert read_preset(Family.parse("gomoku:7-8")) == read_preset(games.make("hex:11"))


@pytest.mark.slow
def test_a_kill_loses_nothing(tmp_path: Path) -> None:
    run = family_run(tmp_path / "run", "loop.steps=1000000", "loop.sizes_until=0")
    command = [sys.executable, str(CHILD), str(run.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        deadline = time.monotonic() + 120
        while len(set(sizes(run)) if run.games.is_dir() else ()) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        child.kill()
    before = sizes(run)
    assert set(before) == {"hex:3", "hex:4", "hex:5"}
    there = sum(
        int(record.full.sum()) for _, records in ChunkStore(run.games).read(lambda *_: None) for record in records
    )
    with run.changing():
        run.configure(run.config().with_settings(["loop.steps=1"]))  # done when it is loaded
    started = sit(run)[0]
    assert isinstance(started, Started) and started.positions == there
    assert sizes(run) == before


@pytest.mark.slow
def test_the_command_line(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tiny = [
        "loop.slots=16",
        "loop.turn_positions=48",
        "loop.size=8x1",
        "measure.games=2",
        "measure.level=10",
        *SETTINGS,
    ]
    flags = [word for setting in tiny for word in ("--set", setting)]
    assert main(["train", "hex:3-04", "--steps", "6", *flags]) == 0
    assert "runs/hex-3-4" in capsys.readouterr().out
    assert RunDirectory(tmp_path / "runs/hex-3-4").config().game == "hex:3-4"
    network = "runs/hex-3-4/current.onnx"
    for fine in (
        ["train", "hex:3-4", "--steps", "8"],
        ["train", "hex:3-4", "--from", network, "--steps", "2", "--run", "on", *flags],
        ["status", "runs/hex-3-4"],
        ["compare", "runs/hex-3-4", "on"],
        ["records", "runs/hex-3-4", "--last", "2"],
        ["export", "runs/hex-3-4", "--to", "onnx-int8", "--out", "out.onnx"],
        ["match", "hex:3", f"net:{network}@4", "random", "--games", "2"],
    ):
        assert main(fine) == 0, fine
    capsys.readouterr()
    for wrong, words in (
        (["train", "hex:3-5", "--run", "runs/hex-3-4"], "trains hex:3-4, not hex:3-5"),
        (["train", "hex:3", "--from", network, "--run", "new"], "plays hex:3-4, not hex:3"),
        (["train", "hex:3-5", "--from", network, "--run", "new"], "plays hex:3-4, not hex:3-5"),
        (["train", "hex:3-5", "--from", "shipped", "--run", "new"], "no network ships for hex:3-5"),
        (["train", "hex:5-3", "--run", "new"], "from a smaller size to a larger one"),
        (["train", "connect4:3-5", "--run", "new"], "connect4"),
        (["train", "hex:3-4", "--run", "new", "--set", "loop.sizes_until=2"], "sizes_until must be 0 to 1"),
        (["hub", "hex:3-4", "--run", "new"], "players elsewhere play one board size, not hex:3-4"),
        (["play", "hex:3-4"], "hex"),
    ):
        assert main(wrong) == 2, wrong
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and words in said
    assert not Path("new").exists()
