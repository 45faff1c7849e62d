"""A bar for work that takes a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Show(Protocol):
    def __call__(self, done: int, total: int, note: str = "") -> None:
        """How far the work is."""


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Show]:
    """A bar with the time left, on a terminal; nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total, note="")

        def show(done: int, total: int, note: str = "") -> None:
            bar.update(task, completed=done, total=total, note=note)

        yield show
