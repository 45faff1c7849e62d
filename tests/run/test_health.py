"""The verdict on a run, from made-up histories: each is a healthy one with one thing changed."""

import math
import re
from typing import Any

import pytest

from tengen.run.events import Event, Measured, Released, Started, TurnTaken
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
    return events + [Measured(turns, turns / 10, network="n", elo=elo) for elo in strength or []]


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
    assert assess(history(strength=rising)).phrase == "getting_stronger"
    assert assess(history(strength=rising, policy_loss=1.5)).verdict == LEARNING
    assert (assess(history(strength=flat)).verdict, assess(history(strength=flat)).phrase) == (
        STALLED,
        "no_stronger",
    )
    assert assess(history(strength=flat, kl=1e-7)).phrase == "kl_low"  # a reason, when there is one
    assert assess(history(strength=flat[:MEASUREMENTS])).phrase == "losses_fall"  # too few to say


def test_one_measure_that_rises_is_enough_and_perfection_is_no_stall() -> None:
    def measured(**values: list[float]) -> list[Event]:
        rows = zip(*values.values(), strict=True)
        told = [{"network": "n", **dict(zip(values, row, strict=True))} for row in rows]
        return history() + [Measured.read(9, 9.0, each) for each in told]

    flat, count = [700.0] * 8, range(8)
    assert assess(measured(elo=flat, keeping_100=[0.9 + i / 100 for i in count])).verdict == LEARNING
    assert assess(measured(elo=flat, keeping_100=[0.99] * 8)).verdict == STALLED
    assert assess(measured(elo=flat, keeping_100=[1.0] * 8)).verdict == LEARNING
    assert assess(measured(elo=flat, elo_error=[float(i) for i in count])).verdict == STALLED


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
