"""Who may know whom: every Python import and every C++ include inside the project goes up the list, never down."""

import ast
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "src" / "tengen"
CPP = REPOSITORY / "cpp"

# The modules and folders of src/tengen in the order of their dependencies: each may import only those above it.
PYTHON_LAYERS = [
    "_core",
    "games",
    "retired",
    "config",
    "files",
    "interrupts",
    "serving",
    "preset",
    "kifu",
    "exact",
    "net",
    "search",
    "play",
    "records",
    "run",
    "hub",
    "train",
    "engine",
    "app",
    "bench",
    "cli",
    "__main__",
]
RANK = {module: rank for rank, module in enumerate(PYTHON_LAYERS)}

# What each room of the core may include besides itself, game.h and `base`.
CPP_MAY_INCLUDE: dict[str, set[str]] = {
    "base": set(),
    "games": set(),
    "proof": set(),
    "search": {"proof"},
    "selfplay": {"proof", "search"},
    "solve": {"games"},
    "erased": {"games", "proof", "search", "selfplay", "solve"},
    "bindings": {"games", "proof", "search", "selfplay", "solve", "erased"},
}
OUTSIDE = {"tests", "bench"}  # of the core: may include anything but nanobind


def part_of_python(file: Path) -> str | None:
    """The layer's module a file belongs to; None for the package's own __init__, the table of contents."""
    first = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return None if first == "__init__" else first


def python_imports(source: str, package: str) -> set[str]:
    """The project's modules that a source imports: {'games'} for `from tengen import games`, and so on."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                parents = package.split(".")
                module = ".".join([*parents[: len(parents) + 1 - node.level], *([module] if module else [])])
            names = [f"tengen.{alias.name}" for alias in node.names] if module == "tengen" else [module]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("tengen.")}
    return found


def python_allowed(importer: str, imported: str) -> bool:
    return RANK[imported] <= RANK[importer]


PYTHON_FILES = sorted(file for file in PACKAGE.rglob("*.py"))
CPP_FILES = sorted(file for file in CPP.rglob("*") if file.suffix in (".h", ".cpp"))


@pytest.mark.parametrize("file", PYTHON_FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_python_imports_go_up(file: Path) -> None:
    importer = part_of_python(file)
    if importer is None:
        return
    assert importer in RANK, f"{importer} has no layer yet: give it one in PYTHON_LAYERS"
    package = ".".join(["tengen", *file.relative_to(PACKAGE).parts[:-1]])
    for imported in python_imports(file.read_text(), package):
        if imported == "__version__":
            continue
        assert imported in RANK, f"{file.name} imports {imported}, which has no layer"
        assert python_allowed(importer, imported), f"{importer} must not import {imported}"


def part_of_cpp(path: str) -> str:
    """'games' for 'tengen/games/go.h'; the contract, 'tengen/game.h', is of 'base'."""
    parts = path.split("/")
    return parts[0] if parts[0] != "tengen" else parts[1] if len(parts) > 2 else "base"


def includes(source: str) -> list[str]:
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', source, re.MULTILINE)


def cpp_allowed(includer: str, included: str) -> bool:
    return included in {includer, "base"} or includer in OUTSIDE or included in CPP_MAY_INCLUDE[includer]


@pytest.mark.parametrize("file", CPP_FILES, ids=lambda file: str(file.relative_to(CPP)))
def test_cpp_includes_go_up(file: Path) -> None:
    includer = part_of_cpp(file.relative_to(CPP).as_posix())
    assert includer in CPP_MAY_INCLUDE or includer in OUTSIDE, f"{includer} has no layer yet"
    for path in includes(file.read_text()):
        if "nanobind" in path or path == "Python.h":
            assert includer == "bindings", "only cpp/bindings may know Python"
        elif path.startswith("tengen/"):
            assert (CPP / path).is_file(), f"{path} is not there"
            assert cpp_allowed(includer, part_of_cpp(path)), f"{includer} must not include {path}"
        elif (file.parent / path).is_file():
            assert includer in {"bindings", *OUTSIDE}, f"inside the core, write out the path of {path}"


def test_the_checks_can_fail() -> None:
    assert python_imports("from tengen import games, cli\nimport tengen.hub.local", "tengen") == {"games", "cli", "hub"}
    assert python_imports("from . import solve\nfrom ..games import make\nfrom .x import y", "tengen.cli") == {
        "cli",
        "games",
    }
    assert not python_allowed("games", "cli") and not python_allowed("records", "train")
    assert python_allowed("cli", "games")
    assert part_of_cpp("tengen/search/tree.h") == "search" and part_of_cpp("tengen/game.h") == "base"
    assert not cpp_allowed("games", "search") and not cpp_allowed("search", "games")
    assert not cpp_allowed("base", "games") and not cpp_allowed("solve", "erased")
    assert includes('#include <a.h>\n  # include "b/c.h"\n// #include "no.h"') == ["a.h", "b/c.h"]
