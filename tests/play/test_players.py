"""Players by name: what each one plays, that settings reach it, and what is said when there is no such player."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tengen import Game, GameError, games
from tengen.config import ConfigError, SearchConfig
from tengen.exact.solver import solve
from tengen.net.evaluator import Rollout
from tengen.play.arena import draw_openings
from tengen.play.players import (
    PLAYER_KINDS,
    AgentPlayer,
    Forfeit,
    Player,
    PlayerError,
    find_kind,
    make_player,
    page_player,
    player_search,
    search_player,
    slots_that_fit,
)
from tengen.search.agent import Agent

SPECS = ["random", "mcts:50", "mcts:50,solver", "plain:50", "uniform@30", "uniform@0", "solver"]


def moves_of(player: Player, game: Game, count: int = 12) -> Sequence[int | Forfeit]:
    states = [game.start() for _ in range(count)]
    for state, opening in zip(states, draw_openings(game, count), strict=True):
        for action in opening:
            state.apply(action)
    return player.act_many(states, list(range(count)))


@pytest.mark.parametrize("spec", SPECS)
def test_players_choose_legal_moves_that_depend_on_seed_and_game_alone(spec: str) -> None:
    game = games.make("connect4")
    first = moves_of(make_player(spec, game, slots=12, seed=1, threads=1), game)
    assert first == moves_of(make_player(spec, game, slots=12, seed=1, threads=2), game)
    assert all(isinstance(action, int) and 0 <= action < 7 for action in first)


def test_every_kind_of_player_is_one_row_of_the_table() -> None:
    """A text names one kind, a page's name too, and every kind has either a tree or its own way to be made."""
    texts = {"mcts:7": "mcts", "mcts:7,solver": "mcts,solver", "uniform": "uniform", "uniform@7": "uniform"}
    texts |= {"net:a@7": "net", "net:mcts:7": "net", "shipped": "shipped", "shipped@0": "shipped"}
    texts |= {"random": "random", "solver": "solver", "plain:7": "plain"}
    texts |= {"engine:gnugo": "engine", "gtp:a b": "gtp", "gomocup:a": "gomocup", "nboard:net:a": "nboard"}
    for text, name in texts.items():
        assert [kind.name for kind in PLAYER_KINDS if re.fullmatch(kind.pattern, text)] == [name]
        found = find_kind(text)
        assert found and found.name == name
    assert {kind.name for kind in PLAYER_KINDS} == set(texts.values())
    for kind in PLAYER_KINDS:
        assert (kind.make is None) != (kind.search is None) and kind.sentence
        if kind.usual:
            assert page_player(kind.name) == (kind, kind.usual) and find_kind(kind.usual) == kind


def test_the_page_about_matches_lists_every_kind() -> None:
    page = (Path(__file__).parents[2] / "docs" / "matches.md").read_text()
    rows = [f"| `{kind.form}` | {kind.sentence} |" for kind in PLAYER_KINDS]
    assert [line for line in page.splitlines() if line in rows] == rows


@pytest.mark.parametrize("text", ["net:/etc/passwd", "net:runs/a/best.onnx@400", "net", "mcts:", "", "alphago"])
def test_a_page_cannot_name_a_file(text: str) -> None:
    assert page_player(text) is None


@pytest.mark.parametrize("text", ["gtp:true", "gomocup:true", "nboard:true", "gtp", "engine", "engine:", " engine:a"])
def test_a_page_can_name_an_engine_but_no_command(text: str) -> None:
    assert page_player(text) is None
    named = page_player("engine:gnugo")
    assert named and named[1] == "engine:gnugo"


@pytest.mark.parametrize("text", ["gtp:true", "gomocup:true", "nboard:true"])
def test_a_command_is_for_command_lines(text: str) -> None:
    with pytest.raises(PlayerError, match="for the command line"):
        make_player(text, games.make("othello"))


@pytest.mark.parametrize("spec", ["random", "mcts:30"])
def test_games_and_seeds_have_randomness_of_their_own(spec: str) -> None:
    game = games.make("gomoku:9")
    player = make_player(spec, game, slots=8, seed=1)
    start = [game.start()] * 8
    moves = player.act_many(start, list(range(8)))
    assert len(set(moves)) > 1
    assert make_player(spec, game, slots=8, seed=2).act_many(start, list(range(8))) != moves
    player.new_game(0, 5)  # the number names the randomness, not the slot
    assert player.act_many(start[:1], [0])[0] == moves[5]


def test_a_new_game_starts_with_a_fresh_tree() -> None:
    game = games.make("connect4")
    player = search_player("mcts:100", game, seed=3)
    player.act_many([game.start()], [0])
    assert player.agent.search.visits(0) == 100
    player.new_game(0, 0)
    again = player.act_many([game.start()], [0])
    assert again == search_player("mcts:100", game, seed=3).act_many([game.start()], [0])


def test_pure_mcts_is_plain() -> None:
    config = player_search("mcts:500", games.make("connect4")).config
    assert (config.sims, config.rule, config.solver, config.cache_mb) == (500, "ucb1", False, 0)
    assert config.tree_reuse and config.noise_epsilon == 0 and config.leaves == 1
    player = search_player("mcts:500,solver", games.make("connect4"))
    assert player.agent.config == config.replace(solver=True) and isinstance(player.agent.evaluator, Rollout)


def test_mcts_sees_a_win_in_one_and_a_threat() -> None:
    game = games.make("connect4")
    player = make_player("mcts:500", game, slots=2)
    assert player.act_many([game.from_moves("121212"), game.from_moves("12121")], [0, 1]) == [0, 0]


def test_the_solver_plays_only_best_moves_and_all_of_them() -> None:
    game = games.make("connect4")
    player = make_player("solver", game, slots=200)
    assert player.act_many([game.from_moves("4444")], [0]) == [3]
    position = game.from_moves("444444")
    scores = {column: score for column, score in solve(position).scores.items() if score is not None}
    best = {column - 1 for column, score in scores.items() if score == max(scores.values())}
    assert len(best) > 1
    assert set(player.act_many([position] * 200, list(range(200)))) == best


def test_settings_change_the_search() -> None:
    game = games.make("connect4")
    player = search_player("uniform@30", game, settings=["search.c_init=3", "search.sims=70"])
    assert player.agent.config == SearchConfig(sims=70, c_init=3)
    with pytest.raises(ConfigError, match="did you mean 'c_init'"):
        search_player("mcts:30", game, settings=["search.c_int=3"])
    with pytest.raises(PlayerError, match="takes no settings"):
        make_player("random", game, settings=["search.sims=3"])


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "players are random, mcts:N"),
        ("alphago", "unknown player 'alphago'; players are random"),
        ("mcts", "mcts:N"),
        ("mcts:", "mcts:N"),
        ("mcts:-5", "mcts:N"),
        ("mcts:٣", "mcts:N"),
        ("mcts:0", "from 1 to 10000000"),
        ("mcts:" + "9" * 5000, "from 1 to 10000000"),
        ("mcts:10,solve", "mcts:N,solver"),
        ("uniform@x", "uniform@SIMS"),
        ("solver@5", "unknown player"),
        ("net:some/file.onnx@100", "some/file.onnx: No such file"),
    ],
)
def test_unknown_players_are_refused_in_one_line(spec: str, words: str) -> None:
    with pytest.raises(GameError) as error:
        make_player(spec, games.make("connect4"))
    assert words in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 300


def test_the_solver_knows_one_game_only() -> None:
    with pytest.raises(PlayerError, match="tictactoe has no exact solver; solved so far: connect4"):
        make_player("solver", games.make("tictactoe"))


def test_no_tree_runs_out_of_memory_in_the_slots_that_fit() -> None:
    game = games.make("gomoku:15")
    assert slots_that_fit("random", game) == slots_that_fit("mcts:100", game) == 256
    slots = slots_that_fit("mcts:20000", game)
    assert 2 <= slots < 20
    player = search_player("mcts:20000", game, slots=slots)
    player.act_many([game.start()], [0])
    assert player.agent.search.nodes(0) == 20_001
    crowded = search_player("mcts:20000", game, slots=4 * slots)
    crowded.act_many([game.start()], [0])
    assert crowded.agent.search.nodes(0) < 20_001  # so the bound is needed


def test_an_agent_is_a_player() -> None:
    game = games.make("tictactoe")
    player = AgentPlayer("me", Agent(game, Rollout(), SearchConfig(sims=200)))
    position = game.from_moves("a3 b2 a2 c3")
    assert position.move_text(player.act_many([position], [0])[0]) == "a1"
