"""One browser and one server for all tests of a worker; a fresh page for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from browser.driver import App, Pictures, opened
from support.appserver import Client, command
from support.toldrun import write_told_run
from support.writtenrun import write_run
from tengen.bench.app import FLAGS, browser_path


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", metavar="DIR", help="write the pictures of the README to this folder")
    parser.addoption("--pictured-run", metavar="DIR", help="a training run for the picture of training")


# Not for the whole session: while Playwright runs, its thread has an event loop, and others want their own.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    found = browser_path()
    if not found:
        pytest.skip("no browser: apt-get install chromium fonts-wqy-microhei, or name one in CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    runs = tmp_path_factory.mktemp("runs")
    write_run(runs / "one")
    write_told_run(runs / "二")
    with command("--runs", str(runs)) as (_, client):
        yield client


@pytest.fixture
def app(chromium: Browser, server: Client) -> Iterator[App]:
    with opened(chromium, server) as app:
        yield app


@pytest.fixture
def pictured_run(request: pytest.FixtureRequest) -> Path:
    """A real run: numbers that nobody measured are no picture of training."""
    folder = request.config.getoption("--pictured-run", None)
    if folder is None:
        pytest.skip("only for the README: --screenshots DIR --pictured-run RUN")
    return Path(folder)


@pytest.fixture
def pictures(request: pytest.FixtureRequest) -> Pictures:
    folder = request.config.getoption("--screenshots", None)
    return Pictures(Path(folder) if folder else None)
