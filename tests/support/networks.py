"""Small networks for tests, with BatchNorm statistics that are not the neutral ones of a fresh network."""

import torch
from torch import nn

from tengen.games import Family, Game
from tengen.net.shape import NetworkShape
from tengen.net.tower.model import Network, make_network


def make_test_network(game: Game | Family, size: str = "8x3", *, seed: int = 0) -> Network:
    network = make_network(NetworkShape.of(game, size), seed=seed)
    random = torch.Generator().manual_seed(seed)
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            assert module.running_mean is not None and module.running_var is not None
            for values in (module.running_mean, module.bias.data):
                values.normal_(0, 0.3, generator=random)
            for values in (module.running_var, module.weight.data):
                values.uniform_(0.5, 2, generator=random)
    return network
