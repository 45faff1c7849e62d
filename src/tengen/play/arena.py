"""Matches: all games side by side, every opening played twice with colours swapped, points counted by player.

>>> from tengen import games
>>> from tengen.play.players import make_player
>>> game = games.make("connect4")
>>> a, b = make_player("mcts:200", game, slots=20), make_player("random", game, slots=20)
>>> play_match(game, a, b, draw_openings(game, 10), slots=20).pairs.summary().score > 0.9
True
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tengen._core import Rng
from tengen.games import Game, State
from tengen.play.clock import TimeControl, Timer
from tengen.play.elo import PairCounts
from tengen.play.players import Forfeit, Player, TimedPlayer

__all__ = [
    "ArenaGame",
    "Match",
    "draw_opening",
    "draw_openings",
    "mover",
    "opening_plies",
    "play_match",
    "points_of",
    "save_games",
]

MOST_TRIES = 100  # to find an opening that has not been drawn before


@dataclass(frozen=True)
class ArenaGame:
    """A finished game of player A against player B."""

    number: int
    side: int  # of player A: 0 when A had the first player's side
    opening: tuple[int, ...]
    moves: tuple[int, ...]  # the opening included
    points: float  # player A's: 1, ½ or 0
    forfeit: str | None = None  # why the loser lost before the rules ended the game
    fault: bool = False  # of the loser: it did not resign, it failed

    @property
    def pair(self) -> int:
        return self.number // 2


@dataclass(frozen=True)
class Match:
    """What two players have done so far; only finished games are in it."""

    game: Game
    a: str
    b: str
    games: tuple[ArenaGame, ...]

    @property
    def wins(self) -> int:
        return sum(game.points == 1 for game in self.games)

    @property
    def draws(self) -> int:
        return sum(game.points == 0.5 for game in self.games)

    @property
    def losses(self) -> int:
        return sum(game.points == 0 for game in self.games)

    def faults(self, player: int) -> Counter[str]:
        """How often player A (0) or B (1) lost by a fault, by its reason."""
        return Counter(game.forfeit for game in self.games if game.forfeit and game.fault and game.points == player)

    @property
    def pairs(self) -> PairCounts:
        """Pairs of which both games are finished, by A's points."""
        return PairCounts.of(self._points().values())

    @property
    def settled_pairs(self) -> PairCounts:
        """The pairs before the first unfinished one: what a test may look at, for the short games end first."""
        points = self._points()
        unfinished = next(pair for pair in range(len(points) + 1) if pair not in points)
        return PairCounts.of(points[pair] for pair in range(unfinished))

    def _points(self) -> dict[int, float]:
        points: dict[int, list[float]] = {}
        for game in self.games:
            points.setdefault(game.pair, []).append(game.points)
        return {pair: sum(both) for pair, both in points.items() if len(both) == 2}


def opening_plies(game: Game) -> int:
    """How many random plies start a match game by default: enough for variety, few enough to keep the game open."""
    if game.facts.opening_plies is not None:
        return game.facts.opening_plies
    return 4 if game.num_actions >= 36 else 1


def draw_openings(game: Game, count: int, plies: int | None = None, seed: int = 0) -> list[tuple[int, ...]]:
    """Random openings after which the game goes on, different positions as long as there are any."""
    plies = opening_plies(game) if plies is None else plies
    seen: set[str] = set()
    openings: list[tuple[int, ...]] = []
    tries = MOST_TRIES
    for number in range(count):
        state = draw_opening(game, plies, Rng(seed, number, 0, "opening"), seen, tries)
        if state.position_text() in seen:
            tries = 1  # there are hardly any new ones left
        seen.add(state.position_text())
        openings.append(tuple(state.moves()))
    return openings


def draw_opening(game: Game, plies: int, rng: Rng, seen: Collection[str] = (), tries: int = 1) -> State:
    """One that is not over, and after so many tries perhaps one that has been seen. Raises ValueError."""
    found: State | None = None
    for attempt in range(MOST_TRIES):
        state = game.start()
        while state.ply() < plies and not state.is_terminal():
            legal = state.legal_actions()
            state.apply(legal[rng.below(len(legal))])
        if not state.is_terminal():
            found = state
        if found and (attempt + 1 >= tries or found.position_text() not in seen):
            return found
    if found is None:
        raise ValueError(f"{game.id} is over after {plies} random plies: choose fewer opening plies")
    return found


def play_match(
    game: Game,
    a: Player,
    b: Player,
    openings: Sequence[tuple[int, ...]],
    *,
    slots: int,
    played: Collection[int] = (),
    clock: TimeControl | None = None,
    finished: Callable[[Match], bool] = lambda match: False,
    stopped: Callable[[], bool] = lambda: False,
) -> Match:
    """Plays every opening twice, `slots` games side by side; a finished game makes room for the next one.
    Games whose numbers are in `played` are left out: an earlier session finished them. With a `clock` each side has its
    time for a game, openings excluded, and whoever exceeds it loses; then one slot is enough, for one move is thought
    about at a time.

    `finished` is asked after every step that ended games, and may end the match. So may Ctrl-C, and `stopped`, which is
    asked ten times a second, in the middle of searches: what is finished is returned.
    """
    tables = _Tables(game, (a, b), openings, slots, played, clock)

    def play() -> None:
        while tables.step() and not finished(tables.match()):
            pass

    # In a thread of its own: Python does not see Ctrl-C while its main thread is inside a long search.
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(play)
        with suppress(KeyboardInterrupt):
            while not stopped() and wait([playing], timeout=0.1).not_done:
                pass
        while not playing.done():  # a search that was about to begin has not heard of it the first time
            tables.stop()
            wait([playing], timeout=0.05)
        with suppress(KeyboardInterrupt):  # that `finished` raised
            playing.result()
    return tables.match()


@dataclass
class _Table:
    """A game under way. Games with even numbers give player A the first side, those with odd ones player B."""

    number: int
    slot: int
    state: State
    opening: tuple[int, ...]
    clocks: tuple[Timer, Timer] | None  # by side
    forfeit: tuple[int, Forfeit] | None = None  # by whom

    def player_to_move(self) -> int:
        return mover(self.state, self.number)

    def is_over(self) -> bool:
        return self.forfeit is not None or self.state.is_terminal()


class _Tables:
    """All games of a match: those to come, those under way, those finished."""

    def __init__(
        self,
        game: Game,
        players: tuple[Player, Player],
        openings: Sequence[tuple[int, ...]],
        slots: int,
        played: Collection[int],
        clock: TimeControl | None,
    ) -> None:
        self.game, self.players, self.openings, self.clock = game, players, openings, clock
        self.free = list(range(slots))[::-1]
        self.waiting = [number for number in range(2 * len(openings)) if number not in played][::-1]
        self.running: list[_Table] = []
        self.done: dict[int, ArenaGame] = {}
        self.stopped = False

    def stop(self) -> None:
        """Ends the match, and the searches under way, from another thread."""
        self.stopped = True
        for player in self.players:
            player.stop()

    def match(self) -> Match:
        games = tuple(self.done[number] for number in sorted(self.done))
        return Match(self.game, self.players[0].name, self.players[1].name, games)

    def step(self) -> bool:
        """Plays until at least one game has ended; False when there is none left."""
        before = len(self.done)
        while len(self.done) == before:
            self._fill()
            if not self.running or self.stopped:
                return False
            for index, player in enumerate(self.players):
                self._move(index, player)
            self._collect()
        return True

    def _fill(self) -> None:
        while self.free and self.waiting:
            number, slot = self.waiting.pop(), self.free.pop()
            opening = self.openings[number // 2]
            state = self.game.start()
            for action in opening:
                state.apply(action)
            for player in self.players:
                player.new_game(slot, number)
            clocks = (self.clock.clock(), self.clock.clock()) if self.clock else None
            for player in self.players:
                if clocks and isinstance(player, TimedPlayer):
                    player.get_ready(state, slot, clocks)
            self.running.append(_Table(number, slot, state, opening, clocks))

    def _move(self, index: int, player: Player) -> None:
        tables = [t for t in self.running if not t.is_over() and t.player_to_move() == index]
        if not tables:
            return
        if self.clock:
            moves: Sequence[int | Forfeit] = [_timed_move(player, table) for table in tables]
        else:
            moves = player.act_many([t.state for t in tables], [t.slot for t in tables])
        if self.stopped:  # these are moves of searches cut short
            return
        for table, move in zip(tables, moves, strict=True):
            if isinstance(move, Forfeit):
                table.forfeit = (index, move)
            else:
                table.state.apply(move)

    def _collect(self) -> None:
        for table in self.running:
            if table.is_over():
                self.done[table.number] = _record(table)
                self.free.append(table.slot)
        self.running = [table for table in self.running if not table.is_over()]


def _timed_move(player: Player, table: _Table) -> int | Forfeit:
    assert table.clocks is not None
    timer, began = table.clocks[table.state.to_move()], time.monotonic()
    if isinstance(player, TimedPlayer):
        move = player.act_in_time(table.state, table.slot, table.clocks)
    else:
        move = player.act_many([table.state], [table.slot])[0]
    return move if timer.spend(time.monotonic() - began) or isinstance(move, Forfeit) else Forfeit("out of time")


def _record(table: _Table) -> ArenaGame:
    played = (table.number, table.number % 2, table.opening, tuple(table.state.moves()))
    if table.forfeit is None:
        return ArenaGame(*played, points_of(table.state, table.number))
    loser, forfeit = table.forfeit
    return ArenaGame(*played, float(loser), forfeit.reason, forfeit.fault)


def points_of(state: State, number: int) -> float:
    """Player A's points in a game that is over: it has the first side in games with even numbers."""
    value = state.outcome()  # of the side to move
    return (1 + value) / 2 if mover(state, number) == 0 else (1 - value) / 2


def mover(state: State, number: int) -> int:
    """Whose turn it is: 0 player A's, 1 player B's."""
    return state.to_move() if number % 2 == 0 else 1 - state.to_move()


def save_games(match: Match, file: Path) -> None:
    """One line per game: number, first mover, second mover, result for the first mover, opening plies, moves, and why
    the loser lost where it was not by the rules."""
    names = "number<TAB>first<TAB>second<TAB>result of the first<TAB>opening plies<TAB>moves[<TAB>forfeit]"
    lines = [f"# {match.game.id}  {names}"]
    for record in match.games:
        sides = (match.a, match.b) if record.side == 0 else (match.b, match.a)
        points = record.points if record.side == 0 else 1 - record.points
        state = match.game.start()
        for action in record.moves:
            state.apply(action)
        columns = [record.number, *sides, f"{points:g}", len(record.opening), state.moves_text()]
        columns += [record.forfeit] if record.forfeit else []
        lines.append("\t".join(map(str, columns)))
    file.write_text("\n".join(lines) + "\n")
