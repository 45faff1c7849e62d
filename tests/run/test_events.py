"""Events are kept: in a database that others may read meanwhile, for TensorBoard, in bounded memory."""

import math
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen.run.events import Event, History, RunDatabase, TensorBoard, fan_out, number_of, read_events

TURN = Event("turn", 7, 0.25, {"loss": 1.5, "network": "ab", "resumed": True}, time=1000.0)


class Warnings(list[str]):
    def __call__(self, reason: str) -> None:
        self.append(reason)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    warn = Warnings()
    database = RunDatabase(tmp_path / "run.sqlite", warn)
    events = [TURN, Event("end", 8, 0.5, {"finished": False, "note": "é天"}, time=1001.0)]
    for event in events:
        database(event)
    assert read_events(tmp_path / "run.sqlite") == events  # while it is open for writing
    assert read_events(tmp_path / "run.sqlite", after=1) == events[1:]
    database.close()
    RunDatabase(tmp_path / "run.sqlite", warn)(TURN)  # the next sitting adds to it
    assert read_events(tmp_path / "run.sqlite") == [*events, TURN]
    assert warn == []


def test_numbers_that_json_lacks_become_null(tmp_path: Path) -> None:
    values: dict[str, Any] = {"loss": math.nan, "elo": -math.inf, "score": np.float32(0.5), "list": [math.nan, 1]}
    RunDatabase(tmp_path / "run.sqlite", Warnings())(Event("measure", 1, 1.0, values))
    (event,) = read_events(tmp_path / "run.sqlite")
    assert event.values == {"loss": None, "elo": None, "score": 0.5, "list": [None, 1]}
    assert [number_of(event, name) for name in ("loss", "score", "missing")] == [None, 0.5, None]
    assert number_of(TURN, "resumed") is None and number_of(TURN, "network") is None


def test_a_killed_writer_leaves_every_event(tmp_path: Path) -> None:
    script = """
import os, signal, sys
from pathlib import Path
from tengen.run.events import Event, RunDatabase
database = RunDatabase(Path(sys.argv[1]), print)
for step in range(20):
    database(Event("turn", step, 0.0))
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
        history(Event("measure" if step in measures else "turn", step, float(step)))
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
    keeper.close()
    (file,) = (tmp_path / "tensorboard").iterdir()
    assert b"turn/loss" in file.read_bytes() and b"turn/network" not in file.read_bytes()


def test_tensorboard_that_cannot_write_is_one_warning(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    (tmp_path / "tensorboard").write_text("a file in the way")
    warn = Warnings()
    keeper = TensorBoard(tmp_path / "tensorboard", warn)
    keeper(TURN)
    keeper(TURN)
    keeper.close()
    assert len(warn) == 1 and [path.name for path in tmp_path.iterdir()] == ["tensorboard"]
