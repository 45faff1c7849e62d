"""Other programs in the app: chosen by name, never by a command, started for a move and ended with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.appserver import Client, at, serving
from support.outside import write_engines
from tengen.cli import main

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    file = tmp_path / "engines.toml"
    write_engines(file, "tictactoe", "good", "crash", "hang")
    monkeypatch.setenv("TENGEN_ENGINES", str(file))
    with serving(tmp_path / "runs") as client:
        yield client


def test_engines_are_offered_and_play(server: Client) -> None:
    offered = server.get("/api/players", game="tictactoe")["others"]
    assert [each["id"] for each in offered if not each["searches"]][-3:] == [
        "engine:good",
        "engine:crash",
        "engine:hang",
    ]
    with server.socket() as live:
        last = live.search("tictactoe", "a1 b2", player="engine:good", live=False)[-1]
        assert last["best"] == last["moves"][0]["move"] == "c1" and last["done"]


@pytest.mark.parametrize(
    ("player", "code", "words"),
    [
        ("engine:crash", "engine_failed", "crashed, exit code 3: out of ideas"),
        ("engine:nobody", "unknown_player", "no such engine"),
        ("gtp:touch owned", "unknown_player", "there is no player"),
    ],
)
def test_what_fails_is_told(server: Client, player: str, code: str, words: str) -> None:
    with server.socket() as live:
        live.say("search", position=at("tictactoe"), player=player, live=False, settings={})
        error = live.hear()["error"]
        assert error["code"] == code and words in error["message"]
        assert live.search("tictactoe", player="random")[-1]["done"], "the conversation goes on"


def test_an_engine_that_hangs_can_be_interrupted(server: Client) -> None:
    with server.socket() as live:
        live.say("search", id=1, position=at("tictactoe"), player="engine:hang", live=False, settings={})
        live.say("search", id=2, position=at("tictactoe"), player="engine:good", live=False, settings={})
        assert live.hear_until("update", done=True)[-1]["id"] == 2


def test_mistakes_in_the_list_are_told_when_the_app_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENGEN_ENGINES", "")
    file = tmp_path / "mine.toml"
    file.write_text("[a]\nkommand = []")
    assert main(["app", "--no-browser", "--port", "0", "--engines", str(file)]) == 2
    assert "did you mean command?" in capsys.readouterr().err
