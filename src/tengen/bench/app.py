"""The app in a browser: how much the page loads, and how soon it shows what is new. Reported, never asserted."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import httpx

from tengen.bench.measure import Row, row

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["FLAGS", "browser_path", "can_browse", "measure_app"]

FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
LOADS = 5
EXPANSIONS = 7
MILLION = 1_000_000
GROWING_SECONDS = 120.0  # for the large tree; it is as large as it is then

# Runs before the page's own scripts. "Painted": the frame that shows a change has been handed over.
WATCH = """
const painted = () => new Promise(done => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => done(performance.now());
  port2.postMessage(null);
}));
window.bench = { board: null, delays: [], nodes: 0 };
const boards = new MutationObserver(async () => {
  if (!document.querySelector("svg.board")) return;
  boards.disconnect();
  window.bench.board = await painted();
});
boards.observe(document, { childList: true, subtree: true });
window.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address);
    this.addEventListener("message", async ({ data }) => {
      const heard = performance.now();
      const message = JSON.parse(data);
      if (message.type !== "update") return;
      window.bench.nodes = message.nodes;
      window.bench.delays.push(await painted() - heard);
    });
  }
};
window.bench.expand = async place => {
  const button = document.querySelectorAll('.tree-nodes tr[data-depth="0"] button')[place];
  if (!button || button.disabled) return null;
  const pressed = performance.now();
  button.click();
  while (!document.querySelector('.tree-nodes tr[data-depth="1"]')) await painted();
  const shown = await painted() - pressed;
  button.click();
  while (document.querySelector('.tree-nodes tr[data-depth="1"]')) await painted();
  return shown;
};
"""


def measure_app(seconds: float) -> list[Row]:
    rows = [row("page: first JavaScript and CSS, gzip", first_load() / 1024, "KB")]
    if not can_browse():
        return rows
    from playwright.sync_api import sync_playwright

    with _served() as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        loads = [_first_board(browser, served) for _ in range(LOADS)]
        rows.append(row("page: first board, fresh profile", statistics.median(loads), "ms"))
        rows += _updates(browser, served, seconds) + _expansions(browser, served)
        browser.close()
    return rows


def browser_path() -> str | None:
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def can_browse() -> bool:
    return browser_path() is not None and find_spec("playwright") is not None


def first_load() -> int:
    """Bytes of what the page asks for before anything is clicked."""
    static = resources.files("tengen.app") / "static"
    names = re.findall(r'(?:src|href)="\./(assets/[^"]+\.(?:js|css))"', (static / "index.html").read_text())
    return sum(len(gzip.compress((static / name).read_bytes())) for name in names)


@dataclass(frozen=True)
class _Served:
    address: str
    cookie: tuple[str, str]  # its name and secret


@contextmanager
def _served() -> Iterator[_Served]:
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "tengen", "app", "--port", "0", "--no-browser", "--runs", runs]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                address, token = re.findall(r"(http://[^/]+)/\?token=(\S+)", server.stdout.readline())[0]
                answer = httpx.get(address, params={"token": token}, timeout=60)
                yield _Served(address, next(iter(answer.cookies.items())))
            finally:
                server.terminate()


@contextmanager
def _opened(browser: Browser, served: _Served, place: str, sims: int, player: str) -> Iterator[Page]:
    """The page in a fresh profile that is let in, with who analyses and how far."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": served.cookie[0], "value": served.cookie[1], "url": served.address}])
    context.add_init_script(f"localStorage.setItem('tengen.sims', '{sims}')")
    context.add_init_script(f"localStorage.setItem('tengen.player', '\"{player}\"')")
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto(f"{served.address}/{place}")
    yield page
    context.close()


def _first_board(browser: Browser, served: _Served) -> float:
    with _opened(browser, served, "", 800, "mcts") as page:
        page.locator("svg.board").wait_for()
        return float(_await(page, "bench.board"))


def _updates(browser: Browser, served: _Served, seconds: float) -> list[Row]:
    with _opened(browser, served, "#/analyse?g=connect4", 100 * MILLION, "shipped") as page:
        page.get_by_test_id("verdict").wait_for()
        page.evaluate("bench.delays.length = 0")
        page.wait_for_timeout(1000 * max(seconds, 1.0))
        delays = sorted(page.evaluate("bench.delays"))
    return [
        row("analysis: updates", len(delays) / max(seconds, 1.0), "per s"),
        row("analysis: update to paint, median", statistics.median(delays), "ms"),
        row("analysis: update to paint, slowest", delays[-1], "ms"),
    ]


def _expansions(browser: Browser, served: _Served) -> list[Row]:
    with _opened(browser, served, "#/analyse?g=connect4", 100 * MILLION, "mcts") as page:
        deadline = time.monotonic() + GROWING_SECONDS
        while page.evaluate("bench.nodes") < MILLION and time.monotonic() < deadline:
            page.wait_for_timeout(100)
        nodes = page.evaluate("bench.nodes")
        searching = _opening_times(page)
        page.get_by_test_id("nav-analyse").click()
        page.get_by_test_id("analysis-on").uncheck()
        page.locator(".verdict .pulse").wait_for(state="detached")
        resting = _opening_times(page)
    return [
        row(f"tree of {nodes:,} nodes: one opened, at rest, median", statistics.median(resting), "ms"),
        row(f"tree of {nodes:,} nodes: one opened, growing on, median", statistics.median(searching), "ms"),
    ]


def _opening_times(page: Page) -> list[float]:
    page.get_by_test_id("nav-tree").click()
    page.get_by_test_id("tree-nodes").wait_for()
    times = [page.evaluate(f"bench.expand({place})") for place in range(EXPANSIONS)]
    return [each for each in times if each is not None]


def _await(page: Page, expression: str) -> Any:
    while (value := page.evaluate(expression)) is None:
        page.wait_for_timeout(10)
    return value
