"""The naive search by itself: made-up games worked out by hand, and properties that must hold on real ones."""

import random
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tengen import Game, State, games
from tengen._core import SearchConfig
from tengen.net.evaluator import Evaluation, Hash, Leaves, Uniform
from tengen.search.reference import Node, ReferenceSearch
from tengen.search.reference.formulas import normalised

Options = dict[str, Any]


# --- Made-up games ----------------------------------------------------------------------------------------------------


class Line:
    """A made-up game: the first move is one of `width`, after it there is only one way to go on, for `length` plies.

    The side to move at the end has `result`. Its key is the line of moves, so an evaluator can know the position.
    """

    def __init__(self, width: int, length: int = 10**6, result: int = 0) -> None:
        self.game = SimpleNamespace(num_actions=width, num_symmetries=1)
        self.width, self.length, self.result = width, length, result
        self.line: list[int] = []

    def copy(self) -> "Line":
        other = Line(self.width, self.length, self.result)
        other.line = self.line.copy()
        return other

    def apply(self, action: int) -> None:
        self.line.append(action)

    def legal_actions(self) -> list[int]:
        return [0] if self.line else list(range(self.width))

    def is_terminal(self) -> bool:
        return len(self.line) >= self.length

    def outcome(self) -> int:
        return self.result

    def ply(self) -> int:
        return len(self.line)

    def score(self) -> None:
        return None

    def settled(self) -> None:
        return None

    def hash(self, symmetry: int) -> int:
        return len(self.line) * 1000 + (self.line[0] if self.line else 0)

    def planes(self, symmetry: int) -> Any:
        return np.zeros((1, 1, 1), np.float32)

    def policy_index(self, action: int, symmetry: int) -> int:
        return action


def search_of(state: Any, seed: int = 0, **options: Any) -> ReferenceSearch:
    return ReferenceSearch(state, SearchConfig(**options), seed=seed)


def test_the_good_move_of_two_gets_the_visits() -> None:
    """Two moves leading to own-view values +.9 and -.9: trap 9, a sign wrong anywhere turns the numbers round."""

    def evaluate(leaves: Leaves, /) -> Evaluation:
        depth, first = np.divmod(leaves.keys, 1000)
        own_view = np.where(first == 0, -0.9, 0.9) * np.where(depth % 2 == 1, 1, -1)
        wdl = np.stack([(1 + own_view) / 2, 0 * own_view, (1 - own_view) / 2], axis=1).astype(np.float32)
        return Evaluation(np.zeros((len(leaves), 2), np.float32), wdl, np.zeros(len(leaves), np.float32))

    search = search_of(Line(2), sims=400, fpu_mode="zero", c_init=1.5, c_factor=0)
    search.run(evaluate)
    assert [edge.N for edge in search.root.edges] == [392, 8]
    assert [edge.child.Q for edge in search.root.edges if edge.child] == pytest.approx([-0.9, 0.9])
    assert search.best_action() == 0


def path_means(search: ReferenceSearch) -> list[tuple[float, float]]:
    """(Q, M) from the deepest node up to the root."""
    out = list[tuple[float, float]]()
    node: Node | None = search.root
    while node:
        out.insert(0, (node.Q, node.M))
        node = node.edges[0].child if node.edges else None
    return out


def test_backup_discounts_and_turns_the_value_and_counts_plies() -> None:
    """Only the last of three evaluations has a value, so a node's mean times its visits is what that one backed up."""

    def evaluate(leaves: Leaves, /) -> Evaluation:
        deep = (leaves.keys // 1000 == 2)[:, None]
        wdl = np.where(deep, [[0.8, 0.0, 0.2]], [[0.5, 0.0, 0.5]]).astype(np.float32)
        return Evaluation(np.zeros((len(leaves), 1), np.float32), wdl, np.where(deep[:, 0], 7, 0).astype(np.float32))

    search = search_of(Line(1), sims=2, discount=0.99)
    search.run(evaluate)
    (leaf, leaf_m), (parent, parent_m), (root, root_m) = path_means(search)
    assert (leaf, parent * 2, root * 3) == pytest.approx((0.6, -0.594, 0.58806), abs=1e-6)
    # plies: leaf 7; its parent 0, 8; the root 0, 1, 9
    assert (leaf_m, parent_m * 2, root_m * 3) == pytest.approx((7, 8, 1 + 9))


def test_backup_of_a_terminal() -> None:
    search = search_of(Line(1, length=2, result=-1), sims=2, solver=False)
    search.run(lambda leaves: Evaluation(*(np.zeros((len(leaves), *s), np.float32) for s in ((1,), (3,), ()))))
    (leaf, leaf_m), (parent, parent_m), (root, root_m) = path_means(search)
    assert (leaf, parent * 2, root * 3) == pytest.approx((-1, 1, -1))
    assert (leaf_m, parent_m * 2, root_m * 3) == pytest.approx((0, 1, 1 + 2))
    assert not search.root.edges[0].child.edges[0].child.edges  # type: ignore[union-attr]


# --- Real games -------------------------------------------------------------------------------------------------------


def random_states(game: Game, count: int, seed: int) -> Iterator[State]:
    rng = random.Random(seed)
    while count:
        state = game.start()
        for _ in range(rng.randrange(20)):
            if not state.is_terminal():
                state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal():
            count -= 1
            yield state


def all_nodes(search: ReferenceSearch) -> Iterator[Node]:
    todo = [search.root]
    while todo:
        node = todo.pop()
        yield node
        todo += [edge.child for edge in node.edges if edge.child]


def fingerprint(search: ReferenceSearch) -> list[tuple[Any, ...]]:
    return [(n.N, n.Q, n.D, n.M, n.S, n.lo, n.hi, n.seen, [e.action for e in n.edges]) for n in all_nodes(search)]


VARIANTS: list[Options] = [
    {},
    {"solver": False},
    {"leaves": 8},
    {"leaves": 8, "virtual_mode": "loss", "cache_mb": 0},
    {"rule": "gumbel", "leaves": 3},
    {"rule": "ucb1", "leaves": 4},
    {"fpu_mode": "infinite", "leaves": 5, "mlh_slope": 0.03},
    {"noise_epsilon": 0.25, "discount": 0.97},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("name", ["tictactoe", "connect4"])
def test_properties_of_every_tree(name: str, options: Options) -> None:
    game = games.make(name)
    for seed, state in enumerate(random_states(game, 4, seed=1)):
        search = search_of(state, seed, sims=60, **options)
        search.run(Hash(game))
        assert search.visits == 60 or (search.is_solved_with_distance(search.root) and search.visits < 60)
        for node in all_nodes(search):
            assert node.n == 0 and not node.pending and node.N > 0
            assert -1 <= node.Q <= 1 and 0 <= node.D <= 1 and node.M >= 0
            assert node.Q * node.Q <= node.S + 1e-12 and node.S <= 1
            assert abs(node.Q) + node.D <= 1 + 1e-9
            assert node.lo <= node.hi
            assert node.seen == pytest.approx(sum(edge.P for edge in node.edges if edge.N))
            if node.terminal:
                assert not node.edges and node.lo == node.hi == node.state.outcome()
            elif not search.is_solved_with_distance(node):
                assert 1 + sum(edge.N for edge in node.edges) == node.N
        target = search.target()
        assert sum(target) == pytest.approx(1) and min(target) >= 0
        assert {a for a, t in enumerate(target) if t > 0} <= set(state.legal_actions())
        assert search.best_action() in state.legal_actions() and search.choose() in state.legal_actions()


def test_a_slope_of_zero_is_no_moves_left_at_all() -> None:
    game = games.make("connect4")
    plain, other, lc0 = (
        search_of(game.start(), sims=80, **options)
        for options in ({}, {"mlh_cap": 0.9}, {"mlh_cap": 0.1, "mlh_mode": "lc0"})
    )
    for search in (plain, other, lc0):
        search.run(Hash(game))
    assert fingerprint(plain) == fingerprint(other) == fingerprint(lc0)


@cache
def exhaustive(position: str) -> tuple[int, int]:
    """(value, distance) of a tictactoe position: the winner hurries, the loser delays."""
    state = games.make("tictactoe").position(position)
    if state.is_terminal():
        return state.outcome(), 0
    replies = []
    for action in state.legal_actions():
        after = state.copy()
        after.apply(action)
        value, distance = exhaustive(after.position_text())
        replies.append((-value, distance + 1))
    best = max(value for value, _ in replies)
    distances = [distance for value, distance in replies if value == best]
    return best, min(distances) if best == 1 else max(distances)


@pytest.mark.parametrize("options", [{}, {"leaves": 4}, {"rule": "gumbel"}, {"fpu_mode": "infinite", "discount": 0.9}])
def test_what_the_solver_proves_is_true(options: Options) -> None:
    game = games.make("tictactoe")
    proven_roots = 0
    for seed, state in enumerate(random_states(game, 40, seed=7)):
        search = search_of(state, seed, sims=400, **options)
        search.run(Hash(game, seed))
        proven_roots += search.is_solved_with_distance(search.root)
        for node in all_nodes(search):
            value, distance = exhaustive(node.state.position_text())
            assert node.lo <= value <= node.hi
            if node.lo == node.hi != 0:
                assert node.dist is not None and node.dist >= distance and (node.dist - distance) % 2 == 0
            if node.lo == node.hi == 0:
                assert node.dist == 9 - node.state.ply()
        if search.is_solved_with_distance(search.root):
            after = state.copy()
            after.apply(search.best_action())
            value, _ = exhaustive(after.position_text())
            assert -value == exhaustive(state.position_text())[0]
    assert proven_roots > 20


def test_a_proven_win_is_played_out_within_its_distance() -> None:
    game = games.make("tictactoe")
    checked = 0
    for seed, state in enumerate(random_states(game, 40, seed=3)):
        search = search_of(state, seed, sims=300)
        search.run(Hash(game, seed))
        if search.root.lo != 1:
            continue
        checked += 1
        left, rng = search.root.dist, random.Random(seed)
        assert left is not None
        assert sum(search.target()) == 1 == search.target()[search.best_action()]
        while not search.root.terminal:
            assert search.root.dist is not None and search.root.dist <= left
            action = search.best_action() if search.root.lo == 1 else rng.choice(search.root.state.legal_actions())
            search.advance(action)
            left -= 1
        assert search.root.state.outcome() == -1 and left >= 0
    assert checked > 10


def test_a_drawn_position_is_proven_a_draw() -> None:
    game = games.make("tictactoe")
    search = search_of(game.from_moves("b2 a1 c3"), sims=10_000)
    search.run(Uniform(game))
    assert search.visits < 10_000
    assert (search.root.lo, search.root.hi, search.root.dist) == (0, 0, 6)


def test_gumbel_visits_follow_sequential_halving() -> None:
    game = games.make("connect4")
    for seed in range(5):
        search = search_of(game.start(), seed, sims=32, rule="gumbel")
        search.run(Hash(game, seed))
        # all 7 once, the best 3 three times more, then the best two share the rest
        assert sorted((edge.N for edge in search.root.edges), reverse=True) == [12, 12, 4, 1, 1, 1, 1]
        best = [edge for edge in search.root.edges if edge.N == 12]
        assert search.best_action() in [edge.action for edge in best]


def test_without_simulations_the_prior_decides() -> None:
    game = games.make("connect4")
    search = search_of(game.start(), sims=0)
    search.run(Hash(game))
    priors = [edge.P for edge in search.root.edges]
    assert search.root.N == 1 and search.best_action() == priors.index(max(priors))
    assert search.target() == normalised(priors)


def test_noise_is_drawn_anew_for_every_root_and_stays_out_of_priors() -> None:
    game = games.make("connect4")
    search, silent = (search_of(game.start(), sims=50, noise_epsilon=e) for e in (0.25, 0.0))
    seen = list[list[float]]()
    for _ in range(3):
        for each in (search, silent):
            each.run(Hash(game))
        noise = [edge.noise for edge in search.root.edges]
        assert sum(noise) == pytest.approx(1) and noise not in seen
        seen.append(noise)
        assert all(edge.noise == 0 for edge in silent.root.edges)
        assert [e.P for e in search.root.edges] == [e.P for e in silent.root.edges]
        inner = [(node, edge) for node in all_nodes(search) if node is not search.root for edge in node.edges]
        assert all(edge.noise == 0 and search.effective_prior(node, edge) == edge.P for node, edge in inner)
        action = max(search.root.edges, key=lambda edge: edge.N).action
        for each in (search, silent):
            each.advance(action)
    elsewhere = ReferenceSearch(game.start(), search.config, game=1)
    elsewhere.run(Hash(game))
    assert [edge.noise for edge in elsewhere.root.edges] not in seen


def test_tree_reuse_keeps_the_subtree_and_counts_it() -> None:
    game = games.make("connect4")
    search = search_of(game.start(), sims=60)
    search.run(Hash(game))
    kept = max((edge for edge in search.root.edges), key=lambda edge: edge.N)
    before = kept.child
    search.advance(kept.action)
    assert search.root is before and search.nodes == len(list(all_nodes(search)))
    inherited = search.visits
    assert inherited == kept.N - 1
    asked = 0

    def counting(leaves: Leaves, /) -> Evaluation:
        nonlocal asked
        asked += len(leaves)
        return Hash(game)(leaves)

    search.run(counting)
    assert search.visits == 60 and asked <= 60 - inherited


@pytest.mark.parametrize("max_nodes", [1, 2, 5, 20])
@pytest.mark.parametrize("options", [{}, {"leaves": 4}, {"rule": "gumbel"}, {"rule": "ucb1"}], ids=str)
def test_a_full_tree_is_searched_on_without_growing(max_nodes: int, options: Options) -> None:
    game = games.make("connect4")
    search = search_of(game.start(), sims=50, max_nodes=max_nodes, **options)
    search.run(Hash(game))
    assert len(list(all_nodes(search))) == search.nodes == max_nodes
    assert search.visits == (50 if max_nodes > 1 else 0)
    assert all(node.n == 0 for node in all_nodes(search))


@pytest.mark.parametrize("leaves", [1, 6])
def test_an_evaluator_that_raises_leaves_no_mark(leaves: int) -> None:
    game = games.make("connect4")
    calls = 0

    def failing(asked: Leaves, /) -> Evaluation:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise RuntimeError("network gone")
        return Hash(game)(asked)

    search = search_of(game.start(), sims=60, leaves=leaves)
    with pytest.raises(RuntimeError, match="network gone"):
        search.run(failing)
    assert all(node.n == 0 and not node.pending for node in all_nodes(search))
    search.run(failing)
    assert search.visits == 60


def test_with_one_leaf_the_cache_changes_nothing() -> None:
    game = games.make("tictactoe")
    on, off = (search_of(game.start(), sims=150, cache_mb=mb) for mb in (64, 0))
    on.run(Hash(game))
    off.run(Hash(game))
    assert fingerprint(on) == fingerprint(off) and on.cache and not off.cache


def test_mirrored_positions_are_shown_alike() -> None:
    game = games.make("connect4")
    for seed, state in enumerate(random_states(game, 20, seed=2)):
        mirrored = game.start()
        for action in state.moves():
            mirrored.apply(game.transform(1, action))
        search = search_of(state, seed)
        assert search._shown_view(state)[1] == search._shown_view(mirrored)[1]


def test_a_finished_game_is_not_searched() -> None:
    search = search_of(games.make("tictactoe").from_moves("a1 b1 a2 b2 a3"))
    assert search.gather() == []
    with pytest.raises(ValueError, match="over"):
        search.best_action()
