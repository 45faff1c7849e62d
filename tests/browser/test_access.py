"""For everybody: by axe in both themes, on a phone, in Chinese."""

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from browser.driver import PICTURED, App, Pictures, opened
from support.appserver import Client

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
GAME = "connect4", "4 4 4 3 5 3"


def play(app: App) -> None:
    app.open("play", *GAME)
    app.the("pause").click()


def analyse(app: App) -> None:
    app.open("analyse", *GAME)
    app.analyse_with("shipped", 100)
    app.the("exact-switch").check()
    expect(app.the("visits")).to_have_text(re.compile("^100 "))
    expect(app.the("exact").locator("text").first).to_be_attached()


def review(app: App) -> None:
    app.open("review", *GAME)
    app.the("start-review").click()
    expect(app.the("accuracy").locator("tr.large td").last).not_to_have_text("–")


def tree(app: App) -> None:
    app.open("tree", *GAME)
    expect(app.the("tree-picture")).to_be_visible()
    expect(app.the("tree-nodes")).to_be_visible()


def runs(app: App) -> None:
    app.open("training")
    expect(app.the("runs").locator("a").first).to_be_visible()
    for name in ("one", "二"):
        app.the("compare-runs").get_by_label(name).check()
    expect(app.the("chart-one")).to_be_visible()


def run(app: App, tab: str = "curves") -> None:
    app.open("training", name="one")
    app.the("run-tabs").locator(f"[data-value={tab}]").click()


def curves(app: App) -> None:
    run(app)
    expect(app.the("chart-elo")).to_be_visible()


def machine(app: App) -> None:
    run(app, "machine")
    expect(app.page.locator("main .heat circle").first).to_be_attached()


def ladder(app: App) -> None:
    run(app, "ladder")
    expect(app.the("ladder")).to_be_visible()
    app.the("manage").locator("summary").click()


def dialog(key: str, testid: str) -> Callable[[App], None]:
    def show(app: App) -> None:
        app.open("play", *GAME)
        app.page.keyboard.press(key)
        expect(app.the(testid)).to_be_visible()

    return show


def expert(app: App) -> None:
    dialog("s", "settings")(app)
    app.the("expert").click()
    expect(app.the("settings").locator("[data-field]").first).to_be_visible()


def plain(app: App) -> None:
    app.open("play", *GAME)
    app.page.keyboard.press("n")
    app.the("game-gomoku").click()
    expect(app.the("board-note")).to_be_visible()


def unjudged(app: App) -> None:
    app.open("review", "hex:4", "c3 b2")
    expect(app.the("graph-why")).to_be_visible()


def result(app: App) -> None:
    app.open("play", "connect4", "4 3 4 3 4 3 4")
    expect(app.the("result")).to_be_visible()


SCREENS: dict[str, Callable[[App], None]] = {
    "play": play,
    "result": result,
    "analyse": analyse,
    "review": review,
    "tree": tree,
    "runs": runs,
    "curves": curves,
    "machine": machine,
    "ladder": ladder,
    "new game": dialog("n", "new-game"),
    "new game without a network": plain,
    "settings": dialog("s", "settings"),
    "expert settings": expert,
    "unjudged": unjudged,
    "keys": dialog("?", "keys"),
    "import": dialog("o", "import"),
    "share": dialog("e", "share"),
}


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_in_either_theme_and_the_page_narrows(chromium: Browser, server: Client, screen: str) -> None:
    with opened(chromium, server, color_scheme="light") as app:
        SCREENS[screen](app)
        for theme in ("light", "dark"):
            app.page.emulate_media(color_scheme="light" if theme == "light" else "dark")
            expect(app.page.locator("html")).to_have_attribute("data-theme", theme)
            found = Axe().run(app.page).response["violations"]
            problems = [
                (each["id"], node["target"], node["failureSummary"]) for each in found for node in each["nodes"]
            ]
            assert not problems, f"{screen}, {theme}: {problems}"
        app.page.set_viewport_size({"width": 360, "height": 740})
        app.expect_no_sideways_scrolling()


def test_a_phone_plays_by_touch(chromium: Browser, server: Client) -> None:
    with opened(chromium, server, **PHONE) as app:
        app.open("play", "tictactoe")
        app.seat(1, "random")
        app.cell(4).tap()
        app.expect_ply(2, of=2)


def test_the_pictures_of_a_phone(chromium: Browser, server: Client, pictures: Pictures) -> None:
    with opened(chromium, server, device_scale_factor=2, **PHONE) as app:
        app.open("analyse", "connect4", PICTURED)
        app.analyse_with("shipped", 800)
        expect(app.the("visits")).to_have_text("800 sims")
        pictures.take(app, "app-phone")


LATIN = re.compile(r"[A-Za-z]{3,}")
# Words that are the same in both languages, and the name of a run.
SHARED = re.compile(r"\bone\b|Tengen|Elo|FPU|LCB|MLH|SGF|JSON|PNG|SVG|Space|Enter|Home|End|puct|ucb1|gumbel")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_phone_shows_everything_in_chinese_without_scrolling_sideways(
    chromium: Browser, server: Client, screen: str
) -> None:
    with opened(chromium, server, locale="zh-CN", **PHONE) as app:
        SCREENS[screen](app)
        app.expect_no_sideways_scrolling()
        expect(app.page.locator("html")).to_have_attribute("lang", "zh-CN")
        shown = app.page.locator("dialog" if app.page.locator("dialog").count() else "body").inner_text()
        english = [line for line in shown.splitlines() if LATIN.search(SHARED.sub("", line))]
        assert not english


def test_the_language_is_changed_and_kept(app: App) -> None:
    app.open("play", "connect4")
    expect(app.the("nav-play")).to_have_text("Play")
    app.the("language").click()
    expect(app.the("nav-play")).to_have_text("对弈")
    expect(app.page.locator("h1")).to_contain_text("四子棋")
    app.page.reload()
    expect(app.the("nav-play")).to_have_text("对弈")


def test_the_picture_in_chinese_and_dark(chromium: Browser, server: Client, pictures: Pictures) -> None:
    with opened(chromium, server, locale="zh-CN", color_scheme="dark") as app:
        app.open("analyse", "gomoku:9", "e5 e4 d4 f6 f4")
        app.analyse_with("mcts", 2000)
        expect(app.the("visits")).to_contain_text("2.0k")
        pictures.take(app, "app-dark-zh")
