"""Small networks that count points, honest and hostile ones, and a run that holds one."""

from pathlib import Path

import torch

from support.networks import make_test_network
from support.writtenrun import tell
from tengen import games
from tengen.net.file import NetworkFile
from tengen.net.tower.export import to_onnx
from tengen.run.events import Ended, Started
from tengen.run.folder import RunDirectory
from tengen.run.settings import RunConfig

GAME = games.make("go:5")
MOVES = "c3 c4 b4 d2"  # no symmetry leaves this position as it is
TURNED = "c3 d3 d4 b2"  # the same, turned by a quarter


def counting_network(*, hostile: bool = False) -> NetworkFile:
    """A hostile one says a lead beyond all boards, and owners that are no numbers."""
    network = make_test_network(GAME, "8x1", seed=3)
    assert network.value.lead is not None and network.value.owners is not None
    with torch.no_grad():
        if hostile:
            network.value.lead.bias.fill_(1e30)
            network.value.owners.weight[:, ::2] = 3e38
            network.value.owners.weight[:, 1::2] = -3e38
        else:
            network.value.lead.bias.fill_(1)  # about 5 points, for whoever is to move
            network.value.owners.weight *= 5
    return to_onnx(network, GAME)


def write_counting_run(folder: Path, *, hostile: bool = False) -> None:
    run = RunDirectory(folder)
    with run.locked():
        run.configure(RunConfig.of(GAME).with_settings(["loop.minutes=10", "loop.size=8x1"]))
    tell(run, Started(0, 0.0, game=GAME.id, size="8x1", planned_minutes=10.0, planned_steps=0))
    tell(run, Ended(300, 3.0, finished=True))
    for path in (run.network(100), run.current, run.best):
        path.write_bytes(counting_network(hostile=hostile).data)
