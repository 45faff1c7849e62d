"""A hub must not be able to start programs on a worker: neither by a command nor by a name of the worker's own list."""

from pathlib import Path

import msgspec
import pytest

from support.outside import write_engines
from tengen.config import SearchConfig
from tengen.hub.protocol import Contestant, RatingMatch
from tengen.hub.rating import play_rating
from tengen.hub.worker_bounds import BoundsError

PROGRAMS = ["engine:good", "gtp:touch {}", "gomocup:touch {}", "nboard:touch {}"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_message_that_names_a_program_is_refused(program: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode({"name": program}), type=Contestant)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_worker_starts_no_program_even_if_a_message_got_through(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_engines(tmp_path / "engines.toml", "tictactoe", "good")
    monkeypatch.setenv("TENGEN_ENGINES", str(tmp_path / "engines.toml"))
    monkeypatch.setattr("tengen.play.outside.opponent.EngineProcess", lambda *_: pytest.fail("a program was started"))
    name = program.format(tmp_path / "owned")
    match = RatingMatch(1, "tictactoe", Contestant("random"), Contestant(name), SearchConfig().to_dict(), 0, 1)
    with pytest.raises(BoundsError, match="does not search"):
        play_rating(match, {}, device="cpu", threads=1, memory=1 << 30, ended=lambda: False)
    assert not (tmp_path / "owned").exists()
