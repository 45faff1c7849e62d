"""`tengen train`, `status` and `records`: a run begins, goes on, is refused or survives, and what is said about it."""

import errno
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs torch")

from rich.console import Console

from support.writtenrun import tell, write_fleet, write_run
from tengen import games
from tengen.cli import main, phrases
from tengen.cli.dashboard import Dashboard, JsonLines
from tengen.cli.status import CHECKS
from tengen.cli.train import StopKeys
from tengen.net.file import NetworkFile
from tengen.run.events import Ended, Event, Measured, Started, TurnTaken, Warned
from tengen.run.folder import RunDirectory
from tengen.run.health import PHRASES, assess
from tengen.run.journal import read_events
from tengen.run.settings import RunConfig

pytestmark = pytest.mark.slow

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch

STEPS = 12
TINY = ["loop.slots=16", "loop.turn_positions=64", "loop.turns_per_release=2", "loop.size=8x1"]
TINY_FLAGS = [word for setting in TINY for word in ("--set", setting)]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def durable(folder: Path) -> dict[str, bytes]:
    """What a refusal must leave alone: everything but locks and SQLite's working files."""
    return {
        name: data
        for name, data in contents(folder).items()
        if not re.match(r"lock|\.run\.toml\.lock|run\.sqlite", name)
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, only to be copied."""
    folder = tmp_path_factory.mktemp("runs") / "finished"
    assert main(["train", "tictactoe", "--run", str(folder), "--steps", str(STEPS), *TINY_FLAGS]) == 0
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


def go_on(run: Path, *more: str) -> int:
    return main(["train", "tictactoe", "--run", str(run), *more])


def refused(capsys: Capture, *hints: str) -> None:
    """One line on stderr."""
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("tengen train: ") and err.count("\n") == 1, err
    for hint in hints:
        assert hint in err


def test_a_new_run_trains_in_the_folder_named_like_its_game(
    tmp_path: Path, capsys: Capture, monkeypatch: Patch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    flags = [
        "--steps",
        "2",
        *TINY_FLAGS,
        "--seed",
        "3",
        "--set",
        "search.sims=8",
        "--set",
        "learner.batch=16",
        "--set",
        "loop.precision=f32",
    ]
    assert main(["train", "gomoku:6,in_a_row=4", *flags]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "runs/gomoku-6-in_a_row-4" in out
    assert "to go on: tengen train gomoku:6,in_a_row=4 --steps 4" in out.splitlines()[-1]
    config = RunDirectory(tmp_path / "runs" / "gomoku-6-in_a_row-4").config()
    assert (config.game, config.loop.seed, config.loop.size, config.search.sims) == ("gomoku:6,in_a_row=4", 3, "8x1", 8)


def test_lines_without_a_terminal_are_short_and_greppable(finished: Path, run: Path, capsys: Capture) -> None:
    assert go_on(run, "--steps", str(STEPS + 4)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("start minutes=")
    releases = [line for line in lines if line.startswith("release minutes=")]
    assert releases and all(len(line) < 250 for line in lines[:-1])
    for name in ("step", "loss", "positions", "kl", "done"):
        assert all(re.search(rf" {name}=\S+", line) for line in releases)


def test_a_finished_run_says_so_and_goes_on_when_asked(run: Path, capsys: Capture) -> None:
    before = durable(run)
    assert go_on(run) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1 and "already finished" in out and f"--steps {2 * STEPS}" in out
    assert durable(run) == before
    assert go_on(run, "--steps", str(2 * STEPS)) == 0
    events = read_events(run / "run.sqlite")
    assert isinstance(events[-1], Ended) and events[-1].step == 2 * STEPS
    assert [event.resumed for event in events if isinstance(event, Started)] == [False, True]
    assert RunDirectory(run).config().loop.steps == 2 * STEPS


def test_minutes_may_change_and_then_count(run: Path, capsys: Capture) -> None:
    assert go_on(run, "--minutes", "0.01") == 0  # less than it has had
    assert "already finished" in capsys.readouterr().out
    loop = RunDirectory(run).config().loop
    assert (loop.minutes, loop.steps) == (0.01, 0)


def test_a_network_grows_and_goes_on(run: Path, capsys: Capture) -> None:
    before = read_events(run / "run.sqlite")[-1].step
    assert go_on(run, "--size", "8x2", "--steps", str(STEPS + 4)) == 0
    assert RunDirectory(run).config().loop.size == "8x2"
    assert NetworkFile.load(run / "current.onnx").size == "8x2"
    assert before == STEPS and read_events(run / "run.sqlite")[-1].step == STEPS + 4
    settled = durable(run)
    assert go_on(run, "--size", "4x2", "--steps", "40") == 2
    assert "a network of 8x2 can only grow" in capsys.readouterr().err
    assert durable(run) == settled


def test_json_is_one_event_per_line(run: Path, capsys: Capture) -> None:
    assert go_on(run, "--steps", str(STEPS + 2), "--json") == 0
    out, err = capsys.readouterr()
    events = [json.loads(line) for line in out.splitlines()]
    assert events[0]["kind"] == "start" and events[-1]["kind"] == "end"
    assert set(events[0]) == {"time", "step", "minutes", "kind", "values"}
    assert events[0]["values"]["game"] == "tictactoe"
    assert "finished" in err


DIFFERENT: dict[str, tuple[list[str], list[str]]] = {
    "seed": (["--seed", "5"], ["loop.seed = 0, not 5"]),
    "any option": (["--set", "learner.batch=128"], ["learner.batch = 64, not 128"]),
    "one of several": (["--set", "loop.slots=16", "--set", "search.sims=3"], ["search.sims = 50, not 3"]),
    "unknown option": (["--set", "learner.bach=1"], ["did you mean batch?"]),
    "unknown section": (["--set", "lerner.batch=1"], ["learner.NAME=VALUE"]),
    "value": (["--set", "learner.batch=many"], ["whole number"]),
    "no size": (["--size", "huge"], ["CHANNELSxBLOCKS"]),
    "device": (["--device", "abacus"], ["abacus", "openvino"]),
    "both lengths": (["--minutes", "1", "--steps", "1"], ["--minutes"]),
    "no minutes": (["--minutes", "nan"], ["nan"]),
}


@pytest.mark.parametrize(("flags", "hints"), DIFFERENT.values(), ids=DIFFERENT)
def test_other_options_than_the_run_has_are_refused(
    run: Path, tmp_path: Path, flags: list[str], hints: list[str], capsys: Capture
) -> None:
    before = durable(run)
    assert go_on(run, *flags) == 2
    refused(capsys, *hints)
    assert durable(run) == before


@pytest.mark.parametrize("what", ["unknown option", "value", "no size", "device", "no minutes"])
def test_a_mistake_in_a_new_run_writes_nothing(tmp_path: Path, what: str, capsys: Capture) -> None:
    assert go_on(tmp_path / "new", *DIFFERENT[what][0]) == 2
    refused(capsys, *DIFFERENT[what][1])
    assert list(tmp_path.iterdir()) == []


def test_options_that_equal_the_runs_are_no_difference(run: Path, capsys: Capture) -> None:
    assert go_on(run, "--size", "8x1", "--seed", "0", "--steps", str(STEPS), *TINY_FLAGS) == 0
    assert "already finished" in capsys.readouterr().out


def test_a_run_of_another_game_is_refused(run: Path, capsys: Capture) -> None:
    assert main(["train", "connect4", "--run", str(run)]) == 2
    refused(capsys, "trains tictactoe, not connect4")


def test_a_folder_with_other_things_is_refused(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "thesis.txt").write_text("important")
    assert go_on(tmp_path) == 2
    refused(capsys, "thesis.txt")
    assert go_on(tmp_path / "thesis.txt") == 2
    refused(capsys, "File exists")
    assert contents(tmp_path) == {"thesis.txt": b"important"}


@contextmanager
def no_rights() -> Iterator[None]:
    """Root may write everywhere; nobody may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_folder_is_one_line(run: Path, capsys: Capture) -> None:
    before = contents(run)
    for folder in (run, run.parent):
        folder.chmod(0o555)
    try:
        with no_rights():
            codes = [go_on(run, "--steps", "99"), go_on(run.parent / "new")]
    finally:
        for folder in (run.parent, run):
            folder.chmod(0o755)
    out, err = capsys.readouterr()
    assert codes == [2, 2] and out == "" and err.count("\n") == 2 and err.count("Permission denied") == 2
    assert contents(run) == before


def test_a_full_disk_ends_the_sitting_and_nothing_else(run: Path, capsys: Capture, monkeypatch: Patch) -> None:
    fsync, left = os.fsync, 8

    def full(descriptor: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    before = contents(run / "games")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert go_on(run, "--steps", "99", "--json") == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "No space left" in err and "the same command goes on" in err
    assert before.items() <= contents(run / "games").items()
    assert go_on(run, "--steps", str(STEPS + 4)) == 0


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"game = ", b'game = "tictactoe"\n[loop]\nsteps = "x"\n', b""])
def test_a_damaged_configuration_is_one_line(run: Path, damage: bytes, capsys: Capture) -> None:
    (run / "run.toml").write_bytes(damage)
    before = durable(run)
    assert go_on(run) == 2
    refused(capsys, str(run))
    assert durable(run) == before


@pytest.mark.parametrize("damage", ["cut", "garbage", "empty"])
def test_a_damaged_state_is_one_line(run: Path, damage: str, capsys: Capture) -> None:
    state = run / "state.safetensors"
    state.write_bytes({"cut": state.read_bytes()[:-100], "garbage": b"\0" * 1000, "empty": b""}[damage])
    before = durable(run)
    assert go_on(run, "--steps", str(STEPS)) == 2
    refused(capsys, str(state), "damaged")
    assert durable(run) == before


def test_a_damaged_chunk_is_a_warning_and_the_rest_goes_on(run: Path, capsys: Capture) -> None:
    first, *rest = sorted((run / "games").iterdir())
    assert rest
    first.write_bytes(first.read_bytes()[:-20])
    before = contents(run / "games")
    assert go_on(run, "--steps", str(STEPS + 4)) == 0
    err = capsys.readouterr().err
    assert err.startswith("warning: ") and err.count("\n") == 1 and first.name in err
    assert before.items() <= contents(run / "games").items()
    assert main(["records", str(run)]) == 0
    out, err = capsys.readouterr()
    assert first.name in err and out


def test_a_damaged_database_does_not_stop_training(run: Path, capsys: Capture) -> None:
    for leftover in run.glob("run.sqlite*"):
        leftover.unlink()
    (run / "run.sqlite").write_bytes(b"nonsense" * 1000)
    assert go_on(run, "--steps", str(STEPS + 4)) == 0
    err = capsys.readouterr().err
    assert err.startswith("warning: ") and err.count("\n") == 1 and "run.sqlite" in err
    assert main(["status", str(run)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_training_without_torch_says_what_to_install(tmp_path: Path, capsys: Capture, monkeypatch: Patch) -> None:
    monkeypatch.setattr("tengen.cli.train.find_spec", lambda name: None if name == "torch" else object())
    assert go_on(tmp_path / "new") == 2
    refused(capsys, "torch", "pip install 'tengen[train]'")


def test_sigterm_saves_and_tells_how_to_go_on(run: Path, capsys: Capture, monkeypatch: Patch) -> None:
    show = JsonLines.__call__

    def terminated(self: JsonLines, event: Event) -> None:
        show(self, event)
        if isinstance(event, TurnTaken):
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(JsonLines, "__call__", terminated)
    assert go_on(run, "--steps", "1000", "--json") == 128 + signal.SIGTERM
    out, err = capsys.readouterr()
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["kind"] for event in events].count("turn") == 1
    assert events[-1]["kind"] == "end" and events[-1]["values"] == {"finished": False}
    assert f"to go on: tengen train tictactoe --run {run}" in err
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_the_second_signal_ends_at_once() -> None:
    stop = StopKeys()
    stop(signal.SIGTERM, None)
    assert stop.event.is_set() and stop.signal == signal.SIGTERM
    with pytest.raises(KeyboardInterrupt):
        stop(signal.SIGINT, None)


def test_a_real_process_is_watched_guarded_and_interrupted(run: Path, capsys: Capture) -> None:
    command = [sys.executable, "-m", "tengen", "train", "tictactoe", "--run", str(run), "--minutes", "60", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    guard = threading.Timer(900, process.kill)  # a process that never tells a turn must not hang the tests
    guard.start()
    try:
        assert process.stdout
        heard = [json.loads(line) for line in iter(lambda: told_turn(process.stdout), "")]
        assert heard[0]["kind"] == "start" and heard[0]["values"]["resumed"]

        assert go_on(run) == 2
        refused(capsys, "another process is training")
        assert main(["status", str(run), "--json"]) == 0
        status = json.loads(capsys.readouterr().out)
        assert status["state"] == "going on" and status["game"] == "tictactoe"

        process.send_signal(signal.SIGINT)
        rest, err = process.communicate()
    finally:
        guard.cancel()
        process.kill()
        process.wait()
    last = json.loads(rest.splitlines()[-1])
    assert process.returncode == 130 and last["kind"] == "end"
    assert "to go on" in err and "Traceback" not in err
    assert main(["status", str(run)]) == 0
    assert "stopped" in capsys.readouterr().out
    assert go_on(run, "--steps", str(last["step"] + 2)) == 0
    start = next(event for event in reversed(read_events(run / "run.sqlite")) if isinstance(event, Started))
    assert start.step == last["step"]


def told_turn(stream: Any) -> str:
    """The next line, or nothing once a turn was told."""
    line = str(stream.readline())
    return "" if '"kind": "turn"' in line else line


def test_status_tells_where_a_run_stands(run: Path, capsys: Capture) -> None:
    assert main(["status", str(run), "--lang", "en"]) == 0
    text = capsys.readouterr().out
    assert "tictactoe, network 8x1" in text and "finished" in text and "100% of 12 steps" in text
    assert re.search(r"policy loss +\d.\d+ +[▁▂▃▄▅▆▇█]+ +\d.\d+", text)
    assert re.search(r"^(Learning: .*|Stalled because it is not measurably) stronger than at step 0", text, re.M), text
    assert main(["status", str(run), "--lang", "zh"]) == 0
    assert "为时尚早" not in (text := capsys.readouterr().out) and "第 0 步" in text


def test_what_a_run_took_beyond_its_plan_stands_apart(tmp_path: Path, capsys: Capture) -> None:
    """The last iteration and the last measurement are over the plan: not 13 minutes of 10."""
    run = write_run(tmp_path / "run")
    tell(run, Ended(300, 10.7, finished=True))
    assert main(["status", str(run.path)]) == 0
    assert "100% of 10 min, and 42 s more to finish and measure; 300 steps" in capsys.readouterr().out
    assert main(["status", str(run.path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["plan"] == {"unit": "minutes", "done": 10, "planned": 10, "over": pytest.approx(0.7)}
    tell(run, Started(300, 10.7, game="connect4", size="8x1", planned_minutes=10.0, planned_steps=400))
    assert main(["status", str(run.path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["plan"] == {"unit": "steps", "done": 300, "planned": 400, "over": 0}


def test_a_run_and_the_state_of_its_learner_can_be_exported(run: Path, capsys: Capture) -> None:
    plays = NetworkFile.load(run / "current.onnx").hash
    for what, file in ((run, run.with_suffix(".onnx")), (run / "state.safetensors", run / "state.onnx")):
        assert main(["export", str(what), "--json"]) == 0
        about = json.loads(capsys.readouterr().out)
        assert (about["network_hash"], about["game"], about["step"]) == (plays, "tictactoe", STEPS)
        assert about["file"] == str(file) and NetworkFile.load(file).hash == plays
    (run / "state.safetensors").unlink()
    assert main(["export", str(run)]) == 2
    assert "has learned nothing yet" in capsys.readouterr().err
    (run / "run.toml").unlink()
    for what, words in ((run, "is not a run"), (run / "state.safetensors", "No such file")):
        assert main(["export", str(what)]) == 2
        assert words in capsys.readouterr().err


def test_status_lists_workers_elsewhere(tmp_path: Path, capsys: Capture) -> None:
    written = write_run(tmp_path / "many")
    write_fleet(written)
    with written.locked():
        assert main(["status", str(written.path)]) == 0
        assert re.search(r"garage +2 +1234 +678 +0 +90 +1", text := capsys.readouterr().out), text
        assert re.search(r"attic .* barred", text)
        assert main(["status", str(written.path), "--json"]) == 0
        assert [each["players"] for each in json.loads(capsys.readouterr().out)["workers"]] == [2, 0]


def test_checked_resignations_are_shown_where_they_happen(tmp_path: Path, capsys: Capture) -> None:
    line = "resignations checked: 116, wrong: 2 (1.7 %)"
    for resigns in (True, False):
        run = write_run(tmp_path / str(resigns), resigns=resigns)
        assert main(["status", str(run.path)]) == 0
        text = capsys.readouterr().out
        assert (line in text, "resignations checked" in text) == (resigns, resigns)
        assert main(["status", str(run.path), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["resignations"]
        assert told == ({"checked": 116, "wrong": 2} if resigns else None)
        console = Console(file=io.StringIO(), width=110, color_system=None)
        console.print(Dashboard(console, "connect4", "en", read_events(run.database)))
        assert isinstance(console.file, io.StringIO) and (line in console.file.getvalue()) == resigns


def test_status_as_json(run: Path, capsys: Capture) -> None:
    assert main(["status", str(run), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["state"], report["step"], report["progress"]) == ("finished", STEPS, 1.0)
    assert report["games"] > 0 and report["positions"] > 0
    assert report["health"]["verdict"] in ("learning", "stalled")  # it is over: never too early
    assert [each["step"] for each in report["measurements"]] == [0, STEPS]
    assert all(len(point) == 2 for point in report["curves"]["loss"])


@pytest.mark.parametrize("verb", ["status", "records"])
def test_a_folder_that_is_no_run_is_one_line(tmp_path: Path, verb: str, capsys: Capture) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        assert main([verb, str(folder)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and "run.toml" in err
    assert list(tmp_path.iterdir()) == []


def test_reading_a_run_needs_no_torch(run: Path) -> None:
    script = f"""
import sys
sys.modules["torch"] = None
from tengen.cli import main
sys.exit(main(["status", {str(run)!r}]) or main(["records", {str(run)!r}, "--last", "1"]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def records(run: Path, capsys: Capture, *flags: str) -> list[dict[str, Any]]:
    assert main(["records", str(run), "--json", *flags]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_records_are_the_games_filtered(run: Path, capsys: Capture) -> None:
    every = records(run, capsys)
    game = games.make("tictactoe")
    for record in every:
        state = game.from_moves(" ".join(record["moves"]))
        assert state.is_terminal() and len(record["moves"]) == record["plies"] == len(record["q"])
    for result in (1, 0, -1):
        chosen = [record for record in every if record["result"] == result]
        assert records(run, capsys, "--result", str(result)) == chosen
    assert sum(record["result"] == 1 for record in every) > 0
    long = [record for record in every if record["plies"] >= 8]
    assert 0 < len(long) < len(every) and records(run, capsys, "--min-plies", "8") == long
    assert records(run, capsys, "--max-plies", "7") == [record for record in every if record["plies"] <= 7]
    assert records(run, capsys, "--last", "2", "--min-plies", "8") == long[-2:]
    prefix = every[-1]["networks"][-1][:6]
    played = [r for r in every if any(network.startswith(prefix) for network in r["networks"])]
    assert records(run, capsys, "--network", prefix) == played
    assert all(len(r["release"]) == r["plies"] and max(r["release"]) + 1 == len(r["networks"]) for r in every)


def test_records_as_text(run: Path, capsys: Capture) -> None:
    every = records(run, capsys)
    assert main(["records", str(run)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(every)
    for line, record in zip(lines, every, strict=True):
        number, result, plies, network, moves = line.replace("(", "").replace(")", "").split(maxsplit=4)
        assert (int(number), int(result), int(plies)) == (record["number"], record["result"], record["plies"])
        assert record["networks"][-1].startswith(network) and moves.split() == record["moves"]


def test_the_dashboard_shows_what_it_was_told(finished: Path) -> None:
    console = Console(file=io.StringIO(), width=110, color_system=None)
    events = read_events(finished / "run.sqlite")
    dashboard = Dashboard(console, "tictactoe [8x1]", "en")
    console.print(dashboard)  # also before anything happened
    for event in events[:-1]:
        dashboard(event)
    measured: dict[str, Any] = {"elo": 812.0, "elo_error": 41.0, "alone": {"random": 0.95, "mcts:30": 0.4}}
    dashboard(Measured(12, 0.5, network="n.onnx", **measured, keeping={"0": 0.9, "100": 0.99}, score_low=0.1))
    dashboard(Warned(12, 0.5, reason="a [bracket] in it"))
    dashboard.watch(lambda: "measuring")
    console.print(dashboard)
    stream = console.file
    assert isinstance(stream, io.StringIO)
    text = stream.getvalue()
    for word in (
        "tictactoe [8x1]",
        "100%",
        "measuring",
        "simulations/s",
        "Elo above random play",
        "812 ± 41",
        "score without a search: plain, 30 playouts",
        "right moves with 100 simulations",
        "a [bracket] in it",
        "Too early to say",
    ):
        assert word in text
    assert re.search(r"policy loss +\d.\d+ +[▁▂▃▄▅▆▇█]+", text)
    for key in ("elo error", "score low", "games alone", "alone mcts", "keeping 100", "alone_", "keeping_"):
        assert key not in text


def test_every_number_of_health_has_a_name_in_the_terminal() -> None:
    turns = [TurnTaken(i, i / 10, loss=1.0, games=1, unread_chunks=1) for i in range(30)]
    assert {check.name for check in assess(turns).checks} == CHECKS.keys()


def test_the_verdict_speaks_every_language_of_the_terminal_game() -> None:
    assert PHRASES.keys() == phrases.PHRASES.keys()


def test_every_option_reaches_the_configuration() -> None:
    config = RunConfig.of(games.make("tictactoe"))
    assert RunConfig.from_toml(config.to_toml()) == config
    assert config.to_dict()["loop"]["size"] == config.loop.size
