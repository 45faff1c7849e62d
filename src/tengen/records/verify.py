"""Is a record a game that could have been played?"""

from __future__ import annotations

from tengen._core import Game, GameError, State
from tengen.records.record import SCORED_ENDINGS, GameRecord, RecordError, check_columns, to_columns


def verify(record: GameRecord, game: Game) -> None:
    """Replays the rules: moves, policies and result. Raises RecordError; costs some ten microseconds per ply."""
    if record.game != game.id:
        raise RecordError(f"a record of {record.game} where {game.id} is expected")
    check_columns(to_columns([record], record.networks), len(record.networks), game.num_actions)
    state = game.start()
    for ply, action in enumerate(record.moves.tolist()):
        illegal = [a for a in record.policy(ply)[0].tolist() if not state.is_legal(a)] if record.full[ply] else []
        if illegal and not state.is_terminal():
            raise RecordError(
                f"game {record.number}, ply {ply}: a policy with illegal move {state.move_text(illegal[0])}"
            )
        try:
            state.apply(action)
        except GameError as error:
            raise RecordError(f"game {record.number}, ply {ply}: {error}") from None
    if state.is_terminal() != (record.ending == "end"):
        over = "over" if state.is_terminal() else "not over"
        raise RecordError(f"game {record.number}: ending {record.ending!r}, but by the rules the game is {over}")
    if record.ending == "counted" and not _is_counted(state):
        raise RecordError(f"game {record.number}: ending 'counted', but the game could have gone on")
    if record.ending in SCORED_ENDINGS:
        result = _result(state)
        if result != record.result:
            raise RecordError(f"game {record.number}: result {record.result}, but by the rules it is {result}")
    if record.ending == "resigned" and record.result == 0:
        raise RecordError(f"game {record.number}: resigned, but nobody won")


def _is_counted(state: State) -> bool:
    """Does self-play score a game as it stands here?"""
    limit = state.game.counted_after
    return limit is not None and (state.ply() >= limit or state.settled() is True)


def _result(state: State) -> int:
    """For the first player: by the rules where they ended the game, else by the count."""
    if state.is_terminal():
        return state.outcome() if state.to_move() == 0 else -state.outcome()
    score = state.score()
    assert score is not None  # only such games are counted
    return (score[0] > score[1]) - (score[0] < score[1])
