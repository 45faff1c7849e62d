"""The page as its tests see it: what a person could do there, and what a person would see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect

from support.appserver import PATIENCE, Client
from tengen import games
from tengen.games import State

expect.set_options(timeout=1000 * PATIENCE)

PICTURED = "1 7 5 5 5 6 2 1"  # many moves of Connect4 are thought of here: for pictures

Text = str | re.Pattern[str]

# The browser's own words about answers that the page explains in its own.
EXPECTED_COMPLAINTS = re.compile(r"Failed to load resource|WebSocket connection to .* failed")


class App:
    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.complaints: list[str] = []
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._hear)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not EXPECTED_COMPLAINTS.search(message.text):
            self.complaints.append(message.text)

    def open(self, screen: str = "play", game: str = "", moves: str = "", name: str = "") -> None:
        """Goes to a screen, with a game where one is named."""
        query = urlencode({key: value for key, value in (("g", game), ("m", "-".join(moves.split()))) if value})
        path = f"{screen}/{name}" if name else screen
        self.page.goto(f"{self.address}/#/{path}" + (f"?{query}" if query else ""))
        expect(self.page.locator(f"main[data-screen={screen}]")).to_be_visible()
        if screen != "training":
            expect(self.board.or_(self.the("board-text"))).to_be_visible()

    def go(self, screen: str) -> None:
        self.the(f"nav-{screen}").click()
        expect(self.page.locator(f"main[data-screen={screen}]")).to_be_visible()

    def the(self, testid: str) -> Locator:
        return self.page.get_by_test_id(testid)

    @property
    def board(self) -> Locator:
        return self.page.locator("main svg.board")

    def cell(self, cell: int) -> Locator:
        return self.board.locator(f'[role=gridcell][data-cell="{cell}"]')

    @property
    def place(self) -> dict[str, str]:
        """The game in the address: g is the game, m its moves, p the ply on the board where it is not the last."""
        query = str(self.page.evaluate("location.hash")).partition("?")[2]
        return {key: values[0] for key, values in parse_qs(query).items()}

    @property
    def game(self) -> str:
        return self.place["g"]

    @property
    def moves(self) -> list[str]:
        text = self.place.get("m", "")
        return [move for move in text.split("," if "," in text else "-") if move]

    @property
    def state(self) -> State:
        """The position after all moves, by the rules themselves."""
        return games.make(self.game).from_moves(" ".join(self.moves))

    def stones(self) -> list[int]:
        """What is drawn on each cell: 0, 1 or 2."""
        drawn: dict[str, str] = self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll('main svg.board [data-stone]')]
                     .map(stone => [stone.dataset.cell, stone.dataset.stone]))"""
        )
        stones = [0] * self.board.locator("[role=gridcell]").count()
        for cell, stone in drawn.items():
            stones[int(cell)] = int(stone)
        return stones

    def expect_stones(self, stones: list[int]) -> None:
        """The board follows the cursor when the server has described the position."""
        expect(self.board.locator("[data-stone]")).to_have_count(len(stones) - stones.count(0))
        assert self.stones() == stones

    def expect_moves(self, moves: str) -> None:
        expect(self.page).to_have_url(re.compile(rf"[?&]m={'-'.join(moves.split())}(&|$)"))

    def expect_ply(self, ply: int, of: int) -> None:
        expect(self.page.locator(".transport .ply")).to_have_text(f"{ply} / {of}")

    def play(self, cell: int) -> None:
        """A move on the board, once it is open there: the server must have described the position."""
        expect(self.cell(cell)).to_have_class("target open")
        self.cell(cell).click()

    def click_move(self, state: State, action: int) -> None:
        """As a person makes it: on the board, by its cell or its two cells, and by its name where these mean several
        moves; or by its button where it has no place there."""
        cells, text = state.move_cells(action), state.move_text(action)
        for cell in cells:
            if cell >= 0:
                self.play(cell)
        if cells == (-1, -1) or [state.move_cells(each) for each in state.legal_actions()].count(cells) > 1:
            self.the(f"move-{text}").click()

    def seat(self, side: int, player: str) -> None:
        self.the(f"seat-{side}").locator("select").first.select_option(player)

    def new_game(self, name: str, size: int | None = None, sides: str = "first") -> None:
        self.the("open-new").click()
        self.the(f"game-{name}").click()
        if size:
            self.the("size").select_option(str(size))
        self.the("sides").locator(f"[data-value={sides}]").click()
        self.the("start-game").click()
        expect(self.the("new-game")).to_have_count(0)

    def expect_notice(self, text: Text) -> None:
        expect(self.the("notices")).to_contain_text(text)

    def analyse_with(self, player: str, sims: int = 800) -> None:
        self.the("analyst").select_option(player)
        self.the("analysis-sims").select_option(str(sims))

    def table(self) -> dict[str, list[str]]:
        """The rows of the table of moves, by move."""
        rows: dict[str, list[str]] = self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll('table.moves tbody tr')]
                     .map(row => [row.dataset.move, [...row.children].map(cell => cell.textContent)]))"""
        )
        return rows

    def expect_no_sideways_scrolling(self) -> None:
        wide = self.page.evaluate(
            """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>
                     done([document.documentElement.scrollWidth, innerWidth]))))"""
        )  # a frame later: charts follow the width of their place
        assert wide[0] <= wide[1], f"{self.page.url}: {wide[0]} px of page in a window of {wide[1]} px"


def let_in(context: BrowserContext, server: Client) -> None:
    """Gives a browser the cookie that it would get at the printed address."""
    name, _, secret = server.cookie.partition("=")
    context.add_cookies(
        [{"name": name, "value": secret, "url": server.address, "httpOnly": True, "sameSite": "Strict"}]
    )


@contextmanager
def opened(browser: Browser, server: Client, **context: Any) -> Iterator[App]:
    """A fresh profile with one page. Errors that the page itself makes fail the test."""
    settings: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "locale": "en-GB"}
    fresh = browser.new_context(**settings | {"reduced_motion": "reduce"} | context)
    let_in(fresh, server)
    app = App(fresh.new_page(), server.address)
    try:
        yield app
        assert app.complaints == []
    finally:
        fresh.close()


class Pictures:
    """The pictures of the README, taken where the tests pass by; only when they are asked for."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def take(self, app: App, name: str) -> None:
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        app.page.mouse.move(0, 0)
        app.page.screenshot(path=self._folder / f"{name}.png", animations="disabled")
