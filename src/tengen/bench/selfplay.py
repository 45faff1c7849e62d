"""How much of the network's bare speed self-play gets, and how many simulations each evaluation carries."""

from __future__ import annotations

import time
from importlib.util import find_spec

import numpy as np

from tengen import games
from tengen.bench.measure import Row, row, take_turns
from tengen.config import SelfPlayConfig
from tengen.net.evaluator import Batch, Uniform, make_evaluator
from tengen.net.file import NetworkError, NetworkFile, shipped_network
from tengen.records.selfplay import Actor
from tengen.run.settings import RunConfig

FRESH = "64x5"  # the size of a network where none ships
APART = 10  # seconds at most for games to drift apart
WARM_UP = 400  # evaluations per game for the cache to fill: in a run a network plays for twice or thrice as long
LONGEST_WARM_UP = 30  # seconds


def measure_selfplay(ids: list[str] | None, size: str | None, seconds: float, threads: int) -> list[Row]:
    """`size`: of a fresh network, instead of the one that ships. Raises NetworkError."""
    return [row for id in ids or ["connect4"] for row in _measure(games.make(id), size, seconds, threads)]


def _measure(game: games.Game, size: str | None, seconds: float, threads: int) -> list[Row]:
    """Where finished games are proven, which is no search, with that left out and with it."""
    config = RunConfig.of(game)
    plays = {"": config.selfplay.replace(label_nodes=0), " and proofs": config.selfplay}
    if config.selfplay.label_nodes == 0:
        plays.popitem()
    return [
        row
        for file in _networks(game, size)
        for what, play in plays.items()
        for row in _compare(game, config, play, file, seconds, threads, what)
    ]


def _compare(
    game: games.Game,
    config: RunConfig,
    play: SelfPlayConfig,
    file: NetworkFile,
    seconds: float,
    threads: int,
    what: str,
) -> list[Row]:
    slots = config.loop.slots
    evaluator = make_evaluator(file, game, threads=threads)
    actor = Actor(game, config.search, play, slots=slots, threads=threads)
    _drift_apart(actor, game)
    actor.set_evaluator(evaluator, file.hash)
    _warm_up(actor, WARM_UP * slots)
    planes = np.ascontiguousarray(np.stack([state.planes(0) for state in early_positions(game, slots)]))
    batch = Batch(planes, np.zeros(slots, np.uint64))

    def bare(count: int) -> float:
        for _ in range(count):
            evaluator(batch)
        return float(count * slots)

    done = {"simulations": 0, "evaluations": 0}

    def inside(count: int) -> float:
        before = actor.counts()
        actor.play(lambda counts: counts["batches"] >= before["batches"] + count)
        after = actor.counts()
        for name in done:
            done[name] += after[name] - before[name]
        return float(after["evaluations"] - before["evaluations"])

    # One thread's processor time is its own; what others on a busy machine take does not count. Turns are short, a
    # dozen batches: how fast the machine is changes from second to second, and a ratio of medians does not.
    clock = time.process_time if threads == 1 else time.perf_counter
    ours, peer = take_turns(inside, bare, seconds, rounds=24, clock=clock)
    carried = done["simulations"] / max(1, done["evaluations"])
    name, beside = (
        f"self-play{what} {game.id} {file.size} {file.precision}, {slots} games",
        f"bare network, batch {slots}",
    )
    return [
        row(f"{name}: evaluations", ours, "per s", beside, peer),
        row(f"{name}: simulations", ours * carried, "per s", beside, peer),
    ]


def _drift_apart(actor: Actor, game: games.Game) -> None:
    """All games start together, and while all of them are young they ask much the same. So each place plays a game or
    two first, with an evaluator that costs nothing."""
    actor.set_evaluator(Uniform(game), "00")
    end = time.monotonic() + APART
    actor.play(lambda counts: counts["games"] >= 2 * actor.slots or time.monotonic() >= end)


def _warm_up(actor: Actor, evaluations: int) -> None:
    wanted, end = actor.counts()["evaluations"] + evaluations, time.monotonic() + LONGEST_WARM_UP
    actor.play(lambda counts: counts["evaluations"] >= wanted or time.monotonic() >= end)


def early_positions(game: games.Game, count: int) -> list[games.State]:
    """Positions after a few moves: their number is all that matters to a network's speed."""
    states = []
    for number in range(count):
        state = game.start()
        for _ in range(number % 4):
            if legal := state.legal_actions():  # passes may have ended the game
                state.apply(legal[number % len(legal)])
        states.append(state)
    return states


def _networks(game: games.Game, size: str | None) -> list[NetworkFile]:
    """The shipped network, which plays real games, or else a fresh one; in 32 bits, and in 8 bits as self-play has it
    where they can be made here."""
    shipped = None if size else shipped_network(game)
    if not find_spec("torch"):
        if shipped:
            return [NetworkFile.load(shipped, game)]
        raise NetworkError("making a network to measure needs torch; pip install 'tengen[train]'")
    from tengen.net.shape import NetworkShape
    from tengen.net.tower.export import CALIBRATION, sample_planes, to_onnx
    from tengen.net.tower.model import make_network
    from tengen.net.tower.unfold import unfold

    seen = sample_planes(game, CALIBRATION)
    if shipped:
        network = unfold(NetworkFile.load(shipped, game), game, seen)
    else:
        network = make_network(NetworkShape.of(game, size or FRESH))
    return [to_onnx(network, game), to_onnx(network, game, calibration=seen)]
