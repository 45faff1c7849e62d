"""Games of one's own behind the search: what their rules may get wrong, and what is left whole when they do."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen import Agent, GameError, games
from tengen._core import BatchSearch, SearchConfig, SelfPlay, SelfPlayConfig
from tengen.games import Rules, State
from tengen.net.evaluator import Hash, Rollout


class Pile:
    """A state that can be counted."""

    alive = 0

    def __init__(self, left: int) -> None:
        self.left = left
        Pile.alive += 1

    def __del__(self) -> None:
        Pile.alive -= 1


class Nim(Rules):
    """Take one to three; whoever takes the last wins. `fails`: which method raises from which number of matches on."""

    name = "own_nim"
    actions, rows, cols, most_plies = 3, 1, 1, 30
    inputs = ("matches",)
    remembers = False

    def __init__(self) -> None:
        self.fails: dict[str, int] = {}
        self.answers: dict[str, Any] = {}

    def asked(self, method: str, state: Pile) -> Any:
        if self.fails.get(method, -1) >= state.left:
            raise ZeroDivisionError("no matches here")
        return self.answers.get(method) if state.left < 15 else None

    def start(self) -> Pile:
        return Pile(21)

    def legal(self, state: Pile) -> Any:
        return self.asked("legal", state) or range(min(3, state.left))

    def apply(self, state: Pile, action: int) -> Pile:
        self.asked("apply", state)
        return Pile(state.left - 1 - action)

    def outcome(self, state: Pile) -> Any:
        wrong = self.asked("outcome", state)
        return wrong if wrong is not None else None if state.left > 0 else -1

    def planes(self, state: Pile) -> Any:
        wrong = self.asked("planes", state)
        return wrong if wrong is not None else [[[state.left / 21]]]


@pytest.fixture
def nim() -> Iterator[Nim]:
    rules = Nim()
    games.register(rules)
    yield rules
    games.unregister(rules.name)


def searched(search: Any, game: Any) -> int:
    evaluate, leaves = Hash(game), search.select()
    while leaves:
        leaves = search.step(*evaluate(leaves))
    return int(search.visits(0))


@pytest.mark.parametrize("method", ["legal", "apply", "outcome", "planes"])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_is_one_line_and_the_tree_goes_on(nim: Nim, method: str, threads: int) -> None:
    game = games.make("own_nim")
    search = BatchSearch(game, 2, SearchConfig(sims=200, noise_epsilon=0.0, leaves=4), 0, threads)
    nim.fails[method] = 12
    with pytest.raises(GameError) as failure:
        searched(search, game)
    said = str(failure.value)
    assert said.startswith("the rules of own_nim fail after the actions ") and "\n" not in said
    assert "ZeroDivisionError: no matches here (test_own_games.py, line " in said and "in asked)" in said
    nim.fails.clear()
    assert searched(search, game) == 200
    assert search.node(0, []).in_flight == 0


def test_self_play_and_replay_go_on_too(nim: Nim) -> None:
    game = games.make("own_nim")
    play = SelfPlay(game, 4, SearchConfig(sims=16), SelfPlayConfig(full_share=1), seed=1)
    nim.fails["apply"] = 9
    evaluate = Hash(game)
    with pytest.raises(GameError, match="own_nim"):
        for _ in range(10_000):
            play.backup(*evaluate(play.select()))
    play.cancel()
    nim.fails.clear()
    records: list[dict[str, Any]] = []
    while len(records) < 4:
        play.backup(*evaluate(play.select()))
        records += play.take_records()
    moves = np.concatenate([np.asarray(record["moves"]) for record in records]).astype(np.uint16)
    starts = np.cumsum([0, *(len(record["moves"]) for record in records)], dtype=np.int64)
    request: dict[str, Any] = {
        "moves": moves,
        "game_start": starts,
        "game": np.zeros(1, np.int32),
        "symmetry": np.zeros(1, np.uint8),
    }
    planes, legal = game.replay(**request, ply=np.array([2], np.int32))
    assert planes.shape == (1, 1, 1, 1) and legal.sum() == 3


def test_a_move_that_fails_changes_nothing(nim: Nim) -> None:
    state = games.make("own_nim").from_moves("2 2")
    nim.fails["apply"] = 21
    with pytest.raises(GameError, match="after the actions 2 2 0: ZeroDivisionError"):
        state.apply(0)
    nim.fails.clear()
    assert state.moves() == [2, 2] and state.ply() == 2
    state.apply(1)
    assert state.moves() == [2, 2, 1]


@pytest.mark.parametrize(
    ("method", "answer", "reason"),
    [
        ("legal", [2, 1], "ascending"),
        ("legal", [0, 3], "names action 3"),
        ("legal", [0.5], "whole number"),
        ("legal", [-1], "names action -1"),
        ("legal", 7, "legal must return a list"),
        ("outcome", 2, "returned 2"),
        ("outcome", "won", "whole number"),
        ("planes", [[[float("nan")]]], "not finite"),
        ("planes", [[1.0]], "shape"),
        ("planes", np.zeros((2, 1, 1), np.float32), "shape"),
        ("planes", "board", "could not convert"),
    ],
)
def test_wrong_answers_are_named(nim: Nim, method: str, answer: Any, reason: str) -> None:
    nim.answers[method] = answer
    with pytest.raises(GameError, match=reason) as failure:
        Agent(games.make("own_nim"), Hash(games.make("own_nim")), sims=300).analyze(games.make("own_nim").start())
    assert "own_nim" in str(failure.value) and "\n" not in str(failure.value)


def test_a_game_without_end_is_named() -> None:
    class Endless(Nim):
        name = "endless"

        def apply(self, state: Pile, action: int) -> Pile:
            return Pile(21)

    with pytest.raises(GameError, match="goes on after most_plies = 30"):
        games.register(Endless())


def test_states_live_as_long_as_their_tree(nim: Nim) -> None:
    game = games.make("own_nim")
    gc.collect()
    before = Pile.alive
    search = BatchSearch(game, 1, SearchConfig(sims=400), 0, 1)
    searched(search, game)
    assert Pile.alive - before > 50
    search.advance(0, 0)
    kept = Pile.alive - before
    search.reset(0, game.start(), 1)
    assert Pile.alive - before < min(kept, 10)
    del search
    gc.collect()
    assert Pile.alive == before


def test_what_ends_a_program_passes_through() -> None:
    class Interrupted(Nim):
        name = "interrupted"

        def apply(self, state: Pile, action: int) -> Pile:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        games.register(Interrupted())


def test_changed_rules_need_a_new_registration(nim: Nim) -> None:
    class Other(Nim):
        version = 2

    old = games.make("own_nim")
    with pytest.raises(GameError, match="another game named own_nim"):
        games.register(Other())
    assert games.register(Nim()) == old  # the same rules once more
    games.unregister(old)
    with pytest.raises(GameError, match="unknown game 'own_nim'"):
        games.make("own_nim")
    new = games.register(Other())
    assert new.schema != old.schema and old.start().legal_actions() == [0, 1, 2]


@pytest.mark.parametrize(
    "text", ["", "actions 9", "actions  1", "actions 1 1 x", "actions -1", "X.../O", "actions 99999999"]
)
def test_hostile_positions_are_refused(nim: Nim, text: str) -> None:
    with pytest.raises(GameError):
        games.make("own_nim").position(text)


def test_one_ctrl_c_ends_a_search_in_slow_rules(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(
        textwrap.dedent(
            """
            import time
            from tengen.games import Rules, State

            class Slow(Rules):
                name, actions, rows, cols, most_plies = "slow", 3, 1, 1, 60
                inputs = ("matches",)
                def start(self): return 50
                def legal(self, state): return range(min(3, state))
                def apply(self, state, action): time.sleep(0.002); return state - 1 - action
                def outcome(self, state): return None if state else -1
                def planes(self, state): return [[[state / 50]]]
            """
        )
    )
    command = [sys.executable, "-m", "tengen", "analyze", str(slow), "-", "--sims", "10000000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})
    time.sleep(4)
    assert process.poll() is None
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - asked < 10
    assert "Traceback" not in err and process.returncode in (-signal.SIGINT, 130), (process.returncode, out, err)


def test_playouts_go_through_own_rules(nim: Nim) -> None:
    found = Agent(games.make("own_nim"), Rollout(), sims=300, solver=False).analyze(games.make("own_nim").start())
    assert sum(move.visits for move in found.moves) == 300


def test_texts_of_moves_may_depend_on_the_position() -> None:
    class Told(Nim):
        name = "told_nim"

        def move_text(self, state: Pile, action: int) -> str:
            return f"{state.left}-{action + 1}"

    game = games.register(Told())
    try:
        state = game.from_moves("21-2 19-3")
        assert state.moves_text() == "21-2 19-3" and game.from_moves(state.moves_text()).moves() == [1, 2]
    finally:
        games.unregister(game)


def test_rules_may_be_made_of_other_rules(nim: Nim) -> None:
    class Misere(Rules):
        """The same moves; whoever takes the last match loses."""

        name = "misere_nim"
        actions, rows, cols, most_plies = 3, 1, 1, 30
        inputs = ("matches",)

        def start(self) -> State:
            return games.make("own_nim").start()

        def copy(self, state: State) -> State:
            return state.copy()

        def legal(self, state: State) -> Any:
            return (action for action in state.legal_actions() if state.copy().legal_actions())

        def apply(self, state: State, action: int) -> None:
            state.apply(action)

        def outcome(self, state: State) -> int | None:
            return -state.outcome() if state.is_terminal() else None

        def planes(self, state: State) -> Any:
            return state.planes()

    game = games.register(Misere())
    try:
        search = BatchSearch(game, 1, SearchConfig(sims=300), 0, 1)
        assert searched(search, game) == 300
        best = Agent(game, Rollout(), sims=3000).analyze(game.from_moves("2 2 2 2 2"))  # six are left: five must stay
        assert best.best == 0
    finally:
        games.unregister(game)
