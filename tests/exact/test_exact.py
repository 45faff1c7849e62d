"""What is known of games without asking for their names: oracles, and the facts of their own tables."""

import pytest

from tengen import games
from tengen.exact import solver
from tengen.exact.oracle import ILLEGAL, KNOWN, SOLVED, Oracle, oracle, required_oracle
from tengen.games import GameError
from tengen.play.arena import opening_plies
from tengen.play.players import player_search
from tengen.play.scorecard import own_positions


def test_only_solved_games_have_an_oracle() -> None:
    assert {name for name in games.names() if oracle(games.make(name))} == set(SOLVED) == {"connect4"}
    assert oracle(games.make("connect4")) is solver
    with pytest.raises(GameError, match="go:9 has no exact solver; solved so far: connect4"):
        required_oracle(games.make("go:9"))
    with pytest.raises(GameError, match="hex:5 has no exact solver"):
        own_positions(games.make("hex:5"))


@pytest.mark.parametrize("known", KNOWN, ids=SOLVED)
def test_an_oracle_keeps_its_word(known: Oracle) -> None:
    game = games.make(known.GAME)
    for positions in own_positions(game):
        assert len(positions) and abs(positions.scores[positions.legal]).max() <= known.BEST_SCORE
        assert positions.scores.shape[1] == game.num_actions
    assert [part.name for part in own_positions(game)] == list(known.CLASSES)
    for move in known.TELLING_MOVES:
        assert game.from_moves(move).ply() == 1
    late = own_positions(game, known.CLASSES[:1])[0]  # solved in no time, book or not
    rows = known.solve_many(late.states[:20])
    assert rows.tolist() == late.scores[:20].tolist()
    for state, row in zip(late.states[:20], rows, strict=True):
        assert not known.takes_minutes(state) and known.solve(state).score == row.max()
        assert [action for action, score in enumerate(row) if score != ILLEGAL] == state.legal_actions()
        assert 0 < known.plies_left(state.ply(), int(row.max())) <= game.max_plies - state.ply()


# As matches were played and perft was counted before games said so themselves.
@pytest.mark.parametrize(
    ("id", "c_ucb", "plies", "finished_counts"),
    [
        ("tictactoe", None, 1, False),
        ("connect4", 1.0, 3, False),
        ("gomoku:6,in_a_row=4", None, 4, False),
        ("othello:6", 1.0, 4, True),
        ("othello", 1.0, 4, True),
        ("go:5", None, 1, False),
        ("go:9", None, 4, False),
        ("hex:5", None, 1, False),
        ("hex:11", None, 4, False),
    ],
)
def test_a_game_says_what_differs_from_the_usual(
    id: str, c_ucb: float | None, plies: int, finished_counts: bool
) -> None:
    game = games.make(id)
    assert game.facts.c_ucb == c_ucb and game.facts.finished_counts == finished_counts
    assert player_search("mcts:10", game).config.c_init == (1.4 if c_ucb is None else c_ucb)
    assert opening_plies(game) == plies


def test_sides_with_goals_of_their_own() -> None:
    goals = {name: games.make(name).facts.goals for name in games.names()}
    assert {name: each for name, each in goals.items() if each} == {"hex": ("top_bottom", "left_right")}


def test_numbers_in_sgf() -> None:
    facts = {name: games.make(name).facts for name in games.names()}
    known = {name: (each.sgf_number, each.sgf_size) for name, each in facts.items() if each.sgf_number is not None}
    assert known == {"go": (1, 19), "othello": (2, None), "gomoku": (4, None), "hex": (11, None)}
