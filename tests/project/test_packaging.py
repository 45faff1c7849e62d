"""What is shipped: the source archive holds what a build needs, and the wheel built from it works on its own."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

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


@pytest.mark.fuzz  # compiles everything once more
def test_a_wheel_from_the_source_archive_works_on_its_own(sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    wheel = build("wheel", source, tmp_path / "wheel")

    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        package = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*") if is_shipped(path)}
        assert package - names == set()
        assert [name for name in names if name.startswith("tengen/_core.") and name.endswith(".so")]

    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    # numpy and rich are borrowed from this environment, after the wheel's own files in the search order.
    borrowed = os.environ | {"PYTHONPATH": "", "BORROWED": sysconfig.get_path("purelib")}
    script = (
        "import os, sys; sys.path.append(os.environ['BORROWED']); from tengen import cli, _core; print(_core.__file__)"
    )
    script += "; sys.exit(cli.main(['games']))"
    done = subprocess.run(
        [python, "-c", script], env=borrowed, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(str(tmp_path / "venv"))
    assert "connect4" in done.stdout
    help_text = subprocess.run(
        [tmp_path / "venv" / "bin" / "tengen", "--help"], capture_output=True, text=True, check=True
    )
    assert "VERB" in help_text.stdout
