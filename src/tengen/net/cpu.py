"""What the processor can really do, for the libraries that run networks on it."""

import os
from pathlib import Path

from tengen import _core

# What oneDNN, inside OpenVINO and PyTorch, reads before its first computation.
LIMIT = "ONEDNN_MAX_CPU_ISA"
WITHOUT_TILES = "AVX512_CORE_FP16"


def avoid_hidden_tiles() -> None:
    """Keeps oneDNN from matrix tiles that a virtual machine offers but does not describe: using them kills the process.

    A limit that is set already is left alone.
    """
    if _core.matrix_tiles() == "hidden":
        os.environ.setdefault(LIMIT, WITHOUT_TILES)


def cpu_info() -> dict[str, str]:
    """The first processor's lines of /proc/cpuinfo; nothing on systems without it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().partition("\n\n")[0].splitlines() if path.exists() else []
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}


def usable_cores() -> int:
    """The cores this process may use; where the system does not tell (macOS, Windows), all there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def bfloat16_is_fast() -> bool:
    """Whether convolutions in bfloat16, where the processor has it, are faster than in float32.

    With matrix tiles three times; on AMD's Zen 4 nearly three times; on Intel's processors without tiles they take
    half as long again (48x4, batch 256, OpenVINO: 28,200, 9,300 and 5,900 positions a second of one core).
    """
    return _core.matrix_tiles() == "usable" or not _core.made_by_intel()
