"""GTP's analysis, read as Sabaki and Lizzie read it."""

import re

import pytest

from tengen import games
from tengen.engine import gtp
from tengen.engine.channel import Odd, Script
from tengen.engine.thinker import Thinker

KATA = ["utility", "winrate", "scoreMean", "scoreStdev", "scoreLead", "scoreSelfplay", "prior", "lcb", "weight"]


class Watcher(Script):
    """A client that looks at so many reports of every analysis before it says anything more."""

    def __init__(self, lines: list[str], reports: int) -> None:
        super().__init__(lines)
        self.reports, self.seen = reports, 0

    def read(self) -> str | Odd:
        self.seen = 0
        return super().read()

    def write(self, text: str) -> None:
        super().write(text)
        self.seen += text.startswith("info ")

    def waiting(self) -> bool:
        return self.seen >= self.reports


def answers(game: str, lines: list[str], player: str = "plain:60", reports: int = 2) -> list[str]:
    watcher = Watcher([*lines, "quit"], reports)
    gtp.serve(watcher, Thinker(player, threads=1), games.make(game))
    assert watcher.said.endswith("\n\n=\n\n")
    return watcher.said.removesuffix("=\n\n").split("\n\n")[:-1]


def sabaki(line: str) -> list[dict[str, object]]:
    """Sabaki's parseAnalysis (src/modules/enginesyncer.js), its regular expressions unchanged."""
    if owner := re.search(r"ownership\s+(.+)", line):
        line = line[: owner.start()]
    found: list[dict[str, object]] = []
    for part in re.split(r"\s*info\s+", line)[1:]:
        pv = re.search(r"(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*$", part.strip())
        assert pv is not None, part
        tokens = part[: pv.start()].split()
        assert tokens.pop() == "pv"
        found.append({**dict(zip(tokens[::2], tokens[1::2], strict=True)), "pv": pv[0].split()})
    return found


def lizzie(line: str) -> list[dict[str, object]]:
    """Lizzie's MoveData.fromInfo: single blanks, keys and values, and the line to its end."""
    found: list[dict[str, object]] = []
    for part in line.removeprefix("info ").split(" info "):
        head, _, pv = part.partition(" pv ")
        words = head.split(" ")
        found.append({**dict(zip(words[::2], words[1::2], strict=True)), "pv": pv.split(" ")})
    return found


@pytest.mark.parametrize("command", ["analyze b 1", "lz-analyze 1", "lz-analyze b interval 1", "lz-analyze interval 1"])
def test_leela_zeros_lines(command: str) -> None:
    (answer,) = answers("go:5", [f"3 {command}"], reports=3)
    first, *reports = answer.split("\n")
    assert first == "=3" and len(reports) == 3
    for line in reports:
        moves = sabaki(line)
        assert moves == lizzie(line)
        assert [move["order"] for move in moves] == [str(order) for order in range(len(moves))]
        for move in moves:
            assert list(move) == ["move", "visits", "winrate", "prior", "lcb", "order", "pv"]
            assert move["pv"][0] == move["move"] and re.fullmatch(r"[A-E][1-5]|pass", str(move["move"]))  # type: ignore[index]
            assert all(0 <= int(str(move[key])) <= 10_000 for key in ("winrate", "prior", "lcb"))
            assert int(str(move["lcb"])) <= int(str(move["winrate"])) and int(str(move["visits"])) > 0


def test_katagos_lines_have_a_point_in_every_share_and_ownership_at_the_end() -> None:
    walls = [f"play {colour} {column}{row}" for row in range(1, 6) for colour, column in (("b", "b"), ("w", "d"))]
    *_, answer = answers("go:5", [*walls, "kata-analyze b 1 ownership true"])
    line = answer.split("\n")[-1]
    moves = sabaki(line)
    for move in moves:
        assert set(KATA) <= set(move)
        assert all("." in str(move[key]) for key in KATA[:-1])
        assert 0 <= float(str(move["winrate"])) <= 1 and move["scoreLead"] == move["scoreMean"]
        assert -31.5 <= float(str(move["scoreLead"])) <= 18.5  # the playouts count: 25 cells, komi 6.5
    ownership = line.partition(" ownership ")[2].split(" ")
    assert ownership == ["1", "1", "0", "-1", "-1"] * 5
    *_, white = answers("go:5", [*walls, "kata-analyze w 1 ownership true"])
    assert white.split(" ownership ")[-1].split(" ") == ["-1", "-1", "0", "1", "1"] * 5


def test_win_rates_are_of_the_side_to_move() -> None:
    winning = ["play b 4", "play w 4", "play b 3", "play w 3", "play b 2"]
    *_, loses = answers("connect4", [*winning, "kata-analyze w 1"])
    *_, wins = answers("connect4", [*winning, "play w 7", "lz-analyze b 1"])
    assert all(float(move["winrate"]) < 0.05 for move in lizzie(loses.split("\n")[-1]) if move["visits"] != "0")  # type: ignore[arg-type]
    assert lizzie(wins.split("\n")[-1])[0]["winrate"] == "10000"


def test_how_many_moves_are_shown() -> None:
    def shown(options: str) -> list[str]:
        *_, answer = answers("go:5", [f"lz-analyze b 1 {options}"], reports=1)
        return [str(move["move"]) for move in sabaki(answer.split("\n")[-1])]

    assert len(shown("maxmoves 3")) == 3
    assert len(shown("minmoves 26")) == len(shown("minmoves 99")) == 26
    assert "C3" in shown("minmoves 26") and "C3" not in shown("minmoves 26 avoid b A1,c3 1")
    assert len(shown("minmoves 26 avoid b A1,c3 1")) == 24
    assert len(shown("minmoves 26 avoid w A1,c3 1 avoid b A1 0")) == 26
    assert sorted(shown("minmoves 26 allow b A1,pass 1")) == ["A1", "pass"]


def test_a_search_that_ends_says_so_once_and_waits() -> None:
    lines = ["play b a3", "play w b2", "play b a2", "play w a1", "play b c1", "lz-analyze 1"]
    *_, answer = answers("tictactoe", lines, reports=99)
    assert answer.startswith("=\ninfo move ") and len(answer.split("\n")) >= 2


@pytest.mark.parametrize("form", ["", "lz-", "kata-"])
def test_a_move_that_is_watched(form: str) -> None:
    *_, answer, board = answers("go:5", ["play b c3", f"8 {form}genmove_analyze w 1", "showboard"], "plain:3000")
    first, *reports, last = answer.split("\n")
    move = last.removeprefix("play ")
    assert first == "=8" and reports and all(sabaki(line) for line in reports)
    assert sabaki(reports[-1])[0]["move"] == move and board.count("[O]") == 1


def test_moves_to_avoid_are_not_chosen() -> None:
    win = ["play b 4", "play w 4", "play b 3", "play w 3", "play b 2", "play w 2"]
    *_, free = answers("connect4", [*win, "lz-genmove_analyze b 1"])
    *_, avoided = answers("connect4", [*win, "lz-genmove_analyze b 1 avoid b 1,5 1"])
    *_, only = answers("connect4", [*win, "lz-genmove_analyze b 1 allow b 7 1"])
    moves = [answer.split("\n")[-1] for answer in (free, avoided, only)]
    assert moves[0] in ("play 1", "play 5") and moves[1] not in ("play 1", "play 5") and moves[2] == "play 7"


def test_after_the_end_a_pass_is_played_without_a_search() -> None:
    *_, answer = answers("go:5", ["play b pass", "play w pass", "kata-genmove_analyze b 1"])
    assert answer == "=\nplay pass"
