"""Another program as the opponent: it is chosen by name, its faults are told, and it may resign."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from browser.driver import App, opened
from support.appserver import Client, command
from support.outside import write_engines

pytestmark = pytest.mark.slow


@pytest.fixture
def engines(tmp_path: Path) -> Path:
    file = tmp_path / "engines.toml"
    write_engines(file, "tictactoe", "good", "crash", "resign")
    return file


@pytest.fixture
def server(engines: Path) -> Iterator[Client]:
    with command("--runs", str(engines.with_name("runs")), "--engines", str(engines)) as (_, client):
        yield client


def test_another_program_plays_fails_and_is_tried_again(app: App, engines: Path) -> None:
    app.open(game="tictactoe")
    app.seat(1, "engine:good")
    app.play(0)
    app.expect_ply(2, of=2)
    app.play(1)
    app.expect_ply(4, of=4)  # it plays the last legal cell: a1, b1, …
    app.expect_stones([1, 1, 0, 0, 0, 0, 0, 2, 2])
    app.seat(1, "engine:crash")
    app.play(3)
    expect(app.the("failure")).to_contain_text("The program “crash” failed: crashed, exit code 3: out of ideas.")
    assert Axe().run(app.page).response["violations"] == []
    app.the("retry").click()
    expect(app.the("failure")).to_be_visible()  # nothing has changed
    app.expect_ply(5, of=5)
    engines.write_text(engines.read_text().replace('"crash"', '"good"'))
    app.the("retry").click()
    app.expect_ply(6, of=6)
    expect(app.the("failure")).to_have_count(0)


def test_another_opponent_goes_on_at_once_and_a_program_may_resign(chromium: Browser, server: Client) -> None:
    with opened(chromium, server, locale="zh-CN", color_scheme="dark") as app:
        app.open(game="tictactoe")
        expect(app.the("seat-1").locator("optgroup[label=其他程序] option")).to_have_text(["good", "crash", "resign"])
        app.seat(1, "engine:crash")
        app.play(4)
        expect(app.the("failure")).to_contain_text("程序“crash”出错：crashed, exit code 3: out of ideas。")
        assert Axe().run(app.page).response["violations"] == []
        app.seat(1, "engine:resign")
        expect(app.the("result")).to_contain_text("程序认输了。")
        app.go("analyse")
        expect(app.the("analyst").locator("optgroup[label=其他程序]")).to_have_count(0)
