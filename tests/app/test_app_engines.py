"""Other programs in the app: chosen by name, never by a command, kept while a page plays, and then gone."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.appserver import Client, Socket, at, command, eventually, interrupt_again_and_again, serving
from support.outside import add_engine, heard, is_there, write_engines
from tengen.cli import main

pytestmark = pytest.mark.slow

RUDE = "import sys; print('\\x1b[2J\\u202e' + 'x' * 500, file=sys.stderr); sys.exit(1)"


@pytest.fixture
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "engines.toml"
    write_engines(file, "tictactoe", "good", "resign", "crash", "fork", "fork and hang")
    add_engine(file, "rude", [sys.executable, "-c", RUDE])
    add_engine(file, "absent", ["/nowhere/at/all"])
    monkeypatch.setenv("TENGEN_ENGINES", str(file))
    return file


@pytest.fixture
def server(engines: Path) -> Iterator[Client]:
    with serving(engines.with_name("runs")) as client:
        yield client


def ask(live: Socket, player: str, moves: str = "", id: int = 1) -> None:
    live.say("search", id=id, position=at("tictactoe", moves), player=player, live=False, settings={})


def move(live: Socket, player: str, moves: str = "") -> str:
    ask(live, player, moves)
    best: str = live.hear_until("update", done=True)[-1]["best"]
    return best


def fault(live: Socket, player: str) -> dict[str, Any]:
    ask(live, player)
    error: dict[str, Any] = live.hear()["error"]
    return error


def processes(engines: Path, name: str) -> list[int]:
    """The numbers of an engine and of its child, once it thinks."""
    file = engines.with_name(f"{name}.pid")
    eventually(lambda: file.is_file() and len(file.read_text().split()) == 2)
    return [int(number) for number in file.read_text().split()]


def expect_gone(pids: list[int]) -> None:
    eventually(lambda: not any(map(is_there, pids)))


def test_engines_whose_program_is_there_are_offered(server: Client, engines: Path) -> None:
    offered = server.get("/api/players", game="tictactoe")["others"]
    own = {each["id"]: each["searches"] for each in offered if each["id"].startswith("engine:")}
    names = ("good", "resign", "crash", "fork", "fork-and-hang", "rude")
    assert own == {f"engine:{name}": False for name in names}
    engines.write_text("broken")
    assert server.get("/api/players", game="tictactoe")["others"], "without engines, but with the others"


def test_a_program_is_kept_between_moves_and_told_what_is_new(server: Client, engines: Path) -> None:
    with server.socket() as live:
        assert move(live, "engine:good", "a1 b2") == "c1"
        assert move(live, "engine:good", "a1 b2 c1 a2") == "b1"
        lines = heard(engines.with_name("good.log"))
        assert lines.count("clear_board") == 1 and lines[-2:] == ["play w a2", "genmove b"]
        move(live, "engine:good", "b2")  # another game
        assert heard(engines.with_name("good.log")).count("clear_board") == 2


def test_a_resignation_is_no_fault(server: Client) -> None:
    with server.socket() as live:
        ask(live, "engine:resign")
        assert live.hear() == {"type": "resigned", "id": 1}


def test_a_fault_is_told_and_the_next_question_starts_the_program_anew(server: Client, engines: Path) -> None:
    with server.socket() as live:
        for times in (1, 2):
            error = fault(live, "engine:crash")
            assert error["code"] == "engine_failed"
            assert error["params"] == {"engine": "crash", "reason": "crashed, exit code 3: out of ideas"}
            assert heard(engines.with_name("crash.log")).count("clear_board") == times
        engines.write_text(engines.read_text().replace('"crash"', '"good"'))  # it is repaired
        assert move(live, "engine:crash", "a1 b2") == "c1"


def test_what_a_program_complains_reaches_the_page_as_one_short_line(server: Client) -> None:
    with server.socket() as live:
        error = fault(live, "engine:rude")
        assert error["code"] == "engine_failed" and "crashed, exit code 1: ?[2J?xxx" in error["message"]
        assert error["message"].isprintable() and len(error["message"]) < 200


def test_only_names_of_the_list_are_players(server: Client, engines: Path) -> None:
    names = ("nobody", "absent", "", "a b", "../good", "good\n", "good@400", "GOOD", "x" * 81)
    commands = (f"{protocol}:touch owned" for protocol in ("gtp", "gomocup", "nboard"))
    with server.socket() as live:
        for player in (*(f"engine:{name}" for name in names), *commands):
            error = fault(live, player)
            assert error["code"] == "unknown_player" and str(engines.parent) not in str(error)
        assert move(live, "random"), "the conversation goes on"


def test_an_engine_judges_nothing(server: Client) -> None:
    answer = server.post("/api/evaluate", {"position": at("tictactoe"), "players": ["engine:good"]})["answers"][0]
    assert answer["wdl"] is None and answer["certain"] is False
    refused = server.error("/api/evaluate", {"position": at("tictactoe"), "players": ["gtp:touch owned"]})
    assert refused["code"] == "unknown_player"
    with server.socket() as live:
        live.say("review", position=at("tictactoe", "b2"), player="engine:good", settings={})
        assert live.hear()["error"]["code"] == "unknown_player"


def test_one_that_hangs_is_ended_by_the_next_question(server: Client, engines: Path) -> None:
    with server.socket() as live:
        ask(live, "engine:fork-and-hang")
        ask(live, "engine:good", id=2)
        assert live.hear_until("update", done=True)[-1]["id"] == 2
        ask(live, "engine:fork-and-hang")
        pids = processes(engines, "fork-and-hang")
        live.say("stop")
        expect_gone(pids)


def test_a_program_ends_with_its_page(server: Client, engines: Path) -> None:
    with server.socket() as live:
        assert move(live, "engine:fork", "a1 b2") == "c1"
        pids = processes(engines, "fork")
        assert all(map(is_there, pids))
    expect_gone(pids)


def test_idle_ones_end(server: Client, engines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.app.engines.IDLE_SECONDS", 0.0)
    monkeypatch.setattr("tengen.app.engines.LOOK_SECONDS", 0.05)
    with serving(engines.with_name("runs")) as server, server.socket() as live:
        move(live, "engine:fork", "a1 b2")
        expect_gone(processes(engines, "fork"))
        assert move(live, "engine:fork", "a1 b2 c1 a2") == "b1", "and are started again"


def test_there_are_only_a_few_at_once(server: Client, engines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.app.engines.MOST_ENGINES", 1)
    with server.socket() as one, server.socket() as other:
        move(one, "engine:fork", "a1 b2")
        idle = processes(engines, "fork")
        assert move(other, "engine:good", "a1 b2") == "c1", "an idle one makes room"
        assert not any(map(is_there, idle))
        ask(one, "engine:fork-and-hang")
        processes(engines, "fork-and-hang")
        assert fault(other, "engine:good")["code"] == "too_busy"


@pytest.mark.parametrize("times", [1, 2])
def test_nothing_outlives_the_app(engines: Path, times: int) -> None:
    served = command("--runs", str(engines.with_name("runs")), "--engines", str(engines))
    with served as (process, client), client.socket() as live:
        ask(live, "engine:fork-and-hang")
        pids = processes(engines, "fork-and-hang")
        if times == 1:
            process.terminate()
            process.wait()
        else:
            interrupt_again_and_again(process)
        assert not any(map(is_there, pids))


def test_mistakes_in_the_list_are_told_when_the_app_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENGEN_ENGINES", "")
    file = tmp_path / "mine.toml"
    file.write_text("[a]\nkommand = []")
    assert main(["app", "--no-browser", "--port", "0", "--engines", str(file)]) == 2
    told = capsys.readouterr().err
    assert "did you mean command?" in told and told.count("\n") == 1
