"""What went wrong, as the page can translate it: a code, its parameters, and one English line."""

from typing import Any

from tengen.games import GameError
from tengen.kifu import KifuError

__all__ = ["AppError", "told"]

LONGEST_REASON = 500

STATUS = {
    "unknown_game": 404,
    "unknown_player": 404,
    "unknown_run": 404,
    "run_busy": 409,
    "forgotten": 410,
    "too_large": 413,
    "too_busy": 429,
    "forbidden": 403,
}


class AppError(Exception):
    """Becomes a 4xx answer, or an error message on the WebSocket."""

    def __init__(self, code: str, message: object, **params: Any) -> None:
        super().__init__(" ".join(str(message).split()))
        self.code, self.params = code, params

    @property
    def status(self) -> int:
        return STATUS.get(self.code, 400)

    def to_dict(self) -> dict[str, Any]:
        return {"code": self.code, "message": str(self), "params": self.params}


def told(error: AppError | KifuError | GameError) -> AppError:
    """What is wrong with a game is told as everything else; so are rules of somebody's own that fail."""
    if isinstance(error, AppError):
        return error
    if isinstance(error, KifuError):
        return AppError(error.code, error, **error.params)
    return AppError("rules_failed", error, reason=" ".join(str(error).split())[:LONGEST_REASON])
