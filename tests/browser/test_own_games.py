"""Games of somebody's own, of which the page knows nothing: pieces with glyphs, moves of two clicks, a choice between
moves of the same cells, games without a board, and rules that fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from browser.driver import App, opened
from browser.test_access import PHONE
from browser.test_play import check_end
from support.appserver import Client, command
from tengen import games
from tengen.games import State, sources

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
SUPPORT = Path(__file__).parents[1] / "support" / "owngames.py"
RULES = [
    f"{EXAMPLES / 'breakthrough.py'}",
    f"{EXAMPLES / 'chess_game.py'}",
    f"{SUPPORT}:Take",
    f"{SUPPORT}:Walls",
]
PROMOTES = "b4 a5 bxa5 Nf6 a6 Nd5 axb7 Nf6"
B7, A8 = 9, 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    pytest.importorskip("chess")
    sources.load(RULES[0])  # the tests play by the same rules
    options = [part for each in RULES for part in ("--rules", each)]
    with command("--runs", str(tmp_path_factory.mktemp("runs")), *options) as (_, client):
        yield client


def two_people(app: App, game: str, moves: str = "") -> None:
    """A game in which the person in front of the page moves for both sides."""
    app.page.add_init_script("""localStorage.setItem('tengen.seats', '[{"player": "human"}, {"player": "human"}]')""")
    app.open("play", game, moves)
    expect(app.the("seat-1").locator("select").first).to_have_value("human")


def expect_glyph(app: App, cell: int, glyph: str) -> None:
    man = app.the("stones").locator(f'[data-cell="{cell}"]')
    expect(man).to_have_text(re.compile(f"^{re.escape(glyph)}\ufe0e?$"))  # a sign may be asked for as a plain one


def expect_drawn(app: App, state: State) -> None:
    """The pieces, once the board shows the last move: where it came from and where it went."""
    before = state.game.start()
    for action in state.moves()[:-1]:
        before.apply(action)
    source, target = before.move_cells(state.moves()[-1])
    marked = app.the("trace").locator(f'[data-cell="{source}"] + [data-cell="{target}"]')
    expect(marked).to_have_count(1)
    app.expect_stones(state.stones())
    for cell, glyph in enumerate(state.glyphs() or []):
        if glyph:
            expect_glyph(app, cell, glyph)


def texts(state: State) -> list[str]:
    replayed, told = state.game.start(), []
    for action in state.moves():
        told.append(replayed.move_text(action))
        replayed.apply(action)
    return told


def forward(state: State) -> int:
    """The pawn that is furthest on goes on: a short game."""
    legal, up = state.legal_actions(), 1 if state.to_move() == 0 else -1
    return min(legal, key=lambda action: (up * state.move_cells(action)[1], action))


def test_a_game_of_breakthrough_by_two_clicks_a_move(app: App) -> None:
    two_people(app, "breakthrough")
    state = games.make("breakthrough").start()
    while not state.is_terminal():
        action = forward(state)
        app.click_move(state, action)
        state.apply(action)
        app.expect_ply(state.ply(), of=state.ply())
    expect(app.the("result")).to_be_visible()
    assert app.moves == texts(state)
    expect_drawn(app, state)


def test_against_a_program(app: App) -> None:
    app.open()
    app.new_game("breakthrough")
    expect(app.page.locator("h1")).to_have_text("Breakthrough")
    app.seat(1, "random")
    over_or_open = app.page.locator("[data-testid=result], .target.open").first
    while True:
        expect(over_or_open).to_be_attached()
        state = app.state
        if app.the("result").count():
            break
        app.click_move(state, forward(state))
        expect(app.the("moves").locator(f"li:nth-child({len(state.moves()) + 1})")).to_be_attached()
    check_end(app)


def test_what_is_selected_can_be_changed_and_let_go(app: App) -> None:
    two_people(app, "breakthrough")
    targets = app.the("selection").locator(".aim")
    app.play(25)
    expect(targets).to_have_count(3)
    expect(app.cell(25)).to_have_attribute("aria-selected", "true")
    expect(app.cell(18)).to_have_attribute("aria-label", re.compile("may go here"))
    app.play(24)  # another pawn instead
    expect(targets).to_have_count(2)
    app.cell(24).click()
    expect(app.the("selection")).to_have_count(0)
    app.play(24)
    app.cell(14).click()  # where no move goes
    expect(app.the("selection")).to_have_count(0)
    app.play(24)
    app.page.keyboard.press("Escape")
    expect(app.the("selection")).to_have_count(0)
    app.expect_ply(0, of=0)


def test_by_the_keyboard_alone(app: App) -> None:
    two_people(app, "breakthrough")
    press = app.page.keyboard.press
    expect(app.cell(27)).to_have_class("target open")
    press("c")  # the board: its middle is d3
    for key in ("ArrowDown", "Enter", "ArrowUp", "Enter"):
        press(key)
    app.expect_moves("d2d3")
    expect(app.cell(9)).to_have_class("target open")
    for key in ("ArrowUp", "ArrowUp", "Enter", "ArrowDown", "ArrowRight", "Enter"):
        press(key)
    app.expect_moves("d2d3 d5e4")


def test_a_promotion_is_picked(app: App) -> None:
    two_people(app, "chess", PROMOTES)
    app.play(B7)
    app.play(A8)
    buttons = app.the("picker").get_by_role("button")
    expect(buttons).to_have_text(["bxa8=Q", "bxa8=N", "bxa8=B", "bxa8=R"])
    expect(buttons.first).to_be_focused()
    app.page.keyboard.press("Escape")
    expect(app.the("picker")).to_have_count(0)
    expect(app.cell(A8)).to_be_focused()
    app.page.keyboard.press("Enter")  # b7 is still selected
    expect(buttons.first).to_be_focused()
    app.page.keyboard.press("ArrowRight")
    expect(buttons.nth(1)).to_be_focused()
    app.page.keyboard.press("Enter")
    app.expect_ply(9, of=9)
    expect_glyph(app, A8, "♞")
    assert app.moves[-1] == "bxa8=N"
    assert app.stones()[A8] == 1


CASTLES = {"e4": (52, 36), "e5": (12, 28), "Nf3": (62, 45), "Nc6": (1, 18), "Bc4": (61, 34), "Bc5": (5, 26),
           "O-O": (60, 62), "Nf6": (6, 21)}  # fmt: skip


def test_chess_by_clicking_with_moves_that_have_hyphens(app: App) -> None:
    two_people(app, "chess")
    for ply, cells in enumerate(CASTLES.values(), 1):
        for cell in cells:
            app.play(cell)
        app.expect_ply(ply, of=ply)
    for again in ("", "location.reload()", "localStorage.clear(); location.reload()"):  # at last by the address alone
        app.page.evaluate(again)
        for cell, glyph in ((62, "♚"), (61, "♜"), (45, "♞"), (21, "♞")):
            expect_glyph(app, cell, glyph)
        expect(app.the("trace").locator('[data-cell="6"] + [data-cell="21"]')).to_have_count(1)
        expect(app.the("moves").locator("button")).to_have_text(list(CASTLES))
        assert app.moves == list(CASTLES)


def test_walls_of_one_cell_are_picked_and_rules_that_fail_say_so(app: App) -> None:
    two_people(app, "walls")
    app.play(4)
    app.the("move-b2h").click()
    app.expect_ply(1, of=1)
    expect_glyph(app, 4, "<b>")  # as the game writes it
    expect(app.board.locator("b")).to_have_count(0)
    app.play(8)
    app.the("move-c1v").click()
    app.expect_notice(
        re.compile(r"The rules of this game failed: .*there is no <b>picture</b> of this.*owngames\.py, line")
    )
    app.expect_ply(1, of=2)
    app.play(0)  # the board stays usable
    app.the("move-a3v").click()
    app.expect_ply(2, of=2)


def test_a_game_without_a_board_is_its_text_and_a_list(app: App) -> None:
    two_people(app, "take")
    expect(app.page.locator("h1")).to_have_text("Take <b>away</b>")
    text = app.the("board-text")
    expect(text).to_have_text(f"<img src=x onerror=alert(1)>[b]\n{'|' * 40}")
    expect(app.page.locator("main img, main b")).to_have_count(0)
    buttons = app.the("move-list").get_by_role("button")
    expect(buttons).to_have_count(15)
    app.page.keyboard.press("m")  # to the box that finds moves
    app.page.keyboard.type("-12")
    expect(buttons).to_have_text(["[i]<i>-12"])
    app.page.keyboard.press("Enter")
    app.expect_ply(1, of=1)
    expect(text).to_contain_text(re.compile(r"\]\s\|{28}$"))
    expect(buttons).to_have_count(15)
    buttons.first.focus()
    for key in ("End", "ArrowLeft", "Home", "ArrowRight", "Enter"):
        app.page.keyboard.press(key)
    app.expect_ply(2, of=2)
    expect(app.page.locator(":focus")).to_have_attribute("data-testid", "move-[i]<i>-2")  # one goes on from there
    assert app.moves == ["[i]<i>-12", "[i]<i>-2"]


def test_hints_heat_and_lines_show_where_pieces_come_from_and_go_to(app: App) -> None:
    app.open("analyse", "breakthrough", "a2a3 b5a4")
    app.analyse_with("mcts", 100)
    expect(app.the("visits")).to_have_text(re.compile("^100 "))
    heated = app.the("heat").locator("[data-cell]").evaluate_all("all => all.map(each => each.dataset.cell)")
    assert heated and len(heated) == len(set(heated))
    expect(app.the("heat").locator(".arrow")).to_have_count(1)
    app.page.locator("table.moves tbody tr").first.hover()
    expect(app.board.locator(".number").first).to_be_attached()  # its line is played on the board


def test_a_hint_ends_in_an_arrow(app: App) -> None:
    state = games.make("breakthrough").start()
    while not state.is_terminal():
        state.apply(forward(state))
    two_people(app, "breakthrough", " ".join(texts(state)[:-1]))
    for step in (1, 2, 3):
        app.the("hint").click()
        expect(app.the(f"hint-{step}")).to_be_attached()
    expect(app.the("hint-3").locator(".arrow")).to_have_count(1)


def test_the_dialog_offers_them_with_pictures(app: App) -> None:
    app.open()
    app.the("open-new").click()
    for name, title in (("breakthrough", "Breakthrough"), ("chess", "Chess"), ("take", "Take <b>away</b>")):
        button = app.the(f"game-{name}")
        expect(button).to_contain_text(title)
        expect(button.locator("svg text").first).to_be_attached()
    app.the("game-chess").click()
    expect(app.the("board-note")).to_contain_text("No network knows this board")


def selected(app: App) -> None:
    two_people(app, "breakthrough", "b2b3 c5c4")
    app.play(19)
    expect(app.the("selection").locator(".aim-taken, .aim")).to_have_count(3)


def picked(app: App) -> None:
    two_people(app, "chess", PROMOTES)
    app.play(B7)
    app.play(A8)
    expect(app.the("picker")).to_be_visible()


def listed(app: App) -> None:
    two_people(app, "take")
    expect(app.the("move-list").get_by_role("button")).to_have_count(15)


SCREENS = {"selected": selected, "picked": picked, "listed": listed}


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_in_either_theme_nor_on_a_phone_in_chinese(
    chromium: Browser, server: Client, screen: str
) -> None:
    with opened(chromium, server, color_scheme="light", locale="zh-CN", **PHONE) as app:
        SCREENS[screen](app)
        for theme in ("light", "dark"):
            app.page.emulate_media(color_scheme="light" if theme == "light" else "dark")
            expect(app.page.locator("html")).to_have_attribute("data-theme", theme)
            found = Axe().run(app.page).response["violations"]
            problems = [(each["id"], node["target"]) for each in found for node in each["nodes"]]
            assert not problems, f"{screen}, {theme}: {problems}"
        app.expect_no_sideways_scrolling()
        words = {"selected": "可走到这里", "picked": "选择着法", "listed": "查找着法"}[screen]
        expect(app.page.locator(f'[aria-label*="{words}"]').first).to_be_attached()


def test_a_phone_plays_by_touch(chromium: Browser, server: Client) -> None:
    with opened(chromium, server, **PHONE) as app:
        two_people(app, "chess", PROMOTES)
        app.cell(B7).tap()
        app.cell(A8).tap()
        app.the("move-bxa8=R").tap()
        app.expect_ply(9, of=9)
