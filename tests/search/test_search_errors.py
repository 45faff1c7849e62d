"""What goes wrong around a search: bad answers, bad options, bad calls, failures and stops. Trees stay usable."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.engines import Native, nodes, run, searched
from tengen import GameError, State, games
from tengen._core import BatchSearch, Rng
from tengen.config import ConfigError, SearchConfig, parse_settings
from tengen.net.evaluator import Evaluation, Hash, Leaves, Rollout, Uniform
from tengen.search.agent import Agent

CONNECT4, TICTACTOE = games.make("connect4"), games.make("tictactoe")
Options = dict[str, Any]


# --- Answers and failures -------------------------------------------------------------------------------


BAD_ANSWERS: list[tuple[str, Callable[[Evaluation], Any], str]] = [
    ("short policy", lambda e: (e.policy[:, :-1], e.wdl, e.moves_left), r"policy must be .* \[\d, 7\], not \[\d, 6\]"),
    ("too many rows", lambda e: (np.repeat(e.policy, 2, 0), e.wdl, e.moves_left), r"policy must be .* shape \[\d, 7\]"),
    ("flat policy", lambda e: (e.policy.ravel(), e.wdl, e.moves_left), r"policy must be .*, not \[\d+\]"),
    ("double policy", lambda e: (e.policy.astype(np.float64), e.wdl, e.moves_left), "policy must be a float32 array"),
    ("whole wdl", lambda e: (e.policy, e.wdl.astype(np.int32), e.moves_left), "wdl must be a float32 array"),
    ("no array", lambda e: (e.policy.tolist(), e.wdl, e.moves_left), "policy must be a float32 array .*, not a list"),
    ("nothing", lambda e: (e.policy, None, e.moves_left), "wdl must be a float32 array .*, not a NoneType"),
    ("wl", lambda e: (e.policy, e.wdl[:, :2].copy(), e.moves_left), r"wdl must be .* shape \[\d, 3\], not \[\d, 2\]"),
    ("column", lambda e: (e.policy, e.wdl, e.moves_left[:, None]), r"moves_left must be .* \[\d\], not \[\d, 1\]"),
    ("NaN logit", lambda e: (e.policy * np.float32("nan"), e.wdl, e.moves_left), "policy has a value that is not"),
    ("infinite", lambda e: (e.policy + np.float32("inf"), e.wdl, e.moves_left), "policy has a value that is not"),
    ("NaN wdl", lambda e: (e.policy, e.wdl + np.float32("nan"), e.moves_left), "wdl has a value that is not a finite"),
    ("NaN plies", lambda e: (e.policy, e.wdl, e.moves_left / np.float32(0)), "moves_left has a value that is not"),
    ("negative plies", lambda e: (e.policy, e.wdl, -1 - e.moves_left), "moves_left must not be negative"),
    ("values", lambda e: (e.policy, 2 * e.wdl - 1, e.moves_left), r"wdl must be probabilities .* row 0 is"),
    ("not one", lambda e: (e.policy, 2 * e.wdl, e.moves_left), "wdl must be probabilities .* add up to 1"),
]


@pytest.mark.parametrize("leaves", [1, 5])
@pytest.mark.parametrize(("answer", "words"), [b[1:] for b in BAD_ANSWERS], ids=[b[0] for b in BAD_ANSWERS])
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_bad_answers_are_refused_and_leave_no_trace(
    answer: Callable[[Evaluation], Any], words: str, leaves: int
) -> None:
    """In the same words for every step of a search; the right answer afterwards is as good as ever."""
    options: Options = {"sims": 60, "leaves": leaves}
    search = Native(CONNECT4.start(), SearchConfig(**options))
    while asked := search.batch.select():
        right = Hash(CONNECT4)(asked)
        with pytest.raises(ValueError, match=words) as error:
            search.batch.backup(*answer(right))
        assert "\n" not in str(error.value) and str(error.value).startswith("evaluator: ")
        search.batch.backup(*right)
    assert search.nodes() == searched(Native, CONNECT4.start(), **options).nodes()


def test_arrays_that_are_not_contiguous_are_fine() -> None:
    def strided(leaves: Leaves, /) -> Evaluation:
        return Hash(CONNECT4)(leaves).each(lambda array: np.repeat(array, 2, axis=0)[::2])

    search = Native(CONNECT4.start(), SearchConfig(sims=60, leaves=4))
    search.run(strided)
    assert search.nodes() == searched(Native, CONNECT4.start(), sims=60, leaves=4).nodes()


@pytest.mark.parametrize("leaves", [1, 6])
@pytest.mark.parametrize("interrupt", ["cancel", "select again", "raise"])
def test_interrupted_steps_leave_no_mark(interrupt: str, leaves: int) -> None:
    """No cache and no end of the game near: nothing is backed up between two leaves, so all is as if undisturbed."""
    options: Options = {"sims": 60, "leaves": leaves, "cache_mb": 0, "virtual_mode": "loss"}
    agent = Agent(CONNECT4, Hash(CONNECT4), SearchConfig(**options))
    batch, calls = agent.search, 0

    def failing(asked: Leaves, /) -> Evaluation:
        nonlocal calls
        calls += 1
        if calls % 3:
            raise RuntimeError("network gone")
        return Hash(CONNECT4)(asked)

    agent.evaluator = failing
    batch.reset(0, CONNECT4.start())
    for step in range(1000):
        if interrupt == "raise":
            try:
                agent.run([0])
                break
            except RuntimeError:
                pass
        elif not (asked := batch.select()):
            break
        elif step % 3 == 0:
            batch.backup(*Hash(CONNECT4)(asked))
        elif interrupt == "cancel":
            batch.cancel()
        if interrupt != "select again":
            assert all(node.in_flight == 0 for node in nodes(batch, 0).values())
    assert nodes(batch, 0) == searched(Native, CONNECT4.start(), **options).nodes()


# --- Stops and clocks ---


def stopped_from_outside(agent: Agent, state: State) -> None:
    """Runs a search that would last for hours, and stops it once it is under way."""
    thread = threading.Thread(target=lambda: agent.act(state), daemon=True)
    thread.start()
    for _ in range(300):  # again and again: a stop before the search has begun is not for it
        thread.join(timeout=0.2)
        if not thread.is_alive():
            return
        agent.stop()
    raise AssertionError("stop() was not heard")


@pytest.mark.parametrize("evaluator", [Uniform(CONNECT4), Rollout()], ids=["network", "rollouts"])
def test_a_search_is_stopped_from_another_thread_and_goes_on(evaluator: Any) -> None:
    agent = Agent(CONNECT4, evaluator, SearchConfig(sims=10**9, max_nodes=180_000))
    stopped_from_outside(agent, CONNECT4.start())
    visits = agent.search.visits(0)
    assert 0 < visits < 10**9
    assert agent.search.node(0).in_flight == 0 and agent.search.node(0).visits == visits + 1
    agent.configure(agent.config.replace(sims=visits + 500))
    agent.act(CONNECT4.start())
    assert agent.search.visits(0) == visits + 500


def test_a_stopped_and_continued_search_is_the_whole_search() -> None:
    search = Native(CONNECT4.start(), SearchConfig(sims=100))
    for step in range(1000):
        if not (leaves := search.batch.select()):
            if search.batch.finished(0):
                break
            continue
        if step % 2:
            search.batch.stop()  # heard at the next select
        search.batch.backup(*Hash(CONNECT4)(leaves))
    assert search.visits() == 100
    assert search.nodes() == searched(Native, CONNECT4.start(), sims=100).nodes()


def test_a_stop_between_two_searches_does_not_end_the_next() -> None:
    agent = Agent(CONNECT4, Hash(CONNECT4), SearchConfig(sims=50))
    agent.stop()
    agent.act(CONNECT4.start())
    assert agent.search.visits(0) == 50
    agent.stop()
    agent.act(CONNECT4.from_moves("4"))
    assert agent.search.visits(0) == 50


def test_a_search_stopped_at_once_still_has_a_move() -> None:
    agent = Agent(CONNECT4, Hash(CONNECT4), SearchConfig(sims=50))

    def stopping(leaves: Leaves, /) -> Evaluation:
        agent.stop()  # while the root is being evaluated
        return Hash(CONNECT4)(leaves)

    agent.evaluator = stopping
    prior = Agent(CONNECT4, Hash(CONNECT4), SearchConfig(sims=0)).act(CONNECT4.start())
    assert agent.act(CONNECT4.start()) == prior and agent.search.visits(0) == 0


@pytest.mark.parametrize("evaluator", [Uniform(CONNECT4), Rollout()], ids=["network", "rollouts"])
def test_time_is_a_budget(evaluator: Any) -> None:
    agent = Agent(CONNECT4, evaluator, SearchConfig(sims=10**9, seconds=0.2, max_nodes=180_000, solver=False))
    for moves in ("-", "4"):
        started = time.monotonic()
        agent.act(CONNECT4.from_moves(moves))
        assert 0.15 < time.monotonic() - started < 20  # all its simulations would take hours
    assert agent.search.visits(0) > 0
    before = agent.search.visits(0)
    agent.act(CONNECT4.from_moves("4"))  # and again: the time is per search
    assert agent.search.visits(0) > before


# --- What is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"simms": 5}, "unknown search option 'simms'; did you mean 'sims'?"),
        ({"fpu": 1}, "unknown search option 'fpu'; did you mean"),
        ({"x\ny": 1}, "unknown search option 'x?y'"),
        ({"": 1}, "unknown search option ''"),
        ({"sims": -1}, "sims must be a whole number from 0 to 1e+09, not '-1'"),
        ({"sims": 1.5}, "sims must be a whole number"),
        ({"sims": float("nan")}, "sims must be a whole number"),
        ({"sims": 10**400}, "sims must be a whole number"),
        ({"sims": None}, "sims must be a whole number"),
        ({"sims": [1]}, "sims must be a whole number"),
        ({"leaves": 0}, "leaves must be a whole number from 1 to 1024"),
        ({"c_init": float("nan")}, "c_init must be a number from 0 to 100, not 'nan'"),
        ({"c_init": float("inf")}, "c_init must be a number from 0 to 100, not 'inf'"),
        ({"c_init": "much"}, "c_init must be a number from 0 to 100, not 'much'"),
        ({"c_init": "é\n" * 90}, "c_init must be a number from 0 to 100, not 'é?é?"),
        ({"discount": 0.1}, "discount must be a number from 0.5 to 1"),
        ({"fpu_mode": "nil"}, "fpu_mode must be one of reduction, zero, infinite, scaled, not 'nil'"),
        ({"fpu_mode": 2}, "fpu_mode must be one of reduction"),
        ({"solver": "yes"}, "solver must be on or off, not 'yes'"),
        ({"solver": 2}, "solver must be on or off, not '2'"),
        ({"rule": "gumbel", "noise_epsilon": 0.25}, "rule=gumbel excludes noise_epsilon"),
    ],
)
def test_bad_configurations_are_refused_in_one_line(options: Options, words: str) -> None:
    plain = SearchConfig()
    for make in (SearchConfig, plain.replace):
        with pytest.raises(ConfigError) as error:
            make(**options)
        assert words in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 250
    assert plain == SearchConfig()


@pytest.mark.parametrize("text", ["sims=5", "search.sims", "search.sims=", "search.=5", "search.sims=5=5", "", "="])
def test_bad_settings_are_refused(text: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_settings(SearchConfig(), [text])
    assert "\n" not in str(error.value)


def test_configurations_are_values() -> None:
    config = SearchConfig(sims=7, fpu_mode="zero", solver="off", c_init="0.5")
    assert config.to_dict() == SearchConfig().to_dict() | {
        "sims": 7,
        "fpu_mode": "zero",
        "solver": False,
        "c_init": 0.5,
    }
    assert config == SearchConfig(**config.to_dict()) and hash(config) == hash(config.replace())
    assert config.replace(sims=8).sims == 8 and config.sims == 7
    with pytest.raises(AttributeError):
        config.sims = 9  # type: ignore[misc]


def test_wrong_calls_are_refused_and_change_nothing() -> None:
    batch = BatchSearch(CONNECT4, 2, SearchConfig(sims=30))
    wrong: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (IndexError, "tree 2 is not one of 0 to 1", lambda: batch.best(2)),
        (IndexError, "tree -1 is not", lambda: batch.visits(-1)),
        (IndexError, "tree 7", lambda: batch.activate([0, 7])),
        (IndexError, "tree 2", lambda: batch.reset(2, CONNECT4.start())),
        (GameError, "search is for connect4, the position is of tictactoe", lambda: batch.reset(0, TICTACTOE.start())),
        (GameError, "action 7 is not legal", lambda: batch.advance(0, 7)),
        (GameError, "action -1 is not legal", lambda: batch.advance(0, -1)),
        (GameError, "search first", lambda: batch.best(0)),
        (GameError, "search first", lambda: batch.target(1)),
        (GameError, "no node at that path", lambda: batch.node(0, [3])),
        (GameError, "no node at that path", lambda: batch.node(0, [-1])),
        (ValueError, "trees must be from 1", lambda: BatchSearch(CONNECT4, 0, SearchConfig())),
        (ValueError, "threads must be from 0", lambda: BatchSearch(CONNECT4, 1, SearchConfig(), threads=-1)),
    ]
    for kind, words, call in wrong:
        with pytest.raises(kind, match=words):
            call()
    run(batch, Hash(CONNECT4))
    assert nodes(batch, 0) == searched(Native, CONNECT4.start(), sims=30).nodes() == nodes(batch, 1)
    nothing = Evaluation(*(np.zeros(shape, np.float32) for shape in ((0, 7), (0, 3), (0,))))
    batch.backup(*nothing)  # nothing was asked: nothing to say
    with pytest.raises(ValueError, match=r"policy must be a float32 array of shape \[0, 7\], not \[1, 7\]"):
        batch.backup(np.zeros((1, 7), np.float32), *nothing[1:])


@pytest.mark.parametrize(("alpha", "n"), [(0.0, 3), (-1.0, 3), (float("nan"), 3), (float("inf"), 3), (1.0, 0)])
def test_noise_without_a_distribution_is_refused(alpha: float, n: int) -> None:
    with pytest.raises(ValueError, match="finite alpha"):
        Rng(0, 0, 0, "noise").dirichlet(alpha, n)
