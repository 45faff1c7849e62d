"""A stop, or Ctrl-C, is heard in the midst of proofs, of plies of full search, and of playouts."""

import signal
import sys
import textwrap
import threading

import pytest

from support.scripts import process
from tengen import games
from tengen.config import SearchConfig
from tengen.net.evaluator import Evaluation, Hash, Leaves, Uniform
from tengen.search.agent import Agent

GOMOKU = games.make("gomoku:15")
PATIENCE = 20  # seconds; unheard, each of these takes a minute at least
LONG = {
    "a batch of proofs": {"leaves": 64, "prove_nodes": 1_000_000},
    "one look ahead": {"lookahead": 4},
}


@pytest.mark.parametrize("what", LONG)
def test_a_stop_is_heard_inside_what_takes_long(what: str) -> None:
    config = SearchConfig(sims=100_000, max_nodes=9_000, **LONG[what])
    agent = Agent(GOMOKU, Uniform(GOMOKU), config)
    began = threading.Event()

    def evaluator(leaves: Leaves, /) -> Evaluation:
        began.set()
        return Uniform(GOMOKU)(leaves)

    agent.evaluator = evaluator
    thread = threading.Thread(target=lambda: agent.act(GOMOKU.start()), daemon=True)
    thread.start()
    assert began.wait(PATIENCE)
    for _ in range(4 * PATIENCE):
        thread.join(timeout=0.25)
        if not thread.is_alive():
            break
        agent.stop()
    assert not thread.is_alive(), "stop() was not heard"
    assert agent.search.node(0).in_flight == 0
    agent.configure(config.replace(sims=200, prove_nodes=0, lookahead=0))
    agent.act(GOMOKU.start())
    assert agent.search.visits(0) == 200


def test_stopped_proofs_claim_nothing_false() -> None:
    """Stopped at every turn, what a search claims to have proven is what the rules say."""
    start = games.make("hex:4").start()
    worth = {}
    for action in start.legal_actions():
        child = start.copy()
        child.apply(action)
        worth[action] = child.prove(10**8)
    agent = Agent(start.game, Hash(start.game), SearchConfig(sims=400, leaves=8, prove_nodes=5000))
    over = threading.Event()

    def disturb() -> None:
        while not over.wait(0.001):
            agent.stop()

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        agent.set_root(start)
        while not agent.search.finished(0):
            agent.run([0])
            assert agent.search.node(0).in_flight == 0
    finally:
        over.set()
        thread.join()
    agent.configure(agent.config.replace(sims=4000))
    agent.run([0])  # and in peace it finds more
    claims = {edge.action: edge.lo for edge in agent.search.node(0).edges if edge.lo == edge.hi}
    assert claims and claims == {action: worth[action] for action in claims}


CTRL_C = {
    "a batch of proofs": """
        agent = Agent(games.make("gomoku:15"), Uniform(games.make("gomoku:15")),
                      SearchConfig(sims=100_000, leaves=64, prove_nodes=1_000_000))
        agent.act(games.make("gomoku:15").start())
    """,
    "plies of full search": """
        agent = Agent(games.make("gomoku:15"), Uniform(games.make("gomoku:15")), SearchConfig(lookahead=4))
        agent.act(games.make("gomoku:15").start())
    """,
    "rollouts": """
        agent = Agent(game, Rollout(), SearchConfig(sims=10**9, solver=False))
        agent.act(game.start())
    """,
}


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to a process")
@pytest.mark.parametrize("what", CTRL_C)
def test_one_ctrl_c_ends_a_search_in_the_main_thread(what: str) -> None:
    body = textwrap.indent(textwrap.dedent(CTRL_C[what]), "    ")
    script = f'print("ready", flush=True)\ntry:\n{body}\nexcept KeyboardInterrupt:\n    print("interrupted")\n'
    with process(script) as running:
        assert running.stdout is not None and running.stdout.readline() == "ready\n"
        threading.Event().wait(1)
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=PATIENCE)
        assert out == "interrupted\n" and running.returncode == 0, errors[-2000:]
