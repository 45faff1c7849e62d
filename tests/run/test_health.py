"""The verdict on a run, from made-up histories: each is a healthy one with one thing changed."""

import math
import re
from typing import Any

import pytest

from tengen.run.elocurve import elo_curve, gain
from tengen.run.events import Ended, Event, Measured, Released, Started, TurnTaken
from tengen.run.health import EARLY, EARLY_DAYS, LEARNING, MEASUREMENTS, PHRASES, STALLED, Health, assess
from tengen.run.journal import History


def healthy_turn(turn: int, turns: int) -> dict[str, Any]:
    left = 1 - turn / turns
    return {
        "loss": 1.5 + left,
        "policy_loss": 1 + left,
        "entropy": 0.5 + left,
        "explained_variance": 0.5 - 0.4 * left,
        "games": 20,
        "draws": 0.2,
        "first_player_score": 0.55,
        "batch_fill": 0.9,
        "replay_age": 5000,
        "positions": 20_000,
        "playing_seconds": 7,
        "learning_seconds": 3,
    }


def history(turns: int = 40, strength: list[float] | None = None, kl: float = 0.01, **changed: Any) -> list[Event]:
    """A run of so many turns, each with a release; the measurements at its end."""
    events: list[Event] = [Started(0, 0.0, game="connect4", size="8x1", planned_minutes=1.0, planned_steps=0)]
    for turn in range(turns):
        values = healthy_turn(turn, turns) | {name: value for name, value in changed.items()}
        events.append(TurnTaken(turn, turn / 10, **values))
        events.append(Released(turn, turn / 10, network="n", kl=kl if turn else 0.0))
    return events + [Measured(turns, turns / 10, network="n", elo=elo, elo_error=30.0) for elo in strength or []]


def measured(*elos: float, error: float = 60.0, **values: Any) -> list[Event]:
    """Measurements from step 0 on, a hundred steps apart."""
    points = [{"network": "n", "elo": elo, "elo_error": error} | values for elo in elos]
    return [Measured.read(100 * i, float(i), point) for i, point in enumerate(points)]


def failing(health: Health) -> set[str]:
    return {check.phrase for check in health.checks if not check.ok}


def test_a_healthy_run_is_learning() -> None:
    health = assess(history())
    assert (health.verdict, failing(health), health.notes()) == (LEARNING, set(), [])
    assert re.fullmatch(r"Learning: policy loss 1\.\d\d → 1\.\d\d, \d+ % of results explained\.", health.sentence())


@pytest.mark.parametrize("turns", [0, 1, EARLY - 1])
def test_a_young_run_is_not_judged(turns: int) -> None:
    health = assess(history(turns))
    assert health.verdict == EARLY_DAYS and str(turns) in health.sentence()
    assert assess(history(EARLY)).verdict == LEARNING


STALLS: dict[str, dict[str, Any]] = {
    "loss_high": {"policy_loss": 1.5},
    "entropy_low": {"entropy": 0.001},
    "explained_variance_low": {"explained_variance": 0.0},
    "kl_low": {"kl": 1e-7},
    "kl_high": {"kl": 3.0},
}


@pytest.mark.parametrize("phrase", STALLS)
def test_a_sign_of_a_stall_is_named(phrase: str) -> None:
    health = assess(history(**STALLS[phrase]))
    assert (health.verdict, health.phrase, failing(health)) == (STALLED, phrase, {phrase})
    assert health.sentence().startswith("Stalled because ") and health.notes() == []


NOTES: dict[str, dict[str, Any]] = {
    "draws_high": {"draws": 0.99, "explained_variance": 0.0},  # nothing to explain, and not blamed for it
    "first_player_low": {"first_player_score": 0.01},
    "first_player_high": {"first_player_score": 0.99},
    "batch_fill_low": {"batch_fill": 0.1},
    "playing_share_low": {"learning_seconds": 70},
    "playing_share_high": {"learning_seconds": 0.1},
    "replay_age_high": {"replay_age": 9900, "turns": 300},
}


@pytest.mark.parametrize("phrase", NOTES)
def test_what_only_slows_a_run_down_is_a_note(phrase: str) -> None:
    health = assess(history(**NOTES[phrase]))
    assert (health.verdict, failing(health)) == (LEARNING, {phrase})
    assert len(health.notes()) == 1


def test_a_young_window_may_hold_everything() -> None:
    assert failing(assess(history(40, replay_age=9900))) == set()


def test_a_loss_that_is_no_number_is_seen_at_once() -> None:
    for lost in (math.nan, math.inf):
        events = [*history(3), TurnTaken(4, 0.4, loss=lost)]
        assert assess(events).phrase == "diverged"
    assert assess([*history(3), TurnTaken.read(4, 0.4, {"loss": None})]).phrase == "diverged"  # as a database has it
    assert assess([*history(3), TurnTaken(4, 0.4)]).verdict == EARLY_DAYS


def test_games_that_never_end_are_seen() -> None:
    events = [TurnTaken(0, float(turn), games=0) for turn in range(EARLY)]
    assert assess(events).phrase == "no_games"
    assert assess(events[:-1]).verdict == EARLY_DAYS


def test_strength_has_the_last_word() -> None:
    rising = [100.0 * i for i in range(MEASUREMENTS + 2)]
    flat = [500.0] + [480.0, 490.0] * MEASUREMENTS
    assert assess(history(strength=rising)).phrase == "stronger"
    assert assess(history(strength=rising, policy_loss=1.5)).verdict == LEARNING
    assert (assess(history(strength=flat)).verdict, assess(history(strength=flat)).phrase) == (
        STALLED,
        "no_stronger",
    )
    assert assess(history() + measured(*rising, error=900.0)).phrase == "getting_stronger"  # but by how much?
    assert assess(history(strength=flat, kl=1e-7)).phrase == "kl_low"  # a reason, when there is one
    assert assess(history(strength=flat[:MEASUREMENTS])).phrase == "losses_fall"  # too few to say


def test_one_measure_that_rises_is_enough_and_perfection_is_no_stall() -> None:
    def told(**values: list[float]) -> list[Event]:
        rows = zip(*values.values(), strict=True)
        points = [{"network": "n", **dict(zip(values, row, strict=True))} for row in rows]
        return history() + [Measured.read(9, 9.0, each) for each in points]

    flat, count = [700.0] * 8, range(8)
    assert assess(told(elo=flat, keeping_100=[0.9 + i / 100 for i in count])).verdict == LEARNING
    assert assess(told(elo=flat, keeping_100=[0.99] * 8)).verdict == STALLED
    assert assess(told(elo=flat, keeping_100=[1.0] * 8)).verdict == LEARNING
    assert assess(told(elo=flat, elo_error=[float(i) for i in count])).verdict == STALLED


def test_a_gain_beyond_its_error_is_learning_after_any_number_of_turns() -> None:
    health = assess(history(2) + measured(100, 350))
    assert (health.verdict, health.phrase) == (LEARNING, "stronger")
    assert health.sentence() == "Learning: 250 ± 85 Elo stronger than at step 0."
    assert health.sentence("zh") == "正在进步：比第 0 步时强 250 ± 85 Elo。"
    # Within the error nothing is claimed, and the numbers say why; one measurement is no gain.
    unsure = assess(history(2) + measured(100, 180))
    assert (unsure.verdict, unsure.phrase) == (EARLY_DAYS, "no_gain")
    assert assess(history(2) + measured(900)).phrase == "few_turns"


def test_a_gain_without_a_search_counts_and_random_play_is_told() -> None:
    alone = [
        {"elo_alone": elo, "elo_alone_error": 40.0, "games_alone": 20, "alone_random": s}
        for elo, s in ((0, 0.5), (400, 1))
    ]
    events: list[Event] = [
        Measured.read(100 * i, i / 2, {"network": "n", "elo": 500, "elo_error": 200} | a) for i, a in enumerate(alone)
    ]
    health = assess(history(1) + events)
    assert (health.verdict, health.phrase) == (LEARNING, "stronger_alone")
    assert health.notes() == ["without a search it scores 20:0 against random play"]
    assert assess(history(1) + events[:1]).notes() == ["without a search it scores 10:10 against random play"]


@pytest.mark.parametrize("turns", [0, 1, 3, EARLY + 5])
@pytest.mark.parametrize("elos", [(), (100,), (100, 120), (100, 400), (100, 90, 110, 90, 100, 90, 80, 95)], ids=str)
def test_a_finished_run_is_always_judged(turns: int, elos: tuple[float, ...]) -> None:
    events = [*history(turns), *measured(*elos), Ended(turns, 3.0, finished=True)]
    assert assess(events).verdict == (LEARNING if elos[-1:] == (400,) or (len(elos) < 2 < turns) else STALLED)
    assert assess([*events[:-1], Ended(1, 3.0, finished=False)]).verdict == assess(events[:-1]).verdict
    assert (assess([*events, *history(0)]).verdict == EARLY_DAYS) == (assess(events[:-1]).verdict == EARLY_DAYS)


def test_a_finished_run_that_learned_and_then_stood_still_has_learned() -> None:
    events = history() + measured(0, 500, *[480.0, 490.0] * MEASUREMENTS)
    assert assess(events).phrase == "no_stronger"
    health = assess([*events, Ended(1, 9.0, finished=True)])
    assert health.phrase == "stronger" and "4 measurements" in health.notes()[0]


def test_noise_is_smoothed_and_a_loss_is_not() -> None:
    noisy = elo_curve(measured(0, 500, 460, 510, 470, error=60))
    assert noisy[0].elo == 0 and all(abs(point.elo - 485) < 12 for point in noisy[1:])
    assert all(point.error == 60 for point in noisy)  # averaging does not make the band narrower
    assert [point.measured for point in noisy] == [0, 500, 460, 510, 470]
    lost = elo_curve(measured(500, 510, 100, 110, error=60))
    assert [round(point.elo) for point in lost] == [505, 505, 105, 105]
    assert elo_curve([Measured(0, 0.0, network="n", elo=5.0)]) == []  # without an error there is no band


def test_verdict_and_graph_agree() -> None:
    """The gain that the verdict names is the one between the ends of the curve."""
    events = measured(0, 300, 340, 310)
    points, found = elo_curve(events), gain(events)
    assert found is not None and found.elo == points[-1].elo - points[0].elo


def test_a_thinned_history_is_judged_alike() -> None:
    events = history(5000, strength=[1.0, 2, 3, 4, 5, 6])
    whole, thinned = assess(events), assess(History(events).events)
    assert thinned == whole


def test_every_language_has_every_phrase_with_the_same_facts() -> None:
    def facts(text: str) -> set[str]:
        return set(re.findall(r"{(\w+)", text))

    for language, phrases in PHRASES.items():
        assert phrases.keys() == PHRASES["en"].keys(), language
        for name, text in phrases.items():
            assert facts(text) == facts(PHRASES["en"][name]), (language, name)


@pytest.mark.parametrize("language", PHRASES)
@pytest.mark.parametrize("changed", [*STALLS.values(), *NOTES.values(), {}, {"turns": 3}], ids=str)
def test_every_verdict_is_one_line(language: str, changed: dict[str, Any]) -> None:
    health = assess(history(**changed))
    for line in (health.sentence(language), *health.notes(language)):
        assert line and "\n" not in line and "{" not in line
    assert health.to_dict(language)["sentence"] == health.sentence(language)
