"""A training run as it stands on disk, with made-up numbers."""

from pathlib import Path

import msgspec
import pytest

from support.networks import make_test_network
from tengen import games
from tengen.net.tower.export import to_onnx
from tengen.play.elo import Pairing
from tengen.run.events import Ended, Event, Measured, Started, TurnTaken
from tengen.run.folder import RunDirectory
from tengen.run.journal import RunDatabase
from tengen.run.report import Fleet, FleetWorker
from tengen.run.settings import RunConfig
from tengen.run.standings import Measurement, Standings

CONNECT4 = games.make("connect4")


def write_run(folder: Path, turns: int = 30, finished: bool = False, resigns: bool = False) -> RunDirectory:
    """A run as training leaves it behind, with made-up numbers."""
    run = RunDirectory(folder)
    with run.locked():
        run.configure(RunConfig.of(CONNECT4).with_settings(["loop.minutes=10", "loop.size=8x1"]))
    tell(run, Started(0, 0.0, game="connect4", size="8x1", planned_minutes=10.0, planned_steps=0))
    for turn in range(turns):
        tell(
            run,
            TurnTaken(
                10 * turn,
                turn / 10,
                loss=3.0 - 0.05 * turn,
                policy_loss=2.0 - 0.02 * turn,
                games=5,
                total_games=5 * turn,
                entropy=1.0,
                explained_variance=0.2,
                positions=100 * turn,
                resignations_checked=4 * turn if resigns else None,
                resignations_wrong=turn // 10 if resigns else None,
            ),
        )
    keeping = {"0": 0.8, "100": 0.9}
    tell(run, Measured(290, 2.9, network="00000290.onnx", elo=500.0, elo_error=30.0, keeping=keeping))
    tell(run, Ended(300, 3.0, finished=finished))
    for step in (100, 290):
        run.network(step).write_bytes(to_onnx(make_test_network(CONNECT4, seed=step), CONNECT4, step=step).data)
    run.current.write_bytes(run.network(290).read_bytes())
    run.best.write_bytes(run.network(100).read_bytes())
    pairings = [Pairing("mcts:100", "random", 19, 20), Pairing("00000100", "mcts:100", 10, 20)]
    measured = [Measurement("00000100", 1.0, {"elo": 500.0})]
    Standings(200, "00000100", 0.5, pairings, measured).write(run.ladder)
    return run


def write_fleet(run: RunDirectory) -> None:
    """As a hub with two workers writes it, of which one is barred."""
    good = FleetWorker("garage", 2, 1234.5, 678, 0, 90, None, 1, 7)
    bad = FleetWorker("attic", 0, 0.0, 60, 5, 300, "an example", 0, 0)
    run.workers.write_bytes(msgspec.json.encode(Fleet(7, [good, bad])))


def tell(run: RunDirectory, event: Event) -> None:
    keeper = RunDatabase(run.database, lambda reason: pytest.fail(reason))
    keeper(event)
    keeper.close()
