"""Muon: steps in which no direction of a layer is louder than the others (kellerjordan.github.io/posts/muon).

A gradient's matrix has a few large singular values, and plain steps move little else. Muon sets all of them to about 1.
torch has it for matrices alone; here the kernels of convolutions are taken as matrices, output channels by the rest,
and those of equal shape at once, since each is far too small to fill a core.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import torch
from torch import Tensor

# A quintic whose five-fold repetition takes every singular value in (0, 1] to between 0.7 and 1.2.
QUINTIC = (3.4445, -4.7750, 2.0315)
REPETITIONS = 5


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, made orthogonal; a step of AdamW with the same rate moves weights about as far."""

    def __init__(self, kernels: Iterable[Tensor], lr: float, momentum: float = 0.95) -> None:
        super().__init__(kernels, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]  # nothing here evaluates the loss again
        for group in self.param_groups:
            alike = defaultdict[tuple[int, ...], list[tuple[Tensor, Tensor]]](list)
            for kernel in group["params"]:
                state = self.state[kernel]
                if not state:
                    state["momentum"] = torch.zeros_like(kernel)
                average = state["momentum"].lerp_(kernel.grad, 1 - group["momentum"])
                ahead = kernel.grad.lerp(average, group["momentum"])
                alike[kernel.shape].append((kernel, ahead.reshape(len(kernel), -1)))
            for members in alike.values():
                moves = orthogonal(torch.stack([matrix for _, matrix in members]))
                # The size of AdamW's steps (arXiv:2502.16982): an orthogonal matrix is small where it is long.
                size = group["lr"] * 0.2 * max(moves.shape[1:]) ** 0.5
                for (kernel, _), move in zip(members, moves, strict=True):
                    kernel.sub_(move.reshape(kernel.shape), alpha=size)


def orthogonal(matrices: Tensor) -> Tensor:
    """[K, M, N]: each matrix with its singular values near 1 and its directions kept, by Newton and Schulz."""
    if matrices.shape[1] > matrices.shape[2]:
        return orthogonal(matrices.mT).mT
    a, b, c = QUINTIC
    x: Tensor = matrices / (matrices.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(REPETITIONS):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x
