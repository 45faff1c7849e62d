"""How true is what a search says of a position? Its root's mean and its worth beside the exact solver.

    python benchmarks/connect4_roots.py --sims 128 512

Random positions of 5 to 24 plies in which no move wins at once, searched as in self-play with a Gumbel root and with a
PUCT root. Squared error for the side to move, by plies: of the network alone, of the mean of all simulations, and of
what the training target would get (docs/search.md, section 6), which records hold.
"""

import argparse
import random

import numpy as np

from tengen import games
from tengen.exact.solver import score_many
from tengen.games import State
from tengen.net.evaluator import make_evaluator
from tengen.net.file import shipped_network
from tengen.run.settings import RunConfig
from tengen.search.agent import Agent

GAME = games.make("connect4")
BANDS = [(5, 12), (12, 18), (18, 25)]
SLOTS = 256


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", default=str(shipped_network(GAME)), help="(default: the network that ships)")
    parser.add_argument("--sims", type=int, nargs="+", default=[128])
    parser.add_argument("--positions", type=int, default=1024)
    args = parser.parse_args()
    states = draw(args.positions)
    truth = np.sign(score_many(states, weak=True)).astype(float)
    plies = np.array([state.ply() for state in states])
    print(f"{'':>22} {'all':>7}", *(f"{f'{low}-{high - 1}':>7}" for low, high in BANDS))
    for root in ("gumbel", "puct"):
        for sims in args.sims:
            said = search(states, args.net, root, sims)
            for name, values in zip(("alone", "mean", "worth"), said.T, strict=True):
                error = (values - truth) ** 2
                bands = [error[(plies >= low) & (plies < high)] for low, high in BANDS]
                print(f"{root:>7} {sims:>6} {name:>7} {error.mean():7.3f}", *(f"{band.mean():7.3f}" for band in bands))


def draw(count: int) -> list[State]:
    rng, states = random.Random(0), list[State]()
    while len(states) < count:
        state = GAME.start()
        for _ in range(rng.randint(5, 24)):
            if state.is_terminal():
                break
            state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal() and not any(after(state, a).is_terminal() for a in state.legal_actions()):
            states.append(state)
    return states


def after(state: State, action: int) -> State:
    next_state = state.copy()
    next_state.apply(action)
    return next_state


def search(states: list[State], net: str, root: str, sims: int) -> np.ndarray:
    """[n, 3] what the network says, what the mean says, what the root is worth."""
    config = RunConfig.of(GAME).search.replace(rule=root, sims=sims)
    agent = Agent(GAME, make_evaluator(net, GAME), config, slots=SLOTS)
    rows = []
    for start in range(0, len(states), SLOTS):
        part = states[start : start + SLOTS]
        for slot, state in enumerate(part):
            agent.new_game(slot, start + slot)
            agent.set_root(state, slot)
        agent.run(range(len(part)))
        for slot in range(len(part)):
            node = agent.search.node(slot)
            rows.append((node.v, node.q, agent.search.worth(slot)[0]))
    return np.array(rows)


if __name__ == "__main__":
    main()
