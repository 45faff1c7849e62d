"""The traps of searching, each with its number: what went wrong elsewhere and must not here."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from test_parity import NOT_SEARCH, cases_around, with_option

from support.engines import ENGINES, Engine, Native, Path, Verdict, at, children, judged, searched
from support.parity_case import VALUES, Case
from tengen import Game, games
from tengen._core import BatchSearch, Rng
from tengen.config import ConfigError, SearchConfig
from tengen.net.evaluator import Evaluation, Hash, Leaves
from tengen.search.agent import Agent, Analysis

CONNECT4, TICTACTOE = games.make("connect4"), games.make("tictactoe")
both_engines = pytest.mark.parametrize("engine", ENGINES)
Options = dict[str, Any]


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
        {"noise_epsilon": 0.25, "c_init": 0.5},
        {"rule": "gumbel"},
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


@both_engines
def test_trap_11_below_the_root_the_raw_prior_counts(engine: type[Any]) -> None:
    """With one leaf at a time, what is below a root move is the noiseless search of the position it leads to."""
    noisy = searched(engine, CONNECT4.start(), sims=120, noise_epsilon=1, solver=False).nodes()
    for action, child in children(noisy, ()).items():
        alone = searched(engine, at(CONNECT4.start(), (action,)), sims=child.visits - 1, solver=False)
        assert alone.nodes() == {path[1:]: node for path, node in noisy.items() if path[:1] == (action,)}


@both_engines
@pytest.mark.parametrize("sims", [0, 1, 5])
@pytest.mark.parametrize("options", [{}, {"rule": "gumbel"}], ids=str)
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
@pytest.mark.parametrize("options", [{"noise_alpha": 0}, {"noise_alpha": 0.001}], ids=str)
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
    with pytest.raises(ConfigError, match="must be a number from"):
        SearchConfig(noise_epsilon=0.25, noise_alpha=-0.3)


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
