"""`tengen bench network`: positions per second of every backend that is installed, beside PyTorch as it comes."""

import argparse
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tengen import games
from tengen.cli import UsageError
from tengen.cli.slices import ROUNDS, Slices

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tengen.evaluator import Evaluator
    from tengen.nn.model import Network

BATCHES = (1, 8, 64, 256)
PEER = "eager PyTorch f32"


def measure_networks(args: argparse.Namespace) -> list[dict[str, Any]]:
    missing = [module for module in ("torch", "onnx", "onnxruntime") if not find_spec(module)]
    if missing:
        raise UsageError(f"making a network to measure needs {', '.join(missing)}; pip install 'tengen[train]'")
    ids = args.game or ["connect4"]
    return [row for id in ids for row in measure(games.make(id), args.size, args.seconds, args.threads)]


def measure(game: games.Game, size: str, seconds: float, threads: int) -> list[dict[str, Any]]:
    import torch

    from tengen.nn.export import sample_planes, torch_answer
    from tengen.nn.model import make_network
    from tengen.nn.shape import NetworkShape

    network = make_network(NetworkShape.of(game, size))
    planes = sample_planes(game, max(BATCHES))
    ours = backends(network, game, threads)
    torch.set_num_threads(threads or torch.get_num_threads())
    clock = time.process_time if threads == 1 else time.perf_counter
    rows = []
    for batch in BATCHES:
        shown = planes[:batch]
        runs = {PEER: partial(torch_answer, network, shown)} | {name: partial(ask, shown) for name, ask in ours.items()}
        slices = {name: Slices(repeated(run, batch), seconds, clock) for name, run in runs.items()}
        for _ in range(ROUNDS):
            for slice in slices.values():
                slice.run()
        peer = slices.pop(PEER).speed()
        rows += [
            {
                "name": f"network {game.id} {network.shape.size} {name} batch {batch}",
                "value": round(slice.speed()),
                "unit": "positions/s",
                "peer": PEER,
                "peer_value": round(peer),
                "ratio": round(slice.speed() / peer, 2),
            }
            for name, slice in slices.items()
        ]
    return rows


def repeated(run: Callable[[], object], batch: int) -> Callable[[int], float]:
    def play(count: int) -> float:
        for _ in range(count):
            run()
        return float(count * batch)

    return play


def backends(
    network: "Network", game: games.Game, threads: int
) -> "dict[str, Callable[[NDArray[np.float32]], object]]":
    """Every way to run this network here, by name."""
    import torch

    from tengen.evaluator import make_evaluator
    from tengen.nn.export import CALIBRATION, sample_planes, to_onnx

    devices = [device for device in ("openvino", "onnxruntime") if find_spec(device)]
    devices += ["torch", *(["cuda"] if torch.cuda.is_available() else [])]
    devices += ["mps"] if torch.backends.mps.is_available() else []
    f32, int8 = to_onnx(network, game), to_onnx(network, game, calibration=sample_planes(game, CALIBRATION))
    found: dict[str, Callable[[NDArray[np.float32]], object]] = {}
    for device in devices:
        for file in (f32, int8) if device in ("openvino", "onnxruntime") else (f32,):
            found[f"{device} {file.precision}"] = partial(ask_planes, make_evaluator(file, game, device, threads))
    return found


def ask_planes(evaluator: "Evaluator", planes: "NDArray[np.float32]") -> object:
    import numpy as np

    from tengen.evaluator import Batch

    return evaluator(Batch(planes, np.zeros(len(planes), np.uint64)))


def show_networks(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("network", box=None, header_style="bold", pad_edge=False)
    for heading in ("positions/s", PEER, "ratio"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row["name"].removeprefix("network "), f"{row['value']:,}", f"{row['peer_value']:,}", f"{row['ratio']:.2f}×"
        )
    Console(highlight=False).print(table)
