"""What rules from outside the core cost: games in Python, compiled ones, OpenSpiel's."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tengen import games
from tengen.bench import peers
from tengen.bench.measure import Row, row, take_turns
from tengen.bench.selfplay import FRESH, measure_selfplay
from tengen.config import SearchConfig
from tengen.games import Game, State
from tengen.net.evaluator import Rollout, Uniform
from tengen.search.agent import Agent

TREES, SIMS = 64, 100  # as many positions, each searched so far, in one batch
PLAYOUTS = 200  # simulations with a random playout each
OPENSPIEL = "openspiel:"
DEFAULT = f"{OPENSPIEL}breakthrough(columns=6,rows=6)"
BESIDE = "connect4"  # built in: the same search, rules in C++


def measure_games(ids: list[str], seconds: float) -> list[Row]:
    return [row for id in ids for row in _measure(games.make(id), seconds)]


def _measure(game: Game, seconds: float) -> list[Row]:
    built_in = games.make(BESIDE)
    clock = time.perf_counter
    one, other = _searches(game, 1), _searches(built_in, 1)
    ours, theirs = take_turns(one, other, seconds, clock=clock)
    rows = [row(f"{game.id}: search, uniform evaluator", ours, "simulations/s", f"{BESIDE}, built in", theirs)]
    two, alone = take_turns(_searches(game, 2), one, seconds, clock=clock)
    rows.append(row(f"{game.id}: search on two threads", two, "simulations/s", "one thread", alone))
    with _busy_python() as busy:
        crowded, alone = take_turns(_while(busy, one), one, seconds, clock=clock)
    rows.append(row(f"{game.id}: search while another thread runs Python", crowded, "simulations/s", "alone", alone))
    if game.id.startswith(OPENSPIEL):
        rows += _beside_openspiel(game, seconds)
    return rows + measure_selfplay([game.id], FRESH, seconds, 0)


def _searches(game: Game, threads: int) -> Callable[[int], float]:
    agent = Agent(game, Uniform(game), SearchConfig(sims=SIMS, cache_mb=0), slots=TREES, threads=threads)
    positions, numbers = _positions(game), iter(range(1, 1 << 62))

    def work(count: int) -> float:
        for _ in range(count):
            for slot in range(TREES):
                agent.new_game(slot, next(numbers))
                agent.set_root(positions[slot], slot)
            agent.run(range(TREES))
        return float(count * TREES * SIMS)

    return work


def _positions(game: Game) -> list[State]:
    """After up to five random moves."""
    states = []
    for number in range(TREES):
        rng, state = random.Random(number), game.start()
        for _ in range(number % 6):
            after = state.copy()
            after.apply(rng.choice(state.legal_actions()))
            if after.is_terminal():
                break
            state = after
        states.append(state)
    return states


@contextmanager
def _busy_python() -> Iterator[threading.Event]:
    """A thread that wants Python's lock all the time, as a server's or a learner's does, while the event is set."""
    at_work, over = threading.Event(), threading.Event()

    def count() -> None:
        while not over.is_set():
            if at_work.wait(0.01):
                sum(range(1000))

    thread = threading.Thread(target=count)
    thread.start()
    try:
        yield at_work
    finally:
        over.set()
        thread.join()


def _while(event: threading.Event, work: Callable[[int], float]) -> Callable[[int], float]:
    def crowded(count: int) -> float:
        event.set()
        try:
            return work(count)
        finally:
            event.clear()

    return crowded


def _beside_openspiel(game: Game, seconds: float) -> list[Row]:
    """Random playouts, one thread: OpenSpiel's own MCTS in Python and in C++, on the same game."""
    openspiel = peers.load("pyspiel")
    agent = Agent(game, Rollout(), SearchConfig(sims=PLAYOUTS, rule="ucb1", solver=False, cache_mb=0), threads=1)
    numbers = iter(range(1, 1 << 62))

    def ours(count: int) -> float:
        for _ in range(count):
            agent.new_game(0, next(numbers))
            agent.set_root(game.start())
            agent.run([0])
        return float(count * PLAYOUTS)

    theirs = openspiel.load_game(game.id.removeprefix(OPENSPIEL))
    rows = []
    for language, bot in (("Python", _python_bot(theirs)), ("C++", _native_bot(openspiel, theirs))):

        def searches(count: int, bot: Any = bot) -> float:
            for _ in range(count):
                bot(theirs.new_initial_state())
            return float(count * PLAYOUTS)

        speed, peer_speed = take_turns(ours, searches, seconds)
        name = f"{game.id}: random playouts, {PLAYOUTS} simulations"
        rows.append(row(name, speed, "simulations/s", f"OpenSpiel's MCTSBot in {language}", peer_speed))
    return rows


def _python_bot(theirs: Any) -> Callable[[Any], Any]:
    import numpy as np
    from open_spiel.python.algorithms import mcts

    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = mcts.MCTSBot(theirs, 2.0, PLAYOUTS, evaluator, solve=False, random_state=np.random.RandomState(1))
    return lambda state: bot.mcts_search(state)


def _native_bot(openspiel: Any, theirs: Any) -> Callable[[Any], Any]:
    evaluator = openspiel.RandomRolloutEvaluator(1, 1)
    bot = openspiel.MCTSBot(theirs, evaluator, 2.0, PLAYOUTS, 1000, False, 1, False)
    return lambda state: bot.mcts_search(state)
