"""Tengen inside other people's programs: one small file per protocol over one core.

channel.py    lines in and out, bounded; ends when nobody listens any more
board.py      the position as a client sets it up: out of turn, undone, by stones
thinker.py    who thinks: loaded beside the first commands; by clock, by simulations, or until something comes in
gtp.py …      the protocols
"""

from __future__ import annotations

__all__ = ["PROTOCOLS"]

# Name, as a person types it: whose it is. The module of the same name has `serve(channel, thinker, game)`.
PROTOCOLS = {
    "gtp": "Go Text Protocol 2, with analysis: Sabaki, Lizzie, GoGui; every other game by its move texts",
    "gomocup": "Gomocup's protocol: Piskvork and other managers of five in a row",
    "analysis": "KataGo's JSON analysis engine: KaTrain, scripts",
    "nboard": "NBoard's protocol: discs on 8 × 8",
}
