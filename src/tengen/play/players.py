"""Players by name: `random`, `mcts:1000`, `uniform@400`, `solver`, `net:FILE@400`, `shipped@400`, `engine:NAME`.

A player is whoever can choose moves for many games at once. PLAYER_KINDS lists every kind once: terminal, app, matches,
ladder and hub make their players from it, so that a text names the same player everywhere. A new kind is one more row.

>>> from tengen import games
>>> game = games.make("tictactoe")
>>> player = make_player("mcts:200", game)
>>> position = game.from_moves("a3 b2 a2 c3")
>>> position.move_text(player.act_many([position], [0])[0])
'a1'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tengen.config import SearchConfig, changed, parse_settings, split_settings
from tengen.exact.oracle import oracle, required_oracle
from tengen.games import Game, GameError
from tengen.net.evaluator import Evaluator, Rollout, Uniform, make_evaluator
from tengen.net.file import NetworkFile, shipped_network
from tengen.play.choosers import AgentPlayer, Forfeit, Player, PlayerError, RandomPlayer, SolverPlayer, TimedPlayer
from tengen.play.outside.named import ENGINE_NAME, find_engine
from tengen.play.outside.opponent import Engine, OutsidePlayer, fitting_slots
from tengen.play.thinking import MOST_SIMS
from tengen.preset import network_search
from tengen.search.agent import TREES_MEMORY, Agent, node_bytes

__all__ = [
    "PLAYER_KINDS",
    "AgentPlayer",
    "Forfeit",
    "Player",
    "PlayerError",
    "PlayerKind",
    "PlayerSearch",
    "TimedPlayer",
    "check_search_player",
    "choices",
    "find_kind",
    "make_player",
    "moves_ahead",
    "names_sims",
    "page_player",
    "player_search",
    "search_player",
    "slots_that_fit",
    "usual_player",
]

USUAL_C_UCB = 1.4  # about √2, of games whose facts name no constant for UCB1
CHEAP_MOVES = 1000  # tried to look ahead of one position


@dataclass(frozen=True)
class Places:
    """Where a player plays."""

    slots: int  # games at once
    seed: int
    threads: int
    settings: Sequence[str] = ()  # of another program


@dataclass(frozen=True)
class PlayerSearch:
    """How a player searches, and who judges positions for it: made on a device, with a number of threads."""

    config: SearchConfig
    evaluator: Callable[[str, int], Evaluator | Rollout]


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player: how one is written, what it is, how it is made. It has `make`, or `search` if it has a tree."""

    name: str
    form: str  # of its texts, as help and messages show it
    pattern: str  # that a whole text matches
    sentence: str
    make: Callable[[Game, re.Match[str], Places], Player] | None = None  # for a game, as the text says
    search: Callable[[Game, re.Match[str], int], PlayerSearch] | None = None  # for a game, as the text says, with slots
    # What its name alone means to a page, which may choose by name only: None where a text has a path or a command.
    usual: str | None = None
    outside: bool = False  # another program: it takes engine.NAME=VALUE for settings
    command: bool = False  # its text is a command: only the command line of the person who owns the machine may give it
    network: bool = False
    priors: bool = True  # has an opinion of moves before any search
    plays: Callable[[Game], bool] = lambda game: True


def _random(game: Game, found: re.Match[str], at: Places) -> Player:
    return RandomPlayer(at.slots, at.seed)


def _solver(game: Game, found: re.Match[str], at: Places) -> Player:
    return SolverPlayer(required_oracle(game), at.slots, at.seed, at.threads)


def _mcts(game: Game, found: re.Match[str], slots: int) -> PlayerSearch:
    """UCB1 over random playouts, without proofs: the plain opponent that everything is measured against."""
    c = USUAL_C_UCB if game.facts.c_ucb is None else game.facts.c_ucb
    config = SearchConfig(rule="ucb1", c_init=c, solver=False, cache_mb=0)
    return PlayerSearch(config.replace(sims=_sims(found[1], least=1)), lambda device, threads: Rollout())


def _proving_mcts(game: Game, found: re.Match[str], slots: int) -> PlayerSearch:
    plain = _mcts(game, found, slots)
    return replace(plain, config=plain.config.replace(solver=True))


def _plain(game: Game, found: re.Match[str], slots: int) -> PlayerSearch:
    """What a search can do without a network: it proves, looks as far ahead as is cheap, and tries moves near stones
    first."""
    config = SearchConfig(lookahead=cheap_lookahead(game), cache_mb=0)
    return PlayerSearch(config.replace(sims=_sims(found[1], least=1)), lambda device, threads: Rollout(nearby=True))


def cheap_lookahead(game: Game) -> int:
    """Plies: up to three, so that threats are seen which no single move answers, and as many as cost little."""
    return next(plies for plies in (3, 2, 1) if plies == 1 or moves_ahead(game, plies) <= CHEAP_MOVES)


def moves_ahead(game: Game, plies: int) -> int:
    """How many moves are tried at most to look so far ahead. A game that sees its wins (law 12 of game.h) spares the
    last two plies."""
    spared = 0 if game.start().wins_at_once() is None else 2
    return int(game.num_actions ** max(0, plies - spared))


def _uniform(game: Game, found: re.Match[str], slots: int) -> PlayerSearch:
    return PlayerSearch(_with_sims(SearchConfig(), found[1]), lambda device, threads: Uniform(game))


def _network(game: Game, found: re.Match[str], slots: int) -> PlayerSearch:
    path = _network_path(found[1], game)
    make = lambda device, threads: make_evaluator(path, game, device, threads)  # noqa: E731
    return PlayerSearch(_with_sims(network_search(game, slots), found[2]), make)


def _command(game: Game, found: re.Match[str], at: Places) -> Player:
    return _outside(found[0], Engine.parse(found[1], found[2]), game, at)


def _engine(game: Game, found: re.Match[str], at: Places) -> Player:
    return _outside(found[0], find_engine(found[1]), game, at)


def _outside(spec: str, engine: Engine, game: Game, at: Places) -> Player:
    told = split_settings(at.settings, ["engine"]).get("engine", {})
    return OutsidePlayer(spec, replace(engine, limits=changed(engine.limits, told)), game, at.slots)


PLAYER_KINDS = (
    PlayerKind("random", "random", "random", "every legal move is as likely as the next", make=_random, usual="random"),
    PlayerKind(
        "mcts", "mcts:N", r"mcts:(\d+)",
        "pure MCTS: N simulations of one random playout each, UCB1, no proofs",
        search=_mcts, usual="mcts:1000", priors=False,
    ),
    PlayerKind(
        "mcts,solver", "mcts:N,solver", r"mcts:(\d+),solver",
        "pure MCTS that proves wins, draws and losses in its tree",
        search=_proving_mcts, usual="mcts:1000,solver", priors=False,
    ),
    PlayerKind(
        "plain", "plain:N", r"plain:(\d+)",
        "the best that search does without a network: N playouts, near stones first, looks ahead and proves",
        search=_plain, usual="plain:1000",
    ),
    PlayerKind(
        "uniform", "uniform@SIMS", r"uniform(?:@(\d+))?",
        "the search of networks with one that knows nothing: PUCT, no playouts",
        search=_uniform, usual="uniform",
    ),
    PlayerKind(
        "solver", "solver", "solver",
        "perfect play, where a game has an exact solver",
        make=_solver, usual="solver", plays=lambda game: oracle(game) is not None,
    ),
    PlayerKind(
        "net", "net:PATH@SIMS", r"(net:.+?)(?:@(\d+))?",
        "the network in a file",
        search=_network, network=True,
    ),
    PlayerKind(
        "shipped", "shipped@SIMS", r"(shipped)(?:@(\d+))?",
        "the network that comes with the package for the game",
        search=_network, usual="shipped", network=True, plays=lambda game: shipped_network(game) is not None,
    ),
    PlayerKind(
        "engine", "engine:NAME", rf"engine:({ENGINE_NAME})",
        "another program, from your own engines.toml",
        make=_engine, outside=True,
    ),
    PlayerKind(
        "gtp", "gtp:COMMAND", r"(gtp):(.*)",
        "another program that speaks GTP, as programs of Go do",
        make=_command, outside=True, command=True,
    ),
    PlayerKind(
        "gomocup", "gomocup:COMMAND", r"(gomocup):(.*)",
        "another program that speaks Gomocup's protocol (five in a row)",
        make=_command, outside=True, command=True,
    ),
    PlayerKind(
        "nboard", "nboard:COMMAND", r"(nboard):(.*)",
        "another program that speaks NBoard's protocol (discs on 8 × 8)",
        make=_command, outside=True, command=True,
    ),
)  # fmt: skip


def choices(kinds: Sequence[PlayerKind] = PLAYER_KINDS) -> str:
    """The texts that name players, for help and messages."""
    return ", ".join(kind.form for kind in kinds)


def find_kind(spec: str) -> PlayerKind | None:
    """The kind of player that a text names, if it is one's."""
    read = _read(spec)
    return read[0] if read else None


def page_player(name: str) -> tuple[PlayerKind, str] | None:
    """The kind and the whole text of a player that a page chose: by its name, by a text of a kind that has one, or by
    an engine's name. Never a path or a command."""
    for kind in PLAYER_KINDS:
        if kind.name == name and kind.usual:
            return kind, kind.usual
    named = find_kind(name)
    return (named, name) if named and (named.usual or (named.outside and not named.command)) else None


def make_player(
    spec: str,
    game: Game,
    *,
    slots: int = 1,
    seed: int = 0,
    threads: int = 0,
    settings: Sequence[str] = (),
    device: str = "auto",
    commands: bool = False,
) -> Player:
    """The player a spec names, for up to `slots` games at once. Raises PlayerError, NetworkError, ConfigError.

    `settings` are `search.NAME=VALUE` texts, for players that search, and `engine.NAME=VALUE`, for other programs;
    `device` runs the network of those with one. `commands`: the spec came from the command line of the person whose
    machine this is, so it may name a program to start.
    """
    kind, found = _known(spec)
    if kind.command and not commands:
        raise PlayerError(f"{kind.form} is for the command line: here write engine:NAME, with NAME from engines.toml")
    if kind.make is None:
        return search_player(spec, game, slots=slots, seed=seed, threads=threads, settings=settings, device=device)
    if settings and not kind.outside:
        raise PlayerError(f"{spec} does not search: it takes no settings")
    try:
        return kind.make(game, found, Places(slots, seed, threads, settings))
    except GameError as error:
        raise PlayerError(str(error)) from None


def search_player(
    spec: str,
    game: Game,
    *,
    slots: int = 1,
    seed: int = 0,
    threads: int = 0,
    settings: Sequence[str] = (),
    device: str = "auto",
) -> AgentPlayer:
    """Like make_player, for players whose tree can be looked at. Raises PlayerError, NetworkError, ConfigError."""
    search = player_search(spec, game, slots=slots, settings=settings)
    evaluator = search.evaluator(device, threads)
    agent = Agent(game, evaluator, search.config, seed=seed, slots=slots, threads=threads)
    return AgentPlayer(spec, agent, names_sims(spec, settings))


def player_search(spec: str, game: Game, *, slots: int = 1, settings: Sequence[str] = ()) -> PlayerSearch:
    """How a player searches and who judges for it; nothing is loaded yet. Raises PlayerError, ConfigError."""
    kind, found = _known(spec)
    if kind.search is None:
        searching = [each for each in PLAYER_KINDS if each.search is not None]
        raise PlayerError(f"{spec} does not search; players that do are {choices(searching)}")
    search = kind.search(game, found, slots)
    return replace(search, config=parse_settings(search.config, list(settings)))


def names_sims(spec: str, settings: Sequence[str]) -> bool:
    """Does somebody ask for a number of simulations, or does a preset only?"""
    return re.search(r"[:@]\d+(,solver)?$", spec) is not None or any(
        each.startswith("search.sims=") for each in settings
    )


def check_search_player(spec: str, game: Game, settings: Sequence[str] = ()) -> None:
    """Can such a player be made? By its name, its settings and its network's file; no runtime is started. Raises
    PlayerError, NetworkError, ConfigError."""
    player_search(spec, game, settings=settings)
    kind, found = _known(spec)
    if kind.network:
        NetworkFile.load(_network_path(found[1], game), game)


def usual_player(game: Game, otherwise: str) -> str:
    """Who plays when nobody is named: the network that ships for the game, if one does."""
    return "shipped" if shipped_network(game) else otherwise


def slots_that_fit(spec: str, game: Game, settings: Sequence[str] = (), most: int = 256) -> int:
    """How many games a player can play side by side, up to `most`, with no tree short of memory."""
    kind, _ = _known(spec)
    if kind.search is None:
        return fitting_slots(most) if kind.outside else most
    config = player_search(spec, game, slots=most, settings=settings).config
    tree = (config.sims + config.leaves + 1) * node_bytes(game)  # one per simulation, the root and a few on the way
    return max(1, min(most, TREES_MEMORY // tree - 1))


def _read(spec: str) -> tuple[PlayerKind, re.Match[str]] | None:
    matches = ((kind, re.fullmatch(kind.pattern, spec, re.ASCII | re.DOTALL)) for kind in PLAYER_KINDS)
    return next(((kind, found) for kind, found in matches if found), None)


def _known(spec: str) -> tuple[PlayerKind, re.Match[str]]:
    read = _read(spec)
    if read is None:
        raise PlayerError(f"unknown player {spec[:80]!r}; players are {choices()}")
    return read


def _network_path(name: str, game: Game) -> str:
    """The file behind `net:PATH` or `shipped`."""
    if name != "shipped":
        return name.removeprefix("net:")
    path = shipped_network(game)
    if path is None:
        raise PlayerError(f"shipped: no network ships for {game.id}, networks come with training; try mcts:1000")
    return str(path)


def _with_sims(config: SearchConfig, digits: str | None) -> SearchConfig:
    return config.replace(sims=_sims(digits, least=0)) if digits else config


def _sims(digits: str, least: int) -> int:
    if len(digits) > len(str(MOST_SIMS)) or not least <= int(digits) <= MOST_SIMS:
        raise PlayerError(f"simulations must be from {least} to {MOST_SIMS}, not {digits[:20]}")
    return int(digits)
