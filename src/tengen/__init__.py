"""Tengen: learns two-player board games from their rules alone; then you play it, study with it, and plug it in."""

from tengen import games
from tengen.games import Game, GameError, State

__all__ = ["Game", "GameError", "State", "games"]
