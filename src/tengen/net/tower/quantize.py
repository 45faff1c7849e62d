"""8-bit integers for the tower: where its inputs lie, and weights that fit."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tengen.net.tower.model import Network

# Weights use 7 bits: CPUs before VNNI add pairs of products in 16 bits, and 2 · 255 · 127 would overflow there.
WEIGHT_LEVELS = 63
INPUT_LEVELS = 255

Ranges = dict[str, tuple[float, float]]
Calibration = NDArray[np.float32] | Sequence[NDArray[np.float32]]  # planes of some positions; of several sizes a list


def input_ranges(folded: Network, calibration: Calibration) -> Ranges:
    """Smallest and largest input of each convolution of the tower over some positions."""
    ranges: Ranges = {}
    hooks = []
    for name, module in folded.tower.named_modules(prefix="tower"):
        if isinstance(module, nn.Conv2d) and module.kernel_size == (3, 3):

            def observe(_: nn.Module, inputs: tuple[torch.Tensor], name: str = name) -> None:
                low, high = ranges.get(name, (0.0, 1e-6))
                ranges[name] = (min(low, float(inputs[0].min())), max(high, float(inputs[0].max())))

            hooks.append(module.register_forward_pre_hook(observe))
    try:
        with torch.inference_mode():
            for planes in [calibration] if isinstance(calibration, np.ndarray) else calibration:
                folded(torch.from_numpy(planes).to(next(folded.parameters()).device))
    finally:
        for hook in hooks:
            hook.remove()
    return ranges


def quantize_range(low: float, high: float) -> tuple[np.float32, np.uint8]:
    """Scale and zero point that spread a range over a byte."""
    scale = (high - low) / INPUT_LEVELS
    return np.float32(scale), np.uint8(round(-low / scale))


def quantize_weight(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Integers and a scale per output channel."""
    scale = np.maximum(np.abs(weight).max(axis=(1, 2, 3)), 1e-12) / WEIGHT_LEVELS
    integers = np.round(weight / scale[:, None, None, None]).astype(np.int8)
    return integers, scale.astype(np.float32)


def quantize(weights: Mapping[str, NDArray[np.float32]], ranges: Ranges) -> dict[str, NDArray[Any]]:
    """The arrays of a network in which the convolutions that `ranges` names compute in 8 bits."""
    arrays: dict[str, NDArray[Any]] = dict(weights)
    for name, (low, high) in ranges.items():
        scale, zero = quantize_range(low, high)
        arrays[f"{name}.scale"], arrays[f"{name}.zero"] = np.array(scale), np.array(zero)
        integers, scales = quantize_weight(arrays.pop(f"{name}.weight"))
        arrays[f"{name}.weight.int8"], arrays[f"{name}.weight.scale"] = integers, scales
    return arrays
