"""A run of hours must not need ever more memory."""

import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

MINUTES = float(os.environ.get("TENGEN_MINUTES", "60"))
# The window is full soon: it may grow, by design; nothing else may.
SMALL = [
    "search.sims=16",
    "search.cache_mb=8",
    "loop.slots=32",
    "loop.turn_positions=512",
    "replay.scale=0",
]
ALLOWED = 10.0  # MB


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_memory_stays_flat(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tengen",
        "train",
        "connect4",
        "--size",
        "8x1",
        "--minutes",
        str(MINUTES),
        "--json",
    ]
    command += ["--run", str(tmp_path / "run"), "--device", "cpu"]
    command += [word for setting in SMALL for word in ("--set", setting)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert child.stdout is not None
    sizes = [resident(child.pid) for line in child.stdout if '"kind": "turn"' in line]
    assert child.wait() == 0
    third, tenth = len(sizes) // 3, len(sizes) // 10
    early, late = statistics.mean(sizes[third : third + tenth]), statistics.mean(sizes[-tenth:])
    print(f"{len(sizes)} turns in {MINUTES:g} minutes: {early:.1f} MB after a third, {late:.1f} MB at the end")
    assert late < early + ALLOWED


def resident(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS")), 0.0)
