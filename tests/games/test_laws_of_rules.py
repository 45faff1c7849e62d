"""Every law of `Rules` can be broken, and is told in one line; what keeps all of them passes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tengen import GameError, games
from tengen.games import Rules, register, unregister
from tengen.games.laws import LAWS, check_laws

SECONDS = 0.2


class Row(Rules):
    """A row of five cells: whoever fills the last one wins; two may be filled at once."""

    name, actions, rows, cols, most_plies = "laws_row", 5, 1, 5, 5
    inputs = ("taken", "first player to move")
    remembers = False
    symmetries = (([4, 3, 2, 1, 0], [4, 3, 2, 1, 0]),)

    def start(self) -> Any:
        return (0, 0, 0, 0, 0)

    def legal(self, state: Any) -> Any:
        return [cell for cell in range(5) if not state[cell]]

    def apply(self, state: Any, action: int) -> Any:
        player = 1 if self.ply(state) % 2 == 0 else 2
        return (*state[:action], player, *state[action + 1 :])

    def outcome(self, state: Any) -> Any:
        return -1 if all(state) else None

    def planes(self, state: Any) -> Any:
        return [[[float(cell > 0) for cell in state]], [[float(self.ply(state) % 2 == 0)] * 5]]

    def cells(self, state: Any) -> Any:
        return state

    def ply(self, state: Any) -> int:
        return sum(map(bool, state))


class InPlace(Row):
    """The same, changed in place."""

    name = "laws_in_place"

    def start(self) -> Any:
        return [0] * 5

    def copy(self, state: Any) -> Any:
        return list(state)

    def apply(self, state: Any, action: int) -> Any:
        state[action] = 1 if self.ply(state) % 2 == 0 else 2


class Counted(Row):
    """Whoever has more cells wins: the first player."""

    name = "laws_counted"

    def outcome(self, state: Any) -> Any:
        return -1 if all(state) else None

    def score(self, state: Any) -> Any:
        return state.count(1), state.count(2)

    def owners(self, state: Any) -> Any:
        return state


def hashed(self: Row, state: Any, symmetry: int) -> int:
    cells = state[::-1] if symmetry else state
    return sum(int(cell > 0) << i for i, cell in enumerate(cells))


@pytest.mark.parametrize("rules", [Row, InPlace, Counted])
def test_good_rules_keep_all_laws(rules: type[Rules]) -> None:
    checked = check_laws(rules(), SECONDS)
    assert checked.broken is None
    assert set(checked.kept) <= LAWS.keys() and {"facts", "apply", "end", "symmetries", "board"} <= set(checked.kept)
    assert ("score" in checked.kept) == (rules is Counted)
    assert not checked.strange


def test_a_hash_that_is_right_is_accepted() -> None:
    checked = check_laws(changed(Row, hash=hashed), SECONDS)
    assert checked.broken is None and "hash" in checked.kept


def test_random_games_differ_and_a_seed_names_them() -> None:
    def lines(seed: int) -> list[tuple[int, ...]]:
        positions = check_laws(Row(), SECONDS, seed).sample.positions
        return [tuple(seen.actions) for seen in positions if len(seen.actions) == 5][:20]

    assert lines(1) == lines(1) != lines(2)
    assert len(set(lines(1))) > 10


def changed(base: type[Rules], **members: Any) -> Rules:
    made = type("Changed", (base,), {"name": "laws_changed", **members})()
    assert isinstance(made, Rules)
    return made


def raising(self: Any, state: Any) -> Any:
    return [1 // (len(state) - 5)]  # the line that is told


counter = iter(range(10**9))


def longer(self: Any, state: Any) -> Any:
    """Each time it is asked, one action fewer, or one more."""
    return Row.legal(self, state)[: 1 + next(counter) % 2]


def in_place_without_copy(self: Any, state: Any, action: int) -> Any:
    state[action] = 1
    return state


BAD: list[tuple[str, str, type[Rules], dict[str, Any]]] = [
    # Facts.
    ("facts", "name is 'Row!'", Row, {"name": "Row!"}),
    ("facts", "actions is 0, not a whole number from 1", Row, {"actions": 0}),
    ("facts", "actions is 5.0", Row, {"actions": 5.0}),
    ("facts", "rows is 65", Row, {"rows": 65}),
    ("facts", "most_plies is 100000", Row, {"most_plies": 100_000}),
    ("facts", "version is -1", Row, {"version": -1}),
    ("facts", "inputs is 'taken'", Row, {"inputs": "taken"}),
    ("facts", "inputs[1] is 7", Row, {"inputs": ("a", 7)}),
    ("facts", "kind is 'round'", Row, {"kind": "round"}),
    ("facts", "kind is hexes, but the class does not define cells()", Row, {"kind": "hexes", "cells": None}),
    ("facts", "an action for each of 5 columns, not 6", Row, {"kind": "gravity", "actions": 6}),
    ("facts", "owners(), but not score()", Row, {"owners": Row.cells}),
    ("facts", "remembers is 1", Row, {"remembers": 1}),
    ("facts", "does not define planes()", Row, {"planes": Rules.planes}),
    ("facts", "cells is 3, not a method", Row, {"cells": 3}),
    # The start.
    ("start", "with other legal actions", Row, {"start": lambda self: (next(counter) % 2, 0, 0, 0, 0)}),
    ("start", "over before the first move", Row, {"outcome": lambda self, s: 0}),
    ("start", "start() raises ValueError: no", Row, {"start": lambda self: _raise(ValueError("no"))}),
    # Outcomes.
    ("outcome", "outcome() gives 2, not None, 1, 0 or -1", Row, {"outcome": lambda self, s: 2 if all(s) else None}),
    ("outcome", "outcome() gives True", Row, {"outcome": lambda self, s: True if all(s) else None}),
    ("outcome", "outcome() gives 0.5", Row, {"outcome": lambda self, s: 0.5 if all(s) else None}),
    ("outcome", "something else when it is asked again", Row,
     {"outcome": lambda self, s: (1, 0, -1)[next(counter) % 3] if all(s) else None}),
    # Legal moves.
    ("legal", "legal() raises ZeroDivisionError", Row, {"legal": raising}),
    ("legal", "gives 5, but actions are 0 … 4", Row, {"legal": lambda self, s: [*Row.legal(self, s), 5]}),
    ("legal", "gives -1", Row, {"legal": lambda self, s: [-1, *Row.legal(self, s)]}),
    ("legal", "twice", Row, {"legal": lambda self, s: sorted(2 * Row.legal(self, s))}),
    ("legal", "must be ascending", Row, {"legal": lambda self, s: Row.legal(self, s)[::-1]}),
    ("legal", "not a whole number", Row, {"legal": lambda self, s: ["0"]}),
    ("legal", "not a list of actions", Row, {"legal": lambda self, s: None}),
    ("legal", "not a list of actions", Row, {"legal": lambda self, s: set(Row.legal(self, s))}),
    ("legal", "is empty, but the game goes on", Row, {"outcome": lambda self, s: None}),
    ("legal", "something else when it is asked again", Row, {"legal": longer}),
    # Planes.
    ("planes", "gives 1 × 1 × 5, not 2 × 1 × 5", Row, {"planes": lambda self, s: [[list(s)]]}),
    ("planes", "gives 2 × 5, not 2 × 1 × 5", Row, {"planes": lambda self, s: [list(s), list(s)]}),
    ("planes", "no block of numbers", Row, {"planes": lambda self, s: [[[1, 2], [3]]]}),
    ("planes", "no block of numbers", Row, {"planes": lambda self, s: "planes"}),
    ("planes", "NaN or infinity in plane 1 (first", Row, {"planes": lambda self, s: [[list(s)], [[np.nan] * 5]]}),
    ("planes", "NaN or infinity", Row, {"planes": lambda self, s: [[list(s)], [[1e39] * 5]]}),
    ("planes", "something else when it is asked again", Row,
     {"planes": lambda self, s: [[list(s)], [[next(counter) % 7] * 5]]}),
    # Moves.
    ("apply", "returns nothing: return the next state, or define copy()", Row, {"apply": lambda self, s, a: None}),
    ("apply", "returns something, but with copy()", InPlace, {"apply": lambda self, s, a: s}),
    ("apply", "changes the legal actions of the state that it is given", Row,
     {"start": lambda self: [0] * 5, "apply": in_place_without_copy}),
    ("apply", "copy() shares something", InPlace, {"copy": lambda self, s: s}),
    ("apply", "lead to other legal actions when they are played again", Row,
     {"apply": lambda self, s, a: Row.apply(self, s, Row.legal(self, s)[next(counter) % (5 - self.ply(s))])}),
    ("apply", "apply() raises IndexError", Row, {"apply": lambda self, s, a: [][a]}),
    # The end.
    ("end", "goes on after most_plies = 4 plies", Row, {"most_plies": 4}),
    ("end", "goes on after most_plies = 5 plies", Row, {"apply": lambda self, s, a: s}),
    # Equal planes, unequal futures.
    ("remembers", "differ in legal actions", Row,
     {"planes": lambda self, s: [[[self.ply(s)] * 5], [[0] * 5]], "symmetries": ()}),
    # Symmetries.
    ("symmetries", "is no permutation of the cells", Row, {"symmetries": (([0, 0, 1, 2, 3], [0, 1, 2, 3, 4]),)}),
    ("symmetries", "is no permutation of the actions", Row, {"symmetries": (([4, 3, 2, 1, 0], [0, 1]),)}),
    ("symmetries", "is there twice, or leaves the board as it is", Row, {"symmetries": ((range(5), range(5)),)}),
    ("symmetries", "has no inverse", Row, {"symmetries": (([1, 2, 3, 4, 0], [1, 2, 3, 4, 0]),)}),
    ("symmetries", "not a list of pairs", Row, {"symmetries": (range(5), range(5))}),
    ("symmetries", "with other legal actions", Row,
     {"symmetries": (([4, 3, 2, 1, 0], [4, 3, 2, 1, 0]),),
      "legal": lambda self, s: [c for c in range(5) if not s[c] and (c != 1 or s[0])]}),
    ("symmetries", "with other planes", Row,
     {"planes": lambda self, s: [[[float(x > 0) for x in s]], [[1, 0, 0, 0, 0]]]}),
    # Boards that are turned.
    ("turned", "is no permutation", Row, {"turned": [0, 1, 2, 3]}),
    ("turned", "the other way round", Row, {"turned": [1, 0, 2, 3, 4]}),
    # Hashes.
    ("hash", "not a whole number of 64 bits", Row, {"hash": lambda self, s, symmetry: -1}),
    ("hash", "the same number as for other planes", Row, {"hash": lambda self, s, symmetry: self.ply(s)}),
    ("hash", "another number than for equal planes", Row,
     {"hash": lambda self, s, symmetry: sum(x * 3**i for i, x in enumerate(s[::-1] if symmetry else s))}),
    # Texts, and what is drawn.
    ("moves", "calls both action 0 and action", Row, {"move_text": lambda self, s, a: "x"}),
    ("moves", "with a space, a comma", Row, {"move_text": lambda self, s, a: f"a {a}"}),
    ("moves", "with a space, a comma", Row, {"move_text": lambda self, s, a: f"a,{a}"}),
    ("moves", "not a text of 1 to 32", Row, {"move_text": lambda self, s, a: a}),
    ("moves", "not a text of 1 to 32", Row, {"move_text": lambda self, s, a: "x" * 33}),
    ("board", "gives 4 cells, not rows · cols = 5", Row, {"cells": lambda self, s: s[1:]}),
    ("board", "gives 3 for cell 0", Row, {"cells": lambda self, s: (3, 0, 0, 0, 0)}),
    ("board", "gives (1, 7) for cell 0", Row, {"cells": lambda self, s: ((1, 7), 0, 0, 0, 0)}),
    ("board", "gives 5, but cells are 0 … 4", Row, {"moves_on": lambda self, s, a: 5}),
    ("board", "not a cell or a pair", Row, {"moves_on": lambda self, s, a: (0, 1, 2)}),
    ("board", "line gives 9", Row, {"line": lambda self, s: [9]}),
    ("board", "text() gives no text", Row, {"text": lambda self, s: 5}),
    # Counts.
    ("score", "outcome() for the side to move would be 1, not -1", Counted, {"score": lambda self, s: (0, 1)}),
    ("score", "not two numbers", Counted, {"score": lambda self, s: 3}),
    ("score", "not two finite numbers", Counted, {"score": lambda self, s: (np.inf, 0)}),
    ("score", "owners() gives", Counted, {"owners": lambda self, s: [3] * 5}),
]  # fmt: skip


def _raise(error: Exception) -> Any:
    raise error


@pytest.mark.parametrize(
    ("law", "words", "base", "members"), BAD, ids=lambda value: value if isinstance(value, str) else ""
)
def test_bad_rules_break_their_law(law: str, words: str, base: type[Rules], members: dict[str, Any]) -> None:
    broken = check_laws(changed(base, **members), SECONDS).broken
    assert broken is not None
    assert broken.law == law and words in str(broken)
    assert "\n" not in str(broken) and len(str(broken)) < 1000


def test_the_users_own_line_is_told() -> None:
    broken = check_laws(changed(Row, legal=raising), SECONDS).broken
    assert broken is not None
    assert broken.place == f"{__file__.rpartition('/')[2]}:{raising.__code__.co_firstlineno + 1}"
    assert broken.actions == [] and "at the start" in str(broken)


def test_the_moves_that_lead_there_are_told() -> None:
    def legal(self: Row, state: Any) -> Any:
        return Row.legal(self, state) if self.ply(state) < 2 else [7]

    broken = check_laws(changed(Row, legal=legal), SECONDS).broken
    assert broken is not None and len(broken.actions) == 2
    a, b = broken.actions
    assert f"after {'abcde'[a]}1 {'abcde'[b]}1 (actions {a} {b})" in str(broken)


def test_an_outcome_from_the_wrong_side_is_strange() -> None:
    checked = check_laws(changed(Row, outcome=lambda self, s: 1 if all(s) else None), SECONDS)
    assert checked.broken is None
    assert "-1 where the last move has won" in checked.strange[0]


def test_laws_that_do_not_apply_are_not_said_to_hold() -> None:
    checked = check_laws(changed(Row, symmetries=(), remembers=True), SECONDS)
    assert {"symmetries", "remembers", "hash", "turned", "score"}.isdisjoint(checked.kept)


@pytest.fixture
def registry() -> Iterator[None]:
    before = set(games.names())
    yield
    for name in set(games.names()) - before:
        unregister(name)


REFUSED: list[tuple[str, Callable[[], object]]] = [
    ("connect4", lambda: changed(Row, name="connect4")),
    ("inherits tengen.games.Rules", lambda: object()),
    ("outcome returned 2", lambda: changed(Row, outcome=lambda self, s: 2 if all(s) else None)),
    ("after most_plies = 3", lambda: changed(Row, most_plies=3)),
    ("ascending", lambda: changed(Row, legal=lambda self, s: Row.legal(self, s)[::-1])),
    ("no action is legal", lambda: changed(Row, outcome=lambda self, s: None, most_plies=6)),
    ("has no method planes", lambda: changed(Row, planes=Rules.planes)),
    ("planes", lambda: changed(Row, planes=lambda self, s: [[list(s)]])),
    ("planes", lambda: changed(Row, planes=lambda self, s: [[list(s)], [[np.nan] * 5]])),
    ("test_laws_of_rules.py", lambda: changed(Row, legal=raising)),
    ("symmetries", lambda: changed(Row, symmetries=(([0, 0, 1, 2, 3], range(5)),))),
]


@pytest.mark.parametrize(("words", "make"), REFUSED, ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.usefixtures("registry")
def test_the_registry_refuses_in_one_line(words: str, make: Callable[[], Any]) -> None:
    before = games.names()
    with pytest.raises(GameError) as refused:
        register(make())
    assert words in str(refused.value) and "\n" not in str(refused.value)
    assert games.names() == before
