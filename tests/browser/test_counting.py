"""Expected territory and the lead on the page: drawn, told in words, remembered, and honest where nobody counts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from browser.driver import App, opened
from support.appserver import Client, command
from support.counting import GAME, MOVES, counting_network, write_counting_run
from tengen.net.evaluator import foreseen_owners, make_evaluator

pytestmark = pytest.mark.slow

LEAST_SURE = 0.2  # as on the page


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    runs = tmp_path_factory.mktemp("runs")
    write_counting_run(runs / "counts")
    with command("--runs", str(runs)) as (_, client):
        yield client


@pytest.fixture
def app(chromium: Browser, counting: Client) -> Iterator[App]:
    with opened(chromium, counting) as app:
        yield app


def drawn(app: App) -> dict[int, int]:
    """The sides of the squares on the board, by cell."""
    found: dict[str, str] = app.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('[data-testid=foreseen] rect')]
                 .map(each => [each.dataset.cell, each.classList.contains('side-1') ? '1' : '2']))"""
    )
    return {int(cell): int(side) for cell, side in found.items()}


def expected(moves: str) -> dict[int, int]:
    """The cells that the network gives to somebody whose stone is not there."""
    state = GAME.from_moves(moves)
    owners = foreseen_owners(make_evaluator(counting_network(), GAME), state)
    assert owners is not None
    first = [(1 if state.to_move() == 0 else -1) * each for each in owners.tolist()]
    sides = {cell: 1 if each > 0 else 2 for cell, each in enumerate(first) if abs(each) >= LEAST_SURE}
    return {cell: side for cell, side in sides.items() if state.stones()[cell] != side}


@pytest.mark.parametrize("moves", [MOVES, "c3"])
def test_the_overlay_shows_what_the_network_foresees(app: App, moves: str) -> None:
    app.open("analyse", GAME.id, moves)
    app.analyse_with("run:counts/best", 100)
    switch = app.the("territory-switch")
    expect(switch).not_to_be_checked()
    expect(app.the("foreseen")).to_have_count(0)
    app.page.keyboard.press("g")
    expect(switch).to_be_checked()
    expect(app.the("territory-words")).to_have_text(re.compile(r"First player \d+ cells, second player \d+, open \d+"))
    assert drawn(app) == expected(moves) and len(drawn(app)) > 3
    expect(app.the("lead")).to_have_text(re.compile(r"lead [BW]\+\d+\.\d"))
    expect(app.page.locator("table.moves th", has_text="Lead")).to_be_visible()
    app.page.reload()
    expect(app.the("territory-switch")).to_be_checked()  # remembered
    expect(app.the("foreseen")).to_be_visible()
    app.the("territory-switch").click()
    expect(app.the("foreseen")).to_have_count(0)


def test_who_does_not_count_says_so(app: App) -> None:
    app.open("analyse", GAME.id, "c3")
    app.analyse_with("mcts", 100)
    app.the("territory-switch").click()
    expect(app.the("territory-words")).to_contain_text("a network that counts points")
    expect(app.the("foreseen")).to_have_count(0)
    app.open("analyse", "connect4", "4")
    expect(app.the("heat-switch")).to_be_visible()
    expect(app.the("territory-switch")).to_have_count(0)


def test_the_review_draws_the_lead_over_the_game_also_on_a_phone(chromium: Browser, counting: Client) -> None:
    with opened(chromium, counting, viewport={"width": 390, "height": 844}) as app:
        app.open("review", GAME.id, f"{MOVES} pass pass")
        app.the("analyst").select_option("run:counts/best")
        expect(app.the("lead-line")).to_be_attached()
        expect(app.the("graph")).to_contain_text("Dashed: lead, ±")
        state = GAME.from_moves(f"{MOVES} pass pass")
        first, second = state.score() or (0, 0)
        expect(app.the("graph-lead")).to_have_text(f"lead {'B' if first > second else 'W'}+{abs(first - second):.1f}")
        app.page.keyboard.press("Home")
        app.page.keyboard.press("g")
        expect(app.the("foreseen")).to_be_visible()
        width = app.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390
        app.page.keyboard.press("z")
        expect(app.the("territory-words")).to_contain_text("先手")
        expect(app.the("graph-lead")).to_have_text(re.compile(r"分差 [黑白]\+\d"))
