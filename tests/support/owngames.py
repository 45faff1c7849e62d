"""Small games of somebody's own, for what the page and the terminal must show: no board, walls, broken rules."""

from __future__ import annotations

from typing import Any

from tengen.games import Rules


class Take(Rules):
    """No board is drawn. Whoever takes the last of 40 matches wins. Its words look like HTML, and like markup."""

    name, title = "take", "Take <b>away</b>"
    actions, rows, cols, most_plies = 15, 1, 1, 40
    inputs = ("matches left",)

    def start(self) -> int:
        return 40

    def legal(self, state: int) -> list[int]:
        return list(range(min(self.actions, state)))

    def apply(self, state: int, action: int) -> int:
        return state - 1 - action

    def outcome(self, state: int) -> int | None:
        return None if state else -1

    def planes(self, state: int) -> Any:
        return [[[state / 40]]]

    def move_text(self, state: int, action: int) -> str:
        return f"[i]<i>-{action + 1}"

    def text(self, state: int) -> str:
        return f"<img src=x onerror=alert(1)>[b]\n{'|' * state}"


class Walls(Rules):
    """On each cell of 3 × 3 somebody builds a wall, of one kind or the other; whoever builds the last one wins. A wall
    on the last cell is one too many: the picture of it fails."""

    name, title = "walls", "Walls"
    actions, rows, cols, most_plies = 18, 3, 3, 9
    inputs = ("walls",)

    def start(self) -> tuple[int, ...]:
        return (0,) * 9

    def legal(self, state: tuple[int, ...]) -> list[int]:
        return [2 * cell + kind for cell in range(9) for kind in (0, 1) if not state[cell]]

    def apply(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        cell, kind = divmod(action, 2)
        return (*state[:cell], kind + 1, *state[cell + 1 :])

    def outcome(self, state: tuple[int, ...]) -> int | None:
        return -1 if all(state) else None

    def planes(self, state: tuple[int, ...]) -> Any:
        return [[[wall / 2 for wall in state[row : row + 3]] for row in (0, 3, 6)]]

    def cells(self, state: tuple[int, ...]) -> list[Any]:
        if state[8]:
            raise ValueError("there is no <b>picture</b> of this")
        return [(0, ("", "<b>", "│")[wall]) for wall in state]

    def moves_on(self, state: tuple[int, ...], action: int) -> int:
        return action // 2

    def move_text(self, state: tuple[int, ...], action: int) -> str:
        return f"{'abc'[action // 2 % 3]}{3 - action // 6}{'hv'[action % 2]}"
