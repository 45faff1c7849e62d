"""The root: its randomness, the move, the training target. Sections 5 and 6 of docs/search.md."""

from collections.abc import Callable

from tengen._core import Rng, SearchConfig, log
from tengen.games import State
from tengen.search.reference.formulas import add_up, halving_sequence, normalised, softmax, tempered
from tengen.search.reference.tree import Edge, Node, Tree

TINY = 2.2250738585072014e-308  # the smallest normal double
NOISE_TOTAL = 10.83  # concentration over all legal moves (KataGo, arXiv:1902.10565)
GUMBEL_MOVES, GUMBEL_C_VISIT = 16, 50.0  # as in the paper (Danihelka and others, ICLR 2022), whose c_scale is 1


class Root(Tree):
    def __init__(self, state: State, config: SearchConfig, seed: int, game: int) -> None:
        super().__init__(Node.at(state), config)
        self.seed, self.game = seed, game

    # --- Section 5: the root ---

    def draw_randomness(self) -> None:
        """For a root just expanded, a visited node that just became the root, and after options changed."""
        edges, config = self.root.edges, self.config
        self.noisy = config.noise_epsilon > 0 and config.rule != "gumbel" and bool(edges)
        if self.noisy:
            alpha = config.noise_alpha if config.noise_alpha > 0 else NOISE_TOTAL / len(edges)
            for edge, noise in zip(edges, self._stream("noise").dirichlet(alpha, len(edges)), strict=True):
                edge.noise = noise
        gumbels = self._stream("gumbel")
        for edge in edges:
            edge.gumbel = gumbels.gumbel() if config.rule == "gumbel" else 0.0
            edge.base = edge.N

    def _stream(self, purpose: str) -> Rng:
        return Rng(self.seed, self.game, self.root.state.ply(), purpose)

    def choose_by_gumbel(self, choices: list[Edge]) -> Edge:
        edges = self.root.edges
        m = min(GUMBEL_MOVES, len(edges))
        considered = sorted(edges, key=lambda edge: edge.gumbel + self._logit(edge), reverse=True)[:m]  # stable
        candidates = [edge for edge in choices if edge in considered and not self.is_lost_move(edge)]
        sequence = halving_sequence(m, self.config.sims - sum(edge.base for edge in edges))
        sought = sequence[min(sum(self._since_root(edge) for edge in edges), len(sequence) - 1)]
        wanted = [edge for edge in candidates if self._since_root(edge) == sought]
        return max(wanted or candidates or self.unless_lost(choices), key=self._gumbel_score())

    def _since_root(self, edge: Edge) -> int:
        return edge.N + edge.n - edge.base

    def _logit(self, edge: Edge) -> float:
        return log(max(edge.P, TINY))

    def _sigma(self) -> Callable[[Edge], float]:
        """sigma(q) of a root move, as a function of its edge."""
        edges = self.root.edges
        scale = GUMBEL_C_VISIT + max(edge.N for edge in edges)
        mixed = self._mixed_value()
        return lambda edge: scale * (((-self.read(edge.child)[0] if edge.child and edge.N else mixed) + 1) / 2)

    def _mixed_value(self) -> float:
        visited = [(edge, edge.child) for edge in self.root.edges if edge.child and edge.N > 0]
        priors = add_up(edge.P for edge, _ in visited)
        if priors == 0:
            return self.root.V
        values = add_up(edge.P * -self.read(child)[0] for edge, child in visited)
        return (self.root.V + (self.visits / priors) * values) / (1 + self.visits)

    def _gumbel_score(self) -> Callable[[Edge], float]:
        sigma = self._sigma()
        return lambda edge: edge.gumbel + self._logit(edge) + sigma(edge)

    # --- Section 6: move, sampling, target ---

    def best_action(self) -> int:
        kept = self._keeping()
        return self._final_edge().action if kept is None else kept

    def _keeping(self) -> int | None:
        """Where all is settled, the move that places nothing keeps what both sides have."""
        state = self._expanded_root().state
        if not (self.config.solver and state.settled()):
            return None
        return next((edge.action for edge in self.root.edges if state.landing_cell(edge.action) is None), None)

    def _final_edge(self) -> Edge:
        edges = self._expanded_root().edges
        if self.is_solved_with_distance(self.root) and self.root.lo != 0:
            return self._edge_by_distance(edges)
        choices = self._sound_edges()
        most = max(choices, key=self._by_visits)
        if self.config.rule == "gumbel":
            return max((edge for edge in choices if edge.N == most.N), key=self._gumbel_score())
        return most

    def _expanded_root(self) -> Node:
        if not self.root.edges:
            raise ValueError("the game is over" if self.root.terminal else "nothing has been searched yet")
        return self.root

    def _edge_by_distance(self, edges: list[Edge]) -> Edge:
        """The quickest win, or the slowest loss."""
        children = [(edge, edge.child) for edge in edges if edge.child]
        ends = [(edge, child.hi, child.dist) for edge, child in children if child.dist is not None]
        if self.root.lo == 1:
            return min((end for end in ends if end[1] == -1), key=lambda end: end[2])[0]
        return max(ends, key=lambda end: end[2])[0]

    def _sound_edges(self) -> list[Edge]:
        """Moves not lost while another exists; where the root is solved, those that are proven to keep its value."""
        root = self.root
        if self.is_solved(root):
            return [edge for edge in root.edges if edge.child and edge.child.lo == edge.child.hi == -root.lo]
        return self.unless_lost(root.edges)

    def _by_visits(self, edge: Edge) -> tuple[int, float, float]:
        return edge.N, -self.read(edge.child)[0] if edge.child and edge.N else 0.0, edge.P

    def choose(self) -> int:
        """The move to play, sampled by the temperature schedule."""
        root, config = self._expanded_root(), self.config
        temperature = config.temperature if root.state.ply() < config.temperature_plies else config.temperature_end
        decided = self.is_solved_with_distance(root) and root.lo != 0
        if temperature < 1e-6 or decided or self._keeping() is not None:
            return self.best_action()
        edges = self._sound_edges()
        weights = tempered(
            [edge.N for edge in edges] if any(edge.N for edge in edges) else [e.P for e in edges], temperature
        )
        threshold = self._stream("temperature").uniform() * add_up(weights)
        total = 0.0
        for edge, weight in zip(edges, weights, strict=True):
            total += weight
            if threshold < total:
                return edge.action
        return [edge for edge, weight in zip(edges, weights, strict=True) if weight > 0][-1].action

    def target(self) -> list[float]:
        """What the network should have said: a distribution over all actions."""
        edges = self._expanded_root().edges
        out = [0.0] * self.root.state.game.num_actions
        if self.is_solved_with_distance(self.root) and self.root.lo == 1:
            out[self.best_action()] = 1.0
            return out
        if self.config.rule == "gumbel":
            sigma = self._sigma()
            weights = softmax([self._logit(edge) + sigma(edge) for edge in edges])
        else:
            weights = [float(edge.N) if self.visits else edge.P for edge in edges]
        lost = [self.is_lost_move(edge) for edge in edges]
        if any(weight > 0 and not gone for weight, gone in zip(weights, lost, strict=True)):
            weights = [0.0 if gone else weight for weight, gone in zip(weights, lost, strict=True)]
        for edge, weight in zip(edges, normalised(weights), strict=True):
            out[edge.action] = weight
        return out

    def worth(self) -> tuple[float, float, float]:
        """Value, draw share, plies to the end: what was proven, or what the target, played as a policy, would get."""
        root = self._expanded_root()
        if self.config.solver and root.dist is not None:
            return float(root.lo), float(root.lo == 0), float(root.dist)
        target = self.target()
        visited = [(target[edge.action], edge.child) for edge in root.edges if edge.child and edge.N > 0]
        total = add_up(weight for weight, _ in visited)
        if total == 0:
            return root.Q, root.D, root.M
        value = add_up(weight * self.read(child)[0] for weight, child in visited) / total
        drawn = [float(child.lo == 0) if self.is_solved(child) else child.D for _, child in visited]
        draw = add_up(weight * d for (weight, _), d in zip(visited, drawn, strict=True)) / total
        plies = add_up(weight * self.read(child)[1] for weight, child in visited) / total
        return -(value * self.config.discount), draw, 1 + plies
