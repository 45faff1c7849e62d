"""The formulas of docs/search.md, each on its own. Their order of operations is part of the definition."""

import math
from collections.abc import Iterable, Sequence

from tengen._core import exp, log

LEAD_CAP = 0.1  # largest effect of the lead on a score


def softmax(logits: Sequence[float], temperature: float = 1) -> list[float]:
    top = max(logits)
    powers = [exp((x - top) / temperature) for x in logits]
    total = add_up(powers)
    return [power / total for power in powers]


def add_up(numbers: Iterable[float]) -> float:
    """From left to right. Python's own sum() compensates rounding errors since 3.12, C++ does not."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def tempered(weights: Sequence[float], temperature: float) -> list[float]:
    """w^(1/T) up to a factor, without overflow; zeros stay zero."""
    top = log(max(weights))
    return [exp((log(w) - top) / temperature) if w > 0 else 0.0 for w in weights]


def normalised(weights: Sequence[float]) -> list[float]:
    total = add_up(weights)
    return [w / total for w in weights]


def exploration(visits: float, c_init: float, c_base: float, c_factor: float) -> float:
    return c_init + c_factor * log((visits + c_base + 1) / c_base)


def first_play(mode: str, reduction: float, q: float, seen: float) -> float:
    """What an unvisited move is taken to be worth in a node of value q."""
    if mode == "zero":
        return 0.0
    if mode == "scaled":
        reduction = reduction * ((1 + q) / 2)
    return max(-1.0, q - reduction * math.sqrt(seen))


def lost_in_flight(q: float, visits: int, flying: int, weight: float) -> float:
    """The parent's view of a child of value q while every descent in flight counts as `weight` losses."""
    return (-q * visits - weight * flying) / (visits + weight * flying)


def moves_left_utility(mode: str, slope: float, cap: float, m: float, m_node: float, q: float, q_node: float) -> float:
    """Makes wins shorter and losses longer. m, q: the child's own; m_node, q_node: its parent's."""
    clamped = min(max(slope * (m - m_node), -cap), cap)
    if mode == "q":
        return clamped * q
    if not abs(q_node) > 0.8:
        return 0.0
    sign = (q > 0) - (q < 0)
    decided = max(0.0, abs(q) - 0.8) / 0.2
    return clamped * sign * (1.6521 * decided - 0.6521 * decided * decided)


def lead_utility(slope: float, child: float, node: float) -> float:
    """Makes wins larger and losses smaller. child: its own lead in points; node: its parent's."""
    return min(max(slope * (-child - node), -LEAD_CAP), LEAD_CAP)


def halving_sequence(m: int, length: int) -> list[int]:
    """Sequential halving as mctx has it: the visit count the next simulation's candidate should have so far."""
    if m <= 1:
        return list(range(length))
    phases = (m - 1).bit_length()  # log2(m), rounded up
    visits, considered, sequence = [0] * m, m, list[int]()
    while len(sequence) < length:
        for _ in range(max(1, length // (phases * considered))):
            sequence += visits[:considered]
            visits[:considered] = [v + 1 for v in visits[:considered]]
        considered = max(2, considered // 2)
    return sequence[:length]
