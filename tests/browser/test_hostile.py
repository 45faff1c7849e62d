"""Pages of others, and input that is wrong: nothing happens, and people are told why."""

import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Response, Route, expect

from browser.driver import App, let_in, opened
from support.appserver import Client, command
from support.writtenrun import write_run

pytestmark = pytest.mark.slow


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Another site</title><body>")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The port of a page that somebody else made."""
    site = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=site.serve_forever).start()
    yield site.server_address[1]
    site.shutdown()
    site.server_close()


ATTACKS = """async server => {
  const told = {};
  const attempt = async (name, act) => { try { told[name] = await act(); } catch { told[name] = null; } };
  const run = JSON.stringify({game: "tictactoe", minutes: 1});
  const json = {"content-type": "application/json"};
  const read = async (answer) => (await answer).text();
  await attempt("get", () => read(fetch(server + "/api/about")));
  await attempt("get unseen", () => read(fetch(server + "/api/about", {mode: "no-cors"})));
  await attempt("credentials", () => read(fetch(server + "/api/runs", {credentials: "include"})));
  await attempt("post", () => read(fetch(server + "/api/runs", {method: "POST", body: run, headers: json})));
  await attempt("plain", () => read(fetch(server + "/api/runs", {method: "POST", body: run, mode: "no-cors"})));
  await attempt("beacon", () => navigator.sendBeacon(server + "/api/runs", run) && null);
  await attempt("module", () => import(server + "/api/about"));
  await attempt("script", () => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    document.body.append(Object.assign(script, {src: server + "/", onload: resolve, onerror: reject}));
  }));
  await attempt("socket", () => new Promise((resolve, reject) => {
    const socket = new WebSocket(server.replace("http", "ws") + "/api/search");
    socket.onopen = () => resolve("open");
    socket.onclose = reject;
  }));
  await attempt("form", () => new Promise((resolve) => {
    const frame = Object.assign(document.createElement("iframe"), {name: "answer", onload: () => resolve(null)});
    const form = Object.assign(document.createElement("form"),
      {method: "POST", action: server + "/api/runs", enctype: "text/plain", target: "answer"});
    form.append(Object.assign(document.createElement("input"), {name: run.slice(0, -1) + ', "x": "', value: '"}'}));
    document.body.append(frame, form);
    form.submit();
  }));
  await attempt("frame", () => new Promise((resolve) => {
    const frame = Object.assign(document.createElement("iframe"), {src: server + "/", name: "framed"});
    frame.onload = () => { try { resolve(frame.contentDocument.title); } catch { resolve(null); } };
    document.body.append(frame);
  }));
  return told;
}"""


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])  # the same site by another port, and another site
def test_a_page_from_elsewhere_can_do_nothing(
    chromium: Browser, server: Client, elsewhere: int, tmp_path: Path, name: str
) -> None:
    before = server.get("/api/runs")
    context = chromium.new_context()
    let_in(context, server)  # the browser of somebody who uses the app
    page = context.new_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer) if answer.url.startswith(server.address) else None)
    page.goto(f"http://{name}:{elsewhere}/")
    told = page.evaluate(ATTACKS, server.address)
    assert {attack for attack, heard in told.items() if heard} == set()
    assert len(told) == 11
    allowed = [answer.url for answer in answers if answer.status < 400]
    assert set(allowed) <= {f"{server.address}/"}  # the page itself, which refuses to be framed
    framed = (
        page.locator("iframe[name=framed]").element_handle().content_frame()
    )  # by its place: a refusal may cost its name
    assert framed and framed.locator("body").inner_text().find("Play") < 0
    assert server.get("/api/runs") == before
    assert server.get("/api/about")["app"]["searches"] == 0
    context.close()


def test_a_printed_address_opens_the_page_in_one_browser(chromium: Browser, tmp_path: Path) -> None:
    with command("--runs", str(tmp_path)) as (process, client):
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]  # the first was used by the client
        assert address.startswith(f"{client.address}/?token=")
        one, other = chromium.new_context(), chromium.new_context()
        for _ in range(2):  # "back", or the same line of the terminal again
            page = one.new_page()
            page.goto(address)
            expect(page.locator("main svg.board")).to_be_visible()
            assert "token" not in page.url and page.evaluate("document.cookie") == ""
        page = other.new_page()
        page.goto(address)
        expect(page.locator("body")).to_contain_text("the terminal shows the next one")
        expect(page.locator("body")).to_contain_text("终端会显示下一个地址")
        page.goto(process.stdout.readline().split()[-1])
        expect(page.locator("main svg.board")).to_be_visible()
        one.close()
        other.close()


LANGUAGES = {
    "en-GB": {
        "illegal": "“z9” cannot be played here.",
        "sgf": "This SGF cannot be read.",
        "link": "There is no game “chess”.",
        "moves": "These moves cannot be read.",
        "wrong": "“run:one/best” is a network for connect4, not for tictactoe.",
        "gone": "There is no player “run:gone/best” here.",
    },
    "zh-CN": {
        "illegal": "z9",
        "sgf": "SGF",
        "link": "chess",
        "moves": "",
        "wrong": "connect4",
        "gone": "run:gone/best",
    },
}


@pytest.fixture(params=LANGUAGES)
def foreign(request: pytest.FixtureRequest, chromium: Browser, server: Client) -> Iterator[tuple[App, dict[str, str]]]:
    with opened(chromium, server, locale=request.param) as app:
        yield app, LANGUAGES[request.param]


def expect_words(app: App, words: str) -> None:
    """A notice that people can see, in their language."""
    notice = app.the("notices").locator(".notice.bad").last
    expect(notice).to_contain_text(words)
    chinese = app.page.locator("html").get_attribute("lang") == "zh-CN"
    assert chinese == any("\u4e00" <= letter <= "\u9fff" for letter in notice.inner_text())
    notice.get_by_role("button").click()  # nothing lies over it
    expect(notice).to_have_count(0)


def test_wrong_input_is_explained_and_changes_nothing(foreign: tuple[App, dict[str, str]]) -> None:
    app, words = foreign
    app.open("analyse", "tictactoe", "b2 a1")
    drawn = app.state.stones()
    app.expect_stones(drawn)
    app.the("typed-move").fill("z9")
    app.the("typed-move").press("Enter")
    expect_words(app, words["illegal"])
    app.the("open-import").click()
    for text, reason in (("(;GM[1]SZ[9];B[zz", "sgf"), ("b2 b2", "moves")):
        app.the("import-text").fill(text)
        app.the("import-open").click()
        expect_words(app, words[reason])
    app.page.keyboard.press("Escape")
    app.page.evaluate("location.hash = '#/analyse?g=chess'")
    expect_words(app, words["link"])
    app.the("undo").click()
    app.the("redo").click()
    app.expect_ply(2, of=2)
    app.expect_stones(drawn)
    assert (app.game, app.moves) == ("tictactoe", ["b2", "a1"])


def test_a_network_of_another_game_is_refused(foreign: tuple[App, dict[str, str]]) -> None:
    app, words = foreign

    def offer(route: Route) -> None:
        answer = route.fetch()
        players = answer.json()
        players["others"].append({"id": "run:one/best", "sentence": "", "searches": True})
        route.fulfill(response=answer, json=players)

    app.page.route("**/api/players*", offer)
    app.open("play", "tictactoe")
    app.seat(1, "run:one/best")
    app.play(4)
    expect(app.the("failure")).to_contain_text(words["wrong"])
    app.expect_ply(1, of=1)
    app.seat(1, "random")  # another opponent goes on at once
    app.expect_ply(2, of=2)


def test_a_network_that_is_gone_is_named(chromium: Browser, tmp_path: Path) -> None:
    run = write_run(tmp_path / "gone")
    with command("--runs", str(tmp_path)) as (_, client):
        for language, words in LANGUAGES.items():
            with opened(chromium, client, locale=language) as app:
                app.open("analyse", "connect4")
                app.analyse_with("run:gone/best", 100)
                expect(app.the("verdict")).to_be_visible()
                hidden = tmp_path.with_name(f"{tmp_path.name}-hidden")
                shutil.move(run.path, hidden)
                app.play(3)
                expect_words(app, words["gone"])
                app.expect_moves("4")
                shutil.move(hidden, run.path)
