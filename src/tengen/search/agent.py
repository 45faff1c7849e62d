"""An agent is a search, an evaluator and a choice of move. Its loop is the only select-evaluate-backup loop there is.

>>> from tengen import games
>>> from tengen.search.agent import Agent
>>> from tengen.net.evaluator import Rollout
>>> game = games.make("tictactoe")
>>> agent = Agent(game, Rollout(), sims=200)
>>> position = game.from_moves("a3 b2 a2 c3")
>>> position.move_text(agent.act(position))
'a1'
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen._core import BatchSearch, EdgeView, LeafSource, SearchConfig
from tengen.games import Game, GameError, State
from tengen.interrupts import stopped_by_ctrl_c
from tengen.net.evaluator import (
    Counting,
    Evaluation,
    Evaluator,
    Leaves,
    NetworkEvaluator,
    Pending,
    Rollout,
    bounded_lead,
    foreseen_owners,
)
from tengen.preset import network_search

__all__ = ["TREES_MEMORY", "Agent", "Analysis", "MoveInfo", "node_bytes", "run_searches"]

TREES_MEMORY = 1 << 30  # bytes for all trees of a batch, where max_nodes is 0; as in batch.h
STANDARD_ERRORS = 3.0  # taken off a value for its lower confidence bound


def node_bytes(game: Game) -> int:
    """Memory of a node and its edges, as in tree.h, and of the position that a search keeps there."""
    return 64 + 16 * game.num_actions + game.kept_bytes


@dataclass(frozen=True)
class MoveInfo:
    """What a search found out about one move, for the side to move."""

    action: int
    text: str
    visits: int
    share: float  # of all visits
    prior: float
    q: float  # −1 … 1
    wdl: tuple[float, float, float]
    plies: float  # to the end of the game, by the moves-left estimate
    lead: float | None  # points at the end; None where nobody counts
    u: float  # exploration term of the next selection
    error: float  # standard error of q, by the values below; 0 when proven, 1 before any visit
    lcb: float  # lower confidence bound of q
    proven: str | None  # "win", "draw", "loss", with `plies` exact
    pv: tuple[str, ...]  # the line the search expects, this move included


@dataclass(frozen=True)
class Analysis:
    """A searched position: moves best first, and the root's own numbers for the side to move."""

    moves: tuple[MoveInfo, ...]
    best: int
    visits: int
    q: float
    wdl: tuple[float, float, float]
    plies: float
    lead: float | None  # points at the end; None where nobody counts
    nodes: int


@dataclass(frozen=True)
class _Answered:
    """The answer of an evaluator that cannot be asked now and read later."""

    answer: Evaluation

    def wait(self) -> Evaluation:
        return self.answer


def run_searches(sources: Sequence[LeafSource], evaluator: Evaluator, done: Callable[[], bool] = lambda: False) -> None:
    """Selects, evaluates and backs up until no source has leaves or `done`, which is asked when a batch comes back;
    nothing is left in flight.

    With several sources, one is gathered while the leaves of another are in the network.
    """

    start: Callable[[Leaves], Pending]
    start = evaluator.start if isinstance(evaluator, NetworkEvaluator) else lambda leaves: _Answered(evaluator(leaves))
    under_way: deque[tuple[LeafSource, Pending]] = deque()
    try:
        for source in sources:
            if not done() and (leaves := source.select()):
                under_way.append((source, start(leaves)))
        while under_way:
            source, answer = under_way.popleft()
            evaluation = answer.wait()
            if done():
                source.backup(*evaluation)
            elif leaves := source.step(*evaluation):
                under_way.append((source, start(leaves)))
    except BaseException:
        for source in sources:
            source.cancel()
        raise


class Agent:
    """Searches positions of one game, `slots` of them side by side; trees are kept from move to move, never shared."""

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator | Rollout,
        config: SearchConfig | None = None,
        *,
        seed: int = 0,
        slots: int = 1,
        threads: int = 0,
        **options: bool | int | float | str,
    ) -> None:
        """`options` of the search change `config`. Without one they change what is usual: for a network the settings
        that its game's preset plays with, as in `tengen play` and `tengen analyze`; else SearchConfig's own."""
        self.game = game
        if config is None:
            config = network_search(game, slots) if isinstance(evaluator, NetworkEvaluator) else SearchConfig()
        self.config = config.replace(**options)
        self.search = BatchSearch(game, slots, self.config, seed, threads)
        self.set_evaluator(evaluator)
        self._roots: list[tuple[str, list[int]] | None] = [None] * slots
        self._numbers = list(range(slots))
        self._searching = threading.Lock()

    def configure(self, config: SearchConfig) -> None:
        """Changes the options of every slot; trees are kept. Cache and memory sizes stay as they were made."""
        self.config = config
        for slot in range(self.search.trees):
            self.search.configure(slot, config)

    def set_evaluator(self, evaluator: Evaluator | Rollout) -> None:
        """Who judges positions from now on. Answers of another network leave the cache; trees are kept."""
        self.evaluator = evaluator
        if isinstance(evaluator, NetworkEvaluator):
            self.search.set_network(evaluator.network_hash)

    def new_game(self, slot: int, number: int) -> None:
        """A slot's next position starts a game of its own: a fresh tree, and random streams named by `number`."""
        self._roots[slot] = None
        self._numbers[slot] = number

    def act(self, state: State, slot: int = 0) -> int:
        """The move to play in a position, by the options' temperature."""
        return self.act_many([state], [slot])[0]

    def act_many(self, states: Sequence[State], slots: Sequence[int] | None = None) -> list[int]:
        """Moves for many positions at once, one slot each: all of them are evaluated in the same batches."""
        chosen = list(range(len(states))) if slots is None else list(slots)
        if len(set(chosen)) < len(chosen):
            raise ValueError(f"each position needs a slot of its own, not {chosen}")
        for state, slot in zip(states, chosen, strict=True):
            self.set_root(state, slot)
        self.run(chosen)
        return [self.search.choose(slot) for slot in chosen]

    def analyze(self, state: State, slot: int = 0) -> Analysis:
        """Searches a position and says what was found about every move."""
        self.set_root(state, slot)
        self.run([slot])
        return self.report(state, slot)

    def set_root(self, state: State, slot: int = 0) -> None:
        """Moves a slot's tree to a position: by playing on when it follows from the last one, else afresh."""
        if state.game != self.game:
            raise GameError(f"this agent plays {self.game.id}, the position is of {state.game.id}")
        start, moves = state.start_text(), state.moves()
        last = self._roots[slot]
        if last is not None and last[0] == start and moves[: len(last[1])] == last[1]:
            for action in moves[len(last[1]) :]:
                self.search.advance(slot, action)
        else:
            self.search.reset(slot, state, self._numbers[slot])
        self._roots[slot] = (start, moves)

    def run(self, slots: Sequence[int]) -> None:
        """Searches the roots of some slots until their budgets are spent or `stop` is called; calling again goes on.

        Ctrl-C ends it within a fraction of a second, with a KeyboardInterrupt. One thread at a time.
        """
        if not self._searching.acquire(blocking=False):
            raise RuntimeError("this agent is searching in another thread: give each thread an agent of its own")
        try:
            self.search.activate(list(slots))
            with stopped_by_ctrl_c(self.search.stop):
                if isinstance(self.evaluator, Rollout):
                    self.search.run_rollouts(self.evaluator.nearby)
                else:
                    run_searches([self.search], self.evaluator)
        finally:
            self._searching.release()

    def stop(self) -> None:
        """Ends the search under way in another thread within 0.1 s or so, also amid a proof; what it found so far
        stays. Without a search under way it does nothing: repeat it until the other thread returns, to be sure."""
        self.search.stop()

    def report(self, state: State, slot: int = 0, lines: int | None = None) -> Analysis:
        """What the tree of a slot, whose root is `state`, knows now.

        Of many moves, following the expected line of each takes longer than all the rest: `lines` is for how many of
        the most visited it is done (None: all). The others have a line of themselves alone.
        """
        root = self.search.node(slot)
        best = self.search.best(slot)
        edges = root.edges  # a copy at every look
        total = max(1, sum(edge.visits for edge in edges))
        few = len(edges) if lines is None else lines
        least = sorted((edge.visits for edge in edges), reverse=True)[: few + 1][-1] if few < len(edges) else -1
        moves = [self._move_info(state, slot, total, edge, edge.visits > least) for edge in edges]
        moves.sort(key=lambda move: (move.action != best, -move.visits, -move.prior))
        return Analysis(
            moves=tuple(moves),
            best=best,
            visits=self.search.visits(slot),
            q=root.q,
            wdl=_wdl(root.q, root.d),
            plies=root.m,
            lead=bounded_lead(root.p) if self._counts else None,
            nodes=self.search.nodes(slot),
        )

    @property
    def _counts(self) -> bool:
        """Does whoever judges positions say the lead? A playout ends with a count."""
        return self.game.counted and (
            isinstance(self.evaluator, Rollout) or (isinstance(self.evaluator, Counting) and self.evaluator.counts)
        )

    def owners(self, state: State) -> NDArray[np.float32] | None:
        """Whose every cell will be at the end, from 1 (the side to move's) to -1, as the network sees it. None where it
        does not count."""
        return foreseen_owners(self.evaluator, state)

    def _move_info(self, state: State, slot: int, total: int, edge: EdgeView, follow: bool) -> MoveInfo:
        visited = edge.visits > 0
        solved = self.config.solver and visited and edge.lo == edge.hi
        q = float(-edge.lo) if solved else -edge.q if visited else edge.value
        d = float(edge.lo == 0) if solved else edge.d
        variance = 0.0 if solved else max(0.0, edge.s - edge.q * edge.q)
        error = (variance / edge.visits) ** 0.5 if visited else 1.0
        return MoveInfo(
            action=edge.action,
            text=state.move_text(edge.action),
            visits=edge.visits,
            share=edge.visits / total,
            prior=edge.prior,
            q=q,
            wdl=_wdl(q, d),
            plies=1 + edge.m if edge.dist is None or not solved else float(1 + edge.dist),
            lead=bounded_lead(-edge.p) if visited and self._counts else None,
            u=edge.u,
            error=error,
            lcb=q - STANDARD_ERRORS * error if visited else -1.0,
            proven={-1: "win", 0: "draw", 1: "loss"}[edge.lo] if solved else None,
            pv=self.principal_variation(state, slot, [edge.action], limit=20 if follow else 1),
        )

    def principal_variation(self, state: State, slot: int, path: list[int], limit: int = 20) -> tuple[str, ...]:
        """The most visited line below a path of actions, as move texts, the path included."""
        state = state.copy()
        line: list[str] = []
        actions = list(path)
        while actions and len(line) < limit:
            action = actions.pop(0)
            line.append(state.move_text(action))
            state.apply(action)
            if not actions:
                path = path[: len(line)]
                visited = [e for e in self._edges(slot, path) if e.visits > 0]
                if visited:
                    actions = [max(visited, key=lambda e: (e.visits, -e.q, e.prior)).action]
                    path = path + actions
        return tuple(line)

    def _edges(self, slot: int, path: list[int]) -> Sequence[EdgeView]:
        try:
            return self.search.node(slot, path).edges
        except ValueError:  # never visited: there is no node
            return ()


def _wdl(q: float, d: float) -> tuple[float, float, float]:
    return ((1 - d + q) / 2, d, (1 - d - q) / 2)
