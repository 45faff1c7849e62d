"""`loop.gate=sprt`: self-play goes on with a network until another is found stronger."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch")

from test_measure import FakeTrainer, values_of

from support.networks import make_test_network
from support.training import GAME, tiny_run
from tengen import games
from tengen.cli import main
from tengen.hub.local import LocalHub
from tengen.hub.protocol import Release
from tengen.net.file import NetworkFile, shipped_network
from tengen.net.tower.export import export_onnx
from tengen.run.events import Event, Measured, Released
from tengen.run.folder import RunDirectory
from tengen.run.settings import RunConfig
from tengen.train.loop import Trainer
from tengen.train.strength import Measurer

pytestmark = pytest.mark.slow


def sit(run: RunDirectory, verdicts: dict[int, str]) -> tuple[list[str], list[Event]]:
    """A sitting that measures after every turn, with a verdict by number of the turn: the networks that were to play
    with, one after the other, and what happened."""
    published: list[str] = []
    events: list[Event] = []

    class Listening(LocalHub):
        def publish(self, release: Release) -> None:
            published.append(release.manifest.network)
            super().publish(release)

    def measure(trainer: Trainer) -> Measured:
        step, verdict = trainer.learner.step, verdicts.get(trainer.turns, "rejected")
        return Measured(step, trainer.minutes, network=run.network(step).name, gate=verdict)

    with run.locked():
        Trainer(run, events.append, measure=measure, device="cpu", make_hub=Listening).train()
    return list(dict.fromkeys(published)), events


def hash_of(path: Path) -> str:
    return NetworkFile.load(path, GAME).hash


@pytest.mark.parametrize("precision", ["f32", "int8"])
def test_only_networks_that_pass_play_also_in_the_next_sitting(tmp_path: Path, precision: str) -> None:
    settings = ["loop.gate=sprt", f"loop.precision={precision}", "loop.steps=60", "measure.every=1e-6"]
    run = tiny_run(tmp_path / "run", settings)
    played, events = sit(run, {3: "accepted", 4: "continue"})
    measured = [event.network for event in events if isinstance(event, Measured)]
    assert len(measured) > 4
    passed = hash_of(run.networks / measured[2])  # after turn 3: step 0 is the first, and turn 1 learns nothing yet
    assert played[1:] == [passed] and played[0] != passed
    assert hash_of(run.playing) == passed != hash_of(run.current)

    run.configure(run.config().with_settings(["loop.steps=80"]))
    assert sit(run, {})[0] == [passed]


def test_without_a_gate_every_release_plays(tmp_path: Path) -> None:
    run = tiny_run(tmp_path / "run", ["loop.steps=60", "measure.every=1e-6"])
    played, events = sit(run, {3: "rejected"})
    releases = [event.network for event in events if isinstance(event, Released)]
    assert played == list(dict.fromkeys(releases)) and len(played) > 2 and not run.playing.exists()


def connect4_run(path: Path) -> RunDirectory:
    """A run whose playing network knows nothing yet."""
    run, game = RunDirectory(path), games.make("connect4")
    with run.locked():
        settings = ["loop.gate=sprt", "loop.threads=1", "measure.games=8", "measure.sims=8", "measure.level=10"]
        run.configure(RunConfig.of(game).with_settings(settings))
    export_onnx(make_test_network(game, "8x1"), run.playing, game)
    return run


def test_a_stronger_network_passes_and_the_same_one_does_not(tmp_path: Path) -> None:
    run = connect4_run(tmp_path)
    shipped = shipped_network(games.make("connect4"))
    assert shipped is not None
    trainer = FakeTrainer(run)
    trainer.learner.step = 1
    shutil.copy(shipped, run.network(1))
    values = values_of(Measurer(run, "cpu")(trainer))
    assert values["gate"] == "accepted" and values["gate_score"] > 0.8 and values["gate_games"] <= 80

    trainer.learner.step = 2
    shutil.copy(run.playing, run.network(2))
    values = values_of(Measurer(run, "cpu")(trainer))
    assert values["gate"] in ("rejected", "continue") and values["gate_score"] == 0.5


def test_a_damaged_playing_network_is_no_reason_to_stop(tmp_path: Path) -> None:
    run = connect4_run(tmp_path)
    shutil.copy(run.playing, run.network(1))
    run.playing.write_bytes(b"no network")
    trainer = FakeTrainer(run)
    trainer.learner.step = 1
    values = values_of(Measurer(run, "cpu")(trainer))
    assert "gate" not in values and "playing.onnx" in str(values["note"])


def test_a_wrong_word_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    assert main(["train", "tictactoe", "--run", str(run), "--set", "loop.gate=maybe"]) == 2
    assert "gate must be off or sprt, not 'maybe'" in capsys.readouterr().err and not run.exists()


def test_a_damaged_playing_network_ends_the_next_sitting_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tiny_run(tmp_path / "run", ["loop.gate=sprt", "loop.steps=8"])
    sit(run, {})
    run.playing.write_bytes(b"no network")
    before = run.state.read_bytes()
    assert main(["train", "tictactoe", "--run", str(run.path), "--steps", "16"]) == 2
    assert "playing.onnx" in capsys.readouterr().err and run.state.read_bytes() == before
