"""What a newcomer sees of `make run` in its first minutes, and when: strength, step 0, a verdict with evidence.

python benchmarks/first_minutes.py --minutes 5

Starts `tengen app --train GAME` as `make run` does, in a folder that is deleted afterwards, reads the run's events as
they come, and stops once there is a verdict with evidence, or after so many minutes. Nothing is asserted: times depend
on the machine and on what else it does.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tengen import games
from tengen.preset import file_name
from tengen.run.elocurve import elo_curve
from tengen.run.events import Event, Measured, Started
from tengen.run.folder import RunDirectory
from tengen.run.health import EARLY_DAYS, Health, assess
from tengen.run.journal import read_events

PACE = 1.0  # seconds between looks


def first_verdict(events: list[Event]) -> tuple[Event, Health] | None:
    """The event after which the verdict rested on evidence."""
    for count, event in enumerate(events, 1):
        if isinstance(event, Measured) and (health := assess(events[:count])).verdict != EARLY_DAYS:
            return event, health
    return None


def watch(run: RunDirectory, until: float) -> list[Event]:
    events: list[Event] = []
    while time.monotonic() < until and not first_verdict(events):
        time.sleep(PACE)
        if run.database.exists():
            events = read_events(run.database)
    return events


def report(events: list[Event], launched: float) -> None:
    start = next((event for event in events if isinstance(event, Started)), None)
    if start is None:
        raise SystemExit("training did not begin; use more --minutes")
    print(f"training began {start.time - launched:.0f} s after the command")
    for event in events:
        if isinstance(event, Measured):
            told = event.numbers()
            figures = (
                f"{name} {told[name]:.3g}" for name in ("alone_random", "keeping_0", "elo_alone", "elo") if name in told
            )
            print(f"  {event.time - start.time:4.0f} s  step {event.step}: {', '.join(figures)}")
    first = next((event for event in events if isinstance(event, Measured)), None)
    print("first strength figure:", f"{first.time - start.time:.0f} s" if first else "none")
    steps = [point.step for point in elo_curve(events)]
    print("step 0 in the curve:", "yes" if 0 in steps else "no", f"(steps {steps})")
    verdict = first_verdict(events)
    print("verdict with evidence:", f"{verdict[0].time - start.time:.0f} s" if verdict else "none")
    health = verdict[1] if verdict else assess(events)
    print(*(f"  {line}" for line in (health.sentence(), *health.notes())), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--minutes", type=float, default=5.0, help="at most (default %(default)s)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = ["app", "--no-browser", "--port", "0", "--runs", folder, "--train", args.game]
        launched = time.time()
        app = subprocess.Popen([sys.executable, "-m", "tengen", *command], stdout=sys.stderr)
        try:
            run = RunDirectory(Path(folder) / file_name(games.make(args.game).id))
            events = watch(run, time.monotonic() + 60 * args.minutes)
        finally:
            os.kill(app.pid, signal.SIGINT)
            app.wait()
    print(f"{args.game}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")
    report(events, launched)


if __name__ == "__main__":
    main()
