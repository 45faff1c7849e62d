"""Tengen: learns two-player board games from their rules alone; then you play it, study with it, and plug it in."""

from tengen import arena, cpu, games, solver
from tengen.agent import Agent, Analysis, MoveInfo
from tengen.config import ConfigError, SearchConfig
from tengen.evaluator import Evaluation, Evaluator, Hash, Leaves, QueueEvaluator, Rollout, Uniform
from tengen.games import Game, GameError, State
from tengen.players import Player, make_player

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
    "make_player",
    "solver",
]
