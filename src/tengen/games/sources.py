"""What a person may type for a game of one's own: a file, a class, an OpenSpiel game, a shared library.

Only what is typed here is ever imported or loaded: on the command line (where a verb takes a game, and `--rules`), or
what an installed package offers through the entry-point group `tengen.games`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from tengen._core import Game, GameError
from tengen.games.register import register
from tengen.games.rules import Rules

__all__ = ["GROUP", "find", "is_source", "load", "load_installed"]

GROUP = "tengen.games"
LIBRARIES = (".so", ".dylib", ".dll")


def is_source(text: str) -> bool:
    """Is it a text for `load`, and no id?

    >>> is_source("./nim.py"), is_source("package.nim:Nim"), is_source("go:9,komi=7"), is_source("openspiel:y")
    (True, True, False, True)
    """
    path, _, name = text.rpartition(":")
    return (
        text.endswith((".py", *LIBRARIES))
        or text.startswith("openspiel:")
        or ((path.endswith(".py") or "." in path) and name.isidentifier())
    )


def load(text: str) -> Game:
    """Registers the game that a text names: `./nim.py`, `./nim.py:Nim`, `package.module:Class`, `./game.so`,
    `openspiel:breakthrough(rows=6,columns=6)`. Raises GameError."""
    return register(find(text))


def find(text: str) -> Rules:
    """The rules that such a text names. Raises GameError."""
    if text.startswith("openspiel:"):
        from tengen.games import openspiel

        return openspiel.parse(text)
    if text.endswith(LIBRARIES):
        from tengen.games.library import SharedLibrary

        return SharedLibrary(text)
    if text.endswith(".py"):
        return _made(_from_file(Path(text)), None, text)
    module, _, name = text.rpartition(":")
    found = _from_file(Path(module)) if module.endswith(".py") else _imported(module)
    return _made(found, name, text)


_installed = set[str]()


def installed() -> frozenset[str]:
    """The ids of what installed packages offer."""
    return frozenset(_installed)


def load_installed() -> list[str]:
    """Registers what installed packages offer; what fails is told, a line each, and left out."""
    failures = []
    for point in entry_points(group=GROUP):
        try:
            _installed.add(register(_object(point.load(), point.value)).id)
        except GameError as error:
            failures.append(f"{point.value}: {error}")
        except Exception as error:  # a package's own code
            failures.append(f"{point.value}: {_where(error)}")
    return failures


def _from_file(path: Path) -> ModuleType:
    """A file is imported under its own name, so that what it registers is the same however it is found."""
    if not path.is_file():
        raise GameError(f"there is no file {path}")
    name = f"tengen_rules_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise GameError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)  # it may import what lies beside it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise GameError(f"{path} cannot be imported: {_where(error)}") from None
    finally:
        sys.path.remove(folder)
    return module


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise GameError(f"{name} cannot be imported: {_where(error)}") from None


def _made(module: ModuleType, name: str | None, text: str) -> Rules:
    """The class of that name; without one, the only class of rules that the file itself defines."""
    if name is not None:
        if not hasattr(module, name):
            raise GameError(f"{text}: there is no {name}")
        return _object(getattr(module, name), text)
    own = [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Rules) and each.__module__ == module.__name__
    ]
    if len(own) != 1:
        names = ", ".join(each.__name__ for each in own)
        raise GameError(
            f"{text} defines {names}: name one of them, such as {text}:{own[0].__name__}"
            if own
            else f"{text} defines no class that inherits tengen.games.Rules"
        )
    return _object(own[0], text)


def _object(found: object, text: str) -> Rules:
    if isinstance(found, type) and issubclass(found, Rules):
        try:
            found = found()
        except GameError:
            raise
        except Exception as error:
            raise GameError(f"{text} cannot be made: {_where(error)}") from None
    if not isinstance(found, Rules):
        raise GameError(f"{text} is no class that inherits tengen.games.Rules")
    return found


def _where(error: Exception) -> str:
    """What went wrong and where, in one line: the last place in the traceback, or in the text of the file."""
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    if isinstance(error, SyntaxError):
        return said
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{said} ({Path(frame.filename).name}, line {frame.lineno})"
