"""Expected leads and owners, as engines and the terminal tell them: whose view, which cells, and no nonsense."""

import json
import re
from collections.abc import Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from support.counting import GAME, MOVES, TURNED, counting_network
from tengen.cli import main
from tengen.engine import analysis, gtp
from tengen.engine.channel import Script
from tengen.engine.thinker import Thinker
from tengen.net.evaluator import Batch, NetworkEvaluator, foreseen_owners, make_evaluator
from tengen.net.evaluator.onnxruntime import OnnxRuntime
from tengen.play.players import search_player

SIMS = 16
TURNS = [1, 4]  # White to move, and Black


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("nets") / "counts.onnx"
    path.write_bytes(counting_network().data)
    return f"net:{path}@{SIMS}"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("nets") / "hostile.onnx"
    path.write_bytes(counting_network(hostile=True).data)
    return f"net:{path}@{SIMS}"


def ask(player: str, *queries: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    """Answers about turns of the game, by the query's id and the turn."""
    moves = [["BW"[ply % 2], move] for ply, move in enumerate(MOVES.split())]
    whole = {"moves": moves, "analyzeTurns": TURNS, "maxVisits": SIMS, "includeOwnership": True}
    channel = Script([json.dumps(whole | query) for query in queries])
    analysis.serve(channel, Thinker(player, threads=1), GAME)
    answers = [json.loads(line) for line in channel.said.splitlines()]
    assert len(answers) == len(TURNS) * len(queries) and all("error" not in answer for answer in answers)
    return {(answer["id"], answer["turnNumber"]): answer for answer in answers}


class Told(NamedTuple):
    best: str
    leads: list[float]  # of all moves shown
    owners: list[float]


def kata(player: str, moves: str) -> Told:
    plays = [f"play {'bw'[ply % 2]} {move}" for ply, move in enumerate(moves.split())]
    script = Script([*plays, "kata-genmove_analyze 1 ownership true", "quit"])
    gtp.serve(script, Thinker(player, threads=1), GAME)
    line = [line for line in script.said.splitlines() if line.startswith("info ")][-1]
    words, _, owners = line.partition(" ownership ")
    leads = [float(part.split()[0]) for part in words.split(" scoreLead ")[1:]]
    return Told(line.split()[2], leads, [float(word) for word in owners.split()])


@cache
def evaluator() -> NetworkEvaluator:
    return make_evaluator(counting_network(), GAME)


def owners_of(moves: str) -> list[float]:
    """By the network itself, for the side to move."""
    owners = foreseen_owners(evaluator(), GAME.from_moves(moves))
    assert owners is not None
    return [float(each) for each in owners]


def leads_of(moves: str) -> list[float]:
    """What the network says under all symmetries, for the side to move; the search asks for one of them."""
    state = GAME.from_moves(moves)
    shown = np.stack([state.planes(symmetry) for symmetry in range(GAME.num_symmetries)])
    leads = evaluator()(Batch(shown, np.arange(len(shown), dtype=np.uint64))).lead
    assert leads is not None
    return sorted(leads.tolist())


def is_among(value: float, leads: list[float]) -> bool:
    return leads[0] - 0.1 <= value <= leads[-1] + 0.1


def test_the_analysis_engine_tells_what_the_network_expects_as_the_side_that_was_asked_for(player: str) -> None:
    views = {"SIDETOMOVE": (1, 1), "BLACK": (1, -1), "WHITE": (-1, 1)}  # signs for Black and White to move
    settings = [{"overrideSettings": {"reportAnalysisWinratesAs": view}} for view in views]
    roots = ask(player, *({"id": view, "maxVisits": 1} | each for view, each in zip(views, settings, strict=True)))
    first = ask(player, *({"id": view, "maxVisits": 2} | each for view, each in zip(views, settings, strict=True)))
    for turn in TURNS:
        moves = " ".join(MOVES.split()[:turn])
        leads, owners = leads_of(moves), owners_of(moves)
        assert leads[0] > 1 and max(map(abs, owners)) > 0.05
        for view, signs in views.items():
            sign, answer = signs[turn % 2], roots[view, turn]
            lead = answer["rootInfo"]["scoreLead"]
            assert lead == answer["rootInfo"]["scoreMean"] and is_among(sign * lead, leads)
            assert answer["ownership"] == pytest.approx([sign * each for each in owners], abs=1e-3)
            (move,) = first[view, turn]["moveInfos"]
            assert is_among(-sign * move["scoreLead"], leads_of(f"{moves} {move['move'].lower()}"))


@pytest.mark.parametrize("turn", TURNS)
def test_gtp_tells_it_as_the_side_to_move(player: str, turn: int) -> None:
    moves = " ".join(MOVES.split()[:turn])
    told = kata(player.replace(f"@{SIMS}", "@2"), moves)
    assert told.owners == pytest.approx(owners_of(moves), abs=1e-3)
    assert is_among(-told.leads[0], leads_of(f"{moves} {told.best.lower()}"))


def test_a_turned_position_has_the_same_leads_and_turned_owners() -> None:
    stones, after = (GAME.from_moves(moves).stones() for moves in (MOVES, TURNED))
    assert turned(stones) == after and stones != after
    assert turned(owners_of(MOVES)) == pytest.approx(owners_of(TURNED), abs=1e-4)
    assert leads_of(MOVES) == pytest.approx(leads_of(TURNED), abs=1e-3)


def turned(cells: Sequence[float]) -> list[float]:
    found: list[float] = np.rot90(np.reshape(cells, (5, 5)), -1).ravel().tolist()
    return found


def test_without_a_network_that_counts_owners_are_those_of_the_board_and_leads_are_zero() -> None:
    answer = ask(f"uniform@{SIMS}", {"id": "a"})["a", 1]
    assert answer["rootInfo"]["scoreLead"] == 0 and answer["ownership"] == [1] * 25
    by_playouts = ask("plain:60", {"id": "a"})["a", 1]
    assert by_playouts["rootInfo"]["scoreLead"] != 0 and by_playouts["ownership"] == [1] * 25


def test_whatever_a_network_says_stays_within_bounds(hostile: str) -> None:
    state = GAME.from_moves(MOVES)
    raw = OnnxRuntime(counting_network(hostile=True), 1)
    assert np.isnan(raw.owners(state.planes()[None])).any()  # else this test tries nothing
    seen = foreseen_owners(raw, state)
    assert seen is not None and np.isfinite(seen).all()
    found = search_player(hostile, GAME).agent.analyze(state)
    assert found.lead is not None and 900 < abs(found.lead) <= 1000
    answer = ask(hostile, {"id": "a"})["a", TURNS[-1]]
    assert abs(answer["rootInfo"]["scoreLead"]) <= 1000 and all(-1 <= each <= 1 for each in answer["ownership"])
    told = kata(hostile, MOVES)
    assert all(abs(lead) <= 1000 for lead in told.leads) and all(-1 <= each <= 1 for each in told.owners)


def test_the_terminal_shows_the_lead(player: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["analyze", "go:5", MOVES, "--player", player, "--sims", "1"]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert " points, " in shown and " lead " in shown
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    best = found["moves"][0]
    assert is_among(-best["lead"], leads_of(f"{MOVES} {best['move']}")) and abs(found["lead"]) < 10
    assert found["owners"] == pytest.approx(owners_of(MOVES), abs=1e-3)
    assert main(["analyze", "connect4", "44", "--player", "plain:50", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["lead"] is None and plain["owners"] is None and plain["moves"][0]["lead"] is None
    assert main(["analyze", "connect4", "44", "--player", "plain:50"]) == 0
    assert "lead" not in capsys.readouterr().out


def test_a_game_in_the_terminal_hints_with_the_lead(
    player: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("hint\nquit\n"))
    assert main(["play", "go:5", "--opponent", player, "--lang", "en", "--side", "first"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"Try \w+ \(expected score \d+%, lead [+-]\d+\.\d points\)", said)


def test_files_say_the_score_and_keep_a_value_they_have(player: str, tmp_path: Path) -> None:
    game = tmp_path / "game.sgf"
    game.write_text("(;GM[1]FF[4]SZ[5]KM[6.5];B[cc];W[cb]V[77];B[bb];W[];B[])")
    assert main(["analyze", str(game), "--player", player]) == 0
    text = (tmp_path / "game.analyzed.sgf").read_text()
    values = re.findall(r"(?<![A-Z])V\[([^]]*)\]", text)
    assert len(values) == 6 and values[2] == "77" and all(re.fullmatch(r"-?\d+\.\d", each) for each in values[:2])
    assert len(re.findall(r"Score [BW]\+\d+\.\d", text)) == 5
