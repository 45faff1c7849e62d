"""One comparison of the two searches, from a seed. `python -m tests.parity_case SEED…` prints the first differences."""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tengen import State, _core, games
from tengen._core import SearchConfig
from tengen.net.evaluator import Hash
from tengen.search.reference import Node, ReferenceSearch

Options = dict[str, Any]

GAMES = [
    "tictactoe",
    "connect4",
    "gomoku:6,in_a_row=4",
    "gomoku:6,rule=renju",
    "othello:6",
    "go:3",
    "go:5",
    "hex:4",
    "hex:4,swap=on",
]
GAMES = [id for id in GAMES if id.split(":")[0] in games.names()]

# Values worth trying for every option that a reference search has; defaults are always tried too.
VALUES: dict[str, list[Any]] = {
    "sims": [0, 1, 2, 7, 20, 40, 70],
    "leaves": [2, 3, 8, 30],
    "rule": ["gumbel", "ucb1"],
    "c_init": [0.0, 0.3, 2.5],
    "c_base": [1.0, 30.0, 19652.0],
    "c_factor": [0.0, 2.0],
    "prior_temperature": [0.3, 1.7, 10.0],
    "fpu_mode": ["zero", "infinite", "scaled"],
    "fpu_reduction": [0.0, 0.1, 1.3],
    "mlh_mode": ["lc0"],
    "mlh_slope": [0.01, 0.03, 0.5],
    "mlh_cap": [0.0, 0.05, 0.7],
    "lead_slope": [0.001, 0.01, 0.5],
    "discount": [0.99, 0.8, 0.5],
    "solver": [False],
    "lookahead": [1, 2],
    "threats": [3, 50],
    "prove_nodes": [5, 200],
    "noise_epsilon": [0.25, 1.0],
    "noise_alpha": [0.03, 0.3, 2.0],
    "virtual_mode": ["loss"],
    "virtual_weight": [0.7, 1.0, 10.0],
    "temperature": [0.0, 0.3, 2.0],
    "temperature_plies": [3, 6, 1000],
    "temperature_end": [0.2, 1.0, 5.0],
    "tree_reuse": [False],
    "max_nodes": [1, 2, 5, 20, 50],
    "cache_mb": [0],
}


@dataclass(frozen=True)
class Case:
    game: str
    options: Options = field(default_factory=dict)
    seed: int = 0
    trees: int = 1
    opening: int = 0  # random plies before the search, at most
    moves: int = 2  # consecutive searches
    more_sims: int = 0  # simulations added to each search after it has finished
    threads: int = 1

    @property
    def config(self) -> SearchConfig:
        return SearchConfig(**{"sims": 40, **self.options})

    def starts(self) -> list[State]:
        return [opening(self.game, self.opening, f"{self.seed}/{tree}") for tree in range(self.trees)]


def opening(game: str, plies: int, seed: str) -> State:
    """A random position that is not over, up to `plies` plies from the start."""
    rng, state = random.Random(seed), games.make(game).start()
    for _ in range(rng.randint(0, plies)):
        after = state.copy()
        after.apply(rng.choice(state.legal_actions()))
        if after.is_terminal():
            break
        state = after
    return state


def random_case(seed: int) -> Case:
    """About a third of all options away from their defaults, on any game."""
    rng = random.Random(seed)
    options = {name: rng.choice(values) for name, values in VALUES.items() if rng.random() < 0.3}
    options["sims"] = rng.choice(VALUES["sims"])
    if rng.random() < 0.7:
        options.pop("max_nodes", None)
    if options.get("rule") == "gumbel":
        options.pop("noise_epsilon", None)
    shared_cache_matters = options.get("leaves", 1) > 1 and options.get("cache_mb") != 0
    return Case(
        game=rng.choice(GAMES),
        options=options,
        seed=rng.choice([0, 1, seed, 2**64 - 1]),
        trees=1 if shared_cache_matters else rng.randint(1, 3),
        opening=rng.choice([0, 4, 12, 40]),
        moves=rng.randint(1, 4),
        more_sims=rng.choice([0, 0, 0, 10]),
        threads=rng.randint(1, 2),
    )


def next_action(case: Case, search: ReferenceSearch, move: int) -> int:
    """Mostly the chosen move; now and then any legal one, which may never have been visited."""
    rng = random.Random(f"{case.seed}/{search.game}/{move}")
    return rng.choice(search.root.state.legal_actions()) if rng.random() < 0.2 else search.choose()


def reference_run(case: Case) -> Iterator[tuple[int, list[ReferenceSearch]]]:
    """Yields (move number, the trees of games still going on) after each search, and again after more_sims."""
    evaluator = Hash(games.make(case.game))
    searches = [
        ReferenceSearch(start, case.config, seed=case.seed, game=10 + tree) for tree, start in enumerate(case.starts())
    ]
    for move in range(case.moves):
        for sims in dict.fromkeys([case.config.sims, case.config.sims + case.more_sims]):
            for search in searches:
                search.configure(case.config.replace(sims=sims))
                search.run(evaluator)
            yield move, [search for search in searches if not search.root.terminal]
        for search in searches:
            if not search.root.terminal:
                search.advance(next_action(case, search, move))


def results(case: Case) -> list[Any]:
    """What a user sees of the searches: visits, moves, targets."""
    return [
        (search.visits, [edge.N for edge in search.root.edges], search.best_action(), search.choose(), search.target())
        for _, searches in reference_run(case)
        for search in searches
    ]


# --- The comparison ---------------------------------------------------------------------------------------------------


def first_difference(case: Case) -> str | None:
    """Runs both searches side by side; None when they agree to the last bit."""
    game = games.make(case.game)
    evaluator = Hash(game)
    batch: Any = _core.BatchSearch(game, case.trees, case.config, seed=case.seed, threads=case.threads)
    for tree, start in enumerate(case.starts()):
        batch.reset(tree, start, 10 + tree)
    last_move = 0
    actions: list[int | None] = []
    for move, searches in reference_run(case):
        if move != last_move:
            last_move = move
            for tree, action in enumerate(actions):
                if action is not None:
                    batch.advance(tree, action)
        sims = searches[0].config.sims if searches else case.config.sims
        for tree in range(case.trees):
            batch.configure(tree, case.config.replace(sims=sims))
        leaves = batch.select()
        while leaves:
            leaves = batch.step(*evaluator(leaves))
        actions = [None] * case.trees
        for search in searches:
            tree = search.game - 10
            actions[tree] = next_action(case, search, move)
            for what in differences(batch, tree, search):
                return f"move {move}, tree {tree}, {search.root.state.position_text()!r}, {what}"
    return None


def differences(batch: Any, tree: int, search: ReferenceSearch) -> Iterator[str]:
    solver = search.config.solver
    todo: list[tuple[list[int], Node]] = [([], search.root)]
    while todo:  # breadth first: the first difference is the nearest to the root
        path, node = todo.pop(0)
        other = batch.node(tree, path)
        yield from unequal(f"node {path}", node_numbers(node, solver), cpp_numbers(other, node, solver))
        edges = [(edge.action, edge.P, edge.noise, edge.N) for edge in node.edges]
        others = [(edge.action, edge.prior, edge.noise, edge.visits) for edge in other.edges]
        yield from unequal(f"edges (action, prior, noise, visits) of {path}", {"": edges}, {"": others})
        for edge, twin in zip(node.edges, other.edges, strict=True):
            if edge.child and edge.N:
                mine = child_numbers(edge.child, solver)
                yield from unequal(f"child {[*path, edge.action]}", mine, {k: getattr(twin, k) for k in mine})
        todo += [([*path, edge.action], edge.child) for edge in node.edges if edge.child and edge.N]
    mine = {"best": search.best_action(), "choose": search.choose(), "target": search.target(), "worth": search.worth()}
    theirs = {"best": batch.best(tree), "choose": batch.choose(tree), "target": list(batch.target(tree))}
    theirs["worth"] = batch.worth(tree)
    yield from unequal("root", mine, theirs)


def child_numbers(node: Node, solver: bool) -> dict[str, Any]:
    out: dict[str, Any] = {"visits": node.N, "q": node.Q, "d": node.D, "m": node.M, "s": node.S}
    if node.state.game.counted:
        out["p"] = node.L
    if solver:
        out |= {"lo": node.lo, "hi": node.hi, "dist": node.dist}
    return out


def node_numbers(node: Node, solver: bool) -> dict[str, Any]:
    out = child_numbers(node, solver) | {"in_flight": node.n, "seen": node.seen}
    if node.edges:
        out["v"] = node.V
    return out


def cpp_numbers(other: Any, node: Node, solver: bool) -> dict[str, Any]:
    return {name: getattr(other, name) for name in node_numbers(node, solver)}


def unequal(where: str, mine: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    for name, value in mine.items():
        if value != theirs[name]:
            yield f"{where} {name}: reference {value!r}, C++ {theirs[name]!r}"


if __name__ == "__main__":
    for text in sys.argv[1:]:
        case = random_case(int(text))
        print(text, case, first_difference(case) or "agree", sep="\n  ")
