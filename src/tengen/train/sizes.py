"""Which size of a family a turn is played on: a run begins on the smallest board and grows."""

from collections.abc import Sequence

__all__ = ["size_of_turn", "size_shares"]

LARGEST_SHARE = 0.5  # of the turns, on the largest size that is played yet; the others share the rest
SPREAD = 0.6180339887  # multiples of the golden ratio come evenly, whatever the shares


def size_shares(count: int, progress: float, until: float) -> list[float]:
    """The share of the turns that each of `count` sizes gets at a share of the run, the smallest size first.

    >>> [size_shares(3, progress, 0.5) for progress in (0.0, 0.25, 0.5)]
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]]
    """
    added = count if progress >= until else 1 + int((count - 1) * progress / until)
    if added == 1:
        return [1.0] + [0.0] * (count - 1)
    smaller = [(1 - LARGEST_SHARE) / (added - 1)] * (added - 1)
    return [*smaller, LARGEST_SHARE] + [0.0] * (count - added)


def size_of_turn(turn: int, shares: Sequence[float]) -> int:
    """The same for the same turn, so that a run that goes on plays as it would have.

    >>> [size_of_turn(turn, [0.25, 0.25, 0.5]) for turn in range(8)]
    [0, 2, 0, 2, 1, 0, 2, 1]
    """
    left = turn * SPREAD % 1
    for size, share in enumerate(shares):
        left -= share
        if left < 0:
            return size
    return max(size for size, share in enumerate(shares) if share > 0)  # by rounding
