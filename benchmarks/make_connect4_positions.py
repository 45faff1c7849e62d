"""Makes the project's labelled Connect4 positions: six classes by phase and by how far the end is.

    python benchmarks/make_connect4_positions.py [--out DIR] [--seed S] [--count N]

Positions come from random play stopped after a random number of stones. Left out are positions where a player wins
within two plies (nothing to find) and positions met before, mirror images included. The files are a function of the
seed and the count alone, and take a few minutes with the opening book installed.
"""

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tengen import State, games
from tengen.exact import solver

PHASES = {"beginning": range(1, 15), "middle": range(15, 29), "end": range(29, 42)}  # stones on the board
DIFFICULTIES = {"easy": range(1, 15), "medium": range(15, 29), "hard": range(29, 42)}  # plies left
CLASSES = ["end_easy", "middle_easy", "middle_medium", "beginning_easy", "beginning_medium", "beginning_hard"]

FIRST_LASTING_PLY = 3
BATCH = 64
COLUMNS = range(1, 8)
HEADER = "\t".join(["position", "score", *(f"c{column}" for column in COLUMNS)])


@dataclass(frozen=True)
class Labelled:
    """A position and its score, before its columns are looked at."""

    state: State
    score: int

    @property
    def plies_left(self) -> int:
        return solver.plies_left(self.state.ply(), self.score)

    @property
    def worth_asking(self) -> bool:
        return self.score == 0 or self.plies_left >= FIRST_LASTING_PLY


def random_positions(stones: range, rng: random.Random) -> Iterator[State]:
    """Unfinished positions of random games, each once."""
    start = games.make("connect4").start()
    seen = set()
    while True:
        state, wanted = start.copy(), draw(rng, list(stones))
        while state.ply() < wanted and not state.is_terminal():
            state.apply(draw(rng, state.legal_actions()))
        key = min(state.hash(0), state.hash(1))
        if state.is_terminal() or key in seen:
            continue
        seen.add(key)
        yield state


def draw(rng: random.Random, choices: list[int]) -> int:
    """One of the choices. Unlike Random.choice, the same in every version of Python."""
    return choices[int(rng.random() * len(choices))]


def positions_of(name: str, count: int, seed: int) -> list[State]:
    """The first `count` random positions of a class."""
    phase, difficulty = name.split("_")
    candidates = random_positions(PHASES[phase], random.Random(f"{seed} {name}"))
    found: list[State] = []
    while len(found) < count:
        batch = list(islice(candidates, BATCH))
        labelled = map(Labelled, batch, solver.score_many(batch).tolist())
        found += [p.state for p in labelled if p.worth_asking and p.plies_left in DIFFICULTIES[difficulty]]
    return found[:count]


def table(positions: list[State]) -> str:
    """The text of a file: the moves, the score, the score of every column ('.' for a full one)."""
    lines = [HEADER]
    for state, row in zip(positions, solver.solve_many(positions).tolist(), strict=True):
        columns = ["." if score == solver.FULL_COLUMN else str(score) for score in row]
        lines.append("\t".join([state.moves_text(), str(max(row)), *columns]))
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    packaged = Path(solver.__file__).parent.parent / "data" / "connect4"
    parser.add_argument("--out", type=Path, default=packaged, help="folder for the six files (default: the package's)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="positions per class")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in CLASSES:
        (args.out / f"{name}.tsv").write_text(table(positions_of(name, args.count, args.seed)))
        print(f"{name}: {args.count} positions", flush=True)


if __name__ == "__main__":
    main()
