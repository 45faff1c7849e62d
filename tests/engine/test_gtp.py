"""GTP: a transcript with exact answers, and what a transcript cannot tell."""

import os
import re
from itertools import zip_longest
from pathlib import Path

import pytest

from tengen import games
from tengen.engine import gtp
from tengen.engine.channel import Odd, Script
from tengen.engine.thinker import Thinker

TRANSCRIPT = Path(__file__).parent / "gtp.txt"
SESSION = re.compile(r"^## (\S+) *(.*)$", re.M)
SGF = {
    "game.sgf": "(;GM[1]SZ[9]KM[7];B[ee];W[cc];B[gg](;W[cg];B[])(;W[gc]))",
    "two words.sgf": "(;GM[1]SZ[5];B[cc])",
    "handicap.sgf": "(;GM[1]SZ[9]KM[0.5]HA[2]AB[cg][gc];W[ee])",
    "large.sgf": "(;GM[1]SZ[19]" + ";B[aa]C[" + "x" * (1 << 20) + "])",
    "illegal.sgf": "(;GM[1]SZ[9];B[ee];W[ee])",
    "othello.sgf": "(;GM[2]SZ[8];B[dc])",
    "secret.txt": "name: nobody may read this",
    "empty.sgf": "",
}


def talk(game: str, lines: list[str], player: str = "plain:60") -> list[str]:
    """What the engine says, line by line of the client's."""
    said = [""]

    class Recorder(Script):
        def read(self) -> str | Odd:
            said.append("")
            return super().read()

        def write(self, text: str) -> None:
            said[-1] += text

    gtp.serve(Recorder(lines), Thinker(player, threads=1), games.make(game))
    return said[1:]


def sessions(text: str) -> list[tuple[str, str, list[str]]]:
    """The head, the game and the lines of every session of a transcript."""
    heads = [*SESSION.finditer(text)]
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        (head[0], head[1], text[head.end() : end].strip("\n").split("\n"))
        for head, end in zip(heads, ends, strict=True)
    ]


def commands(lines: list[str]) -> list[str]:
    """What a client sends; a character in hexadecimal stands for one that no text file should hold."""
    sent = [line[2:] for line in lines if line.startswith("> ")]
    return [re.sub(r"\[([0-7][0-9a-f])\]", lambda code: chr(int(code[1], 16)), line) for line in sent]


def replayed(game: str, lines: list[str]) -> str:
    """A session with the answers of now: below the command that they follow."""
    asked = [line for line in lines if line.startswith("> ")]
    said = talk(game, commands(lines))
    return "".join(f"{command}\n{answer}" for command, answer in zip_longest(asked, said[: len(asked)], fillvalue=""))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files to load, which is where the engine is."""
    for name, text in SGF.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_has_the_answer_of_the_transcript(files: Path, request: pytest.FixtureRequest) -> None:
    os.mkfifo(files / "pipe")
    (files / "zero").symlink_to("/dev/zero")
    (files / "link.sgf").symlink_to("game.sgf")
    text = TRANSCRIPT.read_text()
    told = [(head, replayed(game, lines)) for head, game, lines in sessions(text)]
    anew = text[: text.index("\n## ")] + "".join(f"\n{head}\n{said}" for head, said in told)
    if request.config.getoption("--regen"):
        TRANSCRIPT.write_text(anew)
        return
    assert sum(len(commands(lines)) for _, _, lines in sessions(text)) >= 200
    assert anew.split("\n") == text.split("\n")
