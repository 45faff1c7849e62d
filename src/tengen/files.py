"""Files that survive a kill or a power cut: whole, or not there at all. Several processes may write the same one."""

import os
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["exclusive", "move_all_durably", "move_durably", "remove_leftovers", "try_lock", "write_durably"]

_DRAFT = re.compile(r"\..+?(?:\.(\d+)-[0-9a-f]{8})?\.tmp", re.DOTALL)  # of write_durably, with the writer's process
LEFTOVER_SECONDS = 60.0  # a younger draft may be another machine's, whose processes are not to be seen from here


def write_durably(path: Path, data: bytes) -> None:
    """Writes a file so that at every moment `path` holds its old content or the new, never a part of it.

    Temporary file in the same folder → flush → fsync → rename → fsync the folder. No two writers share a temporary
    file: of two at once the later rename wins, whole. A kill may leave one behind, for `remove_leftovers`.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:  # a full disk should not get fuller by our leavings, nor Ctrl-C leave any
        temporary.unlink(missing_ok=True)
        raise
    _fsync_folder(path.parent)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Keeps others who ask for the same from a file while it is read, changed and written. Waits for its turn; the
    system lets go however the process ends.

    What is locked is a file beside it, because writing replaces the file itself. It stays there: if it were removed,
    one who waits for it and one who comes later would hold two different ones.
    """
    import fcntl  # systems without it can still write files

    descriptor = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def try_lock(descriptor: int, shared: bool = False) -> bool:
    """Locks an open file unless another process holds it. The lock ends with the descriptor, or with the process.

    Systems without such locks (Windows) let everybody in: two trainings in one folder are not noticed there.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_leftovers(folder: Path) -> None:
    """Removes what writers that were killed left behind. To be called by one who may write there."""
    with suppress(FileNotFoundError):
        for path in folder.iterdir():
            draft = _DRAFT.fullmatch(path.name)
            if draft is None or (draft[1] and _alive(int(draft[1]))):
                continue
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > LEFTOVER_SECONDS:
                    path.unlink()


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def move_durably(path: Path, target: Path) -> None:
    """Moves a file into another folder, which is made if need be."""
    target.parent.mkdir(parents=True, exist_ok=True)
    path.replace(target)
    _fsync_folder(target.parent)
    _fsync_folder(path.parent)


def move_all_durably(paths: Sequence[Path], folder: Path) -> None:
    """Moves files of one folder into another, which is made if need be. Folders reach the disk once, not per file."""
    if not paths:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        path.replace(folder / path.name)
    _fsync_folder(folder)
    _fsync_folder(paths[0].parent)


def _fsync_folder(folder: Path) -> None:
    """Makes a rename last; systems that cannot open a folder (Windows) have no such step."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
