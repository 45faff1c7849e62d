"""The evaluator of searches without a network."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rollout:
    """Random playouts, run natively by the search."""

    nearby: bool = False  # priors prefer moves near stones: cpp/tengen/base/nearby.h
