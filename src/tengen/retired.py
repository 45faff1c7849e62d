"""Options that are gone. Each had to be named by a founding document, set by a preset, or shown to pay by a measurement
with an interval; these were none of it, and what they did by default is how it is done now.
"""

from __future__ import annotations

from typing import Any

from tengen._core import ConfigError

__all__ = ["refuse_retired", "without_retired"]

TRAINED = "it was not shown to pay"
# What an option was by default, and what to say to whoever wants something else.
RETIRED: dict[str, tuple[Any, str]] = {
    "loop.gate": ("off", "every release plays"),
    "loop.groups": (1, "all games are gathered together"),
    "loop.overlap": (True, "playing and learning share the cores, or take turns where there is one: taskset -c 0"),
    "loop.threads": (0, "a run takes the cores that its process may use: taskset -c 0,1"),
    "search.early_stop": (False, "a search makes all of its simulations"),
    "search.forced_playouts": (False, TRAINED),
    "search.gumbel_c_scale": (1, "it is the paper's 1"),
    "search.gumbel_c_visit": (50, "it is the paper's 50"),
    "search.gumbel_m": (16, "it is the paper's 16"),
    "search.gumbel_scale": (1, "rule=puct has no such noise"),
    "search.lcb": (False, "the most visited move is played"),
    "search.lcb_share": (0.15, "the most visited move is played"),
    "search.lcb_z": (3, "the most visited move is played"),
    "search.memory_mb": (1024, "use search.max_nodes"),
    "search.noise_total": (10.83, "use search.noise_alpha"),
    "search.symmetry": (True, "a network always sees one of the symmetries"),
    "search.target_pruning": (False, TRAINED),
    "search.target_temperature": (1, "targets are as they were searched"),
    "selfplay.fresh_trees": (False, TRAINED),
    "selfplay.resign_checked": (0.1, "one game in ten is played out"),
    "replay.fast_values": (False, "only full searches are learned from"),
    "replay.largest_window": (4_000_000, "it is 4,000,000"),
    "learner.clip": (5, "it is 5"),
    "learner.final_rate": (0.05, "it is 0.05"),
    "learner.moves_left_weight": (0.2, "it is 0.2"),
    "learner.reply_weight": (0, TRAINED),
    "learner.steady": (0.6, "it is 0.6"),
    "learner.weight_decay": (1e-4, "it is 0.0001"),
}
# Options that go on under another name.
RENAMED = {
    "replay.deeper_after": "loop.deeper_after",
    "search.c_ucb": "search.c_init",
    "search.root": "search.rule",
    "selfplay.prove_nodes": "selfplay.label_nodes",
}


def refuse_retired(option: str) -> None:
    """Says in one line what became of a `SECTION.NAME` that is gone. Raises ConfigError."""
    if option in RETIRED:
        raise ConfigError(f"{option} was retired: {RETIRED[option][1]}")
    if option in RENAMED:
        raise ConfigError(f"{option} was retired: use {RENAMED[option]}")


def without_retired(sections: dict[str, Any]) -> None:
    """A run.toml of version 1 as one of version 2. A run goes on as it was, or is refused. Raises ConfigError."""
    _section(sections, "loop").pop("threads", None)  # it changed no game
    search = _section(sections, "search")
    if search.pop("root", "puct") == "gumbel":
        search["rule"] = "gumbel"
    c_ucb = search.pop("c_ucb", None)  # without ucb1 it did nothing
    if c_ucb is not None and search.get("rule") == "ucb1":
        search["c_init"] = c_ucb
    for old, new in (("replay.deeper_after", "loop.deeper_after"), ("selfplay.prove_nodes", "selfplay.label_nodes")):
        section, name = old.split(".")
        if (value := _section(sections, section).pop(name, None)) is not None:
            section, name = new.split(".")
            sections.setdefault(section, {})[name] = value
    for option, (default, why) in RETIRED.items():
        section, name = option.split(".")
        if (value := _section(sections, section).pop(name, default)) != default:
            raise ConfigError(
                f"{option} = {value!r}: the option was retired, {why}; write {_toml(default)} there to go on so"
            )


def _section(sections: dict[str, Any], name: str) -> dict[str, Any]:
    """A section to change; what is none is refused by whoever reads it next."""
    found = sections.get(name)
    return found if isinstance(found, dict) else {}


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else repr(value)
