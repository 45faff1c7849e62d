"""Evaluators: a batch of leaves in; policy logits, win/draw/loss and plies left out.

>>> from tengen import games
>>> from tengen.evaluator import Uniform
>>> evaluate = Uniform(games.make("connect4"))
"""

from tengen.evaluator.hashed import Hash
from tengen.evaluator.network import DEVICES, NetworkEvaluator, Pending, make_evaluator
from tengen.evaluator.protocol import Batch, Evaluation, Evaluator, Leaves
from tengen.evaluator.queue import QueueEvaluator
from tengen.evaluator.rollout import Rollout
from tengen.evaluator.uniform import Uniform

__all__ = [
    "DEVICES",
    "Batch",
    "Evaluation",
    "Evaluator",
    "Hash",
    "Leaves",
    "NetworkEvaluator",
    "Pending",
    "QueueEvaluator",
    "Rollout",
    "Uniform",
    "make_evaluator",
]
