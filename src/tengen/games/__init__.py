"""The games: rules, positions and their texts.

>>> from tengen import games
>>> state = games.make("connect4").from_moves("4433")
>>> state.apply(state.parse_move("5"))
>>> state.to_move(), len(state.legal_actions())
(1, 7)
"""

from tengen._core import Game, GameError, State, registry

__all__ = ["Game", "GameError", "State", "make", "names", "registry"]


def names() -> list[str]:
    """The names of all games, such as 'connect4'.

    >>> "go" in names()
    True
    """
    return [str(entry["name"]) for entry in registry()]


def make(id: str, **options: float | str | bool) -> Game:
    """The game named by an id, with options in the id or as keywords. Raises GameError.

    >>> make("go:9", komi=7.5) == make("go:9,komi=7.5")
    True
    """
    for key, value in options.items():
        text = ("on" if value else "off") if isinstance(value, bool) else str(value)
        id += f",{key}={text}"
    return Game.parse(id)
