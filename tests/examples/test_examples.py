"""The examples keep all laws, play by the rules that they claim, and are found from the command line."""

import random
import sys
from collections.abc import Iterator
from typing import Any

import chess
import pytest

from support.examples import EXAMPLES, NAMES, example
from tengen import games
from tengen.games import Rules, register, unregister
from tengen.games.laws import check_laws
from tengen.play.arena import draw_openings, play_match
from tengen.play.players import make_player

SECONDS = 2.0
CHESS_PERFT = [  # https://www.chessprogramming.org/Perft_Results: positions 1 to 6
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [20, 400, 8902]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", [48, 2039]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1486]),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", [46, 2079]),
]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_keeps_all_laws(name: str) -> None:
    checked = check_laws(example(name), SECONDS)
    assert checked.broken is None, str(checked.broken)
    assert not checked.strange


@pytest.mark.parametrize("name", NAMES)
def test_an_example_says_what_to_run(name: str) -> None:
    source = (EXAMPLES / f"{name}.py").read_text()
    assert f"tengen check examples/{name}.py" in source and f"tengen train examples/{name}.py" in source


def test_a_complete_game_fits_in_sixty_lines() -> None:
    code = (EXAMPLES / "breakthrough.py").read_text().split('"""', 2)[2]
    assert sum(bool(line.strip()) for line in code.splitlines()) < 60


def perft(rules: Rules, state: Any, depth: int) -> int:
    if rules.outcome(state) is not None:
        return 0
    legal = rules.legal(state)
    return len(legal) if depth == 1 else sum(perft(rules, rules.apply(state, action), depth - 1) for action in legal)


@pytest.mark.parametrize(("fen", "counts"), CHESS_PERFT)
def test_chess_has_the_published_number_of_moves(fen: str, counts: list[int]) -> None:
    rules = example("chess_game")
    for depth, count in enumerate(counts, start=1):
        assert perft(rules, (chess.Board(fen), ()), depth) == count


@pytest.mark.parametrize("fen", [fen for fen, _ in CHESS_PERFT])
def test_every_chess_move_has_an_action_of_its_own(fen: str) -> None:
    rules = example("chess_game")
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        moves = {rules.move_text((board, ()), action) for action in rules.legal((board, ()))}
        assert moves == {board.san(move) for move in board.legal_moves}


def test_chess_is_the_same_for_both_sides() -> None:
    """Actions and planes are the mover's: a position and its mirror image look alike."""
    rules = example("chess_game")
    for fen, _ in CHESS_PERFT:
        board = chess.Board(fen)
        state, mirrored = (board, ()), (board.mirror(), ())
        assert list(rules.legal(state)) == list(rules.legal(mirrored))
        assert (rules.planes(state) == rules.planes(mirrored)).all()


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", -1),  # the fool's mate
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0),  # stalemate
        ("7k/8/6K1/8/8/8/8/5N2 w - - 0 1", 0),  # too few pieces
        ("7k/8/6K1/8/8/8/8/5R2 w - - 100 80", 0),  # 50 moves
        ("7k/8/6K1/8/8/8/8/5R2 w - - 0 201", 0),  # 400 plies
        ("7k/8/6K1/8/8/8/8/5R2 w - - 99 80", None),
    ],
)
def test_chess_ends(fen: str, outcome: int | None) -> None:
    assert example("chess_game").outcome((chess.Board(fen), ())) == outcome


def test_chess_is_drawn_the_third_time() -> None:
    rules = example("chess_game")
    state, seen = rules.start(), []
    for move in ("Nf3", "Nf6", "Ng1", "Ng8") * 2:
        seen.append((rules.outcome(state), rules.planes(state)[-2:, 0, 0].tolist()))
        state = rules.apply(state, next(a for a in rules.legal(state) if rules.move_text(state, a) == move))
    assert {outcome for outcome, _ in seen} == {None} and rules.outcome(state) == 0
    assert [flags for _, flags in seen[:1] + seen[4:5]] == [[0, 0], [1, 0]]
    assert rules.planes(state)[-2:, 0, 0].tolist() == [0, 1]


def test_both_forms_of_connect4_are_the_built_in_game() -> None:
    built_in = games.make("connect4")
    for rules in (example("connect4"), example("connect4_compiled")):
        for seed in range(50):
            rng, state, other = random.Random(seed), rules.start(), built_in.start()
            while not other.is_terminal():
                assert rules.outcome(state) is None
                assert list(rules.legal(state)) == other.legal_actions()
                action = rng.choice(other.legal_actions())
                rules.apply(state, action)
                other.apply(action)
            assert rules.outcome(state) == other.outcome()


@pytest.fixture
def compiled_connect4() -> Iterator[games.Game]:
    game = register(example("connect4_compiled"))
    yield game
    unregister(game)


@pytest.mark.slow  # Numba takes seconds
def test_compiled_and_interpreted_rules_are_the_same_game(compiled_connect4: games.Game) -> None:
    assert register(example("connect4")) == compiled_connect4


def test_breakthrough_agrees_with_openspiel() -> None:
    """Their first player begins above."""
    turned = str.maketrans("123456", "654321")
    pyspiel = pytest.importorskip("pyspiel")
    rules, theirs = example("breakthrough"), pyspiel.load_game("breakthrough(rows=6,columns=6)")
    for seed in range(50):
        rng, state, other = random.Random(seed), rules.start(), theirs.new_initial_state()
        while not other.is_terminal():
            assert rules.outcome(state) is None
            theirs_by_text = {other.action_to_string(action): action for action in other.legal_actions()}
            texts = {text.rstrip("*").translate(turned): action for text, action in theirs_by_text.items()}
            moves = {rules.move_text(state, action): action for action in rules.legal(state)}
            assert moves.keys() == texts.keys()
            text = rng.choice(sorted(moves))
            state = rules.apply(state, moves[text])
            other.apply_action(texts[text])
        assert rules.outcome(state) == -1 == other.returns()[len(other.history()) % 2]


def test_ultimate_tictactoe_agrees_with_openspiel() -> None:
    """Theirs chooses the small board by a move of its own where any may be chosen."""
    pyspiel = pytest.importorskip("pyspiel")
    rules, theirs = example("ultimate_tictactoe"), pyspiel.load_game("ultimate_tic_tac_toe")
    module = sys.modules[type(rules).__module__]
    for seed in range(30):
        rng, state, other = random.Random(seed), rules.start(), theirs.new_initial_state()
        while not other.is_terminal():
            assert rules.outcome(state) is None
            legal = list(rules.legal(state))
            free = state.wanted is None
            wanted = {module.BOARD[action] for action in legal}
            if free:
                assert wanted == set(other.legal_actions())
            action = rng.choice(legal)
            if free:
                other.apply_action(module.BOARD[action])
            places = {module.PLACE[a] for a in legal if module.BOARD[a] == module.BOARD[action]}
            assert places == set(other.legal_actions())
            other.apply_action(module.PLACE[action])
            state = rules.copy(state)
            rules.apply(state, action)
        first = other.returns()[0]
        assert rules.outcome(state) == (first if state.ply % 2 == 0 else -first)


def test_the_network_of_the_example_plays_it_well() -> None:
    """A changed example would not find its network: the fingerprint differs then."""
    game = register(example("breakthrough"))
    network = make_player(f"net:{EXAMPLES / 'breakthrough.onnx'}@30", game, slots=6)
    opponent = make_player("mcts:50", game, slots=6)
    openings = draw_openings(game, 3, plies=2, seed=1)
    assert play_match(game, network, opponent, openings, slots=6).wins >= 5
    unregister(game)
