"""One integer stands for everything the search does: the same for any number of threads, and the one in the file.

When a change of results is meant, rewrite the file, and say in the commit why it changed:

    .venv/bin/python -m pytest tests/test_signature.py --regen

The C library's exp, log and pow are part of it: glibc 2.28 and later agree on processors with FMA.
"""

import json
from pathlib import Path

import pytest

from tengen.bench import signature as module
from tengen.bench.signature import signature
from tengen.cli import main
from tengen.config import SearchConfig

pytestmark = pytest.mark.slow

FILE = Path(__file__).parent / "golden" / "signature.txt"


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_signature(threads: int, request: pytest.FixtureRequest) -> None:
    value = signature(threads)
    if request.config.getoption("--regen"):
        FILE.write_text(f"{value}\n")
    assert value == int(FILE.read_text())


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SMALL", [])
    monkeypatch.setattr(module, "OPTIONS", [])
    assert main(["bench", "--signature", "--threads", "2"]) == 0
    value = int(capsys.readouterr().out)
    assert main(["bench", "--signature", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"signature": value}


def test_the_signature_notices_one_simulation_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SMALL", [])
    monkeypatch.setattr(module, "OPTIONS", [SearchConfig(sims=64)])
    before = signature(2)
    monkeypatch.setattr(module, "OPTIONS", [SearchConfig(sims=65)])
    assert signature(2) != before
