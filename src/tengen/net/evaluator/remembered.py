"""What was measured of networks on this machine: a small file in the user's cache folder, which may be deleted.

Nothing in it is trusted: a file that is damaged, too large or another program's is as good as none and is replaced;
what was measured on another machine, with other packages or for another network is not used.
"""

import contextlib
import hashlib
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import msgspec

from tengen.files import write_durably
from tengen.games import Game
from tengen.net.cpu import cpu_info, usable_cores
from tengen.net.file import NetworkFile

VARIABLE = "TENGEN_CACHE"  # a folder to use instead of the user's
PACKAGES = ("openvino", "onnxruntime", "torch")
LARGEST = 1 << 16  # bytes of the file
MOST = 50  # choices; the oldest are forgotten

_Text = Annotated[str, msgspec.Meta(max_length=200)]
_Speed = Annotated[float, msgspec.Meta(gt=0)]


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How fast each backend ran networks of one shape, and which of them runs them from now on."""

    machine: _Text
    packages: _Text
    network: _Text
    backend: _Text
    speeds: dict[_Text, _Speed]  # positions per second of processor time


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: Annotated[int, msgspec.Meta(ge=1, le=1)]
    choices: list[Choice]


_here: dict[tuple[str, str, str], Choice] = {}  # of this process, should the file not be writable


def cache_file() -> Path:
    if named := os.environ.get(VARIABLE):
        return Path(named) / "backends.json"
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "tengen" / "backends.json"


def machine() -> str:
    """Names the processor; virtual ones often have the same name and different instructions."""
    info = cpu_info()
    name = info.get("model name") or platform.processor() or platform.machine()
    flags = info.get("flags") or info.get("Features") or ""
    return f"{name[:80]} ({usable_cores()} cores, {hashlib.sha256(flags.encode()).hexdigest()[:8]})"


def packages() -> str:
    found = []
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found)


def network_text(file: NetworkFile, game: Game, threads: int) -> str:
    """The shape that a network's speed depends on."""
    planes, rows, cols = game.planes_shape
    return f"{file.size} {file.precision}, {planes} planes of {rows}x{cols}, {threads or usable_cores()} threads"


def recall(network: str) -> Choice | None:
    """What was chosen for networks of this shape on this machine."""
    if not (_here or cache_file().exists()):
        return None  # as at most starts: nothing is asked of the packages
    key = (machine(), packages(), network)
    return next((choice for choice in [*_here.values(), *_read()] if _key(choice) == key), None)


def recall_all() -> list[Choice]:
    """Everything that was chosen on this machine with these packages."""
    key = (machine(), packages())
    return [choice for choice in _read() if _key(choice)[:2] == key]


def remember(network: str, backend: str, speeds: dict[str, float]) -> None:
    """Without complaint where nothing can be written: it is measured again then."""
    choice = Choice(machine(), packages(), network, backend, speeds)
    _here[_key(choice)] = choice
    others = [each for each in _read() if _key(each) != _key(choice)]
    file = cache_file()
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        data = msgspec.json.encode(_File(1, [*others, choice][-MOST:]))
        write_durably(file, msgspec.json.format(data))


def _key(choice: Choice) -> tuple[str, str, str]:
    return choice.machine, choice.packages, choice.network


def _read() -> list[Choice]:
    try:
        with cache_file().open("rb") as file:
            data = file.read(LARGEST + 1)
        return [] if len(data) > LARGEST else msgspec.json.decode(data, type=_File).choices
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []
