"""A whole training of tic-tac-toe, from random weights to perfect play, judged by exhaustive search."""

from functools import cache
from pathlib import Path

import pytest

from tengen import games
from tengen.games import State
from tengen.net.evaluator import make_evaluator
from tengen.run.events import Ended, Event
from tengen.run.folder import RunDirectory
from tengen.run.settings import RunConfig
from tengen.search.agent import Agent
from tengen.train.loop import Trainer

pytestmark = pytest.mark.slow

GAME = games.make("tictactoe")
STEPS = 800  # seeds 0, 1 and 2 make no mistake from 190, 390 and 580 on: the rest is margin
SIMS = 50
AT_ONCE = 256


@cache
def value(moves: tuple[int, ...]) -> int:
    """The game's value for the side to move, by looking at every continuation."""
    state = after(moves)
    return int(state.outcome()) if state.is_terminal() else max(-value((*moves, a)) for a in state.legal_actions())


def after(moves: tuple[int, ...]) -> State:
    state = GAME.start()
    for action in moves:
        state.apply(action)
    return state


def reachable() -> list[State]:
    """Every position in which somebody has to move, once."""
    found: dict[str, State] = {}
    open_ends = [GAME.start()]
    while open_ends:
        state = open_ends.pop()
        if state.is_terminal() or state.position_text() in found:
            continue
        found[state.position_text()] = state
        for action in state.legal_actions():
            following = state.copy()
            following.apply(action)
            open_ends.append(following)
    return list(found.values())


def mistakes(agent: Agent, positions: list[State]) -> list[str]:
    """The positions in which the agent's move gives away what the position was worth."""
    found = []
    for first in range(0, len(positions), AT_ONCE):
        part = positions[first : first + AT_ONCE]
        for slot in range(len(part)):
            agent.new_game(slot, first + slot)
        for state, action in zip(part, agent.act_many(part), strict=True):
            moves = tuple(state.moves())
            if -value((*moves, action)) < value(moves):
                found.append(f"{state.moves_text()} {state.move_text(action)}")
    return found


def test_tictactoe_is_learned_to_perfection(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "run")
    config = RunConfig.of(GAME).with_settings([f"loop.steps={STEPS}", "measure.every=1000"])
    events: list[Event] = []
    with run.locked():
        run.configure(config)
        Trainer(run, events.append).train()
    assert isinstance(events[-1], Ended) and events[-1].step == STEPS

    positions = reachable()
    assert len(positions) == 4520  # known from elsewhere: 5478 positions, 958 of them final
    evaluator = make_evaluator(run.current, GAME)
    agent = Agent(GAME, evaluator, config.arena_search.replace(sims=SIMS), slots=AT_ONCE)
    assert mistakes(agent, positions) == []
