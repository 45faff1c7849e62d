"""How much the analysis engine gains by searching positions side by side.

    .venv/bin/python benchmarks/analysis_engine.py othello --positions 100 --sims 200

Rows: the same positions with the same simulations one after the other with one leaf at a time, with eight leaves, as
queries of the engine (checking, reports and JSON included), and the network alone on as many positions in batches of
64. The last row is the time from the start of the process to the first answer.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from tengen import games
from tengen.engine.analysis import serve
from tengen.engine.channel import Script
from tengen.engine.thinker import Thinker
from tengen.games import Game, State
from tengen.play.players import search_player
from tengen.play.thinking import BATCH
from tengen.search.agent import Agent


def random_positions(game: Game, count: int) -> list[State]:
    """Positions of as many random games, none of them over."""
    random.seed(1)
    found: list[State] = []
    while len(found) < count:
        state = game.start()
        for _ in range(random.randrange(4, 30)):
            if not state.is_terminal():
                state.apply(random.choice(state.legal_actions()))
        if not state.is_terminal():
            found.append(state)
    return found


def query(number: int, state: State, sims: int) -> str:
    board, moves = state.game.start(), []
    for action in state.moves():
        moves.append(["BW"[board.to_move()], board.move_text(action)])
        board.apply(action)
    return json.dumps({"id": str(number), "moves": moves, "maxVisits": sims + 1})


def one_after_the_other(agent: Agent, states: list[State]) -> None:
    for number, state in enumerate(states):
        agent.new_game(0, number)
        agent.analyze(state)


def ask_the_engine(thinker: Thinker, game: Game, lines: list[str]) -> None:
    channel = Script(list(lines))
    serve(channel, thinker, game)
    assert channel.said.count('"rootInfo"') == len(lines), channel.said[:500]


def ask_the_network(agent: Agent, states: list[State], sims: int) -> None:
    """As many evaluations as the searches have simulations, each of another position."""
    many = agent.__class__(agent.game, agent.evaluator, agent.config.replace(cache_mb=0, leaves=1), slots=BATCH)
    for slot in range(BATCH):
        many.set_root(states[slot % len(states)], slot)
    leaves = many.search.select()
    many.evaluator(leaves)  # type: ignore[operator]
    for _ in range(len(states) * (sims + 1) // len(leaves)):
        many.evaluator(leaves)  # type: ignore[operator]


def first_answer(game: str, player: str, line: str) -> float:
    begun = time.perf_counter()
    command = [sys.executable, "-m", "tengen", "engine", "analysis", game, "--player", player]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        process.stdin.write(line + "\n")
        process.stdin.flush()
        process.stdout.readline()
        seconds = time.perf_counter() - begun
        process.stdin.close()
    return seconds


def timed(works: dict[str, Callable[[], None]], repeats: int) -> dict[str, float]:
    """The median of each, after a run that does not count. They take turns: a busy machine slows all of them."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats + 1):
        for name, work in works.items():
            begun = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - begun)
    return {name: float(np.median(each[1:])) for name, each in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="othello")
    parser.add_argument("--player", default="shipped")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--sims", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    game = games.make(args.game)
    states = random_positions(game, args.positions)
    lines = [query(number, state, args.sims) for number, state in enumerate(states)]

    def fresh(leaves: int) -> Agent:  # with an empty cache
        return search_player(args.player, game, settings=[f"search.sims={args.sims}", f"search.leaves={leaves}"]).agent

    thinker = Thinker(args.player)
    rows = timed(
        {
            "one after the other, 1 leaf": lambda: one_after_the_other(fresh(1), states),
            "one after the other, 8 leaves": lambda: one_after_the_other(fresh(8), states),
            "the analysis engine": lambda: ask_the_engine(thinker, game, lines),
            "the network alone": lambda: ask_the_network(fresh(1), states, args.sims),
        },
        args.repeats,
    )
    slowest = next(iter(rows.values()))
    print(f"{game.id}, {args.player}: {args.positions} positions, {args.sims} simulations each")
    for name, seconds in rows.items():
        speed = args.positions * args.sims / seconds
        print(f"{name:30} {seconds:7.2f} s  {speed:9,.0f} simulations/s  {slowest / seconds:5.2f}x")
    short = query(0, states[0], 1)
    print(f"{'start to the first answer':30} {first_answer(args.game, args.player, short):7.2f} s")


if __name__ == "__main__":
    main()
