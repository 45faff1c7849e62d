"""What another program is told, and what it is allowed."""

from dataclasses import dataclass

__all__ = ["EngineLimits"]


@dataclass(frozen=True)
class EngineLimits:
    """Of one engine in one game."""

    seconds: float = 0.0
    """Time per move that it is told; 0: none is told."""
    patience: float = 60.0
    """Seconds of silence that lose the game."""
    memory_mb: int = 4096
    """Memory of each of its processes, as addresses that it may use; 0: no limit."""
    depth: int = 0
    """Depth of its search, in protocols that can tell it (nboard); 0: none is told."""

    def __post_init__(self) -> None:
        if not 0 <= self.seconds < self.patience <= 86400:
            raise ValueError("patience must be at most 86400 seconds, seconds 0 or more and less than patience")
        if not 0 <= self.memory_mb <= 1 << 30 or not 0 <= self.depth <= 1000:
            raise ValueError("memory_mb must be 0 or more, depth from 0 to 1000")
