"""GTP against random and hostile lines: every command has one well-formed answer; one that fails changes nothing."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_gtp import SGF, TRANSCRIPT, commands, sessions, talk

from tengen.engine.gtp import _cleaned

ANSWER = re.compile(r"([=?])(\d{1,10})?(| [^\n]+)\n((?:[^\n]+\n)*)\n")
OPEN = re.compile(r"=(\d{1,10})?\n(info [^\n]+\n)*")
NUMBERS = ["0", "-1", "1000", "nan", "inf", "-inf", "1e308", "9" * 400, "0.25", "6.75", "2147483648", "٣", "½", "1_0"]
CHARACTERS = "\x00\x07\t\r\x1b\x7f#=? \u00a0\u2028\ufeffaİıßΩ棋\U0001f600{}[]()\"'\\%-+.,;:/~$`"
GAMES = ["go:5", "go:9", "go:2", "othello:6", "connect4", "hex:4,swap=on", "gomoku:6,in_a_row=4", "tictactoe"]
LINES = [command for _, _, lines in sessions(TRANSCRIPT.read_text()) for command in commands(lines)]
WORDS = sorted({word for line in LINES for word in line.split()})


def mutated(rng: random.Random, line: str) -> str:
    """A line of the transcript after some accidents."""
    for _ in range(rng.choice([0, 0, 1, 1, 2, 5])):
        words, at = line.split(" "), rng.randrange(len(line) + 1)
        place = rng.randrange(len(words))
        match rng.randrange(7):
            case 0:
                words[place] = rng.choice(NUMBERS)
            case 1:
                words[place] = rng.choice(WORDS)
            case 2:
                words.insert(place, rng.choice(WORDS))
            case 3:
                del words[place]
            case 4:
                words = [line[:at] + rng.choice(CHARACTERS) + line[at:]]
            case 5:
                words = [line[:at]]
            case _:
                words[place] = words[place].swapcase() * rng.choice([1, 1, 2, 10_000])
        line = " ".join(words)[:60_000]  # what a channel lets through
    return line


def quits(line: str) -> bool:
    return re.fullmatch(r"([0-9]{1,10} +)?quit( .*)?", _cleaned(line)) is not None


def check(game: str, lines: list[str]) -> None:
    """Every line with a probe of the position before it and behind the last one."""
    probed = [each for line in lines if not quits(line) for each in ("showboard", line)] + ["showboard", "7 name"]
    said = talk(game, probed, player="plain:4")
    assert said[len(probed) - 1] == "=7 Tengen\n\n" and said[len(probed) :] == [""]
    open_before = False
    for at, (line, text) in enumerate(zip(probed, said, strict=False)):
        if open_before:
            assert text[0] == "\n", line
            text = text[1:]
        open_before = OPEN.fullmatch(text) is not None and "analyze" in line and "genmove" not in line
        if open_before or not _cleaned(line):
            assert open_before or text == "", (line, text)
            continue
        found = ANSWER.fullmatch(text)
        assert found is not None, (line, text)
        number = re.match(r"[0-9]{1,10}(?![^ ])", _cleaned(line))
        assert found[2] == (number[0] if number else None), (line, text)
        if found[1] == "?":
            assert not found[4] and said[at - 1].lstrip("\n") == said[at + 1], (line, text)


def hostile(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    return [mutated(rng, rng.choice(LINES)) for _ in range(count)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in SGF.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("game", GAMES[:4])
def test_hostile_lines(game: str) -> None:
    check(game, hostile(0, 50))


@settings(max_examples=10)
@given(st.lists(st.text(max_size=40), max_size=10))
def test_any_lines(lines: list[str]) -> None:
    check("go:5", lines)


@pytest.mark.fuzz
@pytest.mark.parametrize("game", GAMES)
def test_ten_thousand_hostile_lines(game: str) -> None:
    for seed in range(10):
        check(game, hostile(1000 + seed, 125))


@pytest.mark.fuzz
@settings(max_examples=500)
@given(st.lists(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)), max_size=20))
def test_many_lines_of_any_kind(lines: list[str]) -> None:
    check("go:5", lines)
