"""The first minutes of every game on the board that the dialog offers: somebody plays, hints, reviews and analyses."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from browser.driver import App
from tengen import games
from tengen.config import SearchConfig

pytestmark = pytest.mark.slow

QUICK = {"sims": 100, "reviewSims": 50, "seats": [{"player": "human"}, {"player": "", "by": "sims", "sims": 50}]}


def quick(app: App) -> None:
    """Small searches, as somebody without patience sets them."""
    store = "".join(f"localStorage.setItem('tengen.{name}', '{json.dumps(value)}');" for name, value in QUICK.items())
    app.page.add_init_script(f"if (!localStorage.length) {{ {store} }}")


def begin(app: App, game: str, size: int | None = None) -> None:
    """A new game against whoever is offered, with the first move in the middle."""
    quick(app)
    app.open()
    app.new_game(game, size)
    expect(app.the("seat-1").locator("select").first).not_to_have_value("human")
    state = app.state
    legal = state.legal_actions()
    middle = games.make(app.game).layout()
    centre = middle["rows"] // 2 * middle["cols"] + middle["cols"] // 2
    app.click_move(state, next((each for each in legal if state.landing_cell(each) == centre), legal[len(legal) // 2]))
    app.expect_ply(2, of=2)


@pytest.mark.parametrize("game", games.names())
def test_a_game_begins_is_hinted_at_reviewed_and_analysed(app: App, game: str) -> None:
    begin(app, game)
    assert len(app.state.moves()) == 2  # by the rules: the reply was legal
    app.the("hint").click()
    expect(app.the("status")).to_have_text(re.compile("^(Look here|Not sure)"))
    app.go("review")
    app.the("start-review").click()
    expect(app.the("accuracy")).to_be_visible()
    expect(app.page.locator("main progress")).to_have_count(0)
    moves = app.the("moves").locator("li button").all_text_contents()
    assert len(moves) == 2 and not all(move.endswith("??") for move in moves)
    app.go("analyse")
    expect(app.the("visits")).to_be_visible()
    drawn = app.the("graph").locator('.graph-score:not([d=""])')
    expect(drawn.or_(app.the("graph-why"))).to_have_count(1)


@pytest.mark.parametrize(("game", "size"), [("gomoku", 15), ("go", 19)])
def test_no_first_reply_on_the_first_two_lines_of_a_large_board(app: App, game: str, size: int) -> None:
    begin(app, game, size)
    cell = app.state.highlights()["last"]
    assert cell is not None and all(2 <= place < size - 2 for place in divmod(cell, size))


def test_three_settings_for_everybody_and_the_rest_for_experts(app: App) -> None:
    app.open("play", "othello")
    app.the("open-settings").click()
    app.the("strength-1").select_option("mcts")
    app.the("time-1").select_option("0.5")
    fields = app.the("settings").locator("[data-field]")
    expect(fields.first).not_to_be_visible()
    app.the("settings-sides").locator("[data-value=second]").click()
    app.the("expert").click()
    expect(fields.first).to_be_visible()
    names = [str(field.get_attribute("data-field")) for field in fields.all()]
    assert set(names) < set(SearchConfig().to_dict())
    for word in ("noise", "target", "forced", "memory", "cache", "nodes", "virtual", "leaves", "sims"):
        assert not any(word in name for name in names)
    assert all(len(field.locator("p").inner_text()) > 20 for field in fields.all())
    app.page.keyboard.press("Escape")
    expect(app.the("seat-0").locator("select").first).to_have_value("mcts")
    expect(app.the("budget-0")).to_have_value("seconds:0.5")
    expect(app.the("seat-1").locator("select").first).to_have_value("human")
