"""Which backend runs a network fastest on this processor: measured once for each shape, and remembered."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec

import numpy as np

from tengen.games import Game, GameError
from tengen.net.evaluator.contract import Batch, Evaluator
from tengen.net.evaluator.remembered import network_text, recall, remember
from tengen.net.file import NetworkFile

ROWS = 64  # of a batch: self-play and matches have some hundreds, where the order of backends is the same
SECONDS = 0.7  # for all backends together, beside making them and their first runs
MARGIN = 1.1  # by which another must be faster than what is fastest as a rule: a busy machine is noisy

Make = Callable[[str, NetworkFile, Game, int], Evaluator]


def choose(file: NetworkFile, game: Game, threads: int, make: Make, *, measure: bool) -> str | None:
    """The remembered backend, or the one measured now; None if it is neither. `make` makes the evaluator of a name."""
    network = network_text(file, game, threads)
    known = recall(network)
    if known is None and not measure:
        return None
    ways = ways_to_run()
    if known is not None and known.backend in ways:
        return known.backend
    if not measure or len(ways) < 2:
        return None
    speeds = measured(file, game, threads, make, ways)
    if not speeds:
        return None
    best = fastest(speeds)
    remember(network, best, speeds)
    return best


def fastest(speeds: dict[str, float]) -> str:
    """The first, unless another is clearly faster."""
    first, best = next(iter(speeds)), max(speeds, key=speeds.__getitem__)
    return best if speeds[best] > MARGIN * speeds[first] else first


def ways_to_run() -> list[str]:
    """The backends of the processor that are compared; first what is fastest as a rule.

    PyTorch is not: it runs where nothing else is installed, or where it is named. Its idle threads spin for a while,
    which slows down whoever is measured next, and in no measurement was it half as fast as OpenVINO.
    """
    ways = []
    if find_spec("openvino"):
        from tengen.net.evaluator.openvino import precisions

        ways += [f"openvino-{precision}" for precision in precisions()]
    return ways + (["onnxruntime"] if find_spec("onnxruntime") else [])


def measured(file: NetworkFile, game: Game, threads: int, make: Make, ways: list[str]) -> dict[str, float]:
    """Positions per second of processor time of each, by its best run, all in turns. On the wall, other work on a busy
    machine would decide."""
    batch = Batch(np.zeros((ROWS, *game.planes_shape), np.float32), np.zeros(ROWS, np.uint64))
    evaluators = dict[str, Evaluator]()
    for way in ways:
        with suppress(RuntimeError, ValueError, GameError):  # one that cannot run it is no choice
            evaluator = make(way, file, game, threads)
            evaluator(batch)  # prepares its kernels
            evaluators[way] = evaluator
    best, end = dict.fromkeys(evaluators, 0.0), time.monotonic() + SECONDS
    while True:
        for way, evaluator in evaluators.items():
            before = time.process_time()
            evaluator(batch)
            best[way] = max(best[way], round(ROWS / max(time.process_time() - before, 1e-9), 1))
        if time.monotonic() >= end:
            return best
