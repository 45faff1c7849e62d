"""Evaluators that ask a network, and the choice of the backend that runs it.

>>> DEVICES[0]
'auto'
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, runtime_checkable

from tengen.games import Game
from tengen.net.evaluator.contract import Counting, Evaluation, Evaluator, Leaves
from tengen.net.evaluator.fastest import choose
from tengen.net.file import NetworkError, NetworkFile, shipped_network

DEVICES = ("auto", "fastest", "cpu", "cuda", "mps", "openvino", "onnxruntime", "torch")

CHOSEN_HERE = ("auto", "fastest")

# Backends for the CPU, fastest first as a rule (`tengen bench network`), with what installs each.
CPU_BACKENDS = {"openvino": "openvino", "onnxruntime": "onnxruntime", "torch": "tengen[train]"}


class Pending(Protocol):
    """A batch in the network."""

    def wait(self) -> Evaluation:
        """Its answer, once; the arrays are lent until the evaluator is asked again."""


@runtime_checkable
class NetworkEvaluator(Evaluator, Counting, Protocol):
    """An evaluator with a name for its answers, which can be asked now and read later."""

    network_hash: int

    def start(self, leaves: Leaves, /) -> Pending:
        """Hands a batch to the network and returns at once, so that the caller can gather the next one meanwhile.

        Several batches may be under way. The planes are not read after this call where they are only lent.
        """


def make_evaluator(
    network: Path | str | NetworkFile, game: Game, device: str = "auto", threads: int = 0
) -> NetworkEvaluator:
    """Loads a network for a game on a device of DEVICES: a file, or "shipped" for the one that comes with the package.
    `threads` 0 means all cores. Raises NetworkError.

    "auto" takes what was fastest when it was last measured here, or what is fastest as a rule; "fastest" measures now
    if nothing is remembered, which takes a second or two.
    """
    if device not in DEVICES:
        raise NetworkError(f"unknown device {device!r}; devices are {', '.join(DEVICES)}")
    if network == "shipped":
        path = shipped_network(game)
        if path is None:
            raise NetworkError(f"no network ships for {game.id}")
        network = path
    file = network if isinstance(network, NetworkFile) else NetworkFile.load(network)
    file.check_game(game)
    backend = backend_of(device)
    try:
        if device in CHOSEN_HERE and backend in CPU_BACKENDS:
            backend = choose(file, game, threads, _make, measure=device == "fastest") or backend
        return _make(backend, file, game, threads)
    except NetworkError:
        raise
    except (RuntimeError, ValueError, KeyError) as error:
        why = " ".join(str(error).split())[:200]
        raise NetworkError(f"{file.name}: {backend} cannot run it: {why}") from None


def backend_of(device: str) -> str:
    """The backend behind a device's name. Raises NetworkError."""
    if device in CHOSEN_HERE:
        device = "cuda" if _nvidia_is_here() else "cpu"
    if device == "cpu":
        installed = [name for name in CPU_BACKENDS if find_spec(name)]
        if not installed:
            raise NetworkError("nothing here can run a network; pip install openvino")
        return installed[0]
    package = "torch" if device in ("cuda", "mps") else device
    if find_spec(package) is None:
        raise NetworkError(f"{package} is not installed; pip install {CPU_BACKENDS[package]!r}, or use --device cpu")
    return device


def _nvidia_is_here() -> bool:
    """Looks for the driver first: importing torch takes seconds, and most machines need not."""
    if not (find_spec("torch") and any(Path(node).exists() for node in ("/dev/nvidiactl", "/dev/dxg"))):
        return False
    import torch

    return bool(torch.cuda.is_available())


def _make(backend: str, file: NetworkFile, game: Game, threads: int) -> NetworkEvaluator:
    if backend.startswith("openvino"):
        from tengen.net.evaluator.openvino import OpenVino

        return OpenVino(file, game, threads, backend.partition("-")[2] or None)
    if backend == "onnxruntime":
        from tengen.net.evaluator.onnxruntime import OnnxRuntime

        return OnnxRuntime(file, threads)
    from tengen.net.evaluator.torch import Torch

    return Torch(file, "cpu" if backend == "torch" else backend, threads)
