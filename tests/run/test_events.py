"""Events are kept: in a database that others may read meanwhile, for TensorBoard, in bounded memory."""

import math
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tengen.run.events import Ended, Event, Measured, Released, Started, TurnTaken, Warned, finite
from tengen.run.journal import History, RunDatabase, TensorBoard, fan_out, read_events

TURN = TurnTaken(7, 0.25, loss=1.5, games=4, time=1000.0)
RELEASE = Released(7, 0.25, network="ab", kl=0.5, time=1000.0)
EVERY = [
    Started(0, 0.0, game="go:9", size="8x1", planned_minutes=5.0, planned_steps=0, resumed=True, time=999.0),
    TURN,
    RELEASE,
    Measured(
        7, 0.3, network="00000007.onnx", opponent="mcts:10", score=0.5, level=10, elo=1.0,
        openings={"start": 0.1, "4": 0.2}, value_error=0.3, keeping={"0": 0.9, "100": 1.0}, time=1000.5,
    ),
    Warned(8, 0.4, reason="é天", time=1000.75),
    Ended(8, 0.5, finished=False, time=1001.0),
]  # fmt: skip


class Warnings(list[str]):
    def __call__(self, reason: str) -> None:
        self.append(reason)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    warn = Warnings()
    database = RunDatabase(tmp_path / "run.sqlite", warn)
    events = EVERY
    for event in events:
        database(event)
    assert read_events(tmp_path / "run.sqlite") == events  # while it is open for writing
    assert read_events(tmp_path / "run.sqlite", after=1) == events[1:]
    database.close()
    RunDatabase(tmp_path / "run.sqlite", warn)(TURN)  # the next sitting adds to it
    assert read_events(tmp_path / "run.sqlite") == [*events, TURN]
    assert warn == []


def test_numbers_that_json_lacks_become_null(tmp_path: Path) -> None:
    told = Measured(1, 1.0, network="n", elo=-math.inf, score=np.float32(0.5), keeping={"0": math.nan})  # type: ignore[arg-type]
    RunDatabase(tmp_path / "run.sqlite", Warnings())(told)
    (event,) = read_events(tmp_path / "run.sqlite")
    assert isinstance(event, Measured)
    assert event.values() == {"network": "n", "elo": None, "score": 0.5, "keeping_0": None}
    assert [finite(value) for value in (event.elo, event.score, event.level)] == [None, 0.5, None]
    assert event.elo is not None and math.isnan(event.elo) and event.numbers() == {"score": 0.5}


def test_only_numbers_are_numbers() -> None:
    assert EVERY[0].numbers() == {"planned_minutes": 5.0, "planned_steps": 0.0, "positions": 0.0}
    assert RELEASE.numbers() == {"kl": 0.5}


def test_a_kind_of_event_has_the_same_values_on_disk_as_ever() -> None:
    assert EVERY[3].to_dict() == {
        "time": 1000.5,
        "step": 7,
        "minutes": 0.3,
        "kind": "measure",
        "values": {
            "network": "00000007.onnx",
            "opponent": "mcts:10",
            "score": 0.5,
            "level": 10,
            "elo": 1.0,
            "value_start": 0.1,
            "value_4": 0.2,
            "value_error": 0.3,
            "keeping_0": 0.9,
            "keeping_100": 1.0,
        },
    }


def test_events_of_other_versions_are_read_as_far_as_they_are_known(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    RunDatabase(path, Warnings())(TURN)

    def add(kind: str, text: str) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            row = (1000.0, 7, 0.25, kind, text)
            connection.execute('INSERT INTO events (time, step, minutes, kind, "values") VALUES (?, ?, ?, ?, ?)', row)

    add("turn", '{"loss": 1.5, "games": 4, "mcts_level": 30, "anything": [1, {}]}')
    assert read_events(path) == [TURN, TURN]
    for kind, text in (("turn", '{"loss": "much"}'), ("start", "{}"), ("party", "{}"), ("turn", "[1]"), ("turn", "{")):
        add(kind, text)
        with pytest.raises(sqlite3.DatabaseError, match="a damaged row"):
            read_events(path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM events WHERE id > 2")


def test_a_killed_writer_leaves_every_event(tmp_path: Path) -> None:
    script = """
import os, signal, sys
from pathlib import Path
from tengen.run.events import TurnTaken
from tengen.run.journal import RunDatabase
database = RunDatabase(Path(sys.argv[1]), print)
for step in range(20):
    database(TurnTaken(step, 0.0))
os.kill(os.getpid(), signal.SIGKILL)
"""
    path = tmp_path / "run.sqlite"
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "")
    assert [event.step for event in read_events(path)] == list(range(20))


@pytest.mark.parametrize("damage", ["garbage", "folder", "other table", "no folder"])
def test_a_database_that_cannot_be_used_is_one_warning(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "run.sqlite"
    if damage == "garbage":
        path.write_bytes(b"no database at all" * 100)
    elif damage == "folder":
        path.mkdir()
    elif damage == "other table":
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE events (other INTEGER)")
        connection.close()
    else:
        path = tmp_path / "missing" / "run.sqlite"
    before = path.read_bytes() if path.is_file() else None
    warn = Warnings()
    database = RunDatabase(path, warn)
    for _ in range(3):
        database(TURN)
    assert len(warn) == 1 and str(path) in warn[0] and "\n" not in warn[0]
    assert damage != "garbage" or path.read_bytes() == before
    with pytest.raises((sqlite3.Error, OSError)):
        read_events(path)


def test_a_database_that_comes_back_is_used_again(tmp_path: Path) -> None:
    warn, path = Warnings(), tmp_path / "later" / "run.sqlite"
    database = RunDatabase(path, warn)
    database(TURN)
    path.parent.mkdir()
    database(TURN)
    assert read_events(path) == [TURN] and len(warn) == 1


def test_a_run_in_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    database = RunDatabase(path, Warnings())
    database(TURN)
    database.close()
    tmp_path.chmod(0o555)
    try:
        assert read_events(path) == [TURN]
    finally:
        tmp_path.chmod(0o755)


def test_everybody_hears_every_event_in_order() -> None:
    first, second = list[Event](), list[Event]()
    listen = fan_out(first.append, second.append)
    listen(TURN)
    assert first == second == [TURN]


def test_a_long_history_is_thinned_in_the_middle() -> None:
    measures = range(0, 20_000, 500)
    history = History()
    for step in range(20_000):
        at = (step, float(step))
        history(Measured(*at, network="n") if step in measures else TurnTaken(*at))
    steps = [event.step for event in history.events]
    assert len(steps) <= History.MOST and steps == sorted(set(steps))
    assert steps[: History.FIRST] == list(range(History.FIRST))
    assert steps[-History.LAST :] == list(range(20_000 - History.LAST, 20_000))
    assert set(measures) <= set(steps)


def test_tensorboard_files_hold_every_number(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    keeper = TensorBoard(tmp_path / "tensorboard", Warnings())
    assert not list(tmp_path.iterdir())  # nothing before the first event
    keeper(TURN)
    keeper(RELEASE)
    keeper.close()
    (file,) = (tmp_path / "tensorboard").iterdir()
    assert b"turn/loss" in file.read_bytes() and b"release/network" not in file.read_bytes()


def test_tensorboard_that_cannot_write_is_one_warning(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    (tmp_path / "tensorboard").write_text("a file in the way")
    warn = Warnings()
    keeper = TensorBoard(tmp_path / "tensorboard", warn)
    keeper(TURN)
    keeper(TURN)
    keeper.close()
    assert len(warn) == 1 and [path.name for path in tmp_path.iterdir()] == ["tensorboard"]
