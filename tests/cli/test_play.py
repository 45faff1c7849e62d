"""The terminal game: typed moves, commands, languages, and the demo where nobody can type."""

import io
import os
import pty
import re
import select
import signal
import string
import subprocess
import sys
from collections.abc import Callable

import pytest

from support.owngames import Take, Walls
from tengen import games
from tengen.cli import board, main, moves_table, phrases
from tengen.games import sources

Capture = pytest.CaptureFixture[str]
FEW = ("--opponent", "uniform@10", "--set", "search.max_nodes=100000")
PLAY = [sys.executable, "-m", "tengen", "play"]


def play(typed: str, *argv: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return main(["play", *argv])


def test_two_people_play_to_the_end(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert play("1\n2\n1\n2\n1\n2\n1\n", "connect4", "--side", "both", "--lang", "en", monkeypatch=monkeypatch) == 0
    out = capsys.readouterr().out
    assert "The first player wins after 7 plies." in out
    assert "Moves: 1212121" in out
    assert "[X]" in out  # the winning line is marked


def test_a_wrong_move_is_explained_and_asked_again(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert play("9\n[red]\nb2\nb2\nquit\n", "tictactoe", "--side", "both", monkeypatch=monkeypatch) == 0
    out = capsys.readouterr().out
    assert "'9' is not a move; legal moves are a3" in out
    assert "'[red]' is not a move" in out
    assert "illegal move b2" in out


def test_undo_takes_back_the_answer_too(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    typed = "undo\n4\nundo\n4\nhint\nquit\n"
    assert play(typed, "connect4", "--side", "first", "--seed", "3", "--lang", "en", monkeypatch=monkeypatch) == 0
    out = capsys.readouterr().out
    assert "There is no move of yours to take back." in out
    empty = games.make("connect4").start().render()
    assert out.count(empty) == 2  # at the start, and after the undo


def test_undo_keeps_the_opening_move_of_the_other_side(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert play("undo\n", "connect4", "--side", "second", "--lang", "en", monkeypatch=monkeypatch) == 0
    assert "There is no move of yours to take back." in capsys.readouterr().out


def test_hint_names_a_good_move_and_the_next_best(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    argv = ("connect4", "--moves", "444444", "--side", "both", "--lang", "en")
    assert play("hint\n", *argv, monkeypatch=monkeypatch) == 0
    out = capsys.readouterr().out
    assert re.search(r"Try \d \(.*\nNext best: \d \d \d \d, and 1 more\n", out)
    assert play("hint\n", "gomoku:15", "--side", "both", "--lang", "en", *FEW, monkeypatch=monkeypatch) == 0
    found = re.search(r"Try \S+ \(.*\nNext best: (.*), and 220 more\n", capsys.readouterr().out)
    assert found and len(found[1].split()) == 4
    argv = ("tictactoe", "--moves", "b2 a1 c1 a3 a2 c2 b1 b3", "--side", "both", "--lang", "en")
    assert play("hint\n", *argv, monkeypatch=monkeypatch) == 0
    assert "Next best" not in capsys.readouterr().out  # a single move is left
    for opponent in ("mcts:1000", "solver", "random"):
        assert (
            play(
                "hint\n",
                "connect4",
                "--moves",
                "121212",
                "--opponent",
                opponent,
                "--side",
                "both",
                "--lang",
                "en",
                monkeypatch=monkeypatch,
            )
            == 0
        )
        assert "Try 1 (expected score 100%)" in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "lang", "heading"), [("analyze", "en", "visits"), ("分析", "zh", "访问")])
def test_analyze_shows_what_a_search_thinks_of_every_move(
    typed: str, lang: str, heading: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    argv = ("connect4", "--moves", "121212", "--side", "first", "--lang", lang)
    assert play(f"{typed}\n", *argv, monkeypatch=monkeypatch) == 0
    lines = capsys.readouterr().out.splitlines()
    first = next(i for i, line in enumerate(lines) if heading in line)
    moves = [line.split()[0] for line in lines[first + 1 : first + 8]]
    assert moves[0] == "1" and sorted(moves) == list("1234567")  # the winning move stands first


@pytest.mark.parametrize("opponent", ["random", "mcts:50", "mcts:50,solver", "uniform@20", "solver"])
def test_any_player_can_be_the_opponent(opponent: str, capsys: Capture) -> None:
    argv = ["play", "connect4", "--moves", "4444435", "--side", "none", "--opponent", opponent, "--lang", "en"]
    assert main([*argv, "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert f"({opponent}) plays" in out
    assert games.make("connect4").from_moves(out.splitlines()[-1].removeprefix("Moves: ")).is_terminal()


def test_options_reach_the_opponents_search(capsys: Capture) -> None:
    outputs = set()
    for options in ([], ["--sims", "20"], ["--set", "search.c_init=30"]):
        assert main(["play", "connect4", "--side", "none", "--seed", "1", "--opponent", "mcts:200", *options]) == 0
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 3


def test_the_same_seed_gives_the_same_game(capsys: Capture) -> None:
    outputs = []
    for seed in ("5", "5", "6"):
        assert main(["play", "connect4", "--side", "none", "--seed", seed]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != outputs[2]


def test_captures_and_the_count_are_shown(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    typed = "b1\na1\na2\npass\npass\n"  # Black takes a1, and the whole board is Black's
    assert play(typed, "go:5", "--side", "both", "--lang", "en", monkeypatch=monkeypatch) == 0
    out = capsys.readouterr().out
    assert out.count("Captured stones: 1 by the first player, 0 by the second.") == 3
    assert "Score: first player 25, second player 6.5 (B+18.5)." in out
    assert play(typed, "go:5", "--side", "both", "--lang", "zh", monkeypatch=monkeypatch) == 0
    assert "得分：先手 25，后手 6.5（B+18.5）。" in capsys.readouterr().out


def test_games_without_a_count_show_none(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert play("1\n2\n1\n2\n1\n2\n1\n", "connect4", "--side", "both", "--lang", "en", monkeypatch=monkeypatch) == 0
    out = capsys.readouterr().out
    assert "Score" not in out and "Captured" not in out and "connects" not in out


@pytest.mark.parametrize("side", ["both", "none"])
def test_sides_that_differ_are_told_what_to_do(side: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert play("quit\n", "hex:3", "--side", side, "--lang", "en", *FEW, monkeypatch=monkeypatch) == 0
    out = capsys.readouterr().out
    assert "X The first player connects the top side with the bottom side." in out
    assert "O The second player connects the left side with the right side." in out


@pytest.mark.parametrize("name", games.names())
def test_without_a_terminal_a_demo_game_is_shown(name: str) -> None:
    done = subprocess.run(
        [*PLAY, name, "--opponent", "random", "--seed", "1", "--lang", "en"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    moves = done.stdout.splitlines()[-1].removeprefix("Moves: ")
    final = games.make(name).from_moves(moves)
    assert final.is_terminal()
    assert final.render() in done.stdout


def test_the_end_of_input_quits_politely(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert play("", "connect4", "--side", "first", "--lang", "en", monkeypatch=monkeypatch) == 0
    assert capsys.readouterr().out.endswith("Goodbye.\n")


@pytest.mark.parametrize(
    ("environment", "goodbye"), [({"LANG": "zh_CN.UTF-8"}, "再见"), ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "Goodbye")]
)
def test_the_language_comes_from_the_environment(
    environment: dict[str, str], goodbye: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert play("退出\n", "connect4", "--side", "first", monkeypatch=monkeypatch) == 0
    assert goodbye in capsys.readouterr().out


def test_all_languages_have_all_phrases() -> None:
    assert len({frozenset(table) for table in phrases.PHRASES.values()}) == 1
    assert set(moves_table.HEADINGS) == set(moves_table.PROVEN) == set(phrases.PHRASES)
    assert len({len(headings) for headings in moves_table.HEADINGS.values()}) == 1


def test_phrases_have_the_same_blanks_in_all_languages() -> None:
    def blanks(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for phrase, text in phrases.PHRASES["en"].items():
        assert all(blanks(table[phrase]) == blanks(text) for table in phrases.PHRASES.values()), phrase


@pytest.mark.parametrize("leave", ["Ctrl-C", "Ctrl-D", "quit"])
def test_in_a_terminal(leave: str) -> None:
    """A real terminal: colours, typed moves, an answer, and every way to leave."""
    keyboard, terminal = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "LANG": "C.UTF-8", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    command = [*PLAY, "connect4", "--seed", "1", "--lang", "en"]
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    try:
        screen = read_until(keyboard, b"first player> ")
        os.write(keyboard, b"4\n")
        screen += read_until(keyboard, b"first player> ")
        screen += read_until(keyboard, b"Goodbye.", lambda: press(leave, keyboard, process))
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(keyboard)
    assert "●".encode() in screen and b"\x1b[" in screen
    assert b"(shipped) plays" in screen and b"Traceback" not in screen


def press(leave: str, keyboard: int, process: "subprocess.Popen[bytes]") -> None:
    if leave == "Ctrl-C":
        process.send_signal(signal.SIGINT)
    else:
        os.write(keyboard, b"\x04" if leave == "Ctrl-D" else b"quit\n")


def read_until(terminal: int, text: bytes, press_key: Callable[[], None] = lambda: None) -> bytes:
    """Presses a key and reads until a text appears. Ctrl-C in the instant before the game starts to wait for input
    is noticed only after more input, so the key is pressed again when nothing happens."""
    screen = b""
    for _ in range(10):
        press_key()
        while select.select([terminal], [], [], 6)[0]:
            screen += os.read(terminal, 4096)
            if text in screen:
                return screen
    raise AssertionError(f"waited for {text!r} after {screen!r}")


@pytest.mark.parametrize("name", games.names())
def test_the_coloured_board_shows_every_stone(name: str) -> None:
    from rich.console import Console

    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=120)
    state = games.make(name).start()
    for _ in range(5):
        state.apply(state.legal_actions()[0])
    console.print(board.draw_board(console, state))
    look = board.LOOKS[state.game.layout()["kind"]]
    drawn = console.file.getvalue()  # type: ignore[attr-defined]
    symbols = [symbol for symbol, _ in look.stones]
    stones = sum(1 for stone in state.stones() if stone)
    assert sum(drawn.count(symbol) for symbol in set(symbols)) == stones
    assert drawn.count("\n") == state.game.layout()["rows"] + 1


COLOURED = {"force_terminal": True, "color_system": "truecolor", "width": 120}


def drawn(state: games.State, **options: object) -> str:
    from rich.console import Console

    console = Console(file=io.StringIO(), **options)  # type: ignore[arg-type]
    console.print(board.draw_board(console, state))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_pieces_are_drawn_by_their_glyphs_and_a_game_without_a_board_by_its_text() -> None:
    state = sources.load("examples/breakthrough.py").from_moves("b2a3")
    rows = drawn(state, **COLOURED).splitlines()
    assert rows[3] == "  3  ♟  ·  ·  ·  ·  · " and rows[-1].split() == list("abcdef")
    assert drawn(state, color_system=None).splitlines()[3:5] == ["  3 X♟  .  .  .  .  .", "  2 X♟  . X♟ X♟ X♟ X♟"]
    walls = games.register(Walls()).from_moves("b2h b3v")
    assert drawn(walls, **COLOURED).splitlines()[:2] == ["  3   ·    │    ·  ", "  2   ·   <b>   ·  "]
    take = games.register(Take()).start()
    assert drawn(take, **COLOURED) == drawn(take, color_system=None) == f"{take.text()}\n"


def test_the_words_of_a_game_are_no_markup() -> None:
    from rich.console import Console

    from tengen.cli.play import Table
    from tengen.play.players import make_player

    game = games.register(Take())
    console = Console(file=io.StringIO(), width=200)
    table = Table(game.start(), make_player("random", game, seed=1), "en", console)
    table.show_analysis()
    table.play_typed("[i]<i>-15")
    table.answer()
    said: str = console.file.getvalue()  # type: ignore[attr-defined]
    assert said.count("[i]<i>-") >= 16 and "plays [i]<i>-" in said
