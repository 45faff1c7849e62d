"""Rules in Python stand behind the same search: twins of built-in games give the same trees, records and batches, bit
for bit."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from support.parity_case import Case, opening, random_case
from support.twins import twins
from tengen import _core, games
from tengen._core import SearchConfig, SelfPlay, SelfPlayConfig
from tengen.games import Game
from tengen.net.evaluator import Hash

IDS = ["tictactoe", "connect4", "hex:5", "othello:6"]
TWINS: dict[str, Game] = {}


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    """Only while these tests run: a registered game is one more in every list of games."""
    TWINS.update(twins())
    yield
    for game in TWINS.values():
        games.unregister(game)


def both(id: str) -> tuple[Game, Game]:
    return games.make(id), TWINS[id]


def twin_case(seed: int) -> Case:
    """A random option set on one of the twins. Connect4's own order of moves in proofs is an ability that its twin does
    not have, so there nothing is proven by exhaustive search."""
    id = random.Random(f"twin {seed}").choice(IDS)
    case = random_case(seed)
    options = {name: value for name, value in case.options.items() if id != "connect4" or name != "prove_nodes"}
    return replace(case, game=id, options=options)


def tree_of(batch: Any, tree: int) -> list[Any]:
    """Every node with all its numbers, breadth first."""
    out: list[Any] = []
    todo: list[list[int]] = [[]]
    while todo:
        path = todo.pop(0)
        node = batch.node(tree, path)
        numbers = [getattr(node, name) for name in ("visits", "q", "d", "m", "s", "v", "seen", "lo", "hi", "dist")]
        edges = [(e.action, e.prior, e.noise, e.visits, e.q, e.m, e.value, e.u) for e in node.edges]
        out.append((path, repr(numbers), repr(edges)))
        todo += [[*path, e.action] for e in node.edges if e.visits]
    return out


def searched(case: Case, game: Game) -> Iterator[Any]:
    """What the searches of a case find, move by move."""
    evaluate = Hash(game)
    batch: Any = _core.BatchSearch(game, case.trees, case.config, seed=case.seed, threads=case.threads)
    starts = [opening(game.id, case.opening, f"{case.seed}/{tree}") for tree in range(case.trees)]
    for tree, start in enumerate(starts):
        batch.reset(tree, start, 10 + tree)
    going = [tree for tree, start in enumerate(starts) if not start.is_terminal()]
    for move in range(case.moves):
        leaves = batch.select()
        while leaves:
            leaves = batch.step(*evaluate(leaves))
        for tree in list(going):
            yield move, tree, tree_of(batch, tree), batch.best(tree), batch.target(tree), batch.worth(tree)
            action = batch.choose(tree)
            starts[tree].apply(action)
            batch.advance(tree, action)
            if starts[tree].is_terminal():
                going.remove(tree)


def check(seeds: range) -> None:
    for seed in seeds:
        case = twin_case(seed)
        built_in, twin = both(case.game)
        for found, again in zip(searched(case, built_in), searched(case, twin), strict=True):
            assert str(found) == str(again), (seed, case)


@pytest.mark.parametrize("chunk", range(6))
def test_random_option_sets_agree(chunk: int) -> None:
    check(range(chunk * 50, chunk * 50 + 50))


@pytest.mark.fuzz
@pytest.mark.parametrize("chunk", range(20))
def test_very_many_random_option_sets_agree(chunk: int) -> None:
    check(range(1000 + chunk * 200, 1200 + chunk * 200))


def records(game: Game, search: SearchConfig, config: SelfPlayConfig, wanted: int) -> list[dict[str, Any]]:
    source, evaluate = SelfPlay(game, 4, search, config, seed=5, threads=2), Hash(game)
    found: dict[int, dict[str, Any]] = {}
    while not all(number in found for number in range(wanted)):
        leaves = source.select()
        source.backup(*evaluate(leaves))
        found |= {int(str(record["game"])): record for record in source.take_records()}
    return [found[number] for number in range(wanted)]


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("reuse", [True, False])
def test_games_of_self_play_agree(id: str, reuse: bool) -> None:
    search = SearchConfig(sims=20, noise_epsilon=0.25, temperature_plies=6, lookahead=1, tree_reuse=reuse)
    proofs = 0 if id == "connect4" else 300
    config = SelfPlayConfig(full_share=0.5, fast_sims=8, opening_share=0.5, opening_plies=4, stray_share=0.1)
    config = config.replace(label_nodes=proofs)
    ours, theirs = (records(game, search, config, 5) for game in both(id))
    for record, again in zip(ours, theirs, strict=True):
        assert record.pop("id") == id and again.pop("id") == TWINS[id].id
        assert record.keys() == again.keys()
        for name, value in record.items():
            assert np.asarray(value).tobytes() == np.asarray(again[name]).tobytes(), name


def same(arrays: Any, others: Any) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(arrays, others, strict=True))


@pytest.mark.parametrize("id", IDS)
def test_training_batches_agree(id: str) -> None:
    built_in, twin = both(id)
    rng = random.Random(id)
    moves: list[list[int]] = []
    for _ in range(3):
        state = built_in.start()
        while not state.is_terminal():
            state.apply(rng.choice(state.legal_actions()))
        moves.append(state.moves())
    samples = [
        (g, rng.randint(0, len(moves[g])), rng.randrange(built_in.num_symmetries)) for g in rng.choices(range(3), k=60)
    ]
    request: dict[str, Any] = {
        "moves": np.array([a for m in moves for a in m], np.uint16),
        "game_start": np.cumsum([0] + [len(m) for m in moves], dtype=np.int64),
        "game": np.array([g for g, _, _ in samples], np.int32),
        "ply": np.array([p for _, p, _ in samples], np.int32),
        "symmetry": np.array([s for _, _, s in samples], np.uint8),
    }
    assert same(built_in.replay(**request), twin.replay(**request, threads=2))
    assert not built_in.counted or same(built_in.count(**request), twin.count(**request))


@pytest.mark.parametrize("id", IDS)
def test_every_question_about_a_position_has_the_same_answer(id: str) -> None:
    built_in, twin = both(id)
    rng = random.Random(id)
    state, again = built_in.start(), twin.start()
    while True:
        assert again.legal_actions() == state.legal_actions() and again.stones() == state.stones()
        assert again.is_terminal() == state.is_terminal() and again.score() == state.score()
        for symmetry in range(built_in.num_symmetries):
            assert (again.planes(symmetry) == state.planes(symmetry)).all()
            for action in state.legal_actions():
                assert again.policy_index(action, symmetry) == state.policy_index(action, symmetry)
        assert twin.position(again.position_text()).planes().tobytes() == state.planes().tobytes()
        if state.is_terminal():
            assert again.outcome() == state.outcome()
            return
        action = rng.choice(state.legal_actions())
        assert again.parse_move(again.move_text(action)) == action
        state.apply(action)
        again.apply(action)


def test_playouts_end_where_the_rules_end() -> None:
    plies, first, draws, second = TWINS["tictactoe"].start().play_outs(200, seed=1)
    assert first + draws + second == 200 and 5 * 200 <= plies <= 9 * 200
    assert TWINS["tictactoe"].start().perft(4) == games.make("tictactoe").start().perft(4)
