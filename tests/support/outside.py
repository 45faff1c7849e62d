"""Other programs for tests: the scripted engine as a command, and lists of engines that name it."""

import json
import sys
from pathlib import Path

from tengen import games
from tengen.play.outside.limits import EngineLimits
from tengen.play.outside.opponent import Engine, OutsidePlayer

SCRIPT = str(Path(__file__).with_name("scriptedengine.py"))


def scripted_command(protocol: str, id: str, habit: str = "good", log: Path | None = None) -> list[str]:
    return [sys.executable, SCRIPT, protocol, id, habit, *([str(log)] if log else [])]


def write_engines(file: Path, id: str, *habits: str) -> None:
    """An engines.toml that names one engine per habit, after it; each logs beside it what it hears."""
    file.write_text("")
    for habit in habits:
        name = habit.replace(" ", "-")
        add_engine(file, name, scripted_command("gtp", id, habit, file.with_name(f"{name}.log")))


def add_engine(file: Path, name: str, command: list[str]) -> None:
    with file.open("a") as opened:
        opened.write(f'[{name}]\nprotocol = "gtp"\ncommand = {json.dumps(command)}\n')


def scripted(
    protocol: str, id: str, habit: str = "good", log: Path | None = None, slots: int = 1, **limits: float
) -> OutsidePlayer:
    command = tuple(scripted_command(protocol, id, habit, log))
    engine = Engine(protocol, command, EngineLimits(**limits))  # type: ignore[arg-type]
    return OutsidePlayer(f"{protocol}:{habit}", engine, games.make(id), slots)


def heard(log: Path) -> list[str]:
    return log.read_text().splitlines()


def is_there(pid: int) -> bool:
    """Zombies are gone: they only wait for whoever inherits them."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
