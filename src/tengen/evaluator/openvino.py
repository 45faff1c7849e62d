"""The default on CPUs: OpenVINO."""

import numpy as np
import openvino
from numpy.typing import NDArray

from tengen.evaluator.protocol import Evaluation, Leaves
from tengen.network import NetworkFile


def padded_rows(rows: int) -> int:
    """The batch size that is run for a number of leaves.

    OpenVINO prepares its kernels anew for every batch size it has not seen, which costs as much as evaluating some
    hundred positions; a search asks for all sizes. Rounding up by at most an eighth leaves few.

    >>> [padded_rows(n) for n in (1, 7, 9, 33, 100, 250)]
    [1, 7, 9, 36, 104, 256]
    """
    step = 1 << max(0, (rows - 1).bit_length() - 4)
    return -(-rows // step) * step


class _Request:
    """One inference at a time, with input memory of its own."""

    def __init__(self, compiled: openvino.CompiledModel, idle: "list[_Request]") -> None:
        self._request = compiled.create_infer_request()
        self._input = np.empty(
            (0, *[size.get_length() for size in list(compiled.input(0).partial_shape)[1:]]), np.float32
        )
        self._idle = idle
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
        policy, wdl, moves_left = (self._request.get_output_tensor(i).data[: self._rows] for i in range(3))
        self._idle.append(self)
        return Evaluation(policy, wdl, moves_left)


class OpenVino:
    """Runs in bfloat16 where the CPU computes in it, else in float32 (or in what the file is quantized to)."""

    def __init__(self, file: NetworkFile, threads: int = 0, *, exact: bool = False) -> None:
        core = openvino.Core()
        fast = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES") and not exact
        # Latency: one batch at a time on all threads. Searches make their own large batches; streams would split them.
        # Not pinned to cores: processes side by side would all be pinned to the same ones.
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "bf16" if fast else "f32",
            "ENABLE_CPU_PINNING": "NO",
        }
        if threads:
            settings["INFERENCE_NUM_THREADS"] = str(threads)
        self.network_hash = file.network_hash
        self._compiled = core.compile_model(core.read_model(file.data), "CPU", settings)
        self._idle: list[_Request] = []

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        return self.start(leaves).wait()

    def start(self, leaves: Leaves, /) -> _Request:
        request = self._idle.pop() if self._idle else _Request(self._compiled, self._idle)
        request.start(leaves.planes)
        return request
