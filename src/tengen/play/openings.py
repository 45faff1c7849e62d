"""Openings of matches: random ones, or random ones that a search judges to be even.

After random moves one side often stands so much better that the opening decides both games of a pair, which then say
nothing of the players. `balanced` openings are drawn as random ones are, searched, and kept where the value is near 0.

>>> from tengen import games
>>> read_openings("balanced:plain:200", games.make("hex:5"))
'plain:200'
>>> len(openings_for("balanced:plain:200", games.make("hex:5"), 6))
6
"""

from collections.abc import Callable, Sequence

from tengen._core import Rng
from tengen.games import Game, State
from tengen.play.arena import draw_opening, draw_openings, opening_plies
from tengen.play.players import PlayerError, check_search_player, search_player, slots_that_fit, usual_player
from tengen.search.agent import Agent

__all__ = ["BALANCED", "agent_judge", "balanced_openings", "openings_for", "read_openings"]

BALANCED = 0.15  # largest value, of either side, that counts as even: 57.5 % of the points
SIMS = 100  # of each judgement, unless the judge's text has a number
MOST_DRAWN = 100  # for each opening that is wanted
AT_ONCE = 64  # positions judged side by side

Judge = Callable[[Sequence[State]], list[float]]  # values for the side to move, −1 … 1


def read_openings(text: str, game: Game) -> str | None:
    """Who judges openings, as the text says: nobody for `random`; for `balanced` the network that ships; another player
    that searches for `balanced:PLAYER`. Nothing is loaded yet. Raises PlayerError, NetworkError."""
    kind, _, spec = text.partition(":")
    if text == "random":
        return None
    if kind != "balanced":
        raise PlayerError(f"openings are random, balanced or balanced:PLAYER, not {text[:80]!r}")
    if not spec and not usual_player(game, otherwise=""):
        raise PlayerError(f"no network ships for {game.id}: name who judges openings, as in balanced:net:PATH")
    spec = spec or f"shipped@{SIMS}"
    check_search_player(spec, game)
    return spec


def openings_for(
    text: str, game: Game, count: int, plies: int | None = None, seed: int = 0, *, device: str = "auto"
) -> list[tuple[int, ...]]:
    """Raises PlayerError, NetworkError, and ValueError where there are not enough."""
    spec = read_openings(text, game)
    if spec is None:
        return draw_openings(game, count, plies, seed)
    slots = slots_that_fit(spec, game, most=AT_ONCE)
    agent = search_player(spec, game, slots=slots, seed=seed, device=device).agent
    return balanced_openings(game, count, agent_judge(agent), plies, seed)


def balanced_openings(
    game: Game, count: int, judge: Judge, plies: int | None = None, seed: int = 0
) -> list[tuple[int, ...]]:
    """Random openings that the judge finds even, no two of them alike under the board's symmetries. They are a function
    of the seed and the judge: openings are judged in the order of their numbers."""
    plies = opening_plies(game) if plies is None else plies
    kept: list[tuple[int, ...]] = []
    seen: set[int] = set()
    for first in range(0, MOST_DRAWN * count, AT_ONCE):
        drawn = [draw_opening(game, plies, Rng(seed, first + i, 0, "opening")) for i in range(AT_ONCE)]
        fresh = [state for state in drawn if _is_new(_shape(state), seen)]
        values = judge(fresh) if fresh else []
        kept += [tuple(state.moves()) for state, value in zip(fresh, values, strict=True) if abs(value) <= BALANCED]
        if len(kept) >= count:
            return kept[:count]
    raise ValueError(
        f"only {len(kept)} balanced openings of {plies} random plies were found in {game.id}, not {count}: "
        f"ask for other opening plies, fewer games or random openings"
    )


def agent_judge(agent: Agent) -> Judge:
    """By the value of a search."""

    def judge(states: Sequence[State]) -> list[float]:
        slots, values = agent.search.trees, list[float]()
        for first in range(0, len(states), slots):
            group = states[first : first + slots]
            for slot in range(len(group)):
                agent.new_game(slot, slot)
            agent.act_many(group)
            values += [agent.report(state, slot).q for slot, state in enumerate(group)]
        return values

    return judge


def _is_new(shape: int, seen: set[int]) -> bool:
    before = len(seen)
    seen.add(shape)
    return len(seen) > before


def _shape(state: State) -> int:
    """The same for positions that are symmetric to each other."""
    return min(state.hash(symmetry) for symmetry in range(state.game.num_symmetries))
