"""The scorecard: its counts against a recount, its labels against the solver, its verb and the files it reads."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from support.networks import make_test_network
from tengen import games
from tengen.cli import main
from tengen.config import SearchConfig
from tengen.exact import solver
from tengen.exact.solver import CLASSES
from tengen.files import write_durably
from tengen.games import GameError, State
from tengen.net.evaluator import Batch, Evaluation, Leaves, Rollout, Uniform, make_evaluator
from tengen.net.file import NetworkError
from tengen.net.tower.export import to_onnx, torch_answer
from tengen.play.choosers import RandomPlayer
from tengen.play.players import PlayerError, make_player, search_player
from tengen.play.scorecard import (
    Positions,
    PositionsError,
    Scores,
    choose_moves,
    judge_moves,
    measure,
    network_check,
    own_positions,
    read_positions,
)
from tengen.search.agent import Agent

Capture = pytest.CaptureFixture[str]
GAME = games.make("connect4")
OWN = own_positions(GAME)
EVERY = Positions.join("all", OWN)
NETWORK = make_test_network(GAME)
FILE = to_onnx(NETWORK, GAME)

needs_book = pytest.mark.skipif(solver.book_path() is None, reason="slow without the extra `perfect`")


def raw_rows(name: str) -> list[tuple[str, dict[int, int]]]:
    """A class as its file has it: moves, and the score of each column that is not full."""
    file = Path(solver.__file__).parent.parent / "data" / "connect4" / f"{name}.tsv"
    rows = [line.split("\t") for line in file.read_text().splitlines()[1:]]
    return [(row[0], {c: int(text) for c, text in enumerate(row[2:]) if text != "."}) for row in rows]


def outcome(score: int) -> str:
    return "won" if score > 0 else "lost" if score < 0 else "drawn"


def recounted(rows: Sequence[tuple[str, dict[int, int]]], moves: Sequence[int]) -> dict[str, tuple[int, int, int]]:
    """Positions, kept values and best moves per kind of position, counted one by one."""
    counts = {kind: [0, 0, 0] for kind in ("all", "mistakes", "won", "drawn", "lost")}
    for (_, scores), move in zip(rows, moves, strict=True):
        best = max(scores.values())
        kinds = ["all", outcome(best)]
        if any(outcome(score) != outcome(best) for score in scores.values()):
            kinds.append("mistakes")
        for kind in kinds:
            counts[kind][0] += 1
            counts[kind][1] += outcome(scores[move]) == outcome(best)
            counts[kind][2] += scores[move] == best
    return {kind: (n, kept, best) for kind, (n, kept, best) in counts.items()}


def counts_of(scores: Scores) -> dict[str, tuple[int, int, int]]:
    parts = {"all": scores, "mistakes": scores.mistake_possible}
    parts |= {"won": scores.won, "drawn": scores.drawn, "lost": scores.lost}
    return {kind: (share.positions, share.kept, share.best) for kind, share in parts.items()}


# The labels


@needs_book
@pytest.mark.parametrize("name", CLASSES)
def test_own_labels_agree_with_the_solver(name: str) -> None:
    (positions,) = own_positions(GAME, [name])
    assert len(positions) == 300
    sample = slice(0, 300, 25)
    assert solver.solve_many(positions.states[sample]).tolist() == positions.scores[sample].tolist()


def test_own_positions_are_read_as_their_files_have_them() -> None:
    for positions, name in zip(OWN, CLASSES, strict=True):
        rows = raw_rows(name)
        assert [state.moves_text() for state in positions.states] == [moves for moves, _ in rows]
        for scores, (_, expected) in zip(positions.scores, rows, strict=True):
            assert {c: s for c, s in enumerate(scores.tolist()) if s != solver.FULL_COLUMN} == expected


# Published with the sets: where a mistake is possible, and how often a uniformly random move keeps the value.
@pytest.mark.parametrize(
    ("name", "mistakes", "floor"),
    [("L3_R1", 497, 0.689), ("L2_R1", 455, 0.714), ("L2_R2", 581, 0.579), ("L1_R1", 499, 0.739)],
)
def test_the_known_floors_of_the_benchmark_sets(data_dir: Path, name: str, mistakes: int, floor: float) -> None:
    positions = read_positions(GAME, data_dir / "connect4" / f"moves_{name}.tsv")
    assert len(positions) == 1000 and positions.mistake_possible.sum() == mistakes
    assert network_check(Uniform(GAME), positions).policy_on_keeping == pytest.approx(floor, abs=0.0006)


# Players


@needs_book
def test_the_solver_is_always_right() -> None:
    positions = Positions.join("some", [part.where(np.arange(300) % 12 == 0) for part in OWN])
    scores = measure(make_player("solver", GAME, slots=64), positions, slots=64)
    assert scores.positions == 150 == scores.kept == scores.best
    assert scores.value_keeping == scores.exactly_best == scores.mistake_possible.exactly_best == 1


def test_counts_are_those_of_a_recount() -> None:
    rows = [row for name in CLASSES for row in raw_rows(name)]
    moves = choose_moves(make_player("random", GAME, slots=100, seed=5), EVERY, slots=100)
    counts = recounted(rows, moves.tolist())
    assert counts_of(judge_moves(EVERY, moves)) == counts
    assert 0.5 < counts["all"][1] / 1800 < 0.75 and counts["lost"][0] == counts["lost"][1] > counts["lost"][2]
    other = measure(make_player("random", GAME, slots=100, seed=6), EVERY, slots=100)
    assert counts_of(other) != counts


def test_every_position_is_a_game_of_its_own() -> None:
    """Slots are used again, and yet the moves depend on the position's number alone."""
    few, many = (choose_moves(make_player("random", GAME, slots=n), EVERY, slots=n) for n in (7, 1800))
    assert few.tolist() == many.tolist()
    positions = OWN[0]
    trees = [choose_moves(search_player("mcts:20", GAME, slots=n), positions) for n in (11, 300)]
    assert trees[0].tolist() == trees[1].tolist()


class Blunderer(RandomPlayer):
    """Plays the best move, but in one position the worst."""

    def __init__(self, positions: Positions, at: int) -> None:
        super().__init__(slots=len(positions), seed=0)
        self._answers = {s.moves_text(): int(scores.argmax()) for s, scores in self._labels(positions)}
        state, scores = self._labels(positions)[at]
        self._answers[state.moves_text()] = min(state.legal_actions(), key=lambda action: scores[action])

    def _labels(self, positions: Positions) -> "list[tuple[State, np.ndarray[tuple[int], np.dtype[np.int8]]]]":
        return list(zip(positions.states, positions.scores, strict=True))

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        return [self._answers[state.moves_text()] for state in states]


def test_a_single_wrong_move_is_caught() -> None:
    positions = OWN[2]
    for value, kind in ((1, "won"), (0, "drawn")):
        at = int(np.flatnonzero(positions.mistake_possible & (positions.values == value))[3])
        scores = measure(Blunderer(positions, at), positions, slots=50)
        assert scores.kept == scores.best == 299
        assert {k: n - kept for k, (n, kept, _) in counts_of(scores).items() if n > kept}.keys() == {
            "all",
            "mistakes",
            kind,
        }
    lost = np.flatnonzero((positions.values == -1) & (positions.scores.max(axis=1) > -15))
    spread = next(i for i in lost.tolist() if len(set(positions.scores[i][positions.legal[i]].tolist())) > 1)
    scores = measure(Blunderer(positions, spread), positions, slots=50)
    assert (scores.kept, scores.best) == (300, 299) and scores.lost.best == scores.lost.positions - 1


def test_illegal_moves_are_not_counted_as_anything() -> None:
    positions = OWN[0]
    full = int(np.flatnonzero(~positions.legal.all(axis=1))[0])
    moves = positions.scores.argmax(axis=1)
    moves[full] = positions.scores[full].argmin()
    with pytest.raises(ValueError, match="illegal"):
        judge_moves(positions, moves)


def test_more_thought_gives_better_moves() -> None:
    random = measure(make_player("random", GAME, slots=256), EVERY, slots=256)
    player = search_player("mcts:200", GAME, slots=256)
    little, much = (measure(player, EVERY, sims) for sims in (5, 200))
    assert random.value_keeping + 0.1 < much.value_keeping and random.exactly_best + 0.1 < much.exactly_best
    assert little.value_keeping + 0.05 < much.value_keeping
    assert measure(player, EVERY) == much


def test_agents_are_measured_without_chance_and_left_as_they_were() -> None:
    serious = Agent(GAME, Rollout(), SearchConfig(sims=30), slots=300)
    config = SearchConfig(sims=7, temperature_plies=99, temperature_end=1, noise_epsilon=0.5, noise_alpha=1)
    playful = Agent(GAME, Rollout(), config, slots=300)
    assert choose_moves(playful, OWN[0], 30).tolist() == choose_moves(serious, OWN[0]).tolist()
    assert playful.config == config
    with pytest.raises(ValueError, match="does not search"):
        measure(make_player("random", GAME), OWN[0], 30)


# Networks


def test_the_network_check_is_that_of_a_recount() -> None:
    positions = EVERY.where(np.arange(1800) % 6 == 1)
    check = network_check(make_evaluator(FILE, GAME, "onnxruntime"), positions)
    policy, wdl, _ = torch_answer(NETWORK, positions.planes)
    kept = probability = error = 0.0
    for i, state in enumerate(positions.states):
        likely = {a: float(np.exp(policy[i][a])) for a in state.legal_actions()}
        scores = positions.scores[i].tolist()
        best = max(scores[a] for a in likely)
        good = [a for a in likely if outcome(scores[a]) == outcome(best)]
        kept += max(likely, key=lambda a: likely[a]) in good
        probability += sum(likely[a] for a in good) / sum(likely.values())
        error += (float(wdl[i][0] - wdl[i][2]) - np.sign(best)) ** 2
    assert check.positions == 300
    assert check.value_keeping == pytest.approx(kept / 300)
    assert check.policy_on_keeping == pytest.approx(probability / 300, abs=1e-4)
    assert check.value_error == pytest.approx(error / 300, abs=1e-4)


def mirrored(leaves: Leaves, /) -> Evaluation:
    """An opinion that turns with the board: that of a position and of its mirror image, added up."""
    weights = np.random.default_rng(2).standard_normal((*GAME.planes_shape, GAME.num_actions)).astype(np.float32)
    one, other = (np.einsum("bprc,prca->ba", planes, weights) for planes in (leaves.planes, leaves.planes[..., ::-1]))
    answer = Uniform(GAME)(leaves)
    return Evaluation(one + other[:, ::-1], answer.wdl, answer.moves_left)


def test_zero_simulations_are_the_network_alone() -> None:
    agent = Agent(GAME, mirrored, SearchConfig(solver=False), slots=64)
    check = network_check(mirrored, EVERY)
    alone = measure(agent, EVERY, 0)
    assert (alone.value_keeping, alone.mistake_possible.value_keeping) == (
        check.value_keeping,
        check.value_keeping_where_a_mistake_is_possible,
    )


def test_a_network_that_knows_everything_is_told_so() -> None:
    labels = {key: i for i, key in enumerate(EVERY.keys.tolist())}

    def oracle(leaves: Leaves, /) -> Evaluation:
        rows = [labels[key] for key in leaves.keys.tolist()]
        policy = np.where(EVERY.keeping[rows], 0.0, -50.0).astype(np.float32)
        wdl = (EVERY.values[rows][:, None] == np.array([1, 0, -1])).astype(np.float32)
        return Evaluation(policy, wdl, np.zeros(len(rows), np.float32))

    check = network_check(oracle, EVERY)
    assert (check.value_keeping, check.value_error) == (1, 0) and check.policy_on_keeping == pytest.approx(1)

    def wrong(leaves: Batch, /) -> Evaluation:
        right = oracle(leaves)
        return Evaluation(-right.policy, right.wdl[:, ::-1], right.moves_left)

    check = network_check(wrong, EVERY)  # type: ignore[arg-type]
    assert check.value_keeping_where_a_mistake_is_possible == 0
    assert check.value_error == pytest.approx(4 * np.mean(EVERY.values != 0))


def test_the_shipped_network_is_a_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("tengen.net.file.SHIPPED", tmp_path)
    with pytest.raises(PlayerError, match="no network ships for connect4, networks come with training"):
        make_player("shipped@5", GAME)
    assert main(["score", "connect4", "--sims", "0"]) == 2
    assert "give --net FILE or --player SPEC" in capsys.readouterr().err

    write_durably(tmp_path / "connect4.onnx", FILE.data)
    write_durably(tmp_path / "gomoku-9-rule-exact.onnx", FILE.data)
    with pytest.raises(NetworkError, match="plays connect4, not gomoku:9,rule=exact"):
        make_player("shipped", games.make("gomoku:9,rule=exact"))
    player = search_player("shipped@5", GAME)
    assert (player.name, player.agent.config.sims) == ("shipped@5", 5)
    assert search_player("shipped", GAME).agent.config.sims == SearchConfig().sims

    argv = ["--classes", "end_easy", "--sims", "0", "3", "--json"]
    assert main(["score", "connect4", *argv]) == 0
    shipped = json.loads(capsys.readouterr().out)
    assert [report["sims"] for report in shipped] == [0, 3] and shipped[0]["player"] == "shipped"
    assert main(["score", "connect4", "--net", str(tmp_path / "connect4.onnx"), *argv]) == 0
    named = json.loads(capsys.readouterr().out)
    assert [report["files"] for report in named] == [report["files"] for report in shipped]

    assert main(["games", "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out) if row["network_ships"]] == ["connect4"]
    assert main(["games"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Networks ship for connect4"


# Files and the verb

SHARES = ("value_keeping", "exactly_best")
MISTAKES_POSSIBLE = "where_a_mistake_is_possible"


def test_the_shape_of_the_json(capsys: Capture) -> None:
    argv = ["score", "connect4", "--player", "mcts:1", "--sims", "40", "--classes", "middle_easy", "end_easy", "--json"]
    assert main(argv) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["positions"], report["sims"], report["player"], report["game"]) == (600, 40, "mcts:1", "connect4")
    assert [(part["name"], part["positions"], part["sims"]) for part in report["files"]] == [
        ("middle_easy", 300, 40),
        ("end_easy", 300, 40),
    ]
    for part in (report, *report["files"]):
        shares = [part[name] for name in SHARES] + [part[f"{name}_{MISTAKES_POSSIBLE}"] for name in SHARES]
        assert all(0 < share < 1 for share in shares)
        kinds = [part[kind] for kind in ("won", "drawn", "lost")]
        assert sum(kind["positions"] for kind in kinds) == part["positions"]
        kept = sum(kind["positions"] * kind["value_keeping"] for kind in kinds)
        assert kept == pytest.approx(part["positions"] * part["value_keeping"])
    for name in SHARES:
        assert report[name] == pytest.approx(np.mean([part[name] for part in report["files"]]))
    assert report["lost"]["value_keeping"] == 1


def test_a_kind_without_positions_has_no_share(capsys: Capture) -> None:
    argv = ["score", "connect4", "--player", "random", "--classes", "beginning_easy"]
    assert main([*argv, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["drawn"] == {"positions": 0, "value_keeping": None, "exactly_best": None} and report["sims"] is None
    assert main(argv) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("beginning_easy")]
    assert row.split()[1] == "300" and row.split()[8:10] == ["–", "–"] and "nan" not in row


def test_the_table_has_a_row_per_class_and_one_for_all(capsys: Capture) -> None:
    assert main(["score", "connect4", "--player", "mcts:30"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:-1]] == [*CLASSES, "all"]
    player = search_player("mcts:30", GAME, slots=256)
    expected = measure(player, EVERY)
    assert lines[-2].split()[:4] == [
        "all",
        "1800",
        f"{100 * expected.value_keeping:.1f}",
        f"{100 * expected.exactly_best:.1f}",
    ]
    assert all(len(line) <= 80 for line in lines[1:])


def test_users_files_are_solved(data_dir: Path, tmp_path: Path, capsys: Capture) -> None:
    source = (data_dir / "connect4" / "Test_L3_R1").read_text().splitlines()[:40]
    file = tmp_path / "mine"
    file.write_text("\n".join(["", *source, "  "]))
    told: list[tuple[int, int]] = []
    positions = read_positions(GAME, file, lambda done, total: told.append((done, total)))
    truth = read_positions(GAME, data_dir / "connect4" / "moves_L3_R1.tsv")
    assert positions.scores.tolist() == truth.scores[:40].tolist()
    assert told[-1] == (40, 40) and len(told) > 1

    argv = ["score", "connect4", "--player", "solver", "--json", "--positions", str(file)]
    assert main(argv) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["exactly_best"] == 1 and [part["name"] for part in report["files"]] == [str(file)]
    assert main([*argv, "--classes", "end_easy"]) == 0
    assert json.loads(capsys.readouterr().out)["positions"] == 340


GOOD = "2252576253462244111563365343671351441 -1\n"
TABLE = "position\tscore\tc1\tc2\tc3\tc4\tc5\tc6\tc7\n"
LABELLED = "54176445313565434167521731741\t{score}\t{first}\t-6\t-6\t.\t-6\t-3\t{last}\n"
BAD_FILES = {
    "empty": ("", "no positions"),
    "only a header": (TABLE, "no positions"),
    "score missing": (GOOD + "4444\n", "line 2: expected `moves score`"),
    "too many words": (GOOD + "44 44 1\n", "line 2: expected `moves score`"),
    "score in words": ("4444 won\n", "line 1: a score"),
    "score too great": ("4444 19\n", "line 1: a score"),
    "score endless": ("4444 " + "9" * 5000 + "\n", "line 1: a score"),
    "score in other digits": ("4444 ١\n", "line 1: a score"),
    "no such column": (GOOD + GOOD + "48 1\n", "line 3: "),
    "column too full": ("4444444 1\n", "line 1: move 7: illegal move 4"),
    "game over": ("1212121 18\n", "line 1: the game is over"),
    "wrong score": (GOOD + GOOD.replace("-1", "-2"), "line 2: it says score -2, the best move has -1"),
    "label not a number": (TABLE + LABELLED.format(score=-3, first=".", last="x"), "line 2: a score"),
    "label of a full column": (TABLE + LABELLED.format(score=-3, first="-6", last="-6"), "line 2: '.'"),
    "no label of an open column": (TABLE + LABELLED.format(score=-3, first=".", last="."), "line 2: '.'"),
    "labels that contradict": (TABLE + LABELLED.format(score=-2, first=".", last="-6"), "line 2: it says score -2"),
    "label cut off": (TABLE + "4444\t1\t1\n", "line 2: expected the 9 columns"),
}


@pytest.mark.parametrize(("text", "hint"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_line_is_named(text: str, hint: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(text, "utf-8")
    with pytest.raises(PositionsError) as error:
        read_positions(GAME, file)
    assert isinstance(error.value, GameError) and hint in str(error.value) and len(str(error.value)) < 400
    assert main(["score", "connect4", "--player", "random", "--positions", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("tengen score: ") and err.count("\n") == 1
    assert "positions.txt" in err and hint in err


def test_a_table_with_right_labels_is_read(tmp_path: Path) -> None:
    file = tmp_path / "table.tsv"
    file.write_text(TABLE + LABELLED.format(score=-3, first=".", last="-6"))
    assert read_positions(GAME, file).best.tolist() == [-3]


MISTAKES = {
    "another game": (["score", "othello"], "othello has no exact solver; solved so far: connect4"),
    "an unknown game": (["score", "chess"], "connect4"),
    "no game": (["score"], "connect4"),
    "two players": (["score", "connect4", "--net", "a", "--player", "random"], "--player"),
    "unknown player": (["score", "connect4", "--player", "alphago"], "players are random"),
    "missing network": (["score", "connect4", "--net", "no/where.onnx", "--sims", "0"], "no/where.onnx: No such file"),
    "damaged network": (["score", "connect4", "--net", __file__], "not a network file"),
    "unknown class": (["score", "connect4", "--player", "random", "--classes", "hard"], "beginning_hard"),
    "missing file": (["score", "connect4", "--player", "random", "--positions", "/no/where"], "/no/where: No such"),
    "a folder": (["score", "connect4", "--player", "random", "--positions", "/"], "/: Is a directory"),
    "no text": (["score", "connect4", "--player", "random", "--positions", sys.executable], "not a text file"),
    "simulations of a random player": (["score", "connect4", "--player", "random", "--sims", "5"], "leave --sims out"),
    "negative simulations": (["score", "connect4", "--player", "uniform", "--sims", "-5"], "-5"),
    "pure mcts without search": (["score", "connect4", "--player", "mcts:9", "--sims", "0"], "must be 1 or more"),
    "unknown device": (["score", "connect4", "--net", __file__, "--device", "abacus"], "unknown device"),
    "unknown setting": (["score", "connect4", "--player", "mcts:9", "--set", "search.simz=1"], "did you mean 'sims'"),
}


@pytest.mark.parametrize(("argv", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_answered_by_one_line_and_exit_code_2(argv: list[str], hint: str, capsys: Capture) -> None:
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("tengen") and err.endswith("\n") and err.count("\n") == 1
    assert hint in err


def test_settings_reach_the_search(capsys: Capture) -> None:
    kept = []
    for options in (["--sims", "2"], ["--set", "search.sims=2"], []):
        assert main(["score", "connect4", "--player", "mcts:100", "--json", *options]) == 0
        report = json.loads(capsys.readouterr().out)
        kept.append((report["sims"], report["value_keeping"]))
    assert kept[0] == kept[1] and kept[0][1] < kept[2][1] and [sims for sims, _ in kept] == [2, 2, 100]
    assert main(["score", "connect4", "--player", "mcts:7", "--json", "--sims", "2", "--sims", "100"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert [(report["sims"], report["value_keeping"]) for report in both] == [kept[0], kept[2]]


def test_a_bar_is_drawn_on_a_terminal_only() -> None:
    command = [sys.executable, "-m", "tengen", "score", "connect4", "--player", "mcts:20", "--classes", "end_easy"]
    quiet = subprocess.run(command, capture_output=True, text=True)
    assert quiet.stderr == "" and "\x1b" not in quiet.stdout
    terminal_in, terminal = os.openpty()
    loud = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, env=os.environ | {"TERM": "xterm"})
    os.close(terminal)
    assert loud.returncode == 0 and b"300/300" in os.read(terminal_in, 1 << 16)
    os.close(terminal_in)
