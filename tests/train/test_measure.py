"""Strength while training: levels rise when they are beaten, the best is kept, ratings add up, all is on disk."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.networks import make_test_network
from support.outside import write_engines
from support.training import GAME, sit, tiny_run
from tengen import games
from tengen.cli import main
from tengen.net.shape import NetworkShape
from tengen.net.tower.export import export_onnx
from tengen.play import arena
from tengen.play.elo import Pairing, ladder
from tengen.play.players import PlayerError
from tengen.run.events import Measured
from tengen.run.folder import RunDirectory, RunError
from tengen.train.learner import Learner, LearnerConfig
from tengen.train.loop import Trainer
from tengen.train.strength import Measurer, Standings


class FakeHub:
    """Others who play rating games."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.found: list[Pairing] = []

    def rate(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.asked = list(pairs)

    def rated(self) -> list[Pairing]:
        return self.found


@dataclass
class FakeTrainer:
    """What a measurer asks of a trainer."""

    run: RunDirectory
    learner: Learner = field(default_factory=lambda: Learner(NetworkShape.of(GAME, "8x1"), LearnerConfig()))
    minutes: float = 1.0
    progress: float = 0.5
    stop: threading.Event = field(default_factory=threading.Event)
    hub: FakeHub = field(default_factory=FakeHub)

    def release(self, step: int) -> "FakeTrainer":
        """Another network, of another step."""
        game = games.make(self.run.config().game)
        self.learner.step = step
        export_onnx(make_test_network(game, "8x1", seed=step), self.run.network(step), game, step)
        return self


def values_of(measured: Measured | None) -> dict[str, Any]:
    """As they are kept."""
    assert measured is not None
    return measured.values()


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return tiny_run(tmp_path / "run", ["measure.games=8", "measure.sims=30", "measure.level=100"])


class Scores:
    """Puts results in the place of those that matches of networks against pure MCTS would have."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.next: list[float] = []
        self.opponents: list[str] = []
        self.openings: list[tuple[int, ...]] = []
        monkeypatch.setattr("tengen.train.strength.play_match", self.play)

    def play(self, game: games.Game, a: Any, b: Any, openings: Any, **options: Any) -> arena.Match:
        if not a.name.isdecimal() or b.name.isdecimal():  # links, networks without a search, the previous network
            points = [0.5] * (2 * len(openings))
        else:
            self.opponents.append(b.name)
            self.openings += openings
            points = [self.next.pop(0)] * (2 * len(openings))
        played = [arena.ArenaGame(i, i % 2, openings[i // 2], (), each) for i, each in enumerate(points)]
        return arena.Match(game, a.name, b.name, tuple(played))


def test_the_level_rises_when_beaten_and_the_best_network_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tiny_run(tmp_path / "run", ["measure.games=20", "measure.level=100"])
    scores, trainer = Scores(monkeypatch), FakeTrainer(run)
    scores.next = [0.5, 0.0, 0.4, 0.5, 1.0, 0.0, 0.5]
    best, level = [], []
    for step in range(1, 8):
        values = values_of(Measurer(run, "cpu")(trainer.release(step)))  # a new one each time: all it knows is on disk
        assert run.best.read_bytes() == run.network(int(values["best"])).read_bytes()
        best.append(int(values["best"]))
        level.append(values["level"])
    assert scores.opponents == [f"mcts:{n}" for n in (100, 100, 100, 100, 100, 200, 200)]
    assert level == [100, 100, 100, 100, 200, 200, 200]
    # 8 of 20 points may be chance, and newer is better; none of 20 is not; a new level starts afresh.
    assert best == [1, 1, 3, 4, 5, 6, 7]
    each = {tuple(scores.openings[start : start + 10]) for start in range(0, 70, 10)}
    assert len(scores.openings) == 70 and len(each) == 7  # measurements do not repeat their games


def test_levels_below_the_first_full_one_are_climbed_at_once(
    run: RunDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tiny_run(tmp_path / "high", ["measure.games=8", "measure.sims=30", "measure.level=1000"])
    scores, trainer = Scores(monkeypatch), FakeTrainer(run)
    scores.next = [0.0, 1.0, 1.0, 1.0, 0.5]
    levels = [values_of(Measurer(run, "cpu")(trainer.release(step)))["level"] for step in range(3)]
    assert scores.opponents == [f"mcts:{n}" for n in (100, 100, 300, 1000, 2000)]
    assert levels == [100, 2000, 2000]


def test_searched_games_grow_with_the_time_between_measurements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tiny_run(tmp_path / "run", ["measure.games=40", "measure.every=5"])
    scores, counts = Scores(monkeypatch), list[int]()
    scores.next = [0.5] * 6
    times = [(0.0, 0.0), (0.5, 0.1), (3.5, 0.5), (9.0, 0.8), (9.1, 0.8), (9.2, 1.0)]
    for step, (minutes, progress) in enumerate(times):
        before = len(scores.openings)
        Measurer(run, "cpu")(FakeTrainer(run, minutes=minutes, progress=progress).release(step))
        counts.append(2 * (len(scores.openings) - before))
    assert counts == [20, 20, 24, 40, 20, 40]  # the last one of a run is whole


def test_ratings_come_from_all_matches_and_stand_on_random_play(run: RunDirectory) -> None:
    measurer, trainer = Measurer(run, "cpu"), FakeTrainer(run)
    first = values_of(measurer(trainer.release(1)))
    second = values_of(measurer(trainer.release(2)))
    standings = measurer.standings
    played = {(p.first, p.second) for p in standings.pairings}
    chain = {("mcts:100", "mcts:30"), ("mcts:30", "mcts:10"), ("mcts:10", "random")}
    networks = {("00000001", "mcts:100"), ("00000002", "mcts:100"), ("00000002", "00000001")}
    below = ("random", "mcts:10", "mcts:30", "mcts:100")
    alone = {(f"0000000{step}@0", opponent) for step in (1, 2) for opponent in below}
    assert played == chain | networks | alone and len(standings.pairings) == len(played)
    ratings = {rating.name: rating for rating in ladder(standings.pairings)}
    assert ratings["random"].elo == 0 < ratings["mcts:10"].elo < ratings["mcts:30"].elo
    assert (second["elo"], second["elo_error"]) == (ratings["00000002"].elo, ratings["00000002"].error)
    assert (second["elo_alone"], second["games_alone"]) == (ratings["00000002@0"].elo, 8)
    assert {f"alone_{opponent}" for opponent in below} <= second.keys() and 0 <= second["alone_random"] <= 1
    assert {"score", "opponent", "value_start"} <= first.keys() and "against_previous" in second
    assert "keeping_0" not in second  # tic-tac-toe has no labelled positions
    assert -1 <= second["value_start"] <= 1
    assert Measurer(run).standings == standings


def test_rating_games_of_others_count_in_the_ladder(run: RunDirectory) -> None:
    measurer, trainer = Measurer(run, "cpu"), FakeTrainer(run)
    measurer(trainer.release(1))
    assert trainer.hub.asked == [("00000001", "mcts:100")]
    alone = measurer.standings.ratings()["00000001"]
    trainer.hub.found = [Pairing("00000001", "mcts:100", 30, 400)]
    measurer(trainer.release(2))
    assert trainer.hub.asked == [("00000002", "mcts:100"), ("00000002", "00000001")]
    together = Measurer(run, "cpu").standings
    assert together.ratings()["00000001"].error < alone.error
    own = next(each for each in together.pairings if each.first == "00000001")
    assert Pairing("00000001", "mcts:100", own.points + 30, own.games + 400) in together.all_pairings()


def test_a_network_is_measured_once(run: RunDirectory) -> None:
    """A finished run that is started again measures its last network again: it gets the same answer."""
    measurer, trainer = Measurer(run, "cpu"), FakeTrainer(run)
    values = values_of(measurer(trainer.release(1)))
    written = run.ladder.read_bytes()
    assert values_of(measurer(trainer)) == values == values_of(Measurer(run, "cpu")(trainer))
    assert run.ladder.read_bytes() == written


def test_a_stopped_measurement_is_none(run: RunDirectory) -> None:
    measurer, trainer = Measurer(run, "cpu"), FakeTrainer(run)
    measurer(trainer.release(1))
    trainer.release(2).stop.set()
    assert measurer(trainer) is None
    assert [each.network for each in Measurer(run).standings.measurements] == ["00000001"]
    trainer.stop.clear()
    assert values_of(measurer(trainer))["elo"]


@pytest.mark.parametrize("damaged", [b"", b"[]", b'{"level": "high"}', b'{"level": 100, "pairings": [1]}'])
def test_a_damaged_ladder_is_refused_and_kept(run: RunDirectory, damaged: bytes) -> None:
    run.ladder.write_bytes(damaged)
    with pytest.raises(RunError, match=r"ladder\.json: .*; move it away") as error:
        Measurer(run)
    assert "\n" not in str(error.value) and run.ladder.read_bytes() == damaged


def test_connect4_is_also_asked_what_is_known_exactly(tmp_path: Path) -> None:
    settings = ["measure.games=2", "measure.sims=2", "measure.level=2", "measure.every=1000"]
    run = RunDirectory(tmp_path / "run")
    with run.locked():
        run.configure(tiny_run(tmp_path / "tiny").config().with_settings(settings))
        run.config_file.write_text(run.config_file.read_text().replace('"tictactoe"', '"connect4"'))
    values = values_of(Measurer(run, "cpu")(FakeTrainer(run).release(1)))
    assert {"value_start", "value_4", "value_1", "value_2"} <= values.keys()
    # A network that knows nothing; random moves keep the value of 62 % of these positions.
    assert 0.3 < values["keeping_0"] < 0.9 and 0.3 < values["keeping_100"] <= 1 and 0 < values["value_error"] < 4


def test_step_0_is_measured_before_anything_is_learned_and_once(tmp_path: Path) -> None:
    run = tiny_run(tmp_path / "run", ["loop.steps=4"])
    events = sit(run, measure=Measurer(run, "cpu"))
    told = [(event.kind, event.step) for event in events if event.kind in ("measure", "turn")]
    assert told[0] == ("measure", 0) and told[-1] == ("measure", 4)
    assert run.network(0).exists() and [each.network for each in Measurer(run).standings.measurements] == [
        "00000000",
        "00000004",
    ]
    first = next(event for event in events if isinstance(event, Measured))
    assert first.elo is not None and first.elo_alone is not None and first.score is not None and first.level == 10
    run.configure(run.config().with_settings(["loop.steps=6"]))
    again = sit(run, measure=Measurer(run, "cpu"))
    assert [event.step for event in again if isinstance(event, Measured)] == [6]


def test_a_measurement_of_step_0_that_was_given_up_is_made_when_the_run_goes_on(tmp_path: Path) -> None:
    run, stop, measured = tiny_run(tmp_path / "run", ["loop.steps=4"]), threading.Event(), list[int]()

    def give_up(trainer: Trainer) -> None:
        stop.set()

    def measure(trainer: Trainer) -> None:
        measured.append(trainer.learner.step)

    with run.locked():
        Trainer(run, lambda event: None, measure=give_up, stop=stop, device="cpu").train()
    sit(run, measure=measure)
    assert measured == [0, 4]


@pytest.mark.parametrize(
    ("every", "times"),
    [(5.0, [0.5, 1.0, 2.0, 4.0, 8.0, 13.0, 18.0]), (0.25, [0.25, 0.5, 0.75]), (60.0, [0.5, 1.0, 2.0])],
)
def test_measurements_come_early_and_ever_rarer(tmp_path: Path, every: float, times: list[float]) -> None:
    class Timed(Trainer):
        minutes = 0.0

    run = tiny_run(tmp_path / "run", [f"measure.every={every}", "loop.steps=4"])
    trainer = Timed(run, lambda event: None, device="cpu")
    trainer.hub.close()
    due: list[float] = []
    trainer.minutes, trainer._measured_step = 100.0, 0
    assert not trainer._measure_due()  # the network is that of step 0, which was measured
    trainer.learner.step = 1
    for quarter in range(1, round(4 * times[-1]) + 1):
        trainer.minutes = quarter / 4
        if trainer._measure_due():
            due.append(trainer.minutes)
            trainer._last_measure = trainer.minutes
    assert due == times


def test_standings_add_up() -> None:
    standings = Standings(100, pairings=[Pairing("mcts:100", "random", 9, 10), Pairing("1", "mcts:100", 5, 10)])
    ratings = standings.ratings()
    assert ratings["1"].elo == pytest.approx(ratings["mcts:100"].elo) and ratings["random"].elo == 0


@pytest.mark.slow
def test_another_program_stands_on_the_ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "engines.toml"
    write_engines(file, GAME.id, "good", "crash")
    monkeypatch.setenv("TENGEN_ENGINES", str(file))
    run = tiny_run(tmp_path / "run", ["measure.games=4", "measure.engine=good"])
    values = values_of(Measurer(run, "cpu")(FakeTrainer(run).release(1)))
    assert 0 <= values["against_engine"] <= 1 and "note" not in values
    assert "engine:good" in Standings.read(run.ladder).ratings()
    failing = tiny_run(tmp_path / "failing", ["measure.games=4", "measure.engine=crash"])
    values = values_of(Measurer(failing, "cpu")(FakeTrainer(failing).release(1)))
    assert values["against_engine"] == 1
    assert values["note"] == "engine:crash: 2 of 2 games lost by fault, such as: crashed, exit code 3: out of ideas"


def test_training_does_not_begin_without_its_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "engines.toml"
    write_engines(file, GAME.id, "good")
    monkeypatch.setenv("TENGEN_ENGINES", str(file))
    folder = tmp_path / "run"
    assert main(["train", GAME.id, "--run", str(folder), "--set", "measure.engine=god"]) == 2
    said = capsys.readouterr().err
    assert "did you mean good?" in said and said.count("\n") == 1 and not folder.exists()
    assert main(["train", GAME.id, "--run", str(folder), "--set", "measure.engine=a b"]) == 2
    assert "a name of engines.toml" in capsys.readouterr().err


def test_a_run_that_goes_on_needs_its_engine_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("TENGEN_ENGINES", raising=False)
    with pytest.raises(PlayerError, match="no such engine"):
        Measurer(tiny_run(tmp_path / "run", ["measure.engine=good"]), "cpu")
