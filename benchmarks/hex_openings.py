"""Does a Hex network know who wins after each first move? Beside a table of the truth, which small boards have.

    python benchmarks/hex_openings.py openings_7x7.tsv --net runs/hex-7/current.onnx --sims 1 800

The table has a line per first move, `a1<TAB>white`, and the winner with best play; black moves first and connects the
first row with the last. The judgement is the sign of the root's value after the move.
"""

import argparse
from pathlib import Path

from tengen import games
from tengen.net.evaluator import make_evaluator
from tengen.preset import playing_search
from tengen.search.agent import Agent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--net", required=True, metavar="FILE")
    parser.add_argument("--sims", type=int, nargs="+", default=[1, 800])
    args = parser.parse_args()
    truth = dict(line.split("\t") for line in args.table.read_text("utf-8").splitlines()[1:])
    game = games.make(f"hex:{round(len(truth) ** 0.5)}")
    states = [game.from_moves(move) for move in truth]
    evaluator = make_evaluator(args.net, game)
    for sims in args.sims:
        agent = Agent(game, evaluator, playing_search(game).replace(sims=sims), slots=len(states))
        agent.act_many(states)
        values = [-agent.search.node(slot).q for slot in range(len(states))]  # for black, who has just moved
        wrong = [
            f"{move} ({value:+.2f})"
            for (move, winner), value in zip(truth.items(), values, strict=True)
            if (value > 0) != (winner == "black")
        ]
        print(
            f"{sims} simulations: {len(truth) - len(wrong)} of {len(truth)} right; wrong: {', '.join(wrong) or 'none'}"
        )


if __name__ == "__main__":
    main()
