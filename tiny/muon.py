"""Muon: momentum whose updates are made orthogonal, for the matrices of hidden layers.

Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024. torch.optim.Muon
computes in bfloat16, which is slow on processors without it, and one matrix after the other.
"""

from __future__ import annotations

from collections import defaultdict

import torch
import torch.distributed as dist
from torch import nn

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
ITERATIONS = 5
MOMENTUM = 0.95


def orthogonal(matrices: torch.Tensor) -> torch.Tensor:
    """[N, R, C] with R <= C -> nearly orthogonal rows, by Newton and Schulz's iteration."""
    a, b, c = COEFFICIENTS
    x = matrices / (matrices.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x


class Muon:
    """Steps `parameters`, matrices all; the processes of the group share the work.

    rate: length of a step; one of 0.02 suits most models. decay: shrinks the weights by rate * decay.
    """

    def __init__(self, parameters: list[nn.Parameter], rate: float, decay: float) -> None:
        self.rate, self.decay = rate, decay
        groups: dict[tuple[int, int], list[nn.Parameter]] = defaultdict(list)
        for p in parameters:
            groups[min(p.shape), max(p.shape)].append(p)
        self.groups = list(groups.values())
        self.momentum = [[torch.zeros_like(p) for p in group] for group in self.groups]

    @torch.no_grad()
    def step(self, share: float = 1.0) -> None:
        """One step of `share` times the rate."""
        rank, processes = dist.get_rank(), dist.get_world_size()
        updates = [torch.zeros(len(g), min(g[0].shape), max(g[0].shape)) for g in self.groups]
        for group, momenta, update in zip(self.groups, self.momentum, updates, strict=True):
            directions = []
            for p, momentum in zip(group, momenta, strict=True):
                gradient = torch.zeros_like(p) if p.grad is None else p.grad
                momentum.lerp_(gradient, 1 - MOMENTUM)
                direction = gradient.lerp(momentum, MOMENTUM)
                directions.append(direction.T if p.shape[0] > p.shape[1] else direction)
            if mine := directions[rank::processes]:
                update[rank::processes] = orthogonal(torch.stack(mine))
        together = torch.cat([update.flatten() for update in updates])
        dist.all_reduce(together)
        parts = together.split([update.numel() for update in updates])
        for group, update, part in zip(self.groups, updates, parts, strict=True):
            for p, change in zip(group, part.view_as(update), strict=True):
                rows, columns = p.shape
                p.mul_(1 - share * self.rate * self.decay)
                scale = share * self.rate * max(1, rows / columns) ** 0.5
                p.add_(change.T if rows > columns else change, alpha=-scale)
