"""Which games the tests look at, and random positions of them."""

import random
from collections.abc import Iterator
from functools import lru_cache

from tengen import Game, GameError, State, games

NAMES = ["tictactoe", "connect4", "gomoku", "othello", "go", "hex"]

# Every storage width, every rule and the odd sizes; the registry's own sizes are added below.
INTERESTING = [
    "tictactoe",
    "connect4",
    "gomoku:6,in_a_row=4",
    "gomoku:7,rule=exact",
    "gomoku:9",
    "gomoku:15",
    "gomoku:15,rule=renju",
    "othello",
    "othello:6",
    "go:2",
    "go:3",
    "go:5",
    "go:9",
    "go:9,komi=7",
    "go:19",
    "hex:3",
    "hex:5",
    "hex:5,swap=on",
    "hex:11",
    "hex:13",
]


def all_ids() -> list[str]:
    """The interesting ids, and every game in its default, smallest and largest size; each once."""
    ids = list(INTERESTING)
    for entry in games.registry():
        name, sizes = str(entry["name"]), list(entry["sizes"])
        ids += [name, *(f"{name}:{size}" for size in sizes[:1] + sizes[-1:])]
    return list(dict.fromkeys(Game.parse(text).id for text in ids))


IDS = all_ids()


def play(state: State, rng: random.Random) -> Iterator[State]:
    """A random game from `state`, which is changed in place: yields it before every move and at the end."""
    yield state
    while not state.is_terminal():
        state.apply(rng.choice(state.legal_actions()))
        yield state


def reachable(game: Game, count: int, seed: int) -> list[State]:
    """`count` positions of random games: up to 16 from each game, spread over its length, finished ones included."""
    rng = random.Random(f"{game.id} {seed}")
    found: list[State] = []
    while len(found) < count:
        whole = game.start()
        length = sum(1 for _ in play(whole, rng))
        chosen = {0, length - 1, *(rng.randrange(length) for _ in range(14))}
        state = game.start()
        for ply, action in enumerate([*whole.moves(), -1]):
            if ply in chosen:
                found.append(state.copy())
            if action >= 0:
                state.apply(action)
    return found[:count]


def crowded(game: Game, count: int, seed: int) -> list[State]:
    """Up to `count` positions made of the same few actions in every order, so that many transpose into each other."""
    rng = random.Random(f"{game.id} {seed}")
    few = set(rng.sample(range(game.num_actions), min(game.num_actions, 7)))
    found = [game.start()]
    for state in found:
        legal = state.legal_actions()
        # Othello's first moves are few and fixed: where none of the chosen actions is legal, any will do.
        for action in [a for a in legal if a in few] or legal[:3]:
            if len(found) >= count:
                return found
            child = state.copy()
            child.apply(action)
            found.append(child)
    return found


def colours_swapped(state: State) -> State | None:
    """The position with X and O exchanged, where the game can have such a position."""
    swap = str.maketrans("XO", "OX")
    try:
        return state.game.position(state.position_text().translate(swap))
    except GameError:
        return None


@lru_cache
def cells_of_actions(game: Game) -> list[int | None]:
    """The cell each action names on the board: for Connect4 the foot of its column; None for pass and swap."""
    layout, start = game.layout(), game.start()
    if layout["kind"] == "gravity":
        return [(layout["rows"] - 1) * layout["cols"] + action for action in range(game.num_actions)]
    cells: dict[str, int] = {name: cell for cell, name in enumerate(layout["cell_names"])}
    return [cells.get(start.move_text(action)) for action in range(game.num_actions)]


def turn(symmetry: int, cell: int, rows: int, cols: int) -> int:
    """The eight symmetries of a grid: bit 4 transposes, bit 1 mirrors columns, bit 2 mirrors rows, in this order."""
    row, col = divmod(cell, cols)
    if symmetry & 4:
        row, col = col, row
    if symmetry & 1:
        col = cols - 1 - col
    if symmetry & 2:
        row = rows - 1 - row
    return row * cols + col


def cell_map(game: Game, images: list[int]) -> list[int]:
    """The turn of the board that takes every action a to images[a], as a map of cells. There is exactly one."""
    _, rows, cols = game.planes_shape
    cells = cells_of_actions(game)

    def agrees(turned: list[int]) -> bool:
        return all(
            image == action if cell is None else cells[image] == turned[cell]
            for action, (cell, image) in enumerate(zip(cells, images, strict=True))
        )

    symmetries = range(8 if rows == cols else 4)
    turns = [[turn(s, cell, rows, cols) for cell in range(rows * cols)] for s in symmetries]
    fitting = [turned for turned in turns if agrees(turned)]
    assert len(fitting) == 1, f"{game.id}: the actions move as under {len(fitting)} turns of the board"
    return fitting[0]
