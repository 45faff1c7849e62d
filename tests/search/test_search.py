"""The native search and the agent: numbers, invariants of trees, proofs, errors, budgets, and what is kept."""

import math
import random
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from support.engines import Native, Path, Seen, Verdict, at, children, judged, nodes, run, searched
from support.parity_case import GAMES, opening
from tengen import GameError, State, games
from tengen._core import BatchSearch
from tengen.config import SearchConfig
from tengen.net.evaluator import Hash, Uniform
from tengen.search.agent import Agent

CONNECT4, TICTACTOE = games.make("connect4"), games.make("tictactoe")
Options = dict[str, Any]


# --- Published numbers, read off the native tree ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "visits", "c"),
    [
        ({"c_init": 1.25, "c_base": 500}, 1, 1.253992),
        ({"c_init": 1.25, "c_base": 500}, 100, 1.433987),
        ({"c_init": 1.25, "c_base": 500}, 800, 2.206280),
        ({"c_init": 1.0, "c_base": 500}, 100, 1.183987),
        ({"c_init": 1.25, "c_base": 19652}, 800, 1.289950),
        ({"c_init": 1.5, "c_factor": 0}, 100, 1.5),
    ],
)
def test_exploration_constant(options: Options, visits: int, c: float) -> None:
    root = searched(Native, CONNECT4.start(), sims=visits - 1, solver=False, **options).batch.node(0)
    assert root.visits == visits
    for edge in root.edges:
        assert edge.u / (edge.prior * math.sqrt(visits)) * (1 + edge.visits) == pytest.approx(c, abs=1e-6)


@pytest.mark.parametrize(
    ("q", "seen", "mode", "value"),
    [
        (0.3, 0.8, "reduction", -0.057771),
        (0.3, 0.8, "scaled", 0.067449),
        (-0.7, 0.95, "reduction", -1),
        (-0.7, 0.95, "scaled", -0.758481),
        (0.5, 1, "reduction", 0.1),
        (0.5, 1, "scaled", 0.2),
        (0.5, 0, "reduction", 0.5),
        (0.5, 0.8, "zero", 0),
    ],
)
def test_first_play_urgency(q: float, seen: float, mode: str, value: float) -> None:
    others = math.log((1 - seen) / 6) if seen < 1 else -1e9
    logits = [math.log(seen), *[others] * 6] if seen else None
    sims = 1 if seen else 0
    search = judged(Native, lambda path: Verdict(-q if path else q, logits=logits), sims=sims, fpu_mode=mode)
    assert search.batch.node(0).q == pytest.approx(q)
    assert search.batch.node(0).edges[6].value == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(("flying", "value"), [(1, 0.553398), (3, 0.467890)])
def test_virtual_loss(flying: int, value: float) -> None:
    """A move of value .6 and 100 visits, while descents through it wait for their evaluations."""
    only_first = [0.0, *[-1e9] * 6]
    options: Options = {"fpu_mode": "zero", "virtual_mode": "loss", "virtual_weight": 3, "solver": False}

    def judge(path: Path) -> Verdict:
        return Verdict(-0.6 if len(path) % 2 else 0.6, logits=None if path else only_first)

    search = judged(Native, judge, sims=100, **options)
    assert search.batch.node(0).edges[0].visits == 100
    config = search.batch.config(0).replace(sims=1000, leaves=flying)
    search.configure(config)
    assert len(search.batch.select()) == flying
    edge = search.batch.node(0).edges[0]
    assert edge.in_flight == flying and edge.value == pytest.approx(value, abs=1e-6)


def test_backup_numbers() -> None:
    """Depth 2, v .6, 7 plies, γ .99: the other two evaluations are 0, so means times visits are what was backed up."""
    line = [0.0, *[-1e9] * 6]
    leaf = (0, 0)

    def judge(path: Path) -> Verdict:
        return Verdict(0.6 if path == leaf else 0.0, 7 if path == leaf else 0, logits=line)

    found = judged(Native, judge, sims=2, discount=0.99).nodes()
    assert [found[leaf[:i]].q * (3 - i) for i in (2, 1, 0)] == pytest.approx([0.6, -0.594, 0.58806])
    assert [found[leaf[:i]].m * (3 - i) for i in (2, 1, 0)] == pytest.approx([7, 8, 1 + 9])


# --- Every tree -------------------------------------------------------------------------------------------------------

VARIANTS: list[Options] = [
    {},
    {"leaves": 8},
    {"leaves": 8, "virtual_mode": "loss", "cache_mb": 0},
    {"rule": "gumbel", "leaves": 3},
    {"rule": "ucb1", "leaves": 4},
    {"fpu_mode": "infinite", "mlh_slope": 0.03, "discount": 0.97},
    {"noise_epsilon": 0.25},
]


def check_tree(root: State, found: dict[Path, Seen], whole: bool) -> None:
    """`whole`: neither proofs nor a full tree ended a descent early, so visits add up exactly."""
    for path, node in found.items():
        below = children(found, path)
        win, loss = (1 - node.d + node.q) / 2, (1 - node.d - node.q) / 2
        assert node.in_flight == 0 and node.visits > 0
        assert -1 <= node.q <= 1 and 0 <= node.d <= 1 and min(win, loss) >= -1e-6
        assert node.m >= 0 and node.q**2 <= node.s + 1e-12 <= 1 + 1e-9
        assert node.lo <= node.hi
        assert list(node.priors) == ([] if node.terminal else at(root, path).legal_actions())
        assert node.terminal or sum(node.priors.values()) == pytest.approx(1)
        assert node.seen == pytest.approx(sum(node.priors[action] for action in below))
        if whole and not node.terminal:
            assert node.visits == 1 + sum(child.visits for child in below.values())


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("id", GAMES)
def test_visits_add_up_and_values_are_in_range(id: str, options: Options) -> None:
    for solver in (False, True):
        root = opening(id, 12, f"{solver}")
        search = searched(Native, root, sims=60, solver=solver, **options)
        check_tree(root, search.nodes(), whole=not solver)
        assert search.visits() == 60 or (solver and search.batch.node(0).lo == search.batch.node(0).hi)
        target = search.target()
        assert sum(target) == pytest.approx(1) and min(target) >= 0
        legal = root.legal_actions()
        assert {a for a, t in enumerate(target) if t} <= set(legal) and {search.best(), search.choose()} <= set(legal)


def test_a_slope_of_zero_is_no_moves_left_at_all() -> None:
    plain = searched(Native, CONNECT4.start(), sims=300).nodes()
    for options in ({"mlh_cap": 0.9}, {"mlh_mode": "lc0"}):
        assert searched(Native, CONNECT4.start(), sims=300, mlh_slope=0, **options).nodes() == plain
    # Whatever the plies are that come back, nothing but M itself can tell.
    quiet = Native(CONNECT4.start(), SearchConfig(sims=300))
    quiet.run(lambda leaves: Hash(CONNECT4)(leaves)._replace(moves_left=np.zeros(len(leaves), np.float32)))
    silent = quiet.nodes()
    assert plain.keys() == silent.keys()
    assert all((plain[p].visits, plain[p].q) == (silent[p].visits, silent[p].q) for p in plain)


@pytest.mark.parametrize("id", ["tictactoe", "connect4", "go:3"])
def test_with_one_leaf_the_cache_changes_nothing(id: str) -> None:
    state = opening(id, 3, "cache")
    counts = list[int]()
    trees = list[dict[Path, Seen]]()
    for cache_mb in (0, 1, 64):
        search = searched(Native, state, sims=300, cache_mb=cache_mb, solver=False)
        counts.append(search.batch.counts()["evaluations"])
        trees.append(search.nodes())
    assert trees[0] == trees[1] == trees[2] and counts[2] < counts[0]


@pytest.mark.parametrize("id", GAMES)
def test_threads_do_not_matter(id: str) -> None:
    config = SearchConfig(sims=40, leaves=3, noise_epsilon=0.25, temperature_plies=1000)
    game, found = games.make(id), list[Any]()
    for threads in (1, 2, 4):
        batch = BatchSearch(game, 12, config, seed=9, threads=threads)
        for tree in range(12):
            batch.reset(tree, opening(id, 6, f"{tree}"), tree)
        run(batch, Hash(game))
        found.append([(nodes(batch, tree), batch.choose(tree), batch.target(tree).tolist()) for tree in range(12)])
    assert found[0] == found[1] == found[2]


# --- Proofs -----------------------------------------------------------------------------------------------------------


def after(state: State, action: int) -> State:
    child = state.copy()
    child.apply(action)
    return child


@cache
def tictactoe_truth(position: str) -> tuple[int, int]:
    """(value, distance): the winner hurries, the loser delays."""
    state = TICTACTOE.position(position)
    if state.is_terminal():
        return state.outcome(), 0
    replies = [tictactoe_truth(after(state, a).position_text()) for a in state.legal_actions()]
    value = max(-v for v, _ in replies)
    distances = [d for v, d in replies if -v == value]
    return value, 1 + (min(distances) if value == 1 else max(distances))


def reachable_tictactoe() -> list[State]:
    seen = {TICTACTOE.start().position_text(): TICTACTOE.start()}
    todo = list(seen.values())
    while todo:
        state = todo.pop()
        for action in state.legal_actions():
            child = after(state, action)
            if child.position_text() not in seen:
                seen[child.position_text()] = child
                todo.append(child)
    return list(seen.values())


@pytest.mark.parametrize("lookahead", [0, 3])
def test_all_of_tictactoe_is_proven_right(lookahead: int) -> None:
    positions = reachable_tictactoe()
    assert len(positions) == 5478
    for ply in range(10):
        group = [state for state in positions if state.ply() == ply]
        batch = BatchSearch(TICTACTOE, len(group), SearchConfig(sims=100_000, lookahead=lookahead))
        for tree, state in enumerate(group):
            batch.reset(tree, state)
        run(batch, Uniform(TICTACTOE))
        for tree, state in enumerate(group):
            root = batch.node(tree)
            value, distance = tictactoe_truth(state.position_text())
            assert root.lo == root.hi == value, state.position_text()
            assert root.dist is not None and root.dist >= distance and (value == 0 or (root.dist - distance) % 2 == 0)
            if not state.is_terminal():
                assert value != 0 or root.dist == 9 - state.ply()
                assert -tictactoe_truth(after(state, batch.best(tree)).position_text())[0] == value


def connect4_endgames(least_stones: int, most: int) -> list[tuple[State, list[int | None]]]:
    """Positions with the exact score of every column."""
    lines = (files("tengen") / "data" / "connect4" / "end_easy.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    chosen = [row for row in rows if len(row[0]) >= least_stones][:most]
    return [(CONNECT4.from_moves(row[0]), [None if s == "." else int(s) for s in row[2:]]) for row in chosen]


@pytest.mark.parametrize("lookahead", [0, 4])
def test_connect4_endgames_are_proven_right(lookahead: int) -> None:
    endgames = connect4_endgames(28, 60)
    batch = BatchSearch(CONNECT4, len(endgames), SearchConfig(sims=30_000, leaves=8, lookahead=lookahead))
    for tree, (state, _) in enumerate(endgames):
        batch.reset(tree, state)
    run(batch, Uniform(CONNECT4))
    proven = 0
    for tree, (_, scores) in enumerate(endgames):
        root, score = batch.node(tree), max(s for s in scores if s is not None)
        assert root.lo <= np.sign(score) <= root.hi
        proven += root.lo == root.hi
        kept = scores[batch.best(tree)]
        assert kept is not None and (root.lo < root.hi or np.sign(kept) == np.sign(score))
    assert len(endgames) == 60 and proven >= 55


def othello_endgames(empties: int, count: int) -> list[State]:
    game, rng, found = games.make("othello:6"), random.Random(6), list[State]()
    while len(found) < count:
        state = game.start()
        while not state.is_terminal() and state.position_text().count(".") > empties:
            state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal():
            found.append(state)
    return found


@cache
def othello_truth(state_text: str) -> int:
    state = games.make("othello:6").position(state_text)
    if state.is_terminal():
        return state.outcome()
    best = -1
    for action in state.legal_actions():
        best = max(best, -othello_truth(after(state, action).position_text()))
        if best == 1:
            break
    return best


def test_othello_endgames_are_proven_right() -> None:
    endgames = [*othello_endgames(7, 20), *othello_endgames(9, 3)]
    batch = BatchSearch(endgames[0].game, len(endgames), SearchConfig(sims=50_000, leaves=8))
    for tree, state in enumerate(endgames):
        batch.reset(tree, state)
    run(batch, Uniform(endgames[0].game))
    values = set[int]()
    for tree, state in enumerate(endgames):
        root, value = batch.node(tree), othello_truth(state.position_text())
        assert (root.lo, root.hi) == (value, value)
        assert -othello_truth(after(state, batch.best(tree)).position_text()) == value
        values.add(value)
    assert {-1, 1} <= values


# --- Memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("id", "trees"), [("connect4", 1), ("connect4", 5), ("gomoku:15", 2), ("go:9", 3)])
def test_memory_is_a_budget(id: str, trees: int) -> None:
    game = games.make(id)
    edge, node = 16, 64
    nodes_each = (1 << 20) // (trees + 1) // (node + edge * game.num_actions)
    batch = BatchSearch(game, trees, SearchConfig(sims=9000, leaves=32, max_nodes=nodes_each, solver=False))
    for tree in range(trees):
        batch.reset(tree, opening(id, 6, f"{tree}"))
    run(batch, Uniform(game))
    for tree in range(trees):
        assert batch.visits(tree) == 9000 and batch.nodes(tree) < 9000
        assert batch.nodes(tree) * node <= batch.bytes(tree) <= batch.nodes(tree) * (node + edge * game.num_actions)
    most = max(batch.nodes(tree) for tree in range(trees))
    assert (trees + 1) * most * (node + edge * game.num_actions) <= 1 << 20  # with room to move a tree
    assert all(n.in_flight == 0 for n in nodes(batch, 0).values())


# --- Small searches ---------------------------------------------------------------------------------------------------


def test_without_simulations_the_prior_decides() -> None:
    search = searched(Native, CONNECT4.start(), sims=0)
    priors = list(search.nodes()[()].priors.values())
    assert search.best() == search.choose() == priors.index(max(priors))
    assert search.target() == pytest.approx(priors) and search.visits() == 0 and search.batch.finished(0)


def test_a_finished_game_has_nothing_to_search() -> None:
    over = CONNECT4.from_moves("1212121")
    for batch in (BatchSearch(CONNECT4, 1, SearchConfig()), BatchSearch(CONNECT4, 1, SearchConfig(leaves=8))):
        batch.reset(0, over)
        assert not batch.select() and batch.finished(0)
        batch.run_rollouts(nearby=False)
        root = batch.node(0)
        assert root.terminal and not root.expanded and (root.lo, root.hi, root.visits) == (-1, -1, 0)
        for ask in (batch.best, batch.choose, batch.target):
            with pytest.raises(GameError, match="the game is over"):
                ask(0)
    with pytest.raises(GameError, match="the game is over"):
        Agent(CONNECT4, Hash(CONNECT4)).act(over)


def test_one_legal_move() -> None:
    state = opening("connect4", 0, "")
    rng = random.Random(1)
    while len(state.legal_actions()) > 1:
        child = after(state, rng.choice(state.legal_actions()))
        state = CONNECT4.start() if child.is_terminal() else child
    search = searched(Native, state, sims=20, solver=False)
    assert search.best() == state.legal_actions()[0] and search.visits() == 20


# --- The root's own ways ----------------------------------------------------------------------------------------------


def test_a_gumbel_root_halves_its_candidates() -> None:
    for seed in range(6):
        search = searched(Native, CONNECT4.start(), seed=seed, sims=32, rule="gumbel", solver=False)
        moves = children(search.nodes(), ())
        assert sorted(node.visits for node in moves.values()) == [1, 1, 1, 1, 4, 12, 12]
        assert moves[search.best()].visits == 12
    bests = {searched(Native, CONNECT4.start(), seed=seed, sims=32, rule="gumbel").best() for seed in range(12)}
    assert len(bests) > 1  # the draw is part of the choice


def test_a_gumbel_target_improves_on_the_prior() -> None:
    """softmax(logits + σ(q)): a move found better than the rest gains, whatever its luck in the draw."""

    def judge(path: Path) -> Verdict:
        good = path[:1] == (2,)
        return Verdict((0.5 if good else 0.0) * (-1 if len(path) % 2 else 1))

    search = judged(Native, judge, sims=64, rule="gumbel", solver=False)
    target = search.target()
    assert target[2] == max(target) > 0.9 and search.best() == 2 and min(target) > 0


def test_a_root_is_worth_what_its_target_would_get() -> None:
    """One move wins half the time, six lose half the time, and halving visits all of them: their mean says little."""

    def judge(path: Path) -> Verdict:
        good = path[:1] == (2,)
        return Verdict((0.5 if good else -0.5) * (-1 if len(path) % 2 else 1), m=20 - len(path), d=0.2 if good else 0.4)

    search = judged(Native, judge, sims=64, rule="gumbel", solver=False)
    assert search.batch.worth(0) == pytest.approx((0.5, 0.2, 20), abs=1e-3)
    assert search.batch.node(0).q < 0.3
    unsearched = judged(Native, judge, sims=0, solver=False).batch
    assert unsearched.worth(0) == (unsearched.node(0).q, unsearched.node(0).d, unsearched.node(0).m)


def test_a_proven_root_is_worth_what_was_proven() -> None:
    won = searched(Native, CONNECT4.from_moves("112233"), sims=50)
    assert won.batch.worth(0) == (1, 0, 1) and won.batch.node(0).q < 1


def test_priors_by_temperature() -> None:
    logits = [0.0, 1.0, 2.0, 0.5, -1.0, 0.0, 3.0]
    for temperature in (0.5, 1.0, 2.0):
        search = judged(Native, lambda _: Verdict(0.0, logits=logits), sims=1, prior_temperature=temperature)
        powers = np.exp(np.array(logits) / temperature)
        assert list(search.nodes()[()].priors.values()) == pytest.approx(list(powers / powers.sum()))


# --- What is kept and what is shared ----------------------------------------------------------------------------------


@pytest.mark.parametrize("id", GAMES)
def test_tree_reuse_keeps_every_number(id: str) -> None:
    search = searched(Native, opening(id, 4, "reuse"), sims=150, solver=False)
    before, action = search.nodes(), search.best()
    search.advance(action)
    kept = {path[1:]: node for path, node in before.items() if path[:1] == (action,)}
    assert search.nodes() == kept and search.batch.nodes(0) == len(kept)
    assert search.visits() == kept[()].visits - 1
    asked = search.batch.counts()["evaluations"]
    search.run(Hash(games.make(id)))
    assert search.visits() == 150 and search.batch.counts()["evaluations"] - asked <= 150 - (kept[()].visits - 1)


def test_without_reuse_and_after_unvisited_moves_the_tree_is_fresh() -> None:
    for reuse, sims, action in ((False, 60, 3), (True, 2, 6)):
        search = searched(Native, CONNECT4.start(), sims=sims, tree_reuse=reuse)
        assert reuse == (action not in children(search.nodes(), ()))
        search.advance(action)
        assert search.batch.nodes(0) == 1 and search.visits() == 0 and not search.batch.node(0).expanded


def test_equal_leaves_are_evaluated_once() -> None:
    trees = 20
    batch = BatchSearch(CONNECT4, trees, SearchConfig(sims=60, leaves=4, cache_mb=0))
    shown = 0
    while leaves := batch.select():
        assert len(set(leaves.keys.tolist())) == len(leaves)
        assert len({planes.tobytes() for planes in leaves.planes}) == len(leaves)
        shown += len(leaves)
        batch.backup(*Hash(CONNECT4)(leaves))
    counts = batch.counts()
    # All trees search the same position in step: one of them asks, nineteen share.
    assert counts["evaluations"] == shown and counts["duplicates"] >= (trees - 1) * shown
    assert len({tuple(map(str, nodes(batch, tree).items())) for tree in range(trees)}) == 1


def test_mirrored_positions_share_the_cache() -> None:
    state = opening("connect4", 12, "mirror me")
    mirrored = CONNECT4.start()
    for action in state.moves():
        mirrored.apply(6 - action)
    assert mirrored.position_text() != state.position_text()
    batch = BatchSearch(CONNECT4, 1, SearchConfig(sims=100))
    found = list[dict[Path, Seen]]()
    for each in (state, mirrored):
        batch.reset(0, each)
        run(batch, Hash(CONNECT4))
        found.append(nodes(batch, 0))
        if each is state:
            asked = batch.counts()["evaluations"]
    assert batch.counts()["evaluations"] <= asked + 20  # ties are broken left to right, in the mirror too
    roots = [list(each[()].priors.values()) for each in found]
    assert sorted(roots[0]) == sorted(roots[1])
    assert {6 - a: p for a, p in found[0][()].priors.items()} == found[1][()].priors
