"""The tree, and what can be read off a node: bounds and scores. Sections 1, 4 and 8 of docs/search.md."""

import math
from dataclasses import dataclass, field

from tengen._core import SearchConfig, log, pow
from tengen.games import State
from tengen.search.reference.bounds import UNKNOWN, Bounds, best_of
from tengen.search.reference.formulas import exploration, first_play, lead_utility, lost_in_flight, moves_left_utility


@dataclass(eq=False, slots=True)
class Node:
    """A position; all numbers are from the view of the side to move there."""

    state: State
    terminal: bool
    N: int = 0  # visits, its own first evaluation included
    Q: float = 0.0  # mean value
    D: float = 0.0  # mean draw share
    M: float = 0.0  # mean plies left
    S: float = 0.0  # mean squared value
    L: float = 0.0  # mean lead in points
    V: float = 0.0  # value of the first evaluation
    n: int = 0  # descents in flight
    lo: int = -1
    hi: int = 1
    dist: int | None = None  # plies to the end, where it is solved with distance
    seen: float = 0.0  # sum of the priors of visited children
    pending: bool = False
    edges: list["Edge"] = field(default_factory=list)  # legal actions, ascending; empty until expanded

    @classmethod
    def at(cls, state: State) -> "Node":
        if not state.is_terminal():
            return cls(state, terminal=False)
        value = state.outcome()
        return cls(state, terminal=True, lo=value, hi=value, dist=0)

    @property
    def bounds(self) -> Bounds:
        return self.lo, self.hi, self.dist

    def prove(self, bounds: Bounds) -> None:
        self.lo, self.hi, self.dist = bounds


@dataclass(eq=False, slots=True)
class Edge:
    action: int
    P: float
    child: Node | None = None
    noise: float = 0.0  # the last three are for edges of the root only
    gumbel: float = 0.0
    base: int = 0

    @property
    def N(self) -> int:
        return self.child.N if self.child else 0

    @property
    def n(self) -> int:
        return self.child.n if self.child else 0


@dataclass(frozen=True)
class Leaf:
    """A node waiting for its evaluation, and the way to it."""

    path: list[Node]
    steps: list[Edge]  # steps[i] leads from path[i] to path[i + 1]
    symmetry: int
    key: int


def count_nodes(root: Node) -> int:
    count, todo = 0, [root]
    while todo:
        node = todo.pop()
        count += 1
        todo += [edge.child for edge in node.edges if edge.child]
    return count


class Tree:
    """A root, the options, and how they make a node look."""

    def __init__(self, root: Node, config: SearchConfig) -> None:
        self.root = root
        self.config = config
        self.nodes = 1
        self.noisy = False  # has the root's noise been drawn?

    @property
    def visits(self) -> int:
        """Of the root's children: the simulations made so far."""
        return sum(edge.N for edge in self.root.edges)

    # --- Section 8: the solver ---

    def tighten(self, node: Node) -> bool:
        """Bounds anew from the children; whether they changed."""
        if self.is_solved_with_distance(node):
            return False
        lo, hi, dist = best_of([edge.child.bounds if edge.child else UNKNOWN for edge in node.edges])
        lo, hi = max(lo, node.lo), min(hi, node.hi)
        if (lo, hi) == (node.lo, node.hi) and dist is None:
            return False
        node.prove((lo, hi, dist))
        return True

    def is_solved(self, node: Node) -> bool:
        return self.config.solver and node.lo == node.hi

    def is_solved_with_distance(self, node: Node) -> bool:
        """Then a descent has nothing to find there."""
        return self.config.solver and node.dist is not None

    def solved_value(self, node: Node, plies: float) -> float:
        return node.lo * pow(self.config.discount, plies)

    def is_lost_move(self, edge: Edge) -> bool:
        """Lost, by proof, for the side that would play it."""
        return self.config.solver and edge.child is not None and edge.child.lo == 1

    def unless_lost(self, edges: list[Edge]) -> list[Edge]:
        return [edge for edge in edges if not self.is_lost_move(edge)] or edges

    def read(self, node: Node) -> tuple[float, float]:
        """Value and plies left of a visited node: proofs go before means."""
        if not self.is_solved(node):
            return node.Q, node.M
        plies = node.M if node.dist is None else float(node.dist)
        return self.solved_value(node, plies), plies

    # --- Section 4: the terms of a score ---

    def effective(self, x: Node | Edge) -> float:
        """E: visits, with descents in flight."""
        return x.N + x.n if self.config.virtual_mode == "visits" else x.N + self.config.virtual_weight * x.n

    def effective_prior(self, node: Node, edge: Edge) -> float:
        if node is self.root and self.noisy:
            return (1 - self.config.noise_epsilon) * edge.P + self.config.noise_epsilon * edge.noise
        return edge.P

    def score(self, node: Node, edge: Edge) -> float:
        value = self.value(node, edge)
        parent_visits, child_visits = self.effective(node), self.effective(edge)
        if self.config.rule == "ucb1":
            return value + self.config.c_init * math.sqrt(log(parent_visits) / child_visits)
        score = (value + self.bonus(node, edge, parent_visits, child_visits)) + self.utility(node, edge)
        return score + self.lead(node, edge)

    def value(self, node: Node, edge: Edge) -> float:
        """The value of a move, seen by the side that would play it."""
        flying = edge.n if self.config.virtual_mode == "loss" else 0
        if edge.child is None or edge.N == 0:
            return -1.0 if flying else first_play(self.config.fpu_mode, self.config.fpu_reduction, node.Q, node.seen)
        q, _ = self.read(edge.child)
        return lost_in_flight(q, edge.N, flying, self.config.virtual_weight) if flying else -q

    def bonus(self, node: Node, edge: Edge, parent_visits: float, child_visits: float) -> float:
        c = exploration(parent_visits, self.config.c_init, self.config.c_base, self.config.c_factor)
        return c * self.effective_prior(node, edge) * math.sqrt(parent_visits) / (1 + child_visits)

    def utility(self, node: Node, edge: Edge) -> float:
        """What moves-left adds to a score."""
        config = self.config
        if not config.mlh_slope > 0 or edge.child is None or edge.N == 0:
            return 0.0
        q, m = self.read(edge.child)
        return moves_left_utility(config.mlh_mode, config.mlh_slope, config.mlh_cap, m, node.M, q, node.Q)

    def lead(self, node: Node, edge: Edge) -> float:
        """What the lead in points adds to it."""
        if not self.config.lead_slope > 0 or edge.child is None or edge.N == 0:
            return 0.0
        return lead_utility(self.config.lead_slope, edge.child.L, node.L)
