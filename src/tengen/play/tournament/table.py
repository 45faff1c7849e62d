"""The result of a tournament: Elo with intervals, points, who beat whom, and faults; as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.cells import cell_len

from tengen.play.elo import Pairing, Rating, ladder
from tengen.play.tournament.kept import PlayedGame
from tengen.play.tournament.plan import Entrant, Plan

__all__ = ["PlayerRow", "ResultTable", "make_table", "points_text", "table_text"]

MOST_REASONS = 3  # told for each player


@dataclass
class PlayerRow:
    """What one player has done."""

    entrant: Entrant
    rating: Rating | None = None  # None before its first game
    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: Counter[str] = field(default_factory=Counter)  # why it lost games that it did not lose on the board

    @property
    def name(self) -> str:
        return self.entrant.name

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2


@dataclass(frozen=True)
class ResultTable:
    """The strongest player comes first."""

    plan: Plan
    rows: list[PlayerRow]
    cross: dict[tuple[str, str], tuple[float, int]]  # points and games of one against another, either way round
    anchor: str | None  # whose Elo is 0; None: the mean of all players is

    @property
    def played(self) -> int:
        return sum(row.games for row in self.rows) // 2

    @property
    def planned(self) -> int:
        return len(self.plan.pairings()) * self.plan.games

    def to_dict(self) -> dict[str, Any]:
        plan = self.plan
        return {
            "game": plan.game,
            "system": plan.system,
            "games": plan.games,
            "opening_plies": plan.opening_plies,
            "seed": plan.seed,
            "played": self.played,
            "planned": self.planned,
            "anchor": self.anchor,
            "players": [_row(row) for row in self.rows],
            "pairings": [
                {"first": a, "second": b, "points": self.cross[a, b][0], "games": self.cross[a, b][1]}
                for a, b in plan.pairings()
                if (a, b) in self.cross
            ],
        }


def _row(row: PlayerRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "player": row.entrant.player,
        "settings": list(row.entrant.settings),
        "elo": row.rating and row.rating.elo,
        "elo_error": row.rating and row.rating.error,
        "points": row.points,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "faults": row.faults.total(),
        "reasons": dict(row.faults),
    }


def make_table(plan: Plan, played: Sequence[PlayedGame]) -> ResultTable:
    """Of the games so far."""
    rows = {player.name: PlayerRow(player) for player in plan.players}
    cross: dict[tuple[str, str], tuple[float, int]] = {}
    for game in played:
        for name, other, points in ((game.first, game.second, game.points), (game.second, game.first, 1 - game.points)):
            before = cross.get((name, other), (0.0, 0))
            cross[name, other] = before[0] + points, before[1] + 1
            rows[name].wins += points == 1
            rows[name].draws += points == 0.5
            rows[name].losses += points == 0
        if game.fault and game.loser:
            rows[game.loser].faults[game.forfeit or "no reason"] += 1
    pairings = [Pairing(a, b, *cross[a, b]) for a, b in plan.pairings() if (a, b) in cross]
    anchor = plan.anchor if plan.anchor and rows[plan.anchor].games else None
    for rating in ladder(pairings, anchor) if pairings else []:
        rows[rating.name].rating = rating
    ranked = sorted(rows.values(), key=lambda row: -row.rating.elo if row.rating else float("inf"))
    return ResultTable(plan, ranked, cross, anchor)


def table_text(table: ResultTable) -> str:
    """For a terminal, and for table.txt."""
    plan = table.plan
    places = [str(place + 1) for place in range(len(table.rows))]
    parts = [
        f"{plan.game}, {plan.system}, {plan.games} games a pairing after {plan.opening_plies} random plies, "
        f"seed {plan.seed}: {table.played} of {table.planned} games",
        _columns(
            [["", "player", "Elo", "", "points", "games", "won", "drawn", "lost", "faults"]]
            + [[place, *_cells(row)] for place, row in zip(places, table.rows, strict=True)]
        ),
        f"Elo: {anchor_text(table)}; ± is the reach of the 95 % interval.",
        "Points of games, the player of the row against that of the column:\n"
        + _columns(
            [["", "player", *places]]
            + [
                [place, row.name, *(cross_text(table, row.name, other.name) for other in table.rows)]
                for place, row in zip(places, table.rows, strict=True)
            ]
        ),
    ]
    if faulty := [row for row in table.rows if row.faults]:
        parts.append(
            "Faults, each of which lost its game:\n" + "\n".join(f"  {row.name}: {reasons_text(row)}" for row in faulty)
        )
    return "\n\n".join(parts)


def anchor_text(table: ResultTable) -> str:
    return "the mean of all players is 0" if table.anchor is None else f"{table.anchor} is 0"


def reasons_text(row: PlayerRow) -> str:
    """Why a player's faults lost, the most common reasons first."""
    told = [f"{reason} ({count})" for reason, count in row.faults.most_common(MOST_REASONS)]
    rest = row.faults.total() - sum(count for _, count in row.faults.most_common(MOST_REASONS))
    return ", ".join(told + ([f"others ({rest})"] if rest else []))


def cross_text(table: ResultTable, name: str, other: str) -> str:
    if (name, other) not in table.cross:
        return "–"
    points, games = table.cross[name, other]
    return f"{points_text(points)}/{games}"


def points_text(points: float) -> str:
    """
    >>> points_text(7.5), points_text(0.5), points_text(0)
    ('7½', '½', '0')
    """
    whole, half = divmod(points, 1)
    return (f"{whole:.0f}" if whole or not half else "") + ("½" if half else "")


def elo_texts(rating: Rating | None) -> tuple[str, str]:
    """The Elo, and the reach of its interval."""
    if rating is None:
        return "", ""
    elo = round(rating.elo)
    return f"{elo:+d}".replace("-", "−") if elo else "0", f"± {rating.error:.0f}" if rating.error else ""


def _cells(row: PlayerRow) -> list[str]:
    counts = (row.games, row.wins, row.draws, row.losses)
    return [row.name, *elo_texts(row.rating), points_text(row.points), *map(str, counts), str(row.faults.total() or "")]


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Names, in the second column, to the left, everything else to the right."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            text + room if place == 1 else room + text
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
            for room in [" " * (width - cell_len(text))]
        ).rstrip()
        for row in rows
    )
