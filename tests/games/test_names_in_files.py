"""What is stored names a game and its fingerprint. Files and messages find only games that this process knows, and no
file or module is ever looked for."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.networks import make_test_network
from tengen import GameError, games
from tengen.cli import main
from tengen.games import Game, Rules
from tengen.net.file import NetworkError, NetworkFile
from tengen.net.tower.export import to_onnx

SOURCE = """
from pathlib import Path
from tengen.games import Rules

Path(__file__).with_suffix(".ran").touch()

class Nim(Rules):
    name, actions, rows, cols, most_plies = "file_nim", 3, 1, 1, 30
    inputs = ("matches",)
    version = {version}
    def start(self): return 21
    def legal(self, state): return range(min(3, state))
    def apply(self, state, action): return state - 1 - action
    def outcome(self, state): return None if state else -1
    def planes(self, state): return [[[state / 21]]]
"""


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "nim.py"
    path.write_text(SOURCE.format(version=1))
    yield path
    games.unregister("file_nim")


def registered(path: Path) -> Game:
    from tengen.games import sources

    return sources.load(str(path))


@pytest.mark.slow
def test_a_run_of_your_own_game_is_found_by_its_name_alone(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    command = ["train", str(source), "--steps", "3", "--run", str(run), "--size", "8x1"]
    assert main([*command, "--set", "loop.slots=8", "--set", "loop.turn_positions=64", "--set", "measure.games=2"]) == 0
    stored = b"".join(path.read_bytes() for path in run.rglob("*") if path.is_file())
    assert b"file_nim" in stored and str(source).encode() not in stored and b"nim.py" not in stored
    network = run / "current.onnx"
    games.unregister("file_nim")
    capsys.readouterr()

    source.with_suffix(".ran").unlink()
    player = f"net:{network}@10"
    assert main(["match", "connect4", player, "random", "--games", "2"]) == 2
    said = capsys.readouterr().err
    assert "file_nim" in said and "connect4" in said and said.count("\n") == 1
    assert main(["match", "file_nim", player, "random", "--games", "2"]) == 2
    assert "unknown game 'file_nim'" in capsys.readouterr().err
    main(["records", str(run)])  # a line for each file of games that cannot be read
    assert "unknown game 'file_nim'" in capsys.readouterr().err
    assert not source.with_suffix(".ran").exists()  # nothing that a file names was run

    assert main(["records", str(run), "--rules", str(source)]) == 0
    assert main(["match", str(source), player, "random", "--games", "2"]) == 0


def test_a_network_of_other_rules_of_the_same_name_is_refused(source: Path) -> None:
    file = to_onnx(make_test_network(registered(source), "8x1"), games.make("file_nim"))
    games.unregister("file_nim")
    source.write_text(SOURCE.format(version=2))
    changed = registered(source)
    path = source.with_suffix(".onnx")
    path.write_bytes(file.data)
    with pytest.raises(NetworkError, match=r"schema|rules|planes"):
        NetworkFile.load(path, changed)


def test_ids_are_never_taken_for_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("open('ran', 'w')")
    for id in ("./evil.py", "evil.py", "evil:Game", "os:system", "openspiel:breakthrough", "./evil.so"):
        with pytest.raises(GameError, match="unknown game"):
            games.make(id)
    assert not (tmp_path / "ran").exists()


def test_names_are_bounded() -> None:
    class Named(Rules):
        name = "Nim"
        actions, rows, cols = 1, 1, 1
        inputs = ("x",)

    for name in ("Nim", "", "a b", "../x", "x" * 65, "nim\n", "connect4\0", 7, None):
        rules = Named()
        rules.name = name  # type: ignore[assignment]
        with pytest.raises(GameError, match="name") as failure:
            games.register(rules)
        assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("./absent.py", "no file"),
        ("broken.py", "cannot be imported: SyntaxError"),
        ("raises.py", "cannot be imported: ValueError: no (raises.py, line 1)"),
        ("empty.py", "defines no class"),
        ("empty.py:Nim", "there is no Nim"),
        ("no.such.module:Nim", "cannot be imported: ModuleNotFoundError"),
        ("json:loads", "unknown game"),
        ("json.decoder:JSONDecoder", "no class that inherits"),
        ("empty.so", "shared library"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def (")
    (tmp_path / "raises.py").write_text("raise ValueError('no')")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "empty.so").write_text("")
    command = [sys.executable, "-m", "tengen", "train", text, "--minutes", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert reason in done.stderr
    assert not (tmp_path / "runs").exists()


def test_a_listing_names_registered_games(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--rules", str(source), "--json"]) == 0
    assert "file_nim" in {row["name"] for row in json.loads(capsys.readouterr().out)}


def test_installed_packages_offer_games_and_one_that_fails_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "nimpackage.py").write_text(SOURCE.format(version=1))
    (tmp_path / "nimpackage-1.dist-info").mkdir()
    (tmp_path / "nimpackage-1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: nimpackage\nVersion: 1\n"
    )
    offered = "[tengen.games]\nnim = nimpackage:Nim\nabsent = nimpackage:Absent\n"
    (tmp_path / "nimpackage-1.dist-info" / "entry_points.txt").write_text(offered)
    command = [sys.executable, "-m", "tengen", "analyze", "file_nim", "-", "--sims", "50", "--json"]
    surroundings = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1 and "left out: nimpackage:Absent: AttributeError" in done.stderr
    assert sum(move["visits"] for move in json.loads(done.stdout)["moves"]) == 50
