"""Rules as machine code: what Numba makes of Python, and shared libraries."""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tengen.games
from support.arrays import ArrayConnect4, ArrayTicTacToe
from support.parity_case import random_case
from tengen import _core, games
from tengen._core import SearchConfig, SelfPlay, SelfPlayConfig
from tengen.games import Game, GameError, Rules, compiled
from tengen.games.library import NativeRules, SharedLibrary, Table
from tengen.net.evaluator import Hash

ROOT = Path(__file__).parents[2]
FAST = {"tictactoe": compiled(ArrayTicTacToe)(), "connect4": compiled(ArrayConnect4)()}


def functions(rules: Rules) -> NativeRules:
    """Its C functions, called as the core calls them."""
    return NativeRules(Table.from_address(rules.address()))


def random_games(rules: Rules, built_in: Game, seeds: range) -> Iterator[tuple[Any, Any]]:
    """Positions of both, after the same random actions."""
    for seed in seeds:
        draw = random.Random(seed)
        state, other = rules.start(), built_in.start()
        while True:
            yield state, other
            if other.is_terminal():
                break
            action = draw.choice(other.legal_actions())
            state = rules.apply(state, action)
            other.apply(action)


def agree(rules: Rules, built_in: Game, seeds: range) -> None:
    for state, other in random_games(rules, built_in, seeds):
        assert rules.outcome(state) == (other.outcome() if other.is_terminal() else None)
        assert other.is_terminal() or rules.legal(state) == other.legal_actions()
        assert rules.planes(state).tobytes() == other.planes().tobytes()
        if rules.hash is not None:
            for symmetry in range(built_in.num_symmetries):
                assert rules.hash(state, symmetry) == other.hash(symmetry)


@pytest.mark.parametrize("id", FAST)
def test_compiled_functions_say_what_the_built_in_game_says(id: str) -> None:
    agree(functions(FAST[id]), games.make(id), range(50))


def test_two_threads_at_once() -> None:
    rules = functions(FAST["connect4"])
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(agree, rules, games.make("connect4"), range(k, k + 40)) for k in (100, 200)]:
            done.result()


def test_the_decorator_changes_only_what_it_decorates() -> None:
    made = compiled(ArrayTicTacToe)
    assert (made.__name__, made.__module__) == ("ArrayTicTacToe", ArrayTicTacToe.__module__)
    assert ArrayTicTacToe().address() == 0
    assert FAST["tictactoe"].address() == FAST["tictactoe"].address() != 0


# Behind the search.


def test_compiled_rules_have_the_name_and_the_fingerprint_of_those_in_python() -> None:
    """So what one of them learned, the other plays."""
    slow = games.register(ArrayTicTacToe())
    try:
        assert games.register(FAST["tictactoe"]) == slow
    finally:
        games.unregister(slow)


def records(game: Game) -> list[dict[str, Any]]:
    search = SearchConfig(sims=20, noise_epsilon=0.25, temperature_plies=6, lookahead=1)
    source, evaluate = (
        SelfPlay(game, 4, search, SelfPlayConfig(full_share=0.5, fast_sims=8), seed=5, threads=2),
        Hash(game),
    )
    found: dict[int, dict[str, Any]] = {}
    while not all(number in found for number in range(6)):
        source.backup(*evaluate(source.select()))
        found |= {int(str(record["game"])): record for record in source.take_records()}
    return [{name: np.asarray(found[n][name]).tobytes() for name in found[n] if name != "id"} for n in range(6)]


def searched(game: Game, seed: int) -> Iterator[Any]:
    case = random_case(seed)
    options = {name: value for name, value in case.options.items() if name != "prove_nodes"}  # built-in: by threats
    case = replace(case, options=options)
    evaluate = Hash(game)
    batch: Any = _core.BatchSearch(game, 1, case.config, seed=case.seed, threads=case.threads)
    state = game.start()
    batch.reset(0, state, 10)
    for _ in range(4):
        leaves = batch.select()
        while leaves:
            leaves = batch.step(*evaluate(leaves))
        root = batch.node(0, [])
        numbers = [(e.action, e.prior, e.visits, e.q, e.m, e.value) for e in root.edges]
        yield repr((case, root.visits, root.q, numbers, batch.best(0), batch.target(0), batch.worth(0)))
        action = batch.choose(0)
        state.apply(action)
        batch.advance(0, action)


@pytest.fixture(params=["tictactoe", "connect4"])
def both(request: pytest.FixtureRequest) -> Iterator[tuple[Game, Game]]:
    """Compiled rules with the hash of the built-in game, beside that; and some without, beside the same in Python."""
    id = str(request.param)
    fast = games.register(FAST[id])
    if id == "connect4":
        yield games.make(id), fast
    else:
        plain = type("Plain", (ArrayTicTacToe,), {"name": "plain_tictactoe"})()
        yield games.register(plain), fast
        games.unregister("plain_tictactoe")
    games.unregister(fast)


def test_searches_are_bitwise_the_same(both: tuple[Game, Game]) -> None:
    for seed in range(100):
        for found, again in zip(*(searched(game, seed) for game in both), strict=True):
            assert found == again


def test_games_of_self_play_are_bitwise_the_same(both: tuple[Game, Game]) -> None:
    expected, found = map(records, both)
    assert expected == found


def test_people_see_a_compiled_position_through_python(both: tuple[Game, Game]) -> None:
    states = [game.from_moves(" ".join(map(game.start().move_text, (2, 1, 3)))) for game in both]
    assert states[0].stones() == states[1].stones() and sum(states[1].stones()) == 1 + 2 + 1
    assert [state.move_text(4) for state in states] == [states[0].move_text(4)] * 2


# What goes wrong.


class Fails(ArrayTicTacToe):
    """When the first actions are 8, 7, and then 0 to 4."""

    name = "fails"

    @staticmethod
    def apply(state: Any, action: int) -> None:
        state[action] = 1 + state[9] % 2
        state[9] += 1
        if state[9] == 3 and state[8] == 1 and state[7] == 2 and action == 0:
            raise ValueError("this is where apply fails")

    @staticmethod
    def legal(state: Any) -> Any:
        if state[9] == 3 and state[8] == 1 and state[7] == 2 and state[1] == 1:
            state[9 + state[1]] = 0  # beyond the array
        most = 30 if state[9] == 3 and state[8] == 1 and state[7] == 2 and state[4] == 1 else 9  # more than there are
        return [cell % 9 for cell in range(most) if state[cell % 9] == 0]

    @staticmethod
    def outcome(state: Any) -> int | None:
        if state[9] == 9:
            return 0
        if state[9] == 3 and state[8] == 1 and state[7] == 2 and state[2] == 1:
            return 5
        return None

    @staticmethod
    def planes(state: Any) -> Any:
        if state[9] == 3 and state[8] == 1 and state[7] == 2 and state[3] == 1:
            return np.zeros((2, 3, 4), np.float32)
        return np.zeros((2, 3, 3), np.float32)


def test_what_is_raised_in_compiled_code_is_an_answer_that_no_rules_may_give() -> None:
    rules = compiled(Fails)()
    native = functions(rules)

    def after(*actions: int) -> bytes:
        state = native.start()
        for action in actions:
            state = native.apply(state, action)
        return state

    broken = after(8, 7, 0)
    for state in (broken, native.apply(broken, 4)):  # for good
        with pytest.raises(GameError, match="outcome returns 99"):
            native.outcome(state)
        with pytest.raises(GameError, match="legal returns -1"):
            native.legal(state)
        assert np.isnan(native.planes(state)).all()
    for last in (1, 4):
        with pytest.raises(GameError, match="legal returns -1"):
            native.legal(after(8, 7, last))
    with pytest.raises(GameError, match="outcome returns 99"):
        native.outcome(after(8, 7, 2))
    assert np.isnan(native.planes(after(8, 7, 3))).all()
    assert native.legal(after(8, 7, 5)) == [0, 1, 2, 3, 4, 6] and native.outcome(after(8, 7, 5)) is None

    explain: Callable[[list[int]], str] = getattr(rules, "explain")  # noqa: B009  the decorator's
    assert explain([8, 7, 0]).startswith("apply raises ValueError: this is where apply fails (test_compiled.py, line ")
    assert explain([8, 7, 1]).startswith("legal raises IndexError: index 10 is out of bounds")
    assert explain([8, 7, 4]).startswith("legal actions must be ascending and from 0 to 8, not [0, 1, 2, 3, 5, 6, 0,")
    assert explain([8, 7, 2]) == "outcome is 5, not 1, 0, -1 or None"
    assert explain([8, 7, 3]) == "planes have the shape (2, 3, 4), not (2, 3, 3)"

    game = games.register(rules)
    try:
        for last in range(3):
            with pytest.raises(GameError, match="the rules of fails fail after the actions 8 7"):
                game.from_moves(f"c1 b1 {'abc'[last]}3").legal_actions()
        assert game.from_moves("c1 b1 c2").legal_actions() == [0, 1, 2, 3, 4, 6]
    finally:
        games.unregister(game)


def unknown(state: Any) -> Any:
    return state.nothing


def beyond(state: Any) -> Any:
    return [0 if int(state[9]) * (1 << 62) * 4 > 0 else 1]


@pytest.mark.parametrize(
    ("method", "function", "reason"),
    [
        ("legal", lambda state: unknown(state), r"legal: Unknown attribute 'nothing' .*\(test_compiled\.py, line"),
        ("legal", lambda state: [float(state[0])], "array or a list of whole numbers; compiled it returns list"),
        ("legal", lambda state: 3, "legal must return an array or a list of whole numbers; compiled it returns"),
        ("start", lambda: [0], "array of numbers for a position"),
        ("start", lambda: np.zeros(70000), "a position has 560000 bytes, not from 1 to 65535"),
        ("start", lambda: 1 // 0, r"start raises ZeroDivisionError: .*\(test_compiled\.py, line"),
        ("legal", beyond, "fails after the actions 1: legal says one thing in Python and another when compiled"),
    ],
    ids=["attribute", "floats", "number", "list", "size", "start", "overflow"],
)
def test_what_cannot_be_compiled_is_one_line(method: str, function: Callable[..., Any], reason: str) -> None:
    rules = compiled(type("Bad", (ArrayTicTacToe,), {method: staticmethod(function)}))()
    with pytest.raises(GameError, match=reason) as raised:
        rules.address()
    assert "\n" not in str(raised.value)


def test_compiled_code_has_no_self_and_changes_its_array() -> None:
    def legal(self: Any, state: Any) -> list[int]:
        return [0]

    with pytest.raises(GameError, match="legal must be a @staticmethod"):
        compiled(type("Bad", (ArrayTicTacToe,), {"legal": legal}))().address()
    with pytest.raises(GameError, match="change the array in apply, and define copy"):
        compiled(type("Bad", (ArrayTicTacToe,), {"copy": None}))().address()


def test_without_numba_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tengen.games.jit", raising=False)
    monkeypatch.delattr(tengen.games, "jit", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(GameError, match=r"need Numba: pip install 'tengen\[jit\]'"):
        compiled(ArrayTicTacToe)().address()


# Shared libraries.


def built(folder: Path, *flags: str) -> Path:
    library = folder / "game.so"
    source = Path(__file__).with_name("libraries") / "tictactoe.c"
    include = f"-I{ROOT / 'cpp/tengen/erased'}"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", *flags, include, source, "-o", library], check=True)
    return library


def test_a_library_in_c_is_a_game(tmp_path: Path) -> None:
    rules = SharedLibrary(built(tmp_path))
    agree(rules, games.make("tictactoe"), range(50))
    state = rules.apply(rules.start(), 5)
    assert rules.move_text(state, 0) == "a3" and rules.cells(state) == [0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert rules.text(rules.apply(state, 0)).splitlines()[:4] == ["own stones", "  0 0 0", "  0 0 1", "  0 0 0"]

    game = games.register(rules)
    try:
        assert (game.id, game.layout()["kind"]) == ("c_tictactoe", "cells")
        assert game.from_moves("c2 a3").stones() == [2, 0, 0, 0, 0, 1, 0, 0, 0]
        assert game.start().perft(5) == games.make("tictactoe").start().perft(5)
        assert len(records(game)) == 6
    finally:
        games.unregister(game)


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ("-DABI=2", "written for version 2 of tengen_game.h, not 1"),
        ("-DSYMBOL=other", "the library has no function tengen_game"),
        ("-DTABLE=0", "tengen_game returns no table"),
        ("-DBYTES=70000", "state_bytes is 70000, not from 1 to 65536"),
        ("-DBYTES=-1", "state_bytes is -1, not"),
        ("-DLEGAL=0", "legal is missing"),
        ("-DNAME=0", "name is missing"),
        ('-DINPUTS="own stones"', "inputs name 1 planes, and there are 2"),
        ('-DNAME="\\xff"', "name and inputs must be UTF-8"),
        ('-DNAME="Tic Tac"', "name must be a lower-case letter"),
    ],
)
def test_a_bad_library_is_one_line(flags: str, reason: str, tmp_path: Path) -> None:
    unused = ["-Wno-unused", "-Wno-missing-prototypes"]
    with pytest.raises(GameError, match=reason) as raised:
        games.register(SharedLibrary(built(tmp_path, *unused, flags)))
    assert "\n" not in str(raised.value)


def test_what_is_no_library_is_one_line(tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("not a library")
    for path in (text, tmp_path / "absent.so", tmp_path):
        with pytest.raises(GameError, match="not a shared library of this system") as raised:
            SharedLibrary(path)
        assert "\n" not in str(raised.value)
