"""Random plies per second, beside OpenSpiel's own C++ random play."""

from typing import Any

from tengen import games
from tengen.bench import peers
from tengen.bench.measure import Row, row, take_turns

# The board that is measured, and OpenSpiel's name for the same game. OpenSpiel stops Go after 2·n² moves unless told
# otherwise, and ends a game on repetition, so its games have a length of their own: `plies_per_game` measures it.
PEERS = {
    "tictactoe": ("tictactoe", "tic_tac_toe"),
    "connect4": ("connect4", "connect_four"),
    "gomoku": ("gomoku:15", "gomoku(size=15)"),
    "othello": ("othello", "othello"),
    "go": ("go:9", "go(board_size=9,komi=6.5,max_game_length=100000)"),
    "hex": ("hex:11", "hex(board_size=11)"),
}


def measure_rules(wanted: list[str] | None, seconds: float) -> list[Row]:
    openspiel = peers.load("pyspiel")
    return [_measure(id, peer, seconds, openspiel) for id, peer in _pairs(wanted)]


def _pairs(wanted: list[str] | None) -> list[tuple[str, str | None]]:
    """The games to measure with OpenSpiel's name of each; other sizes than those in the table have no peer."""
    peers = {games.make(id).id: peer for name, (id, peer) in PEERS.items()}
    ids = [games.make(id).id for id in wanted] if wanted else list(peers)
    return [(id, peers.get(id)) for id in ids]


def _measure(id: str, peer: str | None, seconds: float, openspiel: Any) -> Row:
    start = games.make(id).start()
    seeds = iter(range(1, 1 << 62))

    def play(count: int) -> float:
        return start.play_outs(count, next(seeds))[0]

    theirs = peers.openspiel_random_games(openspiel, peer) if openspiel and peer else None
    value, peer_value = take_turns(play, theirs, seconds)
    return row(f"rules {id}", value, "plies/s/thread", f"openspiel {peer}", peer_value)
