"""Entering a game of one's own: its facts are checked, a fingerprint is taken, and its name is known from then on.

What is stored of such a game is its name and, in the schema of its planes, the fingerprint: version, facts, and a hash
of fixed random games. Never a path or a module, so a file from elsewhere cannot make anybody run code.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from tengen import _core
from tengen._core import Game, GameError, State
from tengen.games.rules import KINDS, Permutations, Rules

__all__ = ["register", "rules_of", "unregister"]

MOST_ACTIONS, MOST_PLIES, MOST_SIDE = 65_535, 16_000, 64  # 14 bits of a node hold the plies to the end
MOST_NUMBERS = 1 << 18  # of all planes
NAME = r"[a-z][a-z0-9_]{0,63}|openspiel:[a-z0-9_]{1,40}(\([A-Za-z0-9_.=,-]{1,80}\))?"
GAMES, PLIES = 3, 60  # of the playthrough: seconds even where a ply takes milliseconds

_entered: dict[str, tuple[Rules, Game]] = {}
_lock = threading.Lock()


def register(rules: Rules) -> Game:
    """Makes a game known to this process by its name: `games.make`, search, training, the app. Raises GameError.

    The same rules may be registered again; other rules of the same name are refused (see `unregister`).
    """
    if not isinstance(rules, Rules):
        raise GameError(f"a game is an object of a class that inherits tengen.games.Rules, not {_kind(rules)}")
    name = _text(rules, "name")
    with _lock:
        known = _entered.get(name)
        if known and known[0] is rules:
            return known[1]
        game = _made(rules)
        schema = game.schema.replace("?", _fingerprint(game), 1)
        if known:
            if known[1].schema == schema:
                return known[1]
            raise GameError(f"there is another game named {name} already, with other rules")
        _core.enter_game(game, schema)
        _entered[name] = rules, game
        return game


def unregister(game: Game | str) -> None:
    """Frees the name of a registered game, for rules that you have changed; a game that you still hold goes on."""
    with _lock:
        if entered := _entered.pop(game if isinstance(game, str) else game.id, None):
            _core.leave_game(entered[1])


def rules_of(game: Game) -> Rules | None:
    """The rules behind a game that was registered; None for one that is built in."""
    found = _entered.get(game.id)
    return found and found[0]


def _made(rules: Rules) -> Game:
    """The game, not yet entered, with a place for its fingerprint. Every fact is checked before it is used."""
    name, title = _text(rules, "name"), _text(rules, "title") or _text(rules, "name")
    if not re.fullmatch(NAME, name, re.ASCII):
        raise GameError(f"name must be a lower-case letter, then lower-case letters, digits and _, not {name[:60]!r}")
    version = _number(rules, "version", 0, 10**9)
    actions = _number(rules, "actions", 1, MOST_ACTIONS)
    rows, cols = _number(rules, "rows", 1, MOST_SIDE), _number(rules, "cols", 1, MOST_SIDE)
    most_plies = _number(rules, "most_plies", 1, MOST_PLIES)
    inputs = getattr(rules, "inputs", ())
    inputs = tuple(inputs) if isinstance(inputs, list | tuple) else ()
    if not inputs or not all(isinstance(text, str) and text.isprintable() for text in inputs):
        raise GameError(f"inputs of {name} must name its planes: a list of texts, one for each")
    if len(inputs) * rows * cols > MOST_NUMBERS:
        raise GameError(f"the planes of {name} have more than {MOST_NUMBERS:,} numbers")
    for method in ("start", "legal", "apply", "outcome", "planes"):
        if getattr(type(rules), method, None) is getattr(Rules, method) and method not in vars(rules):
            raise GameError(f"{type(rules).__name__} has no method {method}")
    kind = rules.kind or ("cells" if rules.cells else "text")
    if kind not in KINDS or (kind != "text" and not rules.cells):
        raise GameError(f"kind of {name} must be one of {', '.join(KINDS)}, and needs a method cells unless it is text")
    if kind == "gravity" and actions != cols:
        raise GameError(f"a board of the kind gravity has an action for each column: {cols}, not {actions}")
    same = (list(range(rows * cols)), list(range(actions)))
    symmetries = [same, *(_permutations(rules.symmetries, rows * cols, actions))]
    turned = [] if rules.turned is None else _permutation(rules.turned, actions, "turned")
    schema = f"{name}/{version} ?: {', '.join(inputs)}"
    return _core.foreign_game(
        rules, name, title, schema, actions, most_plies, len(inputs), rows, cols,
        KINDS.index(kind), symmetries, turned, rules.address(),
    )  # fmt: skip


def _fingerprint(game: Game) -> str:
    """Equal for equal rules: facts and what was seen in fixed random games. Planes are rounded, for the last bits of a
    calculation differ between machines."""
    digest = hashlib.sha256(f"{game.schema} {game.num_actions} {game.max_plies} {game.planes_shape}".encode())
    for number in range(GAMES):
        state, draw = game.start(), number
        for _ in range(PLIES):
            _note(digest, state)
            if state.is_terminal():
                break
            legal = state.legal_actions()
            draw = (draw * 6364136223846793005 + 1442695040888963407) % (1 << 64)
            state.apply(legal[(draw >> 33) % len(legal)])
    return digest.hexdigest()[:12]


def _note(digest: Any, state: State) -> None:
    digest.update(np.array(state.legal_actions(), np.int64).tobytes())
    digest.update(np.rint(state.planes().astype(np.float64) * 1024).astype(np.int64).tobytes())
    digest.update(b"?" if not state.is_terminal() else str(state.outcome()).encode())


def _permutations(given: Permutations, cells: int, actions: int) -> list[tuple[list[int], list[int]]]:
    try:
        pairs = [(its_cells, its_actions) for its_cells, its_actions in given]
    except (TypeError, ValueError):
        raise GameError("symmetries must be a list of pairs: where the cells go, and where the actions go") from None
    return [
        (_permutation(its_cells, cells, "symmetries"), _permutation(its_actions, actions, "symmetries"))
        for its_cells, its_actions in pairs
    ]


def _permutation(given: Sequence[int], length: int, what: str) -> list[int]:
    found = [int(place) for place in given]
    if sorted(found) != list(range(length)):
        raise GameError(f"{what} must hold every number from 0 to {length - 1} once")
    return found


def _number(rules: Rules, fact: str, low: int, high: int) -> int:
    value = getattr(rules, fact, None)
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        said = "is missing" if value is None else f"is {str(value)[:40]}"
        raise GameError(f"{fact} of {type(rules).__name__} must be a whole number from {low} to {high}; it {said}")
    return int(value)


def _text(rules: Rules, fact: str) -> str:
    value = getattr(rules, fact, None)
    if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
        raise GameError(f"{fact} of {type(rules).__name__} must be a text of one line")
    return value


def _kind(thing: object) -> str:
    return thing.__name__ if isinstance(thing, type) else type(thing).__name__
