"""A query of the analysis engine: read from its line and checked, before anything is searched for it. What is wrong
gets an error with the field's name; what is only unknown gets a warning, and the query goes on without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tengen import games
from tengen.engine.board import MOST_STEPS, Board
from tengen.engine.query_fields import LONGEST_ECHO, Fields, Refused
from tengen.engine.rulesets import are_played
from tengen.games import Game, GameError, State

__all__ = ["MOST_VISITS", "Query", "read_query"]

MOST_VISITS = 1_000_000_000
MOST_WARNINGS = 10  # of fields that nobody knows
PLAYERS = {"b": 0, "black": 0, "w": 1, "white": 1}
VIEWS = ("BLACK", "WHITE", "SIDETOMOVE")


@dataclass(frozen=True)
class TurnPosition:
    """One turn of a query."""

    turn: int
    priority: int
    state: State


@dataclass(frozen=True)
class Query:
    """What a client wants to know of some positions."""

    id: str
    positions: list[TurnPosition]
    visits: int | None = None  # the root's own included; None: as the player searches
    seconds: float | None = None
    every: float | None = None  # seconds between reports of an unfinished search
    first: float | None = None  # seconds before the first of them
    view: str = "BLACK"  # whose win rates are reported; as in the example configuration of KataGo
    policy: bool = False
    ownership: bool = False
    pv_visits: bool = False
    avoid: list[tuple[int, frozenset[str]]] = field(default_factory=list)  # sides, and moves to leave out
    allow: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    warnings: list[tuple[str, str]] = field(default_factory=list)  # fields and sentences


def read_query(raw: dict[str, Any], base: Game, most: int) -> Query:
    """A query about positions of a game, or of its kin in size and options; no more than `most` positions are asked
    for. Raises Refused."""
    fields = Fields(raw)
    warnings: list[tuple[str, str]] = []
    id = fields.text("id") or ""
    visits = fields.whole("maxVisits", 1, MOST_VISITS)
    every = fields.number("reportDuringSearchEvery", 0.001, 1e6)
    first = fields.number("firstReportDuringSearchAfter", 0.001, 1e6)
    policy, ownership, pv_visits = map(fields.flag, ("includePolicy", "includeOwnership", "includePVVisits"))
    settings = Fields(fields.take("overrideSettings", dict, "an object") or {}, "overrideSettings")
    seconds = settings.number("maxTime", 0, 1e9)
    view = (settings.text("reportAnalysisWinratesAs") or Query.view).upper()
    if view not in VIEWS:
        raise settings.refuse("reportAnalysisWinratesAs", " or ".join(VIEWS))
    avoid, allow = (_restrictions(fields, name) for name in ("avoidMoves", "allowMoves"))
    if avoid or allow:
        warnings.append(
            ("avoidMoves" if avoid else "allowMoves", "the search looks at all moves; only the report leaves some out")
        )
    game = _game(fields, base, warnings)
    _check_rules(fields, game, warnings)
    if ownership and game.start().owners() is None:
        warnings.append(("includeOwnership", f"{game.id} is not decided by a count: nobody owns its points"))
    positions = _positions(fields, game, most)
    if settings.unknown():
        names = ", ".join(sorted(name[:LONGEST_ECHO] for name in settings.unknown()[:MOST_WARNINGS]))
        warnings.append(("overrideSettings", f"settings without effect here: {names}"))
    for name in fields.unknown()[:MOST_WARNINGS]:
        if raw[name] is not False:
            warnings.append((name[:LONGEST_ECHO], "unknown or unused field"))
    return Query(
        id, positions, visits, seconds, every, first, view, policy, ownership, pv_visits, avoid, allow, warnings
    )


def _game(fields: Fields, base: Game, warnings: list[tuple[str, str]]) -> Game:
    """The game of a query: the engine's own where the query does not say anything else."""
    layout, options = base.layout(), games.options(base)
    cols = fields.whole("boardXSize", 1, 1000) or layout["cols"]
    rows = fields.whole("boardYSize", 1, 1000) or layout["rows"]
    komi = fields.number("komi", -1e6, 1e6)
    if komi is not None and "komi" in options:
        options["komi"] = f"{komi + 0.0:g}"
    elif komi:
        warnings.append(("komi", f"{base.name} has no komi"))
    id, named = base.id.partition(",")[0], "komi"
    if (rows, cols) != (layout["rows"], layout["cols"]):
        if rows != cols:
            raise Refused(f"boards of {cols}x{rows} are not played; only square ones", "boardYSize")
        id, named = f"{base.name}:{cols}", "boardXSize"
    try:
        return games.make(id, **options)
    except GameError as error:
        raise Refused(str(error)[:200], named) from None


def _check_rules(fields: Fields, game: Game, warnings: list[tuple[str, str]]) -> None:
    rules = fields.take("rules", (str, dict), "a name or an object")
    if rules is not None and not are_played(rules, game):
        said = repr(rules[:LONGEST_ECHO]) if isinstance(rules, str) else "an object"
        warnings.append(("rules", f"{said}: {game.id} is played by its own rules, whatever is asked for"))


def _positions(fields: Fields, game: Game, most: int) -> list[TurnPosition]:
    listed = fields.items("moves")
    if len(listed) > MOST_STEPS:
        raise fields.refuse("moves", f"a list of at most {MOST_STEPS}")
    moves = [_placed(each, "moves") for each in listed]
    asked = fields.turns("analyzeTurns")
    usual = fields.whole("priority", -(2**62), 2**62) or 0
    each = fields.items("priorities")
    if each and (len(each) != len(asked or ()) or any(type(one) is not int or abs(one) > 2**62 for one in each)):
        raise fields.refuse("priorities", "a list of whole numbers, one for each of analyzeTurns")
    if asked is None:
        asked = [len(moves)]
    if any(turn > len(moves) for turn in asked):
        raise fields.refuse("analyzeTurns", f"turns from 0 to {len(moves)}, the number of moves")
    wanted = dict(zip(asked, each or [usual] * len(asked), strict=True))
    if len(wanted) > most:
        raise Refused(f"the queue is full: there is room for {most} more positions")
    states = _states(_start(fields, game, moves), moves, max(wanted, default=0))
    return [TurnPosition(turn, wanted[turn], state) for turn, state in enumerate(states) if turn in wanted]


def _start(fields: Fields, game: Game, moves: list[tuple[int, str]]) -> Board:
    """The position before the first move."""
    board, stones = Board(game), game.start().stones()
    placed = [_placed(each, "initialStones") for each in fields.items("initialStones")]
    named = fields.text("initialPlayer")
    if named is not None and named.lower() not in PLAYERS:
        raise fields.refuse("initialPlayer", '"B" or "W"')
    side = game.start().to_move()
    if named is not None:
        side = PLAYERS[named.lower()]
    elif moves and placed:
        side = moves[0][0]
    elif len(placed) > 1 and all(owner == 0 for owner, _ in placed):
        side = 1  # stones of a handicap: the other side begins
    cells = {name: cell for cell, name in enumerate(game.layout()["cell_names"])}
    if placed:
        stones = [0] * len(stones)
    for owner, text in placed:
        cell = cells.get(text.lower())
        if cell is None or stones[cell] not in (0, owner + 1):
            raise Refused(f"illegal stone {text[:LONGEST_ECHO]!r}", "initialStones")
        stones[cell] = owner + 1
    if placed or side != game.start().to_move():
        try:
            board.set_up(stones, side)
        except GameError as error:
            raise Refused(str(error)[:200], "initialStones" if placed else "initialPlayer") from None
    return board


def _states(board: Board, moves: list[tuple[int, str]], last: int) -> Iterator[State]:
    """The positions before the first move, after it, and so on to the last turn. All moves must be legal."""
    yield board.state
    for number, (side, text) in enumerate(moves):
        try:
            board.play(side, text)
        except GameError as error:
            # The words that clients look for in a message, then ours.
            said = f"Illegal move {number}: {text[:LONGEST_ECHO]}"
            raise Refused(f"{said} ({' '.join(str(error).split())[:200]})", "moves") from None
        if number < last:
            yield board.state


def _placed(raw: Any, name: str) -> tuple[int, str]:
    """A side and a move text."""
    if isinstance(raw, list) and len(raw) == 2 and all(isinstance(part, str) for part in raw):
        side = PLAYERS.get(raw[0].lower())
        if side is not None:
            return side, raw[1]
    raise Refused(f'{name!r} must be a list of ["B" or "W", "MOVE"]', name)


def _restrictions(fields: Fields, name: str) -> list[tuple[int, frozenset[str]]]:
    found = []
    for each in fields.items(name):
        if not isinstance(each, dict):
            raise fields.refuse(name, "a list of objects")
        inner = Fields(each, name)
        player, moves, depth = inner.text("player"), inner.items("moves"), inner.whole("untilDepth", 1, 2**62)
        if player is None or player.lower() not in PLAYERS or depth is None:
            raise fields.refuse(name, "a list of objects with player, moves and untilDepth")
        if any(not isinstance(move, str) for move in moves):
            raise fields.refuse(name, "a list of objects whose moves are strings")
        found.append((PLAYERS[player.lower()], frozenset(move.lower() for move in moves)))
    return found
