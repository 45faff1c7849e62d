"""Settled positions of Go (law 15) against Benson's algorithm as the paper has it, and against every way to play on."""

import random
from collections.abc import Iterator

import pytest

from tengen import Game, State, games


def neighbours(size: int, point: int) -> list[int]:
    row, col = divmod(point, size)
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    return [r * size + c for r, c in around if 0 <= r < size and 0 <= c < size]


def board_of(state: State) -> str:
    return "".join(".XO"[stone] for stone in state.stones())


def connected(size: int, points: set[int]) -> list[frozenset[int]]:
    found, left = list[frozenset[int]](), set(points)
    while left:
        inside, todo = set[int](), [left.pop()]
        while todo:
            inside.add(point := todo.pop())
            around = [q for q in neighbours(size, point) if q in left]
            left.difference_update(around)
            todo += around
        found.append(frozenset(inside))
    return found


def alive(size: int, board: str, colour: str) -> set[frozenset[int]]:
    """Benson: chains and regions are struck off until nothing changes."""
    around = {p: set(neighbours(size, p)) for p in range(size**2)}
    chains = set(connected(size, {p for p in around if board[p] == colour}))
    regions = connected(size, {p for p in around if board[p] != colour})

    def touch(region: frozenset[int], chain: frozenset[int]) -> bool:
        return any(around[p] & chain for p in region)

    def vital(region: frozenset[int], chain: frozenset[int]) -> bool:
        return all(around[p] & chain for p in region if board[p] == ".")

    everything = set(chains)
    while True:
        healthy = [r for r in regions if all(c in chains for c in everything if touch(r, c))]
        left = {c for c in chains if sum(touch(r, c) and vital(r, c) for r in healthy) >= 2}
        if left == chains:
            return chains
        chains = left


def settled(size: int, board: str) -> bool:
    living = set[int]().union(*alive(size, board, "X"), *alive(size, board, "O"))
    if living != {p for p in range(size**2) if board[p] != "."}:
        return False
    for region in connected(size, {p for p in range(size**2) if board[p] == "."}):
        around = [{board[q] for q in neighbours(size, p)} - {"."} for p in region]
        if len(set[str]().union(*around)) != 1 or around.count(set()) > 1:
            return False
    return True


def sensible(game: Game, rng: random.Random) -> Iterator[State]:
    """Positions of a random game in which nobody fills a point that has only own stones around it."""
    size, state = int(game.layout()["cols"]), game.start()
    while not state.is_terminal():
        board, own = board_of(state), ".XO"[1 + state.to_move()]

        def is_eye(p: int, board: str = board, own: str = own) -> bool:
            return all(board[q] == own for q in neighbours(size, p))

        moves = [a for a in state.legal_actions() if a < size**2 and not is_eye(a)]
        state.apply(rng.choice(moves) if moves and rng.random() < 0.99 else size**2)
        yield state.copy()


@pytest.mark.parametrize(("size", "number"), [(2, 20), (3, 60), (4, 40), (5, 20), (7, 8)])
def test_settled_is_what_benson_says(size: int, number: int) -> None:
    """With a history fewer positions are: where an owner's stone was captured, superko could forbid the answer."""
    game, rng, found = games.make(f"go:{size}"), random.Random(size), {True: 0, False: 0}
    captured = 0
    for _ in range(number):
        for state in sensible(game, rng):
            text = state.position_text().partition(" ply=")[0].partition(" ko=")[0].partition(" passes=")[0]
            plain = game.position(text)  # without a history, and long before the last ply
            expected = settled(size, board_of(state))
            assert plain.settled() == expected, text
            assert expected or not state.settled()
            found[expected] += 1
            captured += expected and not state.settled() and state.ply() + 2 * size**2 < game.max_plies
    assert size not in (4, 5) or captured > 0
    assert found[False] > 20 and (size < 3 or found[True] > 10)


def keeps(state: State, owner: int, cells: list[int], table: dict[tuple[int, int], bool]) -> bool:
    """Can a side keep all these cells, whatever the other does?"""
    if state.is_terminal():
        owners = state.owners()
        assert owners is not None
        return all(owners[cell] == 1 + owner for cell in cells)
    key = (state.hash(), state.ply() % 2)
    if key not in table:
        table[key] = False  # superko: the same board does not come again
        follow = (after(state, action) for action in reversed(state.legal_actions()))  # the pass comes first
        answers = (keeps(each, owner, cells, table) for each in follow)
        table[key] = any(answers) if state.to_move() == owner else all(answers)
    return table[key]


def after(state: State, action: int) -> State:
    following = state.copy()
    following.apply(action)
    return following


@pytest.mark.parametrize(("size", "empties"), [(3, 3), (4, 3)])
def test_what_is_settled_can_be_kept_to_the_end(size: int, empties: int) -> None:
    game, rng, seen = games.make(f"go:{size}"), random.Random(7), dict[tuple[str, int], State]()
    for _ in range(100):
        for state in sensible(game, rng):
            if state.settled() and not state.is_terminal() and board_of(state).count(".") <= empties:
                seen.setdefault((board_of(state), state.to_move()), state)
    assert len(seen) > 5
    for state in seen.values():
        owners = state.owners()
        assert owners is not None and 0 not in owners
        for owner in {0, 1} & {side - 1 for side in owners}:
            cells = [cell for cell, side in enumerate(owners) if side == 1 + owner]
            assert keeps(state, owner, cells, {}), state


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".X.X/XXXX/OOOO/O.O. X", True),
        (".X.X/XXXX/OOOO/O.O. O", True),
        (".X.X/XXXX/OOOO/O.O. X ply=60", False),  # too late to answer everything
        (".X.X/XXXX/OOO./O.O. X", False),  # a point between
        ("XXXX/X..X/XXXX/XX.X X", True),
        ("XXXX/X.OX/X..X/XXXX X", False),  # a stone that is not captured yet
        ("XXXX/XX.X/XXXX/XXXX X", False),  # one eye
        ("..../..../..../.... X", False),
        ("..X./XXX./X.XX/.XXX X", True),  # a corner with one inner point
    ],
)
def test_positions_by_hand(text: str, expected: bool) -> None:
    assert games.make("go:4").position(text).settled() == expected
