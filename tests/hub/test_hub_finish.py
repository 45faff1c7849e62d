"""The end of a run: players hear of it, send what they have and go. A hub that is merely away ends nobody."""

import threading
import time
from pathlib import Path

import pytest

from support.hubs import gather, http_hub, player, some_games, token_of, until
from support.nastyhub import TOKEN, json, nasty_hub, refusal
from support.training import tiny_run
from tengen.cli import main
from tengen.hub.desk import Desk
from tengen.hub.local import LocalHub
from tengen.hub.protocol import HubRefusedError, Orders, Report
from tengen.hub.seats import LEASE_SECONDS
from tengen.records import encode_chunk
from tengen.train.loop import Trainer


def test_a_worker_hears_that_the_run_is_finished_and_delivers_everything(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub:
        with player(f"http://127.0.0.1:{hub.port}", token_of(hub), tmp_path / "w") as worker:
            gather(hub, lambda games: len(games) >= 5)
            hub.finish()
            until(lambda: not hub.workers())  # it has said good-bye
        assert worker.over and not worker.unsent
        assert hub.ledger.standings()["w"].games == worker.games
        began = time.monotonic()
    assert time.monotonic() - began < LEASE_SECONDS / 2  # closing waits for nobody


def test_a_finished_hub_waits_for_its_players(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub:
        with player(f"http://127.0.0.1:{hub.port}", token_of(hub), tmp_path / "w") as worker:
            gather(hub, lambda games: len(games) >= 1)
            hub.finish()
            hub.close()
            until(lambda: worker.over)
        assert not worker.unsent


def test_a_hub_that_comes_back_finds_its_worker_playing(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub:
        port, token = hub.port, token_of(hub)
        with player(f"http://127.0.0.1:{port}", token, tmp_path / "w") as worker:
            gather(hub, lambda games: len(games) >= 1)
            hub.close()
            before = worker.games
            until(lambda: worker.games > before)
            with http_hub(tmp_path / "run", port) as again:
                gather(again, lambda games: len(games) >= 1)
                assert not worker.over


def test_after_the_end_games_are_taken_and_nothing_is_given(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub:
        desk: Desk = hub
        records, lease = some_games(desk, "w", 2)
        desk.finish()
        for held in (lease, None):
            with pytest.raises(HubRefusedError, match="the run is finished") as refused:
                desk.pull("w", held)
            assert refused.value.status == 410
        assert desk.report("w", Report(lease, 1, free=True)) == Orders(1, None, over=True)
        assert desk.workers() == 1
        assert desk.push("w", encode_chunk(records), lease).games == 2
        desk.report("w", Report(lease, 1, leaving=True))
        assert desk.workers() == 0


@pytest.mark.parametrize("answers", [{"report": json(Orders(1, over=True))}, {"pull": refusal("410 Gone")}])
def test_the_command_ends_with_a_clear_line(
    answers: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    flags = ["--spool", str(tmp_path / "spool"), "--device", "cpu", "--every", "0.2", "--threads", "1"]
    with nasty_hub(**answers) as hub:
        assert main(["worker", hub.url, "--token-file", str(token), *flags]) == 0
    said = capsys.readouterr().err
    assert "the hub's run is finished: there is nothing more to play, and all games are delivered" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("stopped", [False, True])
def test_only_a_finished_run_says_so(stopped: bool, tmp_path: Path) -> None:
    told: list[str] = []

    class Told(LocalHub):
        def finish(self) -> None:
            told.append("finish")

        def close(self) -> None:
            told.append("close")

    run, stop = tiny_run(tmp_path / "run", ["loop.steps=2"]), threading.Event()
    if stopped:
        stop.set()
    with run.locked():
        Trainer(run, lambda event: None, stop=stop, device="cpu", make_hub=Told).train()
    assert told == (["close"] if stopped else ["finish", "close"])
