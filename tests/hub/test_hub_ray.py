"""Players on a Ray cluster come and go; games arrive once."""

import json
import random
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("ray") is None:
    pytest.skip("pip install 'tengen[ray]'", allow_module_level=True)

from support.hubs import SLOWLY, gather
from support.rays import ray, ray_hub
from support.training import tiny_run
from tengen.cli import main
from tengen.records.store import ChunkStore

pytestmark = pytest.mark.slow


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


@pytest.mark.soak
def test_players_that_are_killed_every_five_seconds_cost_little(tmp_path: Path) -> None:
    """A fifth of the throughput at most, on a cluster of two."""
    with ray_hub(tiny_run(tmp_path / "run", SLOWLY)) as hub:

        def gather_until(moment: float) -> None:
            hub.gather(lambda _: time.monotonic() >= moment)

        def plies(seconds: int, killing: bool) -> int:
            """Searched in full and gathered within some seconds."""
            before, began = hub.counts()["positions"], time.monotonic()
            for moment in range(5, seconds + 5, 5):
                gather_until(began + moment)
                if killing:
                    ray.kill(random.choice(list(hub._calls.values()))[0])
            return hub.counts()["positions"] - before

        hub.gather(lambda counts: counts["games"] > 100)  # both play
        left_alone, killed = plies(60, killing=False), plies(180, killing=True)
        print(f"plies in a minute: {left_alone} left alone, {killed / 3:.0f} with a kill every five seconds")
        assert hub.replaced >= 30 and killed / 3 > 0.8 * left_alone


@pytest.mark.soak
def test_a_driver_that_is_killed_goes_on_from_disk(tmp_path: Path) -> None:
    run = tiny_run(tmp_path / "run", [*SLOWLY, "loop.steps=1000000"])
    command = [sys.executable, "-m", "tengen", "train", "tictactoe", "--run", str(run.path), "--ray", "--json"]
    command += ["--device", "cpu"]
    kept: set[int] = set()
    for _ in range(3):
        driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert driver.stdout is not None
        turns = (json.loads(line) for line in driver.stdout if '"kind": "turn"' in line)
        for _, _ in zip(range(3), turns, strict=False):
            pass
        driver.kill()
        driver.wait()
        found = [game.number for _, games in ChunkStore(run.games).read(fail) for game in games]
        assert len(set(found)) == len(found) and kept < set(found)
        kept = set(found)


def fail(path: Path, why: str) -> None:
    pytest.fail(f"{path}: {why}")
