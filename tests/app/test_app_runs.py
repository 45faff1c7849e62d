"""Training runs seen through the app: what they wrote down, and real ones started, paused and resumed."""

import json
import re
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.appserver import PATIENCE, Client, at, command, interrupt_again_and_again, serving
from support.toldrun import events_of_a_run, write_told_run
from support.training import TINY
from support.writtenrun import CONNECT4, tell, write_fleet, write_run
from tengen.app.levels import Level, LevelTable, read_levels
from tengen.net.file import NetworkFile, shipped_network
from tengen.run.events import Ended, TurnTaken
from tengen.run.folder import RunDirectory
from tengen.run.journal import read_events
from tengen.run.shelf import delete_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder / "one")
    write_run(folder / "done", finished=True)
    (folder / "notes").mkdir()
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Client]:
    with serving(folder) as client:
        yield client


def test_runs_and_where_they_stand(server: Client) -> None:
    summaries = {run["name"]: run for run in server.get("/api/runs")}
    assert set(summaries) == {"one", "done"}
    assert summaries["done"]["state"] == "finished"
    one = summaries["one"]
    assert (one["game"], one["size"], one["state"]) == ("connect4", "8x1", "paused")
    assert (one["minutes"], one["planned_minutes"], one["progress"]) == (3.0, 10.0, pytest.approx(0.3))
    assert one["verdict"]["key"] == "learning" and set(one["verdict"]["texts"]) == {"en", "zh"}


def test_the_details_of_a_run(server: Client) -> None:
    run = server.get("/api/runs/one")
    assert run["last_event"] == 33
    assert run["curves"]["loss"][0] == [0.0, 3.0] and len(run["curves"]["loss"]) == 30
    assert run["curves"]["elo"] == [[2.9, 500.0]]
    assert run["mistakes"] == {"0": [[2.9, pytest.approx(0.2)]], "100": [[2.9, pytest.approx(0.1)]]}
    rows = {row["name"]: row for row in run["health"]["rows"]}
    assert rows["entropy"]["ok"] and rows["entropy"]["now"] == 1.0 and rows["entropy"]["low"] == 0.02
    players = {player["name"]: player for player in run["ladder"]["players"]}
    assert players["random"]["elo"] == 0 and players["00000100"]["step"] == 100
    assert run["ladder"]["pairings"][0] == {"a": "mcts:100", "b": "random", "points": 19.0, "games": 20}
    assert [(network["id"], network["minutes"]) for network in run["networks"]] == [
        ("run:one/00000100", 1.0),
        ("run:one/00000290", None),
    ]


def test_checked_resignations_are_told_where_they_happen(server: Client, tmp_path: Path) -> None:
    write_run(tmp_path / "resigning", resigns=True)
    with serving(tmp_path) as other:
        assert other.get("/api/runs/resigning")["resignations"] == {"checked": 116, "wrong": 2}
    assert server.get("/api/runs/one")["resignations"] is None


def test_workers_elsewhere_are_shown_while_the_hub_runs(tmp_path: Path) -> None:
    run = write_run(tmp_path / "many")
    with serving(tmp_path) as server:
        assert server.get("/api/runs/many")["workers"] == []
        write_fleet(run)
        with run.locked():
            garage, attic = server.get("/api/runs/many")["workers"]
        assert (garage["name"], garage["players"], garage["simulations_per_second"]) == ("garage", 2, 1234.5)
        assert attic["barred"] == "an example"
        assert [each["players"] for each in server.get("/api/runs/many")["workers"]] == [0, 0]  # the hub is away
        run.workers.write_bytes(b'{"version": 1, "workers": [{"name": 3}]}')
        assert server.get("/api/runs/many")["workers"] == []


def test_only_news_are_sent_after_the_first_time(tmp_path: Path) -> None:
    run = write_run(tmp_path / "growing")
    with serving(tmp_path) as server:
        last = server.get("/api/runs/growing")["last_event"]
        assert server.get("/api/runs/growing", since=last)["curves"] == {}
        tell(run, TurnTaken(310, 3.1, loss=1.0))
        news = server.get("/api/runs/growing", since=last)
        assert news["curves"] == {"loss": [[3.1, 1.0]]} and news["last_event"] == last + 1


def test_networks_of_a_run_play_and_are_asked_for_their_opinion(server: Client) -> None:
    networks = server.get("/api/players", game="connect4")["networks"]
    assert [n["id"] for n in networks if n["run"] == "one"] == [
        *("run:one/best", "run:one/current", "run:one/00000290", "run:one/00000100")
    ]
    players = ["run:one/00000100", "run:one/best", "run:one/00000290"]
    answers = server.post("/api/evaluate", {"position": at("connect4"), "players": players})["answers"]
    assert answers[0]["prior"] == answers[1]["prior"] != answers[2]["prior"]
    with server.socket() as live:
        assert live.search("connect4", player="run:one/best", settings={"sims": 20})[-1]["visits"] == 20
        for player, code in [
            ("run:one/00000101", "unknown_player"),
            ("run:none/best", "unknown_player"),
            ("run:../one/best", "unknown_player"),
        ]:
            live.say("search", position=at("connect4"), player=player)
            assert live.hear()["error"]["code"] == code
        live.say("search", position=at("tictactoe"), player="run:one/best")
        error = live.hear()["error"]
        assert (error["code"], error["params"]["plays"]) == ("wrong_game", "connect4")


def test_damaged_files_of_a_run_are_no_reason_to_fail(tmp_path: Path) -> None:
    run = write_run(tmp_path / "harmed")
    run.ladder.write_text("{")
    run.database.write_text("nothing")
    run.best.write_bytes(run.best.read_bytes()[:-100])
    run.live.write_text("[")
    with serving(tmp_path) as server:
        assert server.get("/api/runs")[0]["state"] == "paused"
        assert server.get("/api/runs/harmed")["ladder"]["players"] == []
        with run.locked():
            assert server.get("/api/runs/harmed/live")["games"] == []
        request = {"position": at("connect4"), "players": ["run:harmed/best"]}
        assert server.error("/api/evaluate", request)["code"] == "unknown_player"
        run.config_file.write_text("nonsense")
        assert server.error("/api/runs/harmed")["code"] == "unknown_run"
        assert server.get("/api/runs") == []


def test_runs_are_compared_at_equal_work(tmp_path: Path) -> None:
    write_told_run(tmp_path / "one")
    write_told_run(tmp_path / "two", events_of_a_run(turns=8, elo=200.0))
    with serving(tmp_path) as server:
        told = server.http.get("/api/compare?run=one&run=two").json()
        assert told["curve"] == "elo" and told["axes"] == ["minutes", "games", "evaluations"]
        assert told["runs"][0] == {"name": "one", "points": [[0.5, 10, 200, 100.0, 30.0], [1.5, 30, 600, 300.0, 30.0]]}
        losses = server.http.get("/api/compare?run=two&curve=loss").json()["runs"][0]["points"]
        assert len(losses) == 8 and losses[-1] == [4.0, 80, 1600, 0.375, None]
        assert server.error("/api/compare?run=one&curve=none")["code"] == "bad_request"
        assert server.error("/api/compare?run=none")["code"] == "unknown_run"
        assert server.error("/api/compare?run=../one")["code"] == "unknown_run"
        assert server.error("/api/compare")["code"] == "bad_request"
        assert server.error("/api/compare?" + "run=one&" * 9)["code"] == "bad_request"


def test_runs_are_renamed_tagged_and_deleted(tmp_path: Path) -> None:
    write_told_run(tmp_path / "one")
    with serving(tmp_path) as server:
        assert server.get("/api/runs")[0]["tags"] == []
        assert server.post("/api/runs/one/tags", {"tags": ["a", "大"]})["tags"] == ["a", "大"]
        renamed = server.post("/api/runs/one/rename", {"name": "two"})
        assert (renamed["name"], renamed["tags"], renamed["minutes"]) == ("two", ["a", "大"], 2.0)
        assert server.post("/api/runs/two/delete", {"confirm": "two"}) == {"deleted": "two"}
        assert server.get("/api/runs") == [] and list(tmp_path.iterdir()) == []


def test_a_new_run_with_the_name_of_a_deleted_one_is_read_from_its_start(tmp_path: Path) -> None:
    run = write_told_run(tmp_path / "one", events_of_a_run(turns=8))
    with serving(tmp_path) as server:
        assert len(server.get("/api/runs/one")["curves"]["loss"]) == 8
        delete_run(run)  # by somebody else
        write_told_run(tmp_path / "one", events_of_a_run(turns=2))
        assert len(server.get("/api/runs/one")["curves"]["loss"]) == 2


def test_wrong_changes_of_runs_change_nothing(tmp_path: Path) -> None:
    run = write_told_run(tmp_path / "runs" / "one")
    write_told_run(tmp_path / "runs" / "two")
    outside = write_told_run(tmp_path / "outside")
    (tmp_path / "runs" / "link").symlink_to(outside.path)
    names = ["../x", "..", "a/b", ".hidden", "", "x" * 65, "跑", "a\n", "a\u0000", "a\u001b[31m", "a\u202e", 7, None]
    with serving(tmp_path / "runs") as server:
        for name in names:
            assert server.error("/api/runs/one/rename", {"name": name})["code"] == "bad_request", name
        assert server.error("/api/runs/one/rename", {"name": "two"})["code"] == "run_busy"
        for tags in (["a\u001b"], ["a,b"], ["x" * 33], [str(n) for n in range(17)]):
            assert server.error("/api/runs/one/tags", {"tags": tags})["code"] == "run_refused", tags
        assert server.error("/api/runs/one/delete", {"confirm": "two"})["code"] == "bad_request"
        assert server.error("/api/runs/one/delete", {})["code"] == "bad_request"
        for name in ("none", "..", "%2e%2e%2foutside", "..%2Foutside", "%2Ftmp"):
            answer = server.http.post(f"/api/runs/{name}/delete", json={"confirm": name})
            assert answer.status_code in (404, 405), name
        assert server.error("/api/runs/link/delete", {"confirm": "link"})["code"] == "run_refused"
        assert server.error("/api/runs/link/rename", {"name": "other"})["code"] == "run_refused"
        with run.locked():
            assert server.error("/api/runs/one/delete", {"confirm": "one"})["code"] == "run_busy"
            assert server.error("/api/runs/one/rename", {"name": "other"})["code"] == "run_busy"
        strangers = server.http.post(
            "/api/runs/one/delete", json={"confirm": "one"}, headers={"Origin": "http://evil.example"}
        )
        assert strangers.status_code == 403
        assert httpx.post(f"{server.address}/api/runs/one/delete", json={"confirm": "one"}).status_code == 403
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["link", "one", "two"] and outside.exists()


def test_games_under_way(tmp_path: Path) -> None:
    run = write_run(tmp_path / "live")
    under_way = [{"number": number, "moves": [3, 3, number % 7], "value": 0.25} for number in range(20)]
    run.live.write_text(json.dumps(under_way))
    with serving(tmp_path) as server:
        with run.locked():
            told = server.get("/api/runs/live/live")
            assert told["game"] == "connect4" and len(told["games"]) == 16
            state = CONNECT4.from_moves("445")
            expected = {"number": 4, "moves": ["4", "4", "5"], "stones": state.stones(), "to_move": 1, "value": 0.25}
            expected |= {"glyphs": None, "text": None}
            assert told["games"][4] == expected
            odd = [{"number": 1, "moves": [3, 99]}, {"moves": 1}, 7, {"number": 2, "moves": []}]
            run.live.write_text(json.dumps(odd))
            assert [each["number"] for each in server.get("/api/runs/live/live")["games"]] == [2]
        assert server.get("/api/runs/live/live")["games"] == [], "nobody plays them any more"


def test_games_under_way_of_several_sizes(tmp_path: Path) -> None:
    """They are shown on the board that they are played on."""
    run = write_run(tmp_path / "live")
    run.config_file.write_text(run.config().to_toml().replace('"connect4"', '"hex:3-5"'))
    with serving(tmp_path) as server, run.locked():
        for told, shown in (("hex:4", "hex:4"), ("hex:6", "hex:5"), (7, "hex:5")):
            run.live.write_text(json.dumps([{"game": told, "number": 1, "moves": [0, 15]}]))
            live = server.get("/api/runs/live/live")
            assert live["game"] == shown
        run.live.write_text(json.dumps([{"game": "hex:4", "number": 1, "moves": [0, 15]}]))
        assert server.get("/api/runs/live/live")["games"][0]["moves"] == ["a1", "d4"]
        run.config_file.write_text(run.config().to_toml().replace('"hex:3-5"', '"hex:5-3"'))
        assert server.error("/api/runs/live/live")["code"] == "unknown_game"


def test_a_run_that_another_process_trains(tmp_path: Path) -> None:
    run = write_run(tmp_path / "theirs")
    with serving(tmp_path) as server, run.locked():
        assert server.get("/api/runs")[0]["state"] == "training"
        assert server.error("/api/runs/theirs/resume", {})["code"] == "run_busy"
        assert server.error("/api/runs/theirs/pause", {})["code"] == "run_busy"


def test_wrong_runs_are_not_begun(tmp_path: Path) -> None:
    with serving(tmp_path / "runs") as server:
        start: dict[str, Any] = {"game": "tictactoe", "minutes": 1}
        changes: list[tuple[dict[str, Any], str]] = [
            ({"game": "chess"}, "unknown_game"),
            ({"game": "hex:5-3"}, "unknown_game"),
            ({"minutes": 0}, "bad_request"),
            ({"size": "huge"}, "bad_setting"),
            ({"settings": {"loop.slots": 0}}, "bad_setting"),
            ({"settings": {"nonsense": 1}}, "bad_setting"),
            ({"name": "../x"}, "bad_request"),
            ({"name": ".hidden"}, "bad_request"),
        ]
        for change, code in changes:
            assert server.error("/api/runs", start | change)["code"] == code, change
        assert server.error("/api/runs/none/pause", {})["code"] == "unknown_run"
        assert server.error("/api/runs/none/resume", {})["code"] == "unknown_run"
    assert not (tmp_path / "runs").exists()


def test_a_run_is_started_paused_resumed_and_saved_with_the_app(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    run = RunDirectory(runs / "tictactoe")
    settings = dict(setting.split("=") for setting in TINY if not setting.startswith("loop.size"))
    start = {"game": "tictactoe", "minutes": 1000, "size": "8x1", "settings": settings}
    with command("--runs", str(runs)) as (process, client):
        assert client.post("/api/runs", start) == {"name": "tictactoe"}
        assert client.get("/api/runs/tictactoe")["state"] == "training"
        assert client.error("/api/runs", start | {"name": "tictactoe"})["code"] == "run_busy"
        assert client.error("/api/runs/tictactoe/resume", {})["code"] == "run_busy"
        deadline = time.monotonic() + PATIENCE
        while len(client.get("/api/runs/tictactoe")["curves"].get("loss", [])) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        with ThreadPoolExecutor(3) as together:  # one who clicks again and again does not end it unsaved
            for answer in together.map(client.post, ["/api/runs/tictactoe/pause"] * 3):
                assert answer["state"] == "paused"
        assert run.state.exists() and run.current.exists()
        paused = client.get("/api/runs/tictactoe")
        assert client.post("/api/runs/tictactoe/resume", {"minutes": 2000})["planned_minutes"] in (1000, 2000)
        while client.get("/api/runs/tictactoe")["last_event"] < paused["last_event"] + 3:
            assert time.monotonic() < deadline + PATIENCE
            time.sleep(0.1)
        assert client.get("/api/runs/tictactoe")["planned_minutes"] == 2000
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert not run.is_locked() and isinstance(read_events(run.database)[-1], Ended)


def test_the_usual_run_of_a_game_can_go_on_beside_the_app(tmp_path: Path) -> None:
    """`make run`: what training says is said in the terminal, the page can pause it, and Ctrl-C ends it; a second one
    ends the app at once, while the run, which was told once, still saves."""
    with command("--runs", str(tmp_path), "--train", "tictactoe") as (process, client):
        assert process.stdout is not None
        while not (line := process.stdout.readline()).startswith("start "):
            assert re.search(
                r"/\?token=\S+#/training/tictactoe$", line.strip()
            )  # for another browser, on the run's page
        assert client.get("/api/runs")[0]["state"] == "training"
        assert client.post("/api/runs/tictactoe/pause")["state"] == "paused"
        assert client.post("/api/runs/tictactoe/resume", {})["state"] == "training"
        assert interrupt_again_and_again(process) == 128 + signal.SIGINT
    run = RunDirectory(tmp_path / "tictactoe")
    deadline = time.monotonic() + PATIENCE
    while run.is_locked():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert run.state.exists()


def test_levels_are_shown_for_the_network_they_were_measured_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = shipped_network(CONNECT4)
    assert path is not None
    network = NetworkFile.load(path)
    levels = [Level("1", "mcts", 10, {}, 100.0, 20.0), Level("2", "shipped", 50, {"temperature": 0.5}, 900.0, 30.0)]
    (tmp_path / "data" / "levels").mkdir(parents=True)
    file = tmp_path / "data" / "levels" / "connect4.json"
    monkeypatch.setattr("tengen.app.levels.resources.files", lambda package: tmp_path)
    assert read_levels(CONNECT4) == []
    file.write_bytes(LevelTable("connect4", "random", network.hash, 20, levels).to_json())
    assert [level["id"] for level in read_levels(CONNECT4)] == ["1", "2"]
    file.write_bytes(LevelTable("connect4", "random", "0" * 64, 20, levels).to_json())
    assert [level["id"] for level in read_levels(CONNECT4)] == ["1"]
