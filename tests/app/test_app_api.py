"""The app's questions and answers over HTTP, and the command that serves them."""

import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok

from support.appserver import PATIENCE, Client, at, command, interrupt_again_and_again, serving
from tengen import cli, games
from tengen.app import runs
from tengen.app.networks import PLAIN
from tengen.config import SearchConfig
from tengen.net.file import shipped_games

pytestmark = pytest.mark.slow

IDS = ["tictactoe", "connect4", "gomoku:9", "gomoku:15,rule=renju", "othello", "go:9,komi=7.5", "hex:5,swap=on"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "MOST_TRAINING", 0)  # nothing here may start training
        with serving(tmp_path_factory.mktemp("runs")) as client:
            yield client


def test_about_lists_every_game_and_every_option(server: Client) -> None:
    about = server.get("/api/about")
    assert [entry["id"] for entry in about["games"]] == games.names()
    assert [field["name"] for field in about["settings"]] == list(SearchConfig().to_dict())
    assert all(field["sentence"] for field in about["settings"])
    networks = [id for entry in about["games"] for id in entry["networks"]]
    assert sorted(networks) == shipped_games()
    assert {field["name"]: field["high"] for field in about["settings"]}["leaves"] == 256  # as far as the page may go


@pytest.mark.parametrize("id", IDS)
def test_a_game_says_what_a_picture_needs(server: Client, id: str) -> None:
    game, about = games.make(id), server.get("/api/game", id=id)
    assert about["id"] == game.id and about["layout"] == game.layout() and about["max_plies"] == game.max_plies
    assert about["solvable"] == (id == "connect4") and set(about["settings"]) == set(SearchConfig().to_dict())


@pytest.mark.parametrize("id", IDS)
def test_a_position_is_what_the_rules_say(server: Client, id: str) -> None:
    state = games.make(id).start()
    moves = []
    for _ in range(5):
        moves.append(state.move_text(state.legal_actions()[0]))
        state.apply(state.legal_actions()[0])
    told = server.post("/api/position", {"position": at(id, " ".join(moves))})
    assert (told["moves"], told["ply"], told["to_move"]) == (moves, state.ply(), state.to_move())
    assert told["stones"] == state.stones() and told["text"] == state.position_text()
    assert [move["action"] for move in told["legal"]] == state.legal_actions()
    assert all(move["cell"] == state.landing_cell(move["action"]) for move in told["legal"])
    again = server.post("/api/position", {"position": at(id, start=told["text"])})
    assert (again["stones"], again["legal"]) == (told["stones"], told["legal"])
    shown = server.post("/api/frames", {"position": at(id, " ".join(moves))})
    assert len(shown["frames"]) == 6 and shown["frames"][-1] == told["stones"] and shown["lasts"][-1] == told["last"]


@pytest.mark.parametrize(
    "moves, winner",
    [("a1 b1 a2 b2 a3", 0), ("a1 b1 a2 b2 c3 b3", 1), ("a1 b1 c1 b2 a2 c2 b3 a3 c3", "draw"), ("", None)],
)
def test_the_end_of_a_game(server: Client, moves: str, winner: object) -> None:
    told = server.post("/api/position", {"position": at("tictactoe", moves)})
    assert told["winner"] == winner and told["terminal"] == (winner is not None)
    assert len(told["line"]) == (3 if winner in (0, 1) else 0)


def test_a_count_captures_and_a_result_where_the_game_has_them(server: Client) -> None:
    told = server.post("/api/position", {"position": at("go:5", "b1 a1 a2 pass pass")})
    assert (told["result"], told["captures"]) == ("B+18.5", [1, 0])
    assert told["score"] == {"points": [25.0, 6.5], "owners": [1] * 25}
    young = server.post("/api/position", {"position": at("go:5")})
    assert young["result"] is None and young["score"] == {"points": [0.0, 6.5], "owners": [0] * 25}
    none = server.post("/api/position", {"position": at("tictactoe", "a1 b1 a2 b2 a3")})
    assert (none["result"], none["captures"], none["score"]) == ("B+", None, None)


def test_every_game_has_sgf_and_says_its_options_and_goals(server: Client) -> None:
    for name in games.names():
        assert server.get("/api/game", id=name)["sgf"] is True
    hex, go = server.get("/api/game", id="hex:5"), server.get("/api/game", id="go:9,komi=7.5")
    assert (hex["goals"], hex["options"]) == (["top_bottom", "left_right"], {"swap": "off"})
    assert (go["goals"], go["options"], go["sgf_number"]) == (None, {"komi": "7.5"}, 1)


def test_wrong_positions_are_told_apart(server: Client) -> None:
    def error(game: str, moves: str = "", start: str | None = None) -> dict[str, object]:
        return server.error("/api/position", {"position": at(game, moves, start)})

    assert error("chess")["code"] == "unknown_game"
    illegal = error("connect4", "4 4 9")
    assert (illegal["code"], illegal["params"]) == ("illegal_move", {"move": "9", "ply": 2})
    assert error("tictactoe", "a1 b1 a2 b2 a3 c3")["code"] == "illegal_move"  # the game is over
    assert error("connect4", "4 " * 43)["code"] == "bad_moves"
    assert error("connect4", start="nonsense")["code"] == "bad_position"
    assert server.error("/api/position", {"position": {"game": "connect4", "moves": 4}})["code"] == "bad_request"
    assert server.error("/api/position", {"position": at("connect4"), "extra": 1})["code"] == "bad_request"


def test_the_solver_answers_for_every_column(server: Client) -> None:
    solved = server.post("/api/solve", {"position": at("connect4", "4 4 4 4")})
    assert solved == {"score": 1, "scores": {"1": -2, "2": -2, "3": -2, "4": 1, "5": -2, "6": -2, "7": -2}}
    assert server.error("/api/solve", {"position": at("hex:5")})["code"] == "not_supported"
    assert server.error("/api/solve", {"position": at("connect4", "1 2 1 2 1 2 1")})["code"] == "game_over"


def test_bounds_of_options_are_numbers(server: Client) -> None:
    """What the page is told agrees with what a game accepts; it has no words to read them from."""
    about = server.get("/api/about")
    options = {(game["id"], option["name"]): option for game in about["games"] for option in game["options"]}
    sizes = {game["id"]: game["default_size"] for game in about["games"]}
    assert options["go", "komi"].items() >= {"low": -361, "high": 361, "step": 0.5, "choices": []}.items()
    assert options["gomoku", "rule"]["choices"] == ["freestyle", "exact", "renju"]
    for (game, name), option in options.items():
        assert set(option) == {"name", "low", "high", "step", "choices", "default", "input", "about"}
        if option["choices"]:
            assert option["default"] in option["choices"]
            assert option["low"] is option["high"] is option["step"] is None
            continue
        assert option["low"] <= option["default"] <= option["high"] and option["step"] > 0
        for bound, beyond in ((option["low"], -option["step"]), (option["high"], option["step"])):
            games.make(f"{game}:{sizes[game]},{name}={bound:g}")
            with pytest.raises(games.GameError):
                games.make(f"{game}:{sizes[game]},{name}={bound + beyond:g}")
    for field in about["settings"]:
        assert field["kind"] in ("integer", "real", "choice", "toggle") and field["low"] <= field["high"]


def test_players_of_a_game(server: Client) -> None:
    players = server.get("/api/players", game="connect4")
    assert [network["id"] for network in players["networks"]] == ["shipped"]
    others = {other["id"]: other["searches"] for other in players["others"]}
    assert others == {
        "random": False,
        "mcts": True,
        "mcts,solver": True,
        "plain": True,
        "uniform": True,
        "solver": False,
    }
    assert all(other["sentence"] for other in players["others"])
    assert players["usual"] == "shipped"
    assert players["settings"]["mcts"]["rule"] == "ucb1" and players["settings"]["network"]["rule"] == "puct"
    several = server.get("/api/players", game="hex:5")  # one network ships for several boards
    assert [network["id"] for network in several["networks"]] == ["shipped"] and several["usual"] == "shipped"
    assert server.get("/api/players", game="hex:4") == players | {
        "networks": [],
        "others": [other for other in players["others"] if other["id"] != "solver"],
        "levels": [],
        "usual": PLAIN,
        "settings": server.get("/api/players", game="hex:4")["settings"],
    }


def test_the_bare_network_without_a_search(server: Client) -> None:
    request = {"position": at("connect4", "4 4 4 4 4 4"), "players": ["shipped"]}
    answer = server.post("/api/evaluate", request)["answers"][0]
    assert sum(answer["wdl"]) == pytest.approx(1, abs=0.01) and answer["plies"] > 0
    assert set(answer["prior"]) == set("123567") and sum(answer["prior"].values()) == pytest.approx(1)
    assert answer["certain"] is True and answer["reason"] is None
    assert answer["lead"] is None and "owners" not in answer
    assert server.post("/api/evaluate", request | {"owners": True})["answers"][0]["owners"] is None
    nobody = {"certain": False, "reason": "no_network", "wdl": None, "plies": None, "lead": None, "prior": None}
    for plain in ("mcts", "plain", "random"):  # the graph says why it is empty
        assert server.post("/api/evaluate", request | {"players": [plain]})["answers"] == [{"player": plain} | nobody]
    for unknown in ("run:none/best", "net:/etc/passwd", "mcts:"):
        assert server.error("/api/evaluate", request | {"players": [unknown]})["code"] == "unknown_player"
    assert server.error("/api/evaluate", request | {"position": at("hex:4")})["code"] == "unknown_player"


def test_unknown_paths_and_methods_are_refused(server: Client) -> None:
    assert server.error("/api/nothing")["code"] == "bad_request"
    assert server.http.delete("/api/about").status_code == 405


@pytest.mark.parametrize("examples", [10, pytest.param(1000, marks=pytest.mark.fuzz)])
def test_no_request_breaks_the_server(server: Client, examples: int) -> None:
    headers = {"Cookie": server.cookie}
    schema = schemathesis.openapi.from_url(f"{server.address}/api/openapi.json", headers=headers)
    operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert {"/api/position", "/api/export", "/api/runs/{name}/resume"} <= {operation.path for operation in operations}
    for operation in operations:

        @settings(max_examples=examples)
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate(checks=[not_a_server_error], headers=headers)

        ask()


def test_the_command_serves_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    with command("--runs", str(tmp_path)) as (process, client):
        assert client.get("/api/about")["games"]
        with client.socket() as live:
            live.say("search", position=at("connect4"), player="mcts", settings={"sims": 10**9})
            live.hear_until("update")
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0
        assert process.stderr is not None and process.stderr.read() == ""


def test_one_ctrl_c_ends_the_heaviest_search_and_a_second_one_ends_at_once(tmp_path: Path) -> None:
    """Four did not: 1,024 leaves with proofs of a million positions each hear nothing for minutes."""
    heaviest = {"sims": 10**9, "leaves": 16, "prove_nodes": 550}
    for patient in (True, False):
        with command("--runs", str(tmp_path)) as (process, client), client.socket() as live:
            for id, beyond in (
                ("gomoku:15", {"leaves": 1024, "prove_nodes": 10**6}),
                ("gomoku:15,rule=renju", {"lookahead": 3}),
                ("gomoku:15", {"leaves": 257}),
            ):
                live.say("search", position=at(id), player="uniform", settings=heaviest | beyond)
                error = live.hear()["error"]
                assert error["code"] == "bad_setting" and str(error["params"]["most"]) in error["message"]
            live.say("search", position=at("gomoku:15"), player="uniform", settings=heaviest)
            live.hear_until("update")
            if patient:
                process.send_signal(signal.SIGINT)
                assert process.wait(PATIENCE) == 0
            else:
                assert interrupt_again_and_again(process) == 128 + signal.SIGINT
            assert process.stderr is not None and process.stderr.read() == ""


def test_a_taken_port_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert cli.main(["app", "--port", str(taken.getsockname()[1]), "--no-browser"]) == 2
    told = capsys.readouterr().err
    assert "Address already in use" in told and told.count("\n") == 1 and told.startswith("tengen app: ")


def test_a_browser_is_opened_only_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.cli import app

    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not app.can_show_pages()
    monkeypatch.setenv("DISPLAY", ":0")
    assert app.can_show_pages()
