"""The compiled module lets go of everything: what a program has used is gone when it ends."""

import pytest

from support.scripts import process

USES = """
    import threading
    from tengen import _core
    from tengen.config import SelfPlayConfig
    from tengen.records.selfplay import Actor

    _core.report_leaks()
    config = SearchConfig(sims=20)
    Agent(game, Hash(game), config).act(game.start())
    Agent(game, Rollout(), config).act(game.start())
    actor = Actor(game, config, SelfPlayConfig(), slots=2, seed=0, threads=1)
    actor.set_evaluator(Uniform(game), "0" * 64)
    records = actor.play(lambda counts: counts["games"] > 0)
    solver = _core.Connect4Solver()
"""
HOLDS = """
    threading.Thread(target=lambda state: threading.Event().wait(), args=(game.start(),), daemon=True).start()
"""


@pytest.mark.parametrize("holds", [False, True], ids=["nothing is held", "a thread holds a state"])
def test_what_is_not_held_is_gone_at_exit(holds: bool) -> None:
    with process(USES + HOLDS * holds) as running:
        said = running.communicate()[1]
    assert running.returncode == 0 and ("leaked instance" in said) == holds, said
    assert holds or not said
