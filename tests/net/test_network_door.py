"""Networks of strangers: what this program would not write itself is refused before a runtime sees it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.helper import get_attribute_value

pytest.importorskip("torch", reason="networks are made by torch")

from support import strangers
from support.networks import make_test_network
from support.strangers import CHANGES, SECRET, ambiguous, changed
from support.training import GAME as TINY
from support.training import sit, tiny_run
from tengen import games
from tengen.app.errors import AppError
from tengen.app.networks import Networks
from tengen.cli import main
from tengen.hub.player import ReleasePlayer
from tengen.hub.protocol import Contestant, RatingMatch, Release
from tengen.hub.rating import play_rating
from tengen.hub.worker_bounds import BoundsError
from tengen.net.evaluator import make_evaluator
from tengen.net.file import SHIPPED, NetworkError, NetworkFile
from tengen.net.graph import GraphNode, describe_graph, write_graph
from tengen.net.protobuf import message
from tengen.net.shape import NetworkShape
from tengen.net.tower.checkpoint import load_checkpoint, save_checkpoint
from tengen.net.tower.export import sample_planes, to_onnx

GAME = games.make("connect4")
FILE = to_onnx(make_test_network(GAME, "4x2"), GAME)
ROUNDED = to_onnx(make_test_network(GAME, "4x2"), GAME, calibration=sample_planes(GAME, 4))
BEFORE = Path(__file__).parent / "nets" / "tictactoe-2x2-int8.onnx"  # as written at commit 5140b96
FAMILY = BEFORE.with_name("hex-3-5-2x2.onnx")  # of several sizes
ATTACK = changed(FILE, strangers.external_initializer)


@pytest.fixture
def attack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hostile network, seen from a directory with a secret."""
    monkeypatch.chdir(tmp_path)
    SECRET.write_bytes(b"key!")
    Path("net.onnx").write_bytes(ATTACK)
    return Path("net.onnx")


def refused(data: bytes) -> str:
    with pytest.raises(NetworkError) as error:
        NetworkFile.parse(data, "net.onnx")
    words = str(error.value)
    assert words.startswith("net.onnx: ") and "\n" not in words and len(words) < 200
    return words


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("file", [FILE, ROUNDED], ids=["f32", "int8"])
def test_what_the_program_does_not_write_is_refused(name: str, file: NetworkFile) -> None:
    refused(changed(file, CHANGES[name]))


@pytest.mark.parametrize("name", ambiguous(FILE))
def test_what_can_be_read_in_two_ways_is_refused(name: str) -> None:
    refused(ambiguous(FILE)[name])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("game", value) for value in ("connect4 ", "nothing", "connect4\n", "go:9,komi=7.50", "", "a" * 300)),
        *(("step", value) for value in ("-1", "", "٣", "9" * 5000, "1\n")),
        *(("version", value) for value in ("\x1b[2J", "", "1" * 100)),
        *(("size", value) for value in ("2", "04x2", "4x2\n", "4x3", "5x2", "99999x99999", "x")),
        *(("precision", value) for value in ("int8", "f16", "")),
        ("schema", "f" * 16),
        ("network_hash", FILE.hash.upper()),
    ],
)
def test_metadata_are_what_the_program_writes(key: str, value: str) -> None:
    model = onnx.load_from_string(FILE.data)
    (entry,) = (entry for entry in model.metadata_props if entry.key == key)
    entry.value = value
    refused(model.SerializeToString(deterministic=True))


def test_the_attack_is_one(attack: Path) -> None:
    """A runtime that is given the file answers with a byte of the secret."""
    import openvino

    compiled = openvino.Core().compile_model(openvino.Core().read_model(attack.read_bytes()), "CPU")
    told = compiled(sample_planes(GAME, 1))["moves_left"]
    assert told == pytest.approx(SECRET.read_bytes()[2])


def take_up() -> None:
    config = tiny_run(Path("hub")).config()
    ReleasePlayer(0).take_up(Release.of(GAME.id, FILE.hash, ATTACK, config.search, config.selfplay, 0, 1))


def rate() -> None:
    search = tiny_run(Path("hub")).config().search.to_dict()
    match = RatingMatch(1, GAME.id, Contestant("1", "a" * 64), Contestant("random"), search, seed=0, pairs=1)
    play_rating(match, {"a" * 64: ATTACK}, device="cpu", threads=1, memory=1 << 30, ended=lambda: False)


def begin_with() -> None:
    run = tiny_run(Path("run"))
    run.start.write_bytes(changed(to_onnx(make_test_network(TINY), TINY), strangers.external_initializer))
    sit(run)


ENTRANCES: dict[str, Callable[[], object]] = {
    "a hub's release": take_up,
    "a hub's rating match": rate,
    "the start of a run": begin_with,
    "openvino": lambda: make_evaluator("net.onnx", GAME, "openvino"),
    "onnxruntime": lambda: make_evaluator("net.onnx", GAME, "onnxruntime"),
    "torch": lambda: make_evaluator("net.onnx", GAME, "torch"),
}


@pytest.mark.parametrize("name", ENTRANCES)
def test_every_entrance_is_the_same_door(name: str, attack: Path) -> None:
    with pytest.raises((NetworkError, BoundsError), match="not a network of"):
        ENTRANCES[name]()


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "connect4", "--opponent", "net:net.onnx@4", "--side", "none"],
        ["analyze", "connect4", "--player", "net:net.onnx@4"],
        ["match", "connect4", "net:net.onnx@4", "random", "--games", "2"],
        ["score", "connect4", "--net", "net.onnx", "--sims", "0"],
        ["train", "connect4", "--from", "net.onnx", "--steps", "1", "--run", "new"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_command_refuses_in_one_line(
    arguments: list[str], attack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "net.onnx: not a network of 4x2 in f32" in said
    assert not Path("new").exists()


def test_the_app_refuses_what_lies_in_a_run(attack: Path) -> None:
    run = tiny_run(Path("runs/one"))
    run.current.write_bytes(ATTACK)
    networks = Networks(Path("runs"))
    with pytest.raises(AppError, match="not a network of"), networks.evaluator("run:one/current", GAME):
        pass
    networks.close()


BOUND = """
import resource, sys
from tengen.net.file import NetworkError, NetworkFile
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        NetworkFile.load(path)
        sys.exit("taken")
    except NetworkError:
        pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_refusing_takes_no_memory(tmp_path: Path) -> None:
    """Whatever the file says of its size: a small one costs little, one of many fields is given up at once."""
    files = [changed(FILE, CHANGES[name]) for name in ("bomb", "huge_shape", "other_size")]
    files.append(message(14, message(1, b"step")) * 1_000_000)
    for number, data in enumerate(files):
        (tmp_path / str(number)).write_bytes(data)
    paths = [str(path) for path in tmp_path.iterdir()]
    done = subprocess.run([sys.executable, "-c", BOUND, *paths], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 64 << 10  # KiB


@pytest.mark.parametrize("path", [*sorted(SHIPPED.glob("*.onnx")), BEFORE, FAMILY], ids=lambda path: path.stem)
def test_networks_are_rebuilt_from_their_weights(path: Path) -> None:
    """The description gives the graph that is in the file, node for node as the onnx package reads it."""
    file, model = NetworkFile.load(path), onnx.load(path)
    shape = NetworkShape.of(file.family, file.size, file.counted)
    graph, stored = describe_graph(shape, file.precision), {each.name: each for each in model.graph.initializer}
    attributes = [{each.name: get_attribute_value(each) for each in node.attribute} for node in model.graph.node]
    nodes = [
        GraphNode(node.op_type, tuple(node.input), node.name, with_these)
        for node, with_these in zip(model.graph.node, attributes, strict=True)
    ]
    assert nodes == graph.nodes and all(list(node.output) == [node.name] for node in model.graph.node)
    assert list(stored) == [array.name for array in graph.arrays]
    values = {name: numpy_helper.to_array(each) for name, each in stored.items()}
    assert [(values[each.name].dtype.str, values[each.name].shape) for each in graph.arrays] == [
        (each.type, each.shape) for each in graph.arrays
    ]
    assert all(np.array_equal(values[name], weights) for name, weights in file.weights.items())
    assert write_graph(shape, file.precision, values) == model.graph.SerializeToString(deterministic=True)
    onnx.checker.check_model(model, full_check=True)


@pytest.mark.parametrize("scale", [0, -1, 1e-42, 3e38])
def test_scales_are_numbers_to_divide_by(scale: float) -> None:
    """OpenVINO cannot compile a network with such a scale."""
    weights = dict(ROUNDED.weights) | {"tower.0.second.conv.scale": np.array(scale, np.float32)}
    with pytest.raises(NetworkError, match="scale beyond"):
        NetworkFile.write(GAME, NetworkShape.of(GAME, ROUNDED.size), "int8", weights, 0, "n")


def test_wrong_weights_are_not_written() -> None:
    shape = NetworkShape.of(GAME, "4x2")
    weights = dict(FILE.weights)
    for wrong in (weights["stem.conv.bias"][1:], weights["stem.conv.bias"].astype(np.float64)):
        with pytest.raises(ValueError, match=r"stem\.conv\.bias is"):
            write_graph(shape, "f32", weights | {"stem.conv.bias": wrong})


def test_answers_that_are_no_numbers_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Weights may be finite and their sums not."""
    weights = {name: np.full_like(values, 3e38) for name, values in FILE.weights.items()}
    file = NetworkFile.write(GAME, NetworkShape.of(GAME, FILE.size), "f32", weights, 0, "large")
    (tmp_path / "large.onnx").write_bytes(file.data)
    for device in ("openvino", "onnxruntime", "torch"):
        arguments = ["analyze", "connect4", "44", "--player", f"net:{tmp_path}/large.onnx@4", "--device", device]
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and "not a finite number" in said


def test_a_checkpoint_is_as_large_as_it_says(tmp_path: Path) -> None:
    """Else a small file makes whoever loads it take gigabytes for the network that it names."""
    path = tmp_path / "net.safetensors"
    save_checkpoint(path, make_test_network(GAME, "4x2"), GAME)
    path.write_bytes(path.read_bytes().replace(b'"size":"4x2"', b'"size":"8x9"'))
    with pytest.raises(NetworkError, match="too short for a network of 8x9"):
        load_checkpoint(path)
