"""Memory that a client grants the whole process: what the network leaves of it is for the tree and the cache."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from tengen.config import SearchConfig
from tengen.games import Game
from tengen.search.agent import TREES_MEMORY, node_bytes

__all__ = ["fit_memory"]

LEAST = 4 << 20  # bytes of a tree: with less there is nothing to search in
GROWTH = 32 << 20  # bytes that the buffers of the network and of Python still take when it plays


def fit_memory(config: SearchConfig, game: Game, most: int) -> tuple[SearchConfig, str | None]:
    """Settings whose tree and cache stay, with what the process has taken already, within so many bytes; or the
    smallest there are and a sentence that says how much is missing."""
    taken = _taken()
    room = min(most - taken - GROWTH, TREES_MEMORY)
    cache = min(config.cache_mb, max(0, room) >> 22)  # MB: up to a quarter
    # Half of the rest: a tree moves into another one of its size when the game goes on.
    nodes = (max(room, LEAST) - (cache << 20)) // 2 // node_bytes(game)
    config = config.replace(cache_mb=cache, max_nodes=max(2, min(nodes, config.max_nodes or nodes)))
    needed = (taken + GROWTH + LEAST >> 20) + 1
    return config, None if room >= LEAST else f"{most >> 20} MB of memory are too little, {needed} MB are needed"


def _taken() -> int:
    """Bytes of memory that the process has now; at its most, where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most << 10
