"""Networks: they fit every game, fold and export without changing their answers, and come back from disk."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from support.networks import make_test_network
from tengen import GameError, games
from tengen._core import Rng
from tengen.net.file import NetworkError, NetworkFile, schema_hash
from tengen.net.shape import SIZES, NetworkShape, parse_size, ply_bins
from tengen.net.tower import export
from tengen.net.tower.checkpoint import load_checkpoint, save_checkpoint
from tengen.net.tower.export import export_onnx, relative_difference, sample_planes, to_onnx, torch_answer
from tengen.net.tower.model import fold, make_network, two_hot
from tengen.net.tower.quantize import input_ranges

IDS = ["tictactoe", "connect4", "gomoku:7,rule=renju", "othello:6", "go:5", "hex:4", "hex:4,swap=on"]
GAME = games.make("connect4")


@pytest.mark.parametrize("id", IDS)
def test_a_network_fits_every_game(id: str) -> None:
    game = games.make(id)
    network = make_test_network(game)
    out = network(torch.from_numpy(sample_planes(game, 5)))
    assert out.policy.shape == (5, game.num_actions)
    assert out.wdl.shape == (5, 3) and out.plies.shape == (5, len(ply_bins(game.max_plies)))
    policy, wdl, plies = torch_answer(network, sample_planes(game, 5))[:3]
    assert np.allclose(wdl.sum(1), 1, atol=1e-6) and wdl.min() > 0
    assert plies.shape == (5,) and plies.min() >= 0 and plies.max() <= game.max_plies
    assert len(np.unique(policy)) > 5


def test_every_game_of_the_registry_is_covered() -> None:
    assert {games.make(id).name for id in IDS} == set(games.names())


@pytest.mark.parametrize("id", [id for id in IDS if id != "connect4"])
def test_the_policy_of_a_cell_stands_where_its_planes_show_it(id: str) -> None:
    """The policy head takes an action's logit from its cell: that is right only if both count cells alike."""
    game = games.make(id)
    rows, cols = game.planes_shape[1:]
    assert NetworkShape.of(game).cell_actions == rows * cols
    all_empty_are_legal = game.name in ("tictactoe", "hex")
    for number in range(30):
        rng, state = Rng(3, number, 0, "rollout"), game.start()
        while not state.is_terminal():
            actions = state.legal_actions()
            for symmetry in range(game.num_symmetries):
                taken = np.flatnonzero(state.planes(symmetry)[:2].sum(0))
                at = {state.policy_index(action, symmetry) for action in actions}
                assert not at & set(taken.tolist())
                if all_empty_are_legal:
                    assert at - {rows * cols} == set(range(rows * cols)) - set(taken.tolist())
            state.apply(actions[rng.below(len(actions))])


def test_a_cell_sees_its_own_stones() -> None:
    """Cell actions share weights: a position moved by one point moves the policy by one point, away from the edges."""
    game = games.make("gomoku:15")
    network = make_test_network(game, "8x1")
    planes = np.zeros((2, *game.planes_shape), np.float32)
    planes[0, 0, 7, 7] = planes[1, 0, 7, 8] = 1
    policy = torch_answer(network, planes)[0].reshape(2, 15, 15)
    assert np.allclose(policy[0, 4:11, 4:10], policy[1, 4:11, 5:11], atol=1e-5)
    assert policy[0, 4:11, 4:10].std() > 1e-3


def test_the_dial() -> None:
    parameters = [sum(p.numel() for p in make_network(NetworkShape.of(GAME, size)).parameters()) for size in (1, 2, 3)]
    assert parameters == sorted(parameters) and parameters[1] == 214_197  # the figure in docs/networks.md
    assert list(SIZES.values()) == sorted(SIZES.values())
    assert parse_size("96x6") == parse_size(4) == parse_size("4")
    for wrong in ("0", "7", "big", "x4", "48x", "48x0", "5000x2", "48x4x4", "-1", "٣"):
        with pytest.raises(GameError, match="size is 1 to 6"):
            parse_size(wrong)


def test_fresh_networks_depend_on_the_seed_alone() -> None:
    shape = NetworkShape.of(GAME, "8x2")
    first = to_onnx(make_network(shape, seed=1), GAME).hash
    torch.rand(7)
    before = torch.get_rng_state()
    assert to_onnx(make_network(shape, seed=1), GAME).hash == first
    assert to_onnx(make_network(shape, seed=2), GAME).hash != first
    assert torch.equal(before, torch.get_rng_state())


def test_global_pooling_reaches_the_whole_board() -> None:
    game = games.make("gomoku:15")
    planes = np.zeros((2, *game.planes_shape), np.float32)
    planes[1, 0, 0, 0] = 1
    for blocks, reached in ((1, False), (2, True)):  # the second block pools
        a, b = torch_answer(make_test_network(game, f"8x{blocks}"), planes)[0]
        assert bool(a[-1] != b[-1]) == reached


@pytest.mark.parametrize("max_plies", [1, 9, 42, 64, 65, 81, 324, 1444])
def test_classes_of_moves_left(max_plies: int) -> None:
    bins = ply_bins(max_plies)
    assert bins[0] == 0 and bins[-1] == max_plies and bins == sorted(set(bins)) and len(bins) <= 65
    plies = torch.linspace(0, max_plies, 50)
    target = two_hot(plies, torch.tensor(bins, dtype=torch.float32))
    assert torch.allclose(target.sum(1), torch.ones(50)) and (target > 0).sum(1).max() <= 2
    assert torch.allclose(target @ torch.tensor(bins, dtype=torch.float32), plies, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("id", IDS)
def test_folding_and_export_change_nothing(id: str, tmp_path: Path) -> None:
    game = games.make(id)
    network = make_test_network(game)
    planes = sample_planes(game, 20)
    assert relative_difference(torch_answer(network, planes), torch_answer(fold(network), planes)) < 1e-5
    file = export_onnx(network, tmp_path / "net.onnx", game, step=12)  # compares by itself, or raises
    assert network.training  # left as it was
    assert NetworkFile.load(tmp_path / "net.onnx", game) == file
    assert (file.game, file.schema, file.step, file.size) == (game.id, schema_hash(game), 12, "8x3")
    onnx.checker.check_model(onnx.load_from_string(file.data), full_check=True)


def test_a_file_that_says_something_else_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = make_test_network(GAME)
    path = tmp_path / "net.onnx"
    before = export_onnx(good, path, GAME).data
    bad = make_test_network(GAME, seed=1)
    with torch.no_grad():
        bad.value.wdl.bias[0] = float("nan")
    with pytest.raises(NetworkError, match="no finite number"):
        export_onnx(bad, path, GAME)
    monkeypatch.setattr(export, "fold", lambda _: fold(good))
    with pytest.raises(NetworkError, match="not written, its answers differ"):
        export_onnx(make_test_network(GAME, seed=1), path, GAME)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["net.onnx"]
    with pytest.raises(NetworkError, match="does not fit othello"):
        to_onnx(good, games.make("othello"))


def test_eight_bits_stay_close() -> None:
    network = make_test_network(GAME, "32x3")
    planes = sample_planes(GAME, 64)
    f32, int8 = to_onnx(network, GAME), to_onnx(network, GAME, calibration=planes)
    assert (f32.precision, int8.precision) == ("f32", "int8") and f32.hash != int8.hash
    assert len(int8.data) < 0.6 * len(f32.data)
    export.check_parity(network, int8, GAME)
    answer = onnxruntime.InferenceSession(int8.data).run(None, {"planes": planes})[1]
    assert 0 < np.abs(answer - torch_answer(network, planes)[1]).mean() < 0.03


def test_bytes_that_cut_off_too_much_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = make_test_network(GAME)
    seen = input_ranges(fold(network), sample_planes(GAME, 4))
    monkeypatch.setattr(export, "input_ranges", lambda *_: seen | {"tower.0.first.conv": (0.0, 1e-3)})
    network.value.wdl.weight.data *= 20  # an opinion that can be lost
    with pytest.raises(NetworkError, match="not written, its answers differ"):
        export_onnx(network, tmp_path / "net.onnx", GAME, calibration=sample_planes(GAME, 4))
    assert not list(tmp_path.iterdir())


def test_checkpoints_come_back(tmp_path: Path) -> None:
    network = make_test_network(GAME)
    save_checkpoint(tmp_path / "net.safetensors", network, GAME, step=5)
    back = load_checkpoint(tmp_path / "net.safetensors")
    assert (back.family.id, back.step) == (GAME.id, 5)
    assert back.network.state_dict().keys() == network.state_dict().keys()
    assert all(torch.equal(value, back.network.state_dict()[name]) for name, value in network.state_dict().items())
    assert to_onnx(back.network, GAME, 5) == to_onnx(network, GAME, 5)


def test_damaged_checkpoints_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save_checkpoint(path, make_test_network(GAME), GAME)
    data = path.read_bytes()
    header = len(data[: data.index(b"}}") + 2])
    for wrong in (b"", b"hello", data[:100], data[:-1], data[:header], data.replace(b'"size":"8x3"', b'"size":"9x3"')):
        path.write_bytes(wrong)
        with pytest.raises(NetworkError, match=r"damaged|not a checkpoint") as error:
            load_checkpoint(path)
        assert "\n" not in str(error.value)
    path.write_bytes(data.replace(schema_hash(GAME).encode(), b"0" * 16))
    with pytest.raises(NetworkError, match="trained on inputs 0000"):
        load_checkpoint(path)
    with pytest.raises(NetworkError, match=r"[Nn]o such file"):
        load_checkpoint(tmp_path / "none.safetensors")
