"""The picture of a search tree, as a standalone SVG.

The tree grows to the right. Every node stands level with its most visited child, so the lines the search believes in
are straight, and other moves branch off above and below. A branch is as wide as its share of the visits; the most
visited line is marked in colour; a node is tinted by what it is worth to the side to move at the root.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from tengen.games import State
from tengen.search.agent import Agent

__all__ = ["Branch", "draw_tree", "grown"]

ROW, ROOM, PILL, MARGIN, HEADER = 25, 7, 20, 28, 64
NARROW, WIDE = 54, 230  # room for branches between two columns: the more rows, the wider
LETTER = 7.2  # width of a character of the labels, a little generous
WIDEST = 15.0  # branch that carries all visits
INK, GREY, PAPER, MAIN = "#22303c", "#7b8794", "#fcfbf8", "#e8590c"
GOOD, EVEN, BAD = (178, 224, 208), (255, 255, 255), (247, 197, 197)
FONT = "font-family=\"Inter, 'Segoe UI', 'Helvetica Neue', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif\""


@dataclass
class Branch:
    """A node to be drawn, with the move that led to it."""

    text: str
    mover: int | None  # who played that move; None at the root
    visits: int
    q: float  # for the side to move at the root
    proven: str | None = None  # likewise: win, draw, loss
    main: bool = False  # on the most visited line
    depth: int = 0
    parent: Branch | None = None
    children: list[Branch] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        return 34 + LETTER * (len(self.text) + len(_short(self.visits)))


def grown(agent: Agent, state: State, limit: int = 200, slot: int = 0) -> list[Branch]:
    """The `limit` most visited nodes of a slot's tree, whose root is `state`; parents come before their children."""
    view = agent.search.node(slot)
    root = Branch("", None, view.visits, view.q, main=True)
    found: list[Branch] = []
    # Each with the position before its last move: only nodes that are drawn need the one after it.
    waiting: list[tuple[int, int, Branch, tuple[int, ...], State]] = [(0, 0, root, (), state)]
    order = 0
    while waiting and len(found) < limit:
        _, _, branch, path, before = heapq.heappop(waiting)
        position = before.copy()
        if path:
            position.apply(path[-1])
        found.append(branch)
        if branch.parent:
            branch.parent.children.append(branch)
        for edge in agent.search.node(slot, list(path)).edges:
            if edge.visits == 0:
                continue
            order += 1
            sign = -1 if branch.depth % 2 == 0 else 1  # numbers of a child belong to its own side to move
            proven = {1: "win", 0: "draw", -1: "loss"}[sign * edge.lo] if edge.lo == edge.hi else None
            child = Branch(
                position.move_text(edge.action),
                position.to_move(),
                edge.visits,
                sign * edge.q,
                proven,
                depth=branch.depth + 1,
                parent=branch,
            )
            heapq.heappush(waiting, (-edge.visits, order, child, (*path, edge.action), position))
    for branch in found:  # children arrived most visited first
        if branch.main and branch.children:
            branch.children[0].main = True
    return found


def draw_tree(branches: list[Branch], title: str) -> str:
    """The SVG of a grown tree."""
    width, height = _place(branches)
    caption = f"{title} · {branches[0].visits:,} visits"
    width = max(width, 2 * MARGIN + LETTER * 1.25 * len(caption), 640)
    total = max(1, branches[0].visits)
    curves = [_curve(b, total) for b in sorted(branches, key=lambda b: (b.main, b.visits)) if b.parent]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" {FONT} font-size="12">',
            f"<title>{escape(caption)}</title>",
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            f'<text x="{MARGIN}" y="34" font-size="17" font-weight="600" fill="{INK}">{escape(caption)}</text>',
            _legend(),
            '<g fill="none" stroke-linecap="round">',
            *curves,
            "</g>",
            *(_pill(b, total) for b in branches),
            "</svg>\n",
        ]
    )


def _place(branches: list[Branch]) -> tuple[float, float]:
    """Gives every node its place; returns the size of the picture.

    Reingold and Tilford's idea: subtrees are laid out on their own, then pushed together until their outlines touch.
    Bottom-up over the list, not by recursion: a line may be as long as a game.
    """
    outlines: dict[int, list[tuple[float, float]]] = {}  # top and bottom per depth, relative to the node
    shifts: dict[int, float] = {}  # a child's place relative to its parent
    for branch in reversed(branches):
        merged: list[tuple[float, float]] = []
        for side, child in _from_the_middle(branch.children):
            outline = outlines.pop(id(child))
            pairs = list(zip(merged, outline, strict=False))
            room = ROW + ROOM if child.children else ROW
            if side < 0:
                shift = min((have[0] - own[1] for have, own in pairs), default=room) - room
            else:
                shift = max((have[1] - own[0] for have, own in pairs), default=-room) + room
            shifts[id(child)] = shift
            moved = [(top + shift, bottom + shift) for top, bottom in outline]
            both = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(merged, moved, strict=False)]
            merged = both + merged[len(both) :] + moved[len(both) :]
        outlines[id(branch)] = [(0.0, 0.0), *merged]

    outline = outlines[id(branches[0])]
    branches[0].y = HEADER + MARGIN - min(top for top, _ in outline)
    height = branches[0].y + max(bottom for _, bottom in outline) + MARGIN + PILL
    columns = [max(b.width for b in branches if b.depth == depth) for depth in range(len(outline))]
    gap = min(WIDE, max(NARROW, (height - sum(columns)) / len(columns)))
    for branch in branches:
        branch.x = MARGIN + sum(columns[: branch.depth]) + gap * branch.depth
        if branch.parent:
            branch.y = branch.parent.y + shifts[id(branch)]
    return 2 * MARGIN + sum(columns) + gap * (len(columns) - 1), height


def _from_the_middle(children: list[Branch]) -> list[tuple[int, Branch]]:
    """Children most visited first, with where they go: the first in the middle, the others above and below by turns."""
    return [(-1 if i % 2 else 1, child) for i, child in enumerate(children)]


def _curve(branch: Branch, total: int) -> str:
    assert branch.parent
    x0, y0 = branch.parent.x + branch.parent.width, branch.parent.y
    x1, y1 = branch.x, branch.y
    middle = x0 + (x1 - x0) * 0.55
    stroke = f'stroke="{MAIN}" stroke-opacity="0.85"' if branch.main else 'stroke="#9fb1c1" stroke-opacity="0.75"'
    width = 1 + (WIDEST - 1) * branch.visits / total
    path = f"M{x0 - 6:.1f} {y0:.1f}C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {x1 + 6:.1f} {y1:.1f}"
    return f'<path d="{path}" {stroke} stroke-width="{width:.2f}"/>'


def _pill(branch: Branch, total: int) -> str:
    x, y, width = branch.x, branch.y, branch.width
    border = f'stroke="{MAIN}" stroke-width="2"' if branch.main else 'stroke="#b4c0cb" stroke-width="1"'
    proven = f", proven {branch.proven}" if branch.proven else ""
    about = (
        f"{branch.text or 'root'}: {branch.visits:,} visits ({branch.visits / total:.1%}), Q {branch.q:+.3f}{proven}"
    )
    radius = 4 if branch.proven else PILL / 2  # a solved node has corners
    parts = [
        f'<g class="node"><title>{escape(about)}</title>',
        f'<rect x="{x:.1f}" y="{y - PILL / 2:.1f}" width="{width:.1f}" height="{PILL}" rx="{radius:g}" '
        f"fill={quoteattr(_tint(branch))} {border}/>",
        _stone(branch.mover, x + 13, y),
        f'<text x="{x + 23:.1f}" y="{y + 4:.1f}" fill="{INK}"><tspan font-weight="700">{escape(branch.text)}</tspan>'
        f'<tspan dx="{5 if branch.text else 0}" fill="{GREY}">{_short(branch.visits)}</tspan></text></g>',
    ]
    return "".join(parts)


def _stone(mover: int | None, x: float, y: float) -> str:
    """A dark stone for a move of the first player, a light one for the second; the root has a ring."""
    fill = {0: INK, 1: "#ffffff", None: "none"}[mover]
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="{INK}" stroke-width="1.2"/>'


def _tint(branch: Branch) -> str:
    value = {"win": 1.0, "draw": 0.0, "loss": -1.0, None: branch.q}[branch.proven]
    end, share = (GOOD if value > 0 else BAD), min(1.0, abs(value))
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(EVEN, end, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _legend() -> str:
    def swatch(x: int, colour: tuple[int, int, int], words: str) -> str:
        red, green, blue = colour
        return (
            f'<rect x="{x}" y="47" width="16" height="12" rx="6" fill="#{red:02x}{green:02x}{blue:02x}" '
            f'stroke="#b4c0cb"/><text x="{x + 22}" y="57">{words}</text>'
        )

    return (
        f'<g font-size="11" fill="{GREY}"><path d="M{MARGIN + 2} 53h18" stroke="{MAIN}" stroke-width="4" '
        f'stroke-linecap="round"/><text x="{MARGIN + 28}" y="57">most visited line</text>'
        + swatch(MARGIN + 138, GOOD, "good for the side to move")
        + swatch(MARGIN + 318, BAD, "bad")
        + f'<rect x="{MARGIN + 384}" y="47" width="16" height="12" rx="3" fill="#ffffff" stroke="#b4c0cb"/>'
        f'<text x="{MARGIN + 406}" y="57">square: proven</text></g>'
    )


def _short(visits: int) -> str:
    return f"{visits}" if visits < 10_000 else f"{visits / 1000:.0f}k" if visits < 1e6 else f"{visits / 1e6:.1f}M"
