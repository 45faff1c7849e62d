"""A real client: Sabaki's own library plays and analyses. It is fetched from npm once per run of the tests."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from test_gtp_analyze import sabaki

PACKAGE = "@sabaki/gtp@3.0.0"
DRIVER = Path(__file__).parent / "gtp_sabaki.js"
PATIENCE = 120  # seconds

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the client saw."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("npm")
    install = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]
    try:
        subprocess.run(install, capture_output=True, timeout=60, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm cannot fetch {PACKAGE}: {type(error).__name__}")
    engine = [sys.executable, "-m", "tengen", "engine", "gtp", "go:9", "--player", "plain:200"]
    done = subprocess.run(
        [node, DRIVER, folder / "node_modules", *engine], capture_output=True, timeout=PATIENCE, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_knows_what_the_engine_can_do(seen: Any) -> None:
    assert seen["name"] == "Tengen"
    assert {"analyze", "genmove_analyze", "kata-analyze", "lz-analyze", "set_free_handicap"} <= set(seen["commands"])


def test_it_sets_up_positions_and_goes_back_in_them(seen: Any) -> None:
    assert (seen["board"].count("X"), seen["board"].count("O")) == (4, 1)
    assert (seen["changed"].count("X"), seen["changed"].count("O")) == (3, 2)


@pytest.mark.parametrize("name", ["analyze", "lz-analyze", "kata-analyze"])
def test_it_analyses(seen: Any, name: str) -> None:
    analysis = seen["analyses"][name]
    assert not analysis["error"] and len(analysis["lines"]) == 2
    assert all(("." in str(move["winrate"])) == (name == "kata-analyze") for move in sabaki(analysis["lines"][1]))


def test_it_watches_a_move(seen: Any) -> None:
    first, *reports, last = [line for line in seen["watched"] if line]
    assert first == "=" and last.startswith("play ")
    assert reports and all(sabaki(line) for line in reports)


def test_it_plays_a_whole_game(seen: Any) -> None:
    moves = seen["game"]["moves"]
    assert moves[-2:] == ["pass", "pass"] and len(moves) < 200
    assert seen["game"]["tracked"] == [move.upper() for move in moves]
    assert seen["game"]["score"][:2] in ("B+", "W+")
