"""Where a game is settled, every search knows the result; both sides pass instead of filling an own eye."""

from typing import Any

import pytest

from tengen import games
from tengen._core import Probe, SearchConfig
from tengen.net.evaluator import Evaluator, Hash, Uniform
from tengen.search.agent import Agent
from tengen.search.reference import RuleProbe

# Black has 28 points, White 21: every empty point is one of two eyes.
FINISHED = ".XXXOO./XXXXOOO/XXXXOOO/XXXXOOO/XXXXOOO/XXXXOOO/.XXXOO."
SETTINGS: list[dict[str, Any]] = [
    {"rule": "puct"},
    {"rule": "puct", "noise_epsilon": 0.25, "temperature": 1.0, "temperature_plies": 500},
    {"rule": "puct", "fpu_mode": "infinite", "leaves": 4},
    {"rule": "puct", "lookahead": 2, "mlh_slope": 0.1},
    {"rule": "gumbel"},
    {"rule": "ucb1"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize(("side", "komi"), [("X", 6.5), ("O", 7.5), ("X", 7.5), ("O", 6.5), ("X", 7)])
def test_whoever_is_to_move_passes(side: str, komi: float, settings: dict[str, Any]) -> None:
    game = games.make("go:7", komi=komi)
    evaluators: list[Evaluator] = [Uniform(game), Hash(game)]
    for seed, evaluator in enumerate(evaluators):
        agent = Agent(game, evaluator, SearchConfig(sims=4, **settings), seed=seed)
        for words in ("", " passes=1"):
            state = game.position(f"{FINISHED} {side}{words}")
            assert state.settled() and state.move_text(agent.act(state)) == "pass"


@pytest.mark.parametrize(("komi", "value"), [(6.5, 1), (7, 0), (7.5, -1)])
def test_both_probes_know_the_result_but_not_the_distance(komi: float, value: int) -> None:
    game = games.make("go:7", komi=komi)
    for side, sign in (("X", 1), ("O", -1)):
        state = game.position(f"{FINISHED} {side}")
        for probe in (Probe(game), RuleProbe(game)):
            for lookahead in (0, 1):
                probe.limit(lookahead, 0)
                assert probe(state, None) == (sign * value, sign * value, None)
