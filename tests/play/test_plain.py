"""The plain opponent: no network, and still no nonsense."""

import pytest

from tengen import Game, State, games
from tengen.play.players import PLAYER_KINDS, player_search, search_player

SIZE = 15
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
USUAL = next(kind.usual for kind in PLAYER_KINDS if kind.name == "plain")
assert USUAL


def line_of(direction: int, seed: int) -> list[int]:
    """The cells of a line near the centre: from one end of five on, or from the middle outwards."""
    down, right = DIRECTIONS[direction]
    row, col = 7 + seed % 5 - 2, 7 + seed // 5 - 2
    steps = range(-2, 12) if seed % 2 else sorted(range(-6, 7), key=abs)
    cells = [(row + step * down, col + step * right) for step in steps]
    return [r * SIZE + c for r, c in cells if 0 <= r < SIZE and 0 <= c < SIZE]


def is_open(state: State, line: list[int]) -> bool:
    """Can five of the first player still come to stand in the line?"""
    stones, run, longest = state.stones(), 0, 0
    for cell in sorted(line):
        run = 0 if stones[cell] == 2 else run + 1
        longest = max(longest, run)
    return longest >= 5


def beginner_fails(seeds: range) -> None:
    """A beginner puts stone after stone into one line. All games at once, each until it is over or its line closed."""
    game = games.make(f"gomoku:{SIZE}")
    lines = [line_of(direction, seed) for direction in range(4) for seed in seeds]
    player = search_player(str(USUAL), game, slots=len(lines), seed=seeds.start)
    states = [game.start() for _ in lines]
    going = list(range(len(lines)))
    while going:
        for slot in going:
            states[slot].apply(next(cell for cell in lines[slot] if states[slot].is_legal(cell)))
            assert not states[slot].is_terminal(), f"five in a row: {states[slot].moves_text()}"
        for slot, action in zip(going, player.act_many([states[slot] for slot in going], going), strict=True):
            states[slot].apply(action)
        going = [slot for slot in going if not states[slot].is_terminal() and is_open(states[slot], lines[slot])]


def test_five_stones_in_one_line_do_not_win() -> None:
    beginner_fails(range(1))


@pytest.mark.slow
def test_five_stones_in_one_line_do_not_win_from_anywhere() -> None:
    beginner_fails(range(20))


@pytest.mark.parametrize("id", ["gomoku:15", "gomoku:19", "go:19", "hex:11"])
def test_the_first_moves_are_not_at_the_border(id: str) -> None:
    game = Game.parse(id)
    rows, cols = game.layout()["rows"], game.layout()["cols"]
    player, state = search_player("plain:300", game, seed=1), game.start()
    for _ in range(2):
        action = player.act_many([state], [0])[0]
        row, col = divmod(state.landing_cell(action), cols)
        assert 2 <= row < rows - 2 and 2 <= col < cols - 2, state.move_text(action)
        state.apply(action)


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ("a1 h8 a3 h9 a5 h10 a7 h11 c1", {"h7", "h12"}),  # four of its own: it wins
        ("h8 a1 h9 a3 h10 c1 h11 h12 o1", {"h7"}),  # a four: the one answer
        ("h8 a1 h9 a3 h10", {"h7", "h11", "h6", "h12"}),  # an open three
        ("h8 a1 h9 a3 h11", {"h7", "h10", "h12"}),  # a broken one
    ],
)
def test_wins_are_taken_and_threats_answered(moves: str, answers: set[str]) -> None:
    game = games.make("gomoku:15")
    state = game.from_moves(moves)
    for seed in range(3):
        assert state.move_text(search_player("plain:400", game, seed=seed).act_many([state], [0])[0]) in answers


@pytest.mark.parametrize(
    ("id", "plies"),
    [("tictactoe", 3), ("connect4", 3), ("gomoku:15", 3), ("gomoku:15,rule=renju", 1), ("go:19", 1), ("othello", 1)],
)
def test_it_looks_ahead_as_far_as_is_cheap(id: str, plies: int) -> None:
    config = player_search("plain:50", Game.parse(id)).config
    assert (config.lookahead, config.solver, config.rule, config.sims) == (plies, True, "puct", 50)


def test_priors_fall_with_the_distance_to_the_nearest_stone() -> None:
    game = games.make("gomoku:15")
    state = game.from_moves("h8")
    player = search_player("plain:1", game)
    found = {move.text: move.prior for move in player.agent.analyze(state).moves}
    assert found["h9"] > found["h10"] > found["h11"] > found["h12"] > found["h14"] > found["h15"]
    assert found["g9"] == found["i7"] and abs(sum(found.values()) - 1) < 1e-9
    crowded = game.from_moves("a1 o15 a15 o1 c3 m13 c13 m3 e5 k11 e11 k5 h8 h10 g6")
    found = {move.text: move.prior for move in search_player("plain:1", game).agent.analyze(crowded).moves}
    assert found["b1"] == found["h9"]  # with many stones there is no border any more
