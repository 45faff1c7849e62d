"""One integer stands for everything the search does: the same for any number of threads, and the one in the file.

When a change of results is meant, rewrite the file, and say in the commit why it changed:

    .venv/bin/python -m pytest tests/search/test_signature.py --regen

It is the same on every machine: of the C library only exact functions are used (tests/test_elementary.py).
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


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Only the default boards, and no options but those that a test sets."""
    for rows in ("SMALL", "OPTIONS", "PROBES"):
        monkeypatch.setattr(module, rows, [])
    return monkeypatch


@pytest.mark.usefixtures("few_rows")
def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--signature", "--threads", "2"]) == 0
    value = int(capsys.readouterr().out)
    assert main(["bench", "--signature", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"signature": value}


def test_the_signature_notices_one_simulation_more(few_rows: pytest.MonkeyPatch) -> None:
    few_rows.setattr(module, "OPTIONS", [SearchConfig(sims=64)])
    before = signature(2)
    few_rows.setattr(module, "OPTIONS", [SearchConfig(sims=65)])
    assert signature(2) != before


@pytest.mark.parametrize("config", module.PROBES, ids=str)
def test_every_row_of_the_probe_finds_something(config: SearchConfig, few_rows: pytest.MonkeyPatch) -> None:
    """Without the option the signature is another one; where the solver is off, the same one."""
    few_rows.setattr(module, "PROBES", [config])
    before = signature(2)
    for option in ("lookahead", "prove_nodes"):
        if getattr(config, option):
            few_rows.setattr(module, "PROBES", [config.replace(**{option: 0})])
            assert (signature(2) != before) == config.solver, option


@pytest.mark.parametrize("option", ["opening_lookahead", "label_nodes", "stray_share", "opening_share"])
def test_what_self_play_asks_of_the_rules_is_in_it(option: str, few_rows: pytest.MonkeyPatch) -> None:
    before = signature(2)
    few_rows.setattr(module, "PROBED_PLAY", module.PROBED_PLAY.replace(**{option: 0}))
    assert signature(2) != before
