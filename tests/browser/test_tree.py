"""The tree: opened node by node, and watched as it grows."""

import re

import pytest
from playwright.sync_api import Locator, expect

from browser.driver import PICTURED, App, Pictures

pytestmark = pytest.mark.slow


def rows(app: App, depth: int) -> Locator:
    return app.the("tree-nodes").locator(f'tr[data-depth="{depth}"][data-move]')


def test_nodes_are_opened_one_by_one(app: App) -> None:
    app.open("tree", "connect4")
    app.the("analyst").select_option("shipped")
    expect(app.the("visits")).to_have_text("60 sims")
    expect(rows(app, 0)).to_have_count(7)
    visits = [int(text) for text in rows(app, 0).locator("td:nth-child(2)").all_text_contents()]
    assert sum(visits) == 60
    assert visits == sorted(visits, reverse=True)
    why = app.the("tree-nodes").locator("tr.why")
    expect(why).to_contain_text("61 visits")  # its own evaluation counts as one
    expect(why).to_contain_text(re.compile("The next simulation takes [1-7]: its score"))
    expect(app.the("tree-nodes").locator("tr.next")).to_have_count(1)
    most = rows(app, 0).first
    most.get_by_role("button").click()
    expect(rows(app, 1)).to_have_count(7)
    expect(why.nth(1)).to_contain_text(f"{visits[0]} visits")
    rows(app, 1).first.get_by_role("button").click()
    expect(rows(app, 2)).to_have_count(7)
    most.get_by_role("button").click()  # and closed again
    expect(rows(app, 1)).to_have_count(0)


def test_the_score_is_the_sum_of_its_parts_and_the_highest_is_next(app: App) -> None:
    app.open("tree", "connect4", "4 4")
    app.the("analyst").select_option("shipped")
    expect(app.the("visits")).to_have_text("60 sims")
    expect(rows(app, 0)).to_have_count(7)
    expect(app.the("tree-nodes").locator("tr.next")).to_have_count(1)
    scores = {}
    for row in rows(app, 0).all():
        _, _, q, u, mlh, score, _ = (number(text) for text in row.locator("td").all_text_contents())
        assert abs(q + u + mlh - score) < 0.012  # as far as they are rounded
        scores[row.get_attribute("data-move")] = score
    chosen = app.the("tree-nodes").locator("tr.next").get_attribute("data-move")
    assert scores[chosen] == max(scores.values())


def number(text: str) -> float:
    return float(text.replace("−", "-").rstrip("%").replace("–", "nan"))


def test_a_tree_grows_as_it_is_told(app: App) -> None:
    app.open("tree", "tictactoe")
    app.the("analyst").select_option("uniform")
    expect(app.the("visits")).to_have_text("60 sims")
    picture = app.the("tree-picture")
    expect(picture.locator(".pill").first).to_contain_text("61")
    app.the("more-100").click()
    expect(app.the("visits")).to_have_text("160 sims")
    expect(picture.locator(".pill").first).to_contain_text("161")
    app.the("tree-restart").click()
    expect(app.the("visits")).to_have_text("1 sims")
    app.the("more-1").click()
    expect(app.the("visits")).to_have_text("2 sims")
    expect(picture.locator(".pill")).to_have_count(3)
    app.the("tree-watch").click()
    expect(app.the("visits")).to_have_text(re.compile(r"^([5-9]|\d\d+) sims"))
    app.the("tree-watch").click()
    expect(app.the("tree-watch")).to_have_text("Watch it grow")


def test_a_place_in_the_picture_opens_its_line(app: App) -> None:
    app.open("tree", "connect4")
    app.the("analyst").select_option("shipped")
    expect(app.the("visits")).to_have_text("60 sims")
    app.the("tree-picture").locator(".pill.main").nth(2).click()
    expect(rows(app, 2).first).to_be_visible()
    app.page.keyboard.press("+")
    expect(app.the("visits")).to_have_text("70 sims")


def test_the_picture_of_the_tree(app: App, pictures: Pictures) -> None:
    app.open("tree", "connect4", PICTURED)
    app.the("analyst").select_option("shipped")
    expect(app.the("visits")).to_have_text("60 sims")
    for sims in (160, 260):
        app.the("more-100").click()
        expect(app.the("visits")).to_have_text(f"{sims} sims")
    expect(app.the("tree-picture").locator(".pill").first).to_contain_text("261")
    pictures.take(app, "app-tree")
