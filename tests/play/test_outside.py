"""Other programs as players: what they are told, what is understood, and that none of them can do harm."""

import gc
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from support.outside import heard, is_there, scripted, scripted_command, write_engines
from tengen import Game, State, games
from tengen.cli import main
from tengen.games import GameError
from tengen.play.arena import Match, draw_openings, play_match, save_games
from tengen.play.choosers import Forfeit, PlayerError, RandomPlayer
from tengen.play.outside.limits import EngineLimits
from tengen.play.outside.named import engines_for, find_engine, read_engines
from tengen.play.outside.opponent import Engine, OutsidePlayer
from tengen.play.outside.process import EngineFault, EngineProcess
from tengen.play.players import make_player, slots_that_fit

LONG = 30.0  # seconds that nothing here takes


def match_of(player: OutsidePlayer, id: str, pairs: int = 2, slots: int = 1, plies: int | None = None) -> Match:
    game = games.make(id)
    openings = draw_openings(game, pairs, plies)
    return play_match(game, RandomPlayer(slots, 1), player, openings, slots=slots)


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + LONG
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "id"),
    [("gtp", "tictactoe"), ("gtp", "go:5"), ("gtp", "connect4"), ("gomocup", "gomoku:6"), ("nboard", "othello")],
)
def test_whole_games_are_played_with_either_colour(protocol: str, id: str) -> None:
    match = match_of(scripted(protocol, id, slots=2), id, pairs=2, slots=2)
    assert len(match.games) == 4 and not any(game.forfeit for game in match.games)
    for played in match.games:
        state = match.game.start()
        for action in played.moves:
            if state.ply() >= len(played.opening) and (state.to_move() == 0) != (played.side == 0):
                expected = state.legal_actions()[0 if protocol == "gomocup" else -1]
                assert action == expected, "a move was misunderstood"
            state.apply(action)
        assert state.is_terminal()


@pytest.mark.slow
def test_gtp_is_told_what_is_new(tmp_path: Path) -> None:
    log, game = tmp_path / "log", games.make("go:5,komi=7.5")
    player = scripted("gtp", game.id, log=log, seconds=1.5)
    state = game.from_moves("c3 b2")
    (action,) = player.act_many([state], [0])
    assert isinstance(action, int) and state.move_text(action) == "pass"
    begin = ["boardsize 5", "komi 7.5", "time_settings 0 2 1", "clear_board"]
    assert heard(log) == [*begin, "play b c3", "play w b2", "genmove b"]
    state.apply(action)
    state.apply(state.parse_move("c4"))
    player.act_many([state], [0])
    assert heard(log)[7:] == ["play w c4", "genmove b"]
    player.act_many([game.from_moves("a1")], [0])  # another game: it begins anew
    assert heard(log)[9:] == [*begin, "play b a1", "genmove w"]
    player.new_game(0, 1)
    player.act_many([game.start()], [0])
    assert heard(log)[15:] == [*begin, "genmove b"]


@pytest.mark.slow
def test_gomocup_is_told_positions_and_turns(tmp_path: Path) -> None:
    log, game = tmp_path / "log", games.make("gomoku:7,rule=renju")
    player = scripted("gomocup", game.id, log=log, seconds=0.5, memory_mb=1000)
    state = game.from_moves("d4 a6")
    (action,) = player.act_many([state], [0])
    assert isinstance(action, int) and state.move_text(action) == "a7", "the top left is 0,0"
    times = [f"INFO {each}" for each in ("timeout_turn 500", "timeout_match 0", "time_left 2147483647")]
    begin = ["START 7", "INFO max_memory 1048576000", "INFO game_type 1", "INFO rule 4", *times]
    assert heard(log) == [*begin, "BOARD", "3,3,1", "0,1,2", "DONE"]
    state.apply(action)
    state.apply(state.parse_move("g1"))
    player.act_many([state], [0])
    assert heard(log)[11:] == [*times, "TURN 6,6"]
    player.act_many([game.start()], [0])
    assert heard(log)[15:] == [*begin, "BEGIN"]
    set_up = game.position("X....../......O/......./......./......./......./....... X")
    player.act_many([set_up], [0])
    assert heard(log)[23:] == [*begin, "BOARD", "0,0,1", "6,1,2", "DONE"]


@pytest.mark.slow
def test_nboard_is_told_a_game_and_its_moves(tmp_path: Path) -> None:
    log, game = tmp_path / "log", games.make("othello")
    player = scripted("nboard", game.id, log=log, depth=4)
    state = game.from_moves("f5 d6")
    (action,) = player.act_many([state], [0])
    assert isinstance(action, int)
    board = "-" * 27 + "O*------*O" + "-" * 27
    names = "PC[Tengen]PB[first]PW[second]RE[?]TI[0]TY[8]"
    ggf = f"set game (;GM[Othello]{names}BO[8 {board} *]B[F5]W[D6];)"
    assert heard(log) == ["nboard 2", "set depth 4", ggf, "ping 1", "go"]
    own = state.move_text(action).upper()
    state.apply(action)
    other = state.legal_actions()[0]
    texts = [f"move {own}", f"move {state.move_text(other).upper()}"]
    state.apply(other)
    player.act_many([state], [0])
    assert heard(log)[5:] == [*texts, "ping 2", "go"]


@pytest.mark.slow
def test_a_pass_is_told_and_understood() -> None:
    """White has no move here; Black has one."""
    game = games.make("othello")
    state = game.position("XO....../......../......../...XX.../...XX.../......../......../........ O")
    assert [state.move_text(action) for action in state.legal_actions()] == ["pass"]
    player = scripted("nboard", game.id)
    (action,) = player.act_many([state], [0])
    assert action == state.legal_actions()[0]
    state.apply(state.legal_actions()[0])
    (action,) = player.act_many([state], [0])
    assert action == state.legal_actions()[-1]


@pytest.mark.slow
def test_gtp_refuses_what_it_cannot_tell() -> None:
    game = games.make("tictactoe")
    (answer,) = scripted("gtp", game.id).act_many([game.position("X../.O./... X")], [0])
    assert isinstance(answer, Forfeit) and "set up from text" in answer.reason


FAULTS = {
    "cheat": "illegal move",
    "crash": "crashed, exit code 3: out of ideas",
    "hang": "silent for 1 s",
    "flood": "more than 8 MB of output without an answer",
    "endless": "a line of more than 1 MB",
    "hog": "crashed, exit code 1: MemoryError",
}


@pytest.mark.slow
@pytest.mark.parametrize("habit", FAULTS)
def test_a_fault_loses_the_game_and_the_next_one_begins_anew(habit: str) -> None:
    limits = {"patience": 1.0} if habit == "hang" else {"memory_mb": 600} if habit == "hog" else {}
    match = match_of(scripted("gtp", "tictactoe", habit, **limits), "tictactoe", pairs=1)
    assert [game.points for game in match.games] == [1, 1]
    (reason,) = match.faults(1)
    assert FAULTS[habit] in reason and match.faults(1)[reason] == 2 and not match.faults(0)


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "id"), [("gomocup", "gomoku:6"), ("nboard", "othello")])
@pytest.mark.parametrize("habit", ["cheat", "crash", "flood"])
def test_faults_are_the_same_in_every_protocol(protocol: str, id: str, habit: str) -> None:
    (answer,) = scripted(protocol, id, habit).act_many([games.make(id).start()], [0])
    assert isinstance(answer, Forfeit) and answer.fault and FAULTS[habit] in answer.reason


@pytest.mark.slow
def test_who_resigns_loses_without_a_fault() -> None:
    match = match_of(scripted("gtp", "tictactoe", "resign"), "tictactoe", pairs=1)
    assert {game.forfeit for game in match.games} == {"resigned"} and match.wins == 2 and not match.faults(1)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fault", "close", "forgotten"])
def test_its_whole_group_ends(tmp_path: Path, how: str) -> None:
    habit = "fork and hang" if how == "fault" else "fork"
    player = scripted("gtp", "tictactoe", habit, tmp_path / "log", patience=2.0)
    (answer,) = player.act_many([games.make("tictactoe").start()], [0])
    assert isinstance(answer, Forfeit) == (how == "fault")
    both = [int(pid) for pid in (tmp_path / "log.pid").read_text().split()]
    assert len(both) == 2 and (how == "fault" or all(map(is_there, both)))
    if how == "close":
        player.close()
    elif how == "forgotten":
        del player
        gc.collect()
    assert eventually(lambda: not any(map(is_there, both)))


@pytest.mark.slow
@pytest.mark.parametrize("habit", ["good", "deaf"])
def test_it_ends_with_python(habit: str, tmp_path: Path) -> None:
    """Also where its owner never closes it, and it does not want to."""
    code = f"""if True:
    import sys, os
    from tengen import games
    from tengen.play.outside.limits import EngineLimits
    from tengen.play.outside.process import EngineProcess
    process = EngineProcess({scripted_command("gtp", "tictactoe", habit)!r}, EngineLimits())
    process.send("clear_board", "genmove b")
    process.line()
    print(process._child.pid)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG, check=True)
    assert eventually(lambda: not is_there(int(done.stdout)))


@pytest.mark.slow
def test_waiting_ends_soon_when_it_is_stopped() -> None:
    game, player = games.make("tictactoe"), scripted("gtp", "tictactoe", "hang", slots=2, patience=1000.0)
    begun = time.monotonic()
    stop = lambda: time.monotonic() > begun + 0.5  # noqa: E731
    match = play_match(game, RandomPlayer(2, 0), player, draw_openings(game, 2), slots=2, stopped=stop)
    assert not match.games and time.monotonic() < begun + LONG


def test_a_program_that_never_reads_is_silent() -> None:
    """What it does not read stays here; it must not stop whoever asks."""
    process = EngineProcess(("sleep", "100"), EngineLimits(patience=0.2))
    process.send("x" * 500_000)
    with pytest.raises(EngineFault, match="silent for"):
        process.line()
    process.close()


def test_errors_do_not_fill_the_pipe() -> None:
    code = "import sys; sys.stderr.write('e' * 300000); sys.stderr.flush(); print('done', flush=True); input()"
    process = EngineProcess((sys.executable, "-c", code), EngineLimits())
    process.send("go")
    assert process.line() == "done"
    process.close()


@pytest.mark.parametrize(
    ("spec", "id", "words"),
    [
        ("gtp:", "go:9", "needs a command"),
        ("gtp:'a", "go:9", "no closing quotation"),
        ("gtp:/no/such/program", "go:9", "there is no program '/no/such/program'"),
        ("gomocup:true", "go:9", "games of stones in a row"),
        ("gomocup:true", "gomoku:6,in_a_row=4", "only 5 in a row"),
        ("nboard:true", "othello:6", "8 × 8"),
        ("engine:nobody", "go:9", "no such engine"),
    ],
)
def test_what_cannot_play_is_said_before_the_first_game(spec: str, id: str, words: str) -> None:
    with pytest.raises(PlayerError, match=words):
        make_player(spec, games.make(id), commands=True)


def test_few_games_of_other_programs_run_side_by_side() -> None:
    assert slots_that_fit("gtp:true", games.make("go:9")) <= 2 * (os.cpu_count() or 1)


ENGINES = """
[mine]
protocol = "gtp"
command = ["true", "--x"]
games = ["go"]
seconds = 2
"""


@pytest.fixture
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "engines.toml"
    monkeypatch.setenv("TENGEN_ENGINES", str(file))
    file.write_text(ENGINES)
    return file


def test_engines_are_found_by_name(engines: Path) -> None:
    assert find_engine("mine") == Engine("gtp", ("true", "--x"), EngineLimits(seconds=2), ("go",))
    assert engines_for(games.make("go:9")) == ["mine"] and engines_for(games.make("hex:7")) == []
    with pytest.raises(PlayerError, match="does not play hex:7: it plays go"):
        make_player("engine:mine", games.make("hex:7"))
    with pytest.raises(PlayerError, match="did you mean mine"):
        find_engine("mini")


def test_without_a_file_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TENGEN_ENGINES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert read_engines() == {}
    (tmp_path / "tengen").mkdir()
    (tmp_path / "tengen" / "engines.toml").write_text(ENGINES)
    assert list(read_engines()) == ["mine"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[a", "engines.toml: "),
        ("a = 1", "must be a table"),
        ("[a]\nprotokol = 'gtp'", "did you mean protocol"),
        ("[a]\nprotocol = 'uci'\ncommand = ['a']", "protocol must be gtp, gomocup, nboard"),
        ("[a]\nprotocol = 'gtp'\ncommand = 'a b'", "command must be a list"),
        ("[a]\nprotocol = 'gtp'\ncommand = []", "command must be a list"),
        ("[a]\nprotocol = 'gtp'\ncommand = ['a']\ngames = ['hexx']", "did you mean hex"),
        ("[a]\nprotocol = 'gtp'\ncommand = ['a']\npatience = 0", "patience must be"),
        ("[a]\nprotocol = 'gtp'\ncommand = ['a']\nseconds = 'long'", "seconds must be a number"),
        ("['a b']\nprotocol = 'gtp'\ncommand = ['a']", "names of engines"),
    ],
)
def test_mistakes_in_the_file_are_told(engines: Path, text: str, words: str) -> None:
    engines.write_text(text)
    with pytest.raises(PlayerError) as error:
        read_engines()
    assert words in str(error.value) and "\n" not in " ".join(str(error.value).split())


@pytest.mark.slow
def test_a_match_says_who_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crash = "gtp:" + shlex.join(scripted_command("gtp", "tictactoe", "crash"))
    saved = tmp_path / "games.txt"
    command = ["match", "tictactoe", "random", crash, "--games", "2", "--save", str(saved)]
    assert main([*command, "--set-b", "engine.patience=20"]) == 0
    assert "\n  B: 2 games lost by fault: 2 crashed, exit code 3: out of ideas\n" in capsys.readouterr().out
    assert [line.split("\t")[6] for line in saved.read_text().splitlines()[1:]] == [
        "crashed, exit code 3: out of ideas"
    ] * 2
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["faults"] == {"a": {}, "b": {"crashed, exit code 3: out of ideas": 2}}
    assert main([*command, "--set-b", "search.sims=20"]) == 2
    assert "a setting is engine.NAME=VALUE" in capsys.readouterr().err


@pytest.mark.slow
def test_a_game_in_the_terminal_ends_with_a_fault(capsys: pytest.CaptureFixture[str], engines: Path) -> None:
    write_engines(engines, "tictactoe", "cheat")
    assert main(["play", "tictactoe", "--side", "none", "--opponent", "engine:cheat", "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert "(engine:cheat) gives up the game: illegal move k99" in said and "second player wins" in said


class GivesUp(RandomPlayer):
    """After some plies, in every second game."""

    name = "quitter"

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int | Forfeit]:  # type: ignore[override]
        moves = super().act_many(states, slots)
        return [
            Forfeit("silent for 9 s") if state.ply() >= 3 and self._numbers[slot] % 2 else move
            for state, slot, move in zip(states, slots, moves, strict=True)
        ]


def test_a_forfeit_ends_the_game_at_once(tmp_path: Path) -> None:
    game = games.make("connect4")
    match = play_match(game, GivesUp(4, 0), RandomPlayer(4, 1), draw_openings(game, 4, 1), slots=4)
    assert len(match.games) == 8
    for played in match.games:
        lost = played.number % 2 == 1
        assert (played.forfeit is not None) == lost and (not lost or (played.points == 0 and len(played.moves) <= 4))
    assert match.faults(0) == {"silent for 9 s": 4} and not match.faults(1)
    save_games(match, tmp_path / "games.txt")
    rows = [line.split("\t") for line in (tmp_path / "games.txt").read_text().splitlines()[1:]]
    assert [row[6:] for row in rows] == [[], ["silent for 9 s"]] * 4
    assert all(row[3] == "1" for row in rows[1::2]), "A has the second side in odd games"


def test_nobody_else_can_name_a_command(engines: Path) -> None:
    with pytest.raises(GameError, match="for the command line"):
        make_player("gtp:touch /tmp/owned", Game.parse("go:9"))
