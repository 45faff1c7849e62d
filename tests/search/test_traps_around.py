"""The traps around the search: batches, threads, matches, memory, long games, networks. Numbers as in test_traps.py."""

import math
import sys
import threading
from typing import Any

import numpy as np
import pytest

from support.engines import ENGINES, Native, Path, Seen, Textbook, at, children, nodes, run, searched
from tengen import Game, games
from tengen._core import BatchSearch, Rng
from tengen.config import SearchConfig
from tengen.net.evaluator import Batch, Evaluation, Hash, Leaves, QueueEvaluator, Rollout
from tengen.play.arena import play_match
from tengen.play.elo import Pairing, elo, k_update, ladder
from tengen.play.players import make_player, search_player
from tengen.search.agent import Agent, Analysis

CONNECT4, TICTACTOE = games.make("connect4"), games.make("tictactoe")
both_engines = pytest.mark.parametrize("engine", ENGINES)
Options = dict[str, Any]


# --- Batches, threads, configurations ---------------------------------------------------------------------------------


def test_trap_15_a_partial_batch_is_not_kept_waiting() -> None:
    """A queue waited for a full batch that could never come: one search of one leaf, room for a thousand."""
    with QueueEvaluator(Hash(CONNECT4), max_batch=1000, max_wait=0.001) as queue:
        found = list[Analysis]()
        agent = Agent(CONNECT4, queue, SearchConfig(sims=20))
        thread = threading.Thread(target=lambda: found.append(agent.analyze(CONNECT4.start())), daemon=True)
        thread.start()
        thread.join(timeout=20)
        assert found == [Agent(CONNECT4, Hash(CONNECT4), SearchConfig(sims=20)).analyze(CONNECT4.start())]


def test_trap_16_players_differ_from_the_one_definition_only_where_they_say() -> None:
    """Self-play and arena searched with different constants by accident."""

    def changed(config: SearchConfig) -> dict[str, Any]:
        plain = SearchConfig().to_dict()
        return {name: value for name, value in config.to_dict().items() if value != plain[name]}

    assert {str(row["name"]): row["default"] for row in SearchConfig.fields()} == SearchConfig().to_dict()
    assert changed(search_player("uniform@77", CONNECT4).agent.config) == {"sims": 77}
    pure: Options = {"sims": 77, "rule": "ucb1", "solver": False, "cache_mb": 0}
    assert changed(search_player("mcts:77", games.make("hex:5")).agent.config) == {**pure, "c_init": 1.4}
    assert changed(search_player("mcts:77", CONNECT4).agent.config) == {**pure, "c_init": 1.0}
    derived = search_player("uniform", CONNECT4, settings=["search.c_init=2"]).agent
    assert changed(derived.config) == {"c_init": 2.0} and derived.search.config(0) == derived.config


def test_trap_17_every_game_ply_and_purpose_has_a_stream_of_its_own() -> None:
    """One stream seeded again at every call: all games, or all moves of a game, had identical noise."""
    config = SearchConfig(sims=30, noise_epsilon=0.25, temperature_plies=1000)
    batch = BatchSearch(CONNECT4, 4, config, seed=3)
    for tree in range(4):
        batch.reset(tree, CONNECT4.start(), tree)
    noise = list[list[float]]()
    for _ in range(4):
        run(batch, Hash(CONNECT4))
        for tree in range(4):
            noise.append([edge.noise for edge in batch.node(tree).edges])
            batch.advance(tree, 3)  # the same move, so that only game number and ply differ
    assert len({tuple(n) for n in noise}) == 16
    assert noise == [Rng(3, game, ply, "noise").dirichlet(10.83 / 7, 7) for ply in range(4) for game in range(4)]
    chosen = set()
    for game in range(20):
        batch.reset(0, CONNECT4.start(), game)
        run(batch, Hash(CONNECT4))
        chosen.add(batch.choose(0))
        assert batch.choose(0) == batch.choose(0)
    assert len(chosen) > 1

    rollouts = BatchSearch(CONNECT4, 4, SearchConfig(sims=50), seed=3)
    for tree in range(4):
        rollouts.reset(tree, CONNECT4.start(), tree)
    rollouts.run_rollouts(nearby=False)
    assert len({rollouts.node(tree).q for tree in range(4)}) > 1


@pytest.mark.parametrize("rollouts", [False, True])
def test_trap_18_results_do_not_depend_on_threads(rollouts: bool) -> None:
    """Whoever came first got the number: other moves on another machine."""
    config = SearchConfig(sims=150, leaves=4, noise_epsilon=0.25, temperature_plies=1000)
    found = list[Any]()
    for threads in (1, 2, 4, 4):
        agent = Agent(CONNECT4, Rollout() if rollouts else Hash(CONNECT4), config, slots=24, threads=threads)
        states = [CONNECT4.start() for _ in range(24)]
        for _ in range(2):
            for state, move in zip(states, agent.act_many(states), strict=True):
                state.apply(move)
        agent.act_many(states)
        found.append([nodes(agent.search, tree)[()] for tree in range(24)])
    assert found[0] == found[1] == found[2] == found[3]


# --- Matches ----------------------------------------------------------------------------------------------------------


def test_trap_19_wins_are_counted_by_player() -> None:
    """Colours were swapped every game, but wins went to whoever sat on the first seat."""
    perfect, random = make_player("solver", CONNECT4, slots=6), make_player("random", CONNECT4, slots=6)
    openings = [(3,), (3, 3, 3), (0,)]
    match = play_match(CONNECT4, perfect, random, openings, slots=6)
    assert (match.wins, match.draws, match.losses) == (6, 0, 0) and match.pairs.counts == (0, 0, 0, 0, 3)
    assert {game.side for game in match.games} == {0, 1}
    assert play_match(CONNECT4, random, perfect, openings, slots=6).pairs.counts == (3, 0, 0, 0, 0)


def test_trap_20_elo_has_no_floor() -> None:
    """A rating that could not fall below some number turned losses into gains for nobody."""
    assert k_update(10, 1500, 0)[0] < 10 and sum(k_update(-200, 300, 0)) == pytest.approx(100)
    assert elo(0.001) < -1000 and elo(0.001) == pytest.approx(-elo(0.999)) and elo(0) == -math.inf
    ratings = {row.name: row.elo for row in ladder([Pairing("random", "worse", 99, 100)])}
    assert ratings["worse"] < -500 and ratings["random"] == 0


# --- Long games -------------------------------------------------------------------------------------------------------


def test_trap_22_memory_stays_inside_its_budget_for_a_whole_game() -> None:
    """The tree of a game only grew. Half a megabyte here is some hundred nodes, for more than 200 plies of Go."""
    game = games.make("go:9")
    budget = 1 << 20
    config = SearchConfig(sims=600, leaves=16, max_nodes=380, cache_mb=1, solver=False, temperature_plies=1000)
    search = Native(game.start(), config)
    state, most, kept = game.start(), 0, 0

    def never_passing(leaves: Leaves, /) -> Evaluation:
        answer = Hash(game)(leaves)
        answer.policy[:, -1] = -1e9
        return answer

    while state.ply() < 210:
        search.run(never_passing)
        assert search.visits() >= 600
        most = max(most, search.batch.nodes(0))
        assert search.batch.bytes(0) <= budget // 2  # one tree, and as much to move it into
        action = search.choose()
        search.advance(action)
        state.apply(action)
        visited = [edge.visits for edge in search.batch.node(0).edges]
        assert search.batch.nodes(0) <= 1 + sum(visited) + len(visited)  # what is below the new root, nothing else
        kept += search.batch.nodes(0)
    assert most < 600 and kept > 210


@both_engines
def test_trap_23_small_temperatures_do_not_overflow(engine: type[Any]) -> None:
    """N^(1/T) is infinite for T = 0.01 and 2000 visits, and ∞/∞ is no probability."""
    options: Options = {"sims": 2000 if engine is Native else 300, "solver": False, "c_init": 4}
    for temperature in (1e-5, 1e-3, 0.01):
        search = searched(
            engine,
            CONNECT4.start(),
            temperature_end=temperature,
            **options,
        )
        assert search.choose() == search.best()
        assert min(node.visits for node in children(search.nodes(), ()).values()) > 1


# --- Boards -----------------------------------------------------------------------------------------------------------


class Equivariant:
    """A made-up network for Connect4 that turns with the board, exactly: its weights are small whole numbers.

    Rows and columns weigh differently, so a board with width and height mixed up gets other answers.
    """

    def __init__(self) -> None:
        rng = np.random.default_rng(4)
        planes, rows, cols = CONNECT4.planes_shape
        assert (rows, cols) == (6, 7)
        self.rows = rng.integers(-8, 8, (planes, rows)).astype(np.float32) / 8
        half = rng.integers(-8, 8, (planes, rows, 4)).astype(np.float32) / 1024
        self.value = np.concatenate([half, half[:, :, 2::-1]], axis=2)  # the same seen in a mirror
        self.column = np.array([0, 0.5, 0.25, 1, 0.25, 0.5, 0], np.float32)

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        planes = leaves.planes
        assert planes.shape[1:] == CONNECT4.planes_shape
        policy = np.einsum("lprc,pr->lc", planes, self.rows) + self.column
        value = np.clip(np.einsum("lprc,prc->l", planes, self.value), -1, 1)
        wdl = np.stack([(1 + value) / 2, 0 * value, (1 - value) / 2], axis=1)
        return Evaluation(policy.astype(np.float32), wdl.astype(np.float32), np.ones(len(leaves), np.float32))


@both_engines
def test_trap_25_width_and_height_are_not_mixed_up(engine: type[Any]) -> None:
    """Connect4's board is 6 high and 7 wide: planes, policy and mirror images all have to know."""
    for moves in ("-", "77", "1234", "47"):
        state = CONNECT4.from_moves(moves)
        for path, node in searched(engine, state, Equivariant(), sims=120).nodes().items():
            if node.expanded:  # whatever symmetry it was shown under, the answer is that for the position itself
                seen = at(state, path)
                ((*logits,),) = Equivariant()(Batch(seen.planes(0)[None], np.zeros(1, np.uint64))).policy.tolist()
                powers = [math.exp(logits[action]) for action in seen.legal_actions()]
                assert list(node.priors.values()) == pytest.approx([power / sum(powers) for power in powers])
        batch = BatchSearch(CONNECT4, 1, SearchConfig())
        batch.reset(0, state)
        (shown,) = batch.select().planes
        planes = state.planes(0)
        assert planes.shape == CONNECT4.planes_shape and any(np.array_equal(shown, state.planes(s)) for s in (0, 1))
        for ply, column in enumerate(state.moves()):
            height = state.moves()[:ply].count(column)
            own = ply % 2 == len(state.moves()) % 2
            assert [planes[side][5 - height][column] for side in (0, 1)] == [own, not own]


# --- Networks ---------------------------------------------------------------------------------------------------------


def test_trap_26_nothing_of_an_old_network_is_left_in_the_cache() -> None:
    """After a new network the cache went on answering with the old one's opinions."""
    config = SearchConfig(sims=100)

    def after(*networks: int) -> dict[Path, Seen]:
        batch = BatchSearch(CONNECT4, 1, config)
        for network in networks:
            batch.set_network(network)
            batch.reset(0, CONNECT4.start())
            run(batch, Hash(CONNECT4, network))
        return nodes(batch, 0)

    assert after(1, 2) == after(2) != after(1)
    assert after(2, 1, 2) == after(2)


class Straight:
    """Hash's opinion, but certain of it: one move has all of the prior, so every simulation goes one ply deeper."""

    def __init__(self, game: Game) -> None:
        self.opinion, self.passing = Hash(game), game.num_actions - 1

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        policy, _, plies, _ = self.opinion(leaves)
        policy = policy * np.float32(1e6)
        policy[:, self.passing] = -1e9
        drawn = np.tile(np.array([0, 1, 0], np.float32), (len(leaves), 1))
        return Evaluation(policy, drawn, plies)


def test_trap_27_long_lines_do_not_nest_calls() -> None:
    """Recursive descents died on long games. Here a line of 1200 plies of Go, searched, walked, and moved over."""
    game = games.make("go:19")
    search = Native(game.start(), SearchConfig(sims=1200, cache_mb=0))
    search.run(Straight(game))
    assert search.batch.nodes(0) == 1201
    line, state = list[int](), game.start()
    while visited := [edge.action for edge in search.batch.node(0, line).edges if edge.visits]:
        (action,) = visited
        line.append(action)
        state.apply(action)
    assert len(line) == 1200
    search.advance(line[0])
    assert search.batch.nodes(0) == 1200 and search.batch.node(0, line[1:]).visits == 1


def test_trap_27_the_textbook_needs_no_deep_stack() -> None:
    game = games.make("go:5")
    search = Textbook(game.start(), SearchConfig(sims=90, cache_mb=0))
    depth, frame = 0, sys._getframe().f_back
    while frame:
        depth, frame = depth + 1, frame.f_back
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 50)
    try:
        search.run(Straight(game))
        search.advance(search.best())
    finally:
        sys.setrecursionlimit(limit)
    assert max(map(len, search.nodes())) > 70
