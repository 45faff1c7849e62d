"""What must not harm whoever searches: no memory, planes that are kept, a second thread.

Where the old answer was a crash, it runs in a process of its own.
"""

import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

from support.scripts import output, process
from tengen import games
from tengen._core import BatchSearch, SelfPlay
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.net.evaluator import Evaluation, Leaves, Rollout, Uniform
from tengen.search.agent import Agent

CONNECT4, GOMOKU = games.make("connect4"), games.make("gomoku:15")
PATIENCE = 20  # seconds
PROOFS = SearchConfig(sims=100_000, leaves=64, prove_nodes=1_000_000, max_nodes=9_000)  # a batch proves for a minute


# --- Memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_memory_that_runs_out_in_a_thread_of_the_search_is_a_memory_error() -> None:
    """A Gumbel root lists a billion simulations, in each of four threads."""
    script = """
        plenty = SearchConfig(sims=10**9, rule="gumbel", max_nodes=20_000, cache_mb=0)
        few = plenty.replace(sims=50)
        search = BatchSearch(game, 16, plenty, threads=4)
        no_more_memory(512)
        for _ in range(3):
            leaves = search.select()
            try:
                search.step(*Hash(game)(leaves))
            except MemoryError:
                print("no memory")
            assert all(search.node(tree).in_flight == 0 for tree in range(16))
        for tree in range(16):
            search.configure(tree, few)
        leaves = search.select()
        while leaves:
            leaves = search.step(*Hash(game)(leaves))
        print({search.visits(tree) for tree in range(16)})
    """
    assert output(script) == "no memory\nno memory\nno memory\n{50}"


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_a_configuration_without_memory_for_it_changes_nothing() -> None:
    script = """
        search = BatchSearch(game, 4000, SearchConfig(sims=20, max_nodes=90), threads=2)
        no_more_memory(200)
        wide = SearchConfig(sims=20, max_nodes=90, leaves=1024)
        try:
            for tree in range(4000):
                search.configure(tree, wide)
        except MemoryError:
            print("no memory")
        leaves = search.select()
        while leaves:
            leaves = search.step(*Uniform(game)(leaves))
        print({search.visits(tree) for tree in range(4000)})
    """
    assert output(script) == "no memory\n{20}"


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_threads_that_the_system_does_not_give_are_an_error() -> None:
    """Those that had begun are not waited for in vain."""
    script = """
        no_more_memory(300)
        try:
            BatchSearch(game, 1024, SearchConfig(max_nodes=350, cache_mb=0), threads=1024)
        except (RuntimeError, MemoryError) as error:
            print("refused")
    """
    assert output(script) == "refused"


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_the_command_line_says_in_one_line_that_memory_is_too_small() -> None:
    script = """
        from tengen.cli import main
        no_more_memory(512)
        code = main(["analyze", "connect4", "-", "--player", "mcts:100", "--set", "search.max_nodes=400000000"])
        print(code)
    """
    with process(script) as running:
        out, errors = running.communicate(timeout=60)
    assert out == "2\n" and errors.count("\n") == 1 and errors.startswith("tengen analyze: not enough memory")


def test_planes_and_keys_that_are_kept_outlive_a_configuration_and_the_search() -> None:
    """Once a search needs more room, nobody writes to what it lent before, or gives it back to the system."""
    script = """
        search = BatchSearch(game, 64, SearchConfig(sims=200, max_nodes=5000, cache_mb=0))
        kept = []
        for leaf_count in (4, 16, 64, 256, 1024):
            for tree in range(64):
                search.configure(tree, SearchConfig(sims=200, leaves=leaf_count, max_nodes=5000))
                search.reset(tree, game.from_moves("1234567"[: tree % 8]), tree)
            leaves = search.select()
            leaves = search.step(*Hash(game)(leaves))
            kept.append((leaves, leaves.planes, leaves.keys, leaves.planes.copy(), leaves.keys.copy()))
            junk = [np.full(size, 7, np.float32) for size in (10**4, 10**5, 10**6, 10**7)]
        del search
        gc.collect()
        for leaves, planes, keys, planes_then, keys_then in kept:
            assert len(leaves) == len(planes) == len(keys) > 8
            assert np.array_equal(planes, planes_then) and np.array_equal(keys, keys_then)
            assert np.array_equal(leaves.planes, planes_then) and np.array_equal(leaves.keys, keys_then)
        print("all there")
    """
    assert output(script) == "all there"


def test_lent_planes_are_not_copies() -> None:
    search = BatchSearch(CONNECT4, 4, SearchConfig(sims=50))
    leaves = search.select()
    planes, again = leaves.planes, leaves.planes
    assert np.shares_memory(planes, again) and not planes.flags.owndata and not planes.flags.writeable
    following = search.step(*Uniform(CONNECT4)(leaves))
    assert np.shares_memory(planes, following.planes)


# --- Threads ----------------------------------------------------------------------------------------------------------


def in_a_proof(agent: Agent, works: Callable[[], None]) -> None:
    """Calls `works` while another thread is inside the search, and ends that one."""
    inside, thread = threading.Event(), threading.Thread(target=lambda: agent.act(GOMOKU.start()), daemon=True)
    ask = agent.evaluator
    asked = 0

    def evaluator(leaves: Leaves, /) -> Evaluation:
        nonlocal asked
        asked += 1
        if asked == 2:  # the root's children: they are proven next
            inside.set()
        assert not isinstance(ask, Rollout)
        return ask(leaves)

    agent.evaluator = evaluator
    thread.start()
    try:
        assert inside.wait(PATIENCE)
        threading.Event().wait(0.2)
        works()
    finally:
        for _ in range(20 * PATIENCE):
            agent.stop()
            thread.join(timeout=0.05)
            if not thread.is_alive():
                break
    assert not thread.is_alive(), "stop() was not heard"


def test_a_second_thread_in_the_same_search_is_refused() -> None:
    agent = Agent(GOMOKU, Uniform(GOMOKU), PROOFS)
    search = agent.search
    nothing = [np.zeros(shape, np.float32) for shape in ((0, 225), (0, 3), (0,))]
    calls: list[Callable[[], object]] = [
        search.select,
        search.cancel,
        search.counts,
        lambda: search.run_rollouts(nearby=False),
        lambda: search.backup(*nothing),
        lambda: search.step(*nothing),
        lambda: search.set_network(1),
        lambda: search.activate([0]),
        lambda: search.config(0),
        lambda: search.configure(0, PROOFS),
        lambda: search.reset(0, GOMOKU.start()),
        lambda: search.advance(0, 112),
        lambda: search.finished(0),
        lambda: search.visits(0),
        lambda: search.best(0),
        lambda: search.choose(0),
        lambda: search.target(0),
        lambda: search.worth(0),
        lambda: search.node(0),
        lambda: search.nodes(0),
        lambda: search.bytes(0),
    ]

    def works() -> None:
        for call in calls:
            with pytest.raises(RuntimeError, match="another thread is inside this search: only stop"):
                call()
        with pytest.raises(RuntimeError, match="this agent is searching in another thread"):
            agent.run([0])
        assert search.trees == 1

    in_a_proof(agent, works)
    assert search.node(0).in_flight == 0 and search.visits(0) >= 1  # and now it may be looked at
    agent.configure(PROOFS.replace(prove_nodes=0, sims=300))
    agent.act(GOMOKU.start())
    assert search.visits(0) == 300


def test_a_second_thread_in_the_same_games_is_refused() -> None:
    play = SelfPlay(GOMOKU, 1, PROOFS.replace(leaves=1), SelfPlayConfig())
    leaves = play.select()
    leaves = play.step(*Uniform(GOMOKU)(leaves))
    answers = Uniform(GOMOKU)(leaves)
    thread = threading.Thread(target=lambda: play.backup(*answers))
    thread.start()
    try:
        refused = 0
        while thread.is_alive():
            for call in (play.play_counts, play.take_records, lambda: play.under_way(1)):
                try:
                    call()
                except RuntimeError as error:
                    assert "another thread is inside" in str(error)
                    refused += 1
            if refused > 10:
                play.stop()
    finally:
        thread.join()
    assert refused > 10 and play.play_counts()["games"] == 0
