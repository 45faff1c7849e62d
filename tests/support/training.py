"""Tiny training runs for tests; as a script, one sitting in a process of its own that prints events as JSON lines.

python training.py RUN [SECTION.NAME=VALUE …]
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tengen import games
from tengen.games import Family, Game, GameError
from tengen.run.events import Event, Listener, Measured
from tengen.run.folder import RunDirectory, RunError
from tengen.run.settings import RunConfig
from tengen.train.loop import Trainer
from tengen.train.strength import Measurer

GAME = games.make("tictactoe")
TINY = [
    *["loop.size=8x1", "loop.slots=16", "loop.turn_positions=48", "loop.turns_per_release=2"],
    *["loop.precision=f32", "search.sims=8", "search.cache_mb=1", "selfplay.fast_sims=4"],
    *["replay.first_window=500", "learner.batch=16", "learner.warmup=5"],
    *["measure.every=1000", "measure.games=2", "measure.sims=4", "measure.level=10"],
]

Measure = Callable[[Trainer], Measured | None]


def tiny_run(path: Path, settings: Sequence[str] = (), game: Game | Family = GAME) -> RunDirectory:
    """A run that has not begun."""
    run = RunDirectory(path)
    with run.locked():
        run.configure(RunConfig.of(game).with_settings([*TINY, *settings]))
    return run


def sit(run: RunDirectory, listen: Listener | None = None, measure: Measure | None = None) -> list[Event]:
    """One sitting, in this process; its events."""
    events: list[Event] = []

    def hear(event: Event) -> None:
        events.append(event)
        if listen:
            listen(event)

    with run.locked():
        Trainer(run, hear, measure=measure, device="cpu").train()
    return events


def main(folder: str, *settings: str) -> int:
    run = RunDirectory(Path(folder))
    try:
        if not run.exists():
            tiny_run(run.path, settings)
        sit(run, lambda event: print(json.dumps(event.to_dict()), flush=True), Measurer(run, "cpu"))
    except (RunError, GameError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
