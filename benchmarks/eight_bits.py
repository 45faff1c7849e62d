"""What 8 bits cost or gain in strength: each network that ships against itself in 8 bits, in paired games.

    python benchmarks/eight_bits.py othello gomoku:9 hex:7 connect4 --sims 100 --games 400

Two matches per game: at equal simulations, which shows what rounding costs, and at equal processor time, which shows
what its speed brings: the side in 8 bits then gets as many more simulations as it is faster in the same searches.
Proofs by the rules are off: they would hide what the networks think. `--json` prints rows as `tengen bench` does.
"""

import argparse
import json
import time
from typing import Any

from tengen import games
from tengen.bench.measure import Row, row
from tengen.games import Game
from tengen.net.evaluator import make_evaluator
from tengen.net.file import NetworkError, NetworkFile, shipped_network
from tengen.net.tower.export import CALIBRATION, sample_planes, to_onnx
from tengen.net.tower.unfold import unfold
from tengen.play.arena import draw_openings, play_match
from tengen.play.choosers import AgentPlayer
from tengen.preset import network_search
from tengen.search.agent import Agent

SHIPPED = ["othello", "gomoku:9", "hex:7", "connect4"]
TIMED = 64  # positions that are searched to compare speeds
SEARCHES = 4  # of them, in turns


def both_networks(game: Game) -> tuple[NetworkFile, NetworkFile]:
    """The network that ships, and the same in 8 bits as self-play would have it. Raises NetworkError."""
    path = shipped_network(game)
    if path is None:
        raise NetworkError(f"no network ships for {game.id}")
    file = NetworkFile.load(path, game)
    family = file.family  # of this size alone, or of several
    seen = [sample_planes(each, CALIBRATION) for each in family.games]
    return file, to_onnx(unfold(file, family, sample_planes(game, CALIBRATION)), family, calibration=seen)


def player(game: Game, file: NetworkFile, sims: int, slots: int, seed: int) -> AgentPlayer:
    config = network_search(game, slots).replace(sims=sims, prove_nodes=0)
    agent = Agent(game, make_evaluator(file, game), config, seed=seed, slots=slots)
    return AgentPlayer(file.precision, agent, True)


def speeds(players: list[AgentPlayer], game: Game, slots: int) -> list[float]:
    """Searches per second of processor time, each player's best of some turns: the same positions, new trees."""
    states = [game.start() for _ in range(min(slots, TIMED))]
    for state, opening in zip(states, draw_openings(game, len(states), seed=9), strict=True):
        for action in opening:
            state.apply(action)
    best, slots_used = [0.0] * len(players), list(range(len(states)))
    for number in range(1 + SEARCHES):  # the first prepares kernels, and does not count
        for index, each in enumerate(players):
            for slot in slots_used:
                each.new_game(slot, number * TIMED + slot)
            before = time.process_time()
            each.act_many(states, slots_used)
            spent = time.process_time() - before
            best[index] = max(best[index], len(states) / spent) if number else 0.0
    return best


def compare(game: Game, sims: int, count: int, slots: int) -> list[Row]:
    f32, int8 = both_networks(game)
    slots, openings = min(slots, count), draw_openings(game, count // 2)
    ours, theirs = player(game, int8, sims, slots, 1), player(game, f32, sims, slots, 2)
    fast, slow = speeds([ours, theirs], game, slots)
    rows = [row(f"{game.id} {f32.size}: searches in 8 bits", fast, "per s of CPU time", "f32", slow)]
    for how, own in (("equal simulations", sims), ("equal time", round(sims * fast / slow))):
        match = play_match(game, player(game, int8, own, slots, 1), theirs, openings, slots=slots)
        result = match.pairs.summary()
        told = f"{count} games, {own} against {sims} simulations, 95 %: {result.low:.3f} to {result.high:.3f}"
        rows.append(row(f"{game.id} {f32.size}: int8's score at {how} ({told})", result.score, "score"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=SHIPPED, metavar="GAME")
    parser.add_argument("--sims", type=int, default=100, help="(default %(default)s)")
    parser.add_argument("--games", dest="count", type=int, default=400, metavar="N", help="(default %(default)s)")
    parser.add_argument("--slots", type=int, default=128, help="games at once (default %(default)s)")
    parser.add_argument("--json", action="store_true")
    args: Any = parser.parse_args()
    every = list[Row]()
    for id in args.games:
        for one in compare(games.make(id), args.sims, args.count, args.slots):
            every.append(one)
            if not args.json:
                ratio = f", ratio {one['ratio']}" if one["ratio"] else ""
                print(f"{one['name']}: {one['value']} {one['unit']}{ratio}", flush=True)
    if args.json:
        print(json.dumps(every, indent=2))


if __name__ == "__main__":
    main()
