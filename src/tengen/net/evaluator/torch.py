"""PyTorch: for CUDA and MPS, and where nothing else is installed."""

import numpy as np
import torch
from numpy.typing import NDArray

from tengen.net.evaluator.blocking import Blocking
from tengen.net.evaluator.contract import Evaluation
from tengen.net.file import NetworkError, NetworkFile
from tengen.net.shape import NetworkShape
from tengen.net.tower.model import blank_network


class Torch(Blocking):
    """Takes the weights out of the file, which are named as in the folded network."""

    def __init__(self, file: NetworkFile, device: str, threads: int = 0) -> None:
        super().__init__(file)
        available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        if not available[device]:
            raise NetworkError(f"PyTorch has no {device} here; use --device cpu")
        if file.precision != "f32":
            raise NetworkError(
                f"{file.name}: PyTorch runs networks in f32, this one is in {file.precision}; use --device cpu"
            )
        if threads:
            torch.set_num_threads(threads)  # for the whole process: torch knows no other way
        network = blank_network(NetworkShape.of(file.family, file.size, file.counted), folded=True)
        network.load_state_dict({name: torch.from_numpy(values.copy()) for name, values in file.weights.items()})
        self._device = torch.device(device)
        self._network = network.to(self._device).eval()

    def run(self, planes: NDArray[np.float32]) -> Evaluation:
        return Evaluation(*self._answer(planes)[:4])

    def owners(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        return self._answer(planes)[4]

    def _answer(self, planes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        with torch.inference_mode():
            # copy: lent planes are read-only, which torch warns about
            shown = torch.from_numpy(planes.copy()).to(self._device)
            return [out.cpu().numpy() for out in self._network.answer(shown)]
