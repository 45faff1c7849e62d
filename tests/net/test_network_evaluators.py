"""Network files and the backends that run them: the same answers everywhere, and clear refusals."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import openvino
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.networks import make_test_network
from tengen import games
from tengen.cli import main
from tengen.config import ConfigError, SearchConfig
from tengen.files import write_durably
from tengen.net.evaluator import Batch, NetworkEvaluator, Uniform, make_evaluator
from tengen.net.evaluator import backend as backends
from tengen.net.evaluator.openvino import OpenVino, padded_rows
from tengen.net.file import NetworkError, NetworkFile
from tengen.net.tower.checkpoint import save_checkpoint
from tengen.net.tower.export import relative_difference, sample_planes, to_onnx, torch_answer
from tengen.play.players import AgentPlayer, make_player, search_player, slots_that_fit
from tengen.preset import playing_search
from tengen.search.agent import Agent

GAME = games.make("connect4")
NETWORK = make_test_network(GAME)
FILE = to_onnx(NETWORK, GAME, step=3)
PLANES = sample_planes(GAME, 40)
DEVICES = ["openvino", "onnxruntime", "torch"]


def batch(first: int, last: int) -> Batch:
    planes = PLANES[first:last]
    planes.setflags(write=False)  # as the search lends them
    return Batch(planes, np.arange(first, last, dtype=np.uint64))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("networks") / "net.onnx"
    write_durably(path, FILE.data)
    return path


def tolerance(evaluator: object) -> float:
    """Sums in another order, or on a CPU that is faster in bfloat16, its 8 bits of mantissa."""
    compiled = getattr(evaluator, "_compiled", None)
    bfloat16 = compiled is not None and compiled.get_property("INFERENCE_PRECISION_HINT") == openvino.Type.bf16
    return 0.03 if bfloat16 else 1e-5


def test_openvino_is_exact_where_that_is_wanted() -> None:
    assert relative_difference(torch_answer(NETWORK, PLANES), OpenVino(FILE, GAME, 1, "f32")(batch(0, 40))) < 1e-5


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("threads", [0, 1])
def test_all_backends_say_the_same_at_any_batch_size(device: str, threads: int) -> None:
    evaluator = make_evaluator(FILE, GAME, device, threads)
    assert isinstance(evaluator, NetworkEvaluator) and evaluator.network_hash == int(FILE.hash[:16], 16)
    for first, last in ((0, 40), (1, 39), (3, 4), (5, 22), (6, 22), (0, 9), (0, 40)):
        answer = evaluator(batch(first, last))
        assert all(array.dtype == np.float32 and array.flags.c_contiguous for array in answer if array is not None)
        assert relative_difference(torch_answer(NETWORK, PLANES[first:last]), answer) < tolerance(evaluator)


@pytest.mark.parametrize("device", DEVICES)
def test_batches_started_together_are_answered_each_for_itself(device: str) -> None:
    evaluator = make_evaluator(FILE, GAME, device)
    expected = torch_answer(NETWORK, PLANES)
    lent = PLANES[:10].copy()
    pending = [evaluator.start(Batch(lent, np.zeros(10, np.uint64))), evaluator.start(batch(10, 27))]
    lent[:] = 0  # the search goes on: the planes were read by `start`
    for part, answer in ((slice(10, 27), pending[1]), (slice(0, 10), pending[0])):
        assert relative_difference([array[part] for array in expected], answer.wait()) < tolerance(evaluator)


def test_eight_bits_run_where_they_can() -> None:
    int8 = to_onnx(NETWORK, GAME, calibration=PLANES)
    answers = [make_evaluator(int8, GAME, device)(batch(0, 40)) for device in ("openvino", "onnxruntime")]
    for answer in answers:
        assert np.abs(answer.wdl - torch_answer(NETWORK, PLANES)[1]).mean() < 0.02
    with pytest.raises(NetworkError, match="this one is in int8"):
        make_evaluator(int8, GAME, "torch")


@given(st.integers(1, 5000))
def test_padding_is_small_and_leaves_few_sizes(rows: int) -> None:
    assert rows <= padded_rows(rows) <= max(rows, rows * 17 / 16 + 1)
    assert padded_rows(padded_rows(rows)) == padded_rows(rows)
    assert len({padded_rows(n) for n in range(1, 257)}) <= 80


def test_the_choice_of_a_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "_nvidia_is_here", lambda: False)
    installed = {"openvino", "onnxruntime", "torch"}
    monkeypatch.setattr(backends, "find_spec", lambda name: name in installed or None)
    for device in ("auto", "cpu"):
        assert type(make_evaluator(FILE, GAME, device)).__name__ == "OpenVino"
    installed.remove("openvino")
    assert type(make_evaluator(FILE, GAME)).__name__ == "OnnxRuntime"
    with pytest.raises(NetworkError, match="openvino is not installed"):
        make_evaluator(FILE, GAME, "openvino")
    installed.clear()
    with pytest.raises(NetworkError, match="pip install openvino"):
        make_evaluator(FILE, GAME)
    with pytest.raises(NetworkError, match=r"tengen\[train\]"):
        make_evaluator(FILE, GAME, "cuda")
    with pytest.raises(NetworkError, match="unknown device 'gpu'; devices are auto, fastest, cpu"):
        make_evaluator(FILE, GAME, "gpu")


def test_other_games_and_schemas_are_refused_with_both_names(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NetworkError, match=r"net\.onnx: this network plays connect4, not othello:6"):
        make_evaluator(path, games.make("othello:6"))
    monkeypatch.setattr("tengen.net.file.schema_hash", lambda _: "f" * 16)
    with pytest.raises(NetworkError, match=f"reads inputs {FILE.schema} of connect4, this program gives ffffffff"):
        NetworkFile.load(path, GAME)


WEIGHTS = range(FILE.data.index(b"planes"), FILE.data.rindex(b"moves_left"))  # from the graph's first name to its last


@given(st.sampled_from(WEIGHTS), st.integers(1, 255))
def test_any_damaged_byte_of_the_weights_is_noticed(at: int, change: int) -> None:
    data = bytearray(FILE.data)
    data[at] ^= change
    with pytest.raises(NetworkError, match="damaged"):
        NetworkFile.parse(bytes(data))


@given(st.integers(0, len(FILE.data) - 1), st.integers(1, 255))
def test_no_damaged_byte_does_worse_than_one_line(at: int, change: int) -> None:
    data = bytearray(FILE.data)
    data[at] ^= change
    try:
        NetworkFile.parse(bytes(data))
    except NetworkError as error:
        assert "\n" not in str(error) and len(str(error)) < 200


@given(st.integers(0, len(FILE.data) - 1))
def test_a_file_cut_short_is_noticed(size: int) -> None:
    with pytest.raises(NetworkError):
        NetworkFile.parse(FILE.data[:size])


@given(st.binary(max_size=200))
def test_what_is_no_network_is_refused(data: bytes) -> None:
    with pytest.raises(NetworkError):
        NetworkFile.parse(data)


def test_unreadable_files_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match=r"none\.onnx: No such file"):
        NetworkFile.load(tmp_path / "none.onnx")
    with pytest.raises(NetworkError, match="Is a directory"):
        NetworkFile.load(tmp_path)


def test_the_agent_tells_the_search_whose_answers_it_caches() -> None:
    other = to_onnx(make_test_network(GAME, seed=9), GAME)
    config = SearchConfig(sims=60)
    agent = Agent(GAME, make_evaluator(FILE, GAME), config)
    first = agent.analyze(GAME.start())
    agent.new_game(0, 0)
    agent.set_evaluator(make_evaluator(other, GAME))
    changed = agent.analyze(GAME.start())
    assert changed == Agent(GAME, make_evaluator(other, GAME), config).analyze(GAME.start()) != first
    assert Agent(GAME, Uniform(GAME), config).analyze(GAME.start()) != first


def test_network_players(path: Path) -> None:
    player = search_player(f"net:{path}@400", GAME)
    tuned = playing_search(GAME)
    assert tuned.prior_temperature != 1 and tuned.lookahead > 0 and tuned.noise_epsilon == 0
    assert player.agent.config == tuned.replace(sims=400, leaves=8)
    assert search_player(f"net:{path}", GAME, slots=2).agent.config == tuned

    def searches(*settings: str) -> SearchConfig:
        plays = make_player(f"net:{path}", GAME, slots=2, settings=settings)
        assert isinstance(plays, AgentPlayer)
        return plays.agent.config

    assert searches() == tuned
    assert searches("search.seconds=9") == tuned.replace(seconds=9)
    with pytest.raises(ConfigError, match="rule=gumbel excludes noise_epsilon"):
        searches("search.noise_epsilon=0.25", "search.rule=gumbel")
    wins = GAME.from_moves("121212")
    assert player.act_many([wins], [0]) == [0]
    expected = torch_answer(NETWORK, GAME.start().planes()[None])[0][0]
    (alone,) = make_player(f"net:{path}@0", GAME).act_many([GAME.start()], [0])
    assert alone in (expected.argmax(), 6 - expected.argmax())  # an empty board is its own mirror image
    assert slots_that_fit("net:not/read/yet.onnx@100", GAME) == 256


def test_playing_never_loads_torch(path: Path) -> None:
    script = f"""
import sys
from tengen.cli import main
assert main(["analyze", "connect4", "44", "--player", "net:{path}@20"]) == 0
assert not {{"torch", "onnx", "onnxruntime"}} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "to move" in done.stdout


def test_networks_on_the_command_line(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_checkpoint(tmp_path / "net.safetensors", NETWORK, GAME, step=3)
    assert main(["export", str(tmp_path / "net.safetensors"), "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["network_hash"] == FILE.hash and about["step"] == 3
    assert (tmp_path / "net.onnx").read_bytes() == FILE.data
    assert (
        main(["export", str(tmp_path / "net.safetensors"), "--to", "onnx-int8", "--out", str(tmp_path / "8.onnx")]) == 0
    )
    assert NetworkFile.load(tmp_path / "8.onnx").precision == "int8"
    assert main(["match", "connect4", f"net:{path}@10", "random", "--games", "4", "--device", "onnxruntime"]) == 0
    capsys.readouterr()
    for arguments, words in [
        (["analyze", "othello", "--player", f"net:{path}@10"], "plays connect4, not othello"),
        (["analyze", "connect4", "--player", f"net:{path}", "--device", "tpu"], "devices are auto"),
        (["analyze", "connect4", "--player", "net:/nowhere"], "No such file"),
        (["export", str(path)], "not a checkpoint"),
        (["export", str(tmp_path / "net.safetensors"), "--out", "/nowhere/x.onnx"], "cannot write"),
        (["bench", "network", "--size", "huge"], "size is 1 to 6"),
    ]:
        assert main(arguments) == 2
        assert words in capsys.readouterr().err


def test_bench_network_measures_every_backend(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", "network", "--size", "8x1", "--game", "tictactoe", "--seconds", "0.01", "--threads", "1"]
    assert main([*arguments, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    names = {f"network tictactoe 8x1 {how} batch {n}" for n in (1, 8, 64, 256) for how in HOW}
    assert names <= {row["name"] for row in rows}
    assert all(row["value"] > 0 and row["ratio"] > 0 and row["peer"] == "eager PyTorch f32" for row in rows)


HOW = ["openvino f32 (play)", "openvino int8 (self-play)", "onnxruntime f32", "onnxruntime int8", "torch f32"]


def test_bench_selfplay_sets_self_play_beside_the_bare_network(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tengen.bench.selfplay.WARM_UP", 1)
    monkeypatch.setattr("tengen.bench.selfplay.APART", 0)
    arguments = ["bench", "selfplay", "--size", "8x1", "--game", "hex:5", "--seconds", "0.01", "--threads", "1"]
    assert main([*arguments, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    measured = [row for row in rows if "proofs" not in row["name"]]
    assert [row["name"].split(" 8x1 ")[1].split(",")[0] for row in measured] == ["f32", "f32", "int8", "int8"]
    for row in rows:
        assert set(row) == {"name", "value", "unit", "peer", "peer_value", "ratio"}
        assert row["value"] > 0 and row["peer_value"] > 0 and row["peer"].startswith("bare network, batch ")
