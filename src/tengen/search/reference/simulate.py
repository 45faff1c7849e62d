"""The loop: gather leaves, evaluate, back up. Sections 3, 4, 7, 9 and 10 of docs/search.md."""

from collections.abc import Sequence

import numpy as np

from tengen._core import SearchConfig, mix64
from tengen.games import State
from tengen.net.evaluator import Batch, Evaluator
from tengen.search.reference.bounds import Bounds
from tengen.search.reference.formulas import softmax
from tengen.search.reference.probe import Probe, RuleProbe
from tengen.search.reference.root import Root
from tengen.search.reference.tree import Edge, Leaf, Node, count_nodes

GOLDEN = 0x9E3779B97F4A7C15
MASK = 2**64 - 1

# Logits over all actions as shown; v, d, plies, and the lead in points where somebody counts.
Output = tuple[Sequence[float], float, float, float, float | None]


class ReferenceSearch(Root):
    """One tree. `probe`: whom it asks what the rules prove.

    >>> from tengen import games
    >>> from tengen.net.evaluator import Uniform
    >>> game = games.make("tictactoe")
    >>> search = ReferenceSearch(game.from_moves("a1 b1 a2 b2"), SearchConfig(sims=50))
    >>> search.run(Uniform(game))
    >>> search.root.state.move_text(search.best_action())
    'a3'
    """

    def __init__(
        self,
        state: State,
        config: SearchConfig,
        *,
        probe: Probe | None = None,
        seed: int = 0,
        game: int = 0,
        cache: dict[int, Output] | None = None,
    ) -> None:
        super().__init__(state.copy(), config, seed, game)
        self.cache: dict[int, Output] = {} if cache is None else cache
        self.pending: list[Leaf] = []
        self.win: Edge | None = None
        self.probe: Probe = RuleProbe(state.game) if probe is None else probe
        self._limit_probe()

    # --- Section 3: gather, evaluate, back up ---

    def run(self, evaluator: Evaluator) -> None:
        """Searches until the tree is finished. Leaves that look alike are evaluated once."""
        while leaves := self.gather():
            shown = {leaf.key: leaf.path[-1].state.planes(leaf.symmetry) for leaf in leaves}
            try:
                evaluation = evaluator(Batch(np.stack(list(shown.values())), np.array(list(shown), np.uint64)))
            except BaseException:
                self.cancel()
                raise
            outputs = dict[int, Output]()
            for i, key in enumerate(shown):
                win, draw, loss = evaluation.wdl[i].tolist()  # tolist() widens float32 to Python's double
                lead = None if evaluation.lead is None else float(evaluation.lead[i])
                plies = float(evaluation.moves_left[i])
                outputs[key] = (evaluation.policy[i].tolist(), win - loss, draw, plies, lead)
            self.backup([outputs[leaf.key] for leaf in leaves])

    @property
    def finished(self) -> bool:
        """Meaningful only while nothing is pending."""
        if self.root.terminal:
            return True
        if not self.root.edges:
            return False
        if self.is_solved_with_distance(self.root) or self.visits >= self.config.sims:
            return True
        return self._is_full() and not any(edge.child for edge in self.root.edges)

    def gather(self) -> list[Leaf]:
        """Descends until `leaves` leaves are pending; returns them in gather order. Empty when finished."""
        while self._may_descend() and self._descend():
            pass
        return self.pending

    def _may_descend(self) -> bool:
        if not self.pending:
            return not self.finished
        if not self.root.edges or self.is_solved_with_distance(self.root):
            return False
        return len(self.pending) < self.config.leaves and self.visits + len(self.pending) < self.config.sims

    def _descend(self) -> bool:
        """One descent. False when it ran into a leaf that is already pending."""
        path, steps = [self.root], list[Edge]()
        while True:
            node = path[-1]
            if node.terminal:  # D1
                self._backup(path, steps, float(node.lo), float(node.lo == 0), 0.0, lead_at_end(node.state))
                return True
            if node is not self.root and not node.edges and not node.pending and node.lo != node.hi:  # D2
                self._learn(node, self.probe(node.state, None))
            if self.is_solved_with_distance(node):  # D3
                q, m = self.read(node)
                self._backup(path, steps, q, float(node.lo == 0), m, None)
                return True
            if node.pending:  # D4
                return False
            if not node.edges:  # D5
                self._reach_leaf(path, steps)
                return True
            edge = (self._winning_edge() if node is self.root else None) or self._choose_child(node)  # D6, D7
            if edge is None:
                self._backup(path, steps, node.Q, node.D, node.M, node.L)
                return True
            if edge.child is None:  # D8
                state = node.state.copy()
                state.apply(edge.action)
                edge.child = Node.at(state)
                self.nodes += 1
            steps.append(edge)
            path.append(edge.child)

    def _reach_leaf(self, path: list[Node], steps: list[Edge]) -> None:
        symmetry, key = self._shown_view(path[-1].state)
        leaf = Leaf(path, steps, symmetry, key)
        if self.config.cache_mb > 0 and key in self.cache:
            self._expand_and_backup(leaf, self.cache[key])
        else:
            path[-1].pending = True
            for node in path:
                node.n += 1
            self.pending.append(leaf)

    def backup(self, outputs: Sequence[Output]) -> None:
        """Takes one output for each leaf that gather() returned."""
        leaves, self.pending = self.pending, []
        for leaf, output in zip(leaves, outputs, strict=True):
            self._unmark(leaf)
            self._expand_and_backup(leaf, output)
        if self.config.cache_mb > 0:
            self.cache.update({leaf.key: output for leaf, output in zip(leaves, outputs, strict=True)})

    def cancel(self) -> None:
        """Forgets the pending leaves, as if their descents had never been."""
        for leaf in self.pending:
            self._unmark(leaf)
        self.pending = []

    def _unmark(self, leaf: Leaf) -> None:
        leaf.path[-1].pending = False
        for node in leaf.path:
            node.n -= 1

    def _expand_and_backup(self, leaf: Leaf, output: Output) -> None:
        node = leaf.path[-1]
        logits, v, d, plies, lead = output
        self._prove(leaf, v)  # E1
        if self.is_solved(node):
            v, d = self.solved_value(node, plies), float(node.lo == 0)
        actions = node.state.legal_actions()  # E2
        legal = [logits[node.state.policy_index(action, leaf.symmetry)] for action in actions]
        priors = softmax(legal, self.config.prior_temperature)
        node.edges = [Edge(action, p) for action, p in zip(actions, priors, strict=True)]
        node.V = v  # E3
        if node is self.root:
            self.draw_randomness()
        self._backup(leaf.path, leaf.steps, v, d, plies, lead)

    def _limit_probe(self) -> None:
        config = self.config
        self.probe.limit(*(config.lookahead, config.prove_nodes, config.threats) if config.solver else (0, 0, 0))

    def draw_randomness(self) -> None:
        """What is new about a root: besides its randomness, the move that the probe knows to win."""
        super().draw_randomness()
        action = self.probe.win(self.root.state) if self.root.edges else None
        self.win = next((edge for edge in self.root.edges if edge.action == action), None)

    def _learn(self, node: Node, found: Bounds) -> None:
        """Bounds that leave the value open are of no use here."""
        if found[0] == found[1]:
            node.prove(found)

    def _prove(self, leaf: Leaf, expected: float) -> None:
        """The value, not how long the game lasts. Not of the root, which is left to its moves; nor at or below a solved
        node, unless it is the root."""
        path = leaf.path
        if len(path) == 1 or path[-1].lo == path[-1].hi or (len(path) > 2 and path[-2].lo == path[-2].hi):
            return
        self._learn(path[-1], self.probe(path[-1].state, expected))

    def _backup(self, path: list[Node], steps: list[Edge], v: float, d: float, ml: float, lead: float | None) -> None:
        if lead is None:  # nobody counted it: its parent's lead leaves the parent's mean as it is
            lead = -path[-2].L if len(path) > 1 else 0.0
        for depth in reversed(range(len(path))):
            node = path[depth]
            if self.is_solved(node) and node.dist is None:
                v, d = self.solved_value(node, ml), float(node.lo == 0)
            node.N += 1
            node.Q += (v - node.Q) / node.N
            node.D += (d - node.D) / node.N
            node.M += (ml - node.M) / node.N
            node.S += (v * v - node.S) / node.N
            node.L += (lead - node.L) / node.N
            if node.N == 1 and depth > 0:
                path[depth - 1].seen += steps[depth - 1].P
            v = -(v * self.config.discount)
            ml = ml + 1
            lead = -lead
        if self.config.solver:
            for node in reversed(path[:-1]):
                if not self.tighten(node):
                    break

    # --- Section 4: choosing a child ---

    def _is_full(self) -> bool:
        return 0 < self.config.max_nodes <= self.nodes

    def _winning_edge(self) -> Edge | None:
        """The root was not probed: an untried move of it that the probe knows to win goes before all others."""
        return self.win if self.win and self.win.child is None and not self._is_full() else None

    def _choose_child(self, node: Node) -> Edge | None:
        """None when the tree is full and no child has a node."""
        choices = [edge for edge in node.edges if edge.child or not self._is_full()]
        if not choices:
            return None
        if node is self.root and self.config.rule == "gumbel":
            return self.choose_by_gumbel(choices)
        choices = self.unless_lost(choices)
        unvisited = [edge for edge in choices if edge.N == 0]
        if unvisited and (self.config.fpu_mode == "infinite" or self.config.rule == "ucb1"):
            return max(unvisited, key=lambda edge: (-edge.n, self.effective_prior(node, edge)))
        # max() keeps the first of equal ones: only a strictly greater score replaces.
        return max(choices, key=lambda edge: self.score(node, edge))

    # --- Section 7: symmetry ---

    def _shown_view(self, state: State) -> tuple[int, int]:
        """The symmetry under which a leaf is shown, and the key of that view. Playouts do not look at a board."""
        if self.config.rule == "ucb1":
            return 0, state.hash(0)
        views = sorted((state.hash(s), s) for s in range(state.game.num_symmetries))
        key, symmetry = views[mix64(views[0][0] ^ mix64((self.seed + GOLDEN) & MASK)) % len(views)]
        return symmetry, key

    # --- Section 10: going on ---

    def configure(self, config: SearchConfig) -> None:
        """Changes options between searches; more `sims` let a finished search go on."""
        self.config = config
        self._limit_probe()
        self.draw_randomness()

    def advance(self, action: int) -> None:
        """Plays a move; with tree_reuse its subtree stays."""
        if self.pending:
            raise RuntimeError("leaves are pending: back them up first")
        state = self.root.state.copy()
        state.apply(action)
        child = next((edge.child for edge in self.root.edges if edge.action == action), None)
        self.root, self.nodes, self.noisy = Node.at(state), 1, False
        unsearched = child is not None and self.is_solved(child) and child.dist is None
        if self.config.tree_reuse and child is not None and (child.edges or child.terminal) and not unsearched:
            self.root = child
            self.nodes = count_nodes(child)
            self.draw_randomness()


def lead_at_end(state: State) -> float | None:
    """Of a finished game, for the side to move."""
    score = state.score()
    if score is None:
        return None
    return score[0] - score[1] if state.to_move() == 0 else score[1] - score[0]
