"""Strength while training: what a network scores, where it stands on a ladder that begins at random, what it knows.

    random ── mcts:10 ── mcts:30 ── mcts:100 ── … ── mcts:1000 ── …   each link is played once per run
       └─────────┴─────────┴─────────┤                       │
                           network alone                     │        without a search: next to no time
                              network ── network ── network           the level it is up against, and the one before
                                 │                                    if measure.engine names one:
                             engine:NAME                              another program, by half as many games

Games of one measurement start from openings of their own, so that measuring twice is more than measuring once.
Measurements begin small: the first ones come soon after each other, and have as many fewer searched games.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tengen.exact.oracle import oracle
from tengen.files import write_durably
from tengen.games import Family, Game
from tengen.net.evaluator import Evaluator, make_evaluator
from tengen.net.file import NetworkError, NetworkFile
from tengen.play.arena import Match, draw_openings, play_match
from tengen.play.elo import Pairing
from tengen.play.players import AgentPlayer, Player, PlayerError, make_player, slots_that_fit
from tengen.play.scorecard import Positions, measure, network_check, own_positions
from tengen.run.events import Measured
from tengen.run.folder import RunDirectory
from tengen.run.settings import MeasureConfig
from tengen.run.standings import Measurement, Standings, alone_name
from tengen.search.agent import Agent
from tengen.train.learner import Learner

__all__ = ["Measurer", "Standings", "check_engine"]

RUNGS = (0, 10, 30, 100, 300, 1000, 3000, 10000)  # playouts below the first level; 0 is random play
ALONE = (0, 10, 30, 100)  # whom a network meets without a search; a strong one beats more only with one
FIRST_LEVEL = 100  # an untrained network with a search loses to more; rungs are climbed fast up to `measure.level`
FEWEST = 20  # games of a measurement that comes soon after another: ± 200 Elo or less for some seconds
LINK_STONES = 100_000_000  # placed in playouts to tie two levels together: about a second
LEAST_SLOTS = 60  # positions searched side by side
CACHE_MB = 64  # a match needs less than self-play, and results do not depend on it
SEARCHED_PER_CLASS = 60  # of the scorecard's 300 positions: ± 1.5 % for about a second
SEARCHED_SIMS = 100
EARLIER = 3  # networks that others let the newest one meet


class Trained(Protocol):
    """What is asked of the trainer."""

    @property
    def learner(self) -> Learner: ...
    @property
    def minutes(self) -> float: ...
    @property
    def progress(self) -> float: ...
    @property
    def stop(self) -> threading.Event: ...
    @property
    def hub(self) -> Raters: ...


class Raters(Protocol):
    """Others who play rating games too, as `tengen.hub` has them: the more of them, the surer the ladder."""

    def rate(self, pairs: Sequence[tuple[str, str]]) -> None: ...
    def rated(self) -> list[Pairing]: ...


class _InterruptedError(Exception):
    """The run is being stopped: what was played so far is no measurement."""


class Measurer:
    """Measures the network a trainer has just written to networks/. Reads the run's ladder, and writes it durably."""

    def __init__(self, run: RunDirectory, device: str = "auto") -> None:
        """Raises RunError when the run's ladder is damaged, PlayerError when its engine is not there."""
        self._run, self._device = run, device
        self._config = run.config()
        self._family = Family.parse(self._config.game)
        self._game = self._family.largest  # the ladder is its
        check_engine(self._config.measure, self._game)
        self._stop = threading.Event()
        self.standings = Standings.read(run.ladder, min(FIRST_LEVEL, self._config.measure.level))

    def __call__(self, trainer: Trained) -> Measured | None:
        """How strong the trainer's network is; None when the run is stopped meanwhile."""
        self._stop, step = trainer.stop, trainer.learner.step
        path = self._run.network(step)
        done = self.standings.measurements
        if done and done[-1].network == path.stem:
            return Measured.read(step, trainer.minutes, {"network": path.name, **done[-1].values})
        network = NetworkFile.load(path, self._game)
        self.standings.fleet = trainer.hub.rated()
        try:
            values = self._measured(network, path.stem, step, self._count(trainer))
        except _InterruptedError:
            return None
        measured = Measured(step, trainer.minutes, network=path.name, **values)
        kept = {name: value for name, value in measured.values().items() if name != "network" and value is not None}
        done.append(Measurement(path.stem, trainer.minutes, kept))
        self._write()
        trainer.hub.rate(self._rivals(path.stem))
        return measured

    def _count(self, trainer: Trained) -> int:
        """Searched games against each opponent: as many as the time since the last measurement pays for, so that early
        ones take no larger a share of the run; the last one of a run is whole."""
        config, done = self._config.measure, self.standings.measurements
        if trainer.progress >= 1:
            return config.games
        since = trainer.minutes - (done[-1].minutes if done else 0.0)
        return min(config.games, max(FEWEST, int(config.games * since / config.every) // 2 * 2))

    def _rivals(self, network: str) -> list[tuple[str, str]]:
        """Whom others should let it meet: the level it is up against, and the networks before it."""
        before = [done.network for done in self.standings.measurements[-1 - EARLIER : -1]]
        known = [name for name in before if (self._run.networks / f"{name}.onnx").is_file()]
        return [(network, name) for name in (_name(self.standings.level), *known)]

    def _measured(self, network: NetworkFile, name: str, step: int, count: int) -> dict[str, Any]:
        """The fields of the event, put together from the parts below."""
        seed = self._config.loop.seed + step
        evaluator = make_evaluator(network, self._game, self._device)
        agent = self._agent(evaluator, seed)
        values = self._alone(name, evaluator, seed)
        values |= self._climb(AgentPlayer(name, agent), network, count, seed)
        values |= self._against_engine(AgentPlayer(name, agent), count, seed)
        values |= self._against_previous(AgentPlayer(name, agent), count, seed)
        ratings = self.standings.ratings()
        values |= {"elo": ratings[name].elo, "elo_error": ratings[name].error}
        alone = ratings[alone_name(name)]
        values |= {"elo_alone": alone.elo, "elo_alone_error": alone.error}
        return values | self._openings(agent) | self._scorecard(agent, evaluator) | self._smallest(network, seed)

    def _agent(self, evaluator: Evaluator, seed: int) -> Agent:
        """Plays as in self-play, but to win."""
        search = self._config.arena_search.replace(cache_mb=CACHE_MB)
        slots = max(LEAST_SLOTS, self._config.measure.games)
        return Agent(self._game, evaluator, search, seed=seed, slots=slots)

    def _alone(self, name: str, evaluator: Evaluator, seed: int) -> dict[str, Any]:
        """What the network scores by its policy: an evaluation per move, so that it is known at once."""
        matches = self._alone_matches(name, self._game, evaluator, seed)
        for match in matches:
            self._enter(match)
        return {"games_alone": self._config.measure.games, "alone": _scores(matches)}

    def _smallest(self, network: NetworkFile, seed: int) -> dict[str, Any]:
        """The same on a family's smallest board, beside the ladder."""
        game = self._family.smallest
        if game == self._game:
            return {}
        evaluator = make_evaluator(network, game, self._device)
        return {"smallest": _scores(self._alone_matches("network", game, evaluator, seed))}

    def _alone_matches(self, name: str, game: Game, evaluator: Evaluator, seed: int) -> list[Match]:
        count = self._config.measure.games
        search = self._config.arena_search.replace(sims=0, lookahead=0, prove_nodes=0, cache_mb=0)
        player = AgentPlayer(alone_name(name), Agent(game, evaluator, search, seed=seed, slots=count))
        matches = []
        for rival in map(_name, ALONE):
            slots = slots_that_fit(rival, game, most=count)
            made = make_player(rival, game, slots=slots, seed=seed)
            matches.append(self._match(game, player, made, count, seed, slots))
        return matches

    def _climb(self, player: Player, network: NetworkFile, count: int, seed: int) -> dict[str, Any]:
        """The curriculum: a level of pure MCTS that rises when it is beaten in every game.

        Below `measure.level` games cost little, and the next level is played at once.
        """
        now, beaten = self.standings, True
        while beaten:
            level = now.level
            self._link_level(level)
            slots = self._slots(level, count)
            match = self._play(player, self._mcts(level, slots, seed), count, seed, slots)
            score = match.pairs.summary()
            if score.high >= now.best_score:  # few games: the newest is the best unless it is surely weaker
                write_durably(self._run.best, network.data)
                now.best, now.best_score = player.name, max(score.score, now.best_score)
            if match.wins == count:
                now.level, now.best_score = _level_above(level, self._config.measure.level), -1.0
            beaten = match.wins == count and level < self._config.measure.level
        return {
            "opponent": match.b,
            "score": score.score,
            "score_low": score.low,
            "score_high": score.high,
            "level": now.level,
            "best": now.best,
        }

    def _against_previous(self, player: Player, count: int, seed: int) -> dict[str, Any]:
        """Half as many games: both sides ask a network."""
        if not self.standings.measurements:
            return {}
        name = self.standings.measurements[-1].network
        try:
            rival = self._rival(name, self._run.networks / f"{name}.onnx", seed)
        except NetworkError as error:  # a network that was damaged or taken away is no reason to stop training
            return {"note": str(error)}
        count = _half(count)
        match = self._play(player, rival, count, seed, slots=count)
        return {"against_previous": match.pairs.summary().score}

    def _against_engine(self, player: Player, count: int, seed: int) -> dict[str, Any]:
        """Half as many games here too: how long another program thinks is its own affair."""
        if not self._config.measure.engine:
            return {}
        spec, count = _engine_spec(self._config.measure), _half(count)
        slots = slots_that_fit(spec, self._game, most=count)
        try:
            rival = make_player(spec, self._game, slots=slots)
        except PlayerError as error:  # it was there when training began
            return {"note": str(error)}
        match = self._play(player, rival, count, seed, slots)
        values: dict[str, Any] = {"against_engine": match.pairs.summary().score}
        faults = match.faults(1)
        if faults:
            values["note"] = f"{spec}: {faults.total()} of {count} games lost by fault, such as: {min(faults)}"
        return values

    def _rival(self, name: str, path: Path, seed: int) -> Player:
        """Raises NetworkError."""
        evaluator = make_evaluator(path, self._game, self._device)
        return AgentPlayer(name, self._agent(evaluator, seed))

    def _openings(self, agent: Agent) -> dict[str, Any]:
        """What the search thinks of the first player's chances at the start, and after some telling moves."""
        states = {"start": self._game.start()}
        known = oracle(self._game)
        states |= {move: self._game.from_moves(move) for move in (known.TELLING_MOVES if known else ())}
        for slot in range(len(states)):
            agent.new_game(slot, slot)
        agent.act_many(list(states.values()))
        values: dict[str, float] = {}
        for slot, (name, state) in enumerate(states.items()):
            q = agent.report(state, slot).q
            values[name] = q if state.to_move() == 0 else -q
        return {"openings": values}

    def _scorecard(self, agent: Agent, evaluator: Evaluator) -> dict[str, Any]:
        """What is known exactly, for the games that have labelled positions."""
        if oracle(self._game) is None:
            return {}
        every, some = _labelled(self._game)
        alone = network_check(evaluator, every)
        return {
            "value_error": alone.value_error,
            "keeping": {
                "0": alone.value_keeping,
                str(SEARCHED_SIMS): measure(agent, some, SEARCHED_SIMS).value_keeping,
            },
        }

    def _link_level(self, level: int) -> None:
        """Plays what joins a level to random play, unless this run has done so: many games where they cost little."""
        upper = level
        while upper:
            lower = _level_below(upper, self._config.measure.level)
            names = (_name(upper), _name(lower))
            if not any((pairing.first, pairing.second) == names for pairing in self.standings.pairings):
                count = min(400, max(20, LINK_STONES // (upper * self._game.max_plies**2))) // 2 * 2
                seed, slots = self._config.loop.seed + upper, self._slots(upper, count)
                self._play(self._mcts(upper, slots, seed), self._mcts(lower, slots, seed), count, seed, slots)
                self._write()
            upper = lower

    def _mcts(self, level: int, slots: int, seed: int) -> Player:
        return make_player(_name(level), self._game, slots=slots, seed=seed)

    def _slots(self, level: int, count: int) -> int:
        """How many games a level can play side by side: its trees grow with it."""
        return slots_that_fit(_name(level), self._game, most=count)

    def _play(self, a: Player, b: Player, count: int, seed: int, slots: int) -> Match:
        """Plays a match and enters it in the ladder."""
        match = self._match(self._game, a, b, count, seed, slots)
        self._enter(match)
        return match

    def _match(self, game: Game, a: Player, b: Player, count: int, seed: int, slots: int) -> Match:
        openings = draw_openings(game, count // 2, seed=seed)
        match = play_match(game, a, b, openings, slots=slots, stopped=self._stop.is_set)
        if len(match.games) < count:
            raise _InterruptedError
        return match

    def _enter(self, match: Match) -> None:
        points = match.wins + match.draws / 2
        self.standings.pairings.append(Pairing(match.a, match.b, points, len(match.games)))

    def _write(self) -> None:
        self.standings.write(self._run.ladder)


def check_engine(config: MeasureConfig, game: Game) -> None:
    """Can the program that measures name play the game? Raises PlayerError."""
    if config.engine:
        make_player(_engine_spec(config), game)


def _engine_spec(config: MeasureConfig) -> str:
    return f"engine:{config.engine}"


def _half(count: int) -> int:
    """Of an even number of games, in pairs."""
    return max(2, count // 4 * 2)


def _scores(matches: Sequence[Match]) -> dict[str, float]:
    """By opponent."""
    return {match.b: match.pairs.summary().score for match in matches}


def _name(level: int) -> str:
    return f"mcts:{level}" if level else "random"


def _level_below(level: int, step: int) -> int:
    """The next lower rung of the ladder; 0 is random play.

    >>> [_level_below(level, 1000) for level in (3000, 2000, 1000, 300, 10)]
    [2000, 1000, 300, 100, 0]
    """
    return level - step if level > step else max(rung for rung in RUNGS if rung < level)


def _level_above(level: int, step: int) -> int:
    """The next higher rung of the ladder.

    >>> [_level_above(level, 1000) for level in (10, 100, 300, 1000, 2000)]
    [30, 300, 1000, 2000, 3000]
    """
    return level + step if level >= step else min([rung for rung in RUNGS if level < rung < step], default=step)


@cache
def _labelled(game: Game) -> tuple[Positions, Positions]:
    """All labelled positions, and those few of each class that are searched."""
    classes = own_positions(game)
    few = [part.where(np.arange(len(part)) % (len(part) // SEARCHED_PER_CLASS) == 0) for part in classes]
    return Positions.join("all", classes), Positions.join("some", few)
