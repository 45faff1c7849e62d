"""How often resigning would have been wrong, from games that were played on all the same.

Self-play may resign (`selfplay.resign_below`), but plays a share of the games out (`selfplay.resign_checked`). There
the side whose value fell below the bound would have resigned; where it did not lose, that would have been wrong.
AlphaGo Zero chose its bound so that fewer than 5 % were (Silver et al. 2017, methods).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tengen.records.record import SCORED_ENDINGS, GameRecord

__all__ = ["Checked", "checked_resignations"]


@dataclass(frozen=True)
class Checked:
    """Games in which a resignation was checked, and in how many of them it would have been wrong."""

    games: int = 0
    wrong: int = 0

    def __add__(self, other: Checked) -> Checked:
        return Checked(self.games + other.games, self.wrong + other.wrong)


def checked_resignations(records: Iterable[GameRecord], resign_below: float) -> Checked:
    """Counts every game once, by the side that would have resigned first. None where nobody may resign, at -1."""
    if resign_below <= -1:
        return Checked()
    outcomes = [outcome for record in records if (outcome := _was_lost(record, resign_below)) is not None]
    return Checked(len(outcomes), outcomes.count(False))


def _was_lost(record: GameRecord, resign_below: float) -> bool | None:
    """Did the side lose that would have resigned? None where nobody would have, or did."""
    searched = record.searched
    # As the records have it, in 32 bits: then a value below the bound was below it in self-play too.
    hopeless = np.flatnonzero(searched & (record.q < np.float32(resign_below)))
    # A game whose rules end it before the next search is over, whether or not it may be resigned.
    if record.ending not in SCORED_ENDINGS or not len(hopeless) or not searched[hopeless[0] + 1 :].any():
        return None
    return record.result == (-1 if hopeless[0] % 2 == 0 else 1)
