"""`tengen check`: what it prints, what it refuses, and that nothing is left behind."""

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from support.examples import EXAMPLES
from tengen import games
from tengen.cli import main
from tengen.cli.planes import planes_picture, planes_text
from tengen.games import unregister
from tengen.games.laws import LAWS

GOOD = EXAMPLES / "breakthrough.py"
NIM = """
from tengen.games import Rules

class Nim(Rules):
    name, actions, rows, cols, most_plies = "check_nim", 3, 1, 1, 21
    inputs = ("matches left / 21",)

    def start(self):                 return 21
    def legal(self, state):          return range(min(3, state))
    def apply(self, state, action):  return state - 1 - action
    def outcome(self, state):        return None if state else -1
    def planes(self, state):         return [[[state / 21]]]
"""


@pytest.fixture(autouse=True)
def _nothing_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("tengen.cli.check.LAW_SECONDS", 0.3)
    before = set(games.names())
    yield
    for name in set(games.names()) - before:
        unregister(name)


def written(folder: Path, old: str = "", new: str = "") -> str:
    """The file of a game, with something in it replaced."""
    assert old in NIM
    file = folder / "nim.py"
    file.write_text(NIM.replace(old, new) if old else NIM)
    return str(file)


def test_a_good_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "planes.svg"
    assert main(["check", str(GOOD), "--no-training", "--svg", str(picture)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [line.split()[1] for line in out.splitlines() if "✓" in line] == [
        law for law in LAWS if law not in ("hash", "score")
    ]
    assert "✗" not in out and "!" not in out
    assert "simulations per second" in out and "own pawns     opponent's pawns" in out
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_a_list_of_numbers_is_no_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path), "--no-training"]) == 0
    assert "everywhere: matches left / 21" in capsys.readouterr().out


def test_everything_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path), "--no-training", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["broken"] is None and "legal" in report["laws"]
    assert set(report["microseconds"]) == {"apply", "legal", "outcome", "planes"}
    assert 7 <= report["plies"]["least"] <= report["plies"]["most"] <= 21
    assert np.shape(report["planes"]["numbers"]) == (1, 1, 1)


@pytest.mark.slow
def test_a_trial_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path), "--minutes", "0.05", "--json"]) == 0
    training = json.loads(capsys.readouterr().out)["training"]
    assert training["verdict"] in ("learning", "stalled", "too early to say")
    assert any("against random play" in note for note in training["notes"])
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".py"] in ([], ["__pycache__"])


BAD = [
    ("legal", "range(min(3, state))", "[2, 1]", "gives 1 after 2; actions must be ascending; at the start"),
    ("legal", "range(min(3, state))", "[state // 0]", "ZeroDivisionError"),
    ("legal", "range(min(3, state))", "range(4)", "gives 3, but actions are 0 … 2"),
    ("outcome", "None if state else -1", "None if state else 3", "gives 3, not None, 1, 0 or -1"),
    ("planes", "[[[state / 21]]]", "[[state / 21]]", "gives 1 × 1, not 1 × 1 × 1"),
    ("planes", "[[[state / 21]]]", "[[[float('nan')]]]", "NaN or infinity in plane 0 (matches left / 21)"),
    ("end", "return state - 1 - action", "return state", "goes on after most_plies = 21 plies"),
    ("facts", '"check_nim"', '"Nim!"', "name is 'Nim!'"),
    ("facts", "actions, rows", "moves, rows", "the class has no actions"),
]


@pytest.mark.parametrize(("law", "old", "new", "words"), BAD)
def test_bad_rules_are_one_line(
    law: str, old: str, new: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = written(tmp_path, old, new)
    assert main(["check", source]) == 2
    out, err = capsys.readouterr()
    assert err.startswith(f"tengen check: {source} breaks the law of {law}: ") and err.count("\n") == 1
    assert words in err
    assert out.splitlines()[-1].split()[:2] == ["✗", law]
    assert "check_nim" not in games.names()


def test_a_broken_law_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path, "range(min(3, state))", "[state // 0]")
    assert main(["check", source, "--json"]) == 2
    out, err = capsys.readouterr()
    broken = json.loads(out)["broken"]
    assert broken["law"] == "legal" and broken["actions"] == [] and broken["place"] == "nim.py:9"
    assert "nim.py:9" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("./nowhere.py", "there is no file nowhere.py"),
        ("no.such.module:Game", "cannot be imported"),
        ("openspiel:kuhn_poker", "kuhn_poker"),
        ("openspiel:backgammon", "backgammon"),
        ("nim", "nim"),
    ],
)
def test_what_is_no_game_is_one_line(text: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    if text.startswith("openspiel:"):
        pytest.importorskip("pyspiel")
    assert main(["check", text]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("import nothing_of_that_name", "ModuleNotFoundError"),
        ("def broken(:", "SyntaxError"),
        ("x = 1", "defines no class"),
        (NIM + NIM.replace("class Nim", "class Other"), "name one of them"),
        (NIM.replace("check_nim", "connect4"), "connect4"),
    ],
)
def test_a_file_without_a_game_is_one_line(
    content: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.py"
    file.write_text(content)
    assert main(["check", str(file), "--no-training"]) == 2
    err = capsys.readouterr().err
    assert words in err and err.count("\n") == 1


def test_a_built_in_game_is_tested_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "othello:6"]) == 0
    assert "built in" in capsys.readouterr().out


def test_bad_rules_do_not_begin_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    source = written(tmp_path, "None if state else -1", "None if state else 3")
    assert main(["train", source, "--run", str(folder), "--minutes", "0.01"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "check_nim" in err
    assert not folder.exists()


def test_planes_stand_beside_each_other_where_there_is_room() -> None:
    planes = np.zeros((3, 2, 2), np.float32)
    planes[0, 0, 0], planes[1, 1, 1], planes[2] = 1, 0.25, 0.5
    assert planes_text(["a", "long name", "even"], planes).splitlines() == [
        "a     long name",
        "1 ·      ·    ·",
        "· ·      · 0.25",
        "",
        "0.5 everywhere: even",
    ]
    assert planes_text(["a", "long name", "even"], planes, width=10).splitlines()[3:5] == ["", "long name"]


def test_the_picture_says_what_it_shows() -> None:
    planes = np.full((2, 3, 3), 0.5, np.float32)
    picture = planes_picture("A & B", ["<own>", "x" * 100], planes)
    root = ElementTree.fromstring(picture)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert texts[:2] == ["A & B", "<own>"] and "x" * 100 in texts and texts.count("0.5") == 18
    assert picture.count("x" * 100) == 1  # what is too long for the picture is there to be pointed at
