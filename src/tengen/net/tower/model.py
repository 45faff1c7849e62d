"""The network: a residual tower with global pooling, and heads for policy, result and length of the game.

    planes → stem → block · block+pool · block … → ┬ policy  a logit per cell; a dense layer for other actions
                                                   └ value   dense → win/draw/loss, plies left by class
                                                             where the game is counted: the lead, an owner per cell

Post-activation blocks, as AlphaZero's: every BatchNorm follows a convolution, so that all of them fold away in the file
that plays. Pooling is KataGo's bias: the mean and the maximum of every channel, mixed, are added to all cells. It was
chosen over squeeze-and-excitation because it needs one small matrix instead of two, no sigmoid and no multiplication.

A network for several sizes has no layer that counts cells. What sees the whole board sees pools, among them the mean
times the size (KataGo's too): a count of stones is the mean and the size together.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from tengen.net.shape import MIDDLE_SIDE, POLICY_CHANNELS, SIDE_STEP, VALUE_HIDDEN, NetworkShape


class TowerOutput(NamedTuple):
    """Logits. Training compares them with targets; `Network.answer` turns them into what a search wants."""

    policy: Tensor  # [B, A]
    wdl: Tensor  # [B, 3] win, draw, loss for the side to move
    plies: Tensor  # [B, classes], each standing for the plies in NetworkShape.bins
    lead: Tensor | None = None  # [B] in sides of the board: no logit
    owners: Tensor | None = None  # [B, cells] before the tanh

    def float(self) -> "TowerOutput":
        lead, owners = (part if part is None else part.float() for part in (self.lead, self.owners))
        return TowerOutput(self.policy.float(), self.wdl.float(), self.plies.float(), lead, owners)


class ConvNorm(nn.Module):
    """A convolution and its BatchNorm; in a folded network the convolution alone, with a bias."""

    def __init__(self, inputs: int, outputs: int, kernel: int, folded: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=folded)
        self.norm = nn.Identity() if folded else nn.BatchNorm2d(outputs)
        nn.init.kaiming_normal_(self.conv.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.norm(self.conv(x))
        return out

    def folded_weights(self) -> tuple[Tensor, Tensor]:
        """Weight and bias of the one convolution that gives the same numbers as both (with running statistics)."""
        norm = self.norm
        assert isinstance(norm, nn.BatchNorm2d) and norm.running_var is not None and norm.running_mean is not None
        scale = norm.weight.double() / torch.sqrt(norm.running_var.double() + norm.eps)
        weight = self.conv.weight.double() * scale[:, None, None, None]
        return weight.float(), (norm.bias.double() - norm.running_mean.double() * scale).float()


def pools(x: Tensor, free: bool) -> Tensor:
    """Mean and maximum of every channel; for several sizes, between them, the mean times the size."""
    mean, most = x.mean((2, 3), keepdim=True), x.amax((2, 3), keepdim=True)
    return torch.cat([mean, mean * ((x.shape[2] - MIDDLE_SIDE) / SIDE_STEP), most] if free else [mean, most], 1)


def whole_board(x: Tensor, free: bool) -> Tensor:
    """What a dense layer reads: all cells, or for several sizes their pools."""
    return (pools(x, free) if free else x).flatten(1)


class Block(nn.Module):
    def __init__(self, shape: NetworkShape, pooled: bool, folded: bool) -> None:
        super().__init__()
        channels, self.free = shape.channels, shape.free
        self.first = ConvNorm(channels, channels, 3, folded)
        self.second = ConvNorm(channels, channels, 3, folded)
        self.pool = nn.Conv2d(shape.pools * channels, channels, 1) if pooled else None

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.first(x))
        if self.pool is not None:
            y = y + self.pool(pools(y, self.free))
        return torch.relu(x + self.second(y))


class PolicyHead(nn.Module):
    """Actions that mean a cell get their logit there, the same weights everywhere; all others see the whole board."""

    def __init__(self, shape: NetworkShape, folded: bool) -> None:
        super().__init__()
        self.hidden = ConvNorm(shape.channels, POLICY_CHANNELS, 1, folded)
        self.free, others = shape.free, shape.actions - shape.cell_actions
        self.cells = nn.Conv2d(POLICY_CHANNELS, shape.kinds, 1) if shape.kinds else None
        self.others = nn.Linear(POLICY_CHANNELS * shape.seen, others) if others else None

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.hidden(x))
        parts = [head(x).permute(0, 2, 3, 1) for head in [self.cells] if head]  # cell by cell, its kinds together
        parts += [head(whole_board(x, self.free)) for head in [self.others] if head]
        return torch.cat([part.flatten(1) for part in parts], 1)


class ValueHead(nn.Module):
    def __init__(self, shape: NetworkShape, folded: bool) -> None:
        super().__init__()
        self.free = shape.free
        self.hidden = ConvNorm(shape.channels, shape.value_channels, 1, folded)
        self.dense = nn.Linear(shape.value_channels * shape.seen, VALUE_HIDDEN)
        self.wdl = nn.Linear(VALUE_HIDDEN, 3)
        self.plies = nn.Linear(VALUE_HIDDEN, len(shape.bins))
        self.lead = nn.Linear(VALUE_HIDDEN, 1) if shape.counted else None
        self.owners = nn.Conv2d(shape.value_channels, 1, 1) if shape.counted else None

    def forward(self, x: Tensor) -> tuple[Tensor | None, ...]:
        cells = torch.relu(self.hidden(x))
        board = torch.relu(self.dense(whole_board(cells, self.free)))
        lead = self.lead(board).squeeze(1) if self.lead else None
        return self.wdl(board), self.plies(board), lead, self.owners(cells).flatten(1) if self.owners else None


class Network(nn.Module):
    """`folded` builds the form without BatchNorm that `fold` fills."""

    bins: Tensor

    def __init__(self, shape: NetworkShape, *, folded: bool = False) -> None:
        super().__init__()
        self.shape = shape
        self.stem = ConvNorm(shape.planes, shape.channels, 3, folded)
        self.tower = nn.Sequential(*(Block(shape, i % 2 == 1, folded) for i in range(shape.blocks)))
        self.policy = PolicyHead(shape, folded)
        self.value = ValueHead(shape, folded)
        self.register_buffer("bins", torch.tensor(shape.bins, dtype=torch.float32), persistent=False)

    def forward(self, planes: Tensor) -> TowerOutput:
        x = self.tower(torch.relu(self.stem(planes)))
        return TowerOutput(self.policy(x), *self.value(x))

    def answer(self, planes: Tensor) -> tuple[Tensor, ...]:
        """What an evaluator returns: policy logits [B, A], win/draw/loss [B, 3] and plies [B]; where the game is
        counted the lead in points [B] and the owners [B, cells] too."""
        out = self(planes)
        answer = (out.policy, out.wdl.softmax(1), out.plies.softmax(1) @ self.bins)
        if not self.shape.counted:
            return answer
        return (*answer, out.lead * planes.shape[2], out.owners.tanh())


def make_network(shape: NetworkShape, *, seed: int = 0) -> Network:
    """A fresh network: the same numbers for the same seed, whatever else drew random numbers before."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Network(shape)


def blank_network(shape: NetworkShape, *, folded: bool = False) -> Network:
    """A network to be filled with weights. Making one draws no random numbers: releases leave training alone."""
    with torch.random.fork_rng(devices=[]):
        return Network(shape, folded=folded)


def fold(network: Network) -> Network:
    """The same function in evaluation mode without BatchNorm."""
    folded = blank_network(network.shape, folded=True)
    weights = network.state_dict()
    for name, module in network.named_modules():
        if isinstance(module, ConvNorm):
            weights = {key: value for key, value in weights.items() if not key.startswith(f"{name}.norm.")}
            weights[f"{name}.conv.weight"], weights[f"{name}.conv.bias"] = module.folded_weights()
    folded.load_state_dict(weights)
    return folded.eval()


def two_hot(plies: Tensor, bins: Tensor) -> Tensor:
    """Targets [B, classes] for the moves-left head: the two nearest classes share it, so that the mean is exact."""
    plies = plies.float().clamp(bins[0], bins[-1])
    above = torch.searchsorted(bins, plies).clamp(1, len(bins) - 1)
    weight = (plies - bins[above - 1]) / (bins[above] - bins[above - 1])
    target = torch.zeros(len(plies), len(bins), device=plies.device)
    target.scatter_(1, (above - 1)[:, None], (1 - weight)[:, None])
    return target.scatter_(1, above[:, None], weight[:, None])
