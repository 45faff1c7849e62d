"""Players on a Ray cluster come and go; games arrive once."""

import signal
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("ray") is None:
    pytest.skip("pip install 'tengen[ray]'", allow_module_level=True)

from hubs import SLOWLY, gather
from rays import ray, ray_hub
from tengen.cli import main
from training import tiny_run


def test_players_on_both_nodes_play_and_one_that_is_killed_is_replaced(tmp_path: Path) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    with ray_hub(tiny_run(tmp_path / "run", SLOWLY)) as hub:
        assert signal.getsignal(signal.SIGTERM) == handler
        found = gather(hub, lambda games: len({game.number >> 32 for game in games}) == 2)
        player, lease = next(iter(hub._calls.values()))
        assert len({lease for _, lease in hub._calls.values()}) == 2
        ray.kill(player)
        before = {game.number >> 32 for game in found}
        found += gather(hub, lambda games: not {game.number >> 32 for game in games} <= before)
        assert hub.replaced == 1 and lease not in {lease for _, lease in hub._calls.values()}
        assert len({game.number for game in found}) == len(found)
        assert hub.counts()["simulations"] > hub.counts()["evaluations"] > 0


def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "tictactoe", "--run", str(tmp_path / "run"), "--ray", "127.0.0.1:1"]
    assert main(words) == 2
    said = capsys.readouterr()
    assert "no Ray cluster at 127.0.0.1:1" in said.err and said.err.count("\n") == 1
