"""Both searches behind one face, one tree each, so that a test can hold for either."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tengen import State, games
from tengen._core import BatchSearch, SearchConfig
from tengen.net.evaluator import Evaluation, Evaluator, Hash
from tengen.search.reference import Node, ReferenceSearch

Path = tuple[int, ...]  # actions from the root


class Verdict(NamedTuple):
    """What a judge says of a position, for the side to move there."""

    v: float
    m: float = 0.0
    d: float = 0.0
    logits: Sequence[float] | None = None  # None: no preference

    def evaluation(self, state: State, symmetry: int) -> Evaluation:
        """As a network would answer that sees the position under a symmetry."""
        wdl = [[(1 - self.d + self.v) / 2, self.d, (1 - self.d - self.v) / 2]]
        policy = np.zeros((1, state.game.num_actions), np.float32)
        for action, logit in enumerate(self.logits or []):
            policy[0, state.policy_index(action, symmetry)] = logit
        return Evaluation(policy, np.array(wdl, np.float32), np.array([self.m], np.float32))


Judge = Callable[[Path], Verdict]


@dataclass(frozen=True)
class Seen:
    """A node as either search shows it."""

    visits: int
    q: float
    d: float
    m: float
    s: float
    seen: float
    lo: int
    hi: int
    dist: int | None
    in_flight: int
    terminal: bool
    expanded: bool
    priors: dict[int, float]  # by action, in order
    noise: dict[int, float]


class Native:
    """The C++ search."""

    def __init__(self, state: State, config: SearchConfig, *, seed: int = 0, game: int = 0) -> None:
        self.shown = ReferenceSearch(state, config, seed=seed)._shown_view
        self.root = state.copy()
        self.batch = BatchSearch(state.game, 1, config, seed, threads=1)
        self.batch.reset(0, state, game)

    def run(self, evaluator: Evaluator) -> None:
        run(self.batch, evaluator)

    def judge(self, judge: Judge) -> None:
        """Searches with an evaluator that knows the way to a leaf. One leaf at a time only."""
        while self.batch.select():
            path = self.pending_path()
            leaf = at(self.root, path)
            self.batch.backup(*judge(path).evaluation(leaf, self.shown(leaf)[0]))

    def pending_path(self) -> Path:
        path: Path = ()
        while marked := [e.action for e in self.batch.node(0, path).edges if e.in_flight]:
            (action,) = marked
            path = (*path, action)
        return path

    def nodes(self) -> dict[Path, Seen]:
        return nodes(self.batch, 0)

    def advance(self, action: int) -> None:
        self.batch.advance(0, action)
        self.root.apply(action)

    def configure(self, config: SearchConfig) -> None:
        self.batch.configure(0, config)

    def best(self) -> int:
        return self.batch.best(0)

    def choose(self) -> int:
        return self.batch.choose(0)

    def target(self) -> list[float]:
        return [float(t) for t in self.batch.target(0)]

    def visits(self) -> int:
        return self.batch.visits(0)


class Textbook:
    """The Python search."""

    def __init__(self, state: State, config: SearchConfig, *, seed: int = 0, game: int = 0) -> None:
        self.search = ReferenceSearch(state, config, seed=seed, game=game)

    def run(self, evaluator: Evaluator) -> None:
        self.search.run(evaluator)

    def judge(self, judge: Judge) -> None:
        while leaves := self.search.gather():
            outputs = []
            for leaf in leaves:
                verdict = judge(tuple(edge.action for edge in leaf.steps))
                answer = verdict.evaluation(leaf.path[-1].state, leaf.symmetry)
                win, draw, loss = answer.wdl[0].tolist()
                outputs.append((answer.policy[0].tolist(), win - loss, draw, float(answer.moves_left[0]), None))
            self.search.backup(outputs)

    def nodes(self) -> dict[Path, Seen]:
        found = dict[Path, Seen]()
        todo: list[tuple[Path, Node]] = [((), self.search.root)]
        while todo:
            path, node = todo.pop()
            found[path] = self._seen(node)
            todo += [((*path, edge.action), edge.child) for edge in node.edges if edge.child and (edge.N or edge.n)]
        return found

    def _seen(self, node: Node) -> Seen:
        return Seen(
            *(node.N, node.Q, node.D, node.M, node.S, node.seen, node.lo, node.hi, node.dist, node.n),
            terminal=node.terminal,
            expanded=bool(node.edges),
            priors={edge.action: edge.P for edge in node.edges},
            noise={edge.action: edge.noise for edge in node.edges},
        )

    def advance(self, action: int) -> None:
        self.search.advance(action)

    def configure(self, config: SearchConfig) -> None:
        self.search.configure(config)

    def best(self) -> int:
        return self.search.best_action()

    def choose(self) -> int:
        return self.search.choose()

    def target(self) -> list[float]:
        return self.search.target()

    def visits(self) -> int:
        return self.search.visits


Engine = Native | Textbook
ENGINES: list[type[Any]] = [Native, Textbook]
E = TypeVar("E", Native, Textbook)


def searched(engine: type[E], state: State, evaluator: Evaluator | None = None, *, seed: int = 0, **options: Any) -> E:
    search = engine(state, SearchConfig(**options), seed=seed)
    search.run(evaluator or Hash(state.game))
    return search


def judged(engine: type[E], judge: Judge, state: State | None = None, **options: Any) -> E:
    """Every leaf is asked for by its path: no cache stands between. From Connect4's start."""
    search = engine(state or games.make("connect4").start(), SearchConfig(cache_mb=0, **options))
    search.judge(judge)
    return search


def run(batch: BatchSearch, evaluator: Evaluator) -> None:
    while leaves := batch.select():
        batch.backup(*evaluator(leaves))


def nodes(batch: BatchSearch, tree: int) -> dict[Path, Seen]:
    """Every node of a tree that was visited or is being visited."""
    found = dict[Path, Seen]()
    todo: list[Path] = [()]
    while todo:
        path = todo.pop()
        node = batch.node(tree, path)
        edges = node.edges
        found[path] = Seen(
            *(node.visits, node.q, node.d, node.m, node.s, node.seen),
            *(node.lo, node.hi, node.dist, node.in_flight),
            terminal=node.terminal,
            expanded=node.expanded,
            priors={edge.action: edge.prior for edge in edges},
            noise={edge.action: edge.noise for edge in edges},
        )
        todo += [(*path, edge.action) for edge in edges if edge.visits or edge.in_flight]
    return found


def children(found: dict[Path, Seen], path: Path) -> dict[int, Seen]:
    return {a: found[(*path, a)] for a in found[path].priors if (*path, a) in found}


def at(root: State, path: Path) -> State:
    state = root.copy()
    for action in path:
        state.apply(action)
    return state
