"""Games of OpenSpiel behind the search: what is played is what OpenSpiel plays, sides alternate, and every one of them
can be searched, played and learned."""

import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from support.recorded import play_record
from tengen import Agent, Game, GameError, games
from tengen._core import SearchConfig, SelfPlay, SelfPlayConfig
from tengen.app.positions import describe_position
from tengen.app.requests import Position
from tengen.games import openspiel, sources
from tengen.games.laws import check_laws
from tengen.games.openspiel_game import MOVES_AGAIN, SHOWS_ALL, OpenSpielGame
from tengen.net.evaluator import Hash
from tengen.net.shape import NetworkShape
from tengen.records.replay import Replay, ReplayConfig
from tengen.train.learner import Learner, LearnerConfig

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import openspiel_table

pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra openspiel)")

NAMES = openspiel.names()
FEW = ["breakthrough(columns=6,rows=6)", "dots_and_boxes", "oware", "twixt"]
# In `make test` four, in `make soak` all of them.
SOME = [pytest.param(text, id=text) for text in FEW]
EVERY = SOME + [pytest.param(name, id=name, marks=pytest.mark.soak) for name in NAMES]
# Games whose actions begin with the cell of the planes that they are about.
BY_CELL = [
    *["amazons", "antichess", "breakthrough", "checkers", "chess", "clobber", "go", "gomoku", "havannah", "hex"],
    *["lines_of_action", "othello", "tic_tac_toe", "twixt", "xiangqi", "y"],
]


def rules_of(text: str) -> OpenSpielGame:
    rules = openspiel.parse(f"openspiel:{text}")
    assert isinstance(rules, OpenSpielGame)
    return rules


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Torch's threads wait for each other by spinning: on a busy machine tiny steps take seconds."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def registered() -> Iterator[Any]:
    """Registers games for one test: they would be in every list of games."""
    made: list[Game] = []

    def register(text: str) -> Game:
        made.append(sources.load(f"openspiel:{text}"))
        return made[-1]

    yield register
    for game in made:
        games.unregister(game)


# Names.


def test_every_game_that_qualifies_is_there() -> None:
    assert len(NAMES) == 31 and {"chess", "shogi", "amazons", "y"} < set(NAMES) and set(NAMES) > MOVES_AGAIN | SHOWS_ALL
    for name in NAMES:
        rules = rules_of(name)
        assert rules.name == f"openspiel:{name}" and rules.title == pyspiel.load_game(name).get_type().long_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("breakthrough(rows=6, columns=6)", "breakthrough(columns=6,rows=6)"),
        ("breakthrough( columns=8 ,rows=6)", "breakthrough(rows=6)"),
        ("breakthrough(columns=8,rows=8)", "breakthrough"),
        ("breakthrough()", "breakthrough"),
        ("hex(board_size=5,swap=on)", "hex(board_size=5,swap=True)"),
        ("hex(swap=false)", "hex"),
        ("go(board_size=9,komi=6.50)", None),
        ("go(komi=-0)", "go(komi=0.0)"),
        ("go(board_size=5,max_game_length=50,komi=7.5)", "go(board_size=5)"),  # 50 plies are usual on such a board
        ("quoridor(wall_count=0)", "quoridor(wall_count=0)"),  # OpenSpiel's list says that 0 is usual, but it is 10
        ("quoridor(wall_count=10)", "quoridor"),
        ("mnk(m=3,n=3,k=3)", "mnk(k=3,m=3,n=3)"),
    ],
)
def test_a_game_has_one_name(text: str, name: str | None) -> None:
    if name is None:
        with pytest.raises(GameError, match=r"a multiple of 0\.5"):
            rules_of(text)
        return
    assert rules_of(text).name == f"openspiel:{name}"
    assert rules_of(name).name == f"openspiel:{name}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("backgammon", "it has chance"),
        ("leduc_poker", "it has chance"),
        ("dark_hex", "it hides something"),
        ("goofspiel", "at the same time"),
        ("solitaire", "it has chance"),
        ("efg_game", "is not what the other loses"),
        ("hexx", "unknown; did you mean hex?"),
        ("what", "unknown; there are amazons, antichess"),
        ("chess(chess960=True)", "no parameter 'chess960'; there are none"),
        ("chinese_checkers(players=3)", "no parameter 'players'; there are max_moves"),
        ("hex(size=5)", "no parameter 'size'"),
        ("hex(board=5)", "did you mean board_size?"),
        ("hex(board_size=1000000000)", "board_size is a whole number from 2 to 26, not '1000000000'"),
        ("hex(board_size=" + "9" * 300 + ")", "a whole number from 2 to 26"),
        ("hex(board_size=5.0)", "a whole number"),
        ("hex(board_size=-5)", "a whole number"),
        ("hex(board_size=٥)", "a whole number"),
        ("hex(board_size=)", "a whole number"),
        ("hex(board_size)", "written key=value"),
        ("hex(board_size=5,board_size=5)", "each once"),
        ("hex(board_size=5,)", "written key=value"),
        ("hex(swap=maybe)", "True or False"),
        ("amazons(board_size=7)", "one of (6, 8, 10)"),
        ("go(komi=nan)", "a multiple of 0.5"),
        ("go(komi=401)", "a multiple of 0.5"),
        ("go(handicap=2)", "no parameter 'handicap'"),  # OpenSpiel fails on boards without a star point
        ("gomoku(dims=20)", "a whole number from 1 to 3"),
        ("nim(pile_sizes=1;3)", "no parameter"),
        ("antichess(fen=8)", "no parameter"),
        ("hex(board_size=5", "an OpenSpiel game is openspiel:NAME"),
        ("hex(hex(board_size=5))", "an OpenSpiel game is openspiel:NAME"),
        ("turn_based_simultaneous_game(game=hex())", "an OpenSpiel game is openspiel:NAME"),
        ("../hex", "an OpenSpiel game is openspiel:NAME"),
        ("", "an OpenSpiel game is openspiel:NAME"),
        ("hex\n", "an OpenSpiel game is openspiel:NAME"),
        ("lines_of_action(max_game_length=5000)", "from 2 to 1000"),
        ("gomoku(dims=3,size=26)(x=1)", "an OpenSpiel game is openspiel:NAME"),
    ],
)
def test_a_bad_name_is_one_clear_line(text: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(GameError) as raised:
        rules_of(text)
    assert said in str(raised.value) and "\n" not in str(raised.value)
    assert capfd.readouterr().err == ""  # nothing reached OpenSpiel, which writes there itself


def test_without_openspiel_one_line_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "from tengen.games import openspiel, openspiel_game, openspiel_planes\n"
        "openspiel.parse('openspiel:hex')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines()[-1].endswith("OpenSpiel is not installed: pip install 'tengen[openspiel]'")


# The rules, beside OpenSpiel's own.


def random_plies(rules: OpenSpielGame, seed: int, most: int = 10_000) -> Iterator[tuple[Any, Any, int]]:
    """A random game: our state, OpenSpiel's, and the player to move as OpenSpiel counts; the end included."""
    rng = random.Random(f"{rules.name} {seed}")
    theirs = pyspiel.load_game(rules.name.removeprefix("openspiel:")).new_initial_state()
    state, player = rules.start(), theirs.current_player()
    for _ in range(most):
        yield state, theirs, player
        if rules.outcome(state) is not None:
            return
        action = rng.choice(rules.legal(state))
        state = rules.copy(state)
        rules.apply(state, action)
        if theirs.current_player() == player:
            theirs.apply_action(action)
        player = 1 - player


def compare(rules: OpenSpielGame, seed: int, most: int = 10_000) -> None:
    """Sides alternate; who would wait in OpenSpiel passes; all else is as there."""
    passing = rules.name.removeprefix("openspiel:").split("(")[0] in MOVES_AGAIN
    waits = [rules.actions - 1] if passing else None
    for state, theirs, player in random_plies(rules, seed, most):
        outcome = rules.outcome(state)
        planes = rules.planes(state)
        assert planes.shape == (len(rules.inputs), rules.rows, rules.cols) and planes.dtype == np.float32
        assert np.isfinite(planes).all() and np.abs(planes).max() <= 20
        if theirs.is_terminal():
            gain = theirs.returns()[player] - theirs.returns()[1 - player]
            assert outcome == np.sign(gain), theirs
            return
        if outcome is not None:  # a draw, where OpenSpiel would go on for very long
            assert outcome == 0 and theirs.move_number() == 1000
            return
        mover = theirs.current_player()
        assert list(rules.legal(state)) == (theirs.legal_actions() if mover == player else waits), theirs
        texts = [rules.move_text(state, action) for action in rules.legal(state)]
        assert len(set(texts)) == len(texts)
        assert all(text and text.isprintable() and not set(text) & set(" ,") for text in texts), texts
        assert "\x1b" not in rules.text(state)


@pytest.mark.parametrize("text", EVERY)
def test_random_games_are_those_of_openspiel(text: str) -> None:
    rules = rules_of(text)
    for seed in range(2):
        compare(rules, seed)


def random_parameters(name: str, rng: random.Random) -> str:
    """Of any value that is not refused, extremes among them."""
    parts = []
    for key, usual in sorted(openspiel._known(name).items()):
        limits = openspiel.LIMITS.get(f"{name}.{key}", openspiel.USUAL)
        if isinstance(usual, bool):
            parts.append(f"{key}={rng.random() < 0.5}")
        elif isinstance(usual, float):
            parts.append(f"{key}={rng.randint(-40, 40) / 2}")
        else:
            parts.append(f"{key}={rng.choice([limits[0], limits[-1], *rng.choices(limits, k=2), *limits[:4]])}")
    return f"{name}({','.join(rng.sample(parts, rng.randint(0, len(parts))))})"


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in NAMES if openspiel._known(name)])
def test_parameters_that_are_taken_can_be_played(name: str) -> None:
    """One process, as it would be: OpenSpiel keeps things from one game to the next."""
    rng = random.Random(name)
    for seed in range(12):
        try:
            rules = rules_of(random_parameters(name, rng))
        except GameError as error:
            assert "without a move" in str(error) or "too large" in str(error)
            continue
        assert rules_of(rules.name.removeprefix("openspiel:")).name == rules.name
        compare(rules, seed, 60)


@pytest.mark.parametrize("text", EVERY)
def test_copies_share_nothing(text: str) -> None:
    rules = rules_of(text)
    for state, _, _ in random_plies(rules, 3, 30):
        if rules.outcome(state) is not None:
            return
        before = rules.planes(state), list(rules.legal(state)), rules.text(state)
        for action in rules.legal(state)[:3]:
            rules.apply(rules.copy(state), action)
        assert (rules.planes(state) == before[0]).all() and (list(rules.legal(state)), rules.text(state)) == before[1:]


def test_just_these_games_let_a_side_move_again() -> None:
    again, rng = set(), random.Random(1)
    for name in NAMES:
        game = pyspiel.load_game(name)
        for _ in range(6):
            state, mover = game.new_initial_state(), -1
            while not state.is_terminal() and state.move_number() < 200:
                if state.current_player() == mover:
                    again.add(name)
                mover = state.current_player()
                state.apply_action(rng.choice(state.legal_actions()))
    assert again == MOVES_AGAIN


def test_white_begins_in_chess_though_it_is_openspiels_second_player() -> None:
    rules = rules_of("chess")
    state = rules.start()
    for text in ["f3", "e5", "g4", "Qh4#"]:
        assert rules.outcome(state) is None
        moves = {rules.move_text(state, action): action for action in rules.legal(state)}
        rules.apply(state, moves[text])
    assert rules.outcome(state) == -1  # Black has mated: White is to move and has lost


@pytest.mark.parametrize(("text", "most"), [("shogi", 1000), ("oware", 1000), ("mancala", 2000)])
def test_a_game_without_end_is_a_draw(text: str, most: int) -> None:
    rules = rules_of(text)
    assert rules.most_plies == most and rules.remembers
    rules._longest = 10
    *_, (state, theirs, _) = random_plies(rules, 1)
    assert theirs.move_number() == 10 and not theirs.is_terminal() and rules.outcome(state) == 0


def test_a_forced_pass_is_seen() -> None:
    """The dots of one box: who takes it moves again, and the other passes."""
    rules = rules_of("dots_and_boxes(num_cols=1,num_rows=2)")
    state = rules.start()
    moves = {rules.move_text(state, action): action for action in rules.legal(state)}
    for text in ["P1(h.0.0)", "P1(h.1.0)", "P1(v.0.0)", "P1(v.0.1)"]:  # whose line it is does not matter
        assert rules.planes(state)[-2:].max() == 0
        rules.apply(state, moves[text])
    assert list(rules.legal(state)) == [rules.actions - 1] and rules.move_text(state, rules.actions - 1) == "pass"
    assert rules.inputs[-2:] == ["must pass", "moves again"] and rules.planes(state)[-2:, 0, 0].tolist() == [1, 0.25]
    rules.apply(state, rules.actions - 1)
    assert rules.planes(state)[-2:, 0, 0].tolist() == [0, 0.25] and len(rules.legal(state)) == 3


# What the network sees.


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """They take turns as often as Python can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def seen(rules: OpenSpielGame, state: Any, player: int) -> Any:
    planes = np.zeros(rules._eyes.shape, np.float32)
    rules._eyes.see(state.state if rules._again else state, player, planes)
    return planes


@pytest.mark.parametrize("text", BY_CELL)
def test_a_move_changes_the_cell_that_its_number_begins_with(text: str) -> None:
    """There the network looks for it."""
    rules = rules_of(text)
    kinds = rules.actions // (rules.rows * rules.cols)
    assert kinds >= 1
    found: list[bool] = []
    for state, _, player in random_plies(rules, 5, 30):
        if rules.outcome(state) is not None:
            break
        before = seen(rules, state, player)
        for action in rules.legal(state):
            row, col = divmod(action // kinds, rules.cols)
            if row < rules.rows:  # a pass, or castling, is behind the cells
                after = rules.copy(state)
                rules.apply(after, action)
                changed = before != seen(rules, after, player)
                found.append(any(plane[row, col] and plane.mean() < 0.5 for plane in changed))  # not a counter
    # TwixT shows a peg that has a link at the other end of the link.
    assert len(found) > 5 and sum(found) >= (0.8 if text == "twixt" else 1) * len(found)


def test_the_walls_of_quoridor_are_seen() -> None:
    rules = rules_of("quoridor(board_size=5)")
    state = rules.start()
    moves = {rules.move_text(state, action): action for action in rules.legal(state)}
    for text in ["b1v", "c2h"]:
        rules.apply(state, moves[text])
    walls = np.argwhere(rules.planes(state)[2]).tolist()
    assert walls == [[0, 3], [1, 3], [2, 3], [3, 4], [3, 5], [3, 6]]


@pytest.mark.parametrize("text", EVERY)
def test_threads_see_what_they_ask_for(text: str, hasty_threads: None) -> None:
    """Planes are written by OpenSpiel into a buffer: each thread has its own."""
    rules = rules_of(text)
    states = [state for state, _, _ in random_plies(rules, 7, 40)]
    wanted = [rules.planes(state) for state in states]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(rules.planes, states * 10))
    assert all((planes == wanted[i % len(states)]).all() for i, planes in enumerate(found))


def test_the_table_in_the_guide_is_that_of_the_command() -> None:
    """Its times differ from run to run, the rest does not."""
    rows = [
        line.strip("| ").split(" | ") for line in openspiel_table.PAGE.read_text().splitlines() if " µs" not in line
    ]
    written = {row[0]: row[:4] for row in rows if len(row) == 7}
    assert written == {name: openspiel_table.facts(rules_of(name)) for name in NAMES}


# Behind the search.


@pytest.mark.parametrize("text", EVERY)
def test_all_laws_hold(text: str) -> None:
    checked = check_laws(rules_of(text), 1.0)
    assert checked.broken is None


@pytest.mark.parametrize("text", EVERY)
def test_it_is_searched_played_and_learned(text: str, registered: Any) -> None:
    game = registered(text)
    assert games.make(game.id) == game and game.layout()["kind"] == "text"
    for rule in ("puct", "gumbel", "ucb1"):
        agent = Agent(game, Hash(game), SearchConfig(sims=40, rule=rule, solver=rule == "puct"))
        assert agent.act(game.start()) in game.start().legal_actions()
        assert agent.search.node(0).visits >= 40 or agent.search.node(0).lo == agent.search.node(0).hi
    self_play(game)
    learn(game)


@pytest.mark.parametrize("text", EVERY)
def test_the_app_shows_its_positions(text: str, registered: Any) -> None:
    """And reads back the moves that it shows."""
    game = registered(text)
    state, moves, rng = game.start(), [], random.Random(text)
    for _ in range(5):  # the shortest game of Tic Tac Toe
        move = rng.choice(state.legal_actions())
        moves.append(state.move_text(move))
        state.apply(move)
    shown = describe_position(Position.model_validate({"game": game.id, "moves": moves}))
    assert shown["moves"] == moves and shown["board_text"] == state.text() and shown["board_text"].strip()
    assert [move["action"] for move in shown["legal"]] == state.legal_actions()


def self_play(game: Game) -> None:
    search = SearchConfig(sims=4, temperature_plies=10_000)
    source, evaluate = SelfPlay(game, 1, search, SelfPlayConfig(), seed=5, threads=1), Hash(game)
    while not (records := source.take_records()):
        source.backup(*evaluate(source.select()))
    state = game.start()
    moves: Any = records[0]["moves"]
    for action in moves.tolist():
        assert not state.is_terminal() and state.is_legal(action)
        state.apply(action)
    assert state.is_terminal()


def learn(game: Game) -> None:
    replay = Replay(game, ReplayConfig(samples_per_position=1e6), seed=1)
    replay.add([play_record(game, 0, sims=2)])
    batch = replay.batch(16)
    metrics = Learner(NetworkShape.of(game, "8x1"), LearnerConfig(warmup=0), seed=3).learn(batch)
    assert np.isfinite(list(metrics.values())).all() and metrics["loss"] > 0


@pytest.mark.parametrize(
    ("text", "id"), [("connect_four", "connect4"), ("othello", "othello"), ("hex(board_size=5)", "hex:5")]
)
def test_openspiels_games_agree_with_the_built_in_ones(text: str, id: str, registered: Any) -> None:
    """Move for move: both give the same numbers to columns, to cells row by row, and to the pass."""
    theirs, ours = registered(text), games.make(id)
    assert theirs.num_actions == ours.num_actions
    for seed in range(20):
        rng = random.Random(seed)
        state, again = ours.start(), theirs.start()
        while not state.is_terminal():
            assert not again.is_terminal() and again.to_move() == state.to_move()
            assert again.legal_actions() == state.legal_actions()
            action = rng.choice(state.legal_actions())
            state.apply(action)
            again.apply(action)
        assert again.is_terminal() and again.outcome() == state.outcome()
