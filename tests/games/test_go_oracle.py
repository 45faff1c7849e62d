"""Go against a second set of rules, written for clearness alone: flood fill, and a set of all boards seen."""

import random
from dataclasses import dataclass, field

import numpy as np
import pytest

from tengen import games

OTHER = {"X": "O", "O": "X"}


def neighbours(size: int, point: int) -> list[int]:
    row, col = divmod(point, size)
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    return [r * size + c for r, c in around if 0 <= r < size and 0 <= c < size]


def region(size: int, board: str, point: int) -> tuple[set[int], set[int]]:
    """The connected points of one kind around `point`, and the points of other kinds that touch them."""
    inside, edge, todo = {point}, set[int](), [point]
    while todo:
        for q in neighbours(size, todo.pop()):
            if board[q] != board[point]:
                edge.add(q)
            elif q not in inside:
                inside.add(q)
                todo.append(q)
    return inside, edge


def liberties(size: int, board: str, point: int) -> int:
    return sum(board[q] == "." for q in region(size, board, point)[1])


@dataclass
class NaiveGo:
    size: int
    board: str = ""
    seen: set[str] = field(default_factory=set)
    moves: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.board = "." * self.size**2
        self.seen = {self.board}

    @property
    def side(self) -> str:
        return "XO"[len(self.moves) % 2]

    def after(self, point: int) -> str | None:
        """The board after a stone on `point`; None when the point is taken or the move is suicide."""
        if self.board[point] != ".":
            return None
        board = self.board[:point] + self.side + self.board[point + 1 :]
        for q in neighbours(self.size, point):
            if board[q] == OTHER[self.side] and liberties(self.size, board, q) == 0:
                dead = region(self.size, board, q)[0]
                board = "".join("." if p in dead else stone for p, stone in enumerate(board))
        return board if liberties(self.size, board, point) else None

    def placements(self) -> tuple[list[int], list[int]]:
        """(legal, forbidden by superko alone)"""
        legal, forbidden = list[int](), list[int]()
        for point in range(self.size**2):
            board = self.after(point)
            if board is not None:
                (forbidden if board in self.seen else legal).append(point)
        return legal, forbidden

    def is_over(self) -> bool:
        two_passes = len(self.moves) > 1 and self.moves[-1] == self.moves[-2] == self.size**2
        return two_passes or len(self.moves) == 4 * self.size**2

    def play(self, move: int) -> None:
        if move < self.size**2:
            board = self.after(move)
            assert board is not None and board not in self.seen
            self.board = board
            self.seen.add(board)
        self.moves.append(move)

    def black_lead(self) -> int:
        lead = self.board.count("X") - self.board.count("O")
        for point in range(self.size**2):
            if self.board[point] == ".":
                touched = {self.board[q] for q in region(self.size, self.board, point)[1]}
                lead += (touched == {"X"}) - (touched == {"O"})
        return lead


def check_planes(naive: NaiveGo, forbidden: list[int], planes: np.ndarray) -> None:
    flat = planes.reshape(len(planes), -1)
    assert np.flatnonzero(flat[5]).tolist() == forbidden
    for count in (1, 2, 3):
        expected = [
            p for p, stone in enumerate(naive.board) if stone != "." and liberties(naive.size, naive.board, p) == count
        ]
        assert np.flatnonzero(flat[1 + count]).tolist() == expected


def compare_one_game(size: int, seed: int) -> int:
    """Plays a random game with both; returns how often superko forbade something."""
    rng = random.Random(1000 * size + seed)
    komi = rng.randint(-6, 6) / 2
    naive, state = NaiveGo(size), games.make(f"go:{size}", komi=komi).start()
    repetitions = 0
    while not naive.is_over():
        legal, forbidden = naive.placements()
        repetitions += len(forbidden)
        assert not state.is_terminal()
        assert state.legal_actions() == [*legal, size**2], state.moves_text()
        if rng.random() < 0.1:
            check_planes(naive, forbidden, state.planes())
        # Few passes: long games are the ones with kos, big captures and repetitions.
        move = rng.choice(legal) if legal and rng.random() < 0.98 else size**2
        naive.play(move)
        state.apply(move)
        assert "".join(".XO"[stone] for stone in state.stones()) == naive.board, state.moves_text()
    assert state.is_terminal()
    lead = naive.black_lead() - komi
    assert state.outcome() == ((lead > 0) - (lead < 0)) * (1 if state.to_move() == 0 else -1), state.moves_text()
    return repetitions


@pytest.mark.parametrize("size", range(2, 8))
def test_random_games_agree_with_naive_rules(size: int) -> None:
    count = 28 - 3 * size
    assert sum(compare_one_game(size, seed) for seed in range(count)) > 0, (
        "no game met superko: the test sees too little"
    )


@pytest.mark.fuzz
@pytest.mark.parametrize("size", [*range(2, 10), 13])
def test_many_random_games_agree_with_naive_rules(size: int) -> None:
    for seed in range(100, 100 + 20_000 // size**3):
        compare_one_game(size, seed)
