"""The default on CPUs: OpenVINO."""

import os

import numpy as np
import openvino
from numpy.typing import NDArray

from tengen.cpu import bfloat16_is_fast
from tengen.evaluator.protocol import Evaluation, Leaves
from tengen.network import NetworkFile

LEAST_ROWS = 4  # of a part: below, handing it to another core costs more than it saves


def padded_rows(rows: int) -> int:
    """The batch size that is run for a number of leaves.

    OpenVINO prepares its kernels anew for every batch size it has not seen, which costs as much as evaluating some
    hundred positions; a search asks for all sizes. Rounding up by at most a sixteenth leaves few.

    >>> [padded_rows(n) for n in (1, 7, 9, 33, 101, 250)]
    [1, 7, 9, 34, 104, 256]
    """
    step = 1 << max(0, (rows - 1).bit_length() - 5)
    return -(-rows // step) * step


class _Request:
    """One inference at a time on one core, with input memory of its own."""

    def __init__(self, compiled: openvino.CompiledModel) -> None:
        self._request = compiled.create_infer_request()
        self._input = np.empty(
            (0, *[size.get_length() for size in list(compiled.input(0).partial_shape)[1:]]), np.float32
        )
        self._rows = 0

    def start(self, planes: NDArray[np.float32]) -> None:
        self._rows = len(planes)
        run = padded_rows(self._rows)
        if run > len(self._input):
            self._input = np.zeros((run, *planes.shape[1:]), np.float32)
        self._input[: self._rows] = planes  # rows beyond keep what they had: their answers are thrown away
        self._request.set_input_tensor(openvino.Tensor(self._input[:run], shared_memory=True))
        self._request.start_async()

    def wait(self) -> Evaluation:
        self._request.wait()
        return Evaluation(*(self._request.get_output_tensor(i).data[: self._rows] for i in range(3)))


class _Parts:
    """A batch under way: its parts run side by side."""

    def __init__(self, requests: list[_Request], idle: list[_Request]) -> None:
        self._requests, self._idle = requests, idle

    def wait(self) -> Evaluation:
        answers = [request.wait() for request in self._requests]
        self._idle.extend(self._requests)
        if len(answers) == 1:
            return answers[0]
        return Evaluation(*(np.concatenate(parts) for parts in zip(*answers, strict=True)))


class OpenVino:
    """Runs in bfloat16 where the CPU is faster in it, else in float32 (or in what the file is quantized to).

    A batch is split into one part per core. Cores that share each layer of a small network instead wait for each other
    all the time: on two busy cores that made a third of the speed.
    """

    def __init__(self, file: NetworkFile, threads: int = 0, *, exact: bool = False) -> None:
        core = openvino.Core()
        fast = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES") and bfloat16_is_fast() and not exact
        self._cores = threads or len(os.sched_getaffinity(0))
        # Not pinned to cores: processes side by side would all be pinned to the same ones.
        settings = {
            "NUM_STREAMS": str(self._cores),
            "INFERENCE_NUM_THREADS": str(self._cores),
            "INFERENCE_PRECISION_HINT": "bf16" if fast else "f32",
            "ENABLE_CPU_PINNING": "NO",
        }
        self.network_hash = file.network_hash
        self._compiled = core.compile_model(core.read_model(file.data), "CPU", settings)
        self._idle: list[_Request] = []

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        return self.start(leaves).wait()

    def start(self, leaves: Leaves, /) -> _Parts:
        count = max(1, min(self._cores, len(leaves) // LEAST_ROWS))
        requests = []
        for planes in np.array_split(leaves.planes, count):
            request = self._idle.pop() if self._idle else _Request(self._compiled)
            request.start(planes)
            requests.append(request)
        return _Parts(requests, self._idle)
