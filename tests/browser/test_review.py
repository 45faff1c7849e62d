"""Reviewing: what each move cost, and finding the better ones oneself."""

import pytest
from playwright.sync_api import expect

from browser.driver import App

pytestmark = pytest.mark.slow

# The second player does not see three in a row: the reply 7 loses at once, 4 was needed.
BLUNDER = "1 1 2 2 3 7 4"
PLY = 5


def reviewed(app: App) -> None:
    app.open("review", "connect4", BLUNDER)
    app.the("analysis-sims").select_option("50")
    app.the("start-review").click()
    expect(app.the("accuracy").locator("tr.large td").last).not_to_have_text("–")


def test_mistakes_are_marked_and_counted(app: App) -> None:
    reviewed(app)
    marked = app.the("moves").locator(f"li:nth-child({PLY + 1}) button")
    expect(marked).to_have_text("7??")
    first, second = (float(text) for text in app.the("accuracy").locator("tr.large td").all_text_contents())
    assert 0 <= second < first <= 100
    expect(app.the("graph").locator(".graph-mark.grade-blunder").first).to_be_attached()
    app.page.keyboard.press("Home")
    for _ in range(PLY):
        if app.place.get("p") == str(PLY):
            break
        app.the("next-mistake").click()
    app.expect_ply(PLY, of=7)
    expect(app.the("review-words")).to_contain_text("7: Blunder")
    expect(app.the("review-words")).to_contain_text("Better was 4.")
    app.the("review-words").get_by_role("button").hover()
    expect(app.board.locator("text.number").first).to_be_visible()


def test_the_quiz_asks_hints_and_judges(app: App) -> None:
    reviewed(app)
    app.the("start-quiz").click()
    for _ in range(8):  # other moves were weak as well
        if app.place.get("p") == str(PLY):
            break
        app.the("quiz-next").click()
    words = app.the("quiz-words")
    expect(words).to_contain_text("Where would you play?")
    app.play(6)
    expect(words).to_contain_text("7 was played in the game")
    app.play(4)
    expect(words).to_contain_text("5 costs")
    for text in ("Look here.", "The line goes on", "Play 4."):
        app.the("quiz-hint").click()
        expect(app.page.locator("aside.panel")).to_contain_text(text)
    app.play(3)
    expect(words).to_have_text("4 is the best move.")
    expect(app.page.locator("aside.panel")).to_contain_text("1 of")
    assert app.moves == BLUNDER.split()  # tries do not change the game


def test_without_a_game_there_is_nothing_to_review(app: App) -> None:
    app.open("review", "connect4")
    expect(app.page.locator("aside.panel")).to_contain_text("There is no game to review yet.")
