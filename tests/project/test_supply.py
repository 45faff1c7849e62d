"""What others wrote: only locked files are installed, the page comes from its sources, and licences are shipped."""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "tengen" / "app" / "static"
WEB = ROOT / "web"
PAGE_SOURCES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")


def locked() -> dict[str, list[str]]:
    """Every pinned package, `name==version`, with its hashes."""
    text = (ROOT / "constraints.txt").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {line.split()[0]: re.findall(r"--hash=sha256:([0-9a-f]{64})\b", line) for line in lines}


def commands(target: str) -> str:
    """What make would run to build a target from nothing."""
    done = subprocess.run(["make", "-n", "-B", target], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_every_package_but_torch_is_locked_with_hashes() -> None:
    packages = locked()
    assert [pin for pin, hashes in packages.items() if not hashes] == ["torch==2.13.0"]

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["build-system"]["requires"] + project["project"]["dependencies"]
    wanted += [line for lines in project["project"]["optional-dependencies"].values() for line in lines]
    names = {normal(pin.partition("==")[0]) for pin in packages}
    assert {normal(re.split(r"[><=; ]", line)[0]) for line in wanted} | {"pip"} <= names
    assert "://" not in (ROOT / "constraints.txt").read_text()  # any index will do: the hashes decide


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_make_asks_for_a_hash_of_all_it_installs_but_torch() -> None:
    lines = [line for target in ("setup", ".venv/.bench") for line in commands(target).splitlines()]
    installs = [line for line in lines if " pip install " in line]
    unchecked = {line.partition(" install ")[2] for line in installs if "--require-hashes" not in line}
    itself = "--quiet --no-deps --no-build-isolation -e ."
    assert unchecked == {"--quiet --no-require-hashes -c constraints.txt torch", itself}


def test_make_run_installs_nothing_of_the_tests() -> None:
    def extras(target: str) -> set[str]:
        return {name for names in re.findall(r'REQUIREMENTS" ([a-z ]+) \|', commands(target)) for name in names.split()}

    assert extras("run") == {"compile", "train", "perfect"}
    assert extras("test") == extras("run") | {"dev", "jit", "openspiel", "ray"}


@pytest.mark.parametrize(
    ("lock", "reason"),
    [
        ("thing==1.0 --hash=sha256:{hash}", None),
        ("thing==1.0 --hash=sha256:" + "0" * 64, "DO NOT MATCH THE HASHES"),
        ("other==1.0 --hash=sha256:{hash}", "pinned with =="),
    ],
    ids=["locked", "changed", "not-locked"],
)
def test_pip_refuses_what_was_not_locked(lock: str, reason: str | None, tmp_path: Path) -> None:
    wheel = tmp_path / "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("thing-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n")
        archive.writestr("thing-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("thing-1.0.dist-info/RECORD", "")
    constraints = tmp_path / "constraints.txt"
    constraints.write_text(lock.format(hash=hashlib.sha256(wheel.read_bytes()).hexdigest()))
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--find-links", str(tmp_path), "--dry-run"]
    done = subprocess.run(
        [*pip, "--require-hashes", "-c", str(constraints), "thing>=1"], capture_output=True, text=True
    )
    assert (done.returncode == 0) == (reason is None), done.stderr
    assert reason is None or reason in done.stderr


def test_the_packages_of_the_page_are_locked_with_hashes() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert not [name for name, entry in packages.items() if "resolved" in entry]  # any registry will do
    # Some builds of the tools for other systems could not be had; they are never part of the page.
    without = {name: entry for name, entry in packages.items() if not entry.get("integrity", "").startswith("sha512-")}
    assert not [name for name, entry in without.items() if not (entry.get("optional") and entry.get("dev"))]
    assert not [name for name in without if re.search(r"linux-(x64|arm64)", name)]
    install = commands("web/node_modules/.package-lock.json")
    assert "npm ci" in install
    assert "npm install" not in install


def test_the_page_is_built_from_its_sources() -> None:
    """`make web` lists the hashes of what it read and of what it wrote; `make web-check` builds again and compares."""
    lines = (WEB / "built.sha256").read_text().splitlines()
    built = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    files = [WEB / name for name in PAGE_SOURCES]
    files += [path for folder in (WEB / "src", STATIC) for path in folder.rglob("*") if path.is_file()]
    now = {path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    changed = sorted(name for name in built.keys() | now.keys() if built.get(name) != now.get(name))
    assert not changed, "run `make web` and commit what it built"


def test_licences_of_what_is_bundled_are_shipped() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text())
    page = {name.removeprefix("node_modules/"): entry for name, entry in lock["packages"].items() if name}
    text = (STATIC / "licenses.md").read_text()
    for name, entry in page.items():
        if not entry.get("dev"):
            assert f"## {name} - {entry['version']} ({entry['license']})" in text

    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
    nanobind = distribution("nanobind")
    licence = nanobind.read_text("licenses/LICENSE")
    assert licence is not None
    assert licence.strip() in notices
    header = Path(str(nanobind.locate_file("nanobind/ext/robin_map/include/tsl/robin_map.h"))).read_text()
    comment = header[: header.index("*/")].splitlines()[1:]
    assert "\n".join(line.removeprefix(" *").removeprefix(" ") for line in comment).strip() in notices


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_a_reader_finds_how_to_report_a_vulnerability(name: str) -> None:
    assert "](SECURITY.md)" in (ROOT / name).read_text()
    assert "## Report a vulnerability" in (ROOT / "SECURITY.md").read_text()
