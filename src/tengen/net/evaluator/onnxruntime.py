"""The portable backend: ONNX Runtime."""

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from tengen.net.evaluator.blocking import Blocking
from tengen.net.evaluator.contract import Evaluation
from tengen.net.file import NetworkFile


class OnnxRuntime(Blocking):
    def __init__(self, file: NetworkFile, threads: int = 0) -> None:
        super().__init__(file)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Idle threads sleep: spinning ones would take the cores that search and other networks need.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3  # errors only
        self._searched = ["policy", "wdl", "moves_left"] + ["lead"] * file.counted
        self._session = onnxruntime.InferenceSession(file.data, options, providers=["CPUExecutionProvider"])

    def run(self, planes: NDArray[np.float32]) -> Evaluation:
        return Evaluation(*self._session.run(self._searched, {"planes": planes}))

    def owners(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        answer: NDArray[np.float32] = self._session.run(["owners"], {"planes": planes})[0]
        return answer
