"""`tengen compare`, `tengen runs` and `tengen status --csv`: what they print, draw and refuse."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from support.toldrun import events_of_a_run, write_told_run
from tengen.cli import main
from tengen.run.events import Started, TurnTaken
from tengen.run.folder import RunDirectory
from tengen.run.shelf import read_tags, write_tags

Capture = pytest.CaptureFixture[str]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs; the second is twice as long and stronger."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    write_told_run(tmp_path / "runs" / "one")
    write_told_run(tmp_path / "runs" / "two", events_of_a_run(turns=8, elo=200.0))
    return tmp_path / "runs"


def refusal(arguments: list[str], capsys: Capture) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


def test_every_point_is_a_row_of_csv(runs: Path, capsys: Capture) -> None:
    assert main(["status", "runs/one", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == ["curve", "step", "minutes", "games", "evaluations", "value"]
    elo = [tuple(row.values()) for row in rows if row["curve"] == "elo"]
    assert elo == [("elo", "1", "0.5", "10", "200", "100.0"), ("elo", "3", "1.5", "30", "600", "300.0")]
    assert sum(row["curve"] == "loss" for row in rows) == 4
    assert "not both" in refusal(["status", "runs/one", "--csv", "--json"], capsys)


def test_a_table_for_minutes_games_and_evaluations(runs: Path, capsys: Capture) -> None:
    assert main(["compare", "runs/one", "runs/two"]) == 0
    text = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for axis, marks in {
        "minutes": "0.7 1.4 2.1 2.8 3.5",
        "games": "14 28 42 56 70",
        "evaluations": "280 560 840 1120 1400",
    }.items():
        head = lines.index(f"elo after {axis} {marks}")
        assert lines[head + 2] == "runs/one 100 ± 30 100 ± 30"
        assert lines[head + 3] == "runs/two 200 ± 30 200 ± 30 600 ± 30 1000 ± 30 1400 ± 30"


def test_runs_of_different_games_are_not_compared_in_silence(runs: Path, capsys: Capture) -> None:
    other = [Started(0, 0.0, game="connect4", size="8x1", planned_minutes=1.0, planned_steps=0)]
    write_told_run(runs / "other", [*other, TurnTaken(1, 1.0, loss=2.0)])
    assert main(["compare", "runs/one", "runs/other", "--curve", "loss"]) == 0
    assert capsys.readouterr().out.startswith("These runs learn different games")


def test_a_comparison_as_json(runs: Path, capsys: Capture) -> None:
    write_tags(RunDirectory(runs / "one"), ["baseline"])
    assert main(["compare", "runs/one", "runs/two", "--curve", "loss", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["curve"] == "loss" and {"elo", "loss", "total_games"} <= set(told["curves"])
    one, two = told["runs"]
    assert (one["run"], one["game"], one["size"], one["tags"]) == ("runs/one", "tictactoe", "8x1", ["baseline"])
    assert len(one["points"]) == 4 and len(two["points"]) == 8
    assert two["points"][-1] == {
        **{"step": 8, "minutes": 4.0, "games": 80, "evaluations": 1600, "value": 0.375, "error": None}
    }


def test_the_picture_has_a_panel_per_axis_and_escapes_names(runs: Path, capsys: Capture) -> None:
    nasty = "<script>alert(1)</script>&\"'\x1b]0;x\x07"
    (runs / nasty.replace("/", "_")).symlink_to(runs / "one")
    name = str(Path("runs") / nasty.replace("/", "_"))
    assert main(["compare", name, "runs/two", "--svg", "curves.svg"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out and "drawn into curves.svg" in out
    root = ET.fromstring(Path("curves.svg").read_text("utf-8"))
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert [text for text in texts if text in ("minutes", "games", "evaluations")] == [
        "minutes",
        "games",
        "evaluations",
    ]
    assert any("<script>alert(1)<_script>&\"'" in text for text in texts) and not list(root.iter(f"{SVG}script"))
    assert len(list(root.iter(f"{SVG}polyline"))) == 6
    sizes = [float(element.get("font-size", "15")) for element in root.iter() if element.get("font-size")]
    assert sizes and min(sizes) >= 14
    points = [
        tuple(map(float, pair.split(","))) for pair in next(root.iter(f"{SVG}polyline")).get("points", "").split()
    ]
    assert points[0][0] < points[1][0] and points[0][1] > points[1][1], "later is to the right, stronger is higher"


def test_one_point_or_a_flat_curve_is_drawn(runs: Path) -> None:
    events = [Started(0, 0.0, game="tictactoe", size="8x1", planned_minutes=1.0, planned_steps=0)]
    write_told_run(runs / "flat", [*events, TurnTaken(1, 0.0, loss=2.0)])
    assert main(["compare", "runs/flat", "--svg", "flat.svg"]) == 0
    assert len(list(ET.fromstring(Path("flat.svg").read_text()).iter(f"{SVG}circle"))) == 1


def test_wrong_comparisons_are_one_line(runs: Path, capsys: Capture) -> None:
    events = [Started(0, 0.0, game="tictactoe", size="8x1", planned_minutes=1.0, planned_steps=0)]
    write_told_run(runs / "silent", events)
    assert "measured nothing yet" in refusal(["compare", "runs/silent"], capsys)
    assert "did you mean elo?" in refusal(["compare", "runs/one", "--curve", "elos"], capsys)
    assert "not a run" in refusal(["compare", "runs/one", "runs/none"], capsys)
    assert "cannot write" in refusal(["compare", "runs/one", "--svg", "none/x.svg"], capsys)


def test_the_list_of_runs(runs: Path, capsys: Capture) -> None:
    write_tags(RunDirectory(runs / "two"), ["big", "[red]"])
    assert main(["runs"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "one tictactoe 8x1 20% 2 min 40 300" in lines
    assert "two tictactoe 8x1 40% 4 min 80 1400 big, [red]" in lines
    assert main(["runs", "list", "--json"]) == 0
    assert [(row["run"], row["tags"]) for row in json.loads(capsys.readouterr().out)] == [
        ("runs/one", []),
        ("runs/two", ["big", "[red]"]),
    ]
    assert main(["runs", "--runs", "none"]) == 0
    assert capsys.readouterr().out == "no runs in none; tengen train GAME begins one\n"


def test_runs_are_renamed_tagged_and_deleted(runs: Path, capsys: Capture) -> None:
    assert main(["runs", "rename", "runs/one", "wide"]) == 0
    assert main(["runs", "tag", "runs/wide", "a", "大"]) == 0
    assert read_tags(RunDirectory(runs / "wide")) == ["a", "大"]
    assert main(["runs", "tag", "runs/wide"]) == 0
    assert read_tags(RunDirectory(runs / "wide")) == []
    assert main(["runs", "delete", "runs/wide", "--yes", "--json"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == '{"deleted": "runs/wide"}'
    assert [path.name for path in runs.iterdir()] == ["two"]


def test_what_is_refused_changes_nothing(runs: Path, capsys: Capture) -> None:
    assert "1 to 64 letters" in refusal(["runs", "rename", "runs/one", "../one"], capsys)
    assert "there is two" in refusal(["runs", "rename", "runs/one", "two"], capsys)
    assert "no commas" in refusal(["runs", "tag", "runs/one", "a,b"], capsys)
    assert "not a run" in refusal(["runs", "delete", "runs", "--yes"], capsys)
    assert "tengen runs, runs rename" in refusal(["runs", "remove", "runs/one"], capsys)
    assert "tengen runs, runs rename" in refusal(["runs", "delete"], capsys)
    with RunDirectory(runs / "one").locked():
        assert "being trained" in refusal(["runs", "delete", "runs/one", "--yes"], capsys)
    assert sorted(path.name for path in runs.iterdir()) == ["one", "two"]


def test_delete_asks_first(runs: Path) -> None:
    """On a terminal it asks; without one it wants --yes."""

    def delete(answer: bytes) -> tuple[int, str]:
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "tengen", "runs", "delete", "runs/one"]
        with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            os.write(ours, answer)
            err = process.communicate()[1]
        os.close(ours)
        os.close(theirs)
        return process.returncode, err.decode()

    done = subprocess.run(
        [sys.executable, "-m", "tengen", "runs", "delete", "runs/one"], input="yes\n", capture_output=True, text=True
    )
    assert done.returncode == 2 and "say --yes" in done.stderr
    code, err = delete(b"no\n")
    assert code == 2 and "(tictactoe, 2.0 minutes, 40 games) for good?" in err and "nothing was deleted" in err
    assert (runs / "one" / "run.toml").exists()
    assert delete(b"yes\n")[0] == 0
    assert not (runs / "one").exists()
