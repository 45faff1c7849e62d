"""Tengen: learns two-player board games from their rules alone; then you play it, study with it, and plug it in."""

from tengen import games
from tengen.config import ConfigError, SearchConfig
from tengen.exact import solver
from tengen.games import Game, GameError, State
from tengen.net import cpu
from tengen.net.evaluator import Evaluation, Evaluator, Hash, Leaves, QueueEvaluator, Rollout, Uniform, make_evaluator
from tengen.play import arena
from tengen.play.players import Player, make_player
from tengen.search.agent import Agent, Analysis, MoveInfo

cpu.avoid_hidden_tiles()

__all__ = [
    "Agent",
    "Analysis",
    "ConfigError",
    "Evaluation",
    "Evaluator",
    "Game",
    "GameError",
    "Hash",
    "Leaves",
    "MoveInfo",
    "Player",
    "QueueEvaluator",
    "Rollout",
    "SearchConfig",
    "State",
    "Uniform",
    "arena",
    "games",
    "make_evaluator",
    "make_player",
    "solver",
]
