"""What a hub may make of a player's machine. Its settings are somebody else's: here, and nowhere else, they are held
against the memory and the time that the player gives.

    3/8   networks: the release, and both of a rating match, each COPIES times its file
    3/8   self-play: a tree, proofs, a batch's rows and a record for each game side by side; the cache gets the rest,
          and what smaller networks leave
    1/4   a rating match

Fewer games side by side, a smaller cache and trees no larger than they can become change no game that is recorded; so
these are lowered. Everything else would: a release that asks for more is refused, with a sentence.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from tengen import games
from tengen.config import ConfigError, SearchConfig
from tengen.games import Game, GameError
from tengen.hub.protocol import Release, one_line
from tengen.net.file import NetworkFile
from tengen.net.shape import parse_size
from tengen.search.agent import TREES_MEMORY, node_bytes

__all__ = ["BoundsError", "default_memory", "fitted", "largest_network", "rating_memory", "within"]

COPIES = 4  # of a network's file, once it runs. Measured with 256x20, 100 MB: 3.0 in OpenVINO, 4.0 in ONNX Runtime
AT_ONCE = 3
ACTIVATIONS = 4  # layers' outputs that a network holds at a time
PLY, ENTRY = 32, 10  # bytes of a record, per move and per move that its search has visited
SPARE_NODES = 16  # beyond one per simulation and leaf
# The rules may look at so many positions between two moments at which a player can be stopped, per core: ten seconds or
# so in Connect4 (0.05 µs each, measured), a minute in Gomoku 19x19 (0.4 µs).
MOST_POSITIONS = 10**8
OPENING_DRAWS = 64  # as in random_moves.h


class BoundsError(Exception):
    """A hub asks for what this machine does not give; the message is one line."""


def default_memory() -> int:
    """A quarter, in bytes, of what this process may use: of the machine's memory, or of its control group's."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(OSError):  # systems without control groups
        for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            limits += _group_limits(controllers, path)
    return min(limits) // 4


def _group_limits(controllers: str, path: str, root: Path = Path("/sys/fs/cgroup")) -> list[int]:
    """The limits of a control group and those around it, of the old kind or the new."""
    name = "memory.max"
    if controllers:
        root, name = root / "memory", "memory.limit_in_bytes"
        if "memory" not in controllers.split(","):
            return []
    group, limits = root / path.strip("/"), []
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):  # a container sees no more than its own; "max" is no limit
            limits.append(int((folder / name).read_text("ascii")))
    return limits


def largest_network(memory: int) -> int:
    """Bytes of a file."""
    return memory * 3 // 8 // (AT_ONCE * COPIES)


def rating_memory(memory: int) -> int:
    """Bytes for one contestant of a rating match."""
    return memory // 8


def within(release: Release, memory: int, slots: int = 0) -> Release:
    """A release as it is played within `memory` bytes. `slots` 0: as many games side by side as the release says, if
    they fit. Raises BoundsError."""
    manifest = release.manifest
    try:
        game, (search, selfplay) = games.make(manifest.game), manifest.configs()
        network = NetworkFile.parse(release.data, "its network")
        network.check_game(game)
        if OPENING_DRAWS * game.num_actions**selfplay.opening_lookahead > MOST_POSITIONS:
            raise BoundsError(f"selfplay.opening_lookahead={selfplay.opening_lookahead} takes too long in {game.id}")
        if game.max_plies * selfplay.label_nodes > MOST_POSITIONS:
            raise BoundsError(f"selfplay.label_nodes={selfplay.label_nodes} takes too long in {game.id}")
        sims = max(search.sims, selfplay.fast_sims)
        record = game.max_plies * (PLY + ENTRY * min(sims, game.num_actions))
        room = memory * 3 // 4 - AT_ONCE * COPIES * len(release.data)
        most = slots or manifest.slots
        search, slots = fitted(search, game, network, manifest.slots, sims, most=most, more=record, room=room)
    except (BoundsError, ConfigError, GameError) as error:
        raise BoundsError(f"release {manifest.version} of the hub: {one_line(str(error))}") from None
    return Release(msgspec.structs.replace(manifest, game=game.id, slots=slots, search=search.to_dict()), release.data)


def fitted(
    search: SearchConfig,
    game: Game,
    network: NetworkFile | None,
    slots: int,
    sims: int,
    *,
    most: int,
    more: int = 0,
    room: int,
) -> tuple[SearchConfig, int]:
    """A search that was meant for `slots` games side by side, in `room` bytes; and how many games fit, `most` at most,
    each with `more` bytes beside its search. Raises BoundsError."""
    cells = game.planes_shape[1] * game.planes_shape[2]
    # As large as the release lets a tree become (batch.h divides memory so), or as its simulations make it. Trees must
    # not be larger than the release's because games are fewer.
    given = search.max_nodes or TREES_MEMORY // (slots + 1) // node_bytes(game)
    nodes = max(2, min(given, sims + search.leaves + SPARE_NODES))
    tree = nodes * node_bytes(game)
    channels = game.planes_shape[0] + (ACTIVATIONS * parse_size(network.size)[0] if network else 0)
    row = 4 * (channels * cells + game.num_actions) + game.state_bytes
    positions = _positions(search, game)
    each = tree + search.leaves * row + more + _proofs(search, game)
    fit = min(most, (room - tree) // each, MOST_POSITIONS // (search.leaves * positions))
    if search.leaves * positions > MOST_POSITIONS:
        raise BoundsError(f"lookahead, threats, prove_nodes and leaves take too long in {game.id}")
    if fit < 1:
        raise BoundsError(
            f"one game takes {_mb(tree + each)} MB, and this worker has {_mb(max(0, room))} for its games: "
            f"start it with more --memory"
        )
    return search.replace(max_nodes=nodes, cache_mb=min(search.cache_mb, (room - tree - fit * each) >> 20)), fit


def _positions(search: SearchConfig, game: Game) -> int:
    """That the rules may look at for one leaf."""
    if not search.solver:
        return 1
    return 1 + search.prove_nodes + 2 * search.threats + (game.num_actions**search.lookahead if search.lookahead else 0)


def _proofs(search: SearchConfig, game: Game) -> int:
    """Bytes of a tree's table of proofs (prover.h) and of the moves of both kinds of proof."""
    if not search.solver:
        return 0
    chains = 80 * game.num_actions if search.threats else 0  # threats.h
    return chains + (_table(search, game) if search.prove_nodes else 0)


def _table(search: SearchConfig, game: Game) -> int:
    return min(2 << 20, 32 * max(256, search.prove_nodes)) + 2 * (game.max_plies + 1) * game.num_actions


def _mb(size: int) -> int:
    return -(-size // (1 << 20))
