"""The facts that a class states about its game: what they may be."""

from __future__ import annotations

import re
from typing import Any

from tengen.games.laws.asking import Asker, permutation, shortened, whole
from tengen.games.register import MOST_ACTIONS, MOST_NUMBERS, MOST_PLIES, MOST_SIDE, NAME
from tengen.games.rules import KINDS, Rules

__all__ = ["check_facts", "check_permutations"]

MOST = {"actions": MOST_ACTIONS, "rows": MOST_SIDE, "cols": MOST_SIDE, "most_plies": MOST_PLIES}
MOST_SYMMETRIES, LONGEST = 64, 200
NEEDED = ("start", "legal", "apply", "outcome", "planes")
MAY_BE = ("copy", "hash", "cells", "moves_on", "line", "score", "owners")


def check_facts(rules: Rules) -> None:
    """Raises Broken with the first fact that is missing or wrong."""
    asker = Asker(rules)
    for name in ("name", "actions", "rows", "cols", "inputs"):
        if getattr(rules, name, None) is None:
            raise asker.fail(f"the class has no {name}")
    if not isinstance(rules.name, str) or not re.fullmatch(NAME, rules.name, re.ASCII):
        raise asker.fail(
            f"name is {shortened(rules.name)}, not a lower-case letter, then lower-case letters, digits and _"
        )
    for name, most in MOST.items():
        value = whole(getattr(rules, name))
        if value is None or not 1 <= value <= most:
            raise asker.fail(f"{name} is {shortened(getattr(rules, name))}, not a whole number from 1 to {most}")
    if (version := whole(rules.version)) is None or version < 0:
        raise asker.fail(f"version is {shortened(rules.version)}, not a whole number")
    _check_texts(asker, rules)
    for name in NEEDED:
        method = getattr(rules, name)
        if not callable(method) or getattr(method, "__func__", None) is getattr(Rules, name):
            raise asker.fail(f"the class does not define {name}()")
    for name in MAY_BE:
        if getattr(rules, name) is not None and not callable(getattr(rules, name)):
            raise asker.fail(f"{name} is {shortened(getattr(rules, name))}, not a method")
    if rules.kind not in ("", *KINDS):
        raise asker.fail(f"kind is {shortened(rules.kind)}, not one of {', '.join(KINDS)}")
    if rules.kind not in ("", "text") and rules.cells is None:
        raise asker.fail(f"kind is {rules.kind}, but the class does not define cells()")
    if rules.kind == "gravity" and rules.actions != rules.cols:
        raise asker.fail(f"kind is gravity, which has an action for each of {rules.cols} columns, not {rules.actions}")
    if rules.owners is not None and rules.score is None:
        raise asker.fail("the class defines owners(), but not score()")
    if not isinstance(rules.remembers, bool):
        raise asker.fail(f"remembers is {shortened(rules.remembers)}, not True or False")


def _check_texts(asker: Asker, rules: Rules) -> None:
    inputs: Any = rules.inputs
    if not isinstance(inputs, list | tuple) or not inputs:
        raise asker.fail(f"inputs is {shortened(inputs)}, not a tuple of texts, one for each plane")
    if len(inputs) * rules.rows * rules.cols > MOST_NUMBERS:
        raise asker.fail(f"inputs · rows · cols is more than {MOST_NUMBERS} numbers")
    texts: list[tuple[str, Any]] = [("title", rules.title), *((f"inputs[{i}]", text) for i, text in enumerate(inputs))]
    for name, text in texts:
        if not isinstance(text, str) or len(text) > LONGEST or not text.isprintable() or (name != "title" and not text):
            raise asker.fail(f"{name} is {shortened(text)}, not a text in one line of up to {LONGEST} characters")


def check_permutations(rules: Rules) -> None:
    """Symmetries send cells and actions to places of their own, and each can be taken back."""
    asker = Asker(rules)
    asker.law = "symmetries"
    try:
        given = [(list(cells), list(actions)) for cells, actions in rules.symmetries]
    except (TypeError, ValueError):
        raise asker.fail("symmetries is not a list of pairs: where each cell goes and where each action goes") from None
    if len(given) > MOST_SYMMETRIES:
        raise asker.fail(f"there are {len(given)} symmetries, more than {MOST_SYMMETRIES}")
    sizes = {"cells": rules.rows * rules.cols, "actions": rules.actions}
    for number, pair in enumerate(given):
        for (name, size), order in zip(sizes.items(), pair, strict=True):
            if permutation(order, size) is None:
                raise asker.fail(f"symmetries[{number}] is no permutation of the {name} 0 … {size - 1}")
    identity = tuple(list(range(size)) for size in sizes.values())
    for number, pair in enumerate(given):
        if pair == identity or pair in given[:number]:
            raise asker.fail(f"symmetries[{number}] is there twice, or leaves the board as it is")
        if tuple(_inverse(order) for order in pair) not in given:
            raise asker.fail(f"symmetries[{number}] has no inverse among the symmetries, which takes it back")
    asker.law = "turned"
    if rules.turned is not None and permutation(rules.turned, rules.actions) is None:
        raise asker.fail(f"turned is no permutation of the actions 0 … {rules.actions - 1}")


def _inverse(order: list[int]) -> list[int]:
    inverse = [0] * len(order)
    for source, target in enumerate(order):
        inverse[target] = source
    return inverse
