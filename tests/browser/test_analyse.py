"""Analysing: heat maps, lines shown on the board, options that reach the search, files in and out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, WebSocket, expect

from browser.driver import PICTURED, App, Pictures, opened
from support.appserver import Client
from tengen import games

pytestmark = pytest.mark.slow

OPENING = "4 4 4 3 5 3"


def analysed(app: App, visits: int) -> None:
    """Waits until a search has ended at so many simulations."""
    expect(app.the("visits")).to_have_text(f"{visits} sims")
    expect(app.page.locator(".verdict .pulse")).to_have_count(0)


def test_heat_maps_show_what_the_table_says(app: App) -> None:
    app.open("analyse", "connect4", OPENING)
    app.analyse_with("shipped")
    analysed(app, 800)
    state = app.state
    cells = {state.move_text(action): state.landing_cell(action) for action in state.legal_actions()}
    best = app.the("best-move").inner_text()
    rows = app.table()
    assert set(rows) == set(cells)
    heat = app.the("heat")
    for name, column in (("prior", 3), ("visits", 2)):
        app.the("heat-switch").locator(f"[data-value={name}]").click()
        expect(heat.locator(".heat-more").first).to_be_attached()
        shares = {move: float(row[column].rstrip("%")) for move, row in rows.items()}
        radii = {move: radius(app, cell) for move, cell in cells.items()}
        shown = [move for move in radii if radii[move]]
        assert best in shown
        most = max(shown, key=lambda move: shares[move])
        assert radii[most] == max(radii.values())
    expect(heat.locator(f'[data-cell="{cells[best]}"] .heat-best')).to_have_count(1)
    app.the("heat-switch").locator("[data-value=value]").click()
    expect(heat.locator(".heat-good, .heat-bad").first).to_be_attached()
    app.the("heat-switch").locator("[data-value=off]").click()
    expect(heat.locator("circle")).to_have_count(0)


def radius(app: App, cell: int | None) -> float:
    circle = app.the("heat").locator(f'[data-cell="{cell}"] .heat-more')
    return float(circle.get_attribute("r") or 0) if circle.count() else 0.0


def test_pointing_at_a_move_plays_its_line_on_the_board(app: App) -> None:
    app.open("analyse", "connect4", OPENING)
    app.analyse_with("shipped")
    analysed(app, 800)
    before = app.stones()
    best = app.the("best-move").inner_text()
    line = app.table()[best][-1].split()
    assert len(line) > 1
    app.page.locator(f'table.moves tr[data-move="{best}"]').hover()
    numbers = app.board.locator("text.number")
    expect(numbers).to_have_count(len(line))
    app.expect_stones(games.make("connect4").from_moves(f"{OPENING} {' '.join(line)}").stones())
    assert sorted(numbers.all_text_contents(), key=int) == [str(ply + 1) for ply in range(len(line))]
    app.page.mouse.move(0, 0)
    expect(numbers).to_have_count(0)
    app.expect_stones(before)
    app.expect_moves(OPENING)


def test_a_slider_changes_the_search(app: App) -> None:
    asked: list[dict[str, Any]] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: asked.append(json.loads(frame)))

    app.page.on("websocket", listen)
    app.open("analyse", "connect4", "4 4 4 3")
    app.analyse_with("shipped")
    analysed(app, 800)
    usual = app.table()
    assert "c_init" not in searches(asked)[-1]["settings"]
    app.the("open-settings").click()
    app.the("expert").click()
    option = app.the("settings").locator("[data-field=c_init]")
    option.locator("input[type=range]").press("End")
    chosen = float(option.locator("input[type=number]").input_value())
    expect(option).to_have_class("option changed")
    app.page.keyboard.press("Escape")
    visits = app.page.locator("table.moves tr[data-move='4'] td").first
    expect(visits).not_to_have_text(usual["4"][1])
    analysed(app, 800)
    assert searches(asked)[-1]["settings"]["c_init"] == chosen
    changed = app.table()
    assert {move: row[3] for move, row in changed.items()} == {move: row[3] for move, row in usual.items()}  # priors
    assert spread(changed) > spread(usual)  # more curiosity: the visits are spread wider
    app.the("open-settings").click()
    app.the("settings").get_by_role("button", name="Back to the usual").click()
    app.page.keyboard.press("Escape")
    expect(visits).not_to_have_text(changed["4"][1])
    analysed(app, 800)
    assert "c_init" not in searches(asked)[-1]["settings"]
    assert spread(app.table()) < spread(changed)


def searches(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message for message in asked if message["type"] == "search"]


def spread(table: dict[str, list[str]]) -> int:
    """Visits of all moves but the most visited."""
    visits = sorted(int(row[1]) for row in table.values())
    return sum(visits[:-1])


def test_exact_scores_beside_the_networks_opinion(app: App) -> None:
    app.open("analyse", "connect4", "4 3 4 3 4 3")
    app.the("exact-switch").check()
    labels = app.the("exact").locator("text")
    expect(labels).to_have_count(7)
    assert labels.all_text_contents()[3] == "+18"  # the win at once
    expect(app.page.locator("table.moves tr[data-move='4'] .exact-cell")).to_have_text("+18")


def test_the_graph_leads_through_the_game(app: App) -> None:
    app.open("analyse", "connect4", OPENING)
    app.expect_ply(6, of=6)
    graph = app.the("graph").locator("svg")
    expect(graph.locator(".graph-score")).to_have_attribute("d", re.compile(r"(L.*){6}"))  # judged at every ply
    box = graph.bounding_box()
    assert box
    graph.click(position={"x": box["width"] / 2, "y": 20})
    app.expect_ply(3, of=6)
    graph.click(position={"x": 2, "y": 20})
    app.expect_ply(0, of=6)


def test_a_game_with_branches_goes_out_as_sgf_and_comes_back(
    app: App, chromium: Browser, server: Client, tmp_path: Path
) -> None:
    app.open("analyse", "gomoku:9", "e5 e4 d4 f6")
    app.the("undo").click()
    app.page.get_by_test_id("undo").click()
    app.expect_ply(2, of=4)
    app.play(0)
    app.expect_ply(3, of=3)
    kept = saved_game(app)
    assert kept["tree"]["children"][0]["children"][0]["children"][1]["move"]
    app.the("open-share").click()
    for kind in ("sgf", "json"):
        with app.page.expect_download() as download:
            app.the(f"export-{kind}").click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        with opened(chromium, server) as other:
            other.open()
            other.the("open-import").click()
            other.the("import-file").set_input_files(file)
            expect(other.page.locator("main[data-screen=analyse]")).to_be_visible()
            other.expect_ply(4, of=4)
            came = saved_game(other)
            assert (came["game"], came["start"], came["tree"]) == (kept["game"], kept["start"], kept["tree"])


def saved_game(app: App) -> dict[str, Any]:
    saved: dict[str, Any] = json.loads(app.page.evaluate("localStorage.getItem('tengen.game')"))
    return saved


def test_moves_are_pasted_links_shared_and_pictures_saved(
    app: App, chromium: Browser, server: Client, tmp_path: Path
) -> None:
    app.open("analyse", "tictactoe")
    app.the("open-import").click()
    app.the("import-text").fill("b2 a1 c3")
    app.the("import-open").click()
    app.expect_moves("b2 a1 c3")
    app.the("open-share").click()
    link = app.page.get_by_label("Link to this game").input_value()
    for kind, beginning in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with app.page.expect_download() as download:
            app.the(f"export-{kind}").click()
        download.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(beginning)
    with opened(chromium, server) as other:
        other.page.goto(link)
        other.expect_ply(3, of=3)
        other.expect_stones(app.state.stones())


def test_a_position_is_set_up(app: App) -> None:
    app.open("analyse", "tictactoe")
    app.the("open-import").click()
    cells = app.the("import").locator("[role=gridcell]")
    cells.nth(4).click()
    cells.nth(0).click()
    cells.nth(0).click()  # twice: the second player's
    app.the("use-position").click()
    expect(app.the("import")).to_have_count(0)
    app.expect_stones([2, 0, 0, 0, 1, 0, 0, 0, 0])
    assert app.place["s"].endswith("X")


def test_the_picture_of_analysing(app: App, pictures: Pictures) -> None:
    app.open("analyse", "connect4", PICTURED)
    app.the("exact-switch").check()
    app.analyse_with("shipped", 2000)
    expect(app.the("visits")).to_have_text("2.0k sims")
    expect(app.the("exact").locator("text").first).to_be_attached()
    pictures.take(app, "app-analyse")
