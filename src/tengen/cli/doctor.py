"""`tengen doctor`: what this machine offers, what is missing, and what to do about it."""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata, util
from pathlib import Path

from tengen import _core
from tengen.cli import Verbs, add_verb
from tengen.net.cpu import cpu_info, usable_cores
from tengen.net.evaluator.backend import backend_of
from tengen.net.evaluator.remembered import recall_all
from tengen.net.file import NetworkError

EXAMPLE = "example: tengen doctor\n         tengen doctor --json"

# Each extra: a module that shows it is installed, and what it gives. A test holds this against pyproject.toml.
EXTRAS = {
    "train": ("torch", "training, exporting networks, and GPUs; playing needs none of it"),
    "ray": ("ray", "`tengen train --ray`: games played on a Ray cluster"),
    "perfect": ("bitbully_databases", "an opening book, so that the exact solver answers any position at once"),
    "openspiel": ("pyspiel", "OpenSpiel's games, and OpenSpiel as a referee in tests and a peer in `tengen bench`"),
    "jit": ("numba", "rules of your own game that are compiled: @compiled"),
    "bench": ("mctx", "JAX, mctx and pgx as peers in `tengen bench search` and benchmarks/peers_train.py"),
    "compile": ("cmake", "CMake and Ninja, which build Tengen from its sources"),
    "dev": ("pytest", "the tools of `make test` and `make check`"),
}
INSTRUCTIONS = ("popcnt", "bmi2", "avx2", "avx512f", "avx512_bf16", "amx_bf16", "asimd")
GIBIBYTE = 1 << 30


@dataclass(frozen=True)
class Finding:
    name: str
    ok: bool
    value: str
    advice: str = ""


def add(verbs: Verbs) -> None:
    add_verb(verbs, "doctor", "show what this machine offers and what is missing", EXAMPLE, run)


def run(args: argparse.Namespace) -> int:
    findings = [finding for check in (machine, toolchain, extras, gpu, networks, surroundings) for finding in check()]
    if args.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2, ensure_ascii=False))
    else:
        show(findings)
    return 0


def machine() -> Iterator[Finding]:
    info = cpu_info()
    flags = set((info.get("flags") or info.get("Features") or "").split())
    useful = [flag for flag in INSTRUCTIONS if flag in flags]
    yield Finding("cpu", True, info.get("model name") or platform.machine())
    yield Finding("cores", True, f"{usable_cores()} usable")
    yield Finding("instructions", True, " ".join(useful) or "unknown")
    if _core.matrix_tiles() == "hidden":
        yield Finding(
            "matrix tiles",
            False,
            "offered but not described, not used",
            "a virtual machine's mistake; networks run without them",
        )
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / GIBIBYTE
    yield Finding("memory", memory >= 2, f"{memory:.1f} GiB", "2 GiB or more are comfortable")


def toolchain() -> Iterator[Finding]:
    compiler = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")
    if compiler:
        version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.partition("\n")[0]
        yield Finding("compiler", True, version)
    else:
        yield Finding("compiler", False, "none", "needed only to build from source: apt install g++")
    yield Finding("python", True, f"{platform.python_version()} ({sys.executable})")
    build = _core.build_info()
    how = "optimized" if build["optimized"] else "not optimized"
    value = f"{metadata.version('tengen')}, {how}, {build['compiler']}, {' '.join(build['instructions'])}"
    yield Finding("tengen", build["optimized"], value, "rebuild in Release mode: make clean setup")


def extras() -> Iterator[Finding]:
    for name, (module, gives) in EXTRAS.items():
        present = util.find_spec(module) is not None
        yield Finding(f"extra {name}", present, gives, f"pip install 'tengen[{name}]'")


def gpu() -> Iterator[Finding]:
    if util.find_spec("torch") is None:
        yield Finding(
            "gpu",
            False,
            "not looked for: PyTorch is not installed",
            "only training needs it: pip install 'tengen[train]'",
        )
        return
    import torch

    if torch.cuda.is_available():
        yield Finding("gpu", True, torch.cuda.get_device_name())
    else:
        yield Finding("gpu", False, "PyTorch sees none", "everything works on the CPU")


def networks() -> Iterator[Finding]:
    """What runs networks, and why: a rule, or what was measured for networks of a shape."""
    try:
        yield Finding("networks", True, f"run by {backend_of('auto')}, which is fastest as a rule")
    except NetworkError as error:
        yield Finding("networks", False, "nothing can run them", str(error))
    for choice in recall_all():
        others = ", ".join(f"{name} {speed:,.0f}" for name, speed in choice.speeds.items() if name != choice.backend)
        speed = f"{choice.speeds.get(choice.backend, 0):,.0f} positions per second of CPU time"
        yield Finding(f"networks of {choice.network}", True, f"run by {choice.backend}, measured: {speed} ({others})")


def surroundings() -> Iterator[Finding]:
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    size = shutil.get_terminal_size()
    where = f"{size.columns}×{size.lines} terminal" if sys.stdout.isatty() else "no terminal"
    yield Finding("output", utf8, f"{where}, {sys.stdout.encoding}", "for coloured boards: export LANG=C.UTF-8")
    free = shutil.disk_usage(Path.cwd()).free / GIBIBYTE
    yield Finding("disk", free >= 1, f"{free:.1f} GiB free here", "1 GiB or more is needed to build and test")


def show(findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    for finding in findings:
        status = Text("ok", "green") if finding.ok else Text("missing", "yellow")
        value = finding.value if finding.ok else f"{finding.value} → {finding.advice}"
        table.add_row(status, Text(finding.name, "bold"), Text(value))
    Console(highlight=False).print(table)
