"""The laws of what people see: the texts of moves, the drawn board, and the count of a game."""

from __future__ import annotations

import math
import time
from typing import Any

from tengen.games.laws.asking import Asker, shortened, whole
from tengen.games.laws.playing import Sample, Seen
from tengen.games.rules import Rules

__all__ = ["check_board", "check_moves", "check_score"]

LONGEST_MOVE, LONGEST_GLYPH, LONGEST_TEXT = 32, 4, 20_000
MOST_ASKED = 1000  # positions


def check_moves(rules: Rules, sample: Sample, seconds: float) -> None:
    """Every legal move has a text of its own, which fits among others in a line."""
    asker, until = Asker(rules), time.monotonic() + seconds
    asker.law = "moves"
    for seen in sample.some(MOST_ASKED):
        texts: dict[str, int] = {}
        for action in seen.view.legal:
            text = asker.call("move_text", seen.actions, seen.state, action)
            if not isinstance(text, str) or not 1 <= len(text) <= LONGEST_MOVE:
                raise asker.fail(
                    f"move_text() of action {action} is {shortened(text)}, not a text of 1 to {LONGEST_MOVE} "
                    "characters",
                    seen.actions,
                )
            if not text.isprintable() or any(letter.isspace() or letter == "," for letter in text):
                raise asker.fail(
                    f"move_text() of action {action} is {text!r}, with a space, a comma or something invisible",
                    seen.actions,
                )
            if text in texts:
                raise asker.fail(
                    f"move_text() calls both action {texts[text]} and action {action} {text!r}", seen.actions
                )
            texts[text] = action
        if time.monotonic() > until:
            return


def check_board(rules: Rules, sample: Sample, seconds: float) -> None:
    """What is drawn is on the board; the text is text."""
    asker, until = Asker(rules), time.monotonic() + seconds
    asker.law = "board"
    for seen in sample.some(MOST_ASKED):
        text = asker.call("text", seen.actions, seen.state)
        if not isinstance(text, str) or len(text) > LONGEST_TEXT:
            raise asker.fail(f"text() gives no text of up to {LONGEST_TEXT} characters", seen.actions)
        if rules.cells is not None:
            _check_cells(asker, seen, asker.call("cells", seen.actions, seen.state))
        if rules.moves_on is not None:
            for action in seen.view.legal:
                _check_move(asker, seen, action, asker.call("moves_on", seen.actions, seen.state, action))
        if rules.line is not None and seen.view.outcome is not None:
            for cell in _listed(asker, seen, "line", asker.call("line", seen.actions, seen.state)):
                _on_board(asker, seen, "line", cell, least=0)
        if time.monotonic() > until:
            return


def _check_cells(asker: Asker, seen: Seen, given: Any) -> None:
    cells, size = _listed(asker, seen, "cells", given), asker.rules.rows * asker.rules.cols
    if len(cells) != size:
        raise asker.fail(f"cells() gives {len(cells)} cells, not rows · cols = {size}", seen.actions)
    for number, cell in enumerate(cells):
        if whole(cell) in (0, 1, 2):
            continue
        pair = cell if isinstance(cell, tuple | list) and len(cell) == 2 else (None, None)
        owner, glyph = pair
        if whole(owner) in (0, 1, 2) and isinstance(glyph, str) and len(glyph) <= LONGEST_GLYPH and glyph.isprintable():
            continue
        raise asker.fail(
            f'cells() gives {shortened(cell)} for cell {number}, not 0, 1, 2 or a pair such as (1, "♘")', seen.actions
        )


def _check_move(asker: Asker, seen: Seen, action: int, given: Any) -> None:
    """A cell, or the pair of the cell it comes from and the cell it goes to."""
    pair = given if isinstance(given, tuple | list) else (given,)
    if not 1 <= len(pair) <= 2:
        raise asker.fail(f"moves_on() of action {action} gives {shortened(given)}, not a cell or a pair", seen.actions)
    for cell in pair:
        _on_board(asker, seen, f"moves_on() of action {action}", cell, least=-1)


def _on_board(asker: Asker, seen: Seen, what: str, cell: Any, least: int) -> None:
    most, found = asker.rules.rows * asker.rules.cols - 1, whole(cell)
    if found is None or not least <= found <= most:
        raise asker.fail(f"{what} gives {shortened(cell)}, but cells are 0 … {most}", seen.actions)


def _listed(asker: Asker, seen: Seen, name: str, given: Any) -> list[Any]:
    try:
        return list(given)
    except TypeError:
        raise asker.fail(f"{name}() gives {shortened(given)}, not a list", seen.actions) from None


def check_score(rules: Rules, sample: Sample, seconds: float) -> None:
    """Whoever has more has won, and nobody else."""
    if rules.score is None:
        return
    asker, until = Asker(rules), time.monotonic() + seconds
    asker.law = "score"
    ends = [seen for seen in sample.positions if seen.view.outcome is not None]
    for seen in [*ends, *sample.some(MOST_ASKED)]:
        given = asker.call("score", seen.actions, seen.state)
        try:
            first, second = (float(value) for value in given)
        except (TypeError, ValueError):
            raise asker.fail(f"score() gives {shortened(given)}, not two numbers", seen.actions) from None
        if not (math.isfinite(first) and math.isfinite(second)):
            raise asker.fail(f"score() gives {shortened(given)}, not two finite numbers", seen.actions)
        lead = (first > second) - (first < second)
        wanted = lead if len(seen.actions) % 2 == 0 else -lead
        if seen.view.outcome is not None and seen.view.outcome != wanted:
            raise asker.fail(
                f"score() gives {first:g} : {second:g}, so outcome() for the side to move would be {wanted}, not "
                f"{seen.view.outcome}",
                seen.actions,
            )
        if rules.owners is not None:
            owners = _listed(asker, seen, "owners", asker.call("owners", seen.actions, seen.state))
            size = rules.rows * rules.cols
            if len(owners) != size or any(whole(owner) not in (0, 1, 2) for owner in owners):
                raise asker.fail(f"owners() gives {shortened(owners)}, not {size} times 0, 1 or 2", seen.actions)
        if time.monotonic() > until:
            return
