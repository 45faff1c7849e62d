"""The table of OpenSpiel's games in docs/guide/openspiel.md: what a network sees of each, and what asking it costs.

    python benchmarks/openspiel_table.py            prints it
    python benchmarks/openspiel_table.py --write    puts it into the page

Times are microseconds of processor time per call from Python, over the positions of random games: to copy a position;
to make a move, ask whether the game is over and list the moves; to fill the planes.
"""

import argparse
import random
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tengen.games import Rules, openspiel

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guide" / "openspiel.md"
BEGIN, END = "<!-- openspiel_table.py -->\n", "<!-- end -->\n"
HEAD = "| game | actions | planes | moves again | copy µs | ply µs | planes µs |\n"
HEAD += "|---|--:|---|---|--:|--:|--:|\n"


def facts(rules: Rules) -> list[str]:
    """The columns that are no times: a test compares them with the page."""
    planes = (
        f"{len(rules.inputs)} × {rules.rows} × {rules.cols}"
        if rules.rows * rules.cols > 1
        else f"{len(rules.inputs)} numbers"
    )
    again = "yes" if "must pass" in rules.inputs else "no"
    return [rules.name.removeprefix(openspiel.PREFIX), str(rules.actions), planes, again]


def row(name: str, seconds: float) -> str:
    rules = openspiel.parse(openspiel.PREFIX + name)
    states, actions = sample(rules, seconds)

    def cost(call: Callable[..., object], *further: Sequence[object]) -> float:
        begun = time.process_time()
        for arguments in zip(*further, strict=True):
            call(*arguments)
        return (time.process_time() - begun) / len(states) * 1e6

    def ply(state: Any, action: int) -> None:
        rules.apply(state, action)
        if rules.outcome(state) is None:
            rules.legal(state)

    copies = [rules.copy(state) for state in states]
    times = cost(rules.copy, states), cost(ply, copies, actions), cost(rules.planes, states)
    return "| " + " | ".join([*facts(rules), *(f"{value:.1f}" for value in times)]) + " |\n"


def sample(rules: Rules, seconds: float) -> tuple[list[Any], list[int]]:
    """Positions of whole random games, and a move in each."""
    rng = random.Random(1)
    states: list[Any] = []
    actions: list[int] = []
    until = time.monotonic() + seconds
    while not states or time.monotonic() < until:
        state = rules.start()
        while rules.outcome(state) is None:
            states.append(state)
            actions.append(rng.choice(rules.legal(state)))
            state = rules.copy(state)
            rules.apply(state, actions[-1])
    return states, actions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0, help="of random games for each (default 1)")
    args = parser.parse_args()
    table = HEAD
    print(HEAD, end="")
    for name in openspiel.names():
        table += row(name, args.seconds)
        print(table.splitlines()[-1], flush=True)
    if not args.write:
        return
    text, count = re.subn(f"{BEGIN}.*?{END}", lambda _: BEGIN + table + END, PAGE.read_text(), flags=re.DOTALL)
    assert count == 1, f"{PAGE} has no place for the table"
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
