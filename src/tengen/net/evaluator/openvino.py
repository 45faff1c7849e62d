"""The default on CPUs: OpenVINO."""

import numpy as np
import openvino
from numpy.typing import NDArray

from tengen.games import Game
from tengen.net.cpu import bfloat16_is_fast, usable_cores
from tengen.net.evaluator.contract import Evaluation, Leaves
from tengen.net.file import NetworkFile

SEARCHED = 4  # outputs that a search asks for: policy, wdl, moves_left and, where there is one, lead
LEAST_ROWS = 4  # of a part: below, handing it to another core costs more than it saves


def padded_rows(rows: int) -> int:
    """The batch size that is run for a number of leaves.

    OpenVINO prepares its kernels anew for every batch size it has not seen, which costs as much as evaluating some
    fifty positions; a search asks for all sizes. Rounding up by at most a sixteenth leaves few.

    >>> [padded_rows(n) for n in (1, 7, 9, 33, 101, 250)]
    [1, 7, 9, 34, 104, 256]
    """
    step = 1 << max(0, (rows - 1).bit_length() - 5)
    return -(-rows // step) * step


def is_near(run: int, rows: int) -> bool:
    """Is a batch of `rows` leaves better run in the size of the last one? Another size costs as much as evaluating two
    positions more, in large batches ten, even where it was seen before.

    >>> [is_near(256, rows) for rows in (239, 240, 256, 257)], is_near(8, 7), is_near(8, 6)
    ([False, True, True, False], True, False)
    """
    return rows <= run <= rows + 1 + rows // 16


class _Request:
    """One inference at a time on one core, with memory of its own for what goes in and comes out."""

    def __init__(self, compiled: openvino.CompiledModel) -> None:
        self._request = compiled.create_infer_request()
        self._shapes = [
            [size.get_length() for size in list(port.partial_shape)[1:]] for port in compiled.outputs[:SEARCHED]
        ]
        self._input = np.empty(
            (0, *[size.get_length() for size in list(compiled.input(0).partial_shape)[1:]]), np.float32
        )
        self._rows = self._run = 0
        self._answer: list[NDArray[np.float32]] = []

    def start(self, planes: NDArray[np.float32]) -> None:
        self._rows = len(planes)
        if not is_near(self._run, self._rows):
            self._resize(padded_rows(self._rows))
        self._input[: self._rows] = planes  # rows beyond keep what they had: their answers are thrown away
        self._request.start_async()

    def wait(self) -> Evaluation:
        self._request.wait()
        return Evaluation(*self._answer).each(lambda answer: answer[: self._rows])

    def _resize(self, run: int) -> None:
        self._run = run
        if run > len(self._input):
            self._input = np.zeros((run, *self._input.shape[1:]), np.float32)
        self._request.set_input_tensor(openvino.Tensor(self._input[:run], shared_memory=True))
        self._answer = [np.empty((run, *shape), np.float32) for shape in self._shapes]
        for i, answer in enumerate(self._answer):
            self._request.set_output_tensor(i, openvino.Tensor(answer, shared_memory=True))


class _Parts:
    """A batch under way: its parts run side by side."""

    def __init__(self, requests: list[_Request], idle: list[_Request]) -> None:
        self._requests, self._idle = requests, idle

    def wait(self) -> Evaluation:
        answers = [request.wait() for request in self._requests]
        self._idle.extend(self._requests)
        return answers[0] if len(answers) == 1 else Evaluation.join(answers)


def precisions() -> list[str]:
    """What this processor computes in, the one first that is faster as a rule: bf16 and f32."""
    if "BF16" not in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        return ["f32"]
    return ["bf16", "f32"] if bfloat16_is_fast() else ["f32", "bf16"]


class OpenVino:
    """Runs in `precision` of `precisions()`, by default the first, and 8 bits of a file in 8 bits.

    A batch is split into one part per core. Cores that share each layer of a small network instead wait for each other
    all the time: on two busy cores that made a third of the speed.
    """

    def __init__(self, file: NetworkFile, game: Game, threads: int = 0, precision: str | None = None) -> None:
        core = openvino.Core()
        self._cores = threads or usable_cores()
        # Not pinned to cores: processes side by side would all be pinned to the same ones.
        settings = {
            "NUM_STREAMS": str(self._cores),
            "INFERENCE_NUM_THREADS": str(self._cores),
            "INFERENCE_PRECISION_HINT": precision or precisions()[0],
            "ENABLE_CPU_PINNING": "NO",
        }
        self.network_hash = file.network_hash
        model = core.read_model(file.data)
        if model.input(0).partial_shape[2].is_dynamic:  # of several sizes: kernels for a known board are faster
            model.reshape([-1, *game.planes_shape])
        self._compiled = core.compile_model(model, "CPU", settings)
        self._idle: list[_Request] = []
        self.counts = file.counted

    def owners(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.array(self._compiled.infer_new_request({0: planes})["owners"])

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        return self.start(leaves).wait()

    def start(self, leaves: Leaves, /) -> _Parts:
        planes, rows = leaves.planes, len(leaves)
        count = max(1, min(self._cores, rows // LEAST_ROWS))
        requests = []
        for part in range(count):
            request = self._idle.pop() if self._idle else _Request(self._compiled)
            request.start(planes[rows * part // count : rows * (part + 1) // count])
            requests.append(request)
        return _Parts(requests, self._idle)
