"""Runs are listed, renamed, tagged and deleted: whole or not at all, and nothing but runs."""

import shutil
from pathlib import Path

import pytest

from support.toldrun import write_told_run
from tengen.run.folder import RunDirectory, RunError
from tengen.run.journal import read_events
from tengen.run.shelf import RunBusy, delete_run, list_runs, read_tags, rename_run, write_tags

HOSTILE_NAMES = [
    *("", ".", "..", "../x", "a/b", "/tmp/x", "a\\b", ".hidden", "-rf", "a b", "a\n", "a\0b", "a\x1b[31m", "x" * 65),
    *("跑", "a\u202eb", "a\ud800", "caf\u00e9", "~", "a:b", "%2e%2e"),
]  # fmt: skip


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_list_leaves_out_what_is_no_run(tmp_path: Path) -> None:
    write_told_run(tmp_path / "one")
    write_told_run(tmp_path / "跑")
    for name in (".hidden", "a\x1b[31mb", "a\udcffb"):
        write_told_run(tmp_path / name)
    (tmp_path / "notes").mkdir()
    (tmp_path / "file").touch()
    assert list(list_runs(tmp_path)) == ["one", "跑"]
    assert list_runs(tmp_path / "missing") == {} == list_runs(tmp_path / "file")


def test_a_run_is_renamed_with_all_that_it_holds(tmp_path: Path) -> None:
    run = write_told_run(tmp_path / "one")
    before = contents(run.path)
    renamed = rename_run(run, "Two.2_b-c")
    assert renamed.path == tmp_path / "Two.2_b-c" and list(list_runs(tmp_path)) == ["Two.2_b-c"]
    assert contents(renamed.path) == before and not renamed.is_locked()
    assert read_events(renamed.database)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_are_refused_with_a_reason(tmp_path: Path, name: str) -> None:
    run = write_told_run(tmp_path / "runs" / "one")
    with pytest.raises(RunError, match="is not possible: a run's name has 1 to 64 letters"):
        rename_run(run, name)
    assert {path.name for path in tmp_path.rglob("*") if path.is_dir()} == {"runs", "one", "games", "networks"}


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    run, other = write_told_run(tmp_path / "one"), write_told_run(tmp_path / "two")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    before = contents(other.path)
    for name in ("one", "two", "empty", "file", "dangling"):
        with pytest.raises(RunBusy, match=f"there is {name} in"):
            rename_run(run, name)
    assert run.exists() and contents(other.path) == before and (tmp_path / "empty").is_dir()


def test_a_run_that_is_trained_is_left_alone(tmp_path: Path) -> None:
    run = write_told_run(tmp_path / "one")
    before = contents(run.path)
    with run.locked():
        for change in (lambda: rename_run(RunDirectory(run.path), "two"), lambda: delete_run(RunDirectory(run.path))):
            with pytest.raises(RunBusy, match="is being trained; pause it first"):
                change()
        write_tags(RunDirectory(run.path), ["baseline"])
    assert contents(run.path) == before | {"tags.json": b'["baseline"]'}


def test_one_that_begins_to_train_in_between_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_told_run(tmp_path / "one")
    monkeypatch.setattr(RunDirectory, "is_locked", lambda self: False)
    with run.locked(), pytest.raises(RunError, match="another process is training"):
        delete_run(RunDirectory(run.path))
    assert run.exists()


def test_a_deleted_run_is_gone_and_its_neighbours_are_not(tmp_path: Path) -> None:
    run, other = write_told_run(tmp_path / "one"), write_told_run(tmp_path / "two")
    outside = tmp_path / "outside.onnx"
    outside.write_bytes(b"precious")
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "game").touch()
    run.best.symlink_to(outside)
    shutil.rmtree(run.games)
    run.games.symlink_to(kept)
    before = contents(other.path)
    delete_run(run)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "outside.onnx", "two"]
    assert outside.read_bytes() == b"precious" and (kept / "game").exists() and contents(other.path) == before


def test_nothing_but_a_run_is_deleted(tmp_path: Path) -> None:
    elsewhere = write_told_run(tmp_path / "elsewhere" / "real")
    runs = tmp_path / "runs"
    runs.mkdir()
    link = runs / "link"
    link.symlink_to(elsewhere.path)
    strange = write_told_run(runs / "strange")
    strange.config_file.write_text("[tool.other]\nname = 'x'\n")
    full = write_told_run(runs / "full")
    (full.path / "thesis").mkdir()
    (runs / "notes").mkdir()
    above = RunDirectory(runs)
    above.config_file.write_bytes(elsewhere.config_file.read_bytes())
    before = contents(tmp_path)
    for path, reason in [
        (link, "is a link"),
        (strange.path, "run.toml"),
        (full.path, "holds the folder 'thesis', which no run makes"),
        (runs / "notes", "is not a run"),
        (runs / "missing", "is not a run"),
        (runs, "holds the folder 'full'"),
    ]:
        with pytest.raises(RunError, match=reason):
            delete_run(RunDirectory(path))
    with pytest.raises(RunError, match="is a link"):
        rename_run(RunDirectory(link), "other")
    assert contents(tmp_path) == before and link.is_symlink()


@pytest.mark.parametrize("call", range(1, 4))
def test_an_interrupted_deletion_leaves_no_part_of_a_run(
    tmp_path: Path, call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C at each step of the removal: nobody sees the run any more, and the next deletion removes the rest."""
    run, other = write_told_run(tmp_path / "one"), write_told_run(tmp_path / "two")
    (tmp_path / ".deleted-mine").mkdir()
    (tmp_path / ".deleted-0123456789abcdef").mkdir()
    (tmp_path / ".deleted-0123456789abcdef" / "mine").touch()  # was never a run
    unlink, calls = Path.unlink, 0

    def interrupted(path: Path, missing_ok: bool = False) -> None:
        nonlocal calls
        calls += path.parent.name.startswith(".deleted")
        if calls == call:
            raise KeyboardInterrupt
        unlink(path, missing_ok)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "unlink", interrupted)
        delete_run(run)
    assert list(list_runs(tmp_path)) == ["two"] and len(list(tmp_path.glob(".deleted-*/run.toml"))) == 1
    delete_run(other)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".deleted-0123456789abcdef", ".deleted-mine"]
    assert (tmp_path / ".deleted-0123456789abcdef" / "mine").exists()


def test_what_cannot_be_removed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_told_run(tmp_path / "one")

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(shutil, "rmtree", refuse)
    with pytest.raises(RunError, match=r"could not be removed from .*\.deleted-[0-9a-f]{16}: Permission denied"):
        delete_run(run)
    assert list_runs(tmp_path) == {}


def test_tags_are_replaced_and_survive(tmp_path: Path) -> None:
    run = write_told_run(tmp_path / "one")
    assert read_tags(run) == []
    assert write_tags(run, ["baseline", "大网络", "two words", "baseline"]) == ["baseline", "大网络", "two words"]
    assert read_tags(rename_run(run, "two")) == ["baseline", "大网络", "two words"]
    assert write_tags(RunDirectory(tmp_path / "two"), []) == []


@pytest.mark.parametrize("tag", ["", " a", "a ", "a,b", "a\nb", "a\x1b[31m", "a\u202eb", "x" * 33, "a\ud800"])
def test_hostile_tags_are_refused(tmp_path: Path, tag: str) -> None:
    run = write_told_run(tmp_path / "one")
    write_tags(run, ["kept"])
    with pytest.raises(RunError, match="is not possible: a tag has 1 to 32 characters"):
        write_tags(run, ["fine", tag])
    assert read_tags(run) == ["kept"]


def test_tags_are_bounded_and_damaged_ones_are_none(tmp_path: Path) -> None:
    run = write_told_run(tmp_path / "one")
    with pytest.raises(RunError, match="at most 16 tags, not 17"):
        write_tags(run, [str(number) for number in range(17)])
    for text in (b"[", b"{}", b"[1]", b'["a\\u001b"]', b"\xff", b"[" * 9000, b'["' + b"x" * 20000 + b'"]'):
        run.tags.write_bytes(text)
        assert read_tags(run) == []
    with pytest.raises(RunError, match="is not a run"):
        write_tags(RunDirectory(tmp_path), ["a"])
    assert not (tmp_path / "tags.json").exists()
