"""The agent: one or many positions, what it reports, which trees it keeps."""

from typing import Any

import pytest

from support.engines import Native, at, nodes, searched
from support.parity_case import GAMES, opening
from tengen import Game, GameError, State, games
from tengen.config import ConfigError, SearchConfig
from tengen.net.evaluator import Evaluation, Hash, Leaves, Rollout, Uniform, make_evaluator
from tengen.net.file import NetworkError
from tengen.preset import network_search
from tengen.search.agent import Agent

CONNECT4, TICTACTOE = games.make("connect4"), games.make("tictactoe")


def agent_of(game: Game = CONNECT4, **options: Any) -> Agent:
    return Agent(game, Hash(game), SearchConfig(**{"sims": 80, **options}), slots=4)


def line_is_legal(state: State, line: tuple[str, ...]) -> bool:
    state = state.copy()
    for text in line:
        state.apply(state.parse_move(text))  # raises when it is not
    return True


@pytest.mark.parametrize("id", GAMES)
def test_an_analysis_says_what_the_tree_knows(id: str) -> None:
    game, state = games.make(id), opening(id, 6, "analysis")
    agent = agent_of(game)
    analysis = agent.analyze(state)
    assert analysis == agent.report(state) == agent.analyze(state)  # nothing more to search
    assert sorted(move.action for move in analysis.moves) == state.legal_actions()
    assert analysis.moves[0].action == analysis.best == agent.act(state)
    assert sum(move.visits for move in analysis.moves) == analysis.visits
    assert sum(move.share for move in analysis.moves) == pytest.approx(1)
    assert sum(analysis.wdl) == pytest.approx(1) and analysis.wdl[0] - analysis.wdl[2] == pytest.approx(analysis.q)
    for move in analysis.moves:
        assert move.text == state.move_text(move.action) == move.pv[0] and line_is_legal(state, move.pv)
        assert -1 <= move.q <= 1 and sum(move.wdl) == pytest.approx(1) and move.lcb <= move.q + 1e-9
        assert 1 <= len(move.pv) <= 20 and (move.visits or len(move.pv) == 1)


def test_proven_moves_are_named() -> None:
    state = CONNECT4.from_moves("414242")  # a win in one, for the side that is about to make four
    analysis = Agent(CONNECT4, Uniform(CONNECT4), SearchConfig(sims=500)).analyze(state)
    best = analysis.moves[0]
    assert (best.text, best.proven, best.q, best.plies, best.wdl, best.pv) == ("4", "win", 1, 1, (1, 0, 0), ("4",))
    threatened = CONNECT4.from_moves("41424")
    found = {m.text: m for m in Agent(CONNECT4, Uniform(CONNECT4), SearchConfig(sims=500)).analyze(threatened).moves}
    losing = [move for text, move in found.items() if text != "4"]
    assert all((move.proven, move.q, move.plies) == ("loss", -1, 2) for move in losing if move.visits)
    assert any(move.visits for move in losing) and found["4"].proven != "loss"


def test_many_positions_at_once_are_the_same_as_one_by_one() -> None:
    states = [opening("connect4", 10, f"{i}") for i in range(4)]
    agent = agent_of(temperature_plies=1000, noise_epsilon=0.25)
    moves = agent.act_many(states)
    for slot, state in enumerate(states):
        alone = agent_of(temperature_plies=1000, noise_epsilon=0.25)
        alone.new_game(0, slot)
        assert alone.act(state) == moves[slot]
    assert agent_of(temperature_plies=1000, noise_epsilon=0.25).act_many(states[2:], [2, 3]) == moves[2:]


def tree_after(agent: Agent, state: State) -> Any:
    agent.act(state)
    return nodes(agent.search, 0)


def test_trees_follow_the_game_and_start_again_elsewhere() -> None:
    agent, state = agent_of(sims=200), CONNECT4.start()
    agent.act(state)
    inherited = nodes(agent.search, 0)[(3,)].visits - 1
    state.apply(3)
    agent.set_root(state)
    assert agent.search.visits(0) == inherited > 0
    two_on = CONNECT4.from_moves("426")
    fresh = tree_after(agent_of(sims=200), two_on)
    agent.act(two_on)  # two plies on: what is known of it is kept
    assert agent.search.visits(0) == 200 and agent.search.nodes(0) <= 201

    for elsewhere in ("42", "-", "5"):  # undo, the start again, another branch
        other = CONNECT4.from_moves(elsewhere)
        assert tree_after(agent, other) == tree_after(agent_of(sims=200), other)
    same_by_other_moves = CONNECT4.from_moves("624")
    assert same_by_other_moves.position_text() == two_on.position_text()
    assert tree_after(agent, same_by_other_moves) == fresh


def test_a_position_from_text_is_a_root_too() -> None:
    text = CONNECT4.from_moves("4433").position_text()
    agent = agent_of()
    agent.act(CONNECT4.from_moves("4433"))
    state = CONNECT4.position(text)
    assert tree_after(agent, state) == tree_after(agent_of(), state)
    agent.set_root(at(state, (4,)))
    assert agent.search.visits(0) > 0  # it follows from the last one


def test_an_agent_refuses_what_is_not_its_own() -> None:
    agent = agent_of()
    agent.act(CONNECT4.start())
    before = nodes(agent.search, 0)
    with pytest.raises(GameError, match="this agent plays connect4, the position is of tictactoe"):
        agent.act(TICTACTOE.from_moves("a1"))
    with pytest.raises(ValueError, match="a slot of its own"):
        agent.act_many([CONNECT4.start(), CONNECT4.from_moves("4")], [1, 1])
    with pytest.raises(IndexError):
        agent.act(CONNECT4.start(), slot=4)
    with pytest.raises(ValueError):
        agent.act_many([CONNECT4.start()], [0, 1])
    assert nodes(agent.search, 0) == before


def test_options_can_change_between_searches() -> None:
    agent = agent_of(sims=50)
    agent.act(CONNECT4.start())
    agent.configure(agent.config.replace(sims=120))
    assert agent.analyze(CONNECT4.start()).visits == 120
    assert nodes(agent.search, 0) == searched(Native, CONNECT4.start(), sims=120).nodes()  # as if asked for in one go


def test_rollouts_know_the_rules() -> None:
    """Random playouts from a position with one move that wins at once: the other side's chances are worse."""
    state = CONNECT4.from_moves("414242")
    agent = Agent(CONNECT4, Rollout(), SearchConfig(sims=300, solver=False))
    analysis = agent.analyze(state)
    assert analysis.moves[0].text == "4" and analysis.moves[0].q == 1 and analysis.moves[0].plies == 1
    assert analysis.q > 0.5 and analysis.visits == 300


def test_an_agent_survives_its_evaluator() -> None:
    failing = True

    def evaluate(leaves: Leaves, /) -> Evaluation:
        if failing and leaves.planes.sum() > 3:
            raise RuntimeError("network gone")
        return Hash(CONNECT4)(leaves)

    agent = Agent(CONNECT4, evaluate, SearchConfig(sims=100, cache_mb=0))
    with pytest.raises(RuntimeError, match="network gone"):
        agent.act(CONNECT4.start())
    failing = False
    whole = Agent(CONNECT4, Hash(CONNECT4), SearchConfig(sims=100, cache_mb=0))
    assert agent.analyze(CONNECT4.start()) == whole.analyze(CONNECT4.start())


def test_a_network_is_searched_as_its_game_is_played() -> None:
    """The README's own position: a win that the preset's proofs find in a few visits, and a bare config in none."""
    network = make_evaluator("shipped", CONNECT4)
    agent = Agent(CONNECT4, network, sims=2000)
    assert agent.config == network_search(CONNECT4, slots=1).replace(sims=2000)
    best = agent.analyze(CONNECT4.from_moves("4433")).moves[0]
    assert (best.text, best.proven) == ("2", "win") and best.visits < 100
    assert Agent(CONNECT4, network, SearchConfig(sims=7)).config == SearchConfig(sims=7)
    assert Agent(CONNECT4, network, SearchConfig(sims=7), solver=False).config == SearchConfig(sims=7, solver=False)
    assert Agent(CONNECT4, network, slots=4).config == network_search(CONNECT4, slots=4)
    assert Agent(CONNECT4, Uniform(CONNECT4), sims=7).config == SearchConfig(sims=7)


def test_wrong_options_and_missing_networks_are_one_line() -> None:
    with pytest.raises(ConfigError, match="simulations"):
        Agent(CONNECT4, Uniform(CONNECT4), simulations=5)
    with pytest.raises(NetworkError, match="no network ships for go:19"):
        make_evaluator("shipped", games.make("go:19"))
