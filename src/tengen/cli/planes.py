"""What a network sees of a position, plane by plane: as text, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

__all__ = ["planes_picture", "planes_text"]

Planes = npt.NDArray[np.float32]

GAP = 3  # columns between two planes
CELL, MARGIN, HEADER, LINE, PER_ROW, LETTER = 18, 24, 34, 22, 6, 7.2
INK, PAPER, GRID, DARK = "#22303c", "#fcfbf8", "#d5dbe1", (34, 48, 60)


def planes_text(names: Sequence[str], planes: Planes, width: int = 100) -> str:
    """Planes beside each other as far as there is room. Those that are the same everywhere are only named."""
    even: dict[str, list[str]] = {}
    blocks = []
    for name, plane in zip(names, planes, strict=True):
        if np.ptp(plane) > 0:
            blocks.append(_block(name, plane))
        else:
            even.setdefault(f"{plane.flat[0]:.4g}", []).append(name)
    lines: list[str] = []
    while blocks:
        taken = [blocks.pop(0)]
        used = len(taken[0][0])
        while blocks and used + GAP + len(blocks[0][0]) <= width:
            used += GAP + len(blocks[0][0])
            taken.append(blocks.pop(0))
        lines += [(" " * GAP).join(parts).rstrip() for parts in zip(*taken, strict=True)]
        lines.append("")
    lines += [f"{value} everywhere: {', '.join(found)}" for value, found in even.items()]
    return "\n".join(lines).rstrip()


def _block(name: str, plane: Planes) -> list[str]:
    """One plane below its name, in lines of equal length: · is 0."""
    texts = [["·" if value == 0 else f"{value:.2g}" for value in row] for row in plane]
    wide = max(len(text) for row in texts for text in row)
    rows = [" ".join(text.rjust(wide) for text in row) for row in texts]
    size = max(len(name), len(rows[0]))
    return [line.ljust(size) for line in (name, *rows)]


def planes_picture(title: str, names: Sequence[str], planes: Planes) -> str:
    """The same as a standalone SVG: the larger the number, the darker its cell, from the plane's least to its most."""
    count, rows, cols = planes.shape
    across = min(count, PER_ROW)
    wide, high = max(cols * CELL, 150) + MARGIN, rows * CELL + LINE + MARGIN
    width, height = MARGIN + across * wide, HEADER + MARGIN + -(-count // across) * high
    parts = []
    for number, (name, plane) in enumerate(zip(names, planes, strict=True)):
        x, y = MARGIN + number % across * wide, HEADER + MARGIN + number // across * high
        short = name if len(name) * LETTER <= wide else name[: int(wide / LETTER) - 1] + "…"
        parts.append(f'<text x="{x}" y="{y + 12}" fill="{INK}"><title>{escape(name)}</title>{escape(short)}</text>')
        least, most = float(plane.min()), float(plane.max())
        for cell, value in enumerate(plane.flat):
            row, col = divmod(cell, cols)
            dark = (float(value) - min(least, 0)) / (max(most, 1) - min(least, 0))
            red, green, blue = (round(255 + (to - 255) * dark) for to in DARK)
            parts.append(
                f'<rect x="{x + col * CELL}" y="{y + LINE + row * CELL}" width="{CELL}" height="{CELL}" '
                f'fill="#{red:02x}{green:02x}{blue:02x}" stroke="{GRID}"><title>{float(value):.4g}</title></rect>'
            )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            "font-family=\"Inter, 'Segoe UI', 'Helvetica Neue', 'Noto Sans', Arial, sans-serif\" font-size=\"12\">",
            f"<title>{escape(title)}</title>",
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            f'<text x="{MARGIN}" y="32" font-size="17" font-weight="600" fill="{INK}">{escape(title)}</text>',
            *parts,
            "</svg>\n",
        ]
    )
