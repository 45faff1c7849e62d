"""A game looked through move by move: every position is searched by the same agent, whose tree follows the game."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tengen.app.errors import AppError
from tengen.app.treesearch import TreeSearch
from tengen.games import State
from tengen.kifu.moves import start_of
from tengen.play.judgement import Searched, Tally, ended, judge, searched

__all__ = ["review"]


async def review(search: TreeSearch, tell: Callable[..., Awaitable[None]]) -> None:
    """Tells a row per move as soon as the position after it is searched; the last one has both sides' accuracy."""
    last = search.state
    moves = last.moves()
    if not moves:
        raise AppError("bad_moves", "there is no move to review")
    state = start_of(last.game, last.start_text())
    search.state = state.copy()
    tally = Tally()
    async with search.opened():
        before = await _look(search, state.copy())
        for ply, action in enumerate(moves):
            state.apply(action)
            after = await _look(search, state.copy())
            if search.stopped:
                return
            row = judge(before, action, after)
            tally.count(before.state.to_move(), row)
            done = ply + 1 == len(moves)
            ending = {"accuracy": tally.accuracy()} if done else {}
            await tell(ply=ply, done=done, total=len(moves), **row, **ending)
            before = after


async def _look(search: TreeSearch, state: State) -> Searched:
    if state.is_terminal():
        return ended(state)
    await search.move_to(state)
    await search.run()
    return await search.use(lambda agent: searched(agent, state))
