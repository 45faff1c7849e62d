"""KataGo's JSON analysis engine: many queries at once, their positions searched side by side in common batches.

    a line in  →  checked (query.py)  →  waits, by priority  →  searched in a crew (crew.py)  →  answers (answers.py)

Between two slices of searching, what has come in is read: a query joins those under way, `terminate` ends some. When
nothing more comes in, all that waits is still answered.
"""

from __future__ import annotations

import heapq
import json
import time
from collections import OrderedDict
from importlib import metadata
from typing import Any

from tengen.engine import answers
from tengen.engine.channel import Channel, Odd
from tengen.engine.crew import MOST_CREWS, Crew, Job, nodes_of, slots_for
from tengen.engine.query import Query, read_query
from tengen.engine.query_fields import Fields, Refused, parse
from tengen.engine.thinker import Thinker
from tengen.games import Game, GameError
from tengen.search.agent import Agent

__all__ = ["serve"]

MOST_WAITING = 10_000  # positions
MOST_LINES = 1000  # read between two slices: a client that never stops to write does not stop the search
MOST_GAMES = 4  # whose players are kept

Key = tuple[str, int]  # the crew that a position waits for: of a game, with so many slots


def serve(channel: Channel, thinker: Thinker, game: Game) -> None:
    """Answers until nothing comes in any more and all is answered."""
    thinker.prepare(game)
    desk = AnalysisDesk(channel, thinker, game)
    ended = False
    while not ended or desk.busy:
        for _ in range(MOST_LINES):
            if ended or (desk.busy and not channel.waiting()):
                break
            line = channel.read()
            ended = line is Odd.END
            desk.take(line)
        desk.work()


class AnalysisDesk:
    """Takes queries in, and hands answers out."""

    def __init__(self, channel: Channel, thinker: Thinker, game: Game) -> None:
        self._channel, self._thinker, self._game = channel, thinker, game
        self._players: OrderedDict[str, Agent] = OrderedDict()  # those asked for last come last
        self._waiting: dict[Key, list[tuple[int, int, int, Job]]] = {}  # heaps, the next one first
        self._crews: dict[Key, Crew] = {}
        self._queries = 0

    @property
    def busy(self) -> bool:
        return bool(self._waiting) or any(crew.jobs for crew in self._crews.values())

    def take(self, line: str | Odd) -> None:
        """Reads a line; says what is wrong with it."""
        if line is Odd.TOO_LONG:
            self._say(answers.refusal("a line was too long, and was left out"))
        if isinstance(line, Odd) or not line.strip():
            return
        id = None
        try:
            raw = parse(line)
            id = Fields(raw).text("id")
            if id is None:
                raise Refused("a query has an 'id', which is a string", "id")
            if raw.get("action") is None:
                self._enqueue(raw)
            else:
                self._act(raw)
        except Refused as refused:
            self._say(answers.refusal(str(refused), refused.field, id))

    def work(self) -> None:
        """One slice of every crew, and the answers that come from it."""
        self._start_waiting()
        for crew in self._crews.values():
            if crew.jobs:
                crew.search()
            for slot in list(crew.jobs):
                if crew.is_done(slot):
                    self._finish(crew, slot)
                elif crew.is_due(slot):
                    self._report(crew, slot, during=True)

    def _enqueue(self, raw: dict[str, Any]) -> None:
        query = read_query(raw, self._game, MOST_WAITING - sum(map(len, self._waiting.values())))
        for field, warning in query.warnings:
            self._say(answers.refusal(warning, field, query.id, "warning"))
        self._queries += 1
        for position in query.positions:
            if position.state.is_terminal():
                self._say(answers.final(query, position.turn, position.state))
                continue
            player = self._player(position.state.game)
            sims = player.config.sims if query.visits is None else query.visits - 1  # the root's own visit counts there
            seconds = (player.config.seconds or None) if query.seconds is None else query.seconds
            job = Job(query, position, sims, seconds)
            waiting = self._waiting.setdefault((player.game.id, slots_for(player, sims)), [])
            heapq.heappush(waiting, (-position.priority, self._queries, position.turn, job))

    def _player(self, game: Game) -> Agent:
        """Who searches a game: made once, while it is asked for. Raises Refused."""
        from tengen.config import ConfigError

        if game.id not in self._players:
            try:
                self._players[game.id] = self._thinker.agent(game)
            except (GameError, ConfigError, MemoryError) as error:
                raise Refused(str(error) or "there is not enough memory") from None
            if len(self._players) > MOST_GAMES:
                self._players.popitem(last=False)
        self._players.move_to_end(game.id)
        return self._players[game.id]

    def _start_waiting(self) -> None:
        """Fills free slots, those who waited for a more urgent position first."""
        for key, waiting in sorted(self._waiting.items(), key=lambda item: item[1][0][:3]):
            try:
                crew = self._crew(key, waiting[0][-1].position.state.game)
            except Refused as refused:
                for *_, turn, job in waiting:
                    self._say(answers.refusal(str(refused), id=job.query.id) | {"turnNumber": turn})
                waiting.clear()
            while waiting and crew and not crew.full:
                crew.start(heapq.heappop(waiting)[-1])
            if not waiting:
                del self._waiting[key]

    def _crew(self, key: Key, game: Game) -> Crew | None:
        """The crew that a position waits for; None while others keep it from being made. Raises Refused."""
        if key in self._crews:
            return self._crews[key]
        if len(self._crews) >= MOST_CREWS:
            idle = next(
                (each for each, crew in self._crews.items() if not crew.jobs and each not in self._waiting), None
            )
            if idle is None:
                return None
            del self._crews[idle]
        player = self._player(game)
        try:
            self._crews[key] = Crew(self._thinker.wide(player, key[1], nodes_of(player, key[1])))
        except MemoryError:
            raise Refused("there is not enough memory") from None
        return self._crews[key]

    def _report(self, crew: Crew, slot: int, during: bool) -> None:
        job = crew.jobs[slot]
        job.reported = time.monotonic()
        turn, state = job.position.turn, job.position.state
        self._say(answers.analysis_answer(job.query, turn, state, crew.agent, slot, during))

    def _finish(self, crew: Crew, slot: int) -> None:
        self._report(crew, slot, during=False)
        del crew.jobs[slot]

    def _act(self, raw: dict[str, Any]) -> None:
        """Anything but a query. The answer is what was sent, and what was asked for."""
        fields = Fields(raw)
        match fields.text("action"):
            case "query_version":
                self._say(raw | {"version": metadata.version("tengen"), "git_hash": "<omitted>"})
            case "query_models":
                self._say(raw | {"models": [{"name": self._thinker.name(self._game)}]})
            case "clear_cache":
                for crew in self._crews.values():
                    crew.forget_answers()
                self._say(raw)
            case "terminate" | "terminate_all" as action:
                id, turns = fields.text("terminateId"), fields.turns("turnNumbers")
                if action == "terminate" and id is None:
                    raise Refused("'terminateId' must be a string", "terminateId")
                self._say(raw)
                self._terminate(None if action == "terminate_all" else id, None if turns is None else set(turns))
            case _:
                known = "query_version, query_models, clear_cache, terminate or terminate_all"
                raise Refused(f"'action' must be {known}", "action")

    def _terminate(self, id: str | None, turns: set[int] | None) -> None:
        """Ends the queries of an id, or all: what was searched is reported as it stands."""

        def ends(query: Query, turn: int) -> bool:
            return id in (None, query.id) and (turns is None or turn in turns)

        for key, waiting in list(self._waiting.items()):
            waiting.sort()  # a sorted list is a heap
            for *_, turn, job in waiting:
                if ends(job.query, turn):
                    self._say(answers.no_results(job.query, turn))
            self._waiting[key] = [entry for entry in waiting if not ends(entry[-1].query, entry[2])]
            if not self._waiting[key]:
                del self._waiting[key]
        for crew in self._crews.values():
            for slot, job in list(crew.jobs.items()):
                if ends(job.query, job.position.turn):
                    self._finish(crew, slot)

    def _say(self, answer: dict[str, Any]) -> None:
        self._channel.write(json.dumps(answer, separators=(",", ":"), allow_nan=False) + "\n")
