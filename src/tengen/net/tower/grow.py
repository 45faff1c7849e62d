"""A network that becomes larger and says the same as before: nothing that was learned is lost.

Its old channels keep their weights and do not look at the new ones yet; new channels begin as in a new network; a new
block begins as the identity, by a BatchNorm that multiplies with zero. All of them learn from the next step on.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from tengen.net.file import NetworkError
from tengen.net.shape import parse_size
from tengen.net.tower.model import Network


def check_growth(old: str, new: str) -> None:
    """Raises NetworkError unless a network of the old size can grow to the new one.

    >>> check_growth("32x4", "48x5")
    >>> check_growth("48x4", "32x6")
    Traceback (most recent call last):
    tengen.net.file.NetworkError: a network of 48x4 can only grow, in channels, blocks or both, and not to 32x6
    """
    if any(before > after for before, after in zip(parse_size(old), parse_size(new), strict=True)):
        raise NetworkError(f"a network of {old} can only grow, in channels, blocks or both, and not to {new}")


def grow(network: Network, size: str, old: Mapping[str, Tensor]) -> None:
    """Fills a new network with the weights of one of a smaller size. Raises NetworkError."""
    check_growth(size, network.shape.size)
    with torch.no_grad():
        for name, new in network.state_dict().items():  # views: what is written here is in the network
            if name not in old:
                if name.endswith("second.norm.weight"):
                    new.zero_()
            elif name.endswith("pool.weight"):  # reads the means of all channels, then their maxima
                pools = network.shape.pools
                for into, part in zip(new.chunk(pools, dim=1), old[name].chunk(pools, dim=1), strict=True):
                    _into_corner(into, part)
            else:
                _into_corner(new, old[name])


def _into_corner(new: Tensor, old: Tensor) -> None:
    if new.ndim > 1:
        new[: len(old)] = 0  # old outputs do not look at new inputs
    new[tuple(slice(length) for length in old.shape)] = old
