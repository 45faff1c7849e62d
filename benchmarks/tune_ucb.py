"""Finds UCB1's constant for pure MCTS: values meet the default at equal simulations, in paired games.

python benchmarks/tune_ucb.py connect4 --games 400 --sims 1000 --values 0.7 1.0 2.0
"""

import argparse

from tengen import games
from tengen.play.arena import draw_openings, play_match
from tengen.play.players import make_player, slots_that_fit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--sims", type=int, default=1000)
    parser.add_argument("--against", type=float, default=1.4)
    parser.add_argument("--values", type=float, nargs="+", default=[0.5, 0.7, 1.0, 2.0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()

    game, spec = games.make(args.game), f"mcts:{args.sims}"
    slots = slots_that_fit(spec, game, most=args.games)
    openings = draw_openings(game, args.games // 2, seed=args.seed)
    for value in args.values:
        a, b = (
            make_player(spec, game, slots=slots, seed=i, threads=args.threads, settings=[f"search.c_init={c}"])
            for i, c in enumerate((value, args.against))
        )
        result = play_match(game, a, b, openings, slots=slots).pairs.summary()
        print(
            f"{game.id} c_ucb {value:g} against {args.against:g}, {args.games} games of {spec}: "
            f"{result.score:.1%} ({result.low:.1%} … {result.high:.1%})",
            flush=True,
        )


if __name__ == "__main__":
    main()
