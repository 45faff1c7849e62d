"""From one game to another: who plays, in which colours, and on which board."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from browser.driver import App, opened
from support.appserver import Client
from tengen import games

pytestmark = pytest.mark.slow


def opponent(app: App, side: int = 1) -> Locator:
    return app.the(f"seat-{side}").locator("select").first


def test_a_game_without_a_network_leaves_the_opponents_of_others_alone(app: App) -> None:
    app.open()
    app.new_game("gomoku", 15)
    expect(opponent(app)).not_to_have_value("shipped")
    app.new_game("othello")
    expect(opponent(app)).to_have_value("shipped")
    app.new_game("connect4")
    expect(opponent(app)).to_have_value(re.compile("level:"))


def test_a_chosen_opponent_is_there_again_when_the_game_is(app: App) -> None:
    app.open(game="connect4")
    app.seat(1, "level:2")
    app.new_game("tictactoe")
    expect(opponent(app)).not_to_have_value("level:2")
    app.new_game("connect4")
    expect(opponent(app)).to_have_value("level:2")
    app.page.reload()
    expect(opponent(app)).to_have_value("level:2")
    app.the("swap").click()
    expect(opponent(app, 0)).to_have_value("level:2")


def test_who_analyses_is_chosen_for_each_game(app: App) -> None:
    app.open("analyse", "connect4")
    app.the("analyst").select_option("mcts")
    app.new_game("othello")
    expect(app.the("analyst")).to_have_value("shipped")
    app.new_game("connect4")
    expect(app.the("analyst")).to_have_value("mcts")


def test_chances_of_a_run_have_the_colours_of_its_own_pieces(app: App) -> None:
    """The run's game is Connect4; the game on the board has stones."""
    colours = []
    for game in ("connect4", "gomoku:9"):
        app.open("play", game)
        app.go("training")
        app.open("training", name="one")
        app.the("run-tabs").locator("[data-value=machine]").click()
        win = app.the("machine").locator(".wdl .win")
        expect(win).to_be_attached()
        colours.append(colour_of(win, "backgroundColor"))
    assert colours[0] == colours[1]


def colour_of(element: Locator, name: str) -> str:
    return str(element.evaluate(f"element => getComputedStyle(element).{name}"))


def luminance(colour: str) -> float:
    """By WCAG 2: relative luminance of rgb(…)."""
    parts = [float(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_stones_beside_names_are_seen_in_both_themes(chromium: Browser, server: Client, theme: Any) -> None:
    with opened(chromium, server, color_scheme=theme) as app:
        app.open("play", "gomoku:9")
        ground = luminance(colour_of(app.page.locator("section.card").first, "backgroundColor"))
        for side in (0, 1):
            rim = luminance(colour_of(app.the(f"seat-{side}").locator(".token .stone"), "stroke"))
            assert (max(rim, ground) + 0.05) / (min(rim, ground) + 0.05) >= 3  # WCAG 1.4.11


def test_the_line_of_a_move_is_seen_at_1280_pixels(app: App) -> None:
    app.open("analyse", "connect4", "4 4 4 3 5 3")
    app.the("exact-switch").check()
    app.analyse_with("shipped", 800)
    expect(app.the("visits")).to_have_text("800 sims")
    expect(app.page.locator("table.moves .exact-cell").first).to_be_visible()
    hidden = app.page.locator(".table-scroll").evaluate("box => box.scrollWidth - box.clientWidth")
    assert hidden <= 0, f"{hidden} px of the table are outside of its card"
    line = app.page.locator("table.moves tr.best td.pv")
    assert len(line.inner_text().split()) > 3
    assert line.evaluate("cell => cell.scrollWidth <= cell.clientWidth")


@pytest.mark.parametrize("game", games.names())
def test_every_game_goes_out_as_sgf(app: App, game: str) -> None:
    app.open("analyse", game)
    app.the("open-share").click()
    with app.page.expect_download() as download:
        app.the("export-sgf").click()
    assert download.value.suggested_filename.endswith(".sgf")


def test_a_small_board_is_opened_from_the_dialog_of_a_larger_one(app: App) -> None:
    """The dialog's own board was once drawn with the stones of the game before: "reading 'y'"."""
    app.open("analyse")
    for text, moves in (("(;GM[1]SZ[19];B[ss];W[aa])", 2), ("(;GM[4]SZ[15];B[hh])", 1)):
        app.the("open-import").click()
        app.the("import-text").fill(text)
        app.the("import-open").click()
        app.expect_ply(moves, of=moves)
    assert app.game == "gomoku:15"


def test_boards_with_a_network_come_first_and_say_so(app: App) -> None:
    app.open()
    app.the("open-new").click()
    app.the("game-gomoku").click()
    size, note = app.the("size"), app.the("board-note")
    expect(note).to_contain_text("No network knows this board")
    groups = size.locator("optgroup")
    assert [each.get_attribute("label") for each in groups.all()] == ["With a network", "Plain search only"]
    known = groups.first.locator("option").all_text_contents()
    assert known == ["9 × 9", "6 × 6 · in a row 4"]
    size.select_option(label=known[1])
    expect(note).not_to_contain_text("No network")
    app.the("start-game").click()
    expect(opponent(app)).to_have_value("shipped")
    assert app.game == "gomoku:6,in_a_row=4"
    app.the("open-new").click()  # the dialog shows the board that is played on
    expect(size.locator("option:checked")).to_have_text("6 × 6")
    expect(app.the("new-game").get_by_role("spinbutton")).to_have_value("4")
