"""Nothing is lost: not by a reload, nor by a server that dies."""

import os
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.driver import App, let_in, opened
from support.appserver import command

pytestmark = pytest.mark.slow


def test_a_reload_in_mid_game_keeps_the_game(app: App) -> None:
    app.open()
    app.new_game("tictactoe", sides="both")
    for cell in (4, 0, 8):
        app.play(cell)
    app.the("undo").click()
    app.play(1)  # a branch, and the board in it
    app.expect_ply(3, of=3)
    drawn, address = app.state.stones(), app.page.url
    app.expect_stones(drawn)
    app.page.reload()
    app.expect_ply(3, of=3)
    app.expect_stones(drawn)
    assert app.page.url == address
    expect(app.the("moves").locator(".variation")).to_have_count(2)
    app.play(2)
    app.expect_ply(4, of=4)
    app.page.goto("about:blank")
    app.open()  # without the game in the address: the page remembers it
    app.expect_ply(4, of=4)


def test_a_program_goes_on_after_a_reload(app: App) -> None:
    app.open(game="tictactoe")
    app.seat(1, "random")
    app.play(4)
    app.page.reload()
    app.expect_ply(2, of=2)
    expect(app.the("seat-1").locator("select").first).to_have_value("random")


def test_the_page_recovers_from_a_server_that_was_killed(chromium: Browser, tmp_path: Path) -> None:
    with command("--runs", str(tmp_path)) as (process, client), opened(chromium, client) as app:
        app.open(game="connect4")
        app.seat(1, "random")
        app.play(3)
        app.expect_ply(2, of=2)
        drawn = app.state.stones()
        app.expect_stones(drawn)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        expect(app.the("away")).to_contain_text("Your game is safe")
        app.expect_stones(drawn)
        app.play(3)  # asked of nobody for now
        expect(app.the("away")).to_contain_text("open the address that its terminal shows")
        with command("--runs", str(tmp_path), "--port", str(client.port)) as (_, again):
            let_in(app.page.context, again)
            app.the("away").get_by_role("button").click()
            expect(app.the("away")).to_have_count(0)
            app.expect_ply(4, of=4)  # the move, and the program's answer
            app.expect_stones(app.state.stones())
            app.go("analyse")
            app.analyse_with("mcts")
            expect(app.the("visits")).to_have_text("800 sims")


def test_an_analysis_goes_on_by_itself_after_the_server_came_back(chromium: Browser, tmp_path: Path) -> None:
    with command("--runs", str(tmp_path)) as (process, client), opened(chromium, client) as app:
        app.open("analyse", "tictactoe", "b2")
        expect(app.the("verdict")).to_be_visible()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        expect(app.the("away")).to_be_visible()
        with command("--runs", str(tmp_path), "--port", str(client.port)) as (_, again):
            let_in(app.page.context, again)
            expect(app.the("away")).to_have_count(0)
            app.the("undo").click()
            expect(app.page.locator("table.moves tbody tr")).to_have_count(9)
