"""How true is what a Connect4 run learns from? Its newest games beside the exact solver, by ply.

    python benchmarks/connect4_labels.py runs/connect4 --games 1000

For some positions of each game: how many are drawn, how often the move that was played loses game value, how often the
search's best move does, how often the game's result is not the position's value, and the squared distance from that
value of each kind of value target: the result, the root value, their mean, and λ-returns as training uses them
(replay.value_lambda).
"""

import argparse
import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tengen import games
from tengen.exact.solver import FULL_COLUMN, solve_many
from tengen.records import GameRecord
from tengen.records.replay import value_targets
from tengen.records.store import ChunkStore

BANDS = [(0, 6), (6, 12), (12, 18), (18, 24), (24, 30), (30, 42)]
DECAYS = (0.5, 0.8, 0.9, 0.95)
PER_GAME = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--games", type=int, default=1000, help="how many of the newest (default %(default)s)")
    args = parser.parse_args()
    records = newest(args.run / "games", args.games)
    plies, rows = compare(records)
    names = ["drawn", "played", "best", "result", "result²", "root²", "mean²", *(f"λ={decay:g}²" for decay in DECAYS)]
    print(f"{'plies':>8} {'count':>6}", *(f"{name:>9}" for name in names))
    for low, high in BANDS:
        band = rows[(plies >= low) & (plies < high)]
        if len(band):
            print(f"{low:>5}-{high - 1:<2} {len(band):>6}", *(f"{mean:9.3f}" for mean in band.mean(axis=0)))


def newest(folder: Path, count: int) -> list[GameRecord]:
    records: list[GameRecord] = []
    for _, chunk in ChunkStore(folder).read(lambda path, why: print(f"{path}: {why}")):
        records = [*records, *chunk][-count:]
    return records


def compare(records: list[GameRecord]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The plies of the chosen positions, and a row of figures for each of them."""
    game, rng = games.make("connect4"), random.Random(0)
    chosen: list[tuple[GameRecord, int, games.State]] = []
    for record in records:
        searched = record.searched.nonzero()[0].tolist()
        picked = set(rng.sample(searched, min(PER_GAME, len(searched))))
        state = game.start()
        for ply, action in enumerate(record.moves.tolist()):
            if ply in picked:
                chosen.append((record, ply, state.copy()))
            state.apply(action)
    columns = solve_many([state for _, _, state in chosen], weak=True).astype(int)
    rows = [figures(record, ply, scores) for (record, ply, _), scores in zip(chosen, columns, strict=True)]
    return np.array([ply for _, ply, _ in chosen]), np.array(rows, np.float64)


def figures(record: GameRecord, ply: int, scores: NDArray[np.int64]) -> list[float]:
    values = np.where(scores == FULL_COLUMN, -2, np.sign(scores))
    value, sign = int(values.max()), 1 if ply % 2 == 0 else -1
    actions, _, target = record.policy(ply)
    best = int(actions[target.argmax()]) if len(actions) else int(record.moves[ply])
    result, root = sign * record.result, float(record.q[ply])
    targets = [result, root, (result + root) / 2]
    targets += [float(value_targets(record, decay)[0][ply]) for decay in DECAYS]
    told = [value == 0, values[int(record.moves[ply])] < value, values[best] < value, result != value]
    return [*map(float, told), *((target - value) ** 2 for target in targets)]


if __name__ == "__main__":
    main()
