"""Runs side by side in a folder: their list, their names and tags, and how one is deleted.

A run is renamed or deleted only while nobody trains it: whoever does so holds its lock meanwhile.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from tengen.files import move_durably, write_durably
from tengen.run.folder import RunDirectory, RunError

__all__ = ["RUN_NAME", "RunBusy", "check_deletable", "delete_run", "list_runs", "read_tags", "rename_run", "write_tags"]

RUN_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"  # what a page or a command may call a run
NAME_RULE = "a run's name has 1 to 64 letters, digits, '.', '_' or '-' of ASCII and begins with a letter or digit"
MOST_TAGS, LONGEST_TAG = 16, 32
LARGEST_TAGS = 1 << 14  # bytes of tags.json
_GONE = re.compile(r"\.deleted-[0-9a-f]{16}")  # a deleted run that is being removed, or whose remover was killed


class RunBusy(RunError):
    """Somebody is in the way: a process that trains, or another run of that name."""


def list_runs(folder: Path) -> dict[str, RunDirectory]:
    """The runs in a folder, by name. Names that a terminal or a page cannot show are left out."""
    if not folder.is_dir():
        return {}
    names = (entry for entry in sorted(folder.iterdir()) if entry.name.isprintable() and entry.name[0] != ".")
    return {entry.name: run for entry in names if (run := RunDirectory(entry)).exists()}


def rename_run(run: RunDirectory, name: str) -> RunDirectory:
    """The run under its new name, beside where it was. Raises RunError."""
    if not re.fullmatch(RUN_NAME, name):
        raise RunError(f"{name!r} is not possible: {NAME_RULE}")
    path = _own_folder(run)
    target = path.with_name(name)
    if target.exists() or target.is_symlink():
        raise RunBusy(f"there is {name} in {path.parent} already")
    with _idle(run):
        _move(path, target)
    return RunDirectory(target)


def delete_run(run: RunDirectory) -> None:
    """Deletes a run's folder with all that it holds. Raises RunError.

    The folder is moved to a hidden name first, in one step, so that nobody ever sees a part of a run. Then it is
    removed, `run.toml` last. What a kill or Ctrl-C leaves of it is removed with the next run that is deleted there.
    """
    check_deletable(run)
    path = _own_folder(run)
    gone = path.with_name(f".deleted-{secrets.token_hex(8)}")
    with _idle(run):
        _move(path, gone)
        try:
            _remove(gone)
        except OSError as error:
            why = error.strerror or error
            raise RunError(f"{path} is deleted, but some of it could not be removed from {gone}: {why}") from None
    _remove_rests(path.parent)


def check_deletable(run: RunDirectory) -> None:
    """Nothing but a run is ever deleted. Raises RunError."""
    _own_folder(run)
    run.config()
    own = {run.games, run.networks, run.tensorboard, run.releases}
    if others := sorted(entry.name for entry in run.path.iterdir() if entry.is_dir() and entry not in own):
        raise RunError(f"{run.path} holds the folder {others[0]!r}, which no run makes; move it away first")
    if run.is_locked():
        raise RunBusy(f"{run.path} is being trained; pause it first")


def read_tags(run: RunDirectory) -> list[str]:
    """A person's words on a run; none if its file cannot be read."""
    try:
        if run.tags.stat().st_size > LARGEST_TAGS:
            return []
        return _checked_tags(msgspec.json.decode(run.tags.read_bytes(), type=list[str]))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RunError):
        return []


def write_tags(run: RunDirectory, tags: Sequence[str]) -> list[str]:
    """Replaces the tags of a run, whether it is being trained or not. Raises RunError."""
    if not run.exists():
        raise RunError(f"{run.path} is not a run of tengen train (it has no run.toml)")
    checked = _checked_tags(tags)
    try:
        write_durably(run.tags, msgspec.json.encode(checked))
    except OSError as error:
        raise RunError(f"{run.tags}: {error.strerror}") from None
    return checked


def _checked_tags(tags: Sequence[str]) -> list[str]:
    for tag in tags:
        if not (0 < len(tag) <= LONGEST_TAG and tag.isprintable() and tag == tag.strip() and "," not in tag):
            raise RunError(f"{tag!r} is not possible: a tag has 1 to {LONGEST_TAG} characters, but no commas")
    unique = list(dict.fromkeys(tags))
    if len(unique) > MOST_TAGS:
        raise RunError(f"a run has at most {MOST_TAGS} tags, not {len(unique)}")
    return unique


def _own_folder(run: RunDirectory) -> Path:
    """Where the run itself is. Raises RunError."""
    if run.path.is_symlink():
        raise RunError(f"{run.path} is a link; rename or delete the run where it is, or the link by hand")
    if not run.exists():
        raise RunError(f"{run.path} is not a run of tengen train (it has no run.toml)")
    return run.path.resolve()


@contextmanager
def _idle(run: RunDirectory) -> Iterator[None]:
    if run.is_locked():
        raise RunBusy(f"{run.path} is being trained; pause it first")
    with run.locked():
        yield


def _move(path: Path, target: Path) -> None:
    try:
        move_durably(path, target)
    except OSError as error:
        raise RunError(f"cannot move {path}: {error.strerror or error}") from None


def _remove(folder: Path) -> None:
    """What others know it by goes last: while `lock` is held nobody else removes it, and what has `run.toml` was a run.
    Links are removed, never followed."""
    last = [folder / "lock", folder / "run.toml"]
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry not in last:
            entry.unlink(missing_ok=True)
    for entry in last:
        entry.unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        folder.rmdir()


def _remove_rests(folder: Path) -> None:
    for entry in folder.iterdir():
        if not _GONE.fullmatch(entry.name) or entry.is_symlink() or not entry.is_dir():
            continue
        rest = RunDirectory(entry)
        with suppress(OSError):
            if not rest.exists():
                entry.rmdir()  # only if it is empty
            elif not rest.is_locked():
                _remove(entry)
