"""The scorecard: moves and judgements on positions of a solved game whose every move has a known exact score.

>>> from tengen import games
>>> from tengen.play.players import make_player
>>> game = games.make("connect4")
>>> positions = own_positions(game, ["end_easy"])[0]
>>> solver = make_player("solver", game, slots=300)
>>> measure(solver, positions, slots=300).exactly_best
1.0
"""

from tengen.exact.labelled import Positions, PositionsError, Progress, own_positions, read_positions
from tengen.play.scorecard.alone import NetworkCheck, network_check
from tengen.play.scorecard.scores import Scores, Share, choose_moves, judge_moves, measure

__all__ = [
    "NetworkCheck",
    "Positions",
    "PositionsError",
    "Progress",
    "Scores",
    "Share",
    "choose_moves",
    "judge_moves",
    "measure",
    "network_check",
    "own_positions",
    "read_positions",
]
