"""What the rules and the search say of a game is said on the page: counts, goals, and doubts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from browser.driver import App

pytestmark = pytest.mark.slow


def add(app: App, path: str, facts: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answers of the server, with more in them."""

    def handle(route: Route) -> None:
        answer = route.fetch()
        content = answer.json()
        route.fulfill(response=answer, json=content | facts(content))

    app.page.route(f"**/api/{path}*", handle)


def test_a_counted_game_shows_captures_komi_count_and_territory(app: App) -> None:
    def counted(position: dict[str, Any]) -> dict[str, Any]:
        return {"captures": [3, 1], "score": {"points": [25, 6.5], "owners": [1] * 24 + [0]}}

    add(app, "position", counted)
    add(app, "game", lambda game: {"options": {"komi": "6.5"}})
    app.open("play", "go:5", "c3")
    expect(app.the("facts")).to_have_text("komi 6.5 · captured by the first player 3, by the second 1")
    expect(app.the("territory")).to_have_count(0)
    app.open("play", "go:5", "c3 pass pass")
    expect(app.the("facts")).to_contain_text("Counted: first player 25, second player 6.5")
    expect(app.the("result")).to_contain_text("By 18.5 points.")
    expect(app.the("territory").locator("rect")).to_have_count(23)  # all but the stone's and nobody's


def test_goals_that_differ_are_told(app: App) -> None:
    add(app, "game", lambda game: {"goals": ["top_bottom", "left_right"]})
    app.open("play", "hex:5")
    expect(app.the("facts")).to_have_text("You join the top to the bottom: the edges of your colour.")
    app.the("swap").click()
    expect(app.the("facts")).to_have_text("You join the left to the right: the edges of your colour.")
    app.the("language").click()
    expect(app.the("facts")).to_have_text("你要连通左右两边，即与你同色的边。")


def doubt(app: App) -> None:
    """The server's searches are sure of nothing."""

    def handle(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda said: socket.send(json.dumps(json.loads(said) | {"certain": False})))

    app.page.route_web_socket(re.compile("/api/search"), handle)


def test_a_search_that_cannot_tell_says_so_instead_of_blaming(app: App) -> None:
    doubt(app)
    app.open("review", "connect4", "1 1 2 2 3 7 4")
    app.the("analyst").select_option("mcts")
    expect(app.the("graph-why")).to_contain_text("Without a network a position is judged when it is searched")
    app.the("analysis-sims").select_option("50")
    app.the("start-review").click()
    expect(app.the("accuracy")).to_be_visible()
    expect(app.page.locator("main progress")).to_have_count(0)
    expect(app.the("moves")).not_to_contain_text("?")
    expect(app.the("accuracy").locator("tr", has_text="Not sure").locator("td").first).to_have_text("4")
    expect(app.the("graph-why")).to_contain_text("Not sure")
    expect(app.the("start-quiz")).to_be_disabled()
    app.page.keyboard.press("Home")
    expect(app.the("review-words")).to_contain_text("1: Not sure")
    app.the("language").click()
    expect(app.the("review-words")).to_contain_text("1: 说不准")


def test_a_hint_that_cannot_be_given_is_not(app: App) -> None:
    doubt(app)
    app.open("play", "connect4", "4 3 4 3 4 3")
    app.the("hint").click()
    expect(app.the("status")).to_contain_text("Not sure")
    expect(app.the("region")).to_have_count(0)
