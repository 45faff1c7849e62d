"""Were the games that a player lost in a match lost before it began to play? Their openings, searched for a proof.

    tengen match gomoku:6,in_a_row=4 net:FILE@200 mcts:1000 --games 200 --save games.txt
    python benchmarks/lost_openings.py games.txt --net FILE --sims 50000

Openings are random, and many of them decide a short game: the better player then wins one game of a pair and loses the
other, however good it is. A proof is the search's own (`search.solver`), of the position after the opening's last ply.
"""

import argparse
from collections import Counter
from pathlib import Path

from tengen import games
from tengen.net.evaluator import make_evaluator
from tengen.preset import playing_search
from tengen.search.agent import Agent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, metavar="FILE", help="what tengen match --save has written")
    parser.add_argument("--net", required=True, metavar="FILE", help="whose search looks for the proofs")
    parser.add_argument("--sims", type=int, default=50_000)
    args = parser.parse_args()
    head, *lines = args.games.read_text("utf-8").splitlines()
    game = games.make(head.split()[1])
    search = playing_search(game).replace(sims=args.sims, solver=True, cache_mb=64)
    agent = Agent(game, make_evaluator(args.net, game), search)
    player, found = lines[0].split("\t")[1], Counter[str]()  # A has the first game's first move
    for line in lines:
        number, first, _, points, plies, moves = line.split("\t")
        side = 0 if first == player else 1
        if float(points) != side:  # the first mover's points: 0 is a loss of side 0, 1 of side 1
            continue
        state = game.start()
        for action in game.from_moves(moves).moves()[: int(plies)]:
            state.apply(action)
        agent.new_game(0, int(number))
        agent.act_many([state])
        root = agent.search.node(0)
        sign = 1 if state.to_move() == side else -1
        found[{-1: "lost", 0: "drawn", 1: "won"}[sign * root.lo] if root.lo == root.hi else "not proven"] += 1
    print(f"{player} lost {sum(found.values())} of {len(lines)} games; with best play their openings are:", dict(found))


if __name__ == "__main__":
    main()
