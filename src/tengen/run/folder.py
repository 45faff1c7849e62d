"""A run's folder, the only durable state of training:

run.toml            every option, as the run was started
start.onnx          the network that it began with, if it did not begin from zero
state.safetensors   the learner: weights, their average, optimizer, counters
games/              every finished game, in chunks that are never rewritten
networks/           NNNNNNNN.onnx by training step, as they were measured
current.onnx        the newest network     best.onnx   the newest that is as strong as any
ladder.json         what was measured: matches, levels, scores
run.sqlite          what happened: curves, matches; training does not need it
tensorboard/        the same curves for TensorBoard
hub.sqlite          of a run with workers elsewhere: tokens, leases, whose games are whose
releases/           of such a run: the networks that played lately, by the hash that records have
workers.json        of such a run: who plays, how fast, for whoever watches
tags.json           a person's words on the run, a list
live.json           some games being played right now, for whoever watches
lock                held by the process that trains; .run.toml.lock by one that changes run.toml
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tengen.config import ConfigError
from tengen.files import exclusive, remove_leftovers, try_lock, write_durably
from tengen.run.settings import RunConfig, option_names

__all__ = ["RunDirectory", "RunError"]

LOCK_ATTEMPTS = 5


class RunError(Exception):
    """A run that cannot be trained or read; the message is one line."""


class RunDirectory:
    """Knows where things are; makes nothing before it is asked to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "run.toml"
        self.start = path / "start.onnx"
        self.state = path / "state.safetensors"
        self.games = path / "games"
        self.networks = path / "networks"
        self.current = path / "current.onnx"
        self.best = path / "best.onnx"
        self.ladder = path / "ladder.json"
        self.database = path / "run.sqlite"
        self.tensorboard = path / "tensorboard"
        self.live = path / "live.json"
        self.tags = path / "tags.json"
        self.hub = path / "hub.sqlite"
        self.workers = path / "workers.json"
        self.releases = path / "releases"
        self._last: tuple[RunConfig, set[str]] | None = None  # what was read last, and which options it named

    def exists(self) -> bool:
        return self.config_file.is_file()

    def config(self) -> RunConfig:
        """Raises RunError."""
        try:
            text = self.config_file.read_text("utf-8")
            self._last = RunConfig.from_toml(text), option_names(text)
            return self._last[0]
        except (OSError, UnicodeDecodeError) as error:
            raise RunError(f"{self.path} is not a run of tengen train: {error}") from None
        except ConfigError as error:
            raise RunError(f"{self.config_file}: {error}") from None

    def config_now(self, warn: Callable[[str], None]) -> RunConfig:
        """What run.toml says while a run goes on. One that somebody is just saving, or has spoilt, does not end it:
        what was read before stays in use, and `warn` hears why."""
        before = self._last
        try:
            now = self.config()
        except RunError as error:
            if before is None:
                raise
            warn(f"{error}; what was read before stays in use")
            return before[0]
        if before is not None and self._last is not None and (missing := before[1] - self._last[1]):
            self._last = before
            warn(f"{self.config_file} no longer has {min(missing)}: half saved? What was read before stays in use")
            return before[0]
        return now

    def configure(self, config: RunConfig) -> None:
        """One who has read the file before must have held `changing` since."""
        write_durably(self.config_file, config.to_toml().encode())

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Nobody else changes run.toml meanwhile, whether training here or not."""
        with exclusive(self.config_file):
            yield

    def network(self, step: int) -> Path:
        return self.networks / f"{step:08}.onnx"

    def release(self, network: str) -> Path:
        """The file that played as a network, by the hash that records have."""
        return self.releases / f"{network}.onnx"

    def is_locked(self) -> bool:
        """Is somebody training here now? Takes a shared lock for an instant, which `locked` waits for."""
        try:
            descriptor = os.open(self.path / "lock", os.O_RDONLY)
        except OSError:
            return False
        try:
            return not try_lock(descriptor, shared=True)
        finally:
            os.close(descriptor)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other processes from training here; the system lets go of it however this process ends."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self.networks.mkdir(exist_ok=True)
            descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise RunError(f"cannot write to {self.path}: {error.strerror}") from None
        try:
            if not _lock(descriptor):
                raise RunError(f"another process is training in {self.path}; wait for it, or use --run DIR")
            for folder in (self.path, self.networks, self.games):
                remove_leftovers(folder)
            yield
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Tries more than once: whoever only looks whether the lock is held has it for an instant."""
    for attempt in range(LOCK_ATTEMPTS):
        if try_lock(descriptor):
            return True
        if attempt + 1 < LOCK_ATTEMPTS:
            time.sleep(0.02)
    return False
