"""Hub and workers as processes of their own, killed at random: nothing acknowledged is lost, nothing counts twice."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

from support.hubs import PATIENCE, SLOWLY, BadLine, until
from support.training import tiny_run
from tengen.hub.ledger import Ledger, first_game, lease_of
from tengen.hub.tokens import add_token
from tengen.records import GameRecord
from tengen.records.store import ChunkStore, digest_of

pytestmark = pytest.mark.slow

SLOTS = 4
# A worker that could not reach its hub waits up to a minute before it asks again; here that would be most of the test.
IMPATIENT = "import tengen.hub.courier as courier; courier.LONGEST_WAIT = 0.5; import tengen.__main__"
KILLS = int(os.environ.get("TENGEN_KILLS", "100"))  # of the soak


class Fleet:
    """`tengen hub` and some `tengen worker`s, the first of them at the end of a bad line."""

    def __init__(self, path: Path, workers: int) -> None:
        self.run = tiny_run(path / "run", [*SLOWLY, f"loop.slots={SLOTS}", "loop.steps=1000000"])
        self.path, self.token = path, path / "token"
        ledger = Ledger(self.run.hub)
        self.token.write_text(add_token(ledger, "w"))
        ledger.close()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.line = BadLine(self.port, [300, None, 2000, None, 50, None, 9000, None], delay=0.05)
        self.processes: dict[str, subprocess.Popen[str]] = {}
        for name in ["hub", *(f"w{number}" for number in range(workers))]:
            self.start(name)

    def start(self, name: str) -> None:
        hub = ["hub", "tictactoe", "--run", str(self.run.path), "--port", str(self.port), "--json", "--device", "cpu"]
        port = self.line.port if name == "w0" else self.port
        worker = ["worker", f"http://127.0.0.1:{port}", "--token-file", str(self.token), "--every", "0.3"]
        worker += ["--spool", str(self.path / name), "--threads", "1", "--device", "cpu"]
        log = (self.path / f"{name}.log").open("a")
        program = ["-m", "tengen", *hub] if name == "hub" else ["-c", IMPATIENT, *worker]
        self.processes[name] = subprocess.Popen([sys.executable, *program], stdout=log, stderr=log, text=True)
        log.close()

    def kill(self, name: str, away: float = 0.0) -> None:
        self.processes[name].kill()
        self.processes[name].wait()
        time.sleep(away)
        self.start(name)

    def end(self, name: str) -> int:
        self.processes[name].send_signal(signal.SIGTERM)
        return self.processes[name].wait(PATIENCE)

    def end_empty(self, name: str) -> None:
        """Ends a worker; whatever it could not send in time is sent by the next one there."""
        assert self.end(name) == 143
        while left := list((self.path / name).glob("*/lease-*/*.games")):
            self.start(name)
            until(lambda left=left: not any(file.exists() for file in left))  # type: ignore[misc]
            assert self.end(name) == 143

    def events(self, kind: str) -> list[dict[str, int]]:
        lines = (self.path / "hub.log").read_text("utf-8").splitlines()
        events = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
        return [event["values"] for event in events if event["kind"] == kind]

    def games(self) -> list[GameRecord]:
        found: list[GameRecord] = []
        for path in ChunkStore(self.run.games).paths():
            with contextlib.suppress(FileNotFoundError):
                found += ChunkStore(self.run.games).load(path)
        return found

    def wait_for_games(self) -> None:
        known = len(ChunkStore(self.run.games).paths())
        until(lambda: len(ChunkStore(self.run.games).paths()) > known)

    def stop(self) -> None:
        self.line.close()
        for process in self.processes.values():
            process.kill()
            process.wait()


def no_gaps(records: list[GameRecord]) -> None:
    """Each slot of a lease numbers its games in steps of the slots: a chunk that is lost leaves a gap."""
    slots: dict[tuple[int, int], list[int]] = defaultdict(list)
    for record in records:
        lease = lease_of(record.number)
        place = record.number - first_game(lease)
        slots[lease, place % SLOTS].append(place // SLOTS)
    for key, places in slots.items():
        assert sorted(places) == list(range(len(places))), f"games of lease and slot {key} are missing or there twice"


def chaos(path: Path, kills: int, workers: int, away: float) -> None:
    """Kills at random; once, the hub is `away` for a while."""
    rng = random.Random(kills)
    fleet = Fleet(path, workers)
    try:
        fleet.wait_for_games()
        for number in range(kills):
            fleet.kill(rng.choice(list(fleet.processes)))
            time.sleep(2 * rng.random())
            if rng.random() < 0.5:  # or, where starting takes long, nobody is ever killed at work
                fleet.wait_for_games()
            if number == kills // 2:
                fleet.kill("hub", away)
        turns = len(fleet.events("turn"))
        fleet.wait_for_games()
        until(lambda: len(fleet.events("turn")) > turns)
        fleet.line.mend()
        for number in range(workers):
            fleet.end_empty(f"w{number}")
        assert fleet.end("hub") == 143
        games = fleet.games()
        no_gaps(games)
        assert not list(path.glob("w*/*/lease-*"))  # everything was sent, and nothing refused
        ledger = Ledger(fleet.run.hub)
        assert ledger.known_chunks() == {digest_of(file) for file in ChunkStore(fleet.run.games).paths()}
        ledger.close()
        # The next sitting begins with exactly what is on disk.
        sittings = len(fleet.events("start"))
        fleet.start("hub")
        until(lambda: len(fleet.events("start")) > sittings)
        assert fleet.events("start")[-1]["positions"] == sum(int(record.full.sum()) for record in games)
        assert fleet.events("warning") == []
        assert fleet.token.read_text() not in (path / "hub.log").read_text() + (path / "w0.log").read_text()
    finally:
        fleet.stop()


def test_a_few_kills_lose_nothing(tmp_path: Path) -> None:
    chaos(tmp_path, kills=4, workers=2, away=2)


@pytest.mark.soak
def test_many_kills_lose_nothing(tmp_path: Path) -> None:
    chaos(tmp_path, kills=KILLS, workers=3, away=60)


def test_a_worker_needs_no_torch(tmp_path: Path) -> None:
    script = "import sys; sys.modules['torch'] = None; import tengen.hub.worker, tengen.hub.http, tengen.cli.worker"
    subprocess.run([sys.executable, "-c", script], check=True)
