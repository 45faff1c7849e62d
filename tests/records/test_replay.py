"""Game.replay, the batch encoder behind training, against one state at a time."""

import random
from typing import Any

import numpy as np
import pytest

from support.positions import IDS, play
from tengen import Game, GameError, State


def records(game: Game, count: int, seed: int) -> tuple[list[list[int]], dict[str, Any]]:
    """Random games, and a request for some of their positions under random symmetries, in no order."""
    rng = random.Random(f"{game.id} {seed}")
    moves = []
    for _ in range(count):
        *_, end = play(game.start(), rng)
        moves.append(end.moves())
    samples = [
        (g, rng.randint(0, len(moves[g])), rng.randrange(game.num_symmetries)) for g in rng.choices(range(count), k=150)
    ]
    samples += [(g, len(m), s) for g, m in enumerate(moves) for s in range(game.num_symmetries)]
    request = {
        "moves": np.array([a for m in moves for a in m], np.uint16),
        "game_start": np.cumsum([0] + [len(m) for m in moves], dtype=np.int64),
        "game": np.array([g for g, _, _ in samples], np.int32),
        "ply": np.array([p for _, p, _ in samples], np.int32),
        "symmetry": np.array([s for _, _, s in samples], np.uint8),
    }
    return moves, request


def after(game: Game, moves: list[int]) -> State:
    state = game.start()
    for action in moves:
        state.apply(action)
    return state


@pytest.mark.parametrize("id", IDS)
def test_replay_equals_one_state_at_a_time(id: str) -> None:
    game = Game.parse(id)
    moves, request = records(game, 3, seed=1)
    batches = [game.replay(**request, threads=threads) for threads in (0, 1, 2, 5)]
    planes, legal = batches[0]
    for other_planes, other_legal in batches[1:]:
        assert (other_planes == planes).all() and (other_legal == legal).all()
    assert planes.dtype == np.float32 and legal.dtype == np.uint8
    samples = zip(request["game"], request["ply"], request["symmetry"], planes, legal, strict=True)
    for g, ply, symmetry, seen, allowed in samples:
        state = after(game, moves[g][:ply])
        assert (seen == state.planes(int(symmetry))).all()
        shown = {state.policy_index(a, int(symmetry)) for a in state.legal_actions()}
        assert set(np.flatnonzero(allowed).tolist()) == shown and set(np.unique(allowed)) <= {0, 1}


def test_no_samples_are_no_positions() -> None:
    game = Game.parse("connect4")
    _, request = records(game, 2, seed=2)
    nothing = {key: request[key][:0] for key in ("game", "ply", "symmetry")}
    planes, legal = game.replay(**{**request, **nothing})
    assert planes.shape == (0, *game.planes_shape) and legal.shape == (0, game.num_actions)


@pytest.mark.parametrize("id", IDS)
def test_bad_requests_are_refused(id: str) -> None:
    game = Game.parse(id)
    _, good = records(game, 3, seed=3)

    def changed(key: str, index: int, value: int) -> dict[str, Any]:
        array = good[key].copy()
        array[index] = value
        return {**good, key: array}

    first_game = {**good, "game": np.zeros_like(good["game"]), "ply": np.full_like(good["ply"], good["game_start"][1])}
    twice = first_game["moves"].copy()
    twice[: good["game_start"][1]] = game.num_actions
    bad = {
        "an action out of range": {**first_game, "moves": twice},
        "the largest action": {**first_game, "moves": np.full_like(good["moves"], 65535)},
        "a ply past the end": changed("ply", 0, 1_000_000),
        "a ply before the start": changed("ply", 0, -1),
        "a game that is not there": changed("game", 5, 3),
        "a game before the first": changed("game", 5, -1),
        "a symmetry that is not there": changed("symmetry", 7, game.num_symmetries),
        "offsets that decrease": changed("game_start", 1, int(good["game_start"][2]) + 1),
        "an offset below zero": changed("game_start", 0, -1),
        "an offset past the moves": changed("game_start", 3, int(good["game_start"][3]) + 1),
        "too few plies": {**good, "ply": good["ply"][1:]},
        "too few symmetries": {**good, "symmetry": good["symmetry"][:-1]},
        "no offsets": {**good, "game_start": good["game_start"][:0]},
    }
    for what, request in bad.items():
        for threads in (1, 2):
            with pytest.raises(GameError) as error:
                game.replay(**request, threads=threads)
            assert str(error.value) and "\n" not in str(error.value), what


@pytest.mark.parametrize("id", IDS)
def test_illegal_moves_are_refused(id: str) -> None:
    """A record with a move that the rules forbid: one played after the end, and one onto an occupied cell."""
    game = Game.parse(id)
    *_, end = play(game.start(), random.Random(4))
    moves = end.moves()
    state = game.start()
    state.apply(moves[0])
    forbidden = next((a for a in range(game.num_actions) if not state.is_legal(a)), None)
    for record in [[*moves, 0], *([] if forbidden is None else [[moves[0], forbidden]])]:
        request: dict[str, Any] = {
            "moves": np.array(record, np.uint16),
            "game_start": np.array([0, len(record)], np.int64),
            "game": np.zeros(1, np.int32),
            "ply": np.array([len(record)], np.int32),
            "symmetry": np.zeros(1, np.uint8),
        }
        with pytest.raises(GameError, match=f"ply {len(record) - 1}"):
            game.replay(**request)
