"""Runs next to each other, as the page draws them: one curve of each, with the work that it cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from tengen.app.errors import AppError
from tengen.run.compare import AXES, usual_curve, worked_curves
from tengen.run.events import Event
from tengen.run.folder import RunDirectory
from tengen.run.journal import read_events
from tengen.run.report import thinned

__all__ = ["MOST_COMPARED", "compare_runs"]

MOST_COMPARED = 8  # all events of each are read, some thousand an hour, and more cannot be told apart in a picture


def compare_runs(runs: Mapping[str, RunDirectory], wanted: str | None) -> dict[str, Any]:
    """The points of a curve as [minutes, games, evaluations, value, error]; of elo or loss unless one is wanted."""
    found = {name: worked_curves(_all_events(run)) for name, run in runs.items()}
    names = sorted({name for curves in found.values() for name in curves})
    curve = wanted or usual_curve(list(found.values()))
    if curve is not None and curve not in names:
        raise AppError("bad_request", f"no run has a curve {curve!r}")
    return {
        "axes": AXES,
        "curve": curve,
        "curves": names,
        "runs": [
            {"name": name, "points": [point[1:] for point in thinned(curves.get(curve or "", []))]}
            for name, curves in found.items()
        ],
    }


def _all_events(run: RunDirectory) -> list[Event]:
    try:
        return read_events(run.database)
    except (OSError, sqlite3.Error):  # nothing yet, or a damaged file
        return []
