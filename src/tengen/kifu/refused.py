"""What is wrong with a game that somebody handed in."""

from typing import Any

from tengen.games import GameError

__all__ = ["KifuError"]


class KifuError(GameError):
    """One English line; its code and parameters are for who says it in another language."""

    def __init__(self, code: str, message: object, **params: Any) -> None:
        super().__init__(" ".join(str(message).split()))
        self.code, self.params = code, params
