"""Numbers of a run as text: tiny curves, short numbers, and tables that the dashboard and `tengen status` share."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from rich import box
from rich.table import Table

from tengen.run.events import Event, Measured
from tengen.run.report import series

BLOCKS = "▁▂▃▄▅▆▇█"

# What is worth a curve, in this order, and what a person calls it.
CURVES = {
    "loss": "loss",
    "policy_loss": "policy loss",
    "value_loss": "value loss",
    "moves_left_loss": "moves-left loss",
    "lead_loss": "lead loss",
    "owners_loss": "owners loss",
    "entropy": "policy entropy",
    "explained_variance": "explained variance",
    "game_length": "plies per game",
    "draws": "draws",
    "first_player_score": "first player's score",
}

# What a measurement tells, in this order, and what a person calls it. {} stands for the rest of a name.
STRENGTH = {
    "elo": "Elo above random play",
    "elo_alone": "Elo without a search",
    "alone_random": "score without a search: random play",
    "alone_mcts:{}": "score without a search: plain, {} playouts",
    "score": "score against plain search",
    "level": "playouts of the plain search to beat",
    "against_previous": "score against the network before",
    "against_engine": "score against the engine",
    "keeping_0": "right moves without a search",
    "keeping_{}": "right moves with {} simulations",
    "value_error": "error of the value",
    "value_start": "value of the start",
    "value_{}": "value after {}",
}
SHARES = ("score", "alone_", "against_previous", "against_engine", "keeping_")


def sparkline(values: Sequence[float], width: int) -> str:
    """A curve in one line: each block is the mean of its share of the values.

    >>> sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8), sparkline([5, 5], 8), sparkline([1, 1, 3, 3], 2), sparkline([], 8)
    ('▁▂▃▄▅▆▇█', '▁▁', '▁█', '')
    """
    count = min(width, len(values))
    bounds = [len(values) * i // count for i in range(count + 1)] if count else []
    means = [sum(values[a:b]) / (b - a) for a, b in pairwise(bounds)]
    low, high = min(means, default=0.0), max(means, default=0.0)
    step = (high - low) / (len(BLOCKS) - 1) or 1.0
    return "".join(BLOCKS[round((mean - low) / step)] for mean in means)


def short(value: float) -> str:
    """A number in a few characters.

    >>> [short(x) for x in (-0.0, 3, 0.01234, 12.345, 1234, 45678.9, 2_500_000, -0.5)]
    ['0', '3', '0.0123', '12.3', '1234', '45.7k', '2.50M', '-0.5']
    """
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:.2f}M"
    if size >= 1e4:
        return f"{value / 1e3:.1f}k"
    return f"{value:.0f}" if size >= 1000 else f"{value + 0.0:.3g}"  # −0 + 0 is 0


def printable(name: str) -> str:
    """A name that does nothing to a terminal or a picture.

    >>> printable("a\\x1b[31mb")
    'a\ufffd[31mb'
    """
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in name)


def curves_table(events: Sequence[Event], width: int = 32) -> Table:
    """One line per number: where it came from, how, and where it is."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, label in CURVES.items():
        if values := [value for _, value in series(events, name)]:
            table.add_row(label, short(values[0]), sparkline(values, width), short(values[-1]))
    return table


def strength_table(events: Sequence[Event], columns: int = 4) -> Table | None:
    """What was measured, a column for the first time and for each of the latest ones; None when nothing was."""
    measured = [event for event in events if isinstance(event, Measured) and event.numbers()]
    if not measured:
        return None
    shown = measured if len(measured) <= columns else [measured[0], *measured[1 - columns :]]
    table = Table("strength after", box=box.SIMPLE_HEAD, pad_edge=False)
    for event in shown:
        table.add_column(f"{event.minutes:.1f} min", justify="right")
    told = [event.numbers() for event in shown]
    names = dict.fromkeys(name for each in told for name in each)
    rows = [(row, name) for name in names if (row := strength_row(name))]
    for (_, label), name in sorted(rows, key=lambda row: row[0][0]):
        table.add_row(label, *(_measured(each, name) for each in told))
    return table


def strength_row(name: str) -> tuple[int, str] | None:
    """Where a number of a measurement stands, and what a person calls it; None if another row has it.

    >>> strength_row("elo"), strength_row("alone_mcts:30"), strength_row("elo_error")
    ((0, 'Elo above random play'), (3, 'score without a search: plain, 30 playouts'), None)
    """
    for place, (known, label) in enumerate(STRENGTH.items()):
        start, varies, _ = known.partition("{}")
        if name == known or (varies and name.startswith(start)):
            return place, label.format(name.removeprefix(start))
    return None


def _measured(told: Mapping[str, float], name: str) -> str:
    value, error = told.get(name), told.get(f"{name}_error")
    if value is None:
        return ""
    if error is not None:
        return f"{round(value)} ± {round(error)}"
    return f"{100 * value:.1f} %" if name.startswith(SHARES) else short(value)
