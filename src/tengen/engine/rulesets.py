"""Rules as programs for games with komi name them. There is one set, which may be named or asked for field by field."""

from __future__ import annotations

from typing import Any

from tengen.games import Game

__all__ = ["RULES", "are_played"]

# In KataGo's words (docs/games.md says them in ours).
RULES = {
    "hasButton": False,
    "ko": "POSITIONAL",
    "scoring": "AREA",
    "suicide": False,
    "tax": "NONE",
    "whiteHandicapBonus": "0",
}


def are_played(rules: str | dict[str, Any], game: Game) -> bool:
    """Is a game played by these rules, named or as an object?"""
    if isinstance(rules, dict):
        return rules.items() <= RULES.items()
    return rules.lower().split("-")[0] == (game.facts.sgf_rules or "").lower()
