"""A search that can be looked at while it runs.

The search's own threads write to the tree without Python's lock, so nobody may read it meanwhile. It therefore runs in
short slices, and between two slices whoever waits gets the tree: `use` is the only way to it, first come, first served.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, asynccontextmanager
from typing import Any, TypeVar

from tengen._core import EdgeView
from tengen.app.errors import AppError
from tengen.app.networks import Networks
from tengen.app.positions import move_place
from tengen.app.threads import in_thread
from tengen.config import SearchConfig
from tengen.games import GameError, State
from tengen.play.certainty import WIDEST, certainty, margin
from tengen.search.agent import Agent, MoveInfo
from tengen.search.picture import grown

__all__ = ["Searches", "TreeSearch"]

SLICE = 0.05  # seconds: what a look may have to wait when its request to stop came too early to be heard
LINES = 16  # expected lines in a report: Go has hundreds of moves, and nobody reads as many lines
MOST_SEARCHES = 8  # under way at once; the rest is told to come back
# All trees together, of those who search and of pages that are merely open: a quarter of this machine's memory.
MOST_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4

_Result = TypeVar("_Result")


class Searches:
    """What all searches of the app share: networks, threads, how many run at once, and the memory of all trees."""

    def __init__(self, networks: Networks, threads: Executor) -> None:
        self.networks, self.threads = networks, threads
        self.running = 0
        self._trees: dict[TreeSearch, None] = {}  # those that have memory; the one used last comes last

    def enter(self, tree: TreeSearch) -> None:
        if self.running >= MOST_SEARCHES:
            raise AppError("too_busy", f"{MOST_SEARCHES} searches are under way already; end one", most=MOST_SEARCHES)
        self.running += 1
        self.note_use(tree)

    def leave(self) -> None:
        self.running -= 1

    def note_use(self, tree: TreeSearch) -> None:
        self._trees.pop(tree, None)
        self._trees[tree] = None

    def remove(self, tree: TreeSearch) -> None:
        self._trees.pop(tree, None)

    @property
    def bytes(self) -> int:
        return sum(tree.bytes for tree in self._trees)

    def make_room(self) -> None:
        """Drops the trees that were not used for longest. Where all are at work, the largest search ends instead."""
        for tree in list(self._trees):
            if self.bytes <= MOST_BYTES:
                return
            if tree.is_idle():
                tree.forget()
        if self.bytes > MOST_BYTES:
            max(self._trees, key=lambda tree: tree.bytes).stop()

    def stop(self) -> None:
        for tree in list(self._trees):
            tree.stop()


class TreeSearch:
    """One tree of one player. Everything but `stop` is called on the event loop."""

    def __init__(self, searches: Searches, player: str, state: State, config: SearchConfig, seed: int = 0) -> None:
        self._searches, self.player, self.state = searches, player, state
        self._agent: Agent | None = None
        self.config, self._seed = config, seed
        self._lock = asyncio.Lock()
        self.stopped = False
        self.finished = False  # nothing is left to search
        self.seconds = 0.0  # spent so far
        self._begun = self._open = False
        self._evaluated = False  # the root: before that there is nothing to report, and no move to choose
        self._visits = 0
        self.bytes = 0  # of memory, at most

    async def use(self, work: Callable[[Agent], _Result]) -> _Result:
        """Does something with the tree in another thread; a search under way makes way."""
        if self._agent is not None:
            self._agent.stop()
            self._searches.note_use(self)
        async with self._lock:
            return await self._in_thread(lambda: work(self._made()))

    def leads_to(self, player: str, position: State, config: SearchConfig) -> bool:
        """Does a position follow from this one by some moves, for the same player with the same options?"""
        now, then = self.state.moves(), position.moves()
        follows = position.start_text() == self.state.start_text() and len(then) > len(now) and then[: len(now)] == now
        budget = {"sims": 0, "seconds": 0.0}
        same = player == self.player and config.replace(**budget) == self.config.replace(**budget)
        return same and position.game == self.state.game and follows

    def follow(self, position: State, config: SearchConfig) -> None:
        """Goes on with a position that this one leads to, in the part of the tree that is left."""
        self.state, self.config = position, config
        self.stopped, self.finished, self.seconds = False, False, 0.0

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """One of the searches under way at once, with its evaluator, at its position."""
        self._searches.enter(self)
        self._open = True
        try:
            with ExitStack() as evaluator:
                async with self._lock:
                    await self._in_thread(lambda: self._begin(evaluator))
                yield
        finally:
            self._open = False
            self._searches.leave()

    async def move_to(self, position: State) -> None:
        """The tree follows the game; what it knows of the position is kept."""
        self.state, self._evaluated = position, False
        await self.use(lambda agent: agent.set_root(position))

    async def run(self) -> None:
        """Searches until the budget is spent or `stop`, but at least until the root is evaluated; to be called while
        opened. A stop may come before the first slice: the page changes its mind, or another tree needs room."""
        seconds, spent = self.config.seconds, 0.0
        while not (self._evaluated and self.stopped):
            async with self._lock:
                started = time.monotonic()
                await self._in_thread(self._slice)
                spent += time.monotonic() - started
                self.seconds += time.monotonic() - started
            self._searches.make_room()
            if self._evaluated and (self.finished or (seconds and spent >= 0.999 * seconds)):
                return

    def stop(self) -> None:
        """Ends `run` within a slice, or two where it has just begun."""
        self.stopped = True
        if self._agent is not None:
            self._agent.stop()

    def is_idle(self) -> bool:
        return not self._open and not self._lock.locked()

    def forget(self) -> None:
        """Gives the tree's memory back. Who searches on begins with an empty one."""
        self._agent, self.bytes = None, 0
        self._searches.remove(self)

    def add_simulations(self, count: int) -> None:
        """Searches on when it is opened again, in the tree that is there; in a new one where it was forgotten."""
        self._check_begun()
        self.config = self.config.replace(sims=min(int(SIMS["high"]), self._visits + count), seconds=0.0)
        self.stopped = False

    def _slice(self) -> None:
        agent = self._made()
        agent.run([0])
        self.finished, self._visits = agent.search.finished(0), agent.search.visits(0)
        self._evaluated = agent.search.node(0).expanded
        # A tree that follows the game moves into a second one as large, and back; a cache fills up.
        self.bytes = max(self.bytes, 2 * agent.search.bytes(0) + (self.config.cache_mb << 20))

    def _begin(self, evaluator: ExitStack) -> None:
        judge = evaluator.enter_context(self._searches.networks.evaluator(self.player, self.state.game))
        if self._agent is None:
            self._agent = Agent(self.state.game, judge, self._sliced(), seed=self._seed, threads=1)
        self._agent.set_evaluator(judge)
        if self._agent.config != self._sliced():
            self._agent.configure(self._sliced())
        self._agent.set_root(self.state)
        self._begun, self._evaluated, self._visits = True, False, self._agent.search.visits(0)

    def _sliced(self) -> SearchConfig:
        """The options with a slice for the time: whole slices make up the time that was asked for."""
        seconds = self.config.seconds
        return self.config.replace(seconds=seconds / max(1, round(seconds / SLICE)) if seconds else SLICE)

    def _made(self) -> Agent:
        self._check_begun()
        if self._agent is None:
            raise AppError("forgotten", "this tree had to make room for others; search again")
        return self._agent

    def _check_begun(self) -> None:
        if not self._begun:
            raise AppError("bad_request", "this search has not begun")

    async def _in_thread(self, work: Callable[[], _Result]) -> _Result:
        return await in_thread(self._searches.threads, work, self.stop)


SIMS: dict[str, Any] = next(field for field in SearchConfig.fields() if field["name"] == "sims")


def rounded(value: float) -> float | None:
    """For the wire; UCB1 has infinite terms for moves never tried, which JSON has not."""
    return round(value, 6) if math.isfinite(value) else None


def move_row(state: State, move: MoveInfo) -> dict[str, Any]:
    return {
        "move": move.text,
        "action": move.action,
        **move_place(state, move.action),
        "visits": move.visits,
        "share": rounded(move.share),
        "prior": rounded(move.prior),
        "q": rounded(move.q),
        "wdl": [rounded(share) for share in move.wdl],
        "plies": rounded(move.plies),
        "lead": move.lead,
        "u": rounded(move.u),
        "lcb": rounded(move.lcb),
        "proven": move.proven,
        "pv": move.pv,
    }


def search_report(agent: Agent, state: State) -> dict[str, Any]:
    """What the tree knows, moves best first, for the side to move."""
    analysis = agent.report(state, lines=LINES)
    return {
        "visits": analysis.visits,
        "nodes": analysis.nodes,
        "q": rounded(analysis.q),
        "wdl": [rounded(share) for share in analysis.wdl],
        "plies": rounded(analysis.plies),
        "lead": analysis.lead,
        "best": state.move_text(analysis.best),
        **certainty(margin(agent.evaluator, analysis.moves[0]) <= WIDEST),
        "moves": [move_row(state, move) for move in analysis.moves],
    }


def node_report(agent: Agent, root: State, path: list[int]) -> dict[str, Any]:
    """One node, for the side to move there, with the terms by which its next move is chosen."""
    state = root.copy()
    try:
        for action in path:
            state.apply(action)
        view = agent.search.node(0, path)
    except (GameError, ValueError) as error:
        raise AppError("bad_request", error, path=path) from None
    solver, edges = agent.config.solver, view.edges
    chosen = next_child(agent.config, edges, at_root=not path)
    children = [
        {
            "action": edge.action,
            "text": state.move_text(edge.action),
            "visits": edge.visits,
            "prior": rounded(edge.prior),
            "noise": rounded(edge.noise),
            "q": rounded(edge.value),
            "u": rounded(edge.u),
            "mlh": rounded(edge.moves_left),
            "score": rounded(edge.score),
            "moves_left": rounded(1 + edge.m) if edge.visits else None,
            "proven": _proven(-edge.lo, -edge.hi) if solver else None,
            "next": place == chosen,
        }
        for place, edge in enumerate(edges)
    ]
    return {
        "visits": view.visits,
        "q": rounded(view.q),
        "d": rounded(view.d),
        "m": rounded(view.m),
        "proven": _proven(view.lo, view.hi) if solver else None,
        "terminal": view.terminal,
        "to_move": state.to_move(),
        "children": children,
    }


def next_child(config: SearchConfig, edges: Sequence[EdgeView], at_root: bool) -> int | None:
    """Where the next simulation goes, by section 4 of docs/search.md; None where the root has a schedule."""
    if at_root and config.rule == "gumbel":
        return None
    places = range(len(edges))
    alive = [i for i in places if not (config.solver and edges[i].lo == 1)] or list(places)
    untried = [i for i in alive if edges[i].visits == 0]
    if untried and (config.rule == "ucb1" or config.fpu_mode == "infinite"):
        return max(untried, key=lambda i: _noisy_prior(config, edges[i]))
    return max(alive, key=lambda i: edges[i].score, default=None)


def _noisy_prior(config: SearchConfig, edge: EdgeView) -> float:
    share = config.noise_epsilon if edge.noise else 0.0
    return (1 - share) * edge.prior + share * edge.noise


def _proven(low: int, high: int) -> str | None:
    return {1: "win", 0: "draw", -1: "loss"}[low] if low == high else None


def picture_svg(agent: Agent, root: State, nodes: int) -> list[dict[str, Any]]:
    """The most visited nodes, parents first; each names its parent by its place in the list."""
    branches = grown(agent, root, nodes)
    places = {id(branch): place for place, branch in enumerate(branches)}
    return [
        {
            "text": branch.text,
            "mover": branch.mover,
            "visits": branch.visits,
            "q": rounded(branch.q),
            "proven": branch.proven,
            "main": branch.main,
            "depth": branch.depth,
            "parent": places[id(branch.parent)] if branch.parent else None,
        }
        for branch in branches
    ]
