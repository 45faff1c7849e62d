"""Speed of the Connect4 solver, beside that of `bitbully` on the same positions in one run.

    python benchmarks/solver.py [--json] [--positions FILE…]

Both solve the project's own positions one by one in one thread; FILE may be any list of `moves score` lines. `score`
is the position's score without an opening book (where the book would only be looked up, nothing is measured), `columns`
the score of every move with the book. Each solver keeps what it has learnt within a file and starts the next file
afresh; processor time is counted, so that a busy machine does not matter much.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bitbully import bitbully_core as peer

from tengen import games
from tengen._core import Connect4Solver
from tengen.exact import solver

OWN = Path(solver.__file__).parent.parent / "data" / "connect4"
FEW_STONES = 10  # without a book, positions with fewer take too long to measure


def read(path: Path) -> list[str]:
    """The moves of every line, without a header."""
    moves = [line.split()[0] for line in path.read_text().splitlines()]
    return [text for text in moves if text.isdigit()]


def peer_board(moves: str) -> peer.BoardCore:
    board = peer.BoardCore()
    assert board.play([int(move) - 1 for move in moves])
    return board


def timed(solve: Callable[[Any], Any], positions: Sequence[object]) -> tuple[float, list[Any]]:
    """Processor seconds, and the answers."""
    start = time.process_time()
    answers = [solve(position) for position in positions]
    return time.process_time() - start, answers


def measure(path: Path, columns: bool) -> dict[str, Any]:
    """A row for one file: the scores of its positions without a book, or of all their columns with it."""
    book = solver.book_path() if columns else None
    ours = Connect4Solver(str(book) if book else None)
    theirs = peer.BitBullyCore(book) if book else peer.BitBullyCore()
    moves = [text for text in read(path) if columns or len(text) >= FEW_STONES]
    states = [games.make("connect4").from_moves(text) for text in moves]
    texts, boards = [[state.position_text()] for state in states], [peer_board(text) for text in moves]

    mine, answers = timed(partial(ours.columns if columns else ours.scores, threads=1), texts)
    other, peer_answers = timed(theirs.scoreMoves if columns else partial(theirs.mtdf, first_guess=0), boards)
    for state, answer, peer_answer in zip(states, answers, peer_answers, strict=True):
        same = (
            [peer_answer[a] == answer[0][a] for a in state.legal_actions()] if columns else [peer_answer == answer[0]]
        )
        assert all(same), f"the solvers disagree about {state.moves_text()}"
    value, peer_value = len(moves) / mine, len(moves) / other
    row = {"name": f"{path.stem} {'columns' if columns else 'score'}", "value": value, "unit": "positions/s"}
    return row | {"peer": "bitbully", "peer_value": peer_value, "ratio": value / peer_value}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--positions", type=Path, nargs="+", default=sorted(OWN.glob("*.tsv")), metavar="FILE")
    args = parser.parse_args()
    rows = [measure(path, columns) for columns in (False, True) for path in args.positions]
    if args.json:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        print("{name:26} {value:9.0f} {unit}   {peer} {peer_value:9.0f}   {ratio:6.2f}x".format(**row))


if __name__ == "__main__":
    main()
