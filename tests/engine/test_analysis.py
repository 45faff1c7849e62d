"""KataGo's analysis protocol: queries, answers, priorities, terminating."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tengen import games
from tengen.engine import analysis, crew
from tengen.engine.channel import Odd, Script
from tengen.engine.thinker import Thinker
from tengen.net.evaluator import Uniform

ROOT = {"visits", "weight", "winrate", "lcb", "utility", "scoreLead", "scoreMean", "scoreSelfplay", "scoreStdev"}
MOVE = ROOT | {"move", "order", "prior", "pv", "utilityLcb", "edgeVisits", "edgeWeight", "playSelectionValue"}

Json = dict[str, Any]


class Talk(Script):
    """A script with pauses: at a None, nothing is there to be read for one slice."""

    def __init__(self, lines: Sequence[Json | str | Odd | None]) -> None:
        super().__init__()
        self.items = list(lines)

    def read(self) -> str | Odd:
        while self.items and self.items[0] is None:
            self.items.pop(0)
        item = self.items.pop(0) if self.items else Odd.END
        return json.dumps(item) if isinstance(item, dict) else item or ""

    def waiting(self) -> bool:
        if self.items and self.items[0] is None:
            self.items.pop(0)
            return False
        return True


def ask(*lines: Json | str | Odd | None, game: str = "go:5", player: str = "uniform@20") -> list[Json]:
    channel = Talk(lines)
    analysis.serve(channel, Thinker(player), games.make(game))
    return [json.loads(line) for line in channel.said.splitlines()]


def one(query: Json, **options: Any) -> Json:
    (answer,) = ask({"id": "a"} | query, **options)
    return answer


def test_an_answer_has_every_field_that_clients_index() -> None:
    answer = one({"moves": [["B", "C3"], ["W", "d4"]], "maxVisits": 40, "includePVVisits": True})
    assert (answer["id"], answer["turnNumber"], answer["isDuringSearch"]) == ("a", 2, False)
    root, moves = answer["rootInfo"], answer["moveInfos"]
    assert root.keys() >= ROOT | {"currentPlayer", "thisHash", "symHash", "rawWinrate"}
    assert (root["currentPlayer"], root["visits"]) == ("B", 40)
    assert sum(move["visits"] for move in moves) == 39
    assert [move["order"] for move in moves] == list(range(len(moves)))
    for move in moves:
        assert move.keys() >= MOVE | {"pvVisits"}
        assert move["pv"][0] == move["move"] and len(move["pv"]) == len(move["pvVisits"])
        assert move["pvVisits"][0] == move["visits"]
        assert move["move"] == "pass" or move["move"].isupper()


@pytest.mark.parametrize("id", ["go:9", "gomoku:9", "othello", "hex:5", "connect4", "tictactoe", "hex:5,swap=on"])
def test_every_game_is_analysed_by_its_move_texts(id: str) -> None:
    state, moves = games.make(id).start(), []
    for _ in range(2):
        action = state.legal_actions()[1]
        moves.append(["BW"[state.to_move()], state.move_text(action)])
        state.apply(action)
    answer = one({"moves": moves, "includePolicy": True, "analyzeTurns": [2]}, game=id)
    layout = state.game.layout()
    assert len(answer["policy"]) == layout["rows"] * layout["cols"] + 1
    assert sum(1 for share in answer["policy"] if share >= 0) == len(state.legal_actions())
    assert sum(share for share in answer["policy"] if share >= 0) == pytest.approx(1, abs=1e-3)
    texts = {state.move_text(action) for action in state.legal_actions()}
    assert {move["move"].lower() for move in answer["moveInfos"]} <= texts


@pytest.mark.parametrize("player", ["uniform@60", "plain:60"])
def test_win_rates_are_of_the_side_that_was_asked_for(player: str) -> None:
    won = {"moves": [["B", "a1"], ["W", "a2"], ["B", "b1"]]}  # a row of three is near: White must answer, at c1
    seen = {}
    for view in ("BLACK", "WHITE", "SIDETOMOVE", None):
        settings = {"overrideSettings": {"reportAnalysisWinratesAs": view}} if view else {}
        seen[view] = one(won | settings, game="tictactoe", player=player)
    black, white = seen["BLACK"], seen["WHITE"]
    assert black["rootInfo"]["winrate"] == pytest.approx(1 - white["rootInfo"]["winrate"], abs=1e-5)
    assert black["rootInfo"]["utility"] == pytest.approx(-white["rootInfo"]["utility"])
    assert seen["SIDETOMOVE"] == white and seen[None] == black
    assert black["rootInfo"]["winrate"] > 0.5
    worst = black["moveInfos"][-1]
    assert worst["winrate"] >= black["moveInfos"][0]["winrate"] and worst["lcb"] >= worst["winrate"]


def test_turns_that_are_asked_for_are_answered_once_each() -> None:
    moves = [["B", "c3"], ["W", "b2"], ["B", "d2"]]
    answers = ask({"id": "a", "moves": moves, "analyzeTurns": [3, 0, 3, 1]})
    assert sorted(answer["turnNumber"] for answer in answers) == [0, 1, 3]
    assert {answer["turnNumber"]: answer["rootInfo"]["currentPlayer"] for answer in answers} == {0: "B", 1: "W", 3: "W"}
    assert ask({"id": "a", "moves": moves, "analyzeTurns": []}) == []


def test_positions_are_set_up_as_they_are_asked_for() -> None:
    def mover(query: Json) -> str:
        return str(one(query | {"maxVisits": 2})["rootInfo"]["currentPlayer"])

    def free(query: Json, game: str = "go:5") -> int:
        answer = one(query | {"includePolicy": True, "maxVisits": 1}, game=game)
        return sum(1 for share in answer["policy"][:-1] if share >= 0)

    stones = [["B", "C3"], ["B", "d4"]]
    assert mover({"initialPlayer": "W"}) == "W"
    assert mover({"initialStones": stones}) == "W"  # a handicap
    assert mover({"initialStones": [*stones, ["W", "a1"]]}) == "B"
    assert mover({"initialStones": stones, "initialPlayer": "b"}) == "B"
    assert mover({"initialStones": stones, "moves": [["B", "a1"]]}) == "W"
    assert mover({"moves": [["B", "C3"], ["B", "D4"]]}) == "W"  # out of turn
    assert free({"initialStones": stones}) == 23
    assert free({"moves": [["B", "C3"], ["B", "D4"], ["B", "A1"]]}) == 22
    assert free({"boardXSize": 4, "boardYSize": 4}) == 16
    assert free({"boardXSize": 7, "boardYSize": 6}, "connect4") == 7


def test_the_client_chooses_komi() -> None:
    over = {"moves": [["B", "c3"], ["W", "pass"], ["B", "pass"]]}
    assert one(over | {"komi": 7})["rootInfo"]["scoreLead"] == 18
    lost = one(over | {"komi": 25.5})
    assert (lost["rootInfo"]["scoreLead"], lost["rootInfo"]["winrate"]) == (-0.5, 0)


def test_a_game_that_is_over_has_a_value_and_no_moves() -> None:
    over = {"moves": [["B", "c3"], ["W", "pass"], ["B", "pass"]], "includePolicy": True, "includeOwnership": True}
    answer = one(over)
    assert answer["moveInfos"] == [] and answer["policy"] == [-1] * 26 and answer["ownership"] == [1] * 25
    assert (answer["rootInfo"]["winrate"], answer["rootInfo"]["scoreLead"]) == (1, 18.5)
    assert answer["rootInfo"].keys() >= ROOT | {"currentPlayer"}
    white = one(over | {"overrideSettings": {"reportAnalysisWinratesAs": "WHITE"}})
    assert white["ownership"] == [-1] * 25 and white["rootInfo"]["scoreLead"] == -18.5


def test_moves_can_be_left_out_of_a_report() -> None:
    avoid = {"player": "B", "moves": ["C3", "c2"], "untilDepth": 1}
    *warnings, answer = ask({"id": "a", "avoidMoves": [avoid], "maxVisits": 100})
    assert [warning["field"] for warning in warnings] == ["avoidMoves"]
    moves = [move["move"] for move in answer["moveInfos"]]
    assert "C4" in moves and not {"C3", "C2"} & set(moves)
    assert answer["moveInfos"][0]["order"] == 0
    *_, answer = ask({"id": "a", "allowMoves": [avoid], "maxVisits": 100})
    assert {move["move"] for move in answer["moveInfos"]} == {"C3", "C2"}
    *_, answer = ask({"id": "a", "avoidMoves": [avoid | {"player": "W"}], "maxVisits": 100})
    assert "C3" in {move["move"] for move in answer["moveInfos"]}


@pytest.mark.parametrize(
    ("field", "query"),
    [
        ("rules", {"rules": "japanese"}),
        ("rules", {"rules": {"scoring": "TERRITORY"}}),
        ("overrideSettings", {"overrideSettings": {"wideRootNoise": 0.04, "reportAnalysisWinratesAs": "BLACK"}}),
        ("rootPolicyTemperature", {"rootPolicyTemperature": 1.2}),
        ("includeMovesOwnership", {"includeMovesOwnership": True}),
    ],
)
def test_what_is_unknown_gets_a_warning_and_an_answer(field: str, query: Json) -> None:
    warning, answer = ask({"id": "a"} | query)
    assert warning["field"] == field and warning["id"] == "a" and warning["warning"]
    assert answer["rootInfo"]["visits"] == 21


@pytest.mark.parametrize("rules", ["chinese", "Chinese-OGS", {"scoring": "AREA", "ko": "POSITIONAL"}])
def test_rules_as_they_are_played_need_no_warning(rules: Any) -> None:
    assert one({"rules": rules})["moveInfos"]


def test_a_game_without_counts_warns_of_komi_and_ownership() -> None:
    *warnings, answer = ask({"id": "a", "komi": 7, "includeOwnership": True}, game="gomoku:9")
    assert {warning["field"] for warning in warnings} == {"komi", "includeOwnership"} and "ownership" not in answer


@pytest.mark.parametrize(
    ("field", "query"),
    [
        ("id", {"id": None}),
        ("id", {"id": 3}),
        ("moves", {"moves": "c3"}),
        ("moves", {"moves": [["B"]]}),
        ("moves", {"moves": [["X", "c3"]]}),
        ("moves", {"moves": [["B", "c3"], ["W", "C3"]], "analyzeTurns": [0]}),
        ("moves", {"moves": [["B", "z99"]]}),
        ("initialStones", {"initialStones": [["B", "z9"]]}),
        ("initialStones", {"initialStones": [["B", "pass"]]}),
        ("initialStones", {"initialStones": [["B", "a1"], ["W", "a1"]]}),
        ("initialStones", {"initialStones": [["B", "a1"], ["W", "a2"], ["W", "b1"]]}),
        ("initialPlayer", {"initialPlayer": "red"}),
        ("boardXSize", {"boardXSize": 1000, "boardYSize": 1000}),
        ("boardXSize", {"boardXSize": 5.5}),
        ("boardXSize", {"boardXSize": True}),
        ("boardYSize", {"boardXSize": 5, "boardYSize": 7}),
        ("komi", {"komi": 6.3}),
        ("komi", {"komi": "7"}),
        ("komi", {"komi": 1e30}),
        ("rules", {"rules": 3}),
        ("maxVisits", {"maxVisits": 0}),
        ("maxVisits", {"maxVisits": 10**40}),
        ("maxVisits", {"maxVisits": 2.5}),
        ("analyzeTurns", {"analyzeTurns": [1]}),
        ("analyzeTurns", {"analyzeTurns": [-1]}),
        ("analyzeTurns", {"analyzeTurns": ["0"]}),
        ("analyzeTurns", {"analyzeTurns": 0}),
        ("priority", {"priority": "high"}),
        ("priorities", {"analyzeTurns": [0], "priorities": [1, 2]}),
        ("includePolicy", {"includePolicy": 1}),
        ("reportDuringSearchEvery", {"reportDuringSearchEvery": 0}),
        ("overrideSettings", {"overrideSettings": []}),
        ("overrideSettings", {"overrideSettings": {"maxTime": -1}}),
        ("overrideSettings", {"overrideSettings": {"reportAnalysisWinratesAs": "GREEN"}}),
        ("avoidMoves", {"avoidMoves": [{"player": "B", "moves": ["c3"]}]}),
        ("avoidMoves", {"avoidMoves": [7]}),
        ("allowMoves", {"allowMoves": [{"player": "B", "moves": [3], "untilDepth": 1}]}),
        ("action", {"action": "explode"}),
        ("action", {"action": 7}),
        ("terminateId", {"action": "terminate"}),
        ("turnNumbers", {"action": "terminate_all", "turnNumbers": 3}),
    ],
)
def test_what_is_wrong_gets_an_error_and_the_next_query_an_answer(field: str, query: Json) -> None:
    error, answer = ask({"id": "a"} | query, {"id": "next"})
    assert error["error"] and error["field"] == field
    assert field == "id" or error["id"] == "a"
    assert answer["id"] == "next" and answer["rootInfo"]["visits"] == 21


def test_an_illegal_move_is_told_in_the_words_that_clients_look_for() -> None:
    assert one({"moves": [["B", "c3"], ["W", "c3"]]})["error"].startswith("Illegal move 1: c3")


def test_actions_are_echoed() -> None:
    version, models, cache = ask(
        {"id": "v", "action": "query_version"},
        {"id": "m", "action": "query_models"},
        {"id": "c", "action": "clear_cache"},
    )
    assert version.keys() == {"id", "action", "version", "git_hash"}
    assert models["models"] == [{"name": "uniform@20"}]
    assert cache == {"id": "c", "action": "clear_cache"}


def test_urgent_positions_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "SLOTS", (1,))
    moves = [["B", "c3"], ["W", "c4"]]
    answers = ask(
        {"id": "low", "priority": -1},
        {"id": "first", "moves": moves, "analyzeTurns": [2, 1]},
        {"id": "second"},
        {"id": "urgent", "priority": 5},
        {"id": "each", "moves": moves, "analyzeTurns": [1, 2], "priorities": [-2, 9]},
    )
    order = [(answer["id"], answer["turnNumber"]) for answer in answers]
    assert order == [("each", 2), ("urgent", 0), ("first", 1), ("first", 2), ("second", 0), ("low", 0), ("each", 1)]


def test_terminate_ends_what_waits_and_what_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "SLOTS", (1,))
    endless = {"maxVisits": 10**9, "moves": [["B", "c3"]]}
    answers = ask(
        endless | {"id": "a", "analyzeTurns": [0, 1]},
        endless | {"id": "b"},
        None,
        {"id": "t", "action": "terminate", "terminateId": "a", "turnNumbers": [1]},
        {"id": "t", "action": "terminate", "terminateId": "unknown"},
        None,
        {"id": "t", "action": "terminate", "terminateId": "a"},
        None,
        {"id": "all", "action": "terminate_all"},
    )
    told = [(answer["id"], answer.get("turnNumber"), answer.get("noResults", False)) for answer in answers]
    t = ("t", None, False)
    assert told == [t, ("a", 1, True), t, t, ("a", 0, False), ("all", None, False), ("b", 1, False)]
    assert all(answer["rootInfo"]["visits"] > 1 for answer in answers if "rootInfo" in answer)


def test_reports_during_a_search() -> None:
    pauses = [None] * 20
    query = {"id": "a", "maxVisits": 10**9, "reportDuringSearchEvery": 0.01}
    *during, _, last = ask(query, *pauses, {"id": "t", "action": "terminate_all"})
    assert len(during) > 5 and all(answer["isDuringSearch"] for answer in during)
    assert last["isDuringSearch"] is False
    visits = [answer["rootInfo"]["visits"] for answer in [*during, last]]
    assert visits == sorted(visits)
    late = query | {"firstReportDuringSearchAfter": 1000}
    assert len(ask(late, *pauses, {"id": "t", "action": "terminate_all"})) == 2


def test_time_bounds_a_search() -> None:
    answer = one({"maxVisits": 10**9, "overrideSettings": {"maxTime": 0.1}})
    assert answer["rootInfo"]["visits"] > 1 and not answer["isDuringSearch"]


def test_when_nothing_more_comes_in_the_queue_is_finished() -> None:
    answers = ask(*({"id": str(number), "maxVisits": 5} for number in range(150)))
    assert {answer["id"] for answer in answers} == {str(number) for number in range(150)}


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many positions the evaluator was asked for, each time."""
    sizes: list[int] = []
    evaluate = Uniform.__call__

    def counted(self: Uniform, leaves: Any, /) -> Any:
        sizes.append(len(leaves))
        return evaluate(self, leaves)

    monkeypatch.setattr(Uniform, "__call__", counted)
    return sizes


def test_positions_of_all_queries_share_batches_and_get_the_answers_of_a_single_one(batches: list[int]) -> None:
    queries = [{"id": move, "moves": [["B", move]]} for move in ("a1", "b2", "c3", "d4", "e5", "a5", "pass")]
    alone = [one(query) for query in queries]
    batches.clear()
    assert sorted(ask(*queries), key=lambda answer: str(answer["id"])) == sorted(
        alone, key=lambda each: str(each["id"])
    )
    assert max(batches) == len(queries) and len(batches) < 2 * 21


def test_the_cache_is_cleared(batches: list[int]) -> None:
    query = {"id": "a"}
    ask(query)
    once = sum(batches)
    pauses = [None] * 50  # a slow machine needs several slices
    ask(query, *pauses, query)
    assert sum(batches) == 2 * once  # the first one, and this one, which asks nothing anew
    ask(query, *pauses, {"id": "c", "action": "clear_cache"}, query)
    assert sum(batches) == 4 * once


def test_several_games_are_searched_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def sized(size: int, **more: Any) -> Json:
        return {"id": f"{size}", "boardXSize": size, "boardYSize": size} | more

    answers = ask(*(sized(size) for size in (3, 4, 5, 6, 7, 3, 4)))
    assert sorted(answer["id"] for answer in answers) == ["3", "3", "4", "4", "5", "6", "7"]
    # An endless search of one game does not stop the others.
    pauses = [None] * 10
    answers = ask(sized(3, maxVisits=10**9), sized(4), sized(5), *pauses, {"id": "end", "action": "terminate_all"})
    assert [answer["id"] for answer in answers] == ["4", "5", "end", "3"]


def test_a_full_queue_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MOST_WAITING", 3)
    moves = [["B", "c3"], ["W", "c4"], ["B", "c2"]]
    first, *others = ask({"id": "many", "moves": moves, "analyzeTurns": [0, 1, 2, 3]}, {"id": "few"})
    assert "full" in first["error"] and first["id"] == "many"
    assert [answer["id"] for answer in others] == ["few"]


def test_a_network_answers() -> None:
    answer = one({"includePolicy": True, "maxVisits": 30}, game="gomoku:6,in_a_row=4", player="shipped")
    assert answer["rootInfo"]["visits"] == 30 and 0 <= answer["rootInfo"]["rawWinrate"] <= 1
    assert max(answer["policy"]) > 2 / 36
