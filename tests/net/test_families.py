"""Networks for several board sizes: one file, the same answers everywhere, and a door as narrow as for one size."""

import dataclasses
from math import prod
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from support.networks import make_test_network
from support.strangers import CHANGES, ambiguous, changed
from tengen import games
from tengen.app.networks import Networks
from tengen.cli import main
from tengen.games import Family, Game, GameError
from tengen.net import file as files
from tengen.net.evaluator import Batch, make_evaluator
from tengen.net.evaluator.openvino import OpenVino
from tengen.net.file import NetworkError, NetworkFile, schema_hash, shipped_games, shipped_network
from tengen.net.shape import NetworkShape
from tengen.net.tower.checkpoint import load_checkpoint, save_checkpoint
from tengen.net.tower.export import check_parity, export_onnx, relative_difference, sample_planes, to_onnx, torch_answer
from tengen.net.tower.grow import grow
from tengen.net.tower.model import fold, make_network
from tengen.net.tower.unfold import unfold

IDS = ["go:3-7", "hex:3-6,swap=on", "hex:3-5", "gomoku:6-8,rule=renju", "othello:6-8"]
FAMILY = Family.parse("go:3-7")
NETWORK = make_test_network(FAMILY, "4x2")
FILE = to_onnx(NETWORK, FAMILY)
SEEN = [sample_planes(game, 16) for game in FAMILY.games]
ROUNDED = to_onnx(NETWORK, FAMILY, calibration=SEEN)
KEPT = Path(__file__).parent / "nets" / "hex-3-5-2x2.onnx"  # as written when families came


def three(family: Family) -> list[Game]:
    return [family.smallest, family.games[len(family.games) // 2], family.largest]


def keyed(planes: np.ndarray) -> Batch:
    return Batch(planes, np.arange(len(planes), dtype=np.uint64))


@pytest.mark.parametrize("id", IDS)
def test_one_network_answers_on_all_sizes(id: str, tmp_path: Path) -> None:
    """Torch, folded torch, OpenVINO and ONNX Runtime."""
    family = Family.parse(id)
    network = make_test_network(family)
    file = export_onnx(network, tmp_path / "net.onnx", family, step=7)
    assert NetworkFile.load(tmp_path / "net.onnx", family.smallest) == file
    assert (file.game, file.family, file.schema) == (id, family, schema_hash(family.largest))
    onnx.checker.check_model(onnx.load_from_string(file.data), full_check=True)
    for game in three(family):
        planes = sample_planes(game, 20)
        expected = torch_answer(network, planes)
        assert [array.shape for array in expected] == [(20, game.num_actions), (20, 3), (20,)] + [
            (20,),
            (20, prod(game.planes_shape[1:])),
        ] * game.counted
        answers = [make_evaluator(file, game, device, 1)(keyed(planes)) for device in ("onnxruntime", "torch")]
        answers.append(OpenVino(file, game, 1, precision="f32")(keyed(planes)))
        assert relative_difference(expected, torch_answer(fold(network), planes)) < 1e-5
        for answer in answers:
            assert relative_difference(expected[:4], answer) < 1e-5


def test_eight_bits_on_all_sizes() -> None:
    check_parity(NETWORK, ROUNDED, FAMILY)
    for game in three(FAMILY):
        planes = sample_planes(game, 20)
        for device in ("openvino", "onnxruntime"):
            answer = make_evaluator(ROUNDED, game, device, 1)(keyed(planes))
            assert answer.policy.shape == (20, game.num_actions)
            assert np.abs(answer.wdl - torch_answer(NETWORK, planes)[1]).mean() < 0.02


def test_eight_bits_have_room_for_what_every_size_needs() -> None:
    sizes = [to_onnx(NETWORK, FAMILY, calibration=[planes]) for planes in SEEN]
    scales = [name for name in ROUNDED.weights if name.endswith("conv.scale")]
    for name in scales:
        assert ROUNDED.weights[name] >= max(file.weights[name] for file in sizes) * (1 - 1e-6)
    assert any(sizes[0].weights[name] != sizes[-1].weights[name] for name in scales)


def test_the_network_is_told_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of a channel says nothing of how many stones there are."""
    planes = sample_planes(FAMILY.smallest, 8)
    before = torch_answer(NETWORK, planes)
    monkeypatch.setattr("tengen.net.tower.model.MIDDLE_SIDE", 5)
    for old, new in zip(before, torch_answer(NETWORK, planes), strict=True):
        assert not np.allclose(old, new, atol=1e-4)


def test_plies_have_one_scale_for_all_sizes() -> None:
    shape = NetworkShape.of(FAMILY)
    assert shape.bins[-1] == FAMILY.largest.max_plies > FAMILY.smallest.max_plies
    assert (shape.free, shape.actions, NetworkShape.of(FAMILY.largest).free) == (True, 1, False)


def test_games_that_no_network_can_take_together_are_refused() -> None:
    odd = Family("odd", (games.make("go:3"), games.make("hex:4")))
    with pytest.raises(GameError, match="odd: no network can play all these sizes"):
        NetworkShape.of(odd)
    with pytest.raises(NetworkError, match="does not fit go:3"):
        to_onnx(NETWORK, FAMILY.smallest)


def refused(data: bytes) -> None:
    with pytest.raises(NetworkError) as error:
        NetworkFile.parse(data, "net.onnx")
    assert str(error.value).startswith("net.onnx: ") and "\n" not in str(error.value) and len(str(error.value)) < 200


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("file", [FILE, ROUNDED], ids=["f32", "int8"])
def test_what_the_program_does_not_write_is_refused(name: str, file: NetworkFile) -> None:
    refused(changed(file, CHANGES[name]))


@pytest.mark.parametrize("name", ambiguous(FILE))
def test_what_can_be_read_in_two_ways_is_refused(name: str) -> None:
    refused(ambiguous(FILE)[name])


@pytest.mark.parametrize(
    "game",
    [
        *("go:3-7 ", "go:03-7", "go:7-3", "go:3-7,komi=6.50", "go:3-8", "go:7", "go:3", "go:3-20", "go:0-7", "go:3-"),
        *("hex:3-7", "connect4:3-7", "go:3-7,komi=7.50", "go:3-" + "7" * 100, "go:3-7\n", "go:3-7-9", "-", ":3-7"),
    ],
)
def test_a_family_is_named_as_the_program_names_it(game: str) -> None:
    model = onnx.load_from_string(FILE.data)
    model.metadata_props[0].value = game
    refused(model.SerializeToString(deterministic=True))


def test_fixed_rows_are_not_what_the_program_writes() -> None:
    model = onnx.load_from_string(FILE.data)
    assert [size.dim_param for size in model.graph.input[0].type.tensor_type.shape.dim] == ["batch", "", "rows", "cols"]

    def fix(model: onnx.ModelProto) -> None:
        model.graph.input[0].type.tensor_type.shape.dim[2].dim_value = 7

    refused(changed(FILE, fix))


def test_a_family_file_stays_readable() -> None:
    file = NetworkFile.load(KEPT)
    assert (file.game, file.step) == ("hex:3-5", 4)
    assert to_onnx(make_network(NetworkShape.of(file.family, "2x2")), file.family).weights.keys() == file.weights.keys()
    answer = make_evaluator(file, games.make("hex:4"), "onnxruntime", 1)(keyed(sample_planes(games.make("hex:4"), 3)))
    assert answer.policy.shape == (3, 16)


def test_sizes_outside_the_family_are_refused_with_both_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(FILE.data)
    for other in ("go:2", "go:8", "hex:5"):
        with pytest.raises(NetworkError, match=f"this network plays go:3-7, not {other}"):
            make_evaluator(path, games.make(other))
    for game, code in (("go:3", 0), ("go:6", 0), ("go:9", 2)):
        assert main(["analyze", game, "--player", f"net:{path}@8"]) == code
    assert "plays go:3-7, not go:9" in capsys.readouterr().err
    assert main(["match", "go:4", f"net:{path}@4", "random", "--games", "2"]) == 0


def test_shipped_networks_of_several_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    (tmp_path / "go-3-7.onnx").write_bytes(FILE.data)
    own = to_onnx(make_test_network(games.make("go:5"), "4x2"), games.make("go:5"))
    (tmp_path / "go-5.onnx").write_bytes(own.data)
    assert shipped_network(games.make("go:5")) == tmp_path / "go-5.onnx"  # made for it alone
    for free in ("go:6", "go:6,komi=7.5"):  # a range that names no komi holds all
        assert shipped_network(games.make(free)) == tmp_path / "go-3-7.onnx"
    for other in ("go:8", "hex:3"):
        assert shipped_network(games.make(other)) is None
    assert shipped_games() == [f"go:{size}" for size in (3, 4, 5, 6, 7)]


def test_the_app_plays_a_run_of_several_sizes(tmp_path: Path) -> None:
    run = tmp_path / "many"
    run.mkdir()
    (run / "run.toml").write_text('game = "go:3-7"\nversion = 2\n')
    (run / "current.onnx").write_bytes(FILE.data)
    networks = Networks(tmp_path)
    assert {"go:3", "go:7"} <= set(networks.games())
    for size in (3, 5):  # one file, an evaluator for each
        game = games.make(f"go:{size}")
        assert "run:many/current" in [each["id"] for each in networks.available(game)["networks"]]
        with networks.evaluator("run:many/current", game) as evaluate:
            assert evaluate(keyed(sample_planes(game, 2))).policy.shape == (2, game.num_actions)  # type: ignore[operator]
    networks.close()


def test_checkpoints_come_back(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "net.safetensors", NETWORK, FAMILY, step=5)
    back = load_checkpoint(tmp_path / "net.safetensors")
    assert back.family == FAMILY and to_onnx(back.network, FAMILY) == to_onnx(NETWORK, FAMILY)
    for kind in ("onnx", "onnx-int8"):
        out = tmp_path / f"{kind}.onnx"
        assert main(["export", str(tmp_path / "net.safetensors"), "--to", kind, "--out", str(out)]) == 0
        assert NetworkFile.load(out).family == FAMILY


def test_the_way_back_from_a_file() -> None:
    network = unfold(FILE, FAMILY, SEEN[2])
    for planes in SEEN:
        assert relative_difference(torch_answer(NETWORK, planes), torch_answer(network, planes)) < 1e-4
    for other in (games.make("go:5"), Family.parse("go:4-7")):
        with pytest.raises(NetworkError, match=f"plays go:3-7, not {other.id}"):
            unfold(FILE, other, SEEN[0])


def test_a_larger_network_says_the_same() -> None:
    larger = make_network(dataclasses.replace(NETWORK.shape, channels=6, blocks=4))
    grow(larger, "4x2", NETWORK.state_dict())
    for planes in SEEN:
        assert relative_difference(torch_answer(NETWORK, planes), torch_answer(larger, planes)) < 1e-5
    assert not torch.equal(larger.state_dict()["tower.3.pool.weight"], torch.zeros(6, 18, 1, 1))
