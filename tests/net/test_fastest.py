"""The choice of a backend by measurement: asked for only where it pays, remembered, and never trusted blindly."""

import json
from pathlib import Path

import pytest

from support.networks import make_test_network
from tengen import games
from tengen.cli import device_for, main
from tengen.net.evaluator import Evaluation, Evaluator, Leaves, Uniform, fastest, make_evaluator, remembered
from tengen.net.evaluator.fastest import choose, ways_to_run
from tengen.net.evaluator.remembered import cache_file, network_text, recall, recall_all, remember
from tengen.net.file import NetworkFile
from tengen.net.tower.export import to_onnx
from tengen.train.loop import learning_device

GAME = games.make("tictactoe")
FILE = to_onnx(make_test_network(GAME), GAME)
SPEEDS = {"openvino-f32": 100.0, "onnxruntime": 300.0}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nothing was measured yet."""
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(remembered, "_here", {})
    monkeypatch.setattr(fastest, "SECONDS", 0.0)
    return cache_file()


class Counting:
    """Makes evaluators that cost nothing, and lists their names."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __call__(self, way: str, file: NetworkFile, game: games.Game, threads: int) -> "Counting":
        self.made.append(way)
        self._inner = Uniform(game)
        return self

    def evaluate(self, leaves: Leaves) -> Evaluation:
        return self._inner(leaves)


def make(counting: Counting) -> fastest.Make:
    return lambda *of: counting(*of).evaluate


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process: only the file is left."""
    monkeypatch.setattr(remembered, "_here", {})


def test_it_is_measured_once_and_only_where_asked_for(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting()
    assert choose(FILE, GAME, 1, make(counting), measure=False) is None and not cache.exists()
    first = choose(FILE, GAME, 1, make(counting), measure=True)
    assert first in ways_to_run() and counting.made == ways_to_run()
    forget(monkeypatch)
    assert choose(FILE, GAME, 1, make(counting), measure=False) == first
    assert choose(FILE, GAME, 1, make(counting), measure=True) == first
    assert counting.made == ways_to_run()
    assert choose(FILE, GAME, 2, make(counting), measure=False) is None, "another number of threads is another matter"


def test_a_backend_that_cannot_run_the_network_is_no_choice() -> None:
    counting = Counting()

    def fails(way: str, file: NetworkFile, game: games.Game, threads: int) -> Evaluator:
        if way != "onnxruntime":
            raise RuntimeError("unsupported")
        return counting(way, file, game, threads).evaluate

    def never(way: str, file: NetworkFile, game: games.Game, threads: int) -> Evaluator:
        raise RuntimeError("unsupported")

    assert choose(FILE, GAME, 1, never, measure=True) is None and recall_all() == []
    assert choose(FILE, GAME, 1, fails, measure=True) == "onnxruntime"


def test_what_is_fastest_as_a_rule_stays_unless_another_is_clearly_faster() -> None:
    assert fastest.fastest({"a": 100.0, "b": 105.0}) == "a"
    assert fastest.fastest({"a": 100.0, "b": 120.0, "c": 130.0}) == "c"


def test_evaluators_follow_what_is_remembered_unless_a_device_is_named() -> None:
    remember(network_text(FILE, GAME, 1), "onnxruntime", SPEEDS)
    assert type(make_evaluator(FILE, GAME, "auto", 1)).__name__ == "OnnxRuntime"
    assert type(make_evaluator(FILE, GAME, "fastest", 1)).__name__ == "OnnxRuntime"
    assert type(make_evaluator(FILE, GAME, "cpu", 1)).__name__ == "OpenVino"
    assert type(make_evaluator(FILE, GAME, "openvino", 1)).__name__ == "OpenVino"
    assert type(make_evaluator(FILE, GAME, "auto", 2)).__name__ == "OpenVino"


def test_the_fastest_device_measures_real_backends(cache: Path) -> None:
    make_evaluator(FILE, GAME, "fastest", 1)
    (choice,) = recall_all()
    assert list(choice.speeds) == ways_to_run() and all(speed > 0 for speed in choice.speeds.values())
    assert learning_device("fastest") == learning_device("auto")


DAMAGED = {
    "empty": b"",
    "no JSON": b"\x00\xff\xfe garbage",
    "cut off": b'{"format": 1, "choices": [{"machine": "',
    "another program's": b'{"version": 3, "entries": {"a": 1}}',
    "another format": b'{"format": 2, "choices": []}',
    "a wrong kind": b'{"format": 1, "choices": {"machine": 1}}',
    "a speed below 0": b'{"format":1,"choices":[{"machine":"a","packages":"b","network":"c","backend":"d",'
    b'"speeds":{"d":-1}}]}',
    "deep": b"[" * 60000,
    "large": b'{"format": 1, "choices": []}' + b" " * (1 << 20),
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_as_good_as_none_and_is_replaced(
    cache: Path, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.parent.mkdir()
    cache.write_bytes(data)
    assert recall("any") is None and recall_all() == []
    remember("any", "onnxruntime", SPEEDS)
    forget(monkeypatch)
    assert recall("any") is not None
    assert json.loads(cache.read_text())["format"] == 1


def test_other_machines_and_packages_keep_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    remember("any", "onnxruntime", SPEEDS)
    for name in ("machine", "packages"):
        forget(monkeypatch)
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(remembered, name, lambda: "another")
            assert recall("any") is None and recall_all() == []
            remember("any", "openvino-f32", SPEEDS)
        forget(monkeypatch)
        assert (found := recall("any")) is not None and found.backend == "onnxruntime"


@pytest.mark.parametrize("backend", ["torch", "cuda", "../../evil", "openvino-f64"])
def test_a_file_cannot_name_what_does_not_run_here(backend: str) -> None:
    remember(network_text(FILE, GAME, 1), backend, SPEEDS)
    assert type(make_evaluator(FILE, GAME, "auto", 1)).__name__ == "OpenVino"


def test_the_oldest_are_forgotten(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST", 2)
    for number in range(3):
        remember(f"network {number}", "onnxruntime", SPEEDS)
    assert [choice.network for choice in recall_all()] == ["network 1", "network 2"]
    assert cache.stat().st_size * 50 < 2 * remembered.LARGEST, "as many as are kept must be read again"


def test_without_a_place_to_write_it_is_known_to_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path / "file" / "below"))
    remember("any", "onnxruntime", SPEEDS)
    assert recall("any") is not None


def test_long_jobs_measure_unless_a_device_is_named() -> None:
    assert device_for("auto", long=True) == "fastest"
    assert device_for("auto", long=False) == "auto"
    assert device_for("cpu", long=True) == "cpu"


def test_the_doctor_says_what_was_chosen_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    remember("64x5 int8, 9 planes of 9x9, 2 threads", "onnxruntime", SPEEDS)
    assert main(["doctor", "--json"]) == 0
    told = {finding["name"]: finding["value"] for finding in json.loads(capsys.readouterr().out)}
    assert "fastest as a rule" in told["networks"]
    expected = "run by onnxruntime, measured: 300 positions per second of CPU time (openvino-f32 100)"
    assert told["networks of 64x5 int8, 9 planes of 9x9, 2 threads"] == expected
