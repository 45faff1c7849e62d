"""KaTrain itself, on a screen that nobody sees: it loads a game, has it analysed whole and shows win rates."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.soak

SGF = """(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese]PB[a]PW[b];B[ee];W[gc];B[cg];W[gg];B[cc];W[ce];B[de];W[cf];B[df];W[bg]
;B[dg];W[ch];B[dh];W[bc];B[bb];W[cd];B[dc];W[gf];B[fb];W[];B[])"""
VISITS = 60
# Runs inside KaTrain: looks at its game until every node is analysed, then ponders for a while, then tells.
DRIVER = """
import json, sys, time
import katrain.__main__ as katrain
from kivy.app import App
from kivy.clock import Clock
from kivy.core.window import Window

begun, told = time.time(), {}

def look(_):
    gui = App.get_running_app().gui
    game = gui and gui.game
    nodes = game.root.nodes_in_tree if game else []
    if time.time() - begun > 60:
        end("timeout")
    elif "nodes" not in told:
        if len(nodes) > 1 and all(node.analysis_complete for node in nodes):
            told["nodes"] = [
                {"winrate": node.winrate, "score": node.score, "visits": node.root_visits, "policy": node.policy,
                 "ownership": node.ownership, "moves": node.candidate_moves, "depth": node.depth} for node in nodes]
            game.set_current_node(nodes[10])
            nodes[10].analyze(gui.engine, find_alternatives=True)
            gui.pondering = True
            gui.update_state(redraw_board=True)
    elif "pondered" not in told:
        if nodes[10].root_visits > 1000:
            told["pondered"] = nodes[10].root_visits
            gui.pondering = False
            gui.update_state(redraw_board=True)
    elif gui.engine.is_idle():
        told["shown"] = [label.text for label in gui.walk(restrict=True) if "%" in getattr(label, "text", "")]
        told["picture"] = Window.screenshot(name=sys.argv[3])
        end("done")

def end(how):
    print("TOLD " + json.dumps(told | {"end": how}), flush=True)
    App.get_running_app().stop()

Clock.schedule_interval(look, 0.3)
katrain.run_app()
"""


@pytest.fixture(scope="module")
def katrain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with KaTrain."""
    if shutil.which("xvfb-run") is None:
        pytest.skip("there is no xvfb-run (Debian's xvfb)")
    folder = tmp_path_factory.mktemp("katrain")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip: list[str | Path] = [
        folder / "bin" / "python",
        "-m",
        "pip",
        "install",
        "-q",
        "--only-binary",
        ":all:",
        "katrain==1.20.*",
    ]
    done = subprocess.run(pip, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        pytest.skip(f"KaTrain cannot be installed: {done.stderr.strip().splitlines()[-1][:200]}")
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def told(katrain: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("home")
    source = "import json, katrain, pathlib as p; print((p.Path(katrain.__file__).parent / 'config.json').read_text())"
    config = json.loads(subprocess.run([katrain, "-c", source], capture_output=True, check=True).stdout)
    command = f'"{sys.executable}" -m tengen engine analysis go:9 --player plain:200'
    config["engine"] |= {"backend": "custom", "altcommand": command, "fast_visits": VISITS, "max_visits": VISITS}
    config["general"]["debug_level"] = 1
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "game.sgf").write_text(SGF)
    (folder / "driver.py").write_text(DRIVER)
    screen: list[str | Path] = ["xvfb-run", "-a", "-s", "-screen 0 1280x900x24"]
    done = subprocess.run(
        [*screen, katrain, "driver.py", "config.json", "game.sgf", str(folder / "shown.png")],
        cwd=folder, env=os.environ | {"HOME": str(folder)}, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("TOLD ")] or pytest.fail(
        done.stdout[-3000:]
    )
    result: dict[str, Any] = json.loads(line.removeprefix("TOLD "))
    assert result["end"] == "done", done.stdout[-3000:]
    assert "ERROR" not in done.stdout  # as KaTrain logs what it did not expect
    return result


def test_every_position_of_the_game_is_analysed(told: dict[str, Any]) -> None:
    *nodes, last = told["nodes"]
    assert len(nodes) == 21
    for node in nodes:
        assert node["visits"] >= VISITS and 0 <= node["winrate"] <= 1 and node["moves"]
        assert len(node["policy"]) == 82 and len(node["ownership"]) == 81
        assert {"pointsLost", "winrateLost", "scoreLead", "pv"} <= node["moves"][0].keys()
    assert last["winrate"] in (0, 1) and last["score"] != 0  # two passes: the rules have counted


def test_win_rates_are_shown_and_pondering_ends(told: dict[str, Any]) -> None:
    assert told["shown"] and told["pondered"] > 1000
    assert Path(told["picture"]).stat().st_size > 10_000
