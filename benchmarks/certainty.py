"""How far a review by playouts can be trusted: its verdicts beside those of a search many times as long.

    python benchmarks/certainty.py gomoku:15 go:9 connect4 --games 4 --long 20000

Games are played by a weak search with temperature, so that there are good and bad moves. Every move that is not the
best one has a loss, by its usual search and by the long one. A verdict (a loss of 5 points or more) agrees when the
long search says the same. The table has the verdicts by their loss, and by the standard errors that it amounts to.
"""

import argparse
import itertools
import math

from tengen import Game
from tengen.play.certainty import points
from tengen.play.judgement import KINDS, win_percentage
from tengen.play.players import search_player
from tengen.search.agent import Analysis

LEAST = KINDS[-1][0]


def game_of(game: Game, seed: int, plies: int) -> list[int]:
    settings = ["search.temperature=1", f"search.temperature_plies={game.max_plies}"]
    player, state = search_player("plain:60", game, seed=seed, settings=settings), game.start()
    while not state.is_terminal() and state.ply() < plies:
        state.apply(player.act_many([state], [0])[0])
    return state.moves()


def looks(game: Game, moves: list[int], spec: str) -> list[Analysis | None]:
    agent, state = search_player(spec, game).agent, game.start()
    found: list[Analysis | None] = [agent.analyze(state)]
    for action in moves:
        state.apply(action)
        found.append(None if state.is_terminal() else agent.analyze(state))
    return found


def losses(found: list[Analysis | None], moves: list[int]) -> list[tuple[float, float] | None]:
    """Of every move but the best ones: points lost, and standard errors that this is."""
    out: list[tuple[float, float] | None] = []
    for before, after, action in zip(found, found[1:], moves, strict=False):
        if before is None or after is None or before.best == action:
            out.append(None)
            continue
        best, reply = before.moves[0], after.moves[0]
        loss = win_percentage(best.wdl) - (100 - win_percentage(reply.wdl))
        error = math.hypot(points(best), points(reply))
        out.append((loss, loss / error if error else math.inf))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--games", type=int, default=4, dest="count")
    parser.add_argument("--plies", type=int, default=40)
    parser.add_argument("--long", type=int, default=20000)
    args = parser.parse_args()
    for id in args.games:
        game = Game.parse(id)
        rows: list[tuple[float, float, bool]] = []
        for seed in range(args.count):
            moves = game_of(game, seed, args.plies)
            short, long = (losses(looks(game, moves, spec), moves) for spec in ("plain:1000", f"plain:{args.long}"))
            for here, there in zip(short, long, strict=True):
                if here and here[0] >= LEAST:
                    rows.append((*here, there is not None and there[0] >= LEAST))
        for name, place, steps in (("points", 0, (5, 10, 20, 30, 50, 101)), ("standard errors", 1, (0, 3, 6, 10, 1e9))):
            for low, high in itertools.pairwise(steps):
                agreed = [row[2] for row in rows if low <= row[place] < high]
                print(f"{id:12} {low:>3} to {high:g} {name}: {sum(agreed)} of {len(agreed)} agree", flush=True)


if __name__ == "__main__":
    main()
