"""Tengen's C++ core: rules of the games, exact solvers, random streams."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import numpy
from numpy.typing import NDArray


def report_leaks() -> None:
    """
    Lists at exit, on standard error, the objects of this module that are still held.
    """

def build_info() -> dict[str, Any]:
    """
    How this module was compiled: compiler, optimized, instructions it relies on.
    """

def matrix_tiles() -> str:
    """
    The processor's matrix tiles (AMX): none, usable, or hidden, which is there but not described.
    """

def made_by_intel() -> bool:
    """Whether the processor is Intel's."""

class GameError(ValueError):
    """
    Wrong text, id, action or option; the message is one line that says what would be right.
    """

def registry() -> list[dict[str, Any]]:
    """One dict per game: name, title, sizes, default_size, options."""

class State:
    """A position of a game, and the moves that led to it."""

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty when the game is over."""

    def is_legal(self, action: int) -> bool:
        """Whether `action` may be played now."""

    def apply(self, action: int) -> None:
        """
        Plays an action. Raises GameError, and changes nothing, when it is illegal.
        """

    def copy(self) -> State:
        """An independent copy."""

    def __copy__(self) -> State: ...

    def is_terminal(self) -> bool:
        """Whether the game is over."""

    def outcome(self) -> int:
        """
        The result for the side to move: 1 win, 0 draw, -1 loss. Raises GameError while the game goes on.
        """

    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    def ply(self) -> int:
        """Plies played since the start of the game."""

    def planes(self, symmetry: int = 0) -> NDArray[numpy.float32]:
        """
        What the network sees: float32 [planes, rows, cols], from the side to move.
        """

    def hash(self, symmetry: int = 0) -> int:
        """Equal for two positions exactly when their planes are equal."""

    def board_hash(self) -> int:
        """Names the stones alone, as repetition rules see them."""

    def policy_index(self, action: int, symmetry: int = 0) -> int:
        """
        Where an action stands in the network's policy when it is shown planes(symmetry).
        """

    def render(self) -> str:
        """The board as text; the last move, or the winning line, in brackets."""

    def text(self) -> str | None:
        """
        The position in the words of its rules; None in games that are built in.
        """

    def glyphs(self) -> list[str] | None:
        """
        A glyph for each cell, empty where there is none; None in games of stones.
        """

    def move_cells(self, action: int) -> tuple[int, int]:
        """The cells that a move goes from and to; -1 for none."""

    def stones(self) -> list[int]:
        """
        The board as a list of rows * cols: 0 empty, 1 first player's, 2 second player's.
        """

    def highlights(self) -> dict[str, Any]:
        """
        Cells to mark in a picture: {'last': cell or None, 'line': the winning line's cells}.
        """

    def score(self) -> tuple[float, float] | None:
        """
        What each side has by the rules' count if the game ends here: (first, second), komi included. None in games that are not decided by a count.
        """

    def owners(self) -> list[int] | None:
        """
        For whom each cell counts in score(): 0 nobody, 1 first player, 2 second player; None as there.
        """

    def settled(self) -> bool | None:
        """
        Is every cell, as owners() has it, out of reach of the other side (law 15 of cpp/tengen/game.h)? Then the score as it stands is what the position is worth. None in games that do not say.
        """

    def captures(self) -> tuple[int, int] | None:
        """
        Stones that each side has captured since the start, or since the position was set up: (first, second). None in games without captures.
        """

    def landing_cell(self, action: int) -> int | None:
        """The cell where a legal action puts its stone; None for a pass."""

    def move_text(self, action: int) -> str:
        """An action as text, such as 'd4'."""

    def parse_move(self, text: str) -> int:
        """The legal action that a text names. Raises GameError."""

    def position_text(self) -> str:
        """The position as one line; Game.position reads it back."""

    def moves(self) -> list[int]:
        """The actions played since the start, or since the position was set up."""

    def start_text(self) -> str:
        """
        The position text this game was set up from; empty when it began at the start.
        """

    def moves_text(self) -> str:
        """The moves as text ('-' for none); Game.from_moves reads it back."""

    def perft(self, depth: int, passes: str = 'ply', finished_counts: bool = False) -> int:
        """How many move sequences of exactly `depth` plies there are."""

    def prove(self, positions: int) -> int | None:
        """
        What the position is worth to the side to move (-1, 0 or 1) if looking at so many positions proves it, else None; None in games where earlier positions matter (Go).
        """

    def play_outs(self, games: int, seed: int = 0) -> tuple[int, int, int, int]:
        """
        Plays random games from here: (plies, first player's wins, draws, second player's wins).
        """

    def sample(self, rng: Rng) -> int | None:
        """
        A uniformly random legal action, found without listing all. An ability, as the five below: None in games that do not offer it (laws 9 to 14 of cpp/tengen/game.h).
        """

    def legal_only_shrinks(self) -> bool | None:
        """
        Does every legal action stay legal until it is played, and is none added?
        """

    def wins_at_once(self) -> bool | None:
        """Can the side to move win with its next move?"""

    def safe(self) -> list[int] | None:
        """
        The legal actions after which the opponent cannot win at once. To be asked where no move wins at once.
        """

    def promising(self) -> list[int] | None:
        """The safe actions, those first that a proof should try first."""

    def forcing(self) -> list[int] | None:
        """The safe actions that leave the opponent at most one safe answer."""

    @property
    def game(self) -> Game:
        """The game this position belongs to."""

    def __repr__(self) -> str: ...

class GameFacts:
    """
    What is known of a game beside its rules; None where it has nothing to say.
    """

    @property
    def c_ucb(self) -> float | None:
        """UCB1's constant for pure MCTS."""

    @property
    def opening_plies(self) -> int | None:
        """Random plies that start the games of a match."""

    @property
    def finished_counts(self) -> bool:
        """
        Whether published perft tables count a finished position at any remaining depth.
        """

    @property
    def sgf_number(self) -> int | None:
        """GM in its SGF files, if other programs know it."""

    @property
    def sgf_size(self) -> int | None:
        """The board of SGF files that name none."""

    @property
    def sgf_rules(self) -> str | None:
        """RU in its SGF files."""

    @property
    def goals(self) -> tuple[str, str] | None:
        """
        What each side is to do, where that differs: names of phrases (first, second).
        """

class Game:
    """A game with its size and options. Made by tengen.games.make."""

    @staticmethod
    def parse(id: str) -> Game:
        """The game an id names. Raises GameError."""

    @property
    def id(self) -> str:
        """The canonical id, defaults left out."""

    @property
    def name(self) -> str:
        """The game's name in the registry."""

    @property
    def facts(self) -> GameFacts:
        """
        What is known of it beside its rules, so that nobody has to ask for it by name.
        """

    @property
    def num_actions(self) -> int:
        """Length of the policy."""

    @property
    def num_symmetries(self) -> int:
        """Board symmetries, the identity included."""

    @property
    def max_plies(self) -> int:
        """No game is longer."""

    @property
    def remembers(self) -> bool:
        """
        Do earlier positions matter that the planes do not show? Then a table of positions proves nothing.
        """

    @property
    def counted_after(self) -> int | None:
        """
        The ply at which self-play scores a game as it stands; None where only the rules end games.
        """

    def varied(self, seed: int, number: int) -> Game:
        """
        This game with the options that the network sees drawn at random, as self-play draws them for the game of this number; the same game where it has no such options.
        """

    @property
    def planes_shape(self) -> tuple[int, int, int]:
        """(planes, rows, cols) of what the network sees."""

    @property
    def schema(self) -> str:
        """The meaning of the planes, in order."""

    @property
    def state_bytes(self) -> int:
        """Size of one position in memory."""

    @property
    def kept_bytes(self) -> int:
        """
        What a search keeps of a position beside its node: of games whose rules live elsewhere.
        """

    def start(self) -> State:
        """The starting position."""

    def position(self, text: str) -> State:
        """A position from its text. Raises GameError."""

    def from_moves(self, moves: str) -> State:
        """The position after a list of moves as text. Raises GameError."""

    def transform(self, symmetry: int, action: int) -> int:
        """Where a symmetry of the board takes an action."""

    def inverse(self, symmetry: int) -> int:
        """The symmetry that undoes one."""

    def layout(self) -> dict[str, Any]:
        """
        What a picture needs: kind (cells, gravity, lines, hexes, discs; text: no board), rows, cols, cell names.
        """

    def replay(self, moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], game_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], game: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ply: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], symmetry: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[NDArray[numpy.float32], NDArray[numpy.uint8]]:
        """
        Replays prefixes of many games at once: (planes [n, planes, rows, cols], legal moves [n, actions] in policy order).
        """

    @property
    def counted(self) -> bool:
        """
        Is the result a count of points? Then there is a lead, and every cell may have an owner.
        """

    def count(self, moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], game_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], game: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ply: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], symmetry: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[NDArray[numpy.float32], NDArray[numpy.int8]]:
        """
        How the whole games of some samples ended, for the side to move of each: (lead [n] in points, owners [n, cells] 1 own, -1 the opponent's, 0 nobody's). The samples are those of `replay`.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

def foreign_game(rules: object, name: str, title: str, schema: str, actions: int, most_plies: int, planes: int, rows: int, cols: int, kind: int, symmetries: Sequence[tuple[Sequence[int], Sequence[int]]], turned: Sequence[int], table: int) -> Game:
    """
    A game behind the same search as built-in ones. For tengen.games.register.
    """

def enter_game(game: Game, schema: str) -> None:
    """Makes a game known by its name. Raises GameError."""

def leave_game(game: Game) -> None:
    """Frees the name of a game that was entered."""

class ConfigError(ValueError):
    """
    An unknown option or a value out of range; the message is one line that says what would be right.
    """

class SearchConfig:
    """
    Every parameter of the search. Immutable; SearchConfig(sims=100, fpu_mode='zero').
    """

    def __init__(self, **options: int | float | bool | str) -> None: ...

    def replace(self, **changes: int | float | bool | str) -> SearchConfig:
        """A copy with some options changed."""

    def to_dict(self) -> dict[str, int | float | bool | str]:
        """All options by name."""

    @staticmethod
    def fields() -> list[dict[str, object]]:
        """The table: name, kind, low, high, choices, default, about."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    @property
    def sims(self) -> int:
        """
        Simulations per move; visits inherited from the last search count. 0: the network alone.
        """

    @property
    def seconds(self) -> float:
        """Time per move; 0: no limit but the simulations."""

    @property
    def leaves(self) -> int:
        """
        Leaves a tree gathers before the network is asked: 1 in self-play, 8 for a single game.
        """

    @property
    def rule(self) -> str:
        """
        How moves are selected: puct; gumbel, with sequential halving at the root and puct below it; ucb1, for pure MCTS.
        """

    @property
    def c_init(self) -> float:
        """Exploration constant at the first visit; of ucb1, at every visit."""

    @property
    def c_base(self) -> float:
        """Visits after which exploration has grown noticeably."""

    @property
    def c_factor(self) -> float:
        """How much exploration grows with visits; 0: a fixed constant."""

    @property
    def prior_temperature(self) -> float:
        """
        Temperature of the network's policy as the tree's priors; above 1 it counts for less.
        """

    @property
    def fpu_mode(self) -> str:
        """First-play urgency: what an unvisited move is assumed to be worth."""

    @property
    def fpu_reduction(self) -> float:
        """How far below its parent an unvisited move is assumed to be."""

    @property
    def mlh_mode(self) -> str:
        """
        How moves-left enters selection: q scales with the value, lc0 only in decided positions.
        """

    @property
    def mlh_slope(self) -> float:
        """Preference for short wins and long losses, per ply; 0: off."""

    @property
    def mlh_cap(self) -> float:
        """Largest effect of moves-left on a score."""

    @property
    def lead_slope(self) -> float:
        """
        Preference for winning by more and losing by less, per point of the expected lead, in games that are counted; 0: off.
        """

    @property
    def discount(self) -> float:
        """Value kept per ply; below 1 near results count for more."""

    @property
    def solver(self) -> bool:
        """Prove wins, draws and losses in the tree and use the proofs."""

    @property
    def lookahead(self) -> int:
        """
        Plies that the solver looks ahead of a new position for the end of the game, before the network is asked.
        """

    @property
    def threats(self) -> int:
        """
        Positions that the solver may look at, before the network is asked, to find a forced win by threats that leave one answer each; 0: off. Only in games that offer it.
        """

    @property
    def prove_nodes(self) -> int:
        """
        Positions that the solver may look at to prove a new position by exhaustive search: where that is enough, its value counts instead of the network's; not where earlier positions matter (Go).
        """

    @property
    def noise_epsilon(self) -> float:
        """
        Share of Dirichlet noise in the root's priors: 0.25 in self-play, 0 in play.
        """

    @property
    def noise_alpha(self) -> float:
        """
        Concentration of the noise; 0: 10.83 divided by the number of legal moves.
        """

    @property
    def virtual_mode(self) -> str:
        """What a descent in flight counts as: visits, or lost visits."""

    @property
    def virtual_weight(self) -> float:
        """Losses a descent in flight counts as, in mode loss."""

    @property
    def temperature(self) -> float:
        """Temperature of the played move before ply temperature_plies."""

    @property
    def temperature_plies(self) -> int:
        """Plies from the start of the game that use temperature."""

    @property
    def temperature_end(self) -> float:
        """Temperature from then on; 0: the best move."""

    @property
    def tree_reuse(self) -> bool:
        """Keep the played move's subtree for the next search."""

    @property
    def max_nodes(self) -> int:
        """
        Most nodes of one tree, which is then searched on without growing; 0: what 1 GB holds, shared by all trees of a batch.
        """

    @property
    def cache_mb(self) -> int:
        """Memory for remembered network answers; 0: off."""

class SelfPlayConfig:
    """Every parameter of self-play beside the search's own. Immutable."""

    def __init__(self, **options: int | float | bool | str) -> None: ...

    def replace(self, **changes: int | float | bool | str) -> SelfPlayConfig:
        """A copy with some options changed."""

    def to_dict(self) -> dict[str, int | float | bool | str]:
        """All options by name."""

    @staticmethod
    def fields() -> list[dict[str, object]]:
        """The table: name, kind, low, high, choices, default, about."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    @property
    def full_share(self) -> float:
        """
        Share of moves searched in full and recorded; the rest are played fast.
        """

    @property
    def fast_sims(self) -> int:
        """Simulations of a fast search."""

    @property
    def opening_share(self) -> float:
        """Share of games that begin with random moves."""

    @property
    def opening_plies(self) -> int:
        """Most random moves such a game begins with; at least one."""

    @property
    def opening_lookahead(self) -> int:
        """
        Openings after which so many plies decide the game are drawn again; 0: none are.
        """

    @property
    def stray_share(self) -> float:
        """
        Share of later moves that are random instead of searched; values are learned up to them.
        """

    @property
    def label_nodes(self) -> int:
        """
        Positions that proving each position of a finished game, from its end backwards, may take; 0: nothing is proven.
        """

    @property
    def resign_below(self) -> float:
        """
        Resign when the root's value is below this; -1: never. One game in ten is played out all the same, to count wrong resignations.
        """

    @property
    def vary(self) -> bool:
        """
        Draw the options that the network sees anew for every game. A run sets this itself: on where what it trains leaves such options open.
        """

class Rng:
    """A counter-based random stream, named by (seed, game, ply, purpose)."""

    def __init__(self, seed: int, game: int, ply: int, purpose: str) -> None: ...

    def next(self) -> int:
        """64 random bits."""

    def below(self, n: int) -> int:
        """Uniform in 0 … n − 1."""

    def uniform(self) -> float:
        """Uniform in [0, 1)."""

    def gumbel(self) -> float:
        """A standard Gumbel number."""

    def dirichlet(self, alpha: float, n: int) -> list[float]:
        """A symmetric Dirichlet sample of length n."""

def mix64(x: int) -> int:
    """SplitMix64's finaliser."""

def exp(x: float) -> float:
    """e^x, the same on every machine."""

def log(x: float) -> float:
    """
    The natural logarithm, the same on every machine; -inf of 0, NaN of a negative number.
    """

def pow(x: float, y: float) -> float:
    """x^y, the same on every machine; NaN for a negative x."""

class Probe:
    """
    What a search asks the rules of a position: by looking ahead, or by proof.
    """

    def __init__(self, game: Game, lookahead: int = 0, positions: int = 0, threats: int = 0) -> None: ...

    def limit(self, lookahead: int, positions: int, threats: int = 0) -> None:
        """
        What a question may cost: search.lookahead, search.prove_nodes and search.threats; 0: it is not asked.
        """

    def win(self, state: State) -> int | None:
        """
        A move that wins, where one does at once or begins a chain of threats; else None.
        """

    def __call__(self, state: State, expected: float | None = None) -> tuple[int, int, int | None]:
        """
        (lo, hi, plies to the end or None) for the side to move. It looks ahead and follows threats while nothing is expected, else it tries a proof, of a win first where the expected value is above 0. What proofs found before helps, and plies where they fail are given up.
        """

class EdgeView:
    """
    A move at a node: its prior, its score's terms, and its child's numbers (the child's own view).
    """

    @property
    def action(self) -> int: ...

    @property
    def prior(self) -> float:
        """The network's probability."""

    @property
    def noise(self) -> float:
        """Root noise, apart from the prior; 0 where there is none."""

    @property
    def value(self) -> float:
        """
        Value for the parent as selection sees it (first-play urgency when unvisited).
        """

    @property
    def u(self) -> float:
        """Exploration term."""

    @property
    def moves_left(self) -> float:
        """Moves-left utility."""

    @property
    def lead(self) -> float:
        """Utility of the lead."""

    @property
    def score(self) -> float:
        """What selection compares."""

    @property
    def visits(self) -> int: ...

    @property
    def q(self) -> float: ...

    @property
    def d(self) -> float: ...

    @property
    def m(self) -> float: ...

    @property
    def s(self) -> float: ...

    @property
    def p(self) -> float:
        """Mean lead in points, in a game that is counted."""

    @property
    def lo(self) -> int: ...

    @property
    def hi(self) -> int: ...

    @property
    def dist(self) -> int | None:
        """Plies to the end; None unless solved with distance."""

    @property
    def in_flight(self) -> int: ...

class NodeView:
    """A node of the tree, copied out; values for the side to move there."""

    @property
    def visits(self) -> int: ...

    @property
    def q(self) -> float: ...

    @property
    def d(self) -> float: ...

    @property
    def m(self) -> float: ...

    @property
    def s(self) -> float: ...

    @property
    def p(self) -> float:
        """Mean lead in points, in a game that is counted."""

    @property
    def v(self) -> float: ...

    @property
    def seen(self) -> float: ...

    @property
    def lo(self) -> int: ...

    @property
    def hi(self) -> int: ...

    @property
    def dist(self) -> int | None:
        """Plies to the end; None unless solved with distance."""

    @property
    def in_flight(self) -> int: ...

    @property
    def terminal(self) -> bool: ...

    @property
    def expanded(self) -> bool: ...

    @property
    def edges(self) -> list[EdgeView]: ...

class Leaves:
    """
    Positions that need an evaluation; the next select overwrites them. False when there are none.
    """

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    @property
    def planes(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), writable=False)]:
        """float32 [leaves, planes, rows, cols], lent without copying."""

    @property
    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]:
        """uint64 [leaves]: the hash of what each row of planes shows."""

class LeafSource:
    """
    What asks for evaluations: select, evaluate, backup, until nothing is selected.
    """

    def select(self) -> Leaves:
        """
        Gathers leaves of all trees; an empty batch means that every tree is finished, or was stopped.
        """

    def backup(self, policy: NDArray[numpy.float32], wdl: NDArray[numpy.float32], moves_left: NDArray[numpy.float32], lead: NDArray[numpy.float32] | None = None) -> None:
        """
        Gives the leaves of the last select their evaluations: logits [L, actions], win-draw-loss [L, 3], plies [L], and where somebody counts the lead in points [L].
        """

    def step(self, policy: NDArray[numpy.float32], wdl: NDArray[numpy.float32], moves_left: NDArray[numpy.float32], lead: NDArray[numpy.float32] | None = None) -> Leaves:
        """backup and select at once, which takes less time."""

    def cancel(self) -> None:
        """Forgets the leaves that were selected last; the trees stay usable."""

    def stop(self) -> None:
        """
        Ends the search under way, from any thread, once its roots are evaluated; a later select goes on.
        """

    def set_network(self, hash: int) -> None:
        """
        Names the network that answers from now on: answers of others are forgotten.
        """

    def counts(self) -> dict[str, int]:
        """Rows evaluated, leaves that shared a row, batches."""

class BatchSearch(LeafSource):
    """
    Many trees searched together, the network asked once per step for all of them.
    """

    def __init__(self, game: Game, trees: int, config: SearchConfig, seed: int = 0, threads: int = 0) -> None: ...

    @property
    def trees(self) -> int: ...

    def config(self, tree: int) -> SearchConfig: ...

    def configure(self, tree: int, config: SearchConfig) -> None:
        """Changes a tree's options; its statistics stay."""

    def reset(self, tree: int, state: State, game_number: int = 0) -> None:
        """Starts a tree afresh at a position."""

    def advance(self, tree: int, action: int) -> None:
        """Plays a move; its subtree is kept (tree_reuse)."""

    def activate(self, trees: Sequence[int]) -> None:
        """Only these trees are searched from now on; at first all are."""

    def run_rollouts(self, nearby: bool) -> None:
        """
        Runs the whole search natively with random playouts for evaluations; nearby: priors prefer moves near stones.
        """

    def finished(self, tree: int) -> bool: ...

    def visits(self, tree: int) -> int:
        """Simulations so far, inherited ones included."""

    def best(self, tree: int) -> int:
        """The move to play."""

    def choose(self, tree: int) -> int:
        """The move to play, sampled with the options' temperature."""

    def target(self, tree: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The training target over all actions."""

    def worth(self, tree: int) -> tuple[float, float, float]:
        """
        Value, draw share and plies to the end, as a record has them: what was proven, or what the target would get.
        """

    def node(self, tree: int, path: Sequence[int] = []) -> NodeView:
        """The node reached from the root by a list of actions."""

    def nodes(self, tree: int) -> int:
        """Nodes in a tree."""

    def bytes(self, tree: int) -> int:
        """Memory in use by a tree."""

class SelfPlay(LeafSource):
    """
    Games that play themselves side by side; finished ones are replaced at once.
    """

    def __init__(self, game: Game, slots: int, search: SearchConfig, config: SelfPlayConfig, seed: int = 0, threads: int = 0, first_game: int = 0) -> None: ...

    @staticmethod
    def opening(game: Game, config: SelfPlayConfig, seed: int, number: int) -> list[int]:
        """The random moves that a game begins with: its number gives them."""

    @staticmethod
    def random_plies(game: Game, config: SelfPlayConfig, seed: int, number: int, moves: Sequence[int]) -> list[int | None]:
        """
        Of the moves of a game, those that its number has at random: the action; None where it was searched.
        """

    @staticmethod
    def exact_values(game: Game, config: SelfPlayConfig, moves: Sequence[int], first: int = 0) -> NDArray[numpy.int8]:
        """
        What each position of a game is worth to its side to move, proven from the last one backwards to ply `first` with label_nodes positions each; 2 where that was not enough.
        """

    def take_records(self) -> list[dict[str, object]]:
        """
        Games finished since the last call, as dicts of arrays: game, id, result, ending, hopeless, moves, search (0 random, 1 fast, 2 full), release, q, d, m, exact, children, action, visits, target.
        """

    def under_way(self, most: int) -> list[dict[str, object]]:
        """
        The games of the first slots as they stand, as take_records gives finished ones; between two steps only.
        """

    def drain(self, on: bool) -> None:
        """
        While on, each slot ends the search under way, plays its move, and then rests.
        """

    def play_counts(self) -> dict[str, int]:
        """Games, moves, positions to learn from and simulations so far."""

    def set_release(self, number: int) -> None:
        """
        Moves chosen from now on carry this number, which must not be lower than the one before; between two steps only.
        """

    def oldest_release(self) -> int:
        """The lowest number in a game that is under way or was not taken yet."""

class Connect4Solver:
    """Exact Connect4 results. Used through tengen.exact.solver."""

    def __init__(self, book: str | None = None) -> None:
        """
        book: path of the 12-ply opening book. Raises GameError when it is damaged.
        """

    FULL_COLUMN: Final[int] = ...
    """Stands for the score of a full column."""

    def scores(self, positions: Sequence[str], weak: bool = False, threads: int = 0) -> NDArray[numpy.int8]:
        """The score of each position text: int8 [n]."""

    def columns(self, positions: Sequence[str], weak: bool = False, threads: int = 0) -> NDArray[numpy.int8]:
        """
        The score after each column, of each position text: int8 [n, 7], FULL_COLUMN where no stone fits.
        """
