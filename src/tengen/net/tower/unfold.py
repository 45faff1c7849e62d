"""A network that can learn on, made from the file that plays: the way back from `fold`.

A file has no BatchNorm. Each gets the mean and the spread that its convolution has over some positions, and weights
that undo them: so the network says what the file says, and nearly so while it learns, when a BatchNorm goes by the
batch at hand.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tengen.games import Family, Game
from tengen.net.file import NetworkError, NetworkFile
from tengen.net.shape import NetworkShape
from tengen.net.tower.model import ConvNorm, Network, blank_network

# Muon's steps are all of one size, and kernels grow under them, which makes later steps smaller to them. So kernels
# begin as large as after half an hour (root mean square of their numbers); the BatchNorm behind takes that back.
KERNEL_SIZE = 1.0


def unfold(file: NetworkFile, game: Game | Family, planes: NDArray[np.float32]) -> Network:
    """`planes`: positions as the network will see them. Raises NetworkError, also for a file of other sizes: it would
    fit, and read another end of the game in its classes of plies."""
    if file.game != game.id:
        raise NetworkError(f"{file.name}: this network plays {file.game}, not {game.id}")
    if file.precision != "f32":
        raise NetworkError(f"{file.name}: rounded to 8 bits; learning goes on from a network with 32 bits only")
    network = blank_network(NetworkShape.of(game, file.size, file.counted))
    weights = {name: torch.from_numpy(values.copy()) for name, values in file.weights.items()}
    network.load_state_dict(weights, strict=False)  # a folded convolution has a bias, a BatchNorm no weights yet
    hooks = [
        module.conv.register_forward_hook(_normalizer(module, weights[f"{name}.conv.bias"]))
        for name, module in network.named_modules()
        if isinstance(module, ConvNorm)
    ]
    with torch.inference_mode():
        network.eval()(torch.from_numpy(planes))
    for hook in hooks:
        hook.remove()
    return network


def _normalizer(module: ConvNorm, bias: Tensor) -> Callable[..., None]:
    """Sets a BatchNorm, before it is asked, by what comes out of its convolution."""
    norm, kernel = module.norm, module.conv.weight.data
    assert isinstance(norm, nn.BatchNorm2d)
    larger = KERNEL_SIZE / kernel.square().mean().sqrt()
    kernel *= larger

    def observe(_: nn.Module, __: tuple[Tensor], out: Tensor) -> None:
        assert norm.running_mean is not None and norm.running_var is not None
        mean, variance = out.mean((0, 2, 3)), out.var((0, 2, 3), unbiased=False)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.copy_(torch.sqrt(variance + norm.eps) / larger)
        norm.bias.copy_(bias + mean / larger)

    return observe
