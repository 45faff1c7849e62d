"""Is a run learning? A plain answer from its events, and the numbers behind it next to what is expected of them.

A pure function of the events: the dashboard, `tengen status` and a page in the browser say the same of the same run.
Strength decides as soon as it is measured: a gain over the first network that is larger than its error is learning.
Until then the losses do, which need some turns; a run that is over is always judged, by whatever it has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tengen.run.elocurve import ELO, Gain, elo_curve, gain
from tengen.run.events import Ended, Event, Measured, Released, Started, TurnTaken, finite

__all__ = ["PHRASES", "Check", "Health", "assess"]

TURNS = 10  # turns averaged: one turn's numbers are noisy
EARLY = 2 * TURNS  # below as many turns losses say nothing: the first and the latest ones would overlap
RELEASES = 5  # averaged for the change of the policy
# Measurements that are compared with all earlier ones. Of a run that stands still, the best of the last four beats the
# best of n earlier ones by chance with probability 4/(n + 4): a stall may take a while to be called one.
MEASUREMENTS = 4
FORGETTING = 200  # turns after which the window should have begun to forget

LEARNING, EARLY_DAYS, STALLED = "learning", "too early to say", "stalled"


@dataclass(frozen=True)
class Check:
    """A number, what is expected of it, and whether being outside means a stall or is only worth a note."""

    name: str
    value: float | None  # None: not known yet, or without meaning now
    low: float = -math.inf
    high: float = math.inf
    stalls: bool = False

    @property
    def ok(self) -> bool:
        return self.value is None or self.low <= self.value <= self.high

    @property
    def phrase(self) -> str:
        """Which sentence says what is wrong: not every number can be wrong in both directions."""
        below = self.value is not None and self.value < self.low
        return f"{self.name}_{'low' if below else 'high'}"

    def to_dict(self) -> dict[str, Any]:
        low, high = (bound if math.isfinite(bound) else None for bound in (self.low, self.high))
        return {"name": self.name, "value": self.value, "low": low, "high": high, "ok": self.ok}


@dataclass(frozen=True)
class Health:
    """The verdict, and what it rests on."""

    verdict: str  # LEARNING, EARLY_DAYS or STALLED
    phrase: str  # of PHRASES
    facts: dict[str, Any] = field(default_factory=dict)  # what the phrase mentions
    checks: tuple[Check, ...] = ()
    also: tuple[tuple[str, dict[str, Any]], ...] = ()  # further phrases, with what they mention

    def sentence(self, language: str = "en") -> str:
        """The verdict in one sentence."""
        phrases = PHRASES[language]
        verdict = phrases[self.verdict]
        return verdict.format(reason=phrases[self.phrase].format(**self.facts))

    def notes(self, language: str = "en") -> list[str]:
        """What else is known, and what else is out of its range."""
        failed = [check for check in self.checks if not check.ok and check.phrase != self.phrase]
        told = [*self.also, *((check.phrase, {"value": check.value}) for check in failed)]
        return [PHRASES[language][phrase].format(**facts) for phrase, facts in told]

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "sentence": self.sentence(language),
            "notes": self.notes(language),
            "checks": [check.to_dict() for check in self.checks],
        }


def assess(events: Sequence[Event]) -> Health:
    """The health of a run. A rising strength outweighs every other sign, for better or worse."""
    turns = [event for event in events if isinstance(event, TurnTaken)]
    learned = [turn for turn in turns if turn.loss is not None]
    unread = tuple(Check("unread_chunks", turn.unread_chunks or None, 0, 0) for turn in turns[-1:])
    if any(finite(turn.loss) is None for turn in learned[-TURNS:]):
        return Health(STALLED, "diverged", {}, unread)
    played = [turn for turn in turns if turn.games is not None]  # a network that grows does not play
    if len(played) >= EARLY and not any(turn.games for turn in played[-EARLY:]):
        return Health(STALLED, "no_games", {"turns": EARLY}, unread)
    released = [event for event in events if isinstance(event, Released)]
    checks = (*(_checks(turns, learned, released) if len(learned) >= EARLY else ()), *unread)
    measured = [event for event in events if isinstance(event, Measured)]
    verdict, phrase, facts = _verdict(learned, measured, checks, _finished(events))
    return Health(verdict, phrase, facts, checks, tuple(_also(measured, phrase)))


def _finished(events: Sequence[Event]) -> bool:
    last = next((event for event in reversed(events) if isinstance(event, Started | Ended)), None)
    return isinstance(last, Ended) and last.finished


def _verdict(
    learned: Sequence[TurnTaken], measured: Sequence[Measured], checks: Sequence[Check], finished: bool
) -> tuple[str, str, dict[str, Any]]:
    """The verdict, its phrase and the phrase's facts."""
    rising, gained = _rising(measured), gain(measured)
    if gained and gained.sure and (finished or rising is not False):
        return LEARNING, "stronger" if gained.name == "elo" else "stronger_alone", _facts(gained)
    if finished and gained and not rising:
        return STALLED, "no_gain", _facts(gained)
    if len(learned) < EARLY and not finished:
        if gained:
            return EARLY_DAYS, "no_gain", _facts(gained)
        return EARLY_DAYS, "few_turns", {"turns": len(learned), "needed": EARLY}
    if len(learned) < 2:
        return STALLED, "too_short", {}
    stalled = next((check for check in checks if check.stalls and not check.ok), None)
    if rising is True or (rising is None and stalled is None and _losses_fall(learned)):
        return LEARNING, "getting_stronger" if rising else "losses_fall", _losses(learned)
    if stalled is not None:
        return STALLED, stalled.phrase, {"value": stalled.value}
    if rising is None:
        first, last = _policy_loss(learned)
        return STALLED, "loss_high", {"value": _ratio(last, first) or math.nan}
    return STALLED, "no_stronger", {"count": MEASUREMENTS}


def _facts(gained: Gain) -> dict[str, Any]:
    return {"gain": gained.elo, "error": gained.error, "since": gained.since}


def _also(measured: Sequence[Measured], phrase: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """What the latest network scores without a search, and that strength rises no more where the verdict is another."""
    latest = measured[-1] if measured else None
    if latest and latest.games_alone and (score := finite(latest.alone.get("random"))) is not None:
        won = score * latest.games_alone
        yield "against_random", {"won": won, "lost": latest.games_alone - won}
    if phrase in ("stronger", "stronger_alone") and _rising(measured) is False:
        yield "no_stronger", {"count": MEASUREMENTS}


def _rising(measured: Sequence[Measured]) -> bool | None:
    """Has any measure of strength passed its earlier best lately? None while there are too few measurements."""
    keeping: dict[str, list[float]] = {}
    for event in measured:
        for sims, share in event.keeping.items():
            if finite(share) is not None:
                keeping.setdefault(sims, []).append(share)
    elo = [[point.elo for point in elo_curve(measured, name)] for name in ELO]
    levels = [float(event.level) for event in measured if event.level is not None]
    long_enough = [values for values in (*elo, levels, *keeping.values()) if len(values) > MEASUREMENTS]
    if not long_enough:
        return None
    perfect = any(min(shares[-MEASUREMENTS:]) >= 1 for shares in keeping.values())
    return perfect or any(max(values[-MEASUREMENTS:]) > max(values[:-MEASUREMENTS]) for values in long_enough)


def _checks(turns: Sequence[TurnTaken], learned: Sequence[TurnTaken], releases: Sequence[Released]) -> Iterable[Check]:
    latest, draws = learned[-TURNS:], _mean(turn.draws for turn in turns[-TURNS:])
    # A falling policy loss is the first sign of learning; later it hovers, so that strength has the last word.
    first, last = _policy_loss(learned)
    yield Check("loss", _ratio(last, first), 0, 0.98, stalls=True)
    yield Check("entropy", _mean(turn.entropy for turn in latest), 0.02, stalls=True)
    # Without different results there is nothing to explain.
    varied = draws is None or draws < 0.95
    explained = _mean(turn.explained_variance for turn in latest)
    yield Check("explained_variance", explained if varied else None, 0.03, 1, stalls=True)
    yield Check("kl", _change(releases), 1e-5, 1.0, stalls=True)
    yield Check("draws", draws, 0, 0.95)
    yield Check("first_player", _mean(turn.first_player_score for turn in turns[-TURNS:]), 0.05, 0.95)
    yield Check("batch_fill", _mean(turn.batch_fill for turn in turns[-TURNS:]), 0.3, 1)
    # Half of the window at most, which holds all positions at first and ever smaller a share of them later.
    age = _ratio(_mean(turn.replay_age for turn in latest), _mean(turn.positions for turn in latest))
    yield Check("replay_age", age if len(turns) >= FORGETTING else None, 0, 0.45)
    yield Check("playing_share", _playing_share(latest), 0.2, 0.95)


def _policy_loss(learned: Sequence[TurnTaken]) -> tuple[float | None, float | None]:
    """Of the first turns, and of the latest; of a short run, of its halves."""
    count = max(1, min(TURNS, len(learned) // 2))
    first, last = (_mean(turn.policy_loss for turn in turns) for turns in (learned[:count], learned[-count:]))
    return first, last


def _losses_fall(learned: Sequence[TurnTaken]) -> bool:
    """Of a long run a check says so too; of a short one, that is over, this is all there is."""
    first, last = _policy_loss(learned)
    return first is None or last is None or len(learned) >= EARLY or last < first


def _losses(learned: Sequence[TurnTaken]) -> dict[str, float]:
    """What the good news mention."""
    variance = _mean(turn.explained_variance for turn in learned[-TURNS:]) or 0.0
    first, last = _policy_loss(learned)
    return {"first": first or math.nan, "last": last or math.nan, "explained": 100 * max(0.0, variance)}


def _change(releases: Sequence[Released]) -> float | None:
    """The mean KL of the latest releases; those without a step in between, or first after a resume, say nothing."""
    known = [kl for release in releases if (kl := finite(release.kl))]
    return sum(known[-RELEASES:]) / RELEASES if len(known) >= RELEASES else None


def _playing_share(turns: Sequence[TurnTaken]) -> float | None:
    playing, learning = _mean(turn.playing_seconds for turn in turns), _mean(turn.learning_seconds for turn in turns)
    return None if playing is None or learning is None else _ratio(playing, playing + learning)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [number for value in values if (number := finite(value)) is not None]
    return sum(known) / len(known) if known else None


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


PHRASES: dict[str, dict[str, str]] = {
    "en": {
        LEARNING: "Learning: {reason}.",
        EARLY_DAYS: "Too early to say: {reason}.",
        STALLED: "Stalled because {reason}.",
        "few_turns": "{turns} of the {needed} turns needed are done",
        "stronger": "{gain:.0f} ± {error:.0f} Elo stronger than at step {since}",
        "stronger_alone": "without a search it is {gain:.0f} ± {error:.0f} Elo stronger than at step {since}",
        "no_gain": "it is not measurably stronger than at step {since} ({gain:+.0f} ± {error:.0f} Elo)",
        "against_random": "without a search it scores {won:g}:{lost:g} against random play",
        "too_short": "the run was over before it had learned anything: more minutes help",
        "getting_stronger": "it measures stronger than before; policy loss {first:.2f} → {last:.2f}, "
        "{explained:.0f} % of results explained",
        "losses_fall": "policy loss {first:.2f} → {last:.2f}, {explained:.0f} % of results explained",
        "diverged": "the loss is no longer a number: begin a new run with a lower learner.rate",
        "no_games": "no game was finished in {turns} turns: raise loop.turn_positions or lower loop.slots",
        "no_stronger": "no measure of strength rose in the last {count} measurements: more minutes, a larger --size or "
        "more search.sims may help",
        "loss_high": "the policy loss is still {value:.0%} of what it was at first: learner.rate may be too low or too "
        "high",
        "entropy_low": "the policy has collapsed onto single moves (entropy {value:.3f}): raise search.temperature or "
        "search.noise_epsilon",
        "explained_variance_low": "the value head explains {value:.0%} of the results: learner.rate may be wrong, or "
        "games are decided by chance",
        "kl_low": "releases hardly differ (KL {value:.1e}): learner.rate or replay.samples_per_position is too low",
        "kl_high": "the policy jumps from release to release (KL {value:.2f}): lower learner.rate",
        "draws_high": "{value:.0%} of the games are drawn: results teach little; a higher selfplay.opening_share adds "
        "variety",
        "first_player_low": "the first player scores only {value:.0%}: results teach little",
        "first_player_high": "the first player scores {value:.0%}: results teach little",
        "batch_fill_low": "batches are only {value:.0%} full: more loop.slots would use the network better",
        "replay_age_high": "samples are {value:.0%} of the run old on average: lower replay.scale to forget early ones",
        "playing_share_low": "only {value:.0%} of the time goes into self-play: lower replay.samples_per_position",
        "playing_share_high": "{value:.0%} of the time goes into self-play: raise replay.samples_per_position",
        "unread_chunks_high": "{value:.0f} chunks of games could not be read and are left out: the warnings say why",
    },
    "zh": {
        LEARNING: "正在进步：{reason}。",
        EARLY_DAYS: "为时尚早：{reason}。",
        STALLED: "停滞不前：{reason}。",
        "few_turns": "需要 {needed} 轮，目前完成 {turns} 轮",
        "stronger": "比第 {since} 步时强 {gain:.0f} ± {error:.0f} Elo",
        "stronger_alone": "不用搜索时，比第 {since} 步时强 {gain:.0f} ± {error:.0f} Elo",
        "no_gain": "与第 {since} 步相比，棋力没有可测的提高（{gain:+.0f} ± {error:.0f} Elo）",
        "against_random": "不用搜索，对随机走子 {won:g}:{lost:g}",
        "too_short": "训练结束得太早，还没有学到东西，请增加时间",
        "getting_stronger": "测得的棋力高于以往；策略损失 {first:.2f} → {last:.2f}，"
        "价值解释了 {explained:.0f} % 的胜负",
        "losses_fall": "策略损失 {first:.2f} → {last:.2f}，价值解释了 {explained:.0f} % 的胜负",
        "diverged": "损失已不是有效数字，请调低 learner.rate 后重新开始",
        "no_games": "连续 {turns} 轮没有下完一局，请调高 loop.turn_positions 或调低 loop.slots",
        "no_stronger": "最近 {count} 次测量棋力都没有提高，可以增加时间、加大 --size 或提高 search.sims",
        "loss_high": "策略损失仍是最初的 {value:.0%}，learner.rate 可能过低或过高",
        "entropy_low": "策略已坍缩到单一着法（熵 {value:.3f}），请调高 search.temperature 或 search.noise_epsilon",
        "explained_variance_low": "价值头只解释了 {value:.0%} 的胜负，learner.rate 可能不当，或胜负近乎随机",
        "kl_low": "相邻版本几乎没有差别（KL {value:.1e}），learner.rate 或 replay.samples_per_position 过低",
        "kl_high": "策略在相邻版本之间剧烈跳动（KL {value:.2f}），请调低 learner.rate",
        "draws_high": "{value:.0%} 的对局是和棋，胜负提供的信息很少；调高 selfplay.opening_share 可以增加变化",
        "first_player_low": "先手得分只有 {value:.0%}，胜负提供的信息很少",
        "first_player_high": "先手得分高达 {value:.0%}，胜负提供的信息很少",
        "batch_fill_low": "批次只填满了 {value:.0%}，调高 loop.slots 可以更好地利用网络",
        "replay_age_high": "样本平均年龄是全程的 {value:.0%}，调低 replay.scale 可以忘掉早期对局",
        "playing_share_low": "只有 {value:.0%} 的时间用于自我对弈，请调低 replay.samples_per_position",
        "playing_share_high": "{value:.0%} 的时间用于自我对弈，请调高 replay.samples_per_position",
        "unread_chunks_high": "有 {value:.0f} 个对局文件无法读取，未参与训练；原因见警告",
    },
}
