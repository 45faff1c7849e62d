"""Small real matches, the verbs `match` and `analyze`, and the picture of the tree."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tengen import games
from tengen.cli import main
from tengen.cli.match import elo_text
from tengen.config import SearchConfig
from tengen.net.evaluator import Evaluation, Uniform
from tengen.net.evaluator.contract import Leaves
from tengen.play.arena import Match, draw_openings, play_match
from tengen.play.players import make_player, search_player
from tengen.search.agent import Agent
from tengen.search.picture import Branch, draw_tree, grown

Capture = pytest.CaptureFixture[str]
SVG = "{http://www.w3.org/2000/svg}"


def match_of(id: str, a: str, b: str, pairs: int, *, seed: int = 0, threads: int = 1, slots: int = 64) -> Match:
    game = games.make(id)
    first = make_player(a, game, slots=slots, seed=seed, threads=threads)
    second = make_player(b, game, slots=slots, seed=seed + 1, threads=threads)
    return play_match(game, first, second, draw_openings(game, pairs, seed=seed), slots=slots)


@pytest.mark.parametrize(
    ("id", "spec"),
    [("connect4", "mcts:200"), ("othello:6", "mcts:100"), ("hex:5", "mcts:200"), ("gomoku:6", "mcts:200")],
)
def test_mcts_beats_random(id: str, spec: str) -> None:
    assert match_of(id, spec, "random", 20).pairs.summary().score >= 0.9


def test_more_simulations_win() -> None:
    summary = match_of("connect4", "mcts:400", "mcts:40", 40).pairs.summary()
    assert summary.low > 0.5


def test_equal_players_are_equal() -> None:
    summary = match_of("connect4", "mcts:50", "mcts:50", 150).pairs.summary()
    assert summary.low - 0.03 < 0.5 < summary.high + 0.03


def test_nobody_beats_the_solver() -> None:
    match = match_of("connect4", "solver", "mcts:200", 10)
    assert match.pairs.summary().score > 0.6
    from_the_start = play_match(
        match.game,
        make_player("solver", match.game, slots=8),
        make_player("mcts:200", match.game, slots=8),
        [()] * 4,
        slots=8,
    )
    assert all(record.points == 1 for record in from_the_start.games if record.side == 0)  # the first player wins


def test_a_match_depends_on_its_seed_alone() -> None:
    runs = [match_of("connect4", "mcts:40", "uniform@20", 6, seed=9, threads=t, slots=s) for t, s in [(1, 64), (2, 5)]]
    assert runs[0].games == runs[1].games
    assert match_of("connect4", "mcts:40", "uniform@20", 6, seed=10).games != runs[0].games


def test_match_prints_score_and_saves_games(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "games.txt"
    argv = ["match", "connect4", "mcts:100", "random", "--games", "20", "--save", str(file), "--seed", "3"]
    assert main(argv) == 0
    out = capsys.readouterr().out
    assert "mcts:100 against random, connect4: 20 games" in out and "95 % interval" in out and "Elo" in out
    assert len(file.read_text().splitlines()) == 21
    assert main([*argv, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["games"] == 20 == report["wins"] + report["draws"] + report["losses"] and sum(report["pairs"]) == 10
    assert report["score"] > 0.8 and report["score_low"] <= report["score"] <= report["score_high"]


def test_a_sequential_test_ends_a_match_early(capsys: Capture) -> None:
    argv = ["match", "tictactoe", "mcts:50", "random", "--games", "4000", "--sprt", "0,100", "--json"]
    assert main(argv) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["sprt"]["verdict"] == "accepted" and report["games"] < 2000
    assert report["sprt"]["llr"] >= report["sprt"]["upper"]


def test_settings_reach_the_player_they_are_for(capsys: Capture) -> None:
    reports = []
    for options in (["--set-a", "search.sims=2"], ["--set-b", "search.sims=2"], ["--set", "search.sims=2"]):
        argv = ["match", "connect4", "mcts:200", "mcts:200", "--games", "40", "--json", *options]
        assert main(argv) == 0
        reports.append(json.loads(capsys.readouterr().out)["score"])
    assert reports[0] < 0.3 and reports[1] > 0.7 and 0.2 < reports[2] < 0.8


def test_ctrl_c_shows_what_is_finished() -> None:
    command = [sys.executable, "-m", "tengen", "match", "connect4", "mcts:3000", "mcts:3000", "--games", "2000"]
    for seconds in (2, 6, 20):  # on a busy machine nothing may be finished at first
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        if process.returncode == 0:
            break
    assert process.returncode == 0 and err == ""
    assert "mcts:3000 against mcts:3000, connect4:" in out


def test_a_bar_is_drawn_on_a_terminal_only() -> None:
    command = [sys.executable, "-m", "tengen", "match", "connect4", "mcts:50", "random", "--games", "10"]
    quiet = subprocess.run(command, capture_output=True, text=True)
    assert quiet.stderr == "" and "\x1b" not in quiet.stdout
    terminal_in, terminal = os.openpty()
    loud = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, env=os.environ | {"TERM": "xterm"})
    os.close(terminal)
    assert loud.returncode == 0 and b"10/10" in os.read(terminal_in, 1 << 16)
    os.close(terminal_in)


MISTAKES = {
    "unknown player": (["match", "connect4", "alphago", "random"], "players are random, mcts:N"),
    "no network yet": (["match", "hex:3", "shipped", "random"], "networks come with training"),
    "odd games": (["match", "connect4", "random", "random", "--games", "3"], "even"),
    "no games": (["match", "connect4", "random", "random", "--games", "0"], "'0'"),
    "opening longer than the game": (
        ["match", "tictactoe", "random", "random", "--opening-plies", "9"],
        "opening plies",
    ),
    "sprt without numbers": (["match", "connect4", "random", "random", "--sprt", "x"], "such as 0,10"),
    "sprt not finite": (["match", "connect4", "random", "random", "--sprt", "0,inf"], "such as 0,10"),
    "sprt upside down": (["match", "connect4", "random", "random", "--sprt", "10,0"], "elo0 must be below"),
    "save nowhere": (["match", "tictactoe", "random", "random", "--games", "2", "--save", "/no/where"], "/no/where"),
    "unknown setting": (["match", "connect4", "mcts:5", "random", "--set-a", "search.simz=3"], "did you mean 'sims'"),
    "setting without search.": (["match", "connect4", "mcts:5", "random", "--set-a", "sims=3"], "search.NAME=VALUE"),
    "setting for random": (["match", "connect4", "mcts:5", "random", "--set", "search.sims=3"], "takes no settings"),
    "solver for another game": (["match", "othello", "solver", "random"], "solved so far: connect4"),
    "analyze nothing": (["analyze"], "GAME"),
    "analyze an unknown game": (["analyze", "chess"], "connect4"),
    "analyze an illegal move": (["analyze", "connect4", "9"], "legal moves are 1 2 3 4 5 6 7"),
    "analyze a finished game": (["analyze", "connect4", "1212121"], "the game is over"),
    "analyze with random": (["analyze", "connect4", "4", "--player", "random"], "does not search"),
    "analyze moves and a position": (["analyze", "tictactoe", "a1", "--position", ".../.../... X"], "not both"),
    "analyze no simulations": (["analyze", "connect4", "--sims", "0"], "'0'"),
    "analyze a setting out of range": (["analyze", "connect4", "--set", "search.c_init=-1"], "c_init must be"),
    "draw nowhere": (["analyze", "connect4", "--sims", "10", "--tree", "/no/where.svg"], "/no/where.svg"),
    "draw no nodes": (["analyze", "connect4", "--tree-nodes", "0"], "'0'"),
    "play against nobody": (["play", "connect4", "--opponent", "alphago"], "players are random"),
    "play with a bad setting": (["play", "connect4", "--set", "search.rule=best"], "one of puct, gumbel, ucb1"),
}


@pytest.mark.parametrize(("argv", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_answered_by_one_line_and_exit_code_2(argv: list[str], hint: str, capsys: Capture) -> None:
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("tengen") and err.endswith("\n") and err.count("\n") == 1
    assert hint in err


def test_analyze_finds_the_win_and_proves_it(capsys: Capture) -> None:
    assert main(["analyze", "connect4", "121212", "--sims", "500"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    heading = next(i for i, row in enumerate(rows) if row[:2] == ["move", "visits"])
    assert rows[heading + 1][0] == "1" and "win" in rows[heading + 1] and len(rows) == heading + 8


@pytest.mark.parametrize("rule", ["puct", "gumbel"])
def test_a_move_that_wins_at_once_is_found_whatever_its_prior(rule: str) -> None:
    game = games.make("connect4")

    class Blind(Uniform):
        """Sure of column 2."""

        def __call__(self, leaves: Leaves, /) -> Evaluation:
            answer = super().__call__(leaves)
            return Evaluation(np.where(np.arange(7) == 1, 200, answer.policy - 200), *answer[1:])

    config = SearchConfig(sims=3, lookahead=1, noise_epsilon=0, rule=rule)
    analysis = Agent(game, Blind(game), config).analyze(game.from_moves("121212"))
    assert (analysis.best, analysis.moves[0].action) == (0, 0) and analysis.visits <= 3


def test_analyze_as_json(capsys: Capture) -> None:
    argv = ["analyze", "othello", "-", "--player", "uniform@60", "--set", "search.fpu_mode=zero", "--json"]
    assert main(argv) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["game"] == "othello" and report["visits"] == 60 and len(report["moves"]) == 4
    assert report["best"] == report["moves"][0]["move"] == report["moves"][0]["pv"][0]
    assert sum(move["visits"] for move in report["moves"]) == 60
    assert {"prior", "q", "wdl", "plies", "share", "proven"} <= set(report["moves"][0])


def test_analyze_a_position_text(capsys: Capture) -> None:
    assert main(["analyze", "tictactoe", "--position", "XX./OO./... X", "--sims", "200", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["best"] == "c3" and report["moves"][0]["proven"] == "win"


def nodes_of(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg" and root.get("viewBox")
    nodes = [g for g in root.iter(f"{SVG}g") if g.get("class") == "node"]
    return ["".join(text for text in node.itertext()) for node in nodes]


@pytest.mark.parametrize(("id", "nodes"), [("connect4", 50), ("othello:6", 1), ("hex:5,swap=on", 200), ("go:5", 120)])
def test_the_picture_has_the_most_visited_nodes(id: str, nodes: int, tmp_path: Path) -> None:
    file = tmp_path / "tree.svg"
    argv = ["analyze", id, "--sims", "400", "--tree", str(file), "--tree-nodes", str(nodes)]
    assert main(argv) == 0
    svg = file.read_text(encoding="utf-8")
    assert len(nodes_of(svg)) == nodes
    paths = list(ElementTree.fromstring(svg).iter(f"{SVG}path"))
    assert len(paths) == nodes - 1 + 1  # a branch to every node but the root; one in the legend


def test_a_small_tree_is_drawn_whole() -> None:
    game = games.make("tictactoe")
    player = search_player("mcts:30", game)
    player.agent.analyze(game.start())
    branches = grown(player.agent, game.start(), 200)
    assert len(branches) == player.agent.search.nodes(0)
    svg = draw_tree(branches, "a < b & c")
    assert len(nodes_of(svg)) == len(branches)
    # No node lies on another, the most visited line is level, and wider branches carry more visits.
    places = sorted((branch.x, branch.y) for branch in branches)
    for (x0, y0), (x1, y1) in itertools.pairwise(places):
        assert x1 != x0 or y1 - y0 > 20
    main_line = [branch for branch in branches if branch.main]
    assert len({branch.y for branch in main_line}) == 1 and len(main_line) > 1
    visits = {branch.text: branch.visits for branch in branches if branch.depth == 1}
    assert main_line[1].visits == max(visits.values())


def test_there_is_no_minus_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "connect4", "solver", "solver", "--games", "2"]) == 0
    assert "Elo +0, " in capsys.readouterr().out
    assert elo_text(-0.4, -0.0, 0.4) == "+0, 95 % interval +0 … +0"


def test_values_in_the_picture_belong_to_the_side_to_move_at_the_root() -> None:
    game = games.make("connect4")
    state = game.from_moves("121212")
    player = search_player("mcts:300,solver", game)
    player.agent.analyze(state)
    first = next(b for b in grown(player.agent, state) if b.depth == 1 and b.text == "1")
    assert first.q == 1 and first.proven == "win" and first.mover == 0


def test_a_line_as_long_as_a_game_can_be_drawn() -> None:
    branches = [Branch("", None, 5000, 0.0, main=True)]
    for depth in range(1, 3000):
        branch = Branch("a1", depth % 2, 5000 - depth, 0.0, depth=depth, parent=branches[-1])
        branches[-1].children.append(branch)
        branches.append(branch)
    assert len(nodes_of(draw_tree(branches, "long"))) == 3000
