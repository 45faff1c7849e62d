"""The replay window: what is drawn, how often, and that every target is the right one, seen from the right side."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from support.positions import IDS, reachable
from support.recorded import first_player_result, make_record, some_records
from tengen import Game, State
from tengen.records import GameRecord
from tengen.records.replay import LARGEST_WINDOW, Minibatch, Replay, ReplayConfig, Tape, window_size

PLAYED = ["tictactoe", "connect4", "gomoku:6,in_a_row=4", "othello:6", "go:3", "hex:4", "hex:4,swap=on"]
TICTACTOE = Game.parse("tictactoe")
X_WINS, DRAWN = "a3 b2 a2 c3 a1", "b2 a1 a2 c2 b3 b1 c1 a3 c3"
O_WINS = "c1 a3 b2 a2 c3 a1"


def plenty(**changes: Any) -> ReplayConfig:
    """As many samples as a test wants."""
    return ReplayConfig(**{"samples_per_position": 1e6} | changes)


def equal(a: Minibatch, b: Minibatch) -> bool:
    return all(np.array_equal(getattr(a, field.name), getattr(b, field.name)) for field in fields(Minibatch))


def by_hand(moves: str, **changes: Any) -> GameRecord:
    """A tic-tac-toe game whose every search was full and put two visits on the move and one on each other move."""
    state, plies = TICTACTOE.start(), []
    for action in TICTACTOE.from_moves(moves).moves():
        others = {a: (1, 1 / (len(state.legal_actions()) + 1)) for a in state.legal_actions()}
        total = len(others) + 1
        plies.append({"q": 0.5, "d": 0.25, "m": 3, "policy": others | {action: (2, 2 / total)}})
        state.apply(action)
    result = {"result": first_player_result(state)} if state.is_terminal() else {}
    return make_record(TICTACTOE, state.moves(), plies, **result | changes)


def drawn(
    records: Sequence[GameRecord], config: ReplayConfig | None = None, size: int = 400, seed: int = 3
) -> Minibatch:
    replay = Replay(Game.parse(records[0].game), config or plenty(), seed=seed)
    replay.add(records)
    return replay.batch(size)


def after(game: Game, record: GameRecord, ply: int) -> State:
    state = game.start()
    for action in record.moves[:ply].tolist():
        state.apply(action)
    return state


def test_the_window_grows_by_the_formula() -> None:
    square_root = ReplayConfig(first_window=100, exponent=0.5, scale=1)
    assert window_size(400, square_root) == 300  # (20 − 10) / (0.5 · 0.1) + 100
    linear = ReplayConfig(first_window=100, exponent=1, scale=0.5)
    assert [window_size(n, linear) for n in (0, 7, 100, 101, 300)] == [0, 7, 100, 100, 200]
    katago = ReplayConfig(first_window=250_000, exponent=0.65, scale=0.4)
    for n in (250_000, 1_000_000, 10_000_000):
        closed_form = 250_000 * (1 + 0.4 * ((n / 250_000) ** 0.65 - 1) / 0.65)
        assert abs(window_size(n, katago) - closed_form) <= 1
    assert window_size(10**12, ReplayConfig(first_window=10**6)) == LARGEST_WINDOW


def test_the_window_never_wants_back_what_it_forgot() -> None:
    for config in (ReplayConfig(first_window=50), ReplayConfig(first_window=3, exponent=1, scale=1)):
        oldest = [n - window_size(n, config) for n in range(5000)]
        assert oldest == sorted(oldest)


@pytest.mark.parametrize(
    "wrong",
    [
        {"first_window": 0},
        {"exponent": 0},
        {"exponent": 1.1},
        {"scale": 1.5},
        {"value_lambda": 2},
        {"settled_share": -1},
        {"first_window": LARGEST_WINDOW + 1},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ReplayConfig(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("moves", "result"), [(X_WINS, 1), (O_WINS, -1), (DRAWN, 0)])
def test_values_belong_to_the_side_to_move(moves: str, result: int) -> None:
    record = by_hand(moves)
    assert record.result == result
    batch = drawn([record])
    plies = len(record)
    assert set(batch.moves_left.tolist()) == set(range(1, plies + 1))
    for wdl, left, planes in zip(batch.wdl, batch.moves_left, batch.planes, strict=True):
        ply = plies - int(left)
        assert planes.sum() == ply  # as many stones on the board
        own_result = result if ply % 2 == 0 else -result
        assert wdl.tolist() == {1: [1, 0, 0], 0: [0, 1, 0], -1: [0, 0, 1]}[own_result]
    assert (batch.moves_left_weight == 1).all()


@pytest.mark.parametrize("decay", [0.0, 0.5, 0.9])
def test_values_are_lambda_returns_of_the_root_values(decay: float) -> None:
    """Written out forwards: (1 − λ)·Σ λᵏ·q of the k-th ply from here, and λⁿ of the result; five plies, won by the
    first player, every root value 0.5 with a quarter of draws for whoever moves."""
    batch = drawn([by_hand(X_WINS)], plenty(value_lambda=decay))
    for wdl, left in zip(batch.wdl, batch.moves_left.astype(int).tolist(), strict=True):
        result = 1 if left % 2 else -1  # the winner moves when an odd number is left
        seen = sum((1 - decay) * decay**k * 0.5 * (-1) ** k for k in range(left))
        value, draw = seen + decay**left * result, 0.25 * (1 - decay**left)
        assert wdl == pytest.approx([(1 - draw + value) / 2, draw, (1 - draw - value) / 2], abs=1e-6)
    assert batch.wdl.dtype == np.float32 and batch.wdl.sum(axis=1) == pytest.approx(1)


def test_returns_begin_anew_before_a_random_move() -> None:
    """The fourth of five plies is random: the third has its own root value, the second that and its own, the last one
    the result; the random one is not drawn."""
    record = by_hand(X_WINS)
    start, stop = int(record.entries[:3].sum()), int(record.entries[:4].sum())
    blank: dict[str, Any] = {
        name: np.where(np.arange(5) == 3, 0, getattr(record, name)).astype(np.float32) for name in "qdm"
    }
    entries, full = record.entries.copy(), record.full.copy()
    entries[3], full[3] = 0, False
    kept: dict[str, Any] = {
        name: np.delete(getattr(record, name), np.s_[start:stop]) for name in ("actions", "visits", "target")
    }
    strayed = replace(record, entries=entries, full=full, **blank, **kept)
    assert strayed.searched.tolist() == [True, True, True, False, True]
    batch = drawn([strayed], plenty(value_lambda=0.5))
    values = {int(left): float(win - loss) for left, (win, _, loss) in zip(batch.moves_left, batch.wdl, strict=True)}
    second = 0.5 * 0.5 + 0.5 * -0.5
    assert values == pytest.approx({5: 0.5 * 0.5 + 0.5 * -second, 4: second, 3: 0.5, 1: 0.5 * 0.5 + 0.5})


def floats(*numbers: float) -> NDArray[np.float32]:
    return np.array(numbers, np.float32)


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_settled_positions_are_drawn_less_often(share: float) -> None:
    """What a search has proven, for win or loss or draw, needs no network; the others are all there."""
    won = replace(by_hand(X_WINS), q=floats(0.5, 0.5, 1, -1, 1), d=floats(0.25, 0.25, 0, 0, 0))
    drawn_out = replace(by_hand(DRAWN), q=floats(*[0] * 9), d=floats(*[0.9] * 6, 1, 1, 1))
    replay = Replay(TICTACTOE, plenty(settled_share=share))
    numbers = [(1 << 64) - 200 + number for number in range(200)]  # as large as they may be
    replay.add([replace(record, number=number) for number in numbers for record in (won, drawn_out)])
    assert replay.positions == pytest.approx(200 * (2 + 6 + share * (3 + 3)), abs=10)


@pytest.mark.parametrize("ending", ["resigned", "cut"])
def test_moves_left_is_masked_where_the_end_was_not_played(ending: str) -> None:
    short = by_hand("a3 b2 a2", result=1, ending=ending)
    batch = drawn([short])
    assert (batch.moves_left_weight == 0).all() and np.isfinite(batch.moves_left).all()
    assert {tuple(row) for row in batch.wdl.tolist()} == {(1, 0, 0), (0, 0, 1)}
    both = drawn([short, by_hand(DRAWN)])
    assert ((both.wdl[:, 1] == 1) == (both.moves_left_weight == 1)).all()


@pytest.mark.parametrize("id", PLAYED)
def test_samples_are_the_recorded_positions_under_symmetries(id: str) -> None:
    """Each row is one of the plies that count, under one symmetry: planes, legal moves, policy and weights together."""
    game, records = Game.parse(id), some_records(id)
    plies = [(r, p) for r in records for p in range(len(r)) if r.full[p]]
    batch = drawn(records, plenty(), size=150)
    newest_first = plies[::-1]
    seen = set()
    for row in range(len(batch)):
        record, ply = newest_first[int(batch.age[row])]
        state = after(game, record, ply)
        actions, _, target = record.policy(ply)
        fitting = []
        for s in range(game.num_symmetries):
            policy = np.zeros(game.num_actions, np.float32)
            policy[[state.policy_index(a, s) for a in actions.tolist()]] = target
            legal = {state.policy_index(a, s) for a in state.legal_actions()}
            if (
                np.array_equal(batch.planes[row], state.planes(s))
                and np.array_equal(batch.policy[row], policy)
                and set(np.flatnonzero(batch.legal[row]).tolist()) == legal
            ):
                fitting.append(s)
        assert fitting
        seen |= set(fitting) if len(fitting) == 1 else set()
        assert batch.policy[row].sum() == pytest.approx(1, abs=1e-5)
        assert batch.moves_left[row] == len(record) - ply
    assert seen == set(range(game.num_symmetries))


@pytest.mark.parametrize("id", IDS)
def test_policy_order_depends_on_the_side_to_move_alone(id: str) -> None:
    """What lets targets be placed without replaying the game."""
    game = Game.parse(id)
    table = Replay(game)._policy_index[0]
    rng = random.Random(id)
    for state in reachable(game, 20, seed=8):
        for s in range(game.num_symmetries):
            for a in rng.sample(range(game.num_actions), min(40, game.num_actions)):
                assert table[state.ply() % 2, s, a] == state.policy_index(a, s)
        assert state.to_move() == state.ply() % 2


def test_every_position_of_the_window_is_equally_likely() -> None:
    records = some_records("connect4")
    config = plenty(first_window=20, exponent=1, scale=0.1)
    replay = Replay(Game.parse("connect4"), config, seed=1)
    replay.add(records)
    assert 20 < replay.window < replay.positions == sum(int(r.full.sum()) for r in records)
    ages = Counter(int(age) for _ in range(50) for age in replay.batch(400).age)
    assert set(ages) == set(range(replay.window))
    expected = 20_000 / replay.window
    # Chi-square has about `window` degrees of freedom; six standard deviations of it.
    assert sum((n - expected) ** 2 / expected for n in ages.values()) < replay.window + 6 * (2 * replay.window) ** 0.5


def test_samples_per_position_are_bounded() -> None:
    record = by_hand(X_WINS)
    replay = Replay(TICTACTOE, ReplayConfig(samples_per_position=4))
    assert (replay.positions, replay.window, replay.budget) == (0, 0, 0)
    with pytest.raises(ValueError, match="only 0 may"):
        replay.batch(1)
    replay.add([record])
    assert (replay.positions, replay.window, replay.budget) == (5, 5, 20)
    with pytest.raises(ValueError, match="only 20 may"):
        replay.batch(21)
    assert len(replay.batch(15)) == 15 and replay.budget == 5
    replay.add([record, record])
    assert (replay.positions, replay.budget, replay.drawn) == (15, 45, 15)


def test_deeper_searches_are_drawn_more_often() -> None:
    replay = Replay(TICTACTOE, ReplayConfig(samples_per_position=4), deeper_after=5)
    depths, budgets = [], []
    for _ in range(5):
        replay.add([by_hand(X_WINS)])
        depths.append(replay.depth)
        budgets.append(replay.budget)
    assert depths == [1, 2**0.5, 2**0.5, 2, 2]
    assert budgets == [20, 40, int(40 + 20 * 2**0.5), int(40 + 40 * 2**0.5), int(80 + 40 * 2**0.5)]
    for positions in range(1, 100):  # each position adds the draws of its depth
        before, now = (Replay(TICTACTOE, replay.config, deeper_after=5) for _ in range(2))
        before._positions.end, now._positions.end = positions - 1, positions
        assert now.budget - before.budget == pytest.approx(4 * before.depth, abs=1)


def test_games_of_another_kind_and_games_without_samples_add_nothing() -> None:
    replay = Replay(TICTACTOE)
    with pytest.raises(ValueError, match="connect4 where tictactoe"):
        replay.add(some_records("connect4"))
    replay.add([make_record(TICTACTOE, TICTACTOE.from_moves(X_WINS).moves(), [], result=1)])
    assert replay.positions == 0 and replay.budget == 0


def test_batches_are_a_function_of_games_seed_and_samples_drawn() -> None:
    game, records = Game.parse("connect4"), some_records("connect4")
    config = plenty(first_window=10, exponent=0.5)
    one, other = Replay(game, config, seed=4, threads=1), Replay(game, config, seed=4, threads=3)
    one.add(records)
    for record in records:
        other.add([record])
    batches = [one.batch(300) for _ in range(3)]
    assert all(equal(batch, other.batch(300)) for batch in batches)
    assert not equal(batches[0], batches[1])
    resumed = Replay(game, config, seed=4, drawn=600)
    resumed.add(records)
    assert equal(resumed.batch(300), batches[2])
    different = Replay(game, config, seed=5)
    different.add(records)
    assert not equal(different.batch(300), batches[0])


def test_memory_is_bounded_by_the_window() -> None:
    records = some_records("connect4")
    replay = Replay(Game.parse("connect4"), plenty(first_window=40, scale=0))
    sizes = []
    for _ in range(600):
        replay.add(records)
        sizes.append(replay.nbytes)
    assert replay.positions > 25_000 and replay.window == 40
    assert max(sizes[10:]) == max(sizes[:10]) < 100_000
    fresh = Replay(replay.family, replay.config)
    fresh.add(records)
    assert equal(fresh.batch(64), replay.batch(64))  # the last 40 positions are the same


def test_a_tape_is_a_list_that_forgets() -> None:
    tape, model, rng = Tape(number=np.int64), [], random.Random(9)
    for _ in range(2000):
        new = [rng.randrange(1000) for _ in range(rng.randrange(8))]
        tape.extend(number=new)
        model += new
        tape.forget(len(model) - rng.randrange(150))
        assert tape.end == len(model) and tape["number"].tolist() == model[tape.first :]
    assert tape.nbytes <= 8 * 64 * 8
