"""Gomocup's protocol: every command, the limits, and whatever a stranger sends."""

import itertools
import random
import re
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen import GameError, games
from tengen.config import SearchConfig
from tengen.engine.channel import Odd, Script
from tengen.engine.gomocup import COMMANDS, Brain, serve
from tengen.engine.gomocup_limits import UNLIMITED, GomocupLimits
from tengen.engine.memory import LEAST, fit_memory
from tengen.engine.thinker import Thinker
from tengen.search.agent import node_bytes

ANSWER = re.compile(r'\d+,\d+(?: \d+,\d+){0,2}|SWAP|OK|ERROR \S.*|UNKNOWN \S.*|name="[^"]+", version="[^"]+"')
COMMAND = [sys.executable, "-m", "tengen", "engine", "gomocup"]


class Talk:
    """A brain and what it says."""

    def __init__(self, game: str = "gomoku:15", player: str | None = "plain:200", *start: str) -> None:
        self.script = Script([])
        self.thinker = Thinker(player, seed=1, threads=1)
        self.brain = Brain(self.script, self.thinker, games.make(game))
        self(*start)

    def __call__(self, *lines: str) -> list[str]:
        """The answers to some lines."""
        self.script.said = ""
        self.script.lines.extend(lines)
        while (line := self.brain.read()) is not Odd.END:
            assert self.brain.obey(str(line))
        *said, rest = self.script.said.split("\r\n")
        assert rest == "" and not any("\n" in line or "\r" in line for line in said)
        return said


def started(size: int = 15, *info: str, player: str | None = "plain:200") -> Talk:
    return Talk("gomoku:15", player, f"START {size}", *info)


def stones(*cells: str) -> list[str]:
    return ["BOARD", *cells, "DONE"]


def test_a_session_word_by_word() -> None:
    lines = "ABOUT|INFO timeout_match 0|START 9|BEGIN|TURN 0,0|turn 8,8||PLAY 1,1|RESTART|TURN 4,4|TAKEBACK 9,9"
    more = "RECTSTART 9,8|RECTSTART 10,10|START 1000|START|END|ABOUT"
    script = Script(f"{lines}|{more}".split("|"))
    serve(script, Thinker("plain:200", seed=1, threads=1), games.make("gomoku:15"))
    assert script.said.split("\r\n") == [
        f'name="Tengen", version="{version("tengen")}"',
        "OK",
        "4,3",
        "3,3",
        "4,2",
        "UNKNOWN command",
        "OK",
        "4,3",
        "ERROR coordinates are from 0 to 8",
        "ERROR rectangular boards are not supported",
        "OK",
        "ERROR unsupported size",
        "ERROR START needs a size",
        "",
    ]


def test_other_games_are_refused() -> None:
    with pytest.raises(GameError, match="stones in a row"):
        serve(Script([]), Thinker("plain:9"), games.make("othello"))


@pytest.mark.parametrize("size", [6, 15, 19, 20])
def test_sizes(size: int) -> None:
    talk = started(size, player="plain:5")
    assert talk("INFO timeout_turn 0", f"TURN {size - 1},0") != []
    assert talk("RESTART", *stones(f"{size - 1},{size - 1},2"))[0] == "OK"


def test_sizes_that_there_are_not() -> None:
    talk = started()
    for size in ["5", "21", "1000", "-1", "", "1e3", "９"]:
        assert talk(f"START {size}")[0].startswith("ERROR ")
    assert talk("BEGIN")[0] == talk("RESTART", "BEGIN")[1]


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("START", "RECTSTART", "INFO", "ABOUT")])
def test_commands_before_start(command: str) -> None:
    assert Talk()(f"{command} 1,1") == ["ERROR START comes first"]


INFORMATION = "timeout_turn 100|timeout_match 1000|time_left 1000|time_left -5|max_memory 0|game_type 1|rule 1"
NONSENSE = "evaluate 3,3|folder /etc|timeout_turn x|max_memory 99999999999999999999|xyz 3||\0"


@pytest.mark.parametrize("info", f"{INFORMATION}|{NONSENSE}".split("|"))
def test_information_has_no_answer(info: str) -> None:
    for talk in (Talk(), started()):
        assert talk(f"INFO {info}") == []
        assert talk("START 9", "TURN 4,4")[0] == "OK"


def test_rules() -> None:
    """Six in a row win in freestyle, and for the second player of renju; a game of exactly five goes on."""
    five = [f"{x},0,1" for x in (0, 1, 2, 4, 5)] + [f"{x},14,2" for x in (0, 2, 4, 6, 8)]
    over = "ERROR the game is over"
    assert started(15, "INFO rule 0")(*stones(*five), "TURN 9,9") == ["3,0", over]
    assert started(15, "INFO rule 1")(*stones(*five), "TURN 9,9")[1] != over
    assert started(15, "INFO rule 4")(*stones(*five))[0] != "3,0"
    assert started(15, "INFO rule 4")(*stones(*five, "10,14,2"), "TURN 9,9") == ["3,0", over]


def test_a_rule_changes_before_start_and_in_a_game() -> None:
    for talk in (Talk("gomoku:15", "plain:9", "INFO rule 4", "START 15"), started(15, "INFO rule 4")):
        assert talk.brain._board and talk.brain._board.game.id == "gomoku:15,rule=renju"
    talk = Talk("gomoku:15,rule=renju", "plain:9", "START 15", *stones("7,7,2"), "INFO rule 0")
    assert talk.brain._board and talk.brain._board.game.id == "gomoku:15" and talk.brain._board.state.ply() == 2


@pytest.mark.parametrize("rule", ["2", "8", "5", "12", "x", ""])
def test_rules_that_there_are_not_are_told_with_the_next_answer(rule: str) -> None:
    talk = started(15, "INFO rule 1")
    assert talk(f"INFO rule {rule}") == []
    message, answer = talk("RESTART")
    assert message.startswith("MESSAGE this rule is not supported") and answer == "OK"
    assert talk("RESTART") == ["OK"]
    assert talk.brain._board and talk.brain._board.game.id == "gomoku:15,rule=exact"


def test_forbidden_moves_are_never_played() -> None:
    """A weak first player among its own stones, where many points are forbidden."""
    renju, rng, forbidden = games.make("gomoku:9,rule=renju"), random.Random(1), 0
    for _ in range(12):
        talk = Talk("gomoku:9", "mcts:2", "INFO rule 4", "START 9")
        state, answer = renju.start(), talk("BEGIN")[0]
        while True:
            x, y = map(int, answer.split(","))
            state.apply(9 * y + x)  # raises where the rules forbid it
            if not state.is_terminal():
                edge = [a for a in state.legal_actions() if a % 9 in (0, 8) or a // 9 in (0, 8)]
                action = rng.choice(edge or state.legal_actions())
                state.apply(action)
            if state.is_terminal():
                break
            forbidden += 81 - state.ply() - len(state.legal_actions())
            answer = talk(f"TURN {action % 9},{action // 9}")[0]
    assert forbidden > 20


def test_a_forbidden_move_of_the_opponent_is_refused() -> None:
    talk = started(15, "INFO rule 4", *stones("5,7,2", "6,7,2", "7,5,2", "0,0,1", "0,14,1"), player="plain:9")
    board = talk.brain._board
    assert board
    board.set_up(
        [
            {"7,6": 1, "5,7": 1, "6,7": 1, "7,5": 1, "0,0": 2, "0,14": 2, "14,0": 2, "14,14": 2}.get(
                f"{cell % 15},{cell // 15}", 0
            )
            for cell in range(225)
        ],
        0,
    )
    assert talk("TURN 7,7")[0].startswith("ERROR ") and talk("TURN 7,9")[0][0].isdigit()


def granted(limits: GomocupLimits, share: float = 1.0, waited: float = 0.0) -> tuple[float, float]:
    budget = limits.budget(100, share, waited)
    assert budget is not None
    return budget.aim, budget.most


def test_limits_become_budgets() -> None:
    limits = GomocupLimits()
    assert limits.budget(100, 1.0, 0.0) is None
    limits.set("timeout_turn", 300)
    assert granted(limits) == pytest.approx((0.2, 0.2))
    assert granted(limits, 0.5, 0.05) == pytest.approx((0.05, 0.05))
    limits.set("timeout_turn", 0)
    assert granted(limits) == (0, 0)
    limits.set("timeout_turn", 10_000)
    limits.set("timeout_match", 60_000)
    first = granted(limits)
    assert 1 < first[0] < 3 and first[1] < 9.8
    limits.spend(59.0)
    assert granted(limits)[1] < 0.2
    limits.restart()
    assert granted(limits) == first
    limits.set("time_left", -5)
    assert granted(limits)[1] < 0.01
    limits.set("time_left", UNLIMITED)
    limits.set("timeout_turn", UNLIMITED)
    assert granted(limits) == pytest.approx((UNLIMITED / 1000 - 0.3,) * 2)


@pytest.mark.parametrize(
    ("info", "seconds"), [("timeout_turn 300", 0.3), ("timeout_turn 0", 0.3), ("time_left 900", 0.3)]
)
def test_moves_are_made_in_time(info: str, seconds: float) -> None:
    talk = Talk("gomoku:15", None, "START 15", f"INFO {info}")
    talk.thinker.agent(games.make("gomoku:15"))
    for command in ["BEGIN", "TURN 0,0", "TURN 0,2"]:
        begun = time.monotonic()
        assert talk(command)[0][0].isdigit()
        assert time.monotonic() - begun < seconds + 1.0  # the machine may be busy


def test_all_the_time_of_a_turn_is_used() -> None:
    talk = Talk("gomoku:15", None, "START 15", "INFO timeout_turn 450", "INFO time_left 2147483647")
    talk(*stones("7,7,2", "0,0,1", "8,9,2"))
    many = talk.thinker.agent(games.make("gomoku:15")).search.visits(0)
    talk("INFO timeout_turn 0", "RESTART", *stones("7,7,2", "0,0,1", "8,9,2"))
    assert many > 2 * talk.thinker.agent(games.make("gomoku:15")).search.visits(0)


def test_memory_bounds_tree_and_cache() -> None:
    game, config = games.make("gomoku:20"), SearchConfig()
    large, enough = fit_memory(config, game, 8 << 30)
    assert enough is None and large.cache_mb == config.cache_mb
    assert 2 * large.max_nodes * node_bytes(game) + (large.cache_mb << 20) < 8 << 30
    small, complaint = fit_memory(config, game, 1)
    assert complaint and "are needed" in complaint and small.cache_mb == 0
    assert 2 * small.max_nodes * node_bytes(game) <= LEAST
    assert fit_memory(config.replace(max_nodes=9), game, 8 << 30)[0].max_nodes == 9
    assert fit_memory(config, game, 10**15)[0] == large  # no more than without a limit


def test_too_little_memory_is_told_once_and_the_game_goes_on() -> None:
    talk = started(15, "INFO max_memory 1000000")
    message, answer = talk("BEGIN")
    assert message.startswith("MESSAGE 0 MB of memory are too little") and answer[0].isdigit()
    assert len(talk("TURN 0,0")) == 1
    few = talk.thinker.agent(games.make("gomoku:15")).config.max_nodes
    talk("INFO max_memory 0", "RESTART")
    assert 0 < few < 5000 and talk.thinker.agent(games.make("gomoku:15")).config.max_nodes == 0


def test_stones_in_any_order_give_the_same_move() -> None:
    cells = ["7,7,2", "6,6,1", "8,8,2", "6,8,1", "9,9,2"]
    orders = itertools.islice(itertools.permutations(cells), 0, 120, 17)
    assert len({tuple(started()(*stones(*order))) for order in orders}) == 1
    assert started()(*stones())[0][0].isdigit()


@pytest.mark.parametrize(
    "lines",
    [
        ["1,1,1", "1,1,2", "DONE"],
        ["1,1,3", "DONE"],
        ["1,1,1", "DONE"],
        ["1,1,2", "2,2,2", "DONE"],
        ["15,1,2", "DONE"],
        ["1,1", "DONE"],
        ["1,1,2", "rubbish", "2,2,1", "3,3,2", "DONE"],
        ["1,1,2", "１,2,1", "DONE"],
        ["1,1,2"],
        [],
        [*(f"{x},0,2" for x in range(5)), *(f"{x},2,1" for x in (0, 2, 4, 6)), "DONE"],
        [*(f"{x},0,1" for x in range(5)), *(f"{x},2,2" for x in (0, 2, 4, 6, 8)), "DONE"],
    ],
)
@pytest.mark.parametrize("command", ["BOARD", "SWAP2BOARD"])
def test_a_list_of_stones_that_is_wrong_changes_nothing(command: str, lines: list[str]) -> None:
    if command == "SWAP2BOARD" and lines in ([], ["1,1", "DONE"]):
        lines = ["1,1"]
    talk = started(15, "TURN 7,7")
    before = talk.brain._board.state.position_text() if talk.brain._board else ""
    (answer,) = talk(command, *lines)
    assert answer.startswith("ERROR ")
    assert talk.brain._board and talk.brain._board.state.position_text() == before


def test_a_command_ends_a_list_of_stones() -> None:
    assert started()("BOARD", "1,1,2", "START 9", "TURN 8,8")[:2] == ["ERROR DONE is missing", "OK"]


def test_take_back() -> None:
    talk = started()
    first = talk("BEGIN")[0]
    second = talk("TURN 0,0")[0]
    assert talk("TAKEBACK 0,0")[0].startswith("ERROR ")  # it was not the last
    assert talk(f"TAKEBACK {second}", "TAKEBACK 0,0", f"TAKEBACK {second}")[:2] == ["OK", "OK"]
    assert talk("TURN 1,0")[0][0].isdigit()
    talk = started(15, *stones("3,3,2"))
    assert talk("TAKEBACK 3,3")[0].startswith("ERROR ") and talk("TAKEBACK x")[0].startswith("ERROR ")
    assert first != second


def test_a_won_game_is_over_until_a_move_is_taken_back() -> None:
    four = [f"{x},0,1" for x in range(4)] + [f"{x},2,2" for x in (0, 2, 4, 6)]
    talk = started()
    assert talk(*stones(*four), "TURN 9,9", "BEGIN") == [
        "4,0",
        "ERROR the game is over",
        "ERROR the board is not empty",
    ]
    assert talk("TAKEBACK 4,0", "TAKEBACK 6,2", "TURN 9,9") == ["OK", "OK", "4,0"]
    assert talk("RESTART", "TURN 7,7")[0] == "OK"


def test_a_move_that_wins_for_the_opponent_needs_no_answer_and_is_not_kept() -> None:
    talk = started(15, "INFO timeout_turn 0")
    board = talk.brain._board
    assert board
    board.set_up([1] * 4 + [0] * 11 + [2, 0, 2, 0, 2, 0, 2] + [0] * 203, 0)
    assert talk("TURN 4,0") == ["ERROR the game is over"] and board.state.ply() == 8


def test_swap2_begins_with_three_stones_near_the_edge() -> None:
    for size in (6, 15, 20):
        talk = started(size, "INFO rule 1", player="plain:50")
        cells = talk("SWAP2BOARD", "DONE")[0].split()
        assert len(set(cells)) == 3 and all(int(cell.split(",")[1]) < 2 for cell in cells)
        assert talk.brain._board and talk.brain._board.state.ply() == 3


def test_swap2_takes_the_better_side() -> None:
    """Two stones side by side in the middle beat one in the corner."""
    strong, weak = ["7,7", "0,0", "8,8"], ["0,14", "7,7", "14,0"]
    assert started(player="plain:600")("SWAP2BOARD", *strong, "DONE") == ["SWAP"]
    answer = started(player="plain:600")("SWAP2BOARD", *weak, "DONE")[0]
    assert answer != "SWAP"
    assert started(player="plain:600")("SWAP2BOARD", *strong, "0,2", "7,8", "DONE") == ["SWAP"]
    talk = started(player="plain:600")
    assert re.fullmatch(r"\d+,\d+", talk("SWAP2BOARD", *weak, "8,8", "14,14", "DONE")[0])
    assert talk("TURN 0,0")[0][0].isdigit()  # the game goes on from there


@pytest.mark.parametrize(("value", "stones_put"), [(-0.5, 0), (0.5, 1), (0.05, 2), (-0.05, 2)])
def test_swap2_leaves_the_choice_to_the_other_where_it_is_close(
    value: float, stones_put: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = started()
    monkeypatch.setattr(talk.brain, "_judge", lambda state, share=1.0: (state.legal_actions()[0], value))
    (answer,) = talk("SWAP2BOARD", "7,7", "8,7", "9,9", "DONE")
    assert answer == ["SWAP", "0,0", "0,0 1,0"][stones_put]
    (answer,) = talk("SWAP2BOARD", "7,7", "8,7", "9,9", "8,8", "8,6", "DONE")
    assert answer == ("SWAP" if value < 0 else "0,0")


def test_two_brains_play_a_whole_game() -> None:
    game = games.make("gomoku:9")
    black, white = (Talk("gomoku:15", f"plain:{sims}", "START 9") for sims in (100, 60))
    state, (answer,) = game.start(), black("BEGIN")
    for mover in itertools.cycle([white, black]):
        x, y = map(int, answer.split(","))
        state.apply(9 * y + x)
        if state.is_terminal():
            break
        (answer,) = mover(f"TURN {answer}")
    assert state.ply() > 8


# --- Strangers. ---

TRANSCRIPT = Path(__file__).read_text().split("\n")
NUMBERS = st.sampled_from(
    ["0", "1", "7", "8", "14", "15", "20", "-1", "999", "99999999999", "x", "", "７", "1e3", "nan"]
)
POINTS = st.builds("{},{}".format, NUMBERS, NUMBERS)
KEYS = st.sampled_from(["timeout_turn", "timeout_match", "time_left", "rule", "max_memory", "game_type", "folder", "?"])
ONE_LINE = st.one_of(
    st.builds("{} {}".format, st.sampled_from(["TURN", "TAKEBACK", "RECTSTART", "PLAY", "turn"]), POINTS),
    st.builds("START {}".format, NUMBERS),
    st.sampled_from(["BEGIN", "RESTART", "ABOUT", "BEGIN 1,1", "START 6", "START 7", "TURN 1,1,1", "DONE", "OK", "\0"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1, max_size=30).filter(
        lambda text: text.strip() and text.split()[0].upper() not in [*COMMANDS, "END"]
    ),
    st.sampled_from([line.strip() for line in TRANSCRIPT if line.strip()]).flatmap(
        lambda line: st.integers(0, len(line)).map(lambda at: f"ABOUT {line[:at]}{line[at + 1 :]}")
    ),
)
NO_ANSWER = st.one_of(st.builds("INFO {} {}".format, KEYS, NUMBERS), st.sampled_from(["", " ", "INFO", "info rule"]))
STONES = st.lists(
    st.one_of(POINTS, st.builds("{},{}".format, POINTS, NUMBERS), st.text("0,1 D\t", max_size=9)), max_size=7
)
BLOCK = st.builds(lambda name, lines: [name, *lines, "DONE"], st.sampled_from(["BOARD", "SWAP2BOARD"]), STONES)
LINES = st.lists(
    st.one_of(ONE_LINE.map(lambda line: [line]), NO_ANSWER.map(lambda line: [line]), BLOCK), min_size=20, max_size=20
)


def survives(items: list[list[str]]) -> None:
    talk = Talk("gomoku:15", "plain:2", "START 7", "INFO timeout_turn 0")
    for item in items:
        answers = [line for line in talk(*item) if not line.startswith("MESSAGE ")]
        wanted = 0 if not item[0].strip() or item[0].split()[0].upper() == "INFO" else 1
        assert len(answers) == wanted and all(ANSWER.fullmatch(answer) for answer in answers), (item, answers)
    assert talk("START 9")[-1] == "OK" and re.fullmatch(r"\d,\d", talk("BEGIN")[-1])


@given(LINES)
@settings(max_examples=10)
def test_whatever_a_stranger_sends(items: list[list[str]]) -> None:
    survives(items)


@pytest.mark.fuzz
@given(LINES)
@settings(max_examples=500)
def test_ten_thousand_lines_of_strangers(items: list[list[str]]) -> None:
    survives(items)


# --- The process. ---


@pytest.mark.slow
def test_the_process_answers_refuses_long_lines_and_keeps_its_memory() -> None:
    engine = subprocess.Popen([*COMMAND, "gomoku:15"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert engine.stdin and engine.stdout
    with engine:
        engine.stdin.write(
            f"{'9' * 10_000_000}\r\nINFO max_memory 120000000\r\nSTART 20\r\nINFO timeout_turn 1500\r\nBEGIN\r\n"
        )
        engine.stdin.flush()
        said = [engine.stdout.readline() for _ in range(3)]
        assert said[:2] == ["ERROR the line is too long\n", "OK\n"] and re.fullmatch(r"\d+,\d+\n", said[2])
        status = Path(f"/proc/{engine.pid}/status")
        if status.exists():
            (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
            assert int(peak) * 1024 < 120_000_000
        engine.stdin.write("END\r\n")
        engine.stdin.flush()
        assert engine.wait(10) == 0


@pytest.mark.slow
def test_the_process_ends_in_the_middle_of_a_search_when_nobody_listens() -> None:
    engine = subprocess.Popen([*COMMAND, "gomoku:15"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert engine.stdin and engine.stdout
    engine.stdin.write("START 15\nINFO timeout_turn 60000\nBEGIN\n")
    engine.stdin.flush()
    assert engine.stdout.readline() == "OK\n"
    engine.stdout.close()
    begun = time.monotonic()
    engine.wait(20)
    assert time.monotonic() - begun < 5
    engine.stdin.close()


@pytest.mark.slow
def test_the_process_refuses_other_games_in_one_line() -> None:
    done = subprocess.run([*COMMAND, "go:9"], input="", capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
