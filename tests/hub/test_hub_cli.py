"""What the keeper of a hub orders, and what wrong orders get: one line and exit code 2."""

import socket
from pathlib import Path

import pytest

from support.training import tiny_run
from tengen.cli import main


def test_orders_of_the_keeper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tiny_run(tmp_path / "run")

    def order(*words: str, code: int = 0) -> str:
        assert main(["hub", *words, "--run", str(run.path)]) == code
        said = capsys.readouterr()
        assert said.err.count("\n") == (code != 0)
        return said.out + said.err

    token = order("token", "add", "garage").strip()
    assert token.startswith("tengen_") and token.encode() not in run.hub.read_bytes()
    assert "there is a token" in order("token", "add", "garage", code=2)
    assert "a token's name is" in order("token", "add", "../x", code=2)
    assert "the scopes are" in order("token", "add", "y", "--scope", "rule", code=2)
    assert '"name": "garage"' in order("token", "list", "--json") and token not in order("token", "list")
    order("token", "revoke", "garage")
    assert "there is no token" in order("token", "revoke", "nobody", code=2)
    assert "nobody called" in order("bar", "x", code=2)
    assert "trust NAME" in order("trust", code=2)
    assert order("workers", "--json") == "[]\n"
    order("set", "search.sims=77")
    assert run.config().search.sims == 77
    assert "travel with releases" in order("set", "loop.seed=3", code=2)
    assert "did you mean 'sims'" in order("set", "search.simms=3", code=2)
    assert "is not an order" in order("tokens", "list", code=2)


def test_a_token_can_be_made_before_the_hub_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the manual says; the folder that this makes is no stranger's."""
    run = tmp_path / "run"
    assert main(["hub", "workers", "--run", str(run)]) == 2
    assert "has no hub" in capsys.readouterr().err and not run.exists()
    assert main(["hub", "token", "add", "garage", "--run", str(run)]) == 0
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["hub", "tictactoe", "--run", str(run), "--port", port, "--device", "cpu"]) == 2
    assert f"cannot listen on 127.0.0.1:{port}" in capsys.readouterr().err and (run / "run.toml").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["hub", "token", "list"], "which run?"),
        (["hub", "tictactoe", "--certificate", "x.pem"], "belong together"),
        (["hub", "tictactoe", "--port", "99999"], "not a port"),
        (["worker", "ftp://x", "--token-file", "x"], "a hub is http"),
        (["worker", "http://x:1", "--token-file", "nowhere"], "No such file"),
        (["worker", "http://x:1"], "--token-file"),
    ],
)
def test_wrong_orders(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    said = capsys.readouterr()
    assert reason in said.err and said.err.count("\n") == 1 and said.out == ""
