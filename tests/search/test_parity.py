"""The two searches agree to the last bit, for every option, and every option matters."""

from dataclasses import replace
from typing import Any

import pytest

from support.parity_case import GAMES, VALUES, Case, Options, first_difference, random_case, results
from tengen._core import SearchConfig

# Options that cannot show on a search by themselves: what else has to be set for them to matter.
CONTEXT: dict[str, Options] = {
    "mlh_mode": {"mlh_slope": 0.1},
    "mlh_cap": {"mlh_slope": 0.1},
    "noise_alpha": {"noise_epsilon": 0.5},
    "virtual_mode": {"leaves": 6},
    "virtual_weight": {"leaves": 6, "virtual_mode": "loss"},
    "temperature": {"temperature_plies": 1000},
    "temperature_plies": {"temperature": 1.0},
    "tree_reuse": {"noise_epsilon": 0.25},  # without it and with one leaf, a subtree is what a fresh tree would be
    "cache_mb": {"leaves": 4},
}
POSITIONS = [("connect4", 0), ("tictactoe", 3), ("connect4", 20), ("tictactoe", 0)]  # random plies before the search
# No part of what a search is: how long it may take.
NOT_SEARCH = {"seconds"}


def option_cases() -> list[tuple[str, Any]]:
    return [(name, value) for name, values in VALUES.items() for value in values]


def cases_around(name: str) -> list[Case]:
    """A few positions and lengths on which an option has the chance to matter, with its context set."""
    context = CONTEXT.get(name, {})
    if name == "threats":  # only where a game offers them
        places = [("gomoku:6,in_a_row=4", 6), ("gomoku:6,in_a_row=4", 12), ("gomoku:7", 24)]
        return [
            Case(game, {"sims": 30}, seed=seed, opening=plies, moves=3) for seed, (game, plies) in enumerate(places)
        ]
    positions = [("go:5", 8), ("othello:6", 12)] if name == "lead_slope" else POSITIONS  # games that are counted
    return [
        Case(game, {"sims": 60, **context}, seed=seed, opening=plies, moves=3)
        for seed, (game, plies) in enumerate(positions)
    ]


def with_option(case: Case, name: str, value: Any) -> Case:
    return replace(case, options={**case.options, name: value})


def test_the_table_of_values_is_complete() -> None:
    fields = {str(row["name"]): row["default"] for row in SearchConfig.fields()}
    assert set(VALUES) == set(fields) - NOT_SEARCH
    assert all(fields[name] not in values for name, values in VALUES.items())


@pytest.mark.parametrize("name", VALUES)
def test_every_option_changes_a_result(name: str) -> None:
    """Trap 7. On the same cases the C++ search equals the reference, so the option reaches it as well."""
    assert any(
        results(case) != results(with_option(case, name, value))
        for case in cases_around(name)
        for value in VALUES[name]
    )


@pytest.mark.parametrize(("name", "value"), option_cases())
def test_each_option_agrees(name: str, value: Any) -> None:
    for case in cases_around(name):
        assert first_difference(with_option(case, name, value)) is None, with_option(case, name, value)


@pytest.mark.parametrize("leaves", [1, 5])
@pytest.mark.parametrize("reuse", [True, False])
@pytest.mark.parametrize("cache_mb", [0, 64])
@pytest.mark.parametrize("game", GAMES)
def test_each_game_agrees(game: str, cache_mb: int, reuse: bool, leaves: int) -> None:
    options: Options = {"sims": 50, "leaves": leaves, "tree_reuse": reuse, "cache_mb": cache_mb}
    for plies in (0, 10):
        case = Case(game, options, seed=plies, opening=plies, moves=3, trees=1 if leaves > 1 and cache_mb else 2)
        assert first_difference(case) is None, case


def check(seeds: range) -> None:
    for seed in seeds:
        difference = first_difference(random_case(seed))
        assert difference is None, f"python -m tests.parity_case {seed}: {difference}"


@pytest.mark.parametrize("chunk", range(10))
def test_random_option_sets_agree(chunk: int) -> None:
    check(range(30 * chunk, 30 * (chunk + 1)))


@pytest.mark.fuzz
@pytest.mark.parametrize("chunk", range(200))
def test_very_many_random_option_sets_agree(chunk: int) -> None:
    check(range(10_000 + 100 * chunk, 10_000 + 100 * (chunk + 1)))


@pytest.mark.parametrize("game", ["connect4", "tictactoe"])
@pytest.mark.parametrize("plies", [3, 4])
def test_deep_lookahead(game: str, plies: int) -> None:
    for seed in range(3):
        options: Options = {"sims": 30, "lookahead": plies}
        assert first_difference(Case(game, options, seed=seed, opening=12, moves=3)) is None
