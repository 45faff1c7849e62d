"""Evaluators: a batch of leaves in; policy logits, win/draw/loss and plies left out.

>>> from tengen import games
>>> from tengen.net.evaluator import Uniform
>>> evaluate = Uniform(games.make("connect4"))
"""

from tengen.net.evaluator.backend import DEVICES, NetworkEvaluator, Pending, make_evaluator
from tengen.net.evaluator.contract import Batch, Counting, Evaluation, Evaluator, Leaves
from tengen.net.evaluator.counting import bounded_lead, foreseen_owners
from tengen.net.evaluator.hashed import Hash
from tengen.net.evaluator.queue import QueueEvaluator
from tengen.net.evaluator.rollout import Rollout
from tengen.net.evaluator.uniform import Uniform

__all__ = [
    "DEVICES",
    "Batch",
    "Counting",
    "Evaluation",
    "Evaluator",
    "Hash",
    "Leaves",
    "NetworkEvaluator",
    "Pending",
    "QueueEvaluator",
    "Rollout",
    "Uniform",
    "bounded_lead",
    "foreseen_owners",
    "make_evaluator",
]
