"""Files that several processes write, or that are read while somebody saves them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.training import sit, tiny_run
from tengen.files import exclusive, remove_leftovers, write_durably
from tengen.hub.ledger import Ledger
from tengen.run.events import Ended, Event, Started, Warned
from tengen.run.folder import RunDirectory, RunError

pytestmark = pytest.mark.slow

WRITER = """
import sys, time
from pathlib import Path
from tengen.files import write_durably
path, letter, until = Path(sys.argv[1]), sys.argv[2].encode(), time.time() + 1
while time.time() < until:
    for size in (10, 70_000, 300_000):
        write_durably(path, letter * size)
"""

SETTER = """
import sys
from pathlib import Path
from tengen.cli import main
for number in range(8):
    assert main(["hub", "set", f"{sys.argv[2]}={100 + number}", "--run", sys.argv[1]]) == 0
"""

COUNTER = """
import sys
from pathlib import Path
from tengen.files import exclusive, write_durably
path = Path(sys.argv[1])
for _ in range(40):
    with exclusive(path):
        write_durably(path, str(int(path.read_text()) + 1).encode())
"""


def start(code: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True)


def finish(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_two_processes_that_write_one_file_never_tear_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_durably(path, b"start")
    writers = [start(WRITER, str(path), letter) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        data = path.read_bytes()
        assert data == b"start" or (
            data[:1] in (b"a", b"b") and len(set(data)) == 1 and len(data) in (10, 70_000, 300_000)
        )
        seen.add(data[:1])
    finish(*writers)
    assert seen >= {b"a", b"b"} and names(tmp_path) == ["file"]


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").touch()
    with pytest.raises(OSError):
        write_durably(tmp_path / "folder", b"a file cannot replace a folder")
    assert names(tmp_path) == ["folder"]


def test_no_change_is_lost_when_processes_read_change_and_write(tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.write_text("0")
    finish(*(start(COUNTER, str(path)) for _ in range(3)))
    assert path.read_text() == "120"


def test_two_orders_to_change_options_are_both_obeyed(tmp_path: Path) -> None:
    """As `tengen hub set` is used while others use it."""
    run = tiny_run(tmp_path / "run")
    Ledger(run.hub).close()
    names = ["search.sims", "selfplay.fast_sims"]
    finish(*(start(SETTER, str(run.path), name) for name in names))
    config = run.config()
    assert (config.search.sims, config.selfplay.fast_sims) == (107, 107)


def test_what_dead_writers_left_is_removed_by_whoever_trains(tmp_path: Path) -> None:
    run = tiny_run(tmp_path / "run")
    run.games.mkdir()
    dead = start("pass")
    finish(dead)
    old = time.time() - 3600
    drafts = {
        run.path / ".run.toml.tmp": old,  # as versions before left them
        run.path / f".run.toml.{dead.pid}-0123abcd.tmp": old,
        run.games / f".00000000-ab.games.{dead.pid}-0123abcd.tmp": old,
        run.networks / f".00000001.onnx.{os.getpid()}-0123abcd.tmp": old,  # still being written, for all we know
        run.path / f".state.safetensors.{dead.pid}-0123abcd.tmp": time.time(),  # perhaps another machine's
        run.path / "notes.tmp": old,  # somebody's own
    }
    for path, moment in drafts.items():
        path.touch()
        os.utime(path, (moment, moment))
    with run.locked():
        assert [path for path in drafts if path.exists()] == list(drafts)[3:]
    remove_leftovers(tmp_path / "nowhere")


def test_a_lock_is_let_go_when_its_holder_dies(tmp_path: Path) -> None:
    path = tmp_path / "file"
    holder = start(
        "import os, sys; from pathlib import Path; from tengen.files import exclusive\n"
        "with exclusive(Path(sys.argv[1])): Path(sys.argv[1]).touch(); os.kill(os.getpid(), 9)",
        str(path),
    )
    holder.communicate(timeout=60)
    assert path.exists()
    with exclusive(path):
        pass


def test_a_run_goes_on_while_somebody_saves_its_options(tmp_path: Path) -> None:
    run = tiny_run(tmp_path / "run", ["loop.steps=20"])
    half = run.config_file.read_text()[:300]

    def save_half(event: Event) -> None:
        if isinstance(event, Started):
            run.config_file.write_text(half)

    events = sit(run, save_half)
    assert isinstance(events[-1], Ended) and events[-1].finished
    warnings = {event.reason for event in events if isinstance(event, Warned)}
    assert len(warnings) == 1 and all(str(run.config_file) in why and "stays in use" in why for why in warnings)
    assert run.config_file.read_text() == half


@pytest.mark.parametrize("lines", [0, 1, 20, -3])
def test_a_file_that_ends_early_is_not_taken_for_one_of_defaults(tmp_path: Path, lines: int) -> None:
    """Whole lines of TOML are TOML: what shows that some are missing is that they were there before."""
    run = tiny_run(tmp_path / "run", ["search.sims=99", "measure.games=4"])
    before, heard = run.config(), list[str]()
    run.config_file.write_text("\n".join(run.config_file.read_text().splitlines()[:lines]))
    assert run.config_now(heard.append) == before == run.config_now(heard.append)
    assert len(heard) == 2 and "stays in use" in heard[0] and "\n" not in heard[0]


def test_options_changed_while_a_run_goes_on_are_taken_up(tmp_path: Path) -> None:
    run = tiny_run(tmp_path / "run")
    run.config()
    other = RunDirectory(run.path)
    with other.changing():
        other.configure(other.config().with_settings(["search.sims=99"]))
    assert run.config_now(pytest.fail).search.sims == 99
    run.config_file.write_text("spoilt")
    heard: list[str] = []
    assert run.config_now(heard.append).search.sims == 99 and len(heard) == 1
    with pytest.raises(RunError, match="not the configuration of a run"):
        RunDirectory(run.path).config_now(heard.append)  # at the start there is nothing to go on with
