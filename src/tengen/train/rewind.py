"""The way back when a network has learned from made-up games: its weights become those of a network from before.

The games of everybody else stay, and so do the counts of steps and minutes: networks are named by their steps, and a
name should not mean two networks. Optimizers begin anew, as they do with `--from`.
"""

from __future__ import annotations

from pathlib import Path

from tengen import games
from tengen.files import write_durably
from tengen.games import Game
from tengen.hub.ledger import Ledger
from tengen.hub.withdrawal import Withdrawals
from tengen.net.file import NetworkFile
from tengen.net.shape import NetworkShape
from tengen.net.tower.export import sample_planes
from tengen.net.tower.model import make_network
from tengen.net.tower.unfold import unfold
from tengen.records.replay import Replay
from tengen.records.store import ChunkStore
from tengen.run.folder import RunDirectory, RunError
from tengen.train.learner import Learner

__all__ = ["rewind"]

POSITIONS = 1024  # by which the network is made ready to learn on


def rewind(run: RunDirectory, ledger: Ledger, worker: str) -> str:
    """Forgets what was learned since a worker's first games; says what it did. The run must be locked. Raises RunError
    or NetworkError."""
    first = ledger.first_step(worker)
    if first is None or not run.state.is_file():
        raise RunError(f"{run.path} has learned nothing from {worker!r}")
    if ledger.standing(worker).believed:
        raise RunError(f"{worker} is trusted, and would teach the same again; first tengen hub bar {worker}")
    config = run.config()
    game, loop = games.make(config.game), config.loop
    shape = NetworkShape.of(game, loop.size)
    about = Learner(shape, config.learner, seed=loop.seed).load(run.state)
    replay = _window(run, ledger, game)
    learner = Learner(shape, config.learner, seed=loop.seed)
    learner.step = int(about["step"])
    file = _network_before(run, game, first)
    if file is None:
        learner.begin_with(make_network(shape, seed=loop.seed))
    else:
        planes = replay.look(POSITIONS).planes if replay.positions else sample_planes(game, POSITIONS)
        learner.begin_with(unfold(file, game, planes))
    step = file.step if file else 0
    replay.resume(int(about["drawn"]))
    kept = {name: about[name] for name in ("minutes", "turns", "last_measure")}
    aside = run.state.with_stem(f"state-{learner.step:08}")
    write_durably(aside, run.state.read_bytes())
    # As much may be drawn again as was learned since: the others' games are still worth it.
    drawn = replay.drawn * step // max(1, learner.step)
    learner.save(run.state, {**kept, "drawn": drawn})
    whence = f"those of step {step} ({file.name})" if file else "those that the run began with"
    return f"{run.path}: the weights are {whence}; the state of before is {aside.name}, and the games of others stay"


def _window(run: RunDirectory, ledger: Ledger, game: Game) -> Replay:
    """The games that count."""
    store, config = ChunkStore(run.games), run.config()
    withdrawals = Withdrawals(store, ledger)
    while ledger.misplaced(1):
        withdrawals.step()
    replay = Replay(game, config.replay, deeper_after=config.loop.deeper_after, seed=config.loop.seed, threads=0)
    for _, records in store.read(lambda path, why: None):  # the loop tells of damaged files
        replay.add(records)
    return replay


def _network_before(run: RunDirectory, game: Game, first: int) -> NetworkFile | None:
    """The last network that was measured up to a step; or what the run began with, None for nothing."""
    found = [path for path in run.networks.glob("*.onnx") if path.stem.isdecimal() and int(path.stem) <= first]
    path: Path | None = max(found, key=lambda path: int(path.stem), default=None)
    if path is None and run.start.is_file():
        path = run.start
    return NetworkFile.load(path, game) if path else None
