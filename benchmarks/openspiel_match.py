"""Pure MCTS against OpenSpiel's C++ MCTSBot, at equal simulations, in paired games.

    python benchmarks/openspiel_match.py connect4 --games 400
    python benchmarks/openspiel_match.py othello --games 400 --uct-c 1.4

OpenSpiel's bot searches afresh at every move with one random playout per simulation and solve=False, as ours does
without `,solver`. `--uct-c` is its exploration constant (2 in OpenSpiel's examples).
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import pyspiel

from tengen import Game, State, games
from tengen.play.arena import Match, draw_openings, play_match
from tengen.play.players import make_player

# Their name of each game. Actions have the same numbers in both programs: columns, or cells row by row, and the pass.
THEIRS = {"connect4": "connect_four", "othello": "othello"}


class OpenSpielPlayer:
    """MCTSBot as a player. It keeps nothing from move to move, so a slot is a seed and no more."""

    def __init__(self, game: Game, simulations: int, uct_c: float, seed: int) -> None:
        self.name = f"openspiel:{simulations}"
        self._game, self._simulations, self._uct_c = pyspiel.load_game(THEIRS[game.name]), simulations, uct_c
        self._seed, self._moves_made = seed, 0

    def new_game(self, slot: int, number: int) -> None:
        pass

    def stop(self) -> None:
        pass

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        return [self._act(state) for state in states]

    def _act(self, state: State) -> int:
        theirs: Any = self._game.new_initial_state()
        for action in state.moves():
            theirs.apply_action(action)
        self._moves_made += 1
        seed = (self._seed << 20) + self._moves_made
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(self._game, evaluator, self._uct_c, self._simulations, 1000, False, seed, False)
        return int(bot.step(theirs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=THEIRS)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--sims", type=int, default=1000)
    parser.add_argument("--uct-c", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="search.NAME=VALUE")
    args = parser.parse_args()

    game = games.make(args.game)
    ours = make_player(f"mcts:{args.sims}", game, slots=args.games, seed=args.seed, threads=1, settings=args.set)
    theirs = OpenSpielPlayer(game, args.sims, args.uct_c, args.seed)

    def report(match: Match) -> bool:
        print(f"\r{len(match.games)} of {args.games} games", end="", file=sys.stderr, flush=True)
        return False

    openings = draw_openings(game, args.games // 2, seed=args.seed)
    match = play_match(game, ours, theirs, openings, slots=args.games, finished=report)
    result = match.pairs.summary()
    print(
        f"\n{game.id}: mcts:{args.sims} against OpenSpiel's MCTSBot ({args.sims} simulations, uct_c {args.uct_c:g}): "
        f"+{match.wins} ={match.draws} −{match.losses}, score {result.score:.1%} "
        f"({result.low:.1%} … {result.high:.1%}), pairs {match.pairs.counts}"
    )


if __name__ == "__main__":
    main()
