"""Tengen's C++ core: rules of the games, exact solvers, random streams."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import numpy
from numpy.typing import NDArray


def build_info() -> dict[str, Any]:
    """
    How this module was compiled: compiler, optimized, instructions it relies on.
    """

class GameError(ValueError):
    """
    Wrong text, id, action or option; the message is one line that says what would be right.
    """

def registry() -> list[dict[str, Any]]:
    """One dict per game: name, title, sizes, default_size, options."""

class State:
    """A position of a game, and the moves that led to it."""

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty when the game is over."""

    def is_legal(self, action: int) -> bool:
        """Whether `action` may be played now."""

    def apply(self, action: int) -> None:
        """
        Plays an action. Raises GameError, and changes nothing, when it is illegal.
        """

    def copy(self) -> State:
        """An independent copy."""

    def __copy__(self) -> State: ...

    def is_terminal(self) -> bool:
        """Whether the game is over."""

    def outcome(self) -> int:
        """
        The result for the side to move: 1 win, 0 draw, -1 loss. Raises GameError while the game goes on.
        """

    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    def ply(self) -> int:
        """Plies played since the start of the game."""

    def planes(self, symmetry: int = 0) -> NDArray[numpy.float32]:
        """
        What the network sees: float32 [planes, rows, cols], from the side to move.
        """

    def hash(self, symmetry: int = 0) -> int:
        """Equal for two positions exactly when their planes are equal."""

    def board_hash(self) -> int:
        """Names the stones alone, as repetition rules see them."""

    def policy_index(self, action: int, symmetry: int = 0) -> int:
        """
        Where an action stands in the network's policy when it is shown planes(symmetry).
        """

    def render(self) -> str:
        """The board as text; the last move, or the winning line, in brackets."""

    def stones(self) -> list[int]:
        """
        The board as a list of rows * cols: 0 empty, 1 first player's, 2 second player's.
        """

    def highlights(self) -> dict[str, Any]:
        """
        Cells to mark in a picture: {'last': cell or None, 'line': the winning line's cells}.
        """

    def landing_cell(self, action: int) -> int | None:
        """The cell where a legal action puts its stone; None for a pass."""

    def move_text(self, action: int) -> str:
        """An action as text, such as 'd4'."""

    def parse_move(self, text: str) -> int:
        """The legal action that a text names. Raises GameError."""

    def position_text(self) -> str:
        """The position as one line; Game.position reads it back."""

    def moves(self) -> list[int]:
        """The actions played so far."""

    def moves_text(self) -> str:
        """The moves as text ('-' for none); Game.from_moves reads it back."""

    def perft(self, depth: int, passes: str = 'ply', finished_counts: bool = False) -> int:
        """How many move sequences of exactly `depth` plies there are."""

    def play_outs(self, games: int, seed: int = 0) -> tuple[int, int, int, int]:
        """
        Plays random games from here: (plies, first player's wins, draws, second player's wins).
        """

    @property
    def game(self) -> Game:
        """The game this position belongs to."""

    def __repr__(self) -> str: ...

class Game:
    """A game with its size and options. Made by tengen.games.make."""

    @staticmethod
    def parse(id: str) -> Game:
        """The game an id names. Raises GameError."""

    @property
    def id(self) -> str:
        """The canonical id, defaults left out."""

    @property
    def name(self) -> str:
        """The game's name in the registry."""

    @property
    def num_actions(self) -> int:
        """Length of the policy."""

    @property
    def num_symmetries(self) -> int:
        """Board symmetries, the identity included."""

    @property
    def max_plies(self) -> int:
        """No game is longer."""

    @property
    def planes_shape(self) -> tuple[int, int, int]:
        """(planes, rows, cols) of what the network sees."""

    @property
    def schema(self) -> str:
        """The meaning of the planes, in order."""

    @property
    def state_bytes(self) -> int:
        """Size of one position in memory."""

    def start(self) -> State:
        """The starting position."""

    def position(self, text: str) -> State:
        """A position from its text. Raises GameError."""

    def from_moves(self, moves: str) -> State:
        """The position after a list of moves as text. Raises GameError."""

    def transform(self, symmetry: int, action: int) -> int:
        """Where a symmetry of the board takes an action."""

    def inverse(self, symmetry: int) -> int:
        """The symmetry that undoes one."""

    def layout(self) -> dict[str, Any]:
        """
        What a picture needs: kind (cells, gravity, lines, hexes, discs), rows, cols, cell names.
        """

    def replay(self, moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], game_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], game: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ply: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], symmetry: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[NDArray[numpy.float32], NDArray[numpy.uint8]]:
        """
        Replays prefixes of many games at once: (planes [n, planes, rows, cols], legal moves [n, actions] in policy order).
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Connect4Solver:
    """Exact Connect4 results. Used through tengen.solver."""

    def __init__(self, book: str | None = None) -> None:
        """
        book: path of the 12-ply opening book. Raises GameError when it is damaged.
        """

    FULL_COLUMN: Final[int] = ...
    """Stands for the score of a full column."""

    def scores(self, positions: Sequence[str], weak: bool = False, threads: int = 0) -> NDArray[numpy.int8]:
        """The score of each position text: int8 [n]."""

    def columns(self, positions: Sequence[str], weak: bool = False, threads: int = 0) -> NDArray[numpy.int8]:
        """
        The score after each column, of each position text: int8 [n, 7], FULL_COLUMN where no stone fits.
        """
