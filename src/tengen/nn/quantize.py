"""8-bit integers for the tower: where its inputs lie, and weights that fit."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tengen.nn.model import Network

# Weights use 7 bits: CPUs before VNNI add pairs of products in 16 bits, and 2 · 255 · 127 would overflow there.
WEIGHT_LEVELS = 63
INPUT_LEVELS = 255

Ranges = Mapping[str, tuple[float, float]]


def input_ranges(folded: Network, planes: NDArray[np.float32]) -> Ranges:
    """Smallest and largest input of each convolution of the tower over some positions."""
    ranges: dict[str, tuple[float, float]] = {}
    hooks = []
    for name, module in folded.tower.named_modules(prefix="tower"):
        if isinstance(module, nn.Conv2d) and module.kernel_size == (3, 3):

            def observe(_: nn.Module, inputs: tuple[torch.Tensor], name: str = name) -> None:
                ranges[name] = (min(0.0, float(inputs[0].min())), max(1e-6, float(inputs[0].max())))

            hooks.append(module.register_forward_pre_hook(observe))
    try:
        with torch.inference_mode():
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
