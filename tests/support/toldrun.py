"""A run's folder with settings and events alone, which needs nothing that training needs."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tengen.run.events import Ended, Event, Measured, Started, TurnTaken
from tengen.run.folder import RunDirectory
from tengen.run.journal import RunDatabase
from tengen.run.settings import RunConfig


def events_of_a_run(turns: int = 4, elo: float = 100.0) -> Iterable[Event]:
    """Each turn takes half a minute, ten games and 200 evaluations; the first and every second one is measured."""
    yield Started(0, 0.0, game="tictactoe", size="8x1", planned_minutes=10.0, planned_steps=0)
    for turn in range(1, turns + 1):
        yield TurnTaken(
            turn,
            turn / 2,
            loss=3.0 / turn,
            total_games=10 * turn,
            games=10,
            evaluations_per_second=20.0,
            playing_seconds=10.0,
        )
        if turn % 2:
            yield Measured(turn, turn / 2, network=f"{turn:08}.onnx", elo=elo * turn, elo_error=30.0)
    yield Ended(turns, turns / 2, finished=True)


def write_told_run(folder: Path, events: Iterable[Event] | None = None) -> RunDirectory:
    run = RunDirectory(folder)
    with run.locked():
        run.configure(RunConfig("tictactoe"))
    (run.games).mkdir()
    (run.games / "00000000.games").write_bytes(b"some games")
    keeper = RunDatabase(run.database, lambda reason: pytest.fail(reason))
    for event in events_of_a_run() if events is None else events:
        keeper(event)
    keeper.close()
    return run
