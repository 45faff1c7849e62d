"""Tournaments: plans that are refused, tables known beforehand, kills, faults, and a page for hostile names."""

import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from support.outside import add_engine
from tengen import games
from tengen.cli import main
from tengen.config import ConfigError
from tengen.kifu import parse_kifu
from tengen.play.elo import Pairing, ladder
from tengen.play.tournament import Entrant, Plan, PlayedGame, make_table, open_folder, read_plan, table_text
from tengen.play.tournament.page import draw_page

Capture = pytest.CaptureFixture[str]


def cup(*players: str, head: str = 'game = "tictactoe"\ngames = 4') -> str:
    return "\n".join([head, *(f"[[players]]\n{player}" for player in players)])


TWO = ('player = "random"', 'player = "mcts:5"')


def write(folder: Path, text: str) -> str:
    file = folder / "cup.toml"
    file.write_text(text)
    return str(file)


def played(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("game = ", "not TOML"),
        ("a = " + "[" * 5000, "not TOML"),
        (f"seed = {'9' * 5000}", "not TOML"),
        (cup(*TWO, head=""), "names no game"),
        (cup(*TWO, head='game = "chesss"'), "chesss"),
        (cup(*TWO, head='game = "tictactoe"\ngaems = 4'), "did you mean games"),
        (cup(*TWO, head='game = "tictactoe"\ngames = 5'), "even"),
        (cup(*TWO, head='game = "tictactoe"\ngames = 1000000'), "even, from 2"),
        (cup(*TWO, head='game = "tictactoe"\ngames = nan'), "whole number"),
        (cup(*TWO, head='game = "tictactoe"\ngames = inf'), "whole number"),
        (cup(*TWO, head='game = "tictactoe"\ngames = [4]'), "single value"),
        (cup(*TWO, head='game = "tictactoe"\nseed = -1'), "seed must be"),
        (cup(*TWO, head='game = "tictactoe"\nseed = true'), "whole number"),
        (cup(*TWO, head='game = "tictactoe"\nclock = "fast"'), "is no clock"),
        (cup(*TWO, head='game = "tictactoe"\nopening_plies = 9'), "over after 9 random plies"),
        (cup(*TWO, head='game = "tictactoe"\nopening_plies = 99999999999999999999'), "opening_plies must be"),
        (cup(*TWO, head='game = "tictactoe"\nsystem = "round robbin"'), "did you mean round robin"),
        (cup(*TWO, head='game = "tictactoe"\ngauntlet = "random"'), "system must be"),
        (cup(*TWO, head='game = "tictactoe"\nanchor = "randon"'), "did you mean random"),
        ('game = "tictactoe"\nplayers = 3', "[[players]]"),
        ('game = "tictactoe"\nplayers = [3]', "[[players]]"),
        (cup('player = "random"'), "2 to 100 players, not 1"),
        (cup('player = "random"', 'player = "random"'), "two players are called 'random'"),
        (cup('player = "random"', 'playr = "random"'), "did you mean player"),
        (cup('player = "random"', 'name = "x"'), "needs a player"),
        (cup('player = "random"', "player = 3"), "text of one line"),
        (cup('player = "random"', 'player = "mcts:5"\nname = "a\\u001b[2J"'), "text of one line"),
        (cup('player = "random"', 'player = "mcts:5"\nsettings = "search.sims=3"'), "list of texts"),
        (cup('player = "random"', 'player = "mcts:5"\nsettings = ["search.simms=3"]'), "simms"),
        (cup('player = "random"', 'player = "gtp:touch harm"'), "engines.toml"),
        (cup('player = "random"', 'player = "gomocup:x"\nname = "y"'), "engines.toml"),
        (cup('player = "random"', 'player = "engine:nobody"'), "no such engine"),
        (cup('player = "random"', 'player = "net:/nowhere.tengen"'), "nowhere"),
    ],
)
def test_a_bad_plan_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, text: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "engines.toml").write_text("")
    assert main(["tournament", write(tmp_path, text), "--engines", "engines.toml"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and says in err
    assert {path.name for path in tmp_path.iterdir()} == {"cup.toml", "engines.toml"}  # nothing was begun


def test_files_that_cannot_be_plans(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "large.toml").write_bytes(b"#" * (2 << 20))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "plain").write_text(cup(*TWO))
    for name, says in (
        ("none.toml", "cannot read"),
        ("large.toml", "larger"),
        ("bytes.toml", "UTF-8"),
        ("plain", "--out"),
    ):
        assert main(["tournament", str(tmp_path / name)]) == 2
        err = capsys.readouterr().err
        assert says in err and err.count("\n") == 1


def test_who_meets_whom() -> None:
    text = cup(*(f'name = "{name}"\nplayer = "random"' for name in "abc"))
    assert read_plan(text).pairings() == [("a", "b"), ("a", "c"), ("b", "c")]
    assert read_plan('system = "gauntlet"\n' + text).pairings() == [("a", "b"), ("a", "c")]
    assert read_plan('system = "gauntlet"\ngauntlet = "c"\n' + text).pairings() == [("c", "a"), ("c", "b")]


def won(first: str, second: str, number: int, points: float, forfeit: str | None = None) -> PlayedGame:
    return PlayedGame(first, second, number, 0, "-", points, "2026-01-01", forfeit, forfeit is not None)


def test_the_table_counts_points_and_faults_by_player() -> None:
    plan = Plan("tictactoe", 0, tuple(Entrant(name, "random") for name in "abc"), games=2, anchor="b")
    results = [
        won("a", "b", 0, 1),
        won("a", "b", 1, 0.5),
        won("a", "c", 0, 1, "crashed"),
        won("b", "c", 1, 0, "silent"),
    ]
    table = make_table(plan, results)
    rows = {row.name: row for row in table.rows}
    assert {name: (row.points, row.wins, row.draws, row.losses) for name, row in rows.items()} == {
        "a": (2.5, 2, 1, 0),
        "b": (0.5, 0, 1, 2),
        "c": (1, 1, 0, 1),
    }
    assert rows["c"].faults == Counter({"crashed": 1}) and rows["b"].faults == Counter({"silent": 1})
    assert table.cross["a", "b"] == (1.5, 2) and table.cross["b", "a"] == (0.5, 2)
    expected = ladder([Pairing("a", "b", 1.5, 2), Pairing("a", "c", 1, 1), Pairing("b", "c", 0, 1)], anchor="b")
    assert [row.rating for row in table.rows] == expected
    text = table_text(table)
    assert "4 of 6 games" in text and "b is 0" in text and "1½/2" in text and "crashed (1)" in text


def test_a_table_before_the_anchor_has_played_is_centred() -> None:
    plan = Plan("tictactoe", 0, tuple(Entrant(name, "random") for name in "abc"), games=2, anchor="c")
    assert make_table(plan, [won("a", "b", 0, 1)]).anchor is None
    assert make_table(plan, []).rows[0].rating is None


def test_a_small_tournament(tmp_path: Path, capsys: Capture) -> None:
    text = cup('player = "random"', 'player = "mcts:2"', 'name = "best"\nplayer = "mcts:300,solver"')
    assert main(["tournament", write(tmp_path, text), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    folder = tmp_path / "cup"
    assert result == json.loads((folder / "results.json").read_text())
    assert result["played"] == result["planned"] == 12 and result["players"][0]["name"] == "best"
    lines = played(folder / "games.jsonl")
    assert len({(line["first"], line["second"], line["number"]) for line in lines}) == len(lines) == 12
    # The same openings for all; what the rules say of the moves is what was counted.
    openings = {(line["number"], str(line["moves"]).split()[0]) for line in lines}
    assert len(openings) == 4
    game = games.make("tictactoe")
    for line in lines:
        state = game.from_moves(str(line["moves"]))
        first = {"B+": 1.0, "W+": 0.0, "Draw": 0.5}[str(games.result_text(state))]
        assert line["points"] == (first if int(str(line["number"])) % 2 == 0 else 1 - first)
    for name in ("first", "second"):
        assert {row[name] for row in result["pairings"]} <= {"random", "mcts:2", "best"}
    records = (folder / "games.sgf").read_text().strip().split("\n")
    assert len(records) == 12
    read = parse_kifu(records[0], None)
    assert read["game"] == "tictactoe" and set(read["players"]) == {"random", "mcts:2"}


def test_resuming_plays_only_what_is_missing_and_a_torn_line_again(tmp_path: Path, capsys: Capture) -> None:
    file = write(tmp_path, cup(*TWO))
    assert main(["tournament", file]) == 0
    games_file = tmp_path / "cup" / "games.jsonl"
    whole = games_file.read_text().splitlines()
    games_file.write_text("\n".join(whole[:2]) + "\n" + whole[2][:30])
    assert main(["tournament", file]) == 0
    again = games_file.read_text().splitlines()
    assert again[:2] == whole[:2] and sorted(again) == sorted(whole)
    assert main(["tournament", file]) == 0  # nothing is left to do
    assert games_file.read_text().splitlines() == again
    # Damage elsewhere than at the end is not ours to repair.
    games_file.write_text("\n".join([whole[0][:30], *whole[1:]]) + "\n")
    capsys.readouterr()
    assert main(["tournament", file]) == 2
    assert "line 1 is damaged" in capsys.readouterr().err
    games_file.write_text("\n".join([*whole, whole[0]]) + "\n")
    assert main(["tournament", file]) == 2
    assert "line 5 is damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (cup(*TWO, head='game = "tictactoe"\ngames = 6'), "games is 6 now and was 4"),
        (cup(*TWO, head='game = "connect4"\ngames = 4'), "game is 'connect4' now and was 'tictactoe'"),
        (cup(*TWO, head='game = "tictactoe"\ngames = 4\nseed = 1'), "seed is 1 now and was 0"),
        (cup(*TWO, head='game = "tictactoe"\ngames = 4\nclock = "60"'), "clock is '60' now and was ''"),
        (cup(TWO[0], 'player = "mcts:6"'), "player 'mcts:5' is gone"),
        (cup(TWO[0], 'name = "mcts:5"\nplayer = "mcts:6"'), "player 'mcts:5' is 'mcts:6' now and was 'mcts:5'"),
        (cup(TWO[0], 'player = "mcts:5"\nsettings = ["search.c_init=1"]'), "search.c_init=1 now"),
    ],
)
def test_a_changed_plan_is_refused(tmp_path: Path, capsys: Capture, text: str, says: str) -> None:
    assert main(["tournament", write(tmp_path, cup(*TWO))]) == 0
    before = (tmp_path / "cup" / "games.jsonl").read_bytes()
    capsys.readouterr()
    assert main(["tournament", write(tmp_path, text)]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1
    assert (tmp_path / "cup" / "games.jsonl").read_bytes() == before


def test_players_may_be_added_and_change_places(tmp_path: Path) -> None:
    assert main(["tournament", write(tmp_path, cup(*TWO))]) == 0
    before = played(tmp_path / "cup" / "games.jsonl")
    assert main(["tournament", write(tmp_path, cup('player = "mcts:9"', *reversed(TWO)))]) == 0
    after = played(tmp_path / "cup" / "games.jsonl")
    assert after[: len(before)] == before and len(after) == 12


def test_one_process_at_a_time(tmp_path: Path) -> None:
    plan = read_plan(cup(*TWO))
    with open_folder(tmp_path, plan), pytest.raises(ConfigError, match="another process"), open_folder(tmp_path, plan):
        pass


class Tags(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attrs}


def test_hostile_names_stay_text_in_the_page() -> None:
    evil = "</script><img src=x onerror='alert(1)'>\"<!--"
    plan = Plan("tictactoe", 0, (Entrant(evil, "random"), Entrant("b", "random")), games=2)
    page = draw_page(make_table(plan, [result := won(evil, "b", 0, 0, evil)]), [result])
    tags = Tags()
    tags.feed(page)
    assert tags.tags["script"] == 2 and tags.tags["img"] == 0
    assert not {name for name in tags.attributes if name.startswith("on")} and "src" not in tags.attributes
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert data and json.loads(data[1])["names"][0] == evil
    assert "http" not in re.sub(r"http-equiv|http://www.w3.org/2000/svg", "", page)  # it loads nothing


def test_the_policy_lets_only_its_own_script_run() -> None:
    import base64
    import hashlib

    plan = Plan("tictactoe", 0, (Entrant("a", "random"), Entrant("b", "random")), games=2)
    page = draw_page(make_table(plan, []), [])
    for tag in ("script", "style"):
        content = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[-1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src &#x27;sha256-{digest}&#x27;" in page
    assert "default-src &#x27;none&#x27;" in page


@pytest.mark.parametrize("name", games.names())
def test_every_game_has_frames(name: str) -> None:
    game = games.make(name)
    state = game.start()
    while not state.is_terminal() and state.ply() < 30:
        state.apply(state.legal_actions()[state.ply() * 7 % len(state.legal_actions())])
    plan = Plan(game.id, 0, (Entrant("a", "random"), Entrant("b", "random")), games=2)
    result = PlayedGame("a", "b", 0, 0, state.moves_text(), 1.0, "2026-01-01", "silent", True)
    page = draw_page(make_table(plan, [result]), [result])
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data = json.loads(found[1])
    stones, shown = list(data["start"]), data["pairs"][0]["games"][0]
    for changes in shown["changes"]:
        for change in changes:
            stones[change // 3] = change % 3
    assert stones == state.stones() and len(shown["moves"]) == state.ply()


def command(tmp_path: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "tengen", "tournament", str(tmp_path / "cup.toml"), *more]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_in_the_middle_loses_and_doubles_nothing(tmp_path: Path, number: signal.Signals) -> None:
    head = 'game = "connect4"\ngames = 30'
    write(tmp_path, cup('player = "mcts:400"', 'player = "mcts:600"', 'player = "mcts:500"', head=head))
    games_file = tmp_path / "cup" / "games.jsonl"
    with subprocess.Popen(command(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while not games_file.exists() or games_file.read_bytes().count(b"\n") < 3:
            assert running.poll() is None
            time.sleep(0.005)
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    if number == signal.SIGINT:
        assert running.returncode == 130 and "of 90 games" in out and "resumes" in err
        assert (tmp_path / "cup" / "report.html").exists()
    data = games_file.read_bytes()
    kept = data[: data.rfind(b"\n") + 1]
    assert 3 <= kept.count(b"\n") < 90
    subprocess.run(command(tmp_path), check=True, capture_output=True, timeout=120)
    assert games_file.read_bytes().startswith(kept)
    lines = played(games_file)
    wanted = {
        (*pairing, game) for pairing in read_plan((tmp_path / "cup.toml").read_text()).pairings() for game in range(30)
    }
    assert sorted((line["first"], line["second"], line["number"]) for line in lines) == sorted(wanted)


# An engine that knows only how high columns are: loading the rules would take longer than the games do.
ENGINE = """
import sys, time
habit, filled = sys.argv[1], [0] * 8
for line in sys.stdin:
    name, *words = line.split()
    answer = ""
    if name == "clear_board":
        filled = [0] * 8
    elif name == "play":
        filled[int(words[1])] += 1
    elif name == "genmove":
        if habit == "crash":
            sys.exit("out of ideas")
        if habit == "hang":
            time.sleep(1000)
        column = next(column for column in range(1, 8) if filled[column] < 6)
        filled[column] += 1
        answer = "k99" if habit == "cheat" else column
    print(f"= {answer}\\n", flush=True)
"""


@pytest.mark.slow
def test_eight_players_with_one_that_crashes_one_that_cheats_and_one_that_hangs(
    tmp_path: Path, capsys: Capture
) -> None:
    engines = tmp_path / "engines.toml"
    for habit in ("good", "crash", "cheat", "hang"):
        add_engine(engines, habit, [sys.executable, "-I", "-S", "-c", ENGINE, habit])
    engines.write_text(engines.read_text() + "patience = 1\n")  # of the last one
    names = ["random", "mcts:10", "mcts:100", "mcts:300,solver", "engine:good", "engine:crash", "engine:cheat"]
    rows = [*(f'player = "{name}"' for name in names), 'name = "hangs"\nplayer = "engine:hang"']
    write(tmp_path, cup(*rows, head='game = "connect4"\ngames = 2\nopening_plies = 2'))
    assert main(["tournament", str(tmp_path / "cup.toml"), "--engines", str(engines), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    players = {player["name"]: player for player in result["players"]}
    assert result["played"] == 56 and all(player["games"] == 14 for player in players.values())
    assert sum(player["points"] for player in players.values()) == 56
    broken = ["engine:crash", "engine:cheat", "hangs"]
    for name, reason in zip(broken, ("crashed, exit code 1: out of ideas", "illegal move k99", "silent"), strict=True):
        # Against each other whoever is to move first fails: one game each. All others beat them.
        assert players[name]["points"] == 2 and players[name]["losses"] == players[name]["faults"] == 12
        assert all(reason in told for told in players[name]["reasons"])
    assert all(player["faults"] == 0 for name, player in players.items() if name not in broken)
    assert {player["name"] for player in result["players"][-3:]} == set(broken)
    assert result["players"][0]["name"] == "mcts:300,solver"
    table = (tmp_path / "cup" / "table.txt").read_text()
    assert "illegal move k99 (12)" in table and "crashed, exit code 1: out of ideas (12)" in table
