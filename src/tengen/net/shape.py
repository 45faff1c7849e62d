"""What a network looks like for a game: one dial, everything else follows from the rules."""

import re
from dataclasses import dataclass
from math import prod
from typing import Self

from tengen.games import Family, Game, GameError

# The dial: channels × blocks. docs/networks.md has the parameters and the speed of each.
SIZES = {1: (32, 2), 2: (48, 4), 3: (64, 5), 4: (96, 6), 5: (128, 8), 6: (192, 12)}
MOST_CHANNELS, MOST_BLOCKS = 1024, 100

POLICY_CHANNELS = 32
VALUE_CHANNELS = 8  # the value head sees every cell: parity of squares decides Connect4
VALUE_HIDDEN = 64
FREE_VALUE_CHANNELS = 32  # a network of several sizes sees pools of the cells instead
MIDDLE_SIDE, SIDE_STEP = 10, 5  # how such a network is told the size: (side - 10) / 5

EXACT_PLIES = 64  # games up to this length have one class per ply
BINS = 64  # longer games share this many classes, exact below NEAR plies and then ever wider
NEAR = 24


def parse_size(size: int | str) -> tuple[int, int]:
    """Channels and blocks of a step of the dial (2), or as given ('48x4'). Raises GameError.

    >>> parse_size(2), parse_size("40x3")
    ((48, 4), (40, 3))
    """
    if found := re.fullmatch(r"(\d{1,4})x(\d{1,3})", str(size), re.ASCII):
        channels, blocks = int(found[1]), int(found[2])
        if 1 <= channels <= MOST_CHANNELS and 1 <= blocks <= MOST_BLOCKS:
            return channels, blocks
    elif re.fullmatch(r"\d", str(size), re.ASCII) and int(size) in SIZES:
        return SIZES[int(size)]
    raise GameError(
        f"a network's size is {min(SIZES)} to {max(SIZES)}, or CHANNELSxBLOCKS up to {MOST_CHANNELS}x{MOST_BLOCKS}, "
        f"not {str(size)[:40]!r}"
    )


def ply_bins(max_plies: int) -> list[int]:
    """The plies that the classes of the moves-left head stand for, ascending from 0 to max_plies.

    >>> ply_bins(42) == list(range(43))
    True
    >>> ply_bins(324)[:3], ply_bins(324)[-3:], len(ply_bins(324))
    ([0, 1, 2], [284, 303, 324], 64)
    """
    if max_plies <= EXACT_PLIES:
        return list(range(max_plies + 1))
    # Equal ratios above NEAR: an error of a few plies matters near the end and not far from it.
    far = BINS - NEAR
    ratio = (max_plies / NEAR) ** (1 / (far - 1))
    bins = list(range(NEAR))
    for step in range(far):
        bins.append(max(bins[-1] + 1, round(NEAR * ratio**step)))
    return bins


@dataclass(frozen=True)
class NetworkShape:
    """Everything needed to build a network of the right shape, and nothing of a game's rules."""

    planes: int
    rows: int  # 0: of several sizes, each as large as the planes that it is shown
    cols: int
    actions: int  # of several sizes: those that are not a cell
    max_plies: int
    channels: int
    blocks: int
    counted: bool = False  # does it say the lead in points, and whose every cell will be?

    @classmethod
    def of(cls, game: Game | Family, size: int | str = 2, counted: bool | None = None) -> Self:
        """`counted` is None for what is usual: heads for the count where the game is counted. Raises GameError."""
        family = Family.of(game)
        largest, beside = family.largest, (*parse_size(size), family.largest.counted if counted is None else counted)
        if family.games == (largest,):
            return cls(*largest.planes_shape, largest.num_actions, largest.max_plies, *beside)
        kinds = {(each.planes_shape[0], each.num_actions - prod(each.planes_shape[1:])) for each in family.games}
        planes, others = kinds.pop()
        if kinds or others < 0:
            raise GameError(f"{family.id}: no network can play all these sizes")
        return cls(planes, 0, 0, others, max(each.max_plies for each in family.games), *beside)

    @property
    def size(self) -> str:
        return f"{self.channels}x{self.blocks}"

    @property
    def free(self) -> bool:
        """Is it for several sizes?"""
        return self.rows == 0

    @property
    def cells(self) -> int:
        return self.rows * self.cols

    @property
    def kinds(self) -> int:
        """Kinds of move for every cell: action = cell · kinds + kind."""
        return 1 if self.free else self.actions // self.cells

    @property
    def cell_actions(self) -> int:
        """How many actions mean a cell, in the planes' order; the others (a pass, a column) come after them."""
        return self.cells * self.kinds

    @property
    def pools(self) -> int:
        """Numbers that pooling makes of a channel."""
        return 3 if self.free else 2

    @property
    def seen(self) -> int:
        """Numbers of a channel that a dense layer over the whole board reads."""
        return self.pools if self.free else self.cells

    @property
    def value_channels(self) -> int:
        return FREE_VALUE_CHANNELS if self.free else VALUE_CHANNELS

    @property
    def bins(self) -> list[int]:
        return ply_bins(self.max_plies)
