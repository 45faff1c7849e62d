"""The scorecard: moves and judgements on Connect4 positions whose every move has a known exact score.

>>> from tengen import games
>>> from tengen.players import make_player
>>> positions = own_positions(["end_easy"])[0]
>>> solver = make_player("solver", games.make("connect4"), slots=300)
>>> measure(solver, positions, slots=300).exactly_best
1.0
"""

from tengen.scorecard.network import NetworkCheck, network_check
from tengen.scorecard.positions import CLASSES, Positions, PositionsError, Progress, own_positions, read_positions
from tengen.scorecard.scores import Scores, Share, choose_moves, judge, measure

__all__ = [
    "CLASSES",
    "NetworkCheck",
    "Positions",
    "PositionsError",
    "Progress",
    "Scores",
    "Share",
    "choose_moves",
    "judge",
    "measure",
    "network_check",
    "own_positions",
    "read_positions",
]
