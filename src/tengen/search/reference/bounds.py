"""What is proven of a position, and how that follows from its moves. Section 8 of docs/search.md."""

Bounds = tuple[int, int, int | None]  # for the side to move: lo, hi; plies to the end where it is solved with distance
UNKNOWN: Bounds = (-1, 1, None)


def best_of(children: list[Bounds]) -> Bounds:
    """What follows for a position from what is proven of those a move away."""
    lo, hi = max(-high for _, high, _ in children), max(-low for low, _, _ in children)
    distances = [dist for low, high, dist in children if low == high == -lo]
    known = [dist for dist in distances if dist is not None]
    if lo < hi or not known or (lo < 1 and len(known) < len(distances)):
        return lo, hi, None
    return lo, hi, 1 + (min(known) if lo == 1 else max(known))
