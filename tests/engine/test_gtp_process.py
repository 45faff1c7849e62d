"""GTP as other programs meet it: a process on pipes."""

import subprocess
import sys
import time

import pytest
from test_gtp import TRANSCRIPT, commands, sessions

pytestmark = pytest.mark.slow
PATIENCE = 30  # seconds: far more than anything here takes


def command(game: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "tengen", "engine", "gtp", game, *options]


def said(game: str, sent: bytes) -> str:
    done = subprocess.run(command(game), input=sent, capture_output=True, timeout=PATIENCE, check=True)
    assert done.stderr == b""
    return done.stdout.decode()


@pytest.mark.parametrize("title", ["who is there", "by columns"])
def test_the_process_says_what_the_transcript_says(title: str) -> None:
    ((_, game, lines),) = [each for each in sessions(TRANSCRIPT.read_text()) if each[0].endswith(title)]
    expected = [line for line in lines if not line.startswith("> ")]
    sent = "\n".join(commands(lines)) + "\n"
    assert said(game, sent.encode()).rstrip("\n").split("\n") == expected


def test_line_ends_of_any_kind_no_end_and_ten_megabytes() -> None:
    sent = b"1 name\r\n" + b"x" * 10_000_000 + b"\n2 na\xff\xfeme\n3 na\x00me\n\n\n4 boardsize 1000\n5 name"
    answers = ["=1 Tengen", "? syntax error", "?2 unknown command", "=3 Tengen", "?4 unacceptable size", "=5 Tengen"]
    assert said("go:5", sent) == "".join(f"{answer}\n\n" for answer in answers)


def test_the_end_in_the_middle_of_a_command() -> None:
    assert said("go:5", b"play b c3\ngenm") == "=\n\n? unknown command\n\n"
    assert said("go:5", b"lz-analyze 10") == "=\n\n"


@pytest.mark.parametrize("lines", [[], ["time_settings 10000 0 0", "kata-genmove_analyze b 10000"]])
def test_it_ends_when_nobody_reads(lines: list[str]) -> None:
    """Its input stays open: only the closed output tells. Other searches are in test_core.py."""
    with subprocess.Popen(command("go:9"), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin and engine.stdout
        engine.stdin.write("".join(f"{line}\n" for line in ["name", *lines]).encode())
        engine.stdin.flush()
        assert engine.stdout.readline() == b"= Tengen\n"
        time.sleep(0.5)  # until the search is under way
        engine.stdout.close()
        assert engine.wait(timeout=PATIENCE) != 0


def test_it_ponders_and_answers_at_once() -> None:
    with subprocess.Popen(
        command("go:9", "--ponder"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as engine:
        assert engine.stdin and engine.stdout
        for line, answer in (("reg_genmove b", "= "), ("genmove b", "= "), ("name", "= Tengen"), ("quit", "=")):
            print(line, file=engine.stdin, flush=True)
            assert engine.stdout.readline().startswith(answer)
            assert engine.stdout.readline() == "\n"
            time.sleep(0.2)
        assert engine.wait(timeout=PATIENCE) == 0
