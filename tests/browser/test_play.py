"""Playing: whole games of each kind by clicking, back and forth, and by the keyboard alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.driver import PICTURED, App, Pictures
from tengen.games import State
from tengen.play.players import search_player

pytestmark = pytest.mark.slow

Make = Callable[[State, int], None]


def play_on(app: App, make: Make, own: int = 0) -> None:
    """Makes the moves of a good player for a side until the game is over."""
    player = search_player("mcts:200", app.state.game)
    over_or_open = app.page.locator("[data-testid=result], .target.open, [data-testid^=move-]").first
    while True:
        expect(over_or_open).to_be_attached()
        state = app.state
        if app.the("result").count():
            return
        assert state.to_move() == own
        make(state, player.act_many([state], [0])[0])
        expect(app.the("moves").locator(f"li:nth-child({len(state.moves()) + 1})")).to_be_attached()


KINDS = {
    "cells": ("tictactoe", None),
    "gravity": ("connect4", None),
    "lines": ("gomoku", 6),
    "hexes": ("hex", 4),
    "discs": ("othello", 6),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_game_by_clicking(app: App, kind: str) -> None:
    name, size = KINDS[kind]
    app.open()
    app.new_game(name, size)
    expect(app.board).to_have_class(f"board board-{kind}")
    app.seat(1, "random")
    play_on(app, app.click_move)
    check_end(app)


def check_end(app: App) -> None:
    """The page says and shows how the game ended by the rules."""
    end = app.state
    assert end.is_terminal()
    app.expect_stones(end.stones())
    second_wins = (end.outcome() > 0) == (end.to_move() == 1)
    words = "A draw." if end.outcome() == 0 else "You lose." if second_wins else "You win."
    expect(app.the("result")).to_contain_text(words)
    expect(app.the("announcer")).to_contain_text(words)
    expect(app.the("won")).to_have_count(len(end.highlights()["line"]))
    expect(app.board.locator(".target.open")).to_have_count(0)


def test_back_and_forth_and_take_back(app: App) -> None:
    app.open()
    app.new_game("tictactoe", sides="both")
    for cell in (4, 0, 8):
        app.play(cell)
    app.expect_ply(3, of=3)
    drawn = [2, 0, 0, 0, 1, 0, 0, 0, 1]
    app.expect_stones(drawn)
    app.the("undo").click()
    app.expect_ply(2, of=3)
    app.expect_stones([2, 0, 0, 0, 1, 0, 0, 0, 0])
    app.the("redo").click()
    app.expect_ply(3, of=3)
    app.expect_stones(drawn)
    app.the("takeback").click()
    app.expect_ply(2, of=3)
    app.play(2)  # another move than before: a branch
    app.expect_ply(3, of=3)
    expect(app.the("moves").locator(".variation")).to_have_count(2)


def test_going_back_makes_the_program_wait_and_a_move_wakes_it(app: App) -> None:
    app.open(game="tictactoe")
    app.seat(1, "random")
    app.play(4)
    app.expect_ply(2, of=2)
    app.the("undo").click()
    expect(app.the("status")).to_have_text("The program waits. Continue when you like.")
    app.expect_ply(1, of=2)
    app.the("pause").click()
    app.expect_ply(2, of=2)
    app.the("undo").click()
    app.the("undo").click()
    app.play(0)
    app.expect_ply(2, of=2)
    app.the("takeback").click()
    app.expect_ply(0, of=2)


def test_two_programs_resigning_and_swapping(app: App) -> None:
    app.open(game="tictactoe")
    app.seat(0, "mcts")
    app.seat(1, "random")
    expect(app.the("result")).to_be_visible()
    assert app.state.is_terminal()
    app.new_game("tictactoe", sides="first")
    app.the("swap").click()  # the program begins now
    app.expect_ply(1, of=1)
    app.the("resign").click()
    expect(app.the("result")).to_contain_text("You resigned.")
    app.the("open-share").click()
    with app.page.expect_download() as download:
        app.the("export-sgf").click()
    text = Path(download.value.path()).read_text()
    assert "RE[B+R]" in text and "PB[" in text and "PW[" not in text  # the program won; the person has no name


def test_hints_in_three_steps(app: App) -> None:
    app.open(game="connect4", moves="4 3 4 3 4 3")  # the fourth in the column wins
    app.the("hint").click()
    expect(app.the("status")).to_have_text("Look here.")
    expect(app.the("region")).to_be_visible()
    app.the("hint").click()
    expect(app.the("status")).to_contain_text("The line goes on")
    app.the("hint").click()
    expect(app.the("status")).to_have_text("Play 4.")
    expect(app.the("hint")).to_be_disabled()
    app.play(3)
    expect(app.the("result")).to_contain_text("You win.")


def test_a_whole_game_by_the_keyboard_alone(app: App) -> None:
    keys = app.page.keyboard
    app.open()
    keys.press("n")
    expect(app.the("new-game")).to_be_visible()
    tab_to(app, "game-tictactoe")
    keys.press("Enter")
    tab_to(app, "start-game")
    keys.press("Enter")
    expect(app.the("new-game")).to_have_count(0)
    seat = app.the("seat-1").locator("select").first
    while not seat.evaluate("select => select === document.activeElement"):
        keys.press("Tab")
    keys.type("Random")
    expect(seat).to_have_value("random")
    play_on(app, lambda state, action: walk(app, state, action))
    check_end(app)


def tab_to(app: App, testid: str) -> None:
    for _ in range(40):
        app.page.keyboard.press("Tab")
        if app.the(testid).evaluate("wanted => wanted === document.activeElement"):
            return
    pytest.fail(f"Tab does not reach {testid}")


def walk(app: App, state: State, action: int) -> None:
    """To a move's cell by the arrows, and Enter."""
    keys = app.page.keyboard
    focused = app.board.locator("[role=gridcell]:focus")
    if not focused.count():
        keys.press("Tab")  # away from the select, which needs letters for itself
        keys.press("c")
    cols = state.game.layout()["cols"]
    at, to = int(focused.get_attribute("data-cell") or ""), state.landing_cell(action)
    assert to is not None
    for key, steps in (("Down", to // cols - at // cols), ("Right", to % cols - at % cols)):
        for _ in range(abs(steps)):
            keys.press(f"Arrow{key if steps > 0 else {'Down': 'Up', 'Right': 'Left'}[key]}")
    expect(focused).to_have_attribute("data-cell", str(to))
    keys.press("Enter")


def test_columns_by_digit_and_moves_as_text(app: App) -> None:
    app.open()
    app.new_game("connect4", sides="both")
    app.page.keyboard.press("4")
    app.expect_moves("4")
    app.expect_stones(app.state.stones())  # the server has described the position: the next move may be typed
    app.page.keyboard.press("m")
    app.page.keyboard.type("5")
    app.page.keyboard.press("Enter")
    app.expect_moves("4 5")


def test_every_key_is_explained(app: App) -> None:
    app.open()
    app.page.keyboard.press("?")
    expect(app.the("keys")).to_be_visible()
    expect(app.the("keys")).to_contain_text("Take back")
    app.page.keyboard.press("Escape")
    expect(app.the("keys")).to_have_count(0)


def test_the_picture_of_playing(app: App, pictures: Pictures) -> None:
    app.open(game="connect4", moves=PICTURED)
    app.expect_ply(8, of=8)
    expect(app.the("status")).to_be_visible()
    pictures.take(app, "app-play")
