"""The visit distribution after 100 simulations on known positions, as a readable file, compared line for line.

When a change is meant, rewrite the file and read the diff:

    .venv/bin/python -m pytest tests/search/test_golden_visits.py --regen
"""

from pathlib import Path

import pytest

from tengen import games
from tengen.config import SearchConfig
from tengen.net.evaluator import Evaluator, Hash, Rollout, Uniform
from tengen.search.agent import Agent

FILE = Path(__file__).parent / "golden" / "visits.txt"

# What is known about each position is said in its line.
POSITIONS = [
    ("tictactoe", "a3 b2 a2 c3", "a1 wins at once"),
    ("tictactoe", "b2 a1", "a draw with best play"),
    ("connect4", "-", "the centre wins, the next columns draw"),
    ("connect4", "4455", "3 or 6 makes an open three, which wins"),
    ("connect4", "1212", "1 threatens three in a column"),
    ("gomoku:9", "e5 a9 f5 b9 g5 d9", "h5 makes an open four: a win in three plies"),
    ("othello", "-", "four moves that are mirror images"),
    ("go:5", "c3", "the centre of the small board wins for its owner"),
    ("hex:5", "-", "the first player wins from the centre"),
]


def evaluators(id: str) -> dict[str, Evaluator | Rollout]:
    game = games.make(id)
    return {"uniform": Uniform(game), "hash": Hash(game), "rollout": Rollout()}


def report() -> str:
    lines = ["# Visits after 100 simulations; how to rewrite this file is said in tests/search/test_golden_visits.py."]
    for id, moves, known in POSITIONS:
        game = games.make(id)
        state = game.start() if moves == "-" else game.from_moves(moves)
        lines += ["", f"{id} {moves}: {known}"]
        for name, evaluator in evaluators(id).items():
            analysis = Agent(game, evaluator, SearchConfig(sims=100)).analyze(state)
            visited = [f"{move.text}:{move.visits}" for move in analysis.moves if move.visits]
            proven = {move.text: move.proven for move in analysis.moves}[state.move_text(analysis.best)]
            lines.append(
                f"  {name:8} q {analysis.q:+.4f}{f', proven {proven}' if proven else ''}   {' '.join(visited)}"
            )
    return "\n".join(lines) + "\n"


def test_golden_visits(request: pytest.FixtureRequest) -> None:
    text = report()
    if request.config.getoption("--regen"):
        FILE.write_text(text, encoding="utf-8")
    assert text.splitlines() == FILE.read_text(encoding="utf-8").splitlines()
