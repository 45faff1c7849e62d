"""Network files changed at random: refused or answering, and never a crash, a file opened or memory beyond a bound."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("torch", reason="networks are made by torch")

TESTS = Path(__file__).parents[1]
MOST_KIB = 256 << 10  # beyond what the runtimes take for a network of the same size


@pytest.mark.parametrize("cases", [400, pytest.param(100_000, marks=pytest.mark.fuzz)])
def test_changed_network_files_are_refused_or_answer(cases: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "support.networkfuzz", str(cases), "1"]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(TESTS)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    outcome = json.loads(done.stdout.splitlines()[-1])
    found = outcome["found"]
    assert outcome["opened"] == [] and outcome["grown_kib"] < MOST_KIB
    refused = sum(count for name, count in found.items() if name.startswith("refused"))
    assert refused + found["taken"] == cases and refused > 0.8 * cases
    for device in ("openvino", "onnxruntime", "torch"):
        assert found[f"{device} answers"] > 0
