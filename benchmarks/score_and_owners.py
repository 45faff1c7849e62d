"""Does a network that counts know what it says? Its value as komi grows, and its owners and lead in games played out.

python benchmarks/score_and_owners.py NET go:7 --komi 7.5 8.5 9.5 10.5 --games 40 --sims 100

1. The search's value and lead of the empty board for each komi: the value should turn where the board is worth as much.
2. Games of the network against itself from random openings: its owners and lead in the position before the end, and
   at half of the game, compared with how the game was counted.
"""

import argparse
import random

import numpy as np

from tengen import games
from tengen.games import Game, State
from tengen.net.evaluator import make_evaluator
from tengen.search.agent import Agent


def sweep(network: str, game: Game, values: list[float], sims: int) -> None:
    print("komi   value of the start   lead of the first player")
    for komi in values:
        rules = games.make(game.id.partition(",")[0], komi=komi)
        found = Agent(rules, make_evaluator(network, rules), sims=sims).analyze(rules.start())
        print(f"{komi:<7g}{found.q:+.3f}{found.lead if found.lead is not None else float('nan'):+18.1f}")


def play(agent: Agent, game: Game, number: int, opening: int) -> list[State]:
    """The positions of one game, the last of them over."""
    rng, state = random.Random(number), game.start()
    positions = [state.copy()]
    agent.new_game(0, number)
    while not state.is_terminal():
        legal = state.legal_actions()
        state.apply(rng.choice(legal) if state.ply() < opening else agent.act(state))
        positions.append(state.copy())
    return positions


def judged(agent: Agent, state: State, end: State) -> tuple[float, float]:
    """Share of the owned cells that the network gives to their owner, and the error of its lead in points."""
    owners, found = agent.owners(state), agent.analyze(state)
    true = np.array(end.owners())
    first, second = end.score() or (0.0, 0.0)
    own = 1 + state.to_move()
    sign = np.where(true == 0, 0, np.where(true == own, 1, -1))
    lead = first - second if own == 1 else second - first
    assert owners is not None and found.lead is not None
    return float(np.mean((np.sign(owners) == sign)[sign != 0])), abs(found.lead - lead)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("game")
    parser.add_argument("--komi", type=float, nargs="*", default=[])
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--sims", type=int, default=100)
    args = parser.parse_args()
    game = games.make(args.game)
    sweep(args.network, game, args.komi, args.sims)
    agent = Agent(game, make_evaluator(args.network, game), sims=args.sims)
    rows = []
    for number in range(args.games):
        positions = play(agent, game, number, opening=4)
        before = next(state for state in reversed(positions) if not state.is_terminal())
        middle = positions[len(positions) // 2]
        rows.append((*judged(agent, before, positions[-1]), *judged(agent, middle, positions[-1])))
    end_right, end_error, half_right, half_error = np.mean(rows, axis=0)
    print(f"{args.games} games of {game.id} at {args.sims} simulations")
    print(f"before the end   owners right {end_right:.1%}   error of the lead {end_error:.2f} points")
    print(f"at half of it    owners right {half_right:.1%}   error of the lead {half_error:.2f} points")


if __name__ == "__main__":
    main()
