"""What batches, leaves in flight, tree reuse, first-play urgency and moves-left utility are worth, measured.

No trained network is needed. Where a network's cost matters, `StandIn` spends about as much time as a small one; where
its judgement matters, random playouts judge, moves-left included.
"""

import time
from itertools import pairwise

import numpy as np

from tengen import games
from tengen.bench.measure import Row, row
from tengen.bench.search import position_after
from tengen.config import SearchConfig
from tengen.exact import solver
from tengen.games import Game
from tengen.net.evaluator import Evaluation, Hash, Leaves, Rollout
from tengen.play.arena import Match, draw_openings, play_match
from tengen.play.players import AgentPlayer
from tengen.play.scorecard import Positions, measure, own_positions
from tengen.search.agent import Agent
from tengen.search.reference import ReferenceSearch

__all__ = ["fpu_rows", "leaves_rows", "mlh_rows", "reference_rows", "reuse_rows", "share_rows"]

HIDDEN = 1024
REFERENCE_GAMES = ["tictactoe", "connect4", "gomoku:6,in_a_row=4", "othello:6", "go:5", "hex:5"]
REFERENCE_OPTIONS = [
    SearchConfig(sims=100),
    SearchConfig(sims=100, leaves=8, virtual_mode="loss", noise_epsilon=0.25),
    SearchConfig(sims=100, rule="gumbel", mlh_slope=0.03),
]


class StandIn:
    """Two dense layers of 1024 with random weights: some ten microseconds a position in a batch, far more alone."""

    def __init__(self, game: Game) -> None:
        rng, inputs = np.random.default_rng(1), int(np.prod(game.planes_shape))
        sizes = [inputs, HIDDEN, HIDDEN, game.num_actions + 4]
        self.layers = [rng.normal(0, (2 / a) ** 0.5, (a, b)).astype(np.float32) for a, b in pairwise(sizes)]
        self.seconds = 0.0

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        before = time.perf_counter()
        x = leaves.planes.reshape(len(leaves), -1)
        for layer in self.layers[:-1]:
            x = np.maximum(x @ layer, 0)
        x = x @ self.layers[-1]
        wdl = np.exp(x[:, -4:-1] - x[:, -4:-1].max(axis=1, keepdims=True))
        evaluation = Evaluation(np.ascontiguousarray(x[:, :-4]), wdl / wdl.sum(axis=1, keepdims=True), np.abs(x[:, -1]))
        self.seconds += time.perf_counter() - before
        return evaluation


def share_rows(seconds: float) -> list[Row]:
    """The share of time the evaluator gets, by the number of games side by side."""
    game, rows = games.make("connect4"), []
    for trees in (1, 8, 64, 256):
        evaluator = StandIn(game)
        agent = Agent(game, evaluator, SearchConfig(sims=100, cache_mb=0), slots=trees)
        positions = [position_after(game, moves) for moves in draw_openings(game, trees, plies=4)]
        began, done = time.perf_counter(), 0
        while time.perf_counter() - began < seconds / 2:
            for slot, position in enumerate(positions):
                agent.search.reset(slot, position, slot)
            agent.run(range(trees))
            done += sum(agent.search.visits(slot) for slot in range(trees))
        spent = time.perf_counter() - began
        rows.append(row(f"share of time in the evaluator, batch {trees}", evaluator.seconds / spent, "share"))
        rows.append(row(f"speed with the stand-in, batch {trees}", done / spent, "simulations/s"))
    return rows


def leaves_rows(seconds: float) -> list[Row]:
    """One game: several leaves at a time keep the evaluator's batches from being single positions."""
    game, speeds = games.make("connect4"), dict[tuple[str, int], float]()
    kinds = [("visits", 1), ("visits", 8), ("visits", 16), ("loss", 8), ("loss", 16)]
    position = position_after(game, draw_openings(game, 1, plies=4)[0])
    for mode, leaves in kinds:
        config = SearchConfig(sims=800, cache_mb=0, leaves=leaves, virtual_mode=mode)
        agent = Agent(game, StandIn(game), config)
        began, done = time.perf_counter(), 0
        while time.perf_counter() - began < seconds / 2:
            agent.search.reset(0, position)
            agent.run([0])
            done += agent.search.visits(0)
        speeds[mode, leaves] = done / (time.perf_counter() - began)
    return [
        row(f"single game, {leaves} leaves ({mode})", speed, "simulations/s", "1 leaf", speeds["visits", 1])
        for (mode, leaves), speed in speeds.items()
        if leaves > 1
    ]


def reuse_rows(_seconds: float) -> list[Row]:
    """The share of a search's simulations that come with the tree, over whole games."""
    rows = []
    for id, sims in (("connect4", 400), ("othello", 400), ("gomoku:9", 400)):
        game, slots = games.make(id), 16
        agent = Agent(game, Rollout(), SearchConfig(sims=sims, solver=False), slots=slots)
        states = [position_after(game, moves) for moves in draw_openings(game, slots)]
        inherited = searched = 0
        for slot, state in enumerate(states):
            agent.search.reset(slot, state, slot)
        while running := [slot for slot in range(slots) if not states[slot].is_terminal()]:
            inherited += sum(min(sims, agent.search.visits(slot)) for slot in running)
            searched += sims * len(running)
            agent.run(running)
            for slot in running:
                action = agent.search.choose(slot)
                states[slot].apply(action)
                agent.search.advance(slot, action)
        rows.append(row(f"evaluations saved by tree reuse, {id} at {sims}", inherited / searched, "share"))
    return rows


def fpu_rows(_seconds: float) -> list[Row]:
    """Positions in which the move found keeps the game's value, at equal simulations; playouts judge."""
    game = games.make("connect4")
    every = Positions.join("all", own_positions(game, sorted(solver.CLASSES)))
    positions = every.where(every.mistake_possible)
    rows = []
    for sims in (50, 200, 800):
        kept = {}
        for mode in ("infinite", "reduction", "scaled", "zero"):
            config = SearchConfig(sims=sims, fpu_mode=mode, solver=False)
            agent = Agent(game, Rollout(), config, slots=len(positions))
            kept[mode] = measure(agent, positions).value_keeping
        for mode in ("reduction", "scaled", "zero"):
            name = f"FPU {mode}: value kept at {sims}, {len(positions)} positions"
            rows.append(row(name, kept[mode], "share", "visit all first", kept["infinite"]))
    return rows


def mlh_rows(_seconds: float) -> list[Row]:
    """Matches of a search with moves-left utility against the same without: strength, and the length of games."""
    game, pairs, sims = games.make("connect4"), 150, 200
    openings = draw_openings(game, pairs)

    def player(slope: float, mode: str, seed: int) -> AgentPlayer:
        cap = 0.15 if mode == "q" else 0.0345
        config = SearchConfig(sims=sims, mlh_slope=slope, mlh_mode=mode, mlh_cap=cap, solver=False)
        return AgentPlayer(f"mlh {mode} {slope}", Agent(game, Rollout(), config, seed=seed, slots=2 * pairs))

    def match(slope: float, mode: str) -> Match:
        return play_match(game, player(slope, mode, 1), player(0, "q", 2), openings, slots=2 * pairs)

    def lengths(played: Match) -> tuple[float, float]:
        won, lost = ([len(g.moves) for g in played.games if g.points == points] for points in (1, 0))
        return float(np.mean(won)), float(np.mean(lost))

    won, lost = lengths(match(0, "q"))
    rows = []
    for mode, slope in [(m, s) for m in ("q", "lc0") for s in (0.01, 0.02, 0.03, 0.05)]:
        played = match(slope, mode)
        now_won, now_lost = lengths(played)
        name = f"MLH {mode} slope {slope}"
        rows += [
            row(f"{name}: score against slope 0", played.pairs.summary().score, "share"),
            row(f"{name}: length of won games", now_won, "plies", "slope 0", won),
            row(f"{name}: length of lost games", now_lost, "plies", "slope 0", lost),
        ]
    return rows


def reference_rows(_seconds: float) -> list[Row]:
    """The C++ search and the naive Python search side by side: how many give the same numbers, and the speeds."""
    equal = compared = 0
    spent = {"native": 0.0, "reference": 0.0}
    for id in REFERENCE_GAMES:
        game = games.make(id)
        evaluator = Hash(game)
        for config in REFERENCE_OPTIONS:
            agent = Agent(game, evaluator, config, seed=7)
            agent.search.reset(0, game.start(), 3)
            before = time.thread_time()
            agent.run([0])
            between = time.thread_time()
            naive = ReferenceSearch(game.start(), config, seed=7, game=3)
            naive.run(evaluator)
            spent["native"] += between - before
            spent["reference"] += time.thread_time() - between
            ours = [(edge.action, edge.visits, edge.q, edge.m, edge.d) for edge in agent.search.node(0).edges]
            theirs = [
                (e.action, e.child.N, e.child.Q, e.child.M, e.child.D) if e.child else (e.action, 0, 0.0, 0.0, 0.0)
                for e in naive.root.edges
            ]
            compared += 1
            equal += ours == theirs and agent.search.target(0).tolist() == naive.target()
    return [
        row("searches equal to the last bit", equal, "searches", "reference", compared),
        row("time of those searches, batch 1", spent["native"], "seconds", "reference", spent["reference"]),
    ]
