"""Expected leads and owners in the app's answers: all for the side to move, and no nonsense from hostile networks."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.appserver import Client, at, serving
from support.counting import GAME, MOVES, counting_network, write_counting_run
from tengen.net.evaluator import foreseen_owners, make_evaluator


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    runs = tmp_path_factory.mktemp("runs")
    write_counting_run(runs / "counts")
    write_counting_run(runs / "hostile", hostile=True)
    with serving(runs) as client:
        yield client


def evaluated(server: Client, player: str, moves: str, owners: bool = True) -> dict[str, Any]:
    body = {"position": at(GAME.id, moves), "players": [player], "owners": owners}
    (answer,) = server.post("/api/evaluate", body)["answers"]
    found: dict[str, Any] = answer
    return found


@pytest.mark.parametrize("moves", [MOVES, "c3"])
def test_a_bare_network_tells_the_lead_and_the_owners(server: Client, moves: str) -> None:
    answer = evaluated(server, "run:counts/best", moves)
    expected = foreseen_owners(make_evaluator(counting_network(), GAME), GAME.from_moves(moves))
    assert expected is not None and answer["owners"] == pytest.approx(expected.tolist(), abs=0.002)
    assert 1 < answer["lead"] < 10  # whoever is to move leads, says this network
    assert "owners" not in evaluated(server, "run:counts/best", moves, owners=False)


def test_searches_and_reviews_tell_the_lead(server: Client) -> None:
    with server.socket() as live:
        last = live.search(GAME.id, MOVES, player="run:counts/best", settings={"sims": 2})[-1]
        visited = [row["lead"] for row in last["moves"] if row["visits"]]
        assert all(-10 < lead < -1 for lead in visited) and visited  # the other side's turn: it leads
        assert all(row["lead"] is None for row in last["moves"] if not row["visits"]) and abs(last["lead"]) < 10
        live.say("review", position=at(GAME.id, f"{MOVES} pass pass"), player="run:counts/best", settings={"sims": 2})
        *_, end = live.hear_until("review", done=True)
        state = GAME.from_moves(f"{MOVES} pass pass")
        first, second = state.score() or (0, 0)
        assert end["lead"] is not None and end["lead_after"] == second - first  # the second player has passed last
        assert live.search("connect4", player="mcts", settings={"sims": 20})[-1]["lead"] is None


def test_whatever_a_network_says_is_bounded(server: Client) -> None:
    answer = evaluated(server, "run:hostile/best", MOVES)
    assert answer["lead"] == 1000 and all(-1 <= each <= 1 for each in answer["owners"])
    with server.socket() as live:
        last = live.search(GAME.id, MOVES, player="run:hostile/best", settings={"sims": 20})[-1]
        assert abs(last["lead"]) <= 1000 and all(abs(row["lead"] or 0) <= 1000 for row in last["moves"])
