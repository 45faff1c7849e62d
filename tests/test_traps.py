"""The traps of searching, each with its number: what went wrong elsewhere and must not here."""

import math
import sys
import threading
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from engines import ENGINES, Engine, Judge, Native, Path, Seen, Textbook, Verdict, at, children, nodes, run
from parity_case import VALUES, Case
from tengen import Game, State, games
from tengen._core import BatchSearch, Rng
from tengen.agent import Agent, Analysis
from tengen.arena import play_match
from tengen.config import ConfigError, SearchConfig
from tengen.elo import Pairing, elo, k_update, ladder
from tengen.evaluator import Evaluation, Hash, Leaves, QueueEvaluator, Rollout
from tengen.players import make_player, search_player
from test_parity import NOT_SEARCH, cases_around, with_option

CONNECT4, TICTACTOE = games.make("connect4"), games.make("tictactoe")
both_engines = pytest.mark.parametrize("engine", ENGINES)
Options = dict[str, Any]


def searched(engine: type[Any], state: State, evaluator: Any = None, **options: Any) -> Engine:
    search: Engine = engine(state, SearchConfig(**options))
    search.run(evaluator or Hash(state.game))
    return search


def judged(engine: type[Any], judge: Judge, state: State | None = None, **options: Any) -> Any:
    """Every leaf is asked for by its path: neither a cache nor a mirror stands between."""
    search = engine(state or CONNECT4.start(), SearchConfig(symmetry=False, cache_mb=0, **options))
    search.judge(judge)
    return search


class Asked:
    """Passes on to Hash and remembers what it was asked."""

    def __init__(self, game: Game) -> None:
        self.keys, self.inner = set[int](), Hash(game)

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        self.keys |= {int(key) for key in leaves.keys}
        return self.inner(leaves)


# --- Terminal positions -----------------------------------------------------------------------------------------------

LATE = "b2 a1 c1 a3 a2"  # four moves are left, and wins for both


@both_engines
def test_trap_1_a_terminal_is_never_expanded(engine: type[Any]) -> None:
    """A position where the game is over was given moves, or sent to the network."""
    root, evaluator = TICTACTOE.from_moves(LATE), Asked(TICTACTOE)
    search = searched(engine, root, evaluator, sims=300, solver=False)
    ends = {path: node for path, node in search.nodes().items() if at(root, path).is_terminal()}
    assert len(ends) > 5 and max(node.visits for node in ends.values()) > 10
    for path, node in ends.items():
        assert node.terminal and not node.expanded and not node.priors
        assert evaluator.keys.isdisjoint(at(root, path).hash(s) for s in range(TICTACTOE.num_symmetries))


@both_engines
def test_trap_2_a_terminal_is_worth_what_the_rules_say(engine: type[Any]) -> None:
    """The network's opinion stood in for the result of the game."""
    root = TICTACTOE.from_moves(LATE)
    # The opinion is wrong everywhere.
    search = judged(engine, lambda path: Verdict(v=0.7, m=33, d=0.1), root, sims=300, solver=False)
    found = search.nodes()
    ends = [path for path in found if at(root, path).is_terminal()]
    assert {at(root, path).outcome() for path in ends} == {-1, 0}
    for path in ends:
        value = at(root, path).outcome()
        assert (found[path].q, found[path].d, found[path].m) == (value, float(value == 0), 0)


def test_trap_3_both_engines_give_the_same_targets() -> None:
    """Two implementations of one search trained the network on different targets."""
    variants: list[Options] = [
        {},
        {"noise_epsilon": 0.25, "forced_playouts": True, "target_pruning": True, "c_init": 0.5},
        {"target_temperature": 0.5},
        {"root": "gumbel", "gumbel_m": 4},
        {"sims": 0},
    ]
    removed = 0
    for options in variants:
        for moves in ("-", "444", "41424"):  # in the last one every move but one loses at once
            state = CONNECT4.from_moves(moves)
            native, textbook = (searched(engine, state, **{"sims": 150, **options}) for engine in ENGINES)
            assert native.target() == textbook.target()
            lost = [a for a, child in children(native.nodes(), ()).items() if child.lo == 1]
            removed += len(lost)
            assert all(native.target()[a] == 0 for a in lost)
    assert removed > 0  # so proven-lost moves were there to be taken out


def test_trap_4_finished_games_are_neither_searched_nor_kept() -> None:
    """A slot whose game was over went on costing evaluations, or handed its tree to the next game."""
    over, going_on = CONNECT4.from_moves("1212121"), CONNECT4.from_moves("12")
    batch = BatchSearch(CONNECT4, 2, SearchConfig(sims=40, solver=False))
    batch.reset(0, over)
    batch.reset(1, going_on)
    while leaves := batch.select():
        assert len(leaves) == 1
        batch.backup(*Hash(CONNECT4)(leaves))
    assert (batch.visits(0), batch.nodes(0), batch.visits(1)) == (0, 1, 40)
    assert batch.finished(0) and batch.node(0).terminal

    agent = Agent(CONNECT4, Hash(CONNECT4), SearchConfig(sims=40, solver=False))
    state = CONNECT4.from_moves("121212")
    agent.act(state)
    batch = agent.search
    batch.advance(0, 0)  # wins
    assert batch.node(0).terminal and batch.nodes(0) == 1 and not batch.select()
    agent.new_game(0, 1)
    agent.act(state)
    assert agent.analyze(state) == Agent(CONNECT4, Hash(CONNECT4), agent.config).analyze(state)
    agent.new_game(0, 2)
    asked = batch.counts()["evaluations"]
    agent.configure(agent.config.replace(sims=0))
    agent.act(state)
    assert batch.nodes(0) == 1 and batch.counts()["evaluations"] == asked  # a fresh tree; its root was in the cache


# --- Values, moves left, first-play urgency ---------------------------------------------------------------------------


def edge_of(search: Native, action: int) -> Any:
    return next(edge for edge in search.batch.node(0).edges if edge.action == action)


@pytest.mark.parametrize(
    ("slope", "cap", "m", "q", "utility"),
    [
        (0.03, 0.15, 5, -0.9, 0.135),
        (0.03, 0.15, 20, -0.5, -0.075),
        (0.03, 0.15, 20, 0.5, 0.075),
        (0.03, 0.15, 5, 0.9, -0.135),
        (0.03, 0.15, 12, 0.8, 0.048),
        (0.02, 0.1, 3, -1, 0.1),
    ],
)
def test_trap_5_moves_left_numbers(slope: float, cap: float, m: float, q: float, utility: float) -> None:
    """The moves-left term with its sign turned hurries into losses. Here the root's M is 10 after two simulations."""
    plies = {(): 28 - m, (0,): m, (1,): 0.0}
    options: Options = {"sims": 2, "fpu_mode": "infinite", "mlh_slope": slope, "mlh_cap": cap}
    search = judged(Native, lambda path: Verdict(q if path == (0,) else 0.0, plies[path]), **options)
    assert search.batch.node(0).m == pytest.approx(10)
    assert edge_of(search, 0).moves_left == pytest.approx(utility, abs=1e-6)


@both_engines
@pytest.mark.parametrize("winning", [True, False])
def test_trap_5_winners_hurry_and_losers_delay(engine: type[Any], winning: bool) -> None:
    """All seven moves are worth the same; they differ in how long the game lasts after them only."""

    def judge(path: Path) -> Verdict:
        sign = 1 if winning == (len(path) % 2 == 0) else -1
        return Verdict(0.9 * sign, m=30 if not path else 40 - 2 * path[0] - len(path))

    options: Options = {"sims": 300, "fpu_mode": "zero", "solver": False, "c_factor": 0}
    search, plain = (judged(engine, judge, mlh_slope=slope, **options) for slope in (0.03, 0))
    visits = [node.visits for node in children(search.nodes(), ()).values()]
    evenly = [node.visits for node in children(plain.nodes(), ()).values()]
    assert max(evenly) - min(evenly) <= 1
    shortest, longest = visits[6], visits[0]
    assert max(visits) == (shortest if winning else longest) > 2 * (longest if winning else shortest)


@both_engines
def test_trap_6_backup_edits_neither_plies_nor_values(engine: type[Any]) -> None:
    """Plies were divided by some maximum, or the moves-left bonus leaked into the mean values."""
    said = dict[Path, Verdict]()

    def judge(path: Path) -> Verdict:
        noise = Rng(1, len(path), sum(path), "opening")
        return said.setdefault(path, Verdict(2 * noise.uniform() - 1, 200 * noise.uniform()))

    search = judged(engine, judge, sims=150, mlh_slope=0.3, mlh_cap=1, solver=False)
    found = search.nodes()
    for path, node in found.items():
        below = children(found, path).values()
        value = said[path].v - sum(child.q * child.visits for child in below)
        plies = said[path].m + sum((child.m + 1) * child.visits for child in below)
        assert node.q * node.visits == pytest.approx(value, abs=1e-4)
        assert node.m * node.visits == pytest.approx(plies, rel=1e-5)
    assert found[()].m > 50


@pytest.mark.parametrize("name", VALUES)
def test_trap_7_every_option_reaches_the_engine(name: str) -> None:
    """An option that was accepted, documented, and never read. Here the C++ search alone."""
    assert {str(row["name"]) for row in SearchConfig.fields()} == set(VALUES) | NOT_SEARCH
    assert any(
        native_results(case) != native_results(with_option(case, name, value))
        for case in cases_around(name)
        for value in VALUES[name]
    )


def native_results(case: Case) -> list[Any]:
    """Like parity_case.results, of the other engine."""
    (state,) = case.starts()
    search = Native(state, case.config, seed=case.seed)
    out = list[Any]()
    for _ in range(case.moves):
        search.run(Hash(state.game))
        if search.batch.node(0).terminal:
            break
        out.append((search.nodes(), search.best(), search.choose(), search.target()))
        search.advance(search.choose())
    return out


def test_trap_8_players_never_share_a_tree() -> None:
    """Both players of a match looked into one tree, so each knew what the other thought."""

    def game_of(agents: Sequence[Agent]) -> list[Analysis]:
        state, found = CONNECT4.start(), list[Analysis]()
        for ply in range(8):
            found.append(agents[ply % len(agents)].analyze(state))
            state.apply(3 if ply < 4 else ply - 4)
        return found

    def agent(seed: int) -> Agent:
        return Agent(CONNECT4, Hash(CONNECT4, seed), SearchConfig(sims=60))

    one, other = agent(1), agent(2)
    together = game_of([one, other])
    assert one.search is not other.search
    alone, fresh = agent(1), agent(1)
    state = CONNECT4.start()
    for ply in range(8):
        if ply % 2 == 0:  # the same searches with nobody on the other side
            assert together[ply] == alone.analyze(state)
        state.apply(3 if ply < 4 else ply - 4)
    two_slots = Agent(CONNECT4, Hash(CONNECT4, 1), SearchConfig(sims=60), slots=2)
    assert two_slots.analyze(CONNECT4.start(), 1) == fresh.analyze(CONNECT4.start())
    assert two_slots.search.nodes(0) == 1


@both_engines
def test_trap_9_values_are_turned_once_per_ply(engine: type[Any]) -> None:
    """A double negation at the leaf made the search seek what is good for the opponent.

    Two moves lead to own-view values −.9 and +.9: the first is the good one, and gets 392 of 400 visits.
    """
    good, bad, never = 2, 4, -1e9

    def judge(path: Path) -> Verdict:
        sign = 1 if len(path) % 2 else -1
        value = 0.0 if not path else (-0.9 if path[0] == good else 0.9) * sign
        return Verdict(value, logits=None if path else [0.0 if a in (good, bad) else never for a in range(7)])

    search = judged(engine, judge, sims=400, fpu_mode="zero", c_init=1.5, c_factor=0)
    moves = children(search.nodes(), ())
    assert {a: node.visits for a, node in moves.items()} == {good: 392, bad: 8}
    assert moves[good].q == pytest.approx(-0.9) and moves[bad].q == pytest.approx(0.9)
    assert search.best() == good


def test_trap_10_first_play_urgency_stays_above_minus_one() -> None:
    """Below −1 an untried move looked worse than a lost one: the losing side stopped looking for a way out."""
    logits = [math.log(0.95), *[math.log(0.05 / 6)] * 6]
    search = judged(Native, lambda path: Verdict(0.7 if path else -0.7, logits=logits), sims=1)
    assert search.batch.node(0).q == pytest.approx(-0.7)
    assert [edge.value for edge in search.batch.node(0).edges if not edge.visits] == [-1.0] * 6

    def lost_for_the_first(path: Path) -> Verdict:
        return Verdict(0.98 if len(path) % 2 else -0.98, logits=[3.0, *[0.0] * 6])

    lost = judged(Native, lost_for_the_first, sims=200, solver=False, fpu_reduction=2)
    assert all(edge.value >= -1 for path in lost.nodes() for edge in lost.batch.node(0, path).edges)
    assert all(edge.visits > 0 for edge in lost.batch.node(0).edges)


# --- Randomness -------------------------------------------------------------------------------------------------------


def noise_of(search: Engine) -> list[float]:
    return list(search.nodes()[()].noise.values())


@both_engines
def test_trap_11_noise_is_drawn_anew_for_every_root_and_only_there(engine: type[Any]) -> None:
    """A reused root kept old noise or none; noise at every depth, or mixed into the final probabilities."""
    search: Engine = engine(CONNECT4.start(), SearchConfig(sims=80, noise_epsilon=0.5, solver=False), seed=5)
    seen = list[list[float]]()
    for ply in range(3):
        search.run(Hash(CONNECT4))
        noise, found = noise_of(search), search.nodes()
        assert noise not in seen and noise == Rng(5, 0, ply, "noise").dirichlet(10.83 / 7, 7)
        seen.append(noise)
        assert all(not any(node.noise.values()) for path, node in found.items() if path)
        moves = children(found, ())
        visits = [moves[a].visits if a in moves else 0 for a in range(7)]
        assert search.target() == [n / sum(visits) for n in visits]
        search.advance(search.best())
    silent: Engine = engine(CONNECT4.start(), SearchConfig(sims=0, noise_epsilon=1))
    silent.run(Hash(CONNECT4))
    assert silent.target() == pytest.approx(list(silent.nodes()[()].priors.values()))


def test_trap_11_below_the_root_the_raw_prior_counts() -> None:
    search = searched(Native, CONNECT4.start(), sims=80, noise_epsilon=1, c_factor=0, c_init=1.5, solver=False)
    assert isinstance(search, Native)
    for path in search.nodes():
        node = search.batch.node(0, path)
        for edge in node.edges:
            prior = edge.prior if path else edge.noise
            assert edge.u == pytest.approx(1.5 * prior * math.sqrt(node.visits) / (1 + edge.visits))


@both_engines
@pytest.mark.parametrize("sims", [0, 1, 5])
@pytest.mark.parametrize("options", [{}, {"root": "gumbel"}, {"target_temperature": 0.3}], ids=str)
def test_trap_12_unvisited_moves_need_no_logarithm_of_zero(engine: type[Any], sims: int, options: Options) -> None:
    """log 0 of moves nobody visited, or whose prior is 0: warnings at best, NaN targets at worst."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        logits = [0.0, 1.0, 2.0, -1e30, -1e30, -1e30, -1e30]
        search = judged(engine, lambda path: Verdict(0.0, logits=logits), sims=sims, temperature_end=0.7, **options)
        target = search.target()
        assert all(math.isfinite(t) for t in target) and sum(target) == pytest.approx(1)
        assert search.choose() in range(3)
        if not options:
            visited = children(search.nodes(), ()) if sims else range(3)
            assert [a for a in range(7) if target[a] > 0] == list(visited)


@both_engines
@pytest.mark.parametrize("options", [{"noise_alpha": 0}, {"noise_alpha": 0.03}, {"noise_total": 0.01}], ids=str)
def test_trap_13_noise_never_shrinks_the_priors(engine: type[Any], options: Options) -> None:
    """ε > 0 with α ≤ 0 drew no noise, yet multiplied every prior by 1 − ε."""
    for moves in ("-", "444444", "4757744575227546572143215164621112"):  # 7, 6 and 2 moves
        state = CONNECT4.from_moves(moves)
        search = searched(engine, state, sims=0, noise_epsilon=0.25, **options)
        noise = noise_of(search)
        assert len(noise) == len(state.legal_actions()) and sum(noise) == pytest.approx(1) and min(noise) >= 0
        if isinstance(search, Native):
            root = search.batch.node(0)
            c = 1.25 + math.log(502 / 500)
            assert sum(edge.u for edge in root.edges) == pytest.approx(c)  # c · Σ P_eff · sqrt(1) / 1
    for bad in ({"noise_alpha": -0.3}, {"noise_total": 0}, {"noise_total": -1}):
        with pytest.raises(ConfigError, match="must be a number from"):
            SearchConfig(noise_epsilon=0.25, **bad)


@pytest.mark.parametrize("mode", ["visits", "loss"])
@pytest.mark.parametrize("options", [{}, {"cache_mb": 0, "solver": False}, {"max_nodes": 30}], ids=str)
def test_trap_14_marks_are_taken_off_exactly_where_they_were_put(mode: str, options: Options) -> None:
    """Virtual loss was undone on nodes that never had it: after collisions, terminals, cache hits, full trees."""
    root = TICTACTOE.from_moves("b2 a1")
    config = SearchConfig(sims=400, leaves=16, virtual_mode=mode, **options)
    search = Native(root, config)
    steps = 0
    while leaves := search.batch.select():
        steps += 1
        found = search.nodes()
        assert found[()].in_flight >= len(leaves)
        for path, node in found.items():
            below = sum(child.in_flight for child in children(found, path).values())
            assert node.in_flight == below if node.expanded else below == 0 and node.in_flight in (0, 1)
        search.batch.backup(*Hash(TICTACTOE)(leaves))
        assert all(node.in_flight == 0 for node in search.nodes().values())
    assert steps > 3


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
    pure: Options = {"sims": 77, "rule": "ucb1", "solver": False, "symmetry": False, "cache_mb": 0}
    assert changed(search_player("mcts:77", games.make("hex:5")).agent.config) == pure
    assert changed(search_player("mcts:77", CONNECT4).agent.config) == {**pure, "c_ucb": 1.0}
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
    rollouts.run_rollouts()
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
    """The tree of a game only grew. One megabyte here is some hundred nodes, for more than 200 plies of Go."""
    game = games.make("go:9")
    budget = 1 << 20
    config = SearchConfig(sims=600, leaves=16, memory_mb=1, cache_mb=1, solver=False, temperature_plies=1000)
    search = Native(game.start(), config)
    state, most, kept = game.start(), 0, 0

    def never_passing(leaves: Leaves, /) -> Evaluation:
        policy, wdl, plies = Hash(game)(leaves)
        policy[:, -1] = -1e9
        return Evaluation(policy, wdl, plies)

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
            target_temperature=max(temperature, 0.01),
            temperature_end=temperature,
            **options,
        )
        target = search.target()
        assert sum(target) == pytest.approx(1) and target[search.best()] > 0.9
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
        plain, turned = (searched(engine, state, Equivariant(), sims=120, symmetry=on) for on in (False, True))
        assert plain.nodes() == turned.nodes()
        batch = BatchSearch(CONNECT4, 1, SearchConfig(symmetry=False))
        batch.reset(0, state)
        (planes,) = batch.select().planes
        assert planes.shape == CONNECT4.planes_shape and np.array_equal(planes, state.planes(0))
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
        policy, _, plies = self.opinion(leaves)
        policy = policy * np.float32(1e6)
        policy[:, self.passing] = -1e9
        drawn = np.tile(np.array([0, 1, 0], np.float32), (len(leaves), 1))
        return Evaluation(policy, drawn, plies)


def test_trap_27_long_lines_do_not_nest_calls() -> None:
    """Recursive descents died on long games. Here a line of 1200 plies of Go, searched, walked, and moved over."""
    game = games.make("go:19")
    search = Native(game.start(), SearchConfig(sims=1200, cache_mb=0, symmetry=False))
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
    search = Textbook(game.start(), SearchConfig(sims=90, cache_mb=0, symmetry=False))
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
