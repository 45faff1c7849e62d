"""Clocks: what is left after a move, when a move comes too late, and how long a move may take."""

import random

import pytest

from tengen.play.clock import MOST_SECONDS, ClockError, TimeControl


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("300", TimeControl(300)),
        ("60+0.5", TimeControl(60, 0.5)),
        ("0+1", TimeControl(0, 1)),
        ("300,5x30", TimeControl(300, period=30, periods=5)),
        ("0,1x10", TimeControl(0, period=10, periods=1)),
        ("600,300/25", TimeControl(600, period=300, moves=25, periods=1)),
    ],
)
def test_controls_are_read(text: str, control: TimeControl) -> None:
    assert TimeControl.parse(text) == control


@pytest.mark.parametrize(
    "text", ["", "0", "0+0", "-1", "1+", "nan", "inf", "1e3", "1,2", "1,0x", "1,30/0", "9" * 30, "1+1+1", "５", "1 + 1"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ClockError):
        TimeControl.parse(text)


@pytest.mark.parametrize("main", [-1.0, float("nan"), float("inf"), MOST_SECONDS * 2])
def test_impossible_times_are_refused(main: float) -> None:
    with pytest.raises(ClockError):
        TimeControl(main)


def test_sudden_death() -> None:
    clock = TimeControl(10).clock()
    assert clock.spend(9.5) and clock.left == pytest.approx(0.5)
    assert not clock.spend(0.6)


def test_fischer_adds_after_the_move() -> None:
    clock = TimeControl(1, 0.5).clock()
    assert not clock.spend(1.2)  # the increment comes too late for this move
    clock = TimeControl(1, 0.5).clock()
    assert clock.spend(0.8) and clock.left == pytest.approx(0.7)


def test_a_byo_yomi_period_is_kept_by_a_move_within_it() -> None:
    clock = TimeControl(5, period=10, periods=3).clock()
    assert clock.spend(4) and (clock.moves, clock.left) == (0, 1)
    assert clock.spend(6) and (clock.periods, clock.left) == (3, 10)  # one second of main time, five of a period
    for _ in range(5):
        assert clock.spend(9.9) and (clock.periods, clock.left) == (3, 10)
    assert clock.spend(12) and clock.periods == 2  # one is gone
    assert clock.spend(19) and clock.periods == 1
    assert not clock.spend(10.1)


def test_several_periods_may_go_in_one_move() -> None:
    clock = TimeControl(0, period=10, periods=3).clock()
    assert clock.spend(29) and (clock.periods, clock.left) == (1, 10)
    assert not TimeControl(0, period=10, periods=3).clock().spend(31)


def test_canadian_needs_all_its_moves_in_the_period() -> None:
    clock = TimeControl(0, period=30, moves=3, periods=1).clock()
    assert [clock.spend(9), clock.left, clock.moves] == [True, 21, 2]
    assert clock.spend(9) and clock.moves == 1
    assert clock.spend(11) and (clock.left, clock.moves) == (30, 3)  # a new one
    assert not clock.spend(31)


def test_a_referee_knows_better() -> None:
    clock = TimeControl(100, period=30, moves=5, periods=1).clock()
    clock.set(20, 4)
    assert (clock.left, clock.moves) == (20, 4)
    assert clock.budget(100).most <= 20


CONTROLS = ["1+0.05", "60", "5,3x2", "0,1x1", "10,20/5", "0+0.1", "300,5x30"]


@pytest.mark.parametrize("text", CONTROLS)
def test_whoever_keeps_to_its_budgets_never_loses_on_time(text: str) -> None:
    """Every move takes all that is allowed, and a little more, as a busy machine does."""
    draw = random.Random(1)
    clock = TimeControl.parse(text).clock()
    for ply in range(0, 400, 2):
        budget = clock.budget(max(1, 400 - ply))
        assert 0 < budget.aim <= budget.most, (ply, budget)
        assert clock.spend(draw.uniform(budget.aim, budget.most) + draw.uniform(0, 0.002)), (text, ply, budget)


def test_time_is_used_and_not_hoarded() -> None:
    for text, least in (("60", 1.0), ("0,1x10", 9.0), ("60+2", 2.5), ("0,300/25", 10)):
        assert TimeControl.parse(text).clock().budget(60).aim >= least, text


def test_main_time_before_overtime_is_spent_more_freely() -> None:
    assert TimeControl.parse("30,5x30").clock().budget(60).aim > TimeControl.parse("30").clock().budget(60).aim


def test_a_budget_never_exceeds_the_clock() -> None:
    for left in (0.0, 0.001, 0.01, 0.1, 1.0, 10.0):
        clock = TimeControl(left, 0.01).clock()
        assert clock.budget(10).most <= max(clock.left, 0.002)
