"""The WebSocket: one search at a time, seen while it runs; it ends with the socket.

Updates are made when they can be sent, never kept: a slow reader gets fewer of them, and fresh ones. Nothing queues up,
because the next message is read only after the last was answered.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from tengen.app import requests
from tengen.app.engines import Engines
from tengen.app.errors import AppError, told
from tengen.app.networks import changed_settings, search_settings
from tengen.app.positions import read_position
from tengen.app.review import review
from tengen.app.treesearch import Searches, TreeSearch, node_report, picture_svg, search_report
from tengen.app.withoutsearch import answer, plain_report
from tengen.games import GameError, State
from tengen.kifu import KifuError
from tengen.play.players import page_player
from tengen.search.agent import Agent

__all__ = ["HERTZ", "Conversation"]

HERTZ = 10  # most updates a second
PATIENCE = 2  # searching goes on this many times as long as the last look took


class Conversation:
    """What one page and the server say to each other."""

    def __init__(self, socket: WebSocket, searches: Searches, engines: Engines) -> None:
        self._socket, self._searches, self._engines = socket, searches, engines
        self._sending = asyncio.Lock()
        self._id: requests.SearchName | None = None
        self._search: TreeSearch | None = None
        self._last: TreeSearch | None = None  # analysis, whose tree may have the next position in it
        self._task: asyncio.Task[None] | None = None

    async def hold(self) -> None:
        await self._socket.accept()
        try:
            while (message := await self._socket.receive())["type"] == "websocket.receive":
                if (text := message.get("text")) is None:
                    return await self._socket.close(1003, "texts only")
                await self._hear(text)
        except WebSocketDisconnect:
            pass
        finally:
            await self._end()
            if self._last:
                self._last.forget()
            await self._engines.leave(self)

    async def _hear(self, text: str) -> None:
        try:
            message = requests.MESSAGE.validate_json(text)
        except ValidationError as error:
            problem = AppError("bad_request", _first_problem(error))
            return await self._tell("error", _id_of(text), error=problem.to_dict())
        try:
            await self._act(message)
        except (AppError, KifuError, GameError) as error:
            await self._tell("error", message.id, error=told(error).to_dict())

    async def _act(self, message: requests.Message) -> None:
        match message:
            case requests.SearchRequest() | requests.Review():
                await self._end()
                await self._begin(message)
            case requests.StopRequest():
                if message.id == self._id and self._search:
                    self._search.stop()
                elif message.id == self._id:
                    await self._end()  # another program has nothing to tell before its move
            case requests.More():
                search = self._known(message.id)
                if self._task and not self._task.done():
                    search.stop()
                    await asyncio.wait([self._task])
                search.add_simulations(message.sims)
                self._start(self._run_live(message.id, search))
            case requests.NodeRequest():
                search, path = self._known(message.id), message.path
                node = await search.use(lambda agent: node_report(agent, search.state, path))
                await self._tell("node", message.id, path=path, node=node)
            case requests.Picture():
                search, nodes = self._known(message.id), message.nodes
                branches = await search.use(lambda agent: picture_svg(agent, search.state, nodes))
                await self._tell("picture", message.id, branches=branches)

    async def _begin(self, message: requests.SearchRequest | requests.Review) -> None:
        state = read_position(message.position)
        self._id = message.id
        if isinstance(message, requests.Review):
            search = self._make(message, state)
            self._start(review(search, lambda **row: self._tell("review", message.id, **row)))
            return
        if state.is_terminal():
            raise AppError("game_over", f"the game is over after {state.ply()} plies", ply=state.ply())
        named = page_player(message.player)
        if named and named[0].search is None:
            if named[0].outside:
                return self._start(self._ask_engine(message.id, named[1], state))
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(self._searches.threads, answer, named[1], state)
            return await self._tell("update", message.id, done=True, seconds=0.0, **found)
        search = self._make(message, state)
        runs = self._run_live if message.live else self._run_quietly
        self._start(runs(message.id, search))

    async def _ask_engine(self, id: requests.SearchName, player: str, state: State) -> None:
        begun = time.monotonic()
        chosen = await self._engines.choose(self, player, state)
        if chosen is None:
            await self._tell("resigned", id)
        else:
            seconds = time.monotonic() - begun
            await self._tell("update", id, done=True, seconds=seconds, **plain_report(state, chosen))

    def _make(self, message: requests.SearchRequest | requests.Review, state: State) -> TreeSearch:
        config = changed_settings(state.game, search_settings(message.player, state.game), message.settings)
        analyses = isinstance(message, requests.SearchRequest) and message.live
        if analyses and self._last and self._last.leads_to(message.player, state, config):
            self._search = self._last
            self._search.follow(state, config)
        else:
            if self._last:
                self._last.forget()
            # What is analysed twice is found twice; games differ.
            seed = secrets.randbits(32) if isinstance(message, requests.SearchRequest) and not message.live else 0
            self._search = TreeSearch(self._searches, message.player, state, config, seed)
        self._last = self._search if analyses else None
        return self._search

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        name = self._id

        async def guarded() -> None:
            try:
                await work
            except WebSocketDisconnect:
                pass  # nobody listens any more
            except (AppError, KifuError, GameError) as error:
                with suppress(WebSocketDisconnect):
                    await self._tell("error", name, error=told(error).to_dict())
            except Exception:
                logging.getLogger(__name__).exception("a search failed")
                with suppress(WebSocketDisconnect, RuntimeError):
                    await self._socket.close(1011)

        self._task = asyncio.create_task(guarded())
        self._task.add_done_callback(lambda _: work.close())  # where it ended before it began

    async def _run_live(self, id: requests.SearchName, search: TreeSearch) -> None:
        async with search.opened():
            running = asyncio.create_task(search.run())
            try:
                pause = 1 / HERTZ
                while not (await asyncio.wait([running], timeout=pause))[0]:
                    started = time.monotonic()
                    found = await search.use(lambda agent: _look(agent, search.state))
                    pause = max(1 / HERTZ, PATIENCE * (time.monotonic() - started))
                    if found:
                        await self._tell("update", id, done=False, seconds=search.seconds, **found)
            finally:
                search.stop()
                await asyncio.wait([running])
            await running
        found = await search.use(lambda agent: search_report(agent, search.state))
        await self._tell("update", id, done=True, seconds=search.seconds, **found)

    async def _run_quietly(self, id: requests.SearchName, search: TreeSearch) -> None:
        """For playing: only the end, with the move that the options' temperature draws."""
        async with search.opened():
            await search.run()

        def chosen(agent: Agent) -> dict[str, Any]:
            found = search_report(agent, search.state)
            return found | {"best": search.state.move_text(agent.search.choose(0))}

        await self._tell("update", id, done=True, seconds=search.seconds, **await search.use(chosen))

    def _known(self, id: requests.SearchName) -> TreeSearch:
        if self._search is None or id != self._id:
            raise AppError("bad_request", f"there is no search {id!r} on this socket", id=id)
        return self._search

    async def _end(self) -> None:
        """Ends the search under way; returns when no thread works for it any more."""
        if self._search:
            self._search.stop()
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._search and self._search is not self._last:
            self._search.forget()
        self._search = self._task = self._id = None

    async def _tell(self, type: str, id: object, **values: Any) -> None:
        async with self._sending:
            text = json.dumps({"type": type, "id": id, **values}, allow_nan=False, separators=(",", ":"))
            try:
                await self._socket.send_text(text)
            except RuntimeError:  # what Starlette and uvicorn say about sending after a close
                raise WebSocketDisconnect(1006) from None


def _look(agent: Agent, state: State) -> dict[str, Any] | None:
    return search_report(agent, state) if agent.search.node(0).expanded else None


def _id_of(text: str) -> object:
    """The id of a message that is wrong otherwise, if it has one."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    id = message.get("id") if isinstance(message, dict) else None
    return id if isinstance(id, str | int) else None


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else str(problem["msg"])
