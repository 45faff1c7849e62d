"""The search's speed and memory: a batch beside mctx, random playouts beside OpenSpiel, one tree as it grows."""

import time
from collections.abc import Callable, Sequence

from tengen import games
from tengen.bench import peers
from tengen.bench.measure import Row, row, take_turns
from tengen.config import SearchConfig
from tengen.games import Game, State
from tengen.net.evaluator import Rollout, Uniform
from tengen.play.arena import draw_openings
from tengen.play.players import player_search
from tengen.search.agent import Agent

__all__ = ["batch_rows", "growth_rows", "rollout_rows"]

TREES, THREADS = 256, 2
ROLLOUT_SIMS = 1000
ROLLOUT_PEERS = {
    "connect4": "connect_four",
    "othello": "othello",
    "go:9": "go(board_size=9,komi=6.5)",
    "hex:11": "hex(board_size=11)",
}
SIZES = [10_000, 100_000, 1_000_000, 10_000_000]  # nodes of one tree


def position_after(game: Game, moves: Sequence[int]) -> State:
    state = game.start()
    for action in moves:
        state.apply(action)
    return state


def searches(agent: Agent, positions: Sequence[State]) -> Callable[[int], float]:
    """Searches all positions side by side, from scratch, `count` times; returns the simulations."""

    def search(count: int) -> float:
        done = 0
        for _ in range(count):
            for slot, position in enumerate(positions):
                agent.search.reset(slot, position, slot)
            agent.run(range(len(positions)))
            done += sum(agent.search.visits(slot) for slot in range(len(positions)))
        return done

    return search


def batch_rows(seconds: float) -> list[Row]:
    """Planes are written for every leaf; the positions differ, so that hardly any two leaves are equal."""
    game = games.make("connect4")
    openings = draw_openings(game, TREES, plies=6)
    positions = [position_after(game, moves) for moves in openings]
    rows = []
    for sims, rounds in ((64, 8), (800, 2)):
        plain = SearchConfig(sims=sims, cache_mb=0, solver=False)  # mctx has none
        theirs = peers.mctx_search(openings, sims)
        for name, config, peer in (
            ("", plain, theirs),
            (", solver", SearchConfig(sims=sims, cache_mb=0), None),
        ):
            ours = searches(Agent(game, Uniform(game), config, slots=TREES, threads=THREADS), positions)
            speed, peer_speed = take_turns(ours, peer, seconds, rounds, time.perf_counter)
            title = f"batch connect4 {TREES} trees x {sims}, {THREADS} threads{name}"
            rows.append(row(title, speed, "simulations/s", "mctx muzero_policy", peer_speed))
        one = searches(Agent(game, Uniform(game), plain, slots=TREES, threads=1), positions)
        rows.append(
            row(
                f"batch connect4 {TREES} trees x {sims}, 1 thread",
                1e9 / take_turns(one, None, seconds)[0],
                "ns/simulation",
            )
        )
    return rows


def rollout_rows(seconds: float) -> list[Row]:
    openspiel = peers.load("pyspiel")
    rows = []
    for id, name in ROLLOUT_PEERS.items():
        game = games.make(id)
        openings = draw_openings(game, 8, plies=4)
        config = player_search(f"mcts:{ROLLOUT_SIMS}", game).config
        agent = Agent(game, Rollout(), config, threads=1)
        positions = [position_after(game, moves) for moves in openings]
        each = [searches(agent, [position]) for position in positions]

        def ours(count: int, each: list[Callable[[int], float]] = each) -> float:
            return sum(each[i % len(each)](1) for i in range(count))

        theirs = None
        if openspiel:
            theirs = peers.openspiel_mcts(openspiel, name, game, openings, ROLLOUT_SIMS, config.c_init)
        speed, peer_speed = take_turns(ours, theirs, seconds)
        rows.append(row(f"rollouts {id} mcts:{ROLLOUT_SIMS}", speed, "simulations/s", "OpenSpiel MCTSBot", peer_speed))
    return rows


def growth_rows(_seconds: float) -> list[Row]:
    """One tree, grown with batches of its own leaves: the cost of a simulation when nothing fits a cache any more."""
    game = games.make("connect4")
    config = SearchConfig(leaves=256, solver=False, cache_mb=0, max_nodes=SIZES[-1] + 1000)
    agent = Agent(game, Uniform(game), config, threads=1)
    search, rows = agent.search, []
    search.reset(0, game.start())
    sims, spent, counted = 0, 0.0, 0
    for size in SIZES:
        while search.nodes(0) < size:
            sims += max(1000, (size - search.nodes(0)) // 2)
            agent.configure(config.replace(sims=sims))
            before = time.thread_time()
            agent.run([0])
            spent += time.thread_time() - before
        nodes, visits = search.nodes(0), search.visits(0)
        rows.append(row(f"growth to {size:,} nodes", 1e9 * spent / (visits - counted), "ns/simulation"))
        spent, counted = 0.0, visits
    rows.append(row("memory", search.bytes(0) / nodes, "bytes/node"))
    rows.append(row("memory", search.bytes(0) / visits, "bytes/simulation"))
    rows.append(row("memory", search.bytes(0) / ((search.bytes(0) - 64 * nodes) / 16), "bytes/edge"))
    return rows
