"""Measures the app's strength levels of a game: every level plays its neighbours, and all get an Elo from random play.

python benchmarks/levels.py connect4 --games 200

Writes src/tengen/data/levels/GAME.json, which the app shows. Every level plays exactly as it does in the app.
"""

import argparse
from itertools import combinations
from pathlib import Path

from tengen import games
from tengen.app.levels import Level, LevelTable
from tengen.app.networks import changed_settings, search_settings
from tengen.games import Game
from tengen.net.file import NetworkFile, shipped_network
from tengen.play.arena import draw_openings, play_match
from tengen.play.elo import Pairing, ladder
from tengen.play.players import AgentPlayer, Player, make_player, page_player, player_search
from tengen.preset import file_name
from tengen.search.agent import Agent

FOLDER = Path(__file__).parents[1] / "src" / "tengen" / "data" / "levels"
MCTS_SIMS = (10, 30, 100, 300, 1000)
NETWORK_SIMS = (1, 10, 50, 200, 800)
# Weak levels should not play the same game every time.
VARIED: dict[str, bool | int | float | str] = {"temperature": 0.5, "temperature_plies": 6}


def candidates(game: Game) -> list[Level]:
    """Named by what plays, weakest first as far as can be told beforehand; measured ones get their rank as id."""
    levels = [Level("random", "random", 0, {}, 0.0, 0.0)]
    levels += [Level(f"mcts {sims}", "mcts", sims, {}, 0.0, 0.0) for sims in MCTS_SIMS]
    if shipped_network(game):
        levels += [
            Level(f"shipped {sims}", "shipped", sims, VARIED if sims < 200 else {}, 0.0, 0.0) for sims in NETWORK_SIMS
        ]
    return levels


def make_level(level: Level, game: Game, slots: int) -> Player:
    named = page_player(level.player)
    assert named
    kind, text = named
    if kind.search is None:
        return make_player(text, game, slots=slots)
    config = changed_settings(game, search_settings(level.player, game), {**level.settings, "sims": level.sims})
    return AgentPlayer(level.id, Agent(game, player_search(text, game).evaluator("auto", 0), config, slots=slots))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=200, help="between two levels (even)")
    parser.add_argument("--reach", type=int, default=2, help="how many neighbours on each side a level plays")
    parser.add_argument("--slots", type=int, default=50, help="games side by side")
    parser.add_argument("--only", nargs="+", help="levels to measure, such as random or 'mcts 100'")
    parser.add_argument("--out", type=Path, help="another file to write")
    args = parser.parse_args()

    game = games.make(args.game)
    levels = [level for level in candidates(game) if not args.only or level.id in args.only]
    players = {level.id: make_level(level, game, args.slots) for level in levels}
    pairings = []
    for (i, a), (j, b) in combinations(enumerate(levels), 2):
        if j - i > args.reach:
            continue
        openings = draw_openings(game, args.games // 2, seed=100 * i + j)
        match = play_match(game, players[b.id], players[a.id], openings, slots=args.slots)
        pairings.append(Pairing(b.id, a.id, match.wins + match.draws / 2, len(match.games)))
        print(f"{b.id} against {a.id}: {pairings[-1].points:g} of {pairings[-1].games}", flush=True)
    ratings = {rating.name: rating for rating in ladder(pairings)}
    ranked = sorted(levels, key=lambda level: ratings[level.id].elo)
    # The page calls a level by its number, which every language has.
    measured = [
        Level(str(rank), level.player, level.sims, level.settings, ratings[level.id].elo, ratings[level.id].error)
        for rank, level in enumerate(ranked, 1)
    ]
    path = shipped_network(game)
    network = NetworkFile.load(path).hash if path else ""
    out = args.out or FOLDER / f"{file_name(game.id)}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(LevelTable(game.id, "random", network, args.games, measured).to_json())
    for level in measured:
        print(f"{level.id}: {level.player} {level.sims}, {level.elo:.0f} ± {level.error:.0f}")


if __name__ == "__main__":
    main()
