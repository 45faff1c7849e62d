"""Renju's forbidden moves: hand-labelled points, and a slow second implementation taken word by word from the rules.

Rules: Renju International Federation, sections 9.2 and 9.3. The points are drawn in tests/games/renju/.
"""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from tengen import games

Point = tuple[int, int]  # row from the top, column
Board = dict[Point, str]  # every point of the board: X, O or .

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


# --- The oracle: places stones and looks; never fast, never clever. ---


def along(point: Point, direction: Point, steps: int) -> Point:
    return point[0] + steps * direction[0], point[1] + steps * direction[1]


def with_stone(board: Board, point: Point) -> Board:
    return {**board, point: "X"}


def row_length(board: Board, point: Point, direction: Point) -> int:
    """Length of the unbroken black row through the stone on `point`."""
    length = 1
    for sign in (1, -1):
        steps = sign
        while board.get(along(point, direction, steps)) == "X":
            length, steps = length + 1, steps + sign
    return length


def stretches(point: Point, direction: Point, length: int) -> list[list[Point]]:
    """All stretches of `length` points in a line that contain `point`."""
    return [[along(point, direction, start + i) for i in range(length)] for start in range(1 - length, 1)]


def fours(board: Board, point: Point, direction: Point) -> set[frozenset[Point]]:
    """The fours that the stone on `point` belongs to: four stones that one more turns into exactly five."""
    found = set()
    for cells in stretches(point, direction, 5):
        stones = [cell for cell in cells if board.get(cell) == "X"]
        gaps = [cell for cell in cells if board.get(cell) == "."]
        if len(stones) == 4 and len(gaps) == 1 and row_length(with_stone(board, gaps[0]), gaps[0], direction) == 5:
            found.add(frozenset(stones))
    return found


def makes_straight_four(board: Board, point: Point, last: Point, direction: Point) -> bool:
    """Whether a stone on `last` gives four in a row with `point` that exactly five can be made of at both ends."""
    for cells in stretches(point, direction, 4):
        ends = [along(cells[0], direction, -1), along(cells[-1], direction, 1)]
        if (
            last in cells
            and all(board.get(cell) == "X" for cell in cells if cell != last)
            and all(board.get(end) == "." for end in ends)
            and all(row_length(with_stone(with_stone(board, last), end), end, direction) == 5 for end in ends)
        ):
            return True
    return False


def is_three(board: Board, point: Point, direction: Point) -> bool:
    """Whether one more stone, itself neither a five nor forbidden, makes a straight four with the one on `point`."""
    candidates = [along(point, direction, steps) for steps in (-3, -2, -1, 1, 2, 3)]
    return any(
        board.get(last) == "."
        and makes_straight_four(board, point, last, direction)
        and judge(board, last) == "allowed"
        for last in candidates
    )


def judge(board: Board, point: Point) -> str:
    """What a black stone on the empty `point` would be: five, overline, double-four, double-three or allowed."""
    after = with_stone(board, point)
    lengths = [row_length(after, point, direction) for direction in DIRECTIONS]
    if 5 in lengths:
        return "five"
    if max(lengths) > 5:
        return "overline"
    if sum(len(fours(after, point, direction)) for direction in DIRECTIONS) >= 2:
        return "double-four"
    if sum(is_three(after, point, direction) for direction in DIRECTIONS) >= 2:
        return "double-three"
    return "allowed"


# --- The points: every board in tests/games/renju/*.txt, with its marks. ---


@dataclass(frozen=True)
class Marked:
    name: str
    board: Board
    size: int
    side: str
    point: Point
    verdict: str

    @property
    def action(self) -> int:
        return self.point[0] * self.size + self.point[1]


def read_points(path: Path) -> list[Marked]:
    marked = []
    for block in path.read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if not lines:
            continue
        title, drawn = lines[0], [line.split()[1:] for line in lines[1:] if line.split()[0].isdigit()]
        cells = {(row, col): cell for row, cells in enumerate(drawn) for col, cell in enumerate(cells)}
        board = {point: cell if cell in "XO" else "." for point, cell in cells.items()}
        for line in lines[2 + len(drawn) :]:
            mark, verdict = line.split(":")[0].split(" = ")
            (point,) = (point for point, cell in cells.items() if cell == mark)
            marked.append(Marked(f"{title} {mark}", board, len(drawn), title[0], point, verdict))
    return marked


POINTS = [marked for path in sorted((Path(__file__).parent / "renju").glob("*.txt")) for marked in read_points(path)]
each_point = pytest.mark.parametrize("marked", POINTS, ids=lambda marked: marked.name)


def state_of(board: Board, size: int, side: str) -> games.State:
    rows = ["".join(board[row, col] for col in range(size)) for row in range(size)]
    return games.make(f"gomoku:{size},rule=renju").position("/".join(rows) + " " + side)


def board_of(state: games.State, size: int) -> Board:
    return {(cell // size, cell % size): ".XO"[stone] for cell, stone in enumerate(state.stones())}


def test_there_are_enough_points_of_every_kind() -> None:
    kinds = [marked.verdict for marked in POINTS]
    assert len(kinds) >= 60
    assert set(kinds) == {"five", "overline", "double-four", "double-three", "allowed"}
    assert len({marked.name for marked in POINTS}) == len(POINTS)


@each_point
def test_marked_point(marked: Marked) -> None:
    state = state_of(marked.board, marked.size, marked.side)
    legal = marked.verdict in ("five", "allowed")
    assert state.is_legal(marked.action) == legal
    assert (marked.action in state.legal_actions()) == legal
    if legal:
        state.apply(marked.action)
        assert marked.side == "O" or state.is_terminal() == (marked.verdict == "five")
    else:
        with pytest.raises(games.GameError):
            state.apply(marked.action)


@each_point
def test_oracle_agrees_with_the_hand(marked: Marked) -> None:
    if marked.side == "X":
        assert judge(marked.board, marked.point) == marked.verdict


@each_point
def test_forbidden_points_turn_with_the_board(marked: Marked) -> None:
    state = state_of(marked.board, marked.size, marked.side)
    forbidden = state.planes()[3]
    for cell in range(marked.size**2):
        is_empty = state.stones()[cell] == 0
        shown = forbidden[cell // marked.size, cell % marked.size]
        assert shown == (is_empty and not state.is_legal(cell))
    for symmetry in range(8):
        turned = state.planes(symmetry)[3].reshape(-1)
        assert all(turned[state.policy_index(cell, symmetry)] == value for cell, value in enumerate(forbidden.flat))


NO_MOVE_FOR_BLACK = "OOXXOXO/OOOXOXX/XXOXOOX/OOX.XOX/XOOXXOO/XXOXOXX/OOOXXXO"  # the last point would make seven


def test_black_with_forbidden_points_only_draws() -> None:
    game = games.make("gomoku:7,rule=renju")
    stuck = game.position(NO_MOVE_FOR_BLACK + " X")
    assert (stuck.is_terminal(), stuck.legal_actions(), stuck.outcome()) == (True, [], 0)
    before = game.position("." + NO_MOVE_FOR_BLACK[1:] + " O")
    assert before.legal_actions() == [0, 24]
    before.apply(0)
    assert (before.is_terminal(), before.outcome(), before.hash()) == (True, 0, stuck.hash())
    assert games.make("gomoku:7,rule=exact").position(NO_MOVE_FOR_BLACK + " X").legal_actions() == [24]


def test_renju_needs_five() -> None:
    with pytest.raises(games.GameError, match="in_a_row=5"):
        games.make("gomoku:15,in_a_row=4,rule=renju")


# --- Random play. ---


def crowded_game(size: int, seed: int) -> games.State:
    """A position where Black's stones stand close together: Black plays in the middle, White mostly around it."""
    rng = random.Random(seed)
    state = games.make(f"gomoku:{size},rule=renju").start()
    middle = range(2, size - 2)
    for _ in range(2 * rng.randint(6, size * size // 6)):
        legal = state.legal_actions()
        inside = [action for action in legal if action // size in middle and action % size in middle]
        outside = sorted(set(legal) - set(inside))
        wanted = inside if state.to_move() == 0 or rng.random() < 0.2 else outside
        after = state.copy()
        after.apply(rng.choice(wanted or legal))
        if not after.is_terminal():
            state = after
    if state.to_move() == 1:
        replies = [action for action in state.legal_actions() if not is_end(state, action)]
        state.apply(rng.choice(replies))
    return state


def is_end(state: games.State, action: int) -> bool:
    after = state.copy()
    after.apply(action)
    ended: bool = after.is_terminal()
    return ended


def check_random_positions(seeds: range) -> None:
    seen: dict[str, int] = {}
    for seed in seeds:
        size = 8 + seed % 5
        state = crowded_game(size, seed)
        board = board_of(state, size)
        verdicts = {point: judge(board, point) for point, cell in board.items() if cell == "."}
        expected = [row * size + col for (row, col), verdict in verdicts.items() if verdict in ("five", "allowed")]
        assert state.legal_actions() == expected, state.position_text()
        for verdict in verdicts.values():
            seen[verdict] = seen.get(verdict, 0) + 1
    assert all(seen.get(kind, 0) > len(seeds) // 20 for kind in ("overline", "double-four", "double-three")), seen


def test_legal_moves_equal_the_oracle() -> None:
    check_random_positions(range(100))


@pytest.mark.fuzz
def test_legal_moves_equal_the_oracle_in_many_games() -> None:
    check_random_positions(range(1000, 3000))
