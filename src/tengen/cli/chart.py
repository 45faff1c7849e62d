"""Curves of several runs as an SVG: a panel for each measure of work, one above the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from tengen.cli.curves import printable, short
from tengen.run.compare import AXES, CurvePoint

WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 800, 280, 76, 24, 14, 52  # pixels: of the picture, and around a panel's curves
LINE = 24  # of the legend
LONGEST_NAME = 70  # characters of a run's name
TEXT = 15  # pixels
INK, SOFT, GRID = "#1f2328", "#57606a", "#d8dee4"
# Told apart by most people with a colour weakness (Okabe and Ito 2008); beyond them come dashes.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
DASHES = ("", "7 4", "2 4")


def draw_curves(curve: str, runs: dict[str, list[CurvePoint]]) -> str:
    """Some run must have a point."""
    known = [point for points in runs.values() for point in points]
    low = min(point.value - (point.error or 0) for point in known)
    high = max(point.value + (point.error or 0) for point in known)
    if high - low < 1e-12 * max(1.0, abs(high)):
        low, high = low - 1, high + 1
    ticks = nice_ticks(low, high)
    axes = [axis for axis in AXES if any(getattr(point, axis) > 0 for point in known)] or [AXES[0]]
    head = 44 + LINE * len(runs)
    height = head + PANEL * len(axes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="system-ui, sans-serif" font-size="{TEXT}" fill="{INK}" role="img">',
        f"<title>{_text(curve)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="28" font-size="18" font-weight="600">{_text(curve)}</text>',
        *(_legend(place, name, points) for place, (name, points) in enumerate(runs.items())),
    ]
    for row, axis in enumerate(axes):
        parts.append(f'<g transform="translate(0 {head + row * PANEL})">')
        parts += _panel(axis, list(runs.values()), ticks)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>\n"])


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers that enclose a range.

    >>> nice_ticks(0, 97), nice_ticks(-0.13, 0.42)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [-0.2, 0.0, 0.2, 0.4, 0.6])
    """
    rough = (high - low) / (most - 1)
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def _legend(place: int, name: str, points: Sequence[CurvePoint]) -> str:
    y = 40 + LINE * place
    shown = name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"  # the end of a path tells more
    latest = short(points[-1].value) if points else "–"
    return (
        f'<line x1="{LEFT}" x2="{LEFT + 36}" y1="{y + 12}" y2="{y + 12}" {_stroke(place)}/>'
        f'<text x="{LEFT + 46}" y="{y + 17}">{_text(shown)}: {_text(latest)}</text>'
    )


def _panel(axis: str, runs: Sequence[Sequence[CurvePoint]], ticks: Sequence[float]) -> list[str]:
    right, bottom = WIDTH - RIGHT, PANEL - BOTTOM
    farthest = max((getattr(point, axis) for points in runs for point in points), default=0)
    across = nice_ticks(0, farthest or 1)

    def x_of(value: float) -> float:
        return LEFT + (right - LEFT) * value / across[-1]

    def y_of(value: float) -> float:
        return bottom - (bottom - TOP) * (value - ticks[0]) / (ticks[-1] - ticks[0])

    parts = []
    for tick in ticks:
        y = y_of(tick)
        parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GRID}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 5:.1f}" text-anchor="end" fill="{SOFT}">{short(tick)}</text>')
    for tick in across:
        x = x_of(tick)
        parts.append(f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle" fill="{SOFT}">{short(tick)}</text>')
    middle = (LEFT + right) / 2
    parts.append(f'<text x="{middle:.1f}" y="{bottom + 40}" text-anchor="middle">{_text(axis)}</text>')
    for place, points in enumerate(runs):
        places = [(x_of(getattr(point, axis)), point) for point in points]
        parts += [
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y_of(point.value - point.error):.1f}" '
            f'y2="{y_of(point.value + point.error):.1f}" stroke="{_colour(place)}" stroke-opacity="0.45"/>'
            for x, point in places
            if point.error is not None
        ]
        drawn = " ".join(f"{x:.1f},{y_of(point.value):.1f}" for x, point in places)
        parts.append(f'<polyline points="{drawn}" fill="none" {_stroke(place)}/>')
        if len(places) == 1:
            x, point = places[0]
            parts.append(f'<circle cx="{x:.1f}" cy="{y_of(point.value):.1f}" r="3.5" fill="{_colour(place)}"/>')
    return parts


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _stroke(place: int) -> str:
    dashes = DASHES[place // len(COLOURS) % len(DASHES)]
    return f'stroke="{_colour(place)}" stroke-width="2"' + (f' stroke-dasharray="{dashes}"' if dashes else "")


def _text(words: str) -> str:
    return escape(printable(words))
