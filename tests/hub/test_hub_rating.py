"""Rating games that workers play: given once, judged by the rules, counted once, and not believed from the barred."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.hubs import SLOWLY, http_hub, network, patiently, player, release, token_of, until
from support.training import GAME, tiny_run
from tengen.hub import rating
from tengen.hub.desk import Desk
from tengen.hub.protocol import HubRefusedError, Orders, RatedGames, RatingMatch, Report
from tengen.hub.rating import PAIRS, judge_match, play_rating
from tengen.play.arena import Match, play_match
from tengen.play.elo import Pairing

pytestmark = pytest.mark.slow

A, B = "00000001", "00000002"
WITH_RAY = pytest.mark.skipif(find_spec("ray") is None, reason="pip install 'tengen[ray]'")


def write_networks(desk: Desk) -> None:
    for step in (1, 2):
        desk._run.network(step).write_bytes(network(step).data)


def ask(desk: Desk, worker: str, lease: int, rated: RatedGames | None = None) -> Orders:
    return desk.report(worker, Report(lease, 1, free=rated is None, rated=rated))


def played(desk: Desk, match: RatingMatch) -> RatedGames:
    data = {each.sha256: desk.network(each.sha256) for each in (match.first, match.second) if each.sha256}
    games = play_rating(match, data, device="cpu", threads=1, memory=1 << 30, ended=lambda: False)
    assert games is not None
    return games


def test_workers_rate_networks_of_the_run_beside_self_play(tmp_path: Path) -> None:
    with http_hub(tmp_path / "run") as hub, player(f"http://127.0.0.1:{hub.port}", token_of(hub), tmp_path / "w"):
        write_networks(hub)
        until(lambda: hub.workers() == 1)
        hub.rate([(A, B)])
        until(lambda: hub.rated() != [])
        (found,) = hub.rated()
        assert (found.first, found.second, found.games) == (A, B, 2 * PAIRS) and 0 <= found.points <= found.games
        hub.rate([(B, "mcts:10")])
        until(lambda: len(hub.rated()) == 2)
        games = hub.counts()["games"]
        hub.gather(patiently(lambda counts: counts["games"] > games))  # and self-play goes on


@WITH_RAY
def test_a_cluster_rates_networks_of_the_run(tmp_path: Path) -> None:
    from support.rays import ray_hub

    with ray_hub(tiny_run(tmp_path / "run", SLOWLY)) as hub:
        write_networks(hub)
        hub.gather(patiently(lambda counts: counts["simulations"] > 0))
        hub.rate([(A, B)])
        hub.gather(patiently(lambda _: hub.rated() != []))
        assert (hub.rated()[0].first, hub.rated()[0].second) == (A, B)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tiny_run(tmp_path / "run"), 0, "cpu")
    desk.publish(release(desk._run))
    write_networks(desk)
    yield desk
    desk.close()


def leases(desk: Desk, *workers: str) -> list[int]:
    offers = [desk.pull(worker, None) for worker in workers]
    return [offer.lease.id for offer in offers if offer is not None]


def test_a_match_is_given_and_counted_once(desk: Desk) -> None:
    one, two = leases(desk, "one", "two")
    desk.rate([(A, B), (A, "random")])
    first, second = ask(desk, "one", one).match, ask(desk, "two", two).match
    assert first is not None and second is not None and ask(desk, "two", two).match is None
    assert first.seed != second.seed and second.second.name == "random"
    games = played(desk, first)
    assert games == played(desk, first)
    for worker, lease in (("two", two), ("one", one), ("one", one)):  # not to whom it was given; then it, twice
        ask(desk, worker, lease, games)
    points = judge_match(first, GAME, games.games)
    desk.ledger.finish_match("one", first.id, points + 1, 2 * PAIRS)  # what is counted stays
    assert desk.rated() == [Pairing(A, B, points, 2 * PAIRS)]
    desk.rate([(A, B)])  # what "two" has taken is forgotten: its games count no more
    ask(desk, "two", two, played(desk, second))
    assert desk.rated() == [Pairing(A, B, points, 2 * PAIRS)]
    desk.ledger.bar("one", "an example")
    assert desk.rated() == []


def test_a_match_that_does_not_come_back_is_given_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = leases(desk, "one", "two")
    desk.rate([(A, B)])
    taken = ask(desk, "one", one).match
    assert taken is not None and ask(desk, "one", one).match is None  # one at a time
    assert ask(desk, "two", two).match is not None and ask(desk, "two", two).match is None
    monkeypatch.setattr("tengen.hub.ledger.MATCH_SECONDS", -1.0)
    assert ask(desk, "two", two).match == taken


def test_games_that_were_not_played_are_refused(desk: Desk) -> None:
    (one,) = leases(desk, "one")
    desk.rate([(A, B)])
    match = ask(desk, "one", one).match
    assert match is not None
    good = played(desk, match).games
    for reason, games in {
        "not the 8 of the match": good[:-1],
        "does not begin with its opening": [[(good[0][0] + 1) % 9, *good[0][1:]], *good[1:]],
        "is not over": [good[0][:-1], *good[1:]],
        "rating game 0: ": [[*good[0], good[0][0]], *good[1:]],
    }.items():
        with pytest.raises(HubRefusedError, match=reason) as refusal:
            ask(desk, "one", one, RatedGames(match.id, games))
        assert refusal.value.status == 422
    assert desk.rated() == [] and desk.ledger.standing("one").refused == 4


def test_points_are_those_of_the_arena(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = leases(desk, "one")
    desk.rate([(A, B)])
    match = desk._ratings.give("one", one)
    assert match is not None
    seen: list[Match] = []

    def watched(*args: object, **options: object) -> Match:
        seen.append(play_match(*args, **options))  # type: ignore[arg-type]
        return seen[-1]

    monkeypatch.setattr(rating, "play_match", watched)
    games = played(desk, match).games
    assert judge_match(match, GAME, games) == sum(game.points for game in seen[0].games)
