"""A game in SGF with what a search thinks of every move: comments, the marks that other programs show, better lines.

BM, DO and HO (bad move, doubtful move, hot spot) are properties of the standard. SBKV, the win percentage of Black, is
Sabaki's, which draws its graph from it. The standard's V is Black's lead in points, where the network or the playouts
count; a V that a file has already stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tengen.games import State, lead_text
from tengen.kifu import KifuError
from tengen.kifu.annotated import Annotated
from tengen.kifu.moves import start_of
from tengen.play.judgement import KINDS, Searched, Tally, ended, judge, searched
from tengen.search.agent import Agent

__all__ = ["annotate"]

SIDES = ("first", "second")
NAMES = ("Black", "White")  # of the sides in SGF, whatever a game calls them
MARKS = {"inaccuracy": {"DO": ""}, "mistake": {"BM": "1", "HO": "1"}, "blunder": {"BM": "2", "HO": "2"}}
SAID_PLIES = 8  # of the line that a comment tells
LINE_PLIES = 5  # of a variation
WORDS = {"best": "best move", "good": "good move", "unsure": "not sure"}


def annotate(record: Annotated, agent: Agent, searcher: str, told: Callable[[int], None]) -> dict[str, Any]:
    """Writes what an agent finds into a game, and returns it: rows of moves, accuracy, mistakes by side and kind.

    `searcher` is how the file names it; `told` hears how many moves are judged.
    """
    if not record.moves:
        raise KifuError("bad_moves", "there is no move to analyze")
    state, tally, rows = start_of(record.game, record.start), Tally(), []
    before = _look(agent, state.copy())
    for ply, move in enumerate(record.moves):
        action = state.parse_move(move)
        state.apply(action)
        after = _look(agent, state.copy())
        row = judge(before, action, after)
        tally.count(before.state.to_move(), row)
        _write(record, before.state, ply, row)
        rows.append({"ply": ply, "side": SIDES[before.state.to_move()], **row})
        told(ply + 1)
        before = after
    accuracy = tally.accuracy()
    record.comment(0, _summary(agent, searcher, accuracy))
    return {
        "game": record.game.id,
        "moves": len(rows),
        "accuracy": accuracy,
        "mistakes": {kind: {side: _count(rows, side, kind) for side in SIDES} for _, kind in KINDS},
        "review": rows,
    }


def _look(agent: Agent, state: State) -> Searched:
    if state.is_terminal():
        return ended(state)
    agent.set_root(state)
    agent.run([0])
    return searched(agent, state)


def _write(record: Annotated, state: State, ply: int, row: dict[str, Any]) -> None:
    mover = state.to_move()
    if ply == 0:
        record.set(0, "SBKV", _blacks(mover, row["before"]))
        _value(record, 0, mover, row["lead"])
    record.set(ply + 1, "SBKV", _blacks(mover, row["after"]))
    _value(record, ply + 1, mover, row["lead_after"])
    record.comment(ply + 1, _sentence(mover, row))
    if row["kind"] in MARKS:
        for key, value in MARKS[row["kind"]].items():
            record.mark(ply + 1, key, value)
        better = f"Tengen: better. {NAMES[mover]}'s win rate {row['before']:.1f} %."
        record.add_line(state, row["pv"][:LINE_PLIES], better)


def _blacks(mover: int, percentage: float) -> str:
    return f"{percentage if mover == 0 else 100 - percentage:.2f}"


def _value(record: Annotated, place: int, mover: int, lead: float | None) -> None:
    if lead is not None:
        record.mark(place, "V", f"{lead if mover == 0 else -lead:z.1f}")


def _sentence(mover: int, row: dict[str, Any]) -> str:
    """
    >>> row = {"kind": "mistake", "before": 62.34, "after": 48.0, "loss": 14.34, "pv": ("d4", "e5")}
    >>> row |= {"lead": None, "lead_after": None}
    >>> _sentence(0, row)
    "Tengen: mistake. Black's win rate 62.3 % → 48.0 %, a loss of 14.3 points. Best: d4 e5"
    >>> _sentence(1, row | {"kind": "best", "after": 62.34, "loss": 0.0})
    "Tengen: best move. White's win rate 62.3 %. Expected: d4 e5"
    >>> _sentence(0, row | {"lead": 3.52, "lead_after": -1.0})
    "Tengen: mistake. Black's win rate 62.3 % → 48.0 %, a loss of 14.3 points. Score B+3.5 → W+1.0. Best: d4 e5"
    """
    kind, line = row["kind"], " ".join(row["pv"][:SAID_PLIES])
    said = f"Tengen: {WORDS.get(kind, kind)}. {NAMES[mover]}'s win rate {row['before']:.1f} %"
    leads = [] if row["lead"] is None else [lead_text(mover, row["lead"])]
    if kind == "best":
        return f"{said}.{_score(leads)} Expected: {line}"
    leads += [] if row["lead_after"] is None else [lead_text(mover, row["lead_after"])]
    doubt = ", which this search cannot tell from its own error" if kind == "unsure" else ""
    return f"{said} → {row['after']:.1f} %, a loss of {row['loss']:.1f} points{doubt}.{_score(leads)} Best: {line}"


def _score(leads: list[str]) -> str:
    return f" Score {' → '.join(leads)}." if leads else ""


def _summary(agent: Agent, searcher: str, accuracy: dict[str, float | None]) -> str:
    marks = [f"{name} {_percent(accuracy[side])}" for name, side in zip(NAMES, SIDES, strict=True)]
    sims = f"{agent.config.sims} simulations per position"
    return f"Analysed by Tengen: {searcher}, {sims}. Accuracy: {', '.join(marks)}."


def _percent(accuracy: float | None) -> str:
    return "unknown" if accuracy is None else f"{accuracy:.1f} %"


def _count(rows: list[dict[str, Any]], side: str, kind: str) -> int:
    return sum(row["side"] == side and row["kind"] == kind for row in rows)
