"""Games, positions and moves by their texts."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from tengen import games
from tengen.games import Game, GameError, State
from tengen.kifu.branches import Tree, deepest
from tengen.kifu.refused import KifuError

__all__ = ["check_length", "make_game", "move_texts", "play_main_line", "play_moves", "start_of"]


@lru_cache(maxsize=64)
def make_game(id: str) -> Game:
    try:
        return games.make(id)
    except GameError as error:
        raise KifuError("unknown_game", error, game=id) from None


def start_of(game: Game, start: str | None) -> State:
    """The start of the game, or of a position that was set up."""
    try:
        return game.position(start) if start else game.start()
    except GameError as error:
        raise KifuError("bad_position", error) from None


def play_moves(state: State, move: str, ply: int) -> str:
    """Plays a move text, whose place in its list is `ply`; returns it as the game spells it."""
    try:
        action = state.parse_move(move)
    except GameError as error:
        raise KifuError("illegal_move", error, move=move, ply=ply) from None
    text = state.move_text(action)
    state.apply(action)
    return text


def play_main_line(game: Game, start: str | None, tree: Tree, moves: int | None = None) -> State:
    """Where the main line leads: after so many of its moves, or at its end if it has no more of them."""
    state = start_of(game, start)
    for ply, node in enumerate(islice(deepest(tree), moves)):
        play_moves(state, node["move"], ply)
    return state


def check_length(game: Game, moves: int) -> None:
    if moves > game.max_plies:
        raise KifuError("bad_moves", f"no game of {game.id} has more than {game.max_plies} moves", most=game.max_plies)


def move_texts(state: State) -> list[str]:
    """The moves since the start, as texts."""
    replayed = start_of(state.game, state.start_text())
    texts = []
    for action in state.moves():
        texts.append(replayed.move_text(action))
        replayed.apply(action)
    return texts
