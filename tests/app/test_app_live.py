"""Searches over the WebSocket, seen while they run; reviews; and what becomes of those that nobody waits for."""

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect

from support.appserver import PATIENCE, Client, Socket, at, command, eventually, reading_slowly, serving
from tengen import games
from tengen.app import live as live_module
from tengen.app.treesearch import MOST_SEARCHES, next_child, node_report, search_report
from tengen.config import SearchConfig
from tengen.games import State
from tengen.net.evaluator import Hash
from tengen.play.judgement import accuracy
from tengen.play.players import search_player
from tengen.search.agent import Agent, Analysis

ENDLESS = {"sims": 10**9}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with serving(tmp_path_factory.mktemp("runs")) as client:
        yield client


@pytest.fixture
def live(server: Client) -> Iterator[Socket]:
    with server.socket() as opened:
        yield opened


def searches(server: Client) -> int:
    count: int = server.get("/api/about")["app"]["searches"]
    return count


def test_a_search_ends_with_its_budget(live: Socket) -> None:
    last = live.search("connect4", "4 4", settings={"sims": 300})[-1]
    assert last["visits"] == 300 and sum(move["visits"] for move in last["moves"]) == 300
    assert last["moves"][0]["move"] == last["best"] == last["moves"][0]["pv"][0]
    assert {move["move"]: move["cell"] for move in last["moves"]}["4"] == 3 * 7 + 3
    assert sum(last["wdl"]) == pytest.approx(1) and last["seconds"] > 0


@pytest.mark.parametrize(
    "id, moves", [("connect4", ""), ("connect4", "4 4 3"), ("othello:6", ""), ("hex:5", "c3"), ("tictactoe", "a3 b2")]
)
def test_a_text_names_the_same_player_as_in_the_terminal(
    live: Socket, monkeypatch: pytest.MonkeyPatch, id: str, moves: str
) -> None:
    state = games.make(id).from_moves(moves or "-")
    for seed in (1, 2, 3):
        monkeypatch.setattr("tengen.app.live.secrets.randbits", lambda bits, seed=seed: seed)
        for text, settings in (("mcts:200", {}), ("mcts", {"sims": 200}), ("mcts:200,solver", {})):
            spec = text if ":" in text else "mcts:200"
            player = search_player(spec, state.game, seed=seed)
            chosen = player.act_many([state], [0])[0]
            found = live.search(id, moves, player=text, settings=settings, live=False)[-1]
            visits = {move.text: move.visits for move in player.agent.report(state).moves}
            assert found["best"] == state.move_text(chosen)
            assert {move["move"]: move["visits"] for move in found["moves"]} == visits


@pytest.mark.parametrize("player", ["shipped", "mcts", "uniform"])
def test_slices_find_what_one_search_finds(live: Socket, player: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many looks at the tree change nothing in it."""
    settings = {"sims": 1000, "leaves": 1}
    looked = live.search("connect4", "4 4", player=player, settings=settings)[-1]
    monkeypatch.setattr("tengen.app.treesearch.SLICE", 1000.0)
    monkeypatch.setattr(live_module, "HERTZ", 0.001)
    whole = live.search("connect4", "4 4", player=player, settings=settings)[-1]
    assert [looked[key] for key in ("visits", "q", "moves")] == [whole[key] for key in ("visits", "q", "moves")]


def test_updates_come_while_it_thinks_and_stop_ends_it(live: Socket) -> None:
    live.say("search", position=at("connect4"), player="mcts", settings=ENDLESS)
    visits = [live.hear_until("update", done=False)[-1]["visits"] for _ in range(3)]
    assert visits[0] < visits[1] < visits[2]
    live.say("stop")
    assert live.hear_until("update", done=True)[-1]["visits"] >= visits[2]


@pytest.mark.parametrize("watched", [True, False])
@pytest.mark.parametrize("player", ["shipped", "mcts"])
def test_a_stop_before_the_first_evaluation_still_finds_a_move(live: Socket, player: str, watched: bool) -> None:
    for game in ("othello", "connect4"):
        live.say("search", position=at(game), player=player, settings=ENDLESS, live=watched)
        live.say("stop")
        assert live.hear_until("update", done=True)[-1]["best"] is not None


def test_a_review_that_is_stopped_at_once_ends_quietly(live: Socket) -> None:
    live.say("review", position=at("connect4", "4 4"), player="mcts", settings={"sims": 50})
    live.say("stop")
    assert live.search("connect4", settings={"sims": 20})[-1]["visits"] == 20


def test_seconds_bound_a_search(live: Socket) -> None:
    last = live.search("connect4", settings=ENDLESS | {"seconds": 0.3})[-1]
    assert last["seconds"] > 0.25 and 0 < last["visits"] < 10**9


def test_more_goes_on_with_the_same_tree(live: Socket) -> None:
    first = live.search("connect4", settings={"sims": 50}, player="uniform")[-1]
    for extra in (1, 1, 100):
        live.say("more", sims=extra)
        more = live.hear_until("update", done=True)[-1]
        assert more["visits"] == first["visits"] + extra
        first = more
    whole = live.search("connect4", settings={"sims": 152}, player="uniform")[-1]
    assert whole["moves"] == first["moves"]


def test_the_next_position_inherits_its_part_of_the_tree(live: Socket) -> None:
    for reuse in (True, False):
        options = {"tree_reuse": reuse, "cache_mb": 64}
        live.search("connect4", "4", settings={"sims": 500, **options})
        inherited = live.search("connect4", "4 4", settings={"sims": 1, **options})[-1]["visits"]
        assert (inherited > 1) == reuse
        assert live.search("connect4", "4 4", settings={"sims": 1, **options})[-1]["visits"] == 1  # asked for again
        live.search("connect4", "4", settings={"sims": 500, **options})
        assert live.search("connect4", "4 4", settings={"sims": 1, "cache_mb": 65})[-1]["visits"] == 1


def test_settings_reach_the_search(live: Socket) -> None:
    wide = live.search("connect4", settings={"sims": 500, "c_init": 50.0})[-1]
    narrow = live.search("connect4", settings={"sims": 500, "c_init": 0.1})[-1]
    assert max(move["share"] for move in wide["moves"]) < max(move["share"] for move in narrow["moves"])
    for wrong in ({"sims": -1}, {"cpuct": 2}, {"rule": "best"}, {"max_nodes": 10**8}, {"solver": "perhaps"}):
        live.say("search", position=at("connect4"), player="mcts", settings=wrong)
        assert live.hear()["error"]["code"] == "bad_setting", wrong


def test_nodes_open_while_it_searches(live: Socket) -> None:
    live.say("search", position=at("connect4", "4"), player="mcts", settings=ENDLESS)
    live.hear_until("update")
    live.say("node", path=[])
    root = live.hear_until("node")[-1]["node"]
    assert sum(child["next"] for child in root["children"]) == 1 and root["to_move"] == 1
    most = max(root["children"], key=lambda child: child["visits"])
    live.say("node", path=[most["action"]])
    child = live.hear_until("node")[-1]
    assert child["path"] == [most["action"]] and child["node"]["visits"] >= most["visits"]
    assert child["node"]["to_move"] == 0
    live.say("picture", nodes=50)
    branches = live.hear_until("picture")[-1]["branches"]
    assert len(branches) == 50 and branches[0]["parent"] is None
    assert all(branch["parent"] < place for place, branch in enumerate(branches) if place)
    live.say("stop")
    live.hear_until("update", done=True)
    live.search("connect4", settings={"sims": 1})  # UCB1's terms of moves never tried are infinite
    live.say("node", path=[])
    assert [child["u"] for child in live.hear()["node"]["children"]].count(None) == 6
    live.say("node", path=[1, 1, 1, 1, 1, 1, 1])
    assert live.hear()["error"]["code"] == "bad_request"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": False},
        {"fpu_mode": "infinite"},
        {"rule": "ucb1"},
        {"noise_epsilon": 0.3},
        {"fpu_mode": "zero"},
        {"c_init": 30.0},
    ],
)
def test_the_next_move_is_the_one_the_search_takes(options: dict[str, Any]) -> None:
    """Told from the numbers of a node, and checked by one more simulation."""
    game = games.make("tictactoe")
    state = game.from_moves("a3 b2 a2")  # whoever does not block at a1 loses
    agent = Agent(game, Hash(game), SearchConfig(sims=1, **options))
    for sims in range(1, 150):
        agent.configure(agent.config.replace(sims=sims))
        agent.analyze(state)
        before = node_report(agent, state, [])
        if before["proven"]:
            break
        agent.configure(agent.config.replace(sims=sims + 1))
        agent.analyze(state)
        after = node_report(agent, state, [])
        pairs = zip(before["children"], after["children"], strict=True)
        grown = [a["visits"] > b["visits"] for b, a in pairs]
        assert [child["next"] for child in before["children"]] == grown, sims
    assert sims > 5
    assert next_child(SearchConfig(rule="gumbel"), agent.search.node(0).edges, at_root=True) is None


def test_nobody_reads_a_tree_while_it_is_searched(live: Socket, monkeypatch: pytest.MonkeyPatch) -> None:
    class Watched(Agent):
        searching = False

        def run(self, slots: Sequence[int]) -> None:
            self.searching = True
            super().run(slots)
            self.searching = False

        def report(self, state: State, slot: int = 0, lines: int | None = None) -> Analysis:
            assert not self.searching
            return super().report(state, slot, lines)

    monkeypatch.setattr("tengen.app.treesearch.Agent", Watched)
    live.say("search", position=at("connect4"), player="mcts", settings=ENDLESS)
    for _ in range(5):
        live.hear_until("update", done=False)


def test_a_new_search_ends_the_old_one(server: Client, live: Socket) -> None:
    live.say("search", id="old", position=at("connect4"), player="mcts", settings=ENDLESS)
    live.hear_until("update")
    live.say("search", id="new", position=at("connect4"), player="mcts", settings={"sims": 10})
    assert live.hear_until("update", id="new", done=True)
    assert searches(server) == 0
    live.say("node", id="old", path=[])
    assert live.hear()["error"]["code"] == "bad_request"


def test_players_without_a_tree(live: Socket) -> None:
    solved = live.search("connect4", "4 4 4 4", player="solver", live=False)
    assert len(solved) == 1 and solved[0]["best"] == "4" and solved[0]["moves"][0]["proven"] == "win"
    assert live.search("hex:3", player="random", live=False)[-1]["best"] in games.make("hex:3").layout()["cell_names"]


def test_playing_draws_its_move_by_temperature(live: Socket) -> None:
    warm = {"sims": 40, "temperature_plies": 10, "temperature": 5.0}
    drawn = {live.search("tictactoe", player="uniform", settings=warm, live=False)[-1]["best"] for _ in range(30)}
    assert len(drawn) > 1
    cold = {live.search("tictactoe", player="uniform", settings={"sims": 40}, live=False)[-1]["best"] for _ in range(5)}
    assert len(cold) == 1


def test_wrong_messages_get_an_answer_and_change_nothing(live: Socket) -> None:
    for message, code in [
        ({"type": "search", "id": 1, "position": at("connect4", "9"), "player": "mcts"}, "illegal_move"),
        ({"type": "search", "id": 1, "position": at("chess"), "player": "mcts"}, "unknown_game"),
        ({"type": "search", "id": 1, "position": at("hex:4"), "player": "shipped"}, "unknown_player"),
        ({"type": "search", "id": 1, "position": at("hex:5"), "player": "solver"}, "not_supported"),
        ({"type": "search", "id": 1, "position": at("connect4", "1 2 1 2 1 2 1"), "player": "mcts"}, "game_over"),
        ({"type": "review", "id": 1, "position": at("connect4"), "player": "mcts"}, "bad_moves"),
        ({"type": "more", "id": 1, "sims": 1}, "bad_request"),
        ({"type": "dance", "id": 1}, "bad_request"),
        ([], "bad_request"),
    ]:
        live.connection.send(json.dumps(message))
        heard = live.hear()
        assert (heard["type"], heard["error"]["code"]) == ("error", code), message
    live.connection.send("{")
    assert live.hear()["error"]["code"] == "bad_request"
    assert live.search("connect4")[-1]["done"]


def test_a_review_finds_the_move_that_loses(live: Socket) -> None:
    """X could win at a1; instead it lets O win."""
    live.say("review", position=at("tictactoe", "a3 b2 a2 c3 b1 a1"), player="mcts", settings={"sims": 500})
    rows = [row for row in live.hear_until("review", done=True) if row["type"] == "review"]
    assert [row["ply"] for row in rows] == list(range(6)) and {row["total"] for row in rows} == {6}
    missed = rows[4]
    assert (missed["played"], missed["best"], missed["kind"]) == ("b1", "a1", "blunder")
    assert missed["before"] == 100 and missed["loss"] == missed["before"] - missed["after"] > 20
    assert (rows[5]["kind"], rows[5]["loss"]) == ("best", 0)  # it takes the point that wins
    for place, side in ((0, "first"), (1, "second")):
        assert rows[-1]["accuracy"][side] == accuracy([row["loss"] for row in rows[place::2] if row["certain"]])
    assert all("accuracy" not in row for row in rows[:-1])


def test_too_many_searches_are_refused(server: Client) -> None:
    with ExitStack() as stack:
        *some, last = [stack.enter_context(server.socket()) for _ in range(MOST_SEARCHES + 1)]
        for each in some:
            each.say("search", position=at("tictactoe"), player="uniform", settings=ENDLESS | {"solver": False})
            each.hear_until("update")
        last.say("search", position=at("tictactoe"), player="mcts")
        assert last.hear()["error"]["code"] == "too_busy"
    eventually(lambda: searches(server) == 0)


def test_trees_of_all_pages_share_one_memory(server: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page that was not used for longest loses its tree, and gets another when it searches on."""
    million = 1_000_000
    monkeypatch.setattr("tengen.app.treesearch.MOST_BYTES", 12 * million)
    wide = {"sims": 20_000, "cache_mb": 0, "solver": False}
    with ExitStack() as stack:
        pages = [stack.enter_context(server.socket()) for _ in range(4)]
        sizes = []
        for page in pages:
            page.search("connect4", settings=wide)
            sizes.append(tree_bytes(server))
        assert 0 < sizes[0] < 12 * million < len(pages) * sizes[0] and max(sizes) <= 12 * million
        first, last = pages[0], pages[-1]
        last.say("node", path=[])
        assert last.hear()["node"]["visits"] == 20_001  # the root has one of its own
        first.say("node", path=[])
        assert first.hear()["error"]["code"] == "forgotten"
        first.say("more", sims=1000)
        assert first.hear_until("update", done=True)[-1]["visits"] == 21_000
        assert tree_bytes(server) <= 12 * million
        # A search that takes all of it alone ends.
        first.say("search", position=at("connect4"), player="mcts", settings=wide | ENDLESS)
        assert first.hear_until("update", done=True)[-1]["visits"] > 20_000
    eventually(lambda: tree_bytes(server) == 0)


def tree_bytes(server: Client) -> int:
    count: int = server.get("/api/about")["app"]["tree_bytes"]
    return count


def test_a_hundred_abandoned_analyses_free_the_processor(tmp_path: Path) -> None:
    with command("--runs", str(tmp_path)) as (process, client):

        async def abandon(number: int) -> None:
            """Half of them are seen to run by an update, half, which tell only their end, by a look at the tree."""
            address, headers = f"ws://127.0.0.1:{client.port}/api/search", {"Cookie": client.cookie}
            async with connect(address, open_timeout=PATIENCE, additional_headers=headers) as opened:
                message = {"type": "search", "id": number, "position": at("connect4"), "player": "mcts"}
                await opened.send(json.dumps(message | {"settings": ENDLESS, "live": number % 2 == 0}))
                if number % 2:
                    await opened.send(json.dumps({"type": "node", "id": number, "path": []}))
                await opened.recv()
                opened.transport.abort()  # a page that vanishes says no goodbye

        async def many() -> None:
            for _ in range(5):
                await asyncio.gather(*(abandon(number) for number in range(20)))

        asyncio.run(many())
        eventually(lambda: searches(client) == 0)
        before = processor_seconds(process.pid)
        time.sleep(0.5)
        assert processor_seconds(process.pid) - before < 0.25  # one search alone would have taken it all


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_slow_reader_gets_fewer_updates_and_nothing_is_kept_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[State] = []

    def counted(agent: Agent, state: State) -> dict[str, Any]:
        made.append(state)
        return search_report(agent, state)

    monkeypatch.setattr(live_module, "search_report", counted)
    with serving(tmp_path, send_buffer=1 << 12) as client, reading_slowly(client) as opened:
        opened.say("search", position=at("go:19"), player="uniform", settings=ENDLESS | {"max_nodes": 2000})
        eventually(lambda: len(made) > 0)
        # An update has some 90 KB: after a few the way is full. Then none is made, while the search goes on.
        eventually(lambda: unchanged(lambda: len(made), 1.5))
        assert searches(client) == 1
        stuck = len(made)
        for _ in range(stuck + 1):
            opened.hear_until("update")
        assert len(made) > stuck


def unchanged(number: Callable[[], int], seconds: float) -> bool:
    before = number()
    time.sleep(seconds)
    return number() == before


def review_of(live: Socket, game: str, moves: str, player: str, **settings: Any) -> list[dict[str, Any]]:
    live.say("review", position=at(game, moves), player=player, settings=settings)
    return [row for row in live.hear_until("review", done=True) if row["type"] == "review"]


def test_a_review_without_a_network_is_not_sure_of_what_playouts_cannot_tell(live: Socket) -> None:
    """Quiet moves of an opening: the playouts have favourites, and cannot know."""
    rows = review_of(live, "go:9", "e5 c3 a1 g7 j9 c7", "plain", sims=60)
    assert {row["kind"] for row in rows} <= {"best", "good", "unsure"}
    unsure = [row for row in rows if not row["certain"]]
    assert unsure and all((row["kind"], row["reason"]) == ("unsure", "no_network") for row in unsure)
    for place, side in ((0, "first"), (1, "second")):
        assert rows[-1]["accuracy"][side] == accuracy([row["loss"] for row in rows[place::2] if row["certain"]])


def test_a_review_without_a_network_is_sure_of_what_it_has_proven(live: Socket) -> None:
    """An open three that was not answered, and a four that was."""
    rows = review_of(live, "gomoku:15", "h8 a1 h9 a3 h10 a5 h11 a7", "plain", sims=100)
    assert [(row["kind"], row["certain"], row["reason"]) for row in rows[5:6]] == [("blunder", True, None)]


@pytest.mark.parametrize(
    ("game", "player", "certain"),
    [
        ("go:9", "plain", False),
        ("connect4", "uniform", False),
        ("connect4", "random", False),
        ("connect4", "shipped", True),
    ],
)
def test_a_search_says_whether_its_value_is_certain(live: Socket, game: str, player: str, certain: bool) -> None:
    last = live.search(game, player=player, settings={"sims": 30} if player != "random" else {})[-1]
    assert (last["certain"], last["reason"]) == (certain, None if certain else "no_network")


def test_a_proof_is_certain_without_a_network(live: Socket) -> None:
    last = live.search("tictactoe", "a3 b2 a2 c3", player="plain")[-1]
    assert last["certain"] is True and last["moves"][0]["proven"] == "win"
