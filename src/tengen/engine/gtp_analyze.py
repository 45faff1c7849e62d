"""GTP: analysis as GUIs ask for it and read it.

    lz-analyze [COLOUR] [CENTISECONDS] [KEY VALUE …]      Leela Zero's lines: whole numbers, shares × 10 000
    kata-analyze …                                        KataGo's lines: shares from 0 to 1, scores, ownership
    …genmove_analyze …                                    the same while a move is chosen, then `play MOVE`

All numbers are for the side that is to move. Scores are the expected lead where the network or the playouts count,
else 0; ownership is what a network that counts foresees, else that of the board as it stands. The search cannot leave
moves out: those to avoid are searched, but neither shown nor chosen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tengen.engine.gtp_play import done, move_for
from tengen.engine.gtp_session import COLOURS, NUMBER, GtpCommand, GtpError, GtpSession, colour, real, to_vertex, whole
from tengen.games import Game, State

if TYPE_CHECKING:
    from tengen.search.agent import Agent, Analysis, MoveInfo

__all__ = ["ANALYSIS_COMMANDS"]

USUAL_INTERVAL, LEAST_INTERVAL = 100.0, 1.0  # centiseconds
MOST_LINES = 30  # moves whose expected line is followed: on a large board that takes longer than the search
# Asked for by GUIs, true or false. Only ownership is sent; the others are fields that no GUI needs.
SWITCHES = {
    "ownership",
    "ownershipStdev",
    "movesOwnership",
    "movesOwnershipStdev",
    "pvVisits",
    "pvEdgeVisits",
    "rootInfo",
}

InfoLine = Callable[[Game, "MoveInfo", int], str]


@dataclass
class Wish:
    """What an analysis is to show."""

    side: int
    every: float = USUAL_INTERVAL / 100  # seconds
    fewest: int = 0  # moves, searched or not
    most: int = 10_000
    ownership: bool = False
    avoided: set[str] = field(default_factory=set)
    allowed: set[str] = field(default_factory=set)  # nothing: everything

    def permits(self, move: str) -> bool:
        return move not in self.avoided and (not self.allowed or move in self.allowed)


def _wish(session: GtpSession, args: list[str]) -> Wish:
    """Reads the arguments; the colour and the interval may stand alone at the beginning."""
    wish = Wish(session.board.state.to_move())
    words = iter(args)
    for word in words:
        if word.lower() in COLOURS:
            wish.side = colour(word)
        elif NUMBER.fullmatch(word):
            wish.every = _seconds(word)
        elif word == "interval":
            wish.every = _seconds(_next(words))
        elif word == "minmoves":
            wish.fewest = whole(_next(words))
        elif word == "maxmoves":
            wish.most = whole(_next(words))
        elif word in SWITCHES:
            wish.ownership |= _next(words).lower() == "true" and word == "ownership"
        elif word in ("avoid", "allow"):
            _restrict(session, wish, word, colour(_next(words)), _next(words), whole(_next(words)))
        else:
            raise GtpError("syntax error")
    return wish


def _next(words: Iterator[str]) -> str:
    word = next(words, None)
    if word is None:
        raise GtpError("syntax error")
    return word


def _seconds(centiseconds: str) -> float:
    return max(LEAST_INTERVAL, real(centiseconds)) / 100


def _restrict(session: GtpSession, wish: Wish, word: str, side: int, listed: str, depth: int) -> None:
    moves = set(listed.lower().split(","))
    known = {*session.board.game.layout()["cell_names"], "pass"}
    known |= {session.board.state.move_text(action) for action in session.board.state.legal_actions()}
    if not moves <= known:
        raise GtpError("syntax error")
    if side == wish.side and depth > 0:
        (wish.avoided if word == "avoid" else wish.allowed).update(moves)


def _lz_info(game: Game, move: MoveInfo, order: int) -> str:
    winrate, prior, lcb = (round(10_000 * share) for share in (_share(move.q), move.prior, _share(move.lcb)))
    return (
        f"info move {to_vertex(game, move.text)} visits {move.visits} winrate {winrate} prior {prior} lcb {lcb}"
        f" order {order} pv {_line(game, move)}"
    )


def _kata_info(game: Game, move: MoveInfo, order: int) -> str:
    """Every share has its point: by it Sabaki tells them from Leela Zero's."""
    lead = f"{move.lead or 0.0:z.6f}"
    return (
        f"info move {to_vertex(game, move.text)} visits {move.visits} utility {move.q:.6f} winrate {_share(move.q):.6f}"
        f" scoreMean {lead} scoreStdev 0.0 scoreLead {lead} scoreSelfplay {lead}"
        f" prior {move.prior:.6f} lcb {_share(move.lcb):.6f} utilityLcb {max(-1.0, move.lcb):.6f} weight {move.visits}"
        f" order {order} pv {_line(game, move)}"
    )


def _share(q: float) -> float:
    """A value from −1 to 1 as a win rate."""
    return min(1.0, max(0.0, (q + 1) / 2))


def _line(game: Game, move: MoveInfo) -> str:
    return " ".join(to_vertex(game, text) for text in move.pv)


def _shown(state: State, found: Analysis, owners: list[str], wish: Wish, info: InfoLine) -> str:
    """All moves in one line, the best first."""
    moves = [move for move in found.moves if wish.permits(move.text)]
    visited = sum(move.visits > 0 for move in moves)
    listed = sorted(moves, key=lambda move: move.visits == 0)[: min(wish.most, max(wish.fewest, visited))]
    parts = [info(state.game, move, order) for order, move in enumerate(listed)]
    return " ".join([*parts, *owners]) + "\n"


def _ownership(agent: Agent, state: State) -> list[str]:
    """Nothing in a game that is not counted."""
    foreseen, owners = agent.owners(state), state.owners()
    if foreseen is not None:
        return ["ownership", *(f"{each:z.6f}" for each in foreseen.tolist())]
    own = 1 + state.to_move()
    return (
        []
        if owners is None
        else ["ownership", *("0" if each == 0 else "1" if each == own else "-1" for each in owners)]
    )


def _report(session: GtpSession, state: State, wish: Wish, info: InfoLine) -> None:
    found = session.thinker.report(state, lines=min(MOST_LINES, wish.most))
    owners = _ownership(session.thinker.agent(state.game), state) if wish.ownership else []
    session.channel.write(_shown(state, found, owners, wish, info))


def _analyzes(info: InfoLine) -> GtpCommand:
    """Goes on until anything comes in."""

    def analyze(session: GtpSession, args: list[str]) -> None:
        wish = _wish(session, args)
        state = session.turn(wish.side)
        session.thinker.agent(state.game)  # its errors are answers still
        session.channel.write(f"={session.id}\n")
        session.open = True
        due = wish.every
        for spent in session.thinker.looks(state, wish.every):
            if session.channel.waiting():
                return
            if spent >= due:
                _report(session, state, wish, info)
                due = spent + wish.every
        _report(session, state, wish, info)  # nothing is left to search: this stays true

    return analyze


def _moves_and_analyzes(info: InfoLine) -> GtpCommand:
    """Goes on until the move is chosen, whatever comes in."""

    def genmove_analyze(session: GtpSession, args: list[str]) -> None:
        wish, begun = _wish(session, args), time.monotonic()
        over = session.board.pass_after_end()
        state = session.turn(wish.side)
        session.thinker.agent(state.game)
        session.channel.write(f"={session.id}\n")
        move = over or _watched(session, state, wish, info)
        session.channel.write(f"play {done(session, wish.side, move, begun)}\n\n")

    return genmove_analyze


def _watched(session: GtpSession, state: State, wish: Wish, info: InfoLine) -> str:
    """The engine's move, reported on the way and at the end."""
    due = time.monotonic() + wish.every

    def look() -> bool:
        nonlocal due
        if time.monotonic() >= due:
            _report(session, state, wish, info)
            due = time.monotonic() + wish.every
        return False

    move = move_for(session, state, look)
    _report(session, state, wish, info)
    if wish.permits(move):
        return move
    others = [each.text for each in session.thinker.report(state, lines=0).moves if wish.permits(each.text)]
    return others[0] if others else move


ANALYSIS_COMMANDS: dict[str, GtpCommand] = {
    "analyze": _analyzes(_lz_info),
    "lz-analyze": _analyzes(_lz_info),
    "kata-analyze": _analyzes(_kata_info),
    "genmove_analyze": _moves_and_analyzes(_lz_info),
    "lz-genmove_analyze": _moves_and_analyzes(_lz_info),
    "kata-genmove_analyze": _moves_and_analyzes(_kata_info),
}
