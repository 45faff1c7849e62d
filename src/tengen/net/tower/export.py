"""From a trained network to the file that plays: folded, checked against the original, named, written at once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tengen._core import Rng
from tengen.files import write_durably
from tengen.games import Family, Game
from tengen.net.file import NetworkError, NetworkFile
from tengen.net.shape import NetworkShape
from tengen.net.tower.model import Network, fold
from tengen.net.tower.quantize import Calibration, input_ranges, quantize

# Largest |difference| ÷ (1 + |value|) between torch and the file: float32 sums in another order stay far below it.
TOLERANCE = 1e-4
# Mean |difference| of win, draw and loss for 8 bits: above it something is broken, below it is what 8 bits cost.
INT8_TOLERANCE = 0.05
CALIBRATION = 256  # positions of random games, unless the caller has better ones


def export_onnx(
    network: Network, path: Path, game: Game | Family, step: int = 0, calibration: Calibration | None = None
) -> NetworkFile:
    """Writes a network for playing. Raises NetworkError, and writes nothing, when the file would not say the same."""
    file = to_onnx(network, game, step, str(path), calibration)
    check_parity(network, file, game)
    write_durably(path, file.data)
    return file


def to_onnx(
    network: Network,
    game: Game | Family,
    step: int = 0,
    name: str = "network",
    calibration: Calibration | None = None,
) -> NetworkFile:
    """The file as it would be written; same weights, same hash. In 8 bits with planes to calibrate them by."""
    if network.shape != NetworkShape.of(game, network.shape.size, network.shape.counted):
        raise NetworkError(f"{name}: a network of shape {network.shape} does not fit {game.id}")
    folded = fold(network)
    weights = {key: value.detach().cpu().numpy() for key, value in folded.state_dict().items()}
    if calibration is None:
        return NetworkFile.write(game, network.shape, "f32", weights, step, name)
    rounded = quantize(weights, input_ranges(folded, calibration))
    return NetworkFile.write(game, network.shape, "int8", rounded, step, name)


def check_parity(network: Network, file: NetworkFile, game: Game | Family) -> None:
    """Compares a file, run by ONNX Runtime, with the network it was made from; of a family on its outermost sizes."""
    import onnxruntime

    session = onnxruntime.InferenceSession(file.data, providers=["CPUExecutionProvider"])
    family = Family.of(game)
    for each in dict.fromkeys([family.smallest, family.largest]):
        _compare(network, file, session, sample_planes(each, 16))


def _compare(network: Network, file: NetworkFile, session: Any, planes: NDArray[np.float32]) -> None:
    expected, answer = torch_answer(network, planes), session.run(None, {"planes": planes})
    if file.precision == "int8":
        difference, most = float(np.mean(np.abs(expected[1] - answer[1]))), INT8_TOLERANCE
    else:
        difference, most = relative_difference(expected, answer), TOLERANCE
    if not difference <= most:  # also when something is not a number
        raise NetworkError(
            f"{file.name}: not written, its answers differ from the network's by {difference:.2g} (at most {most})"
        )


def torch_answer(network: Network, planes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """What the network in torch says in evaluation mode, whatever mode it is in."""
    device = next(network.parameters()).device
    training = network.training
    try:
        with torch.inference_mode():
            return [out.cpu().numpy() for out in network.eval().answer(torch.from_numpy(planes).to(device))]
    finally:
        network.train(training)


def relative_difference(a: Sequence[NDArray[np.float32]], b: Sequence[NDArray[np.float32] | None]) -> float:
    """The largest |x − y| ÷ (1 + |x|) of two answers; the second may lack what only some networks say."""
    there = [y for y in b if y is not None]
    return float(np.max([np.max(np.abs(x - y) / (1 + np.abs(x))) for x, y in zip(a, there, strict=True)]))


def sample_planes(game: Game, count: int, seed: int = 1) -> NDArray[np.float32]:
    """What the network sees in `count` random games, each stopped at a random ply."""
    planes = []
    for number in range(count):
        rng, state = Rng(seed, number, 0, "rollout"), game.start()
        for _ in range(rng.below(game.max_plies)):
            following = state.copy()
            actions = state.legal_actions()
            following.apply(actions[rng.below(len(actions))])
            if following.is_terminal():
                break
            state = following
        planes.append(state.planes(rng.below(game.num_symmetries)))
    return np.stack(planes)
