"""How much a network knows by itself."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.exact.labelled import Positions
from tengen.net.evaluator import Batch, Evaluator
from tengen.play.scorecard.scores import judge_moves

EVALUATED_AT_ONCE = 256


@dataclass(frozen=True)
class NetworkCheck:
    """What a network knows by itself, without search: a matter of a fraction of a second."""

    positions: int
    value_keeping: float  # share of positions in which its likeliest move keeps the game's value
    value_keeping_where_a_mistake_is_possible: float
    policy_on_keeping: float  # mean probability that its policy gives to all moves that do
    value_error: float  # mean squared error of win − loss against the game's value


def network_check(evaluator: Evaluator, positions: Positions) -> NetworkCheck:
    """Compares an evaluator's answers with the truth. It sees every position as it is, under no symmetry."""
    logits, wdl = _evaluate(evaluator, positions)
    # In the games solved so far an action stands at its own place in the policy.
    logits = np.where(positions.legal, logits, -np.inf)
    likely = np.exp(logits - logits.max(axis=1, keepdims=True))
    policy = likely / likely.sum(axis=1, keepdims=True)
    scores = judge_moves(positions, policy.argmax(axis=1))
    return NetworkCheck(
        positions=len(positions),
        value_keeping=scores.value_keeping,
        value_keeping_where_a_mistake_is_possible=scores.mistake_possible.value_keeping,
        policy_on_keeping=float((policy * positions.keeping).sum(axis=1).mean()),
        value_error=float(((wdl[:, 0] - wdl[:, 2] - positions.values) ** 2).mean()),
    )


def _evaluate(evaluator: Evaluator, positions: Positions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    answers = []
    for start in range(0, len(positions), EVALUATED_AT_ONCE):
        part = slice(start, start + EVALUATED_AT_ONCE)
        answer = evaluator(Batch(positions.planes[part], positions.keys[part]))
        answers.append((answer.policy.astype(np.float64), answer.wdl.astype(np.float64)))  # copies: they are only lent
    policy, wdl = zip(*answers, strict=True)
    return np.concatenate(policy), np.concatenate(wdl)
