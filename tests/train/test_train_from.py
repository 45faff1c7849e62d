"""`tengen train --from NET`: a run that begins with a network instead of from zero."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")

import torch

import tengen.train.loop
from support.networks import make_test_network
from tengen import games
from tengen.cli import main
from tengen.games import Game
from tengen.net.file import NetworkError, NetworkFile
from tengen.net.shape import NetworkShape
from tengen.net.tower.export import export_onnx, relative_difference, sample_planes, to_onnx, torch_answer
from tengen.net.tower.model import Network
from tengen.net.tower.unfold import unfold
from tengen.records.store import ChunkStore
from tengen.train.learner import Learner, LearnerConfig

GAME = games.make("tictactoe")
NETWORK = make_test_network(GAME)
PLANES = sample_planes(GAME, 200)
TINY = ["--set", "loop.slots=16", "--set", "loop.turn_positions=64"]


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.onnx"
    export_onnx(NETWORK, path, GAME, step=70)
    return path


def test_it_says_what_the_file_says() -> None:
    file = to_onnx(NETWORK, GAME)
    network = unfold(file, GAME, PLANES)
    expected = torch_answer(NETWORK, sample_planes(GAME, 50, seed=3))
    assert relative_difference(expected, torch_answer(network, sample_planes(GAME, 50, seed=3))) < 1e-4
    # BatchNorms go by the batch while it learns: here by the positions that they were set by, so nothing changes.
    with torch.no_grad():
        learning = [out.numpy() for out in network.train().answer(torch.from_numpy(PLANES))]
    assert relative_difference(torch_answer(NETWORK, PLANES), learning) < 1e-3
    assert to_onnx(network, GAME).hash != file.hash  # it is not the file that was compared


def test_a_larger_network_begins_with_it_too() -> None:
    start = unfold(to_onnx(NETWORK, GAME), GAME, PLANES)
    for size in (NETWORK.shape.size, "12x4"):
        learner = Learner(NetworkShape.of(GAME, size), LearnerConfig())
        learner.begin_with(start)
        for network in (learner.network, learner.released):
            assert relative_difference(torch_answer(NETWORK, PLANES), torch_answer(network, PLANES)) < 1e-3
    with pytest.raises(NetworkError, match="can only grow"):
        Learner(NetworkShape.of(GAME, "4x1"), LearnerConfig()).begin_with(start)


def test_a_run_begins_with_a_network(net: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert main(["train", "tictactoe", "--from", str(net), "--run", str(run), "--steps", "1", *TINY]) == 0
    first, last = (NetworkFile.load(path, GAME) for path in (net, run / "current.onnx"))
    assert (last.size, last.step) == (first.size, 1) and (run / "start.onnx").read_bytes() == net.read_bytes()
    answers = [torch_answer(unfold(file, GAME, PLANES), PLANES)[1] for file in (first, last)]
    assert 0 < np.abs(answers[0] - answers[1]).mean() < 0.02  # one step away


def test_it_is_made_ready_by_the_positions_it_learns_from(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Set by random positions alone, the BatchNorms of a Connect4 network made its value loss 1.3 instead of 0.4."""
    by = list[np.ndarray[Any, Any]]()

    def noting(file: NetworkFile, game: Game, planes: np.ndarray[Any, Any]) -> Network:
        by.append(planes)
        return unfold(file, game, planes)

    monkeypatch.setattr(tengen.train.loop, "unfold", noting)
    run = tmp_path / "run"
    more = ["--set", "selfplay.opening_share=1", "--set", "selfplay.opening_plies=1"]
    assert main(["train", "tictactoe", "--from", str(net), "--run", str(run), "--steps", "3", *TINY, *more]) == 0
    records = [record for _, chunk in ChunkStore(run / "games").read(lambda *_: None) for record in chunk]
    starts, plies = np.cumsum([0, *map(len, records)]), [np.flatnonzero(record.full) for record in records]
    request = [(game, ply, s) for game, some in enumerate(plies) for ply in some.tolist() for s in range(8)]
    game, ply, symmetry = (
        np.array(column, dtype) for column, dtype in zip(zip(*request, strict=True), "iiB", strict=True)
    )
    moves = np.concatenate([record.moves for record in records])
    played = {planes.tobytes() for planes in GAME.replay(moves, starts, game, ply, symmetry)[0]}
    assert len(by) == 2
    assert not all(planes.tobytes() in played for planes in by[0])
    assert all(planes.tobytes() in played for planes in by[1])


def test_wrong_networks_are_refused_before_anything_is_written(
    net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, rounded = tmp_path / "other.onnx", tmp_path / "rounded.onnx"
    connect4 = games.make("connect4")
    export_onnx(make_test_network(connect4), other, connect4)
    export_onnx(NETWORK, rounded, GAME, calibration=PLANES)
    run = tmp_path / "run"
    for path, more, hint in (
        ("shipped", [], "no network ships for tictactoe"),
        (tmp_path / "none.onnx", [], "No such file"),
        (tmp_path, [], "Is a directory"),
        (other, [], "plays connect4, not tictactoe"),
        (rounded, [], "8 bits"),
        (net, ["--size", "4x1"], "can only grow"),
        (net, ["--size", "huge"], "a network's size is"),
    ):
        assert main(["train", "tictactoe", "--from", str(path), "--run", str(run), "--steps", "1", *more]) == 2
        said = capsys.readouterr().err
        assert hint in said and said.count("\n") == 1
        assert not run.exists()
    assert main(["train", "tictactoe", "--run", str(run), "--steps", "1", *TINY, "--size", "8x1"]) == 0
    capsys.readouterr()
    assert main(["train", "tictactoe", "--from", str(net), "--run", str(run), "--steps", "2"]) == 2
    assert "has begun already" in capsys.readouterr().err
