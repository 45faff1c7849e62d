"""A short training run in a folder that is thrown away: does a game lend itself to learning at all?"""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import Any

from tengen.games import Game
from tengen.net.evaluator import make_evaluator
from tengen.net.file import NetworkFile
from tengen.play.arena import draw_openings, play_match
from tengen.play.players import AgentPlayer, make_player
from tengen.run.events import Event, Listener, Measured
from tengen.run.folder import RunDirectory
from tengen.run.health import Health, assess
from tengen.run.settings import RunConfig
from tengen.search.agent import Agent
from tengen.train.loop import Trainer

__all__ = ["SMALL", "try_training"]

# What makes the most of a minute: a small network, few simulations, many short turns.
SMALL: dict[str, dict[str, Any]] = {
    "loop": {"size": "24x2", "slots": 64, "turn_positions": 256, "turns_per_release": 2, "precision": "f32"},
    "search": {"sims": 32, "cache_mb": 16},
    "selfplay": {"fast_sims": 8},
    "replay": {"first_window": 6000},
    "learner": {"batch": 64, "warmup": 20, "ema": 0.97},
}
GAMES = 40  # against random play at the end


def try_training(game: Game, minutes: float, listen: Listener, stop: threading.Event) -> Health:
    """Trains by the ordinary loop; says how it went, and what the network scores against random play. Raises GameError
    when the rules fail, RunError."""
    events: list[Event] = []

    def hear(event: Event) -> None:
        events.append(event)
        listen(event)

    with tempfile.TemporaryDirectory(prefix="tengen-check-") as folder:
        run = RunDirectory(Path(folder) / "run")
        with run.locked():
            run.configure(RunConfig(game.id).with_values(SMALL).with_values({"loop": {"minutes": minutes}}))
            Trainer(run, hear, measure=_against_random, stop=stop, device="cpu").train()
    return assess(events)


def _against_random(trainer: Trainer) -> Measured | None:
    """What the last network scores without a search. The usual ladder has levels of pure MCTS too, whose playouts take
    longer than such a run where rules are slow."""
    if trainer.progress < 1:
        return None
    game, path = trainer.family.largest, trainer.run.network(trainer.learner.step)
    search = trainer.config.arena_search.replace(sims=0, lookahead=0, prove_nodes=0, cache_mb=0)
    evaluator = make_evaluator(NetworkFile.load(path, game), game, "cpu")
    player = AgentPlayer("network", Agent(game, evaluator, search, slots=GAMES))
    rival = make_player("random", game, slots=GAMES)
    match = play_match(game, player, rival, draw_openings(game, GAMES // 2), slots=GAMES, stopped=trainer.stop.is_set)
    if trainer.stop.is_set():
        return None
    score = (match.wins + match.draws / 2) / GAMES
    return Measured(
        trainer.learner.step, trainer.minutes, network=path.name, games_alone=GAMES, alone={"random": score}
    )
