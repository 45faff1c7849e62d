"""The games: rules, positions and their texts.

>>> from tengen import games
>>> state = games.make("connect4").from_moves("4433")
>>> state.apply(state.parse_move("5"))
>>> state.to_move(), len(state.legal_actions())
(1, 7)
"""

from tengen._core import Game, GameError, State, registry
from tengen.games.compiled import compiled
from tengen.games.family import Family, input_options, without_options
from tengen.games.register import register, rules_of, unregister
from tengen.games.rules import Rules, board_symmetries

__all__ = [
    "Family",
    "Game",
    "GameError",
    "Rules",
    "State",
    "board_symmetries",
    "compiled",
    "input_options",
    "lead_text",
    "make",
    "names",
    "options",
    "register",
    "registry",
    "result_text",
    "rules_of",
    "unregister",
    "without_options",
]


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


def options(game: Game) -> dict[str, str]:
    """Every option of a game and its value as text, defaults included.

    >>> options(make("go:9")), options(make("hex:7,swap=on"))
    ({'komi': '6.5'}, {'swap': 'on'})
    """
    entry = next(entry for entry in registry() if entry["name"] == game.name)
    given = dict(part.split("=") for part in game.id.split(",")[1:]) if entry["options"] else {}
    return {str(option["name"]): str(option["default"]) for option in entry["options"]} | given


def result_text(state: State) -> str | None:
    """How a game ended, as game records write it: B is the first player, W the second, a number their lead where the
    rules count. None while it goes on.

    >>> result_text(make("go:5").from_moves("c3 pass pass"))
    'B+18.5'
    >>> result_text(make("connect4").from_moves("1212121")), result_text(make("connect4").start())
    ('B+', None)
    """
    if not state.is_terminal():
        return None
    outcome = state.outcome()
    if outcome == 0:
        return "Draw"
    first, second = state.score() or (0.0, 0.0)
    lead = f"{abs(first - second):g}" if first != second else ""
    return f"{'BW'[state.to_move() if outcome > 0 else 1 - state.to_move()]}+{lead}"


def lead_text(side: int, points: float) -> str:
    """The expected lead of a side as game records write results.

    >>> lead_text(0, 3.46), lead_text(1, 0.5), lead_text(1, -2.0)
    ('B+3.5', 'W+0.5', 'B+2.0')
    """
    ahead = side if points >= 0 else 1 - side
    return f"{'BW'[ahead]}+{abs(points):.1f}"
