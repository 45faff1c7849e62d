"""The routes. Each says what it takes and hands over; the work is done beside, in threads."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import uvicorn
from fastapi import APIRouter, FastAPI, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from tengen import games
from tengen.app import positions, requests
from tengen.app.comparison import MOST_COMPARED
from tengen.app.engines import Engines
from tengen.app.errors import AppError, told
from tengen.app.evaluation import evaluate
from tengen.app.keys import Keys
from tengen.app.live import HERTZ, Conversation
from tengen.app.networks import Networks, search_settings, settings_of_the_page
from tengen.app.runs import Runs
from tengen.app.security import Guard
from tengen.app.treesearch import MOST_SEARCHES, Searches
from tengen.app.withoutsearch import solver_for
from tengen.exact.oracle import oracle
from tengen.games import GameError
from tengen.kifu import About, KifuError, kifu_text, parse_kifu
from tengen.kifu.moves import make_game
from tengen.serving import Door

__all__ = ["Server", "make_server"]

STATIC = Path(__file__).with_name("static")
MOST_SOCKETS = 64
MOST_CONNECTIONS = 512  # a quarter of them for one address: a browser has some six, and a WebSocket for each page
HEADER_SECONDS = 30  # for the header of a request to come, and for the next one after it
LARGEST_MESSAGE = 1 << 16  # on the WebSocket
DEEPEST_JSON = 6000  # a game in JSON is nested twice per ply, and Go on 19x19 may have 1444


def make_server(runs_folder: Path, keys: Keys, host: str = "127.0.0.1", train: str | None = None) -> Server:
    """The whole app behind its guard. `train` is a game whose usual run goes on beside it."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST_JSON))
    networks, runs = Networks(runs_folder), Runs(runs_folder)
    # A search's slices and the looks at its tree take turns, so twice as many threads never wait for each other.
    threads = ThreadPoolExecutor(2 * MOST_SEARCHES, "tengen-app")
    searches, engines = Searches(networks, threads), Engines()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        training = asyncio.create_task(_begin(runs, train)) if train else None
        watching = asyncio.create_task(engines.end_idle())
        yield
        watching.cancel()
        if training:
            training.cancel()
        await engines.close()
        await runs.close()
        threads.shutdown()
        networks.close()

    app = FastAPI(
        title="Tengen", version=version("tengen"), lifespan=lifespan, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json", redirect_slashes=False,
    )  # fmt: skip
    app.add_exception_handler(AppError, _tell_error)
    app.add_exception_handler(KifuError, _tell_error)
    app.add_exception_handler(GameError, _tell_error)
    app.add_exception_handler(RequestValidationError, _tell_invalid)
    app.add_exception_handler(HTTPException, _tell_http)
    app.include_router(_questions(searches), prefix="/api")
    app.include_router(_training(runs), prefix="/api/runs")
    app.include_router(_comparing(runs), prefix="/api")
    app.include_router(_searching(searches, engines), prefix="/api")
    _serve_page(app)

    def stop() -> None:
        searches.stop()
        runs.stop()

    return Server(Guard(app, host, keys), stop, engines.kill)


async def _begin(runs: Runs, game: str) -> None:
    try:
        await runs.begin(game)
    except (AppError, KifuError) as error:
        print(f"tengen app: {error}", file=sys.stderr, flush=True)


class Server(uvicorn.Server):
    """Bounds what one connection can cost, before any route is reached; ends at the first Ctrl-C, and at once at the
    second. `stop` tells everything under way to end, and returns at once; `kill` ends what would outlive the app."""

    def __init__(self, app: ASGIApp, stop: Callable[[], None], kill: Callable[[], None]) -> None:
        self._door = Door(header_seconds=HEADER_SECONDS, per_address=MOST_CONNECTIONS // 4, most=MOST_CONNECTIONS)
        self._stop, self._kill = stop, kill
        config = uvicorn.Config(
            app,
            http=self._door.protocol,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws_max_size=LARGEST_MESSAGE,
            ws_max_queue=4,
            ws_per_message_deflate=False,
            h11_max_incomplete_event_size=1 << 16,
            timeout_keep_alive=HEADER_SECONDS,
            timeout_graceful_shutdown=5,
        )
        super().__init__(config)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        super().run([self._door.guard(each) for each in sockets or []])

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            self._kill()
            os._exit(128 + sig)  # nobody waits for threads; runs were told to save, and do so by themselves
        self._stop()
        super().handle_exit(sig, frame)


def _questions(searches: Searches) -> APIRouter:
    route, networks = APIRouter(), searches.networks

    @route.get("/about")
    def about() -> dict[str, Any]:
        return {
            "version": version("tengen"),
            "games": [_game_entry(entry, networks.games()) for entry in games.registry()],
            "settings": settings_of_the_page(),
            "app": {
                "search_hz": HERTZ,
                "most_searches": MOST_SEARCHES,
                "searches": searches.running,
                "tree_bytes": searches.bytes,
            },
        }

    @route.get("/game")
    def game(id: Annotated[str, Query(max_length=requests.LONGEST_ID)]) -> dict[str, Any]:
        game = make_game(id)
        return {
            "id": game.id,
            "name": game.name,
            "layout": game.layout(),
            "start": positions.describe_start(game),
            "set_up": games.rules_of(game) is None,  # a position of somebody's own rules is told by its moves alone
            "num_actions": game.num_actions,
            "max_plies": game.max_plies,
            "settings": search_settings("network", game).to_dict(),
            "solvable": oracle(game) is not None,
            "options": games.options(game),
            "goals": game.facts.goals,
            "sgf": True,  # every game has it; other programs know it by its number, if it has one
            "sgf_number": game.facts.sgf_number,
        }

    @route.get("/players")
    def players(game: Annotated[str, Query(max_length=requests.LONGEST_ID)]) -> dict[str, Any]:
        return networks.available(make_game(game))

    @route.post("/position")
    def position(request: requests.AboutPosition) -> dict[str, Any]:
        return positions.describe_position(request.position)

    @route.post("/frames")
    def frames(request: requests.AboutPosition) -> dict[str, Any]:
        return positions.frames(request.position)

    @route.post("/parse")
    def parse(request: requests.Parse) -> Response:
        return _deep(parse_kifu(request.text, request.game))

    @route.post("/export")
    def export(request: requests.Export) -> Response:
        about = About(request.players, request.result, request.date)
        return _deep(kifu_text(request.game, request.start, request.tree, request.format, about))

    @route.post("/solve")
    def solve(request: requests.AboutPosition) -> dict[str, Any]:
        state = positions.read_position(request.position)
        solution = solver_for(state).solve(state)
        return {"score": solution.score, "scores": {str(column): n for column, n in solution.scores.items()}}

    @route.post("/evaluate")
    def evaluate_bare(request: requests.Evaluate) -> dict[str, Any]:
        return evaluate(networks, positions.read_position(request.position), request.players, request.owners)

    return route


def _game_entry(entry: dict[str, Any], networks: list[str]) -> dict[str, Any]:
    """A game for the page, which gets the bounds of its options as numbers: the words about them are for terminals.
    `networks` are the ids, of any game, for which there is one."""
    options = [{name: value for name, value in option.items() if name != "values"} for option in entry["options"]]
    own = [id for id in networks if entry["name"] in (id, id.partition(":")[0])]
    return {"id": entry["name"], **entry, "options": options, "networks": own}


def _training(runs: Runs) -> APIRouter:
    route = APIRouter()

    @route.get("")
    def every() -> list[dict[str, Any]]:
        return runs.summaries()

    @route.get("/{name}")
    def one(name: str, since: Annotated[int, Query(ge=0, le=2**53)] = 0) -> dict[str, Any]:
        return runs.details(name, since)

    @route.get("/{name}/live")
    def live(name: str) -> dict[str, Any]:
        return runs.live(name)

    @route.post("")
    async def start(request: requests.StartRun) -> dict[str, Any]:
        return {"name": await runs.start(request)}

    @route.post("/{name}/pause")
    async def pause(name: str) -> dict[str, Any]:
        return await runs.pause(name)

    @route.post("/{name}/resume")
    async def resume(name: str, request: requests.ResumeRun | None = None) -> dict[str, Any]:
        return await runs.resume(name, request.minutes if request else None)

    @route.post("/{name}/rename")
    def rename(name: str, request: requests.RenameRun) -> dict[str, Any]:
        return runs.rename(name, request.name)

    @route.post("/{name}/tags")
    def tag(name: str, request: requests.TagRun) -> dict[str, Any]:
        return runs.tag(name, request.tags)

    @route.post("/{name}/delete")
    def delete(name: str, request: requests.DeleteRun) -> dict[str, Any]:
        runs.delete(name, request.confirm)
        return {"deleted": name}

    return route


def _comparing(runs: Runs) -> APIRouter:
    route = APIRouter()

    @route.get("/compare")
    def compare(
        run: Annotated[list[str], Query(min_length=1, max_length=MOST_COMPARED)],
        curve: Annotated[str | None, Query(max_length=100)] = None,
    ) -> dict[str, Any]:
        return runs.compare(run, curve)

    return route


def _searching(searches: Searches, engines: Engines) -> APIRouter:
    route = APIRouter()
    sockets = 0

    @route.websocket("/search")
    async def search(socket: WebSocket) -> None:
        nonlocal sockets
        if sockets >= MOST_SOCKETS:
            return await socket.close(1013, "too many pages are open")
        sockets += 1
        try:
            await Conversation(socket, searches, engines).hold()
        finally:
            sockets -= 1

    return route


def _serve_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    def page() -> Response:
        index = STATIC / "index.html"
        if not index.is_file():
            return PlainTextResponse("The page is not built: run `make web`.\n网页尚未构建，请运行 `make web`。\n")
        return FileResponse(index, headers={"cache-control": "no-cache"})

    if STATIC.is_dir():
        app.mount("/", _Built(directory=STATIC), name="static")


class _Built(StaticFiles):
    """Files with a hash in their name never change."""

    async def get_response(self, path: str, scope: Any) -> Response:
        response = await super().get_response(path, scope)
        kept = "public, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
        response.headers["cache-control"] = kept
        return response


def _deep(content: dict[str, Any]) -> Response:
    """JSON nested as deep as a game is long, which FastAPI's own encoder is too slow for."""
    return Response(json.dumps(content, ensure_ascii=False), media_type="application/json")


async def _tell_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AppError | KifuError | GameError)
    problem = told(error)
    return JSONResponse({"error": problem.to_dict()}, problem.status)


async def _tell_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"] if part != "body")
    message = f"{where}: {problem['msg']}" if where else problem["msg"]
    return await _tell_error(request, AppError("bad_request", message))


async def _tell_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    content = {"error": {"code": "bad_request", "message": str(error.detail), "params": {}}}
    return JSONResponse(content, error.status_code, headers=error.headers)
