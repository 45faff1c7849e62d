"""What the app tells of games of somebody's own: pieces, where moves come from and go to, texts, rules that fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.appserver import Client, at, serving
from support.owngames import Take, Walls
from tengen import games
from tengen.app.positions import SHOWN_TEXTS, frames
from tengen.app.requests import Position
from tengen.games import sources

pytestmark = pytest.mark.slow

BREAKTHROUGH = Path(__file__).parents[2] / "examples" / "breakthrough.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    sources.load(str(BREAKTHROUGH))
    games.register(Take())
    games.register(Walls())
    with serving(tmp_path_factory.mktemp("runs")) as client:
        yield client


def test_pieces_and_where_they_come_from(server: Client) -> None:
    state = games.make("breakthrough").from_moves("a2b3 b5a4")
    told = server.post("/api/position", {"position": at("breakthrough", "a2b3 b5a4")})
    assert (told["stones"], told["glyphs"]) == (state.stones(), state.glyphs())
    assert (told["last_from"], told["last"]) == (7, 12)
    assert [(move["from"], move["cell"]) for move in told["legal"]] == [
        state.move_cells(action) for action in state.legal_actions()
    ]
    shown = server.post("/api/frames", {"position": at("breakthrough", "a2b3 b5a4")})
    assert shown["froms"] == [None, 24, 7] and shown["lasts"] == [None, 19, 12] and shown["texts"] is None
    assert shown["glyphs"][-1] == told["glyphs"] and shown["frames"][-1] == told["stones"]


def test_a_game_without_a_board_has_texts(server: Client) -> None:
    about = server.get("/api/game", id="take")
    assert about["layout"]["kind"] == "text" and about["start"]["text"].endswith("|" * 40) and not about["set_up"]
    told = server.post("/api/position", {"position": at("take", "[i]<i>-15")})
    assert told["board_text"] == f"<img src=x onerror=alert(1)>[b]\n{'|' * 25}" and told["glyphs"] is None
    assert all((move["from"], move["cell"]) == (None, None) for move in told["legal"])
    shown = server.post("/api/frames", {"position": at("take", "[i]<i>-15 [i]<i>-1")})
    assert [text.count("|") for text in shown["texts"]] == [40, 25, 24]


def test_only_the_last_texts_are_told() -> None:
    game = games.register(Long())
    shown = frames(Position(game=game.id, moves=["0"] * 150))
    assert len(shown["texts"]) == 151
    assert [text is not None for text in shown["texts"][1:]] == [ply > 150 - SHOWN_TEXTS for ply in range(1, 151)]


class Long(Take):
    name, actions, most_plies = "long_take", 1, 200

    def start(self) -> int:
        return 200

    def move_text(self, state: int, action: int) -> str:
        return "0"


def test_built_in_games_say_that_they_have_none_of_it(server: Client) -> None:
    told = server.post("/api/position", {"position": at("go:5", "c3 pass")})
    assert (told["glyphs"], told["board_text"], told["last_from"]) == (None, None, None)
    assert {move["from"] for move in told["legal"]} == {None} and told["legal"][-1]["cell"] is None
    about = server.get("/api/game", id="othello:6")
    assert about["start"]["stones"] == games.make("othello:6").start().stones() and about["set_up"]


def test_a_search_says_where_its_moves_come_from(server: Client) -> None:
    state = games.make("breakthrough").start()
    with server.socket() as socket:
        for player in ("mcts", "random"):
            rows = socket.search("breakthrough", player=player)[-1]["moves"]
            assert {(row["from"], row["cell"]) for row in rows} == {
                state.move_cells(action) for action in state.legal_actions()
            }


def test_rules_that_fail_are_one_line_and_the_app_goes_on(server: Client) -> None:
    error = server.error("/api/position", {"position": at("walls", "c1h")})
    assert error["code"] == "rules_failed"
    assert "walls" in error["message"] and "owngames.py, line" in error["message"]
    assert error["params"]["reason"] == error["message"]
    assert server.post("/api/position", {"position": at("walls", "b2h")})["glyphs"][4] == "<b>"


@pytest.mark.parametrize("format", ["sgf", "json", "moves"])
def test_a_game_is_saved_and_read_again(server: Client, format: str) -> None:
    tree = {"move": None, "children": [{"move": "[i]<i>-3", "children": [{"move": "Stop-1", "children": []}]}]}
    game = games.register(Capital()).id
    file = server.post("/api/export", {"game": game, "tree": tree, "format": format})
    assert server.post("/api/parse", {"text": file["text"], "game": game})["tree"] == tree


class Capital(Take):
    """Its moves have capitals, which a file must keep."""

    name = "capital_take"

    def move_text(self, state: int, action: int) -> str:
        return super().move_text(state, action) if state == 40 else f"Stop-{action + 1}"


@pytest.mark.parametrize("id", ["./breakthrough.py", "support.owngames:Take", "openspiel:unheard_of", "x" * 140])
def test_an_id_only_finds_what_is_registered(server: Client, id: str) -> None:
    assert server.error("/api/position", {"position": at(id)})["code"] == "unknown_game"
