"""Files that survive a kill or a power cut: whole, or not there at all."""

import os
from collections.abc import Sequence
from pathlib import Path

__all__ = ["move_all_durably", "move_durably", "write_durably"]


def write_durably(path: Path, data: bytes) -> None:
    """Writes a file so that at every moment `path` holds its old content or the new, never a part of it.

    Temporary file in the same folder → flush → fsync → rename → fsync the folder. A kill may leave the temporary file
    behind: its name starts with a dot, and the next write of the same path replaces it.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:  # a full disk should not get fuller by our leavings, nor Ctrl-C leave any
        temporary.unlink(missing_ok=True)
        raise
    _fsync_folder(path.parent)


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
