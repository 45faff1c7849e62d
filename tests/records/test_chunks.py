"""The chunks of a run survive kills, full disks and damage; none is lost, none counts twice."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.recorded import some_records
from tengen.files import remove_leftovers, write_durably
from tengen.records import GameRecord, Limits, RecordError, encode_chunk
from tengen.records.store import ChunkStore

RECORDS = list(some_records("tictactoe"))


def contents(store: ChunkStore) -> tuple[list[list[GameRecord]], dict[Path, str]]:
    """The readable chunks, and what was reported of the others."""
    reported: dict[Path, str] = {}
    chunks = [records for _, records in store.read(reported.__setitem__)]
    return chunks, reported


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_chunks_are_read_in_the_order_they_were_written(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path / "run" / "games")
    assert contents(store) == ([], {})
    paths = [store.append([record]) for record in RECORDS]
    assert store.paths() == paths and [path.name[:8] for path in paths] == [f"{i:08}" for i in range(len(RECORDS))]
    assert contents(ChunkStore(store.folder)) == ([[record] for record in RECORDS], {})


def test_the_same_chunk_is_kept_once(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path)
    first = store.append(RECORDS[:2])
    second = store.append(RECORDS[2:])
    assert store.append(RECORDS[:2]) == first == store.append_bytes(encode_chunk(RECORDS[:2]))
    assert store.paths() == [first, second]


def test_a_copy_counts_once_and_is_reported(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path)
    path = store.append(RECORDS)
    copy = path.with_name("00000005" + path.name[8:])
    copy.write_bytes(path.read_bytes())
    assert contents(store) == ([RECORDS], {copy: "the same chunk is there twice; it counts once"})
    assert store.append(RECORDS[:1]).name.startswith("00000006-")


@pytest.mark.parametrize("damage", ["flipped", "truncated", "empty", "swapped", "folder"])
def test_damage_is_reported_and_nothing_is_deleted(tmp_path: Path, damage: str) -> None:
    store = ChunkStore(tmp_path)
    good = [store.append([record]) for record in RECORDS]
    bad = good[1]
    data = bad.read_bytes()
    if damage == "folder":
        bad.unlink()
        bad.mkdir()
    else:
        flipped = data[:-9] + bytes([data[-9] ^ 4]) + data[-8:]
        changed = {"flipped": flipped, "truncated": data[:50], "empty": b"", "swapped": good[2].read_bytes()}
        bad.write_bytes(changed[damage])
    names = sorted(path.name for path in tmp_path.iterdir())
    chunks, reported = contents(store)
    assert chunks == [[RECORDS[0]], *([record] for record in RECORDS[2:])]
    assert list(reported) == [bad] and reported[bad] and "\n" not in reported[bad]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    if damage != "folder":  # the games come in again: they are kept beside the damaged file, and count
        store.append_bytes(data)
        assert contents(store)[0] == [*chunks, [RECORDS[1]]]


def test_a_file_above_the_limit_is_not_even_read(tmp_path: Path) -> None:
    path = ChunkStore(tmp_path).append(RECORDS)
    chunks, reported = contents(ChunkStore(tmp_path, Limits(file_bytes=100)))
    assert chunks == [] and "100 allowed" in reported[path]
    with pytest.raises(RecordError, match="games"):
        ChunkStore(tmp_path, Limits(games=1)).append(RECORDS)


def test_what_a_kill_leaves_behind_is_no_chunk(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path)
    path = store.append(RECORDS)
    half = tmp_path / f".{path.name.replace('00000000', '00000001')}.tmp"
    half.write_bytes(path.read_bytes()[:40])
    (tmp_path / "notes.txt").write_text("mine")
    assert contents(store) == ([RECORDS], {})
    store.append(RECORDS[:1])
    assert contents(store) == ([RECORDS, RECORDS[:1]], {})
    assert half.exists() and (tmp_path / "notes.txt").exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from tengen.files import write_durably
def deadly(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, sys.argv[2], deadly)
write_durably(Path(sys.argv[1]), b"new" * 1000)
"""


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
@pytest.mark.parametrize("at", ["fsync", "replace", "open"])
def test_a_kill_while_writing_leaves_the_old_or_the_new(tmp_path: Path, at: str) -> None:
    """Killed before the data are safe, before the rename, and before the folder is."""
    path = tmp_path / "file"
    write_durably(path, b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), at])
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == (b"new" * 1000 if at == "open" else b"old")
    write_durably(path, b"newer")
    for left in tmp_path.iterdir():
        os.utime(left, (0, 0))  # what is younger than a minute may be another machine's
    remove_leftovers(tmp_path)
    assert files(tmp_path) == {"file": b"newer"}


def test_writing_is_flushed_before_the_rename_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    fsync, rename = os.fsync, os.replace

    def seen_fsync(descriptor: int) -> None:
        steps.append(("fsync", Path(f"/proc/self/fd/{descriptor}").resolve().name))
        fsync(descriptor)

    def seen_replace(source: Path, target: Path) -> None:
        steps.append(("rename", Path(source).name))
        assert Path(source).read_bytes() == b"data"
        rename(source, target)

    monkeypatch.setattr(os, "fsync", seen_fsync)
    monkeypatch.setattr(os, "replace", seen_replace)
    write_durably(tmp_path / "file", b"data")
    kinds = [kind for kind, _ in steps]
    assert kinds == ["fsync", "rename", "fsync"]
    if sys.platform == "linux":
        draft, renamed, folder = (name for _, name in steps)
        assert draft == renamed and draft.startswith(f".file.{os.getpid()}-") and folder == tmp_path.name


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ChunkStore(tmp_path)
    store.append(RECORDS)
    before = files(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.append(RECORDS[:1])
    monkeypatch.undo()
    assert files(tmp_path) == before
    store.append(RECORDS[:1])
    assert contents(store) == ([RECORDS, RECORDS[:1]], {})
