"""Statistics of strength against known numbers, and matches between players whose results are known beforehand."""

import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tengen import State, games
from tengen.play.arena import Match, draw_openings, opening_plies, play_match, save_games
from tengen.play.elo import PairCounts, Pairing, Sprt, elo, expected_score, k_update, ladder


@pytest.mark.parametrize(
    ("difference", "score"), [(0, 0.5), (100, 0.6401), (200, 0.7597), (400, 0.9091), (800, 0.9901)]
)
def test_expected_score(difference: float, score: float) -> None:
    assert expected_score(difference) == pytest.approx(score, abs=5e-5)
    assert expected_score(-difference) == pytest.approx(1 - score, abs=5e-5)
    assert elo(expected_score(difference)) == pytest.approx(difference)


def test_elo_has_no_floor_and_no_ceiling() -> None:
    assert elo(0) == -math.inf and elo(1) == math.inf
    assert elo(1e-6) == pytest.approx(-2400, abs=1)
    assert k_update(5, 1500, 0)[0] < 5 and k_update(-3000, -3000, 0)[0] == -3016


def test_running_rating() -> None:
    assert k_update(1500, 1500, 1) == (1516, 1484)
    assert k_update(1500, 1500, 0.5) == (1500, 1500)
    first, second = k_update(1700, 1500, 0)
    assert first == pytest.approx(1700 - 32 * 0.7597, abs=0.01) and first + second == pytest.approx(3200)


def test_the_interval_comes_from_the_variance_of_pairs() -> None:
    split = PairCounts((0, 0, 100, 0, 0)).summary()  # every pair one win each: the openings decide, the players do not
    even = PairCounts((25, 0, 50, 0, 25)).summary()  # what independent games would give
    assert split.score == even.score == 0.5
    assert split.high - split.low < 0.05 < even.high - even.low
    # By hand: variance (50·0.25)/99, standard error 0.035533, 1.959964 of them.
    assert even.low == pytest.approx(0.5 - 1.959964 * math.sqrt(12.5 / 99 / 100))


def test_a_perfect_score_is_bounded_on_one_side() -> None:
    perfect = PairCounts((0, 0, 0, 0, 20)).summary()
    assert (perfect.score, perfect.high, perfect.elo, perfect.elo_high) == (1, 1, math.inf, math.inf)
    assert perfect.low == pytest.approx(0.05 ** (1 / 20))
    assert 300 < perfect.elo_low < 340
    lost = PairCounts((20, 0, 0, 0, 0)).summary()
    assert lost.low == 0 and lost.high == pytest.approx(1 - perfect.low)


def test_nothing_played_says_nothing() -> None:
    nothing = PairCounts((0, 0, 0, 0, 0))
    assert (nothing.summary().low, nothing.summary().high) == (0, 1)
    assert Sprt(0, 10).test(nothing).llr == 0


def sample(rng: random.Random, pairs: int, difference: float) -> PairCounts:
    win = expected_score(difference)
    return PairCounts.of(sum(rng.random() < win for _ in range(2)) for _ in range(pairs))


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng, covered = random.Random(1), 0
    for _ in range(400):
        summary = sample(rng, 100, 60).summary()
        covered += summary.low <= expected_score(60) <= summary.high
    assert 0.91 <= covered / 400 <= 0.98


def test_sprt_bounds_and_signs() -> None:
    test = Sprt(0, 10)
    state = test.test(PairCounts((10, 20, 40, 20, 10)))
    assert -state.lower == state.upper == pytest.approx(math.log(19))
    assert state.llr < 0  # exactly even: nearer to elo0 = 0 than to elo1 = 10
    assert test.test(PairCounts((10, 20, 40, 30, 30))).llr > 0 > test.test(PairCounts((30, 30, 40, 20, 10))).llr
    assert abs(Sprt(-10, 10).test(PairCounts((10, 20, 40, 20, 10))).llr) < 1e-9
    assert test.test(PairCounts((100, 300, 600, 900, 500))).verdict == "accepted"
    assert test.test(PairCounts((500, 900, 600, 300, 100))).verdict == "rejected"
    assert state.verdict == "continue"


def test_one_pair_decides_nothing() -> None:
    for counts in [(1, 0, 0, 0, 0), (0, 0, 0, 0, 1), (0, 0, 1, 0, 0)]:
        assert Sprt(0, 50).test(PairCounts(counts)).verdict == "continue"


def test_sprt_agrees_with_its_normal_approximation_for_many_pairs() -> None:
    counts = (1000, 2100, 4000, 2150, 1080)
    n, s0, s1 = sum(counts), expected_score(0), expected_score(5)
    mean = sum(i / 4 * c for i, c in enumerate(counts)) / n
    variance = sum(c * (i / 4 - mean) ** 2 for i, c in enumerate(counts)) / n
    approximation = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert Sprt(0, 5).test(PairCounts(counts)).llr == pytest.approx(approximation, rel=0.01)


@pytest.mark.parametrize(("difference", "wrong"), [(0, "accepted"), (40, "rejected")])
def test_sprt_errs_as_seldom_as_promised(difference: float, wrong: str) -> None:
    rng, errors, undecided = random.Random(2), 0, 0
    for _ in range(100):
        counts, verdict = PairCounts((0, 0, 0, 0, 0)), "continue"
        while verdict == "continue" and counts.pairs < 5000:
            more = sample(rng, 10, difference)
            counts = PairCounts(tuple(a + b for a, b in zip(counts.counts, more.counts, strict=True)))  # type: ignore[arg-type]
            verdict = Sprt(0, 40).test(counts).verdict
        errors, undecided = errors + (verdict == wrong), undecided + (verdict == "continue")
    assert errors <= 11 and undecided == 0  # 5 expected; 11 is beyond 99 %


@pytest.mark.parametrize(("elo0", "elo1"), [(10, 0), (5, 5)])
def test_sprt_refuses_hypotheses_in_the_wrong_order(elo0: float, elo1: float) -> None:
    with pytest.raises(ValueError, match="elo0 must be below elo1"):
        Sprt(elo0, elo1)


def test_ladder_of_two_is_the_elo_formula() -> None:
    rows = ladder([Pairing("random", "a", 10, 40)], prior_draws=0)
    assert [row.name for row in rows] == ["a", "random"]
    assert rows[0].elo == pytest.approx(elo(0.75)) and rows[1].elo == 0 and rows[1].error == 0
    # The error of one proportion: 1.96·sqrt(1/(n·p·q)) in units of 400/ln 10.
    assert rows[0].error == pytest.approx(1.959964 * 400 / math.log(10) / math.sqrt(40 * 0.25 * 0.75))


def test_ladder_brackets_the_truth() -> None:
    rng = random.Random(3)
    truth = {"random": 0.0, "a": 150.0, "b": 400.0, "c": 420.0, "d": 900.0}
    names = list(truth)
    table = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            win = expected_score(truth[first] - truth[second])
            table.append(Pairing(first, second, sum(rng.random() < win for _ in range(400)), 400))
    rows = {row.name: row for row in ladder(table)}
    assert all(abs(rows[name].elo - truth[name]) < 1.5 * rows[name].error for name in names[1:])
    assert all(0 < rows[name].error < 60 for name in names[1:]) and rows["random"].elo == 0
    moved = {row.name: row.elo for row in ladder(table, anchor="b")}
    assert moved["d"] - moved["a"] == pytest.approx(rows["d"].elo - rows["a"].elo)


def test_ladder_survives_perfect_scores_and_refuses_islands() -> None:
    table = [Pairing("random", "a", 0, 100), Pairing("a", "b", 0, 100)]
    rows = {row.name: row.elo for row in ladder(table)}
    assert 600 < rows["a"] < 1200 < rows["b"] < 2400
    with pytest.raises(ValueError, match="not finite"):
        ladder(table, prior_draws=0)
    with pytest.raises(ValueError, match="no chain of games joins x, y to random"):
        ladder([*table, Pairing("x", "y", 1, 2)])
    with pytest.raises(ValueError, match="anchor"):
        ladder(table, anchor="nobody")


def test_without_an_anchor_the_mean_is_zero_and_differences_stay() -> None:
    table = [Pairing("a", "b", 7, 10), Pairing("b", "c", 6, 10), Pairing("a", "c", 9, 10)]
    free = {row.name: row for row in ladder(table, anchor=None)}
    tied = {row.name: row for row in ladder(table, anchor="b")}
    assert sum(row.elo for row in free.values()) == pytest.approx(0)
    assert all(row.elo - free["b"].elo == pytest.approx(tied[name].elo) for name, row in free.items())
    # Two equal players: each is half their difference away from the mean, and so is the error.
    half, whole = (ladder([Pairing("a", "b", 5, 10)], anchor=anchor)[-1].error for anchor in (None, "a"))
    assert half == pytest.approx(whole / 2)


class FirstLegal:
    """Plays the first legal move and writes down how it was called."""

    def __init__(self, name: str) -> None:
        self.name, self.calls = name, list[tuple[int, ...]]()
        self.begun: list[tuple[int, int]] = []

    def new_game(self, slot: int, number: int) -> None:
        self.begun.append((slot, number))

    def stop(self) -> None:
        pass

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        self.calls.append(tuple(slots))
        return [self.choose(state) for state in states]

    def choose(self, state: State) -> int:
        return state.legal_actions()[0]


class Column(FirstLegal):
    """Connect4: stacks stones in one column, and so wins against whoever does not answer there."""

    def __init__(self, name: str, column: int) -> None:
        super().__init__(name)
        self.column = column

    def choose(self, state: State) -> int:
        return self.column if state.is_legal(self.column) else state.legal_actions()[-1]


def match_of(a: FirstLegal, b: FirstLegal, pairs: int = 3, slots: int = 6, plies: int = 0) -> Match:
    game = games.make("connect4")
    return play_match(game, a, b, draw_openings(game, pairs, plies), slots=slots)


def test_wins_are_counted_by_player_not_by_seat() -> None:
    # Whoever moves first and stacks a column is first to four: each player wins once per pair.
    even = match_of(Column("a", 0), Column("b", 1))
    assert (even.wins, even.draws, even.losses, even.pairs.counts) == (3, 0, 3, (0, 0, 3, 0, 0))
    # A player that spreads its stones loses on both sides.
    good, bad = Column("good", 0), Spread("bad")
    assert match_of(good, bad).pairs.counts == (0, 0, 0, 0, 3)
    assert match_of(bad, good).pairs.counts == (3, 0, 0, 0, 0)


class Spread(FirstLegal):
    """Connect4: never two stones side by side or on top of each other, as long as columns last."""

    def choose(self, state: State) -> int:
        return next(
            a for a in (6, 4, 2, 5, 3, 1, 0) if state.is_legal(a) and (state.ply() // 2) % 3 == (6 - a) // 2 % 3
        )


class WinsOnlySecond(FirstLegal):
    """Connect4: perfect when second (it stacks; the other side spreads), hopeless when first."""

    def choose(self, state: State) -> int:
        return Column("", 0).choose(state) if state.to_move() == 1 else Spread("").choose(state)


def test_a_player_that_wins_as_second_only_scores_half() -> None:
    player, plain = WinsOnlySecond("second"), WinsOnlySecond("second too")
    result = match_of(player, plain)
    assert result.pairs.counts == (0, 0, 3, 0, 0)
    for record in result.games:
        won = record.points == 1
        assert won == (record.side == 1)


def test_games_share_batches_and_slots_are_reused() -> None:
    a, b = Column("a", 0), Column("b", 1)
    match_of(a, b, pairs=4, slots=8)
    assert sum(map(len, a.calls)) == 4 * 4 + 4 * 3  # games of seven plies: four moves as first, three as second
    assert len(a.calls) <= 5  # one call per round, whatever the number of games
    c, d = Column("c", 0), Column("d", 1)
    small = match_of(c, d, pairs=4, slots=2)
    assert len(small.games) == 8 and {slot for call in c.calls for slot in call} == {0, 1}
    assert [number for _, number in c.begun] == list(range(8))  # every game has a number of its own


def test_games_that_were_played_before_are_left_out() -> None:
    game, a, b = games.make("connect4"), Column("a", 0), Column("b", 1)
    rest = play_match(game, a, b, draw_openings(game, 3, 1), slots=2, played={0, 3, 4})
    whole = play_match(game, a, b, draw_openings(game, 3, 1), slots=2)
    assert rest.games == tuple(whole.games[number] for number in (1, 2, 5))


@pytest.mark.parametrize("id", ["tictactoe", "connect4", "othello", "gomoku:15", "hex:7", "go:9"])
def test_openings_are_legal_different_and_reproducible(id: str) -> None:
    game = games.make(id)
    count = 5 if id == "tictactoe" else 50
    openings = draw_openings(game, count, seed=4)
    assert openings == draw_openings(game, count, seed=4) != draw_openings(game, count, seed=5)
    positions = set()
    for opening in openings:
        state = game.start()
        for action in opening:
            state.apply(action)
        assert not state.is_terminal() and state.ply() == opening_plies(game)
        positions.add(state.position_text())
    assert len(positions) == count


def test_openings_repeat_only_when_there_are_no_more() -> None:
    openings = draw_openings(games.make("tictactoe"), 30, 1)
    assert len(set(openings)) == 9
    assert draw_openings(games.make("tictactoe"), 3, 0) == [(), (), ()]
    with pytest.raises(ValueError, match="over after 9 random plies"):
        draw_openings(games.make("tictactoe"), 1, 9)


def test_ctrl_c_returns_what_is_finished() -> None:
    game, a, b = games.make("connect4"), Column("a", 0), Column("b", 1)

    def interrupt(match: Match) -> bool:
        if len(match.games) >= 3:
            raise KeyboardInterrupt
        return False

    result = play_match(game, a, b, draw_openings(game, 10, 0), slots=3, finished=interrupt)
    assert len(result.games) == 3 and result.pairs.pairs == 1


def test_a_player_that_raises_ends_the_match_with_its_error() -> None:
    class Broken(FirstLegal):
        def choose(self, state: State) -> int:
            raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        match_of(Broken("a"), Column("b", 1))


def test_settled_pairs_stop_at_the_first_unfinished_one() -> None:
    whole = match_of(Column("a", 0), Column("b", 1), pairs=4, slots=8)
    without_2 = Match(whole.game, "a", "b", tuple(g for g in whole.games if g.number != 2))
    assert without_2.pairs.pairs == 3 and without_2.settled_pairs.pairs == 1
    assert whole.settled_pairs == whole.pairs


def test_saved_games_replay_to_their_results(tmp_path: Path) -> None:
    match = match_of(Column("a", 0), Spread("b"), plies=2)
    save_games(match, tmp_path / "games.txt")
    lines = (tmp_path / "games.txt").read_text().splitlines()
    assert lines[0].startswith("# connect4") and len(lines) == 7
    for line in lines[1:]:
        number, first, second, result, opening, moves = line.split("\t")
        state = match.game.from_moves(moves)
        assert state.is_terminal() and opening == "2" and {first, second} == {"a", "b"}
        to_move = {"0": state.outcome(), "1": -state.outcome()}[str(state.to_move())]
        assert float(result) == (1 + to_move) / 2
        assert (first == "a") == (int(number) % 2 == 0)
