"""Other programs for tests: the scripted engine as a command, and lists of engines that name it."""

import json
import sys
from pathlib import Path

SCRIPT = str(Path(__file__).with_name("scriptedengine.py"))


def scripted_command(protocol: str, id: str, habit: str = "good", log: Path | None = None) -> list[str]:
    return [sys.executable, SCRIPT, protocol, id, habit, *([str(log)] if log else [])]


def write_engines(file: Path, id: str, *habits: str) -> None:
    """An engines.toml that names one engine per habit, after it."""
    tables = (
        f'[{habit}]\nprotocol = "gtp"\ncommand = {json.dumps(scripted_command("gtp", id, habit))}\n' for habit in habits
    )
    file.write_text("\n".join(tables))
