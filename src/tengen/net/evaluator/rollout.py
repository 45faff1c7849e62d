"""The evaluator of pure MCTS."""


class Rollout:
    """Random playouts, run natively by the search."""
