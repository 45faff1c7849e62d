"""Everything a training run is told: one nested, immutable config, from a preset, a file and `--set` texts.

Needs no torch: whoever reads a run, or plays as it does, need not have it.
"""

from __future__ import annotations

import dataclasses
import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from tengen.config import ConfigError, SearchConfig, SelfPlayConfig, changed, split_settings
from tengen.games import Family, Game
from tengen.play.outside.named import ENGINE_NAME
from tengen.preset import read_preset, to_win
from tengen.records.replay import ReplayConfig
from tengen.retired import without_retired

__all__ = ["LearnerConfig", "LoopConfig", "MeasureConfig", "RunConfig", "deepened"]


@dataclass(frozen=True)
class LoopConfig:
    """The run as a whole."""

    minutes: float = 60.0
    """Length of the run, measured over all its sittings; the learning rate falls towards its end."""
    steps: int = 0
    """Length in steps of the learner instead: same seed, same network. 0: by the clock."""
    size: str = "2"
    """The network: 1 to 6 on the dial, or CHANNELSxBLOCKS."""
    seed: int = 0
    """Names all random streams of the run."""
    slots: int = 256
    """Games played side by side."""
    turn_positions: int = 1024
    """Positions played, written to disk and learned from before the next turn: what a kill can cost."""
    turns_per_release: int = 3
    """Turns before self-play gets the new network."""
    precision: str = "int8"
    """Of the network in self-play: int8, or f32. What is kept and measured is always f32."""
    deeper_after: int = 0
    """Positions after which, and at every doubling, searches deepen by √2, and random moves get rarer; 0: never."""
    sizes_until: float = 0.25
    """Of several board sizes: share of the run until all are played; it begins on the smallest and adds the others."""

    def __post_init__(self) -> None:
        if not self.minutes > 0 or self.steps < 0 or self.deeper_after < 0:
            raise ValueError("minutes must be above 0, steps and deeper_after 0 or more")
        if min(self.slots, self.turn_positions, self.turns_per_release) < 1:
            raise ValueError("slots, turn_positions and turns_per_release must be at least 1")
        if not 0 <= self.sizes_until <= 1:
            raise ValueError("sizes_until must be 0 to 1")
        if self.precision not in ("f32", "int8"):
            raise ValueError(f"precision must be f32 or int8, not {self.precision!r}")


@dataclass(frozen=True)
class LearnerConfig:
    """How a network is fitted to the window."""

    batch: int = 128
    """Samples per step."""
    rate: float = 4e-3
    """Learning rate of AdamW, after a warm-up of `warmup` steps."""
    muon_rate: float = 1e-2
    """Learning rate of Muon, for the kernels between hidden layers; 0: AdamW for them too."""
    warmup: int = 100
    """Steps over which the learning rate rises from zero."""
    ema: float = 0.995
    """Share of the old weights kept by each step in the average that is released; less of them while it is young."""
    kl_target: float = 0.0
    """The KL guard's aim for the change of the policy between two releases; 0: no guard."""

    def __post_init__(self) -> None:
        if self.batch < 1 or self.rate <= 0 or self.warmup < 0 or not 0 <= self.ema < 1:
            raise ValueError("batch and rate must be above 0, warmup 0 or more, ema 0 to below 1")
        if min(self.muon_rate, self.kl_target) < 0:
            raise ValueError("muon_rate and kl_target must not be negative")


@dataclass(frozen=True)
class MeasureConfig:
    """Strength while training. The arena's search is self-play's with `sims`, and without what explores."""

    every: float = 5.0
    """Minutes between measurements; the first ones come sooner."""
    sims: int = 200
    """Simulations per move of the network that is measured."""
    games: int = 40
    """Games against each opponent; fewer while measurements come sooner."""
    level: int = 1000
    """Playouts of the pure MCTS to reach; beaten in every game, it gets as many more."""
    engine: str = ""
    """Another program that the network also meets: its name in engines.toml."""

    def __post_init__(self) -> None:
        if self.every <= 0 or self.sims < 0 or self.games < 2 or self.games % 2 or self.level < 1:
            raise ValueError("every and level must be above 0, sims 0 or more, games even and at least 2")
        if self.engine and not re.fullmatch(ENGINE_NAME, self.engine):
            raise ValueError(f"engine is a name of engines.toml, not {self.engine[:80]!r}")


@dataclass(frozen=True)
class RunConfig:
    """What `run.toml` of a run holds."""

    game: str  # or a family
    loop: LoopConfig = LoopConfig()
    search: SearchConfig = field(default_factory=lambda: SearchConfig(noise_epsilon=0.25))
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    measure: MeasureConfig = field(default_factory=MeasureConfig)

    @classmethod
    def of(cls, game: Game | Family) -> Self:
        """The game's preset, or the defaults of all games."""
        return cls(game=game.id).with_values(read_preset(game))

    def with_values(self, sections: Mapping[str, Mapping[str, Any]]) -> Self:
        """With some options changed: `{"learner": {"batch": 64}}`. Raises ConfigError."""
        for section, values in sections.items():
            if section not in SECTIONS or not isinstance(values, Mapping):
                raise ConfigError(f"unknown section {section!r}; the sections are {', '.join(SECTIONS)}")
            try:
                self = dataclasses.replace(self, **{section: changed(getattr(self, section), values)})
            except ConfigError as error:
                raise ConfigError(f"{section}: {error}") from None
        return self

    def with_settings(self, settings: Sequence[str]) -> Self:
        """With `SECTION.NAME=VALUE` texts applied."""
        return self.with_values(split_settings(settings, SECTIONS))

    @property
    def arena_search(self) -> SearchConfig:
        """How a network of this run plays when it is measured: as in self-play, but to win."""
        return to_win(self.search).replace(sims=self.measure.sims)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """All options by section and name."""
        parts = {section: getattr(self, section) for section in SECTIONS}
        return {
            section: part.to_dict() if hasattr(part, "to_dict") else dataclasses.asdict(part)
            for section, part in parts.items()
        }

    def to_toml(self) -> str:
        """All options, so that a run does not change when defaults do."""
        lines = [f"game = {_toml(self.game)}", f"version = {len(MIGRATIONS)}"]
        for section, values in self.to_dict().items():
            lines += ["", f"[{section}]", *(f"{name} = {_toml(value)}" for name, value in values.items())]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Of this version or an older one. Raises ConfigError."""
        game, sections = _read_toml(text)
        return cls(game=game).with_values(sections)


def option_names(text: str) -> set[str]:
    """The options that a run.toml names, as SECTION.NAME. Raises ConfigError."""
    return {f"{section}.{name}" for section, values in _read_toml(text)[1].items() for name in values}


def _read_toml(text: str) -> tuple[str, dict[str, Any]]:
    """The game, and the options by section as this version has them."""
    try:
        sections = tomllib.loads(text)
        game, version = str(sections.pop("game")), sections.pop("version", 0)
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise ConfigError(f"not the configuration of a run: {error}") from None
    if type(version) is not int or not 0 <= version <= len(MIGRATIONS):
        raise ConfigError(f"version {version!r}, but this Tengen knows 0 to {len(MIGRATIONS)}; a newer one wrote it")
    for migrate in MIGRATIONS[version:]:
        migrate(sections)
    return game, sections


def _without_side_positions(sections: dict[str, Any]) -> None:
    """0 → 1. A run that did not use these options goes on as it was; another one would learn something else."""
    selfplay = sections.get("selfplay")
    for name in ("side_positions", "cut_share"):
        if isinstance(selfplay, dict) and (value := selfplay.pop(name, 0)) != 0:
            raise ConfigError(
                f"selfplay.{name} = {value!r}: the option is gone since chunk format 4; commit 5140b96 is the last one "
                f"that goes on with such a run"
            )


# Each makes a run.toml of one version one of the next: what is written has their number as its version.
MIGRATIONS: list[Callable[[dict[str, Any]], None]] = [_without_side_positions, without_retired]


def deepened(search: SearchConfig, selfplay: SelfPlayConfig, depth: float) -> tuple[SearchConfig, SelfPlayConfig]:
    """How self-play goes on once its searches are `depth` times as deep as at first.

    The first networks learn most near the end of games, which random moves reach at once; what is left to learn later
    is the beginning, which they skip. So openings become shorter and random moves rarer, by √depth. Proofs may take
    longer, as searches do.

    >>> selfplay = SelfPlayConfig(opening_plies=20, stray_share=0.2, label_nodes=1000)
    >>> search, selfplay = deepened(SearchConfig(sims=100), selfplay, 4.0)
    >>> search.sims, selfplay.opening_plies, selfplay.stray_share, selfplay.label_nodes
    (400, 10, 0.1, 4000)
    """
    fewer = math.sqrt(depth)
    return (
        search.replace(sims=round(search.sims * depth)),
        selfplay.replace(
            opening_plies=max(1, round(selfplay.opening_plies / fewer)),
            stray_share=selfplay.stray_share / fewer,
            label_nodes=round(selfplay.label_nodes * depth),
        ),
    )


SECTIONS = [field.name for field in dataclasses.fields(RunConfig) if field.name != "game"]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)
