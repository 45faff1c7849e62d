"""Positions per second of every backend that is installed, beside PyTorch as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tengen import games
from tengen.bench.measure import Row, Slices, row
from tengen.net.evaluator import Batch, Evaluator, make_evaluator
from tengen.net.evaluator.backend import backend_of
from tengen.net.file import NetworkError

if TYPE_CHECKING:
    from tengen.net.tower.model import Network

BATCHES = (1, 8, 64, 256)
ROUNDS = 8
PEER = "eager PyTorch f32"
USES = {"f32": "play", "int8": "self-play"}  # what a precision is for, in the backend that is chosen here

Planes = NDArray[np.float32]


def measure_networks(ids: list[str] | None, size: str, seconds: float, threads: int) -> list[Row]:
    """Needs what makes networks. Raises NetworkError."""
    missing = [module for module in ("torch", "onnxruntime") if not find_spec(module)]
    if missing:
        raise NetworkError(f"making a network to measure needs {', '.join(missing)}; pip install 'tengen[train]'")
    return [row for id in ids or ["connect4"] for row in _measure(games.make(id), size, seconds, threads)]


def _measure(game: games.Game, size: str, seconds: float, threads: int) -> list[Row]:
    import torch

    from tengen.net.shape import NetworkShape
    from tengen.net.tower.export import sample_planes, torch_answer
    from tengen.net.tower.model import make_network

    network = make_network(NetworkShape.of(game, size))
    planes = sample_planes(game, max(BATCHES))
    ours = _backends(network, game, threads)
    torch.set_num_threads(threads or torch.get_num_threads())
    clock = time.process_time if threads == 1 else time.perf_counter
    rows = []
    for batch in BATCHES:
        shown = planes[:batch]
        runs = {PEER: partial(torch_answer, network, shown)} | {name: partial(ask, shown) for name, ask in ours.items()}
        slices = {name: Slices(_repeated(run, batch), seconds, ROUNDS, clock) for name, run in runs.items()}
        for _ in range(ROUNDS):
            for each in slices.values():
                each.run()
        speeds = {name: each.speed() for name, each in slices.items()}
        peer = speeds.pop(PEER)
        name = f"network {game.id} {network.shape.size}"
        rows += [row(f"{name} {how} batch {batch}", speeds[how], "positions/s", PEER, peer) for how in speeds]
    return rows


def _repeated(run: Callable[[], object], batch: int) -> Callable[[int], float]:
    def work(count: int) -> float:
        for _ in range(count):
            run()
        return float(count * batch)

    return work


def _backends(network: Network, game: games.Game, threads: int) -> dict[str, Callable[[Planes], object]]:
    """Every way to run this network here, by name."""
    import torch

    from tengen.net.tower.export import CALIBRATION, sample_planes, to_onnx

    devices = [device for device in ("openvino", "onnxruntime") if find_spec(device)]
    devices += ["torch", *(["cuda"] if torch.cuda.is_available() else [])]
    devices += ["mps"] if torch.backends.mps.is_available() else []
    f32, int8 = to_onnx(network, game), to_onnx(network, game, calibration=sample_planes(game, CALIBRATION))
    chosen = backend_of("auto")
    return {
        f"{device} {file.precision}{f' ({USES[file.precision]})' if device == chosen else ''}": partial(
            _ask, make_evaluator(file, game, device, threads)
        )
        for device in devices
        for file in ((f32, int8) if device in ("openvino", "onnxruntime") else (f32,))
    }


def _ask(evaluator: Evaluator, planes: Planes) -> object:
    return evaluator(Batch(planes, np.zeros(len(planes), np.uint64)))
