"""A small engine for tests: it speaks a protocol, logs what it hears, and does something bad instead of a move.

python scriptedengine.py PROTOCOL GAME [HABIT] [LOG]

HABIT: good, resign, cheat, crash, hang, flood, endless, hog, deaf (ignores SIGTERM, hangs), fork (writes its number
and that of a child that would live for ever to LOG.pid, and plays on), fork and hang.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from tengen import Game, State, games

PROTOCOL, GAME = sys.argv[1:3]
HABIT = sys.argv[3] if len(sys.argv) > 3 else "good"
LOG = Path(sys.argv[4]) if len(sys.argv) > 4 else None


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def hear() -> str:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    if LOG:
        with LOG.open("a") as log:
            log.write(line)
    return line.strip()


def wait_for_ever() -> None:
    while True:
        time.sleep(60)


def misbehave() -> None:
    """Returns for the habits that only answer something else."""
    if HABIT == "crash":
        print("out of ideas", file=sys.stderr)
        sys.exit(3)
    if HABIT == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if HABIT.startswith("fork"):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        assert LOG
        LOG.with_suffix(".pid").write_text(f"{os.getpid()} {child.pid}")
    if HABIT in ("hang", "deaf", "fork and hang"):
        wait_for_ever()
    while HABIT == "flood":
        say("MESSAGE I think, therefore I print\n" * 1000)
    while HABIT == "endless":
        say("x" * 65536)
    if HABIT == "hog":
        hoard = []
        while True:
            hoard.append(bytearray(1 << 24))


def last_move(state: State) -> int:
    return state.legal_actions()[-1]


def gtp(game: Game) -> None:
    state = game.start()
    while True:
        name, *words = hear().split()
        answer = "="
        if name == "clear_board":
            state = game.start()
        elif name == "play":
            assert "bw"[state.to_move()] == words[0]
            state.apply(state.parse_move(words[1]))
        elif name == "genmove":
            misbehave()
            assert "bw"[state.to_move()] == words[0]
            action = last_move(state)
            answer = {"resign": "= resign", "cheat": "= k99"}.get(HABIT, f"= {state.move_text(action).upper()}")
            state.apply(action)
        elif name not in ("boardsize", "komi", "time_settings"):
            answer = "? unknown command"
        say(f"{answer}\n\n")


def gomocup(game: Game) -> None:
    """Plays on the first free cell from the top left."""
    cols, taken = 0, set[tuple[int, int]]()
    while True:
        name, *words = hear().split()
        if name == "START":
            cols, taken = int(words[0]), set()
            say("MESSAGE hello\r\nOK\r\n")
        elif name == "BOARD":
            while (line := hear()) != "DONE":
                x, y, _ = map(int, line.split(","))
                taken.add((x, y))
        elif name == "TURN":
            x, y = map(int, words[0].split(","))
            taken.add((x, y))
        if name in ("BOARD", "TURN", "BEGIN"):
            misbehave()
            free = ((x, y) for y in range(cols) for x in range(cols) if (x, y) not in taken)
            x, y = (99, 99) if HABIT == "cheat" else next(free)
            taken.add((x, y))
            say(f"DEBUG thinking\r\n{x},{y}\r\n")


def nboard(game: Game) -> None:
    state = game.start()
    while True:
        line = hear()
        name, _, rest = line.partition(" ")
        if line.startswith("set game"):
            state = read_ggf(game, line)
        elif name == "move":
            state.apply(state.parse_move("pass" if rest == "PA" else rest.lower()))
        elif name == "ping":
            say(f"set myname script\npong {rest}\n")
        elif name == "go":
            misbehave()
            action = last_move(state)
            move = "PA" if state.landing_cell(action) is None else state.move_text(action).upper()
            say(f"status thinking\n=== {'A9' if HABIT == 'cheat' else move}/0.5/0.1\n")


def read_ggf(game: Game, line: str) -> State:
    board = re.search(r"BO\[8 ([-*O]{64}) ([*O])\]", line)
    assert board
    rows = board[1].translate(str.maketrans("-*O", ".XO"))
    text = "/".join(rows[i : i + 8] for i in range(0, 64, 8)) + (" X" if board[2] == "*" else " O")
    state = game.position(text)
    for move in re.findall(r"[BW]\[([A-H][1-8]|PA)\]", line):
        state.apply(state.parse_move("pass" if move == "PA" else move.lower()))
    return state


if __name__ == "__main__":
    {"gtp": gtp, "gomocup": gomocup, "nboard": nboard}[PROTOCOL](games.make(GAME))
