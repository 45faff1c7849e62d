"""Native self-play: the same games as the naive search would play, whatever the threads, slots always full."""

from typing import Any

import numpy as np
import pytest

from tengen import games
from tengen._core import Rng, SearchConfig, SelfPlay, SelfPlayConfig
from tengen.games import Game, State
from tengen.net.evaluator import Hash
from tengen.records import decode_chunk, encode_chunk
from tengen.records.selfplay import Actor, Counts
from tengen.search.reference import ReferenceSearch
from tengen.search.reference.probe import look_ahead

SEARCH = SearchConfig(sims=24, noise_epsilon=0.25, temperature_plies=6)
Record = dict[str, Any]


def play(
    game: Game, search: SearchConfig, config: SelfPlayConfig, wanted: int, slots: int = 8, threads: int = 1
) -> list[Record]:
    """The first `wanted` games by number; slots play on until all of those are finished."""
    source = SelfPlay(game, slots, search, config, seed=5, threads=threads)
    evaluate = Hash(game)
    found: dict[int, Record] = {}
    while not all(number in found for number in range(wanted)):
        leaves = source.select()
        source.backup(*evaluate(leaves))
        found |= {int(str(record["game"])): record for record in source.take_records()}
    return [found[number] for number in range(wanted)]


def reference_opening(game: Game, config: SelfPlayConfig, number: int) -> list[int]:
    """Random moves; drawn again where the game ends on the way, or where a few plies prove how it will."""
    rng = Rng(5, number, 0, "opening")
    if rng.uniform() >= config.opening_share:
        return []
    plies = 1 + rng.below(config.opening_plies)
    for _ in range(64):
        state = game.start()
        for _ in range(plies):
            legal = state.legal_actions()
            after = state.copy()
            after.apply(legal[rng.below(len(legal))])
            if after.is_terminal():
                break
            state = after
        if config.opening_lookahead == 0:
            break
        if state.ply() == plies and not solved_within(state, config.opening_lookahead):
            break
    return state.moves()


def reference_stray(state: State, config: SelfPlayConfig, number: int) -> int | None:
    """A random move on the way, unless it decides the game."""
    rng = Rng(5, number, state.ply(), "stray")
    if rng.uniform() >= config.stray_share:
        return None
    legal = state.legal_actions()
    action = legal[rng.below(len(legal))]
    after = state.copy()
    after.apply(action)
    if after.is_terminal() or (config.opening_lookahead and solved_within(after, config.opening_lookahead)):
        return None
    return action


def solved_within(state: State, plies: int) -> bool:
    lo, hi, _ = look_ahead(state, plies)
    return lo == hi


def reference_record(game: Game, full: SearchConfig, config: SelfPlayConfig, number: int) -> Record:
    """The same game by the naive search, move by move."""
    fast = full.replace(sims=config.fast_sims, noise_epsilon=0.0)
    state = game.start()
    out: Record = {"moves": [], "search": [], "q": [], "d": [], "m": [], "visits": [], "target": []}
    for action in reference_opening(game, config, number):
        state.apply(action)
        for key, value in {"moves": action, "search": 0, "q": 0.0, "d": 0.0, "m": 0.0}.items():
            out[key].append(value)

    def kind(ply: int) -> bool:
        return Rng(5, number, ply, "cap").uniform() < config.full_share

    search = ReferenceSearch(state, full if kind(state.ply()) else fast, seed=5, game=number)
    evaluate = Hash(game)
    while not state.is_terminal():
        search.run(evaluate)
        is_full, root, action = kind(state.ply()), search.root, search.choose()
        if is_full:
            target = search.target()
            kept = [edge for edge in root.edges if edge.N > 0 or np.float32(target[edge.action]) > 0]
            out["visits"] += [(edge.action, edge.N) for edge in kept]
            out["target"] += [np.float32(target[edge.action]) for edge in kept]
        q, d, m = search.worth()
        for key, value in {
            "moves": action,
            "search": 2 if is_full else 1,
            "q": q,
            "d": d,
            "m": m,
        }.items():
            out[key].append(value)
        move: int | None = action
        while move is not None:
            state.apply(move)
            search.config = full if kind(state.ply()) else fast
            search.advance(move)
            move = None if state.is_terminal() else reference_stray(state, config, number)
            if move is not None:
                for key, value in {"moves": move, "search": 0, "q": 0.0, "d": 0.0, "m": 0.0}.items():
                    out[key].append(value)
    # What is proven is compared in test_prove.py.
    out["result"] = state.outcome() if state.to_move() == 0 else -state.outcome()
    out["ending"] = "end"
    opening = next((ply for ply, kind in enumerate(out["search"]) if kind), len(out["search"]))
    out["exact"] = SelfPlay.exact_values(game, config, out["moves"], opening).tolist()
    return out


@pytest.mark.parametrize("reuse", [True, False])
@pytest.mark.parametrize("id", ["tictactoe", "connect4", "gomoku:6,in_a_row=4", "othello:6"])
def test_native_games_equal_the_reference(id: str, reuse: bool) -> None:
    game = games.make(id)
    openings = {"opening_share": 0.5, "opening_plies": 4, "opening_lookahead": 2, "stray_share": 0.2}
    config = SelfPlayConfig(full_share=0.4, fast_sims=7, label_nodes=200, **openings)
    search = SEARCH.replace(tree_reuse=reuse)
    if id == "othello:6":
        search = search.replace(rule="gumbel", noise_epsilon=0.0)
    for number, record in enumerate(play(game, search, config, wanted=10)):
        expected = reference_record(game, search, config, number)
        assert record["moves"].tolist() == expected["moves"]
        assert record["search"].tolist() == expected["search"]
        assert (record["result"], record["ending"]) == (expected["result"], expected["ending"])
        assert record["exact"].tolist() == expected["exact"]
        for key in ("q", "d", "m"):
            assert record[key].tolist() == np.array(expected[key], np.float32).tolist()
        assert list(zip(record["action"].tolist(), record["visits"].tolist(), strict=True)) == expected["visits"]
        assert record["target"].tolist() == expected["target"]


def test_games_do_not_depend_on_threads_or_slots() -> None:
    game = games.make("connect4")
    config = SelfPlayConfig(fast_sims=8)
    games_of = [
        [record["moves"].tolist() for record in play(game, SEARCH, config, 12, slots, threads)]
        for slots, threads in [(4, 1), (4, 2), (12, 1), (12, 4)]
    ]
    assert all(moves == games_of[0] for moves in games_of)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_step_is_a_backup_and_a_select(threads: int) -> None:
    """Also where what it gathered is given up every now and then, as whoever stops between two batches does."""
    game = games.make("connect4")
    search, config = SEARCH.replace(prove_nodes=20, cache_mb=1), SelfPlayConfig(opening_plies=6)
    apart, at_once = (SelfPlay(game, 8, search, config, 5, threads) for _ in range(2))
    evaluate = Hash(game)
    leaves = at_once.select()
    for step in range(800):
        expected = apart.select()
        assert leaves.keys.tolist() == expected.keys.tolist()
        assert leaves.planes.tobytes() == expected.planes.tobytes()
        apart.backup(*evaluate(expected))
        leaves = at_once.step(*evaluate(leaves))
        if step % 7 == 0:
            at_once.cancel()
            leaves = at_once.select()
    assert apart.counts() == at_once.counts()
    at_once.cancel()
    apart.select()  # plays what is ready to be played, as the last step did
    assert apart.play_counts() == at_once.play_counts()
    mine, theirs = apart.take_records(), at_once.take_records()
    assert len(mine) > 10 and [record["game"] for record in mine] == [record["game"] for record in theirs]
    for one, other in zip(mine, theirs, strict=True):
        assert all(np.array_equal(np.asarray(one[key]), np.asarray(other[key])) for key in one)


def test_every_batch_is_full() -> None:
    """A slot plays on through terminals, proofs and finished games until it needs the network."""
    game = games.make("tictactoe")
    source = SelfPlay(game, 32, SearchConfig(sims=20, cache_mb=0, noise_epsilon=0.25), SelfPlayConfig(), seed=1)
    evaluate = Hash(game)
    for _ in range(200):
        before = source.counts()
        leaves = source.select()
        source.backup(*evaluate(leaves))
        after = source.counts()
        assert sum(after[key] - before[key] for key in ("evaluations", "duplicates")) == 32
    assert source.play_counts()["games"] > 30


def test_a_cache_that_knows_everything_does_not_play_for_ever() -> None:
    game = games.make("tictactoe")
    source = SelfPlay(game, 4, SearchConfig(sims=20, cache_mb=64), SelfPlayConfig(), seed=1)
    evaluate = Hash(game)
    for _ in range(300):
        leaves = source.select()
        source.backup(*evaluate(leaves))
    assert len(leaves) == 0 and source.play_counts()["games"] > 1000


def test_a_target_too_small_to_be_kept_is_none() -> None:
    """Whoever reads a record refuses entries that have neither visits nor a target."""
    game = games.make("gomoku:6,in_a_row=4")
    search = SearchConfig(sims=8, rule="gumbel", noise_epsilon=0)
    source = SelfPlay(game, 4, search, SelfPlayConfig(full_share=1), seed=1)
    evaluate = Hash(game)
    while source.play_counts()["games"] < 4:
        leaves = source.select()
        answer = evaluate(leaves)
        source.backup(400 * answer.policy, answer.wdl, answer.moves_left)  # so sure of a move that others are nothing
    for record in source.take_records():
        visits, target = np.asarray(record["visits"]), np.asarray(record["target"])
        assert ((visits > 0) | (target > 0)).all()


def test_records_are_games() -> None:
    """Rules replayed: every move is legal, the result is the rules', visits add up, targets are distributions."""
    game = games.make("connect4")
    for record in play(game, SEARCH, SelfPlayConfig(opening_share=0.5), 8):
        state = game.start()
        first = 0
        for ply, action in enumerate(record["moves"].tolist()):
            entries = slice(first, first + record["children"][ply])
            if record["search"][ply] == 2:
                assert set(record["action"][entries].tolist()) <= set(state.legal_actions())
                assert record["target"][entries].sum() == pytest.approx(1)
            first = entries.stop
            state.apply(action)
        assert state.is_terminal() and record["result"] == state.outcome() * (1 if state.to_move() == 0 else -1)


@pytest.mark.parametrize("lookahead", [0, 2, 4])
def test_openings_leave_the_game_open(lookahead: int) -> None:
    """As the rules alone give them; of 20 random plies few do, so that most are drawn more than once."""
    game = games.make("connect4")
    config = SelfPlayConfig(opening_share=0.9, opening_plies=20, opening_lookahead=lookahead)
    openings = [SelfPlay.opening(game, config, 5, number) for number in range(60)]
    assert openings == [reference_opening(game, config, number) for number in range(60)]
    assert [] in openings and max(map(len, openings)) == 20
    if lookahead:
        assert not any(solved_within(state_after(game, opening), lookahead) for opening in openings)
    else:
        assert any(solved_within(state_after(game, opening), 1) for opening in openings)


def test_an_opening_is_drawn_only_so_often() -> None:
    """In tic-tac-toe, eight random moves always leave one that ends the game: the opening is taken all the same."""
    game = games.make("tictactoe")
    config = SelfPlayConfig(opening_share=1, opening_plies=8, opening_lookahead=2)
    openings = [SelfPlay.opening(game, config, 5, number) for number in range(40)]
    assert openings == [reference_opening(game, config, number) for number in range(40)]


def state_after(game: Game, moves: list[int]) -> State:
    state = game.start()
    for action in moves:
        state.apply(action)
    return state


def test_games_under_way_become_the_finished_ones() -> None:
    """What is shown of a game is how its record begins, opening moves included; the value is the first player's."""
    game = games.make("connect4")
    config = SelfPlayConfig(full_share=0.5, fast_sims=8, opening_share=1, opening_plies=3)
    actor = Actor(game, SearchConfig(sims=16), config, slots=8, seed=4)
    actor.set_evaluator(Hash(game), "00")
    seen: dict[int, dict[str, Any]] = {}

    def watched(counts: Counts) -> bool:
        shown = actor.under_way(3)
        assert len(shown) == 3
        seen.update({each["number"]: each for each in shown})
        return counts["games"] >= 20

    finished = {record.number: record for record in actor.play(watched)}
    common = seen.keys() & finished.keys()
    assert len(common) >= 3
    for number in common:
        moves, record = seen[number]["moves"], finished[number]
        assert record.opening <= len(moves) <= len(record) and moves == record.moves[: len(moves)].tolist()
        if len(moves) == record.opening:
            assert seen[number]["value"] is None
        else:
            sign = 1 if len(moves) % 2 else -1
            assert seen[number]["value"] == sign * record.q[len(moves) - 1]
    assert any(len(seen[number]["moves"]) > finished[number].opening for number in common)
    assert len(actor.under_way(100)) == 8


def test_every_ply_says_which_network_was_in_use_when_it_was_chosen() -> None:
    """Games span releases, random moves at their start and on the way among them; a network may come back."""
    game = games.make("connect4")
    config = SelfPlayConfig(full_share=0.5, fast_sims=8, opening_share=0.7, opening_plies=3, stray_share=0.2)
    actor = Actor(game, SearchConfig(sims=16), config, slots=8, seed=4)
    expected: dict[int, list[str]] = {}  # by a game's number: each ply as it was seen
    records = []
    for turn in range(60):
        before_it, network = f"{(turn - 1) % 7:02x}", f"{turn % 7:02x}"
        actor.set_evaluator(Hash(game), network)  # ends the searches under way with the network before
        ended = {each["number"]: len(each["moves"]) for each in actor.under_way(8)}
        for number, length in ended.items():
            seen = expected.setdefault(number, [])
            seen += [before_it if turn else network] * (length - len(seen))
        before = actor.counts()["moves"]
        finished = actor.play(lambda counts, before=before: counts["moves"] >= before + 20)  # type: ignore[misc]
        lengths = {each["number"]: len(each["moves"]) for each in actor.under_way(8)}
        for number, length in (lengths | {record.number: len(record) for record in finished}).items():
            seen = expected.setdefault(number, [])
            in_between = number + 8 in ended  # it was over before the new network came
            seen += [before_it if in_between else network] * (length - len(seen))
        records += finished
        assert len(actor._networks) < 30  # those of games that are over are forgotten
    assert len(records) > 20 and max(len(record.networks) for record in records) > 4
    assert any(len(record.networks) < len(np.flatnonzero(np.diff(record.release))) + 1 for record in records)
    for record in records:
        assert [record.network_at(ply) for ply in range(len(record))] == expected[record.number]
        assert record.networks == tuple(dict.fromkeys(expected[record.number]))
    assert decode_chunk(encode_chunk(records)) == records


def test_resignation_ends_games_and_checked_games_go_on() -> None:
    game = games.make("connect4")
    search = SearchConfig(sims=16, noise_epsilon=0.25)
    never = play(game, search, SelfPlayConfig(fast_sims=8), 20)
    some = play(game, search, SelfPlayConfig(fast_sims=8, resign_below=-0.1), 80)
    is_checked = {number: Rng(5, number, 0, "resign").uniform() < 0.1 for number in range(200)}
    checked = [record for record in some if is_checked[record["game"]]]
    assert sum(len(record["moves"]) for record in some[:20]) < sum(len(record["moves"]) for record in never)
    assert 2 <= len(checked) < 20 and all(record["ending"] == "end" for record in checked)
    assert any(record["hopeless"] for record in checked)
    assert any(record["ending"] == "resigned" for record in some)
    for record in some:
        if record["ending"] == "resigned":
            loser = 0 if record["result"] < 0 else 1
            assert record["hopeless"] & (1 << loser) and (len(record["moves"]) - 1) % 2 == loser
