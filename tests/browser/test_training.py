"""Training: a run started, watched, paused and resumed in the page, and what a finished one shows."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from browser.driver import App, Pictures, opened
from support.appserver import Client, command
from support.toldrun import events_of_a_run, write_told_run
from support.training import TINY
from support.writtenrun import write_fleet, write_run
from tengen.run.folder import RunDirectory

pytestmark = pytest.mark.slow


@pytest.fixture
def trainer(tmp_path: Path) -> Iterator[Client]:
    """A server of its own: what trains takes the processor from others."""
    with command("--runs", str(tmp_path)) as (_, client):
        yield client
        for run in client.get("/api/runs"):
            if run["state"] == "training":
                client.post(f"/api/runs/{run['name']}/pause")


def test_a_run_is_started_and_its_curves_move(chromium: Browser, trainer: Client, tmp_path: Path) -> None:
    with opened(chromium, trainer) as app:
        app.page.route("**/api/runs", make_tiny)
        app.open("training")
        expect(app.page.locator("main")).to_contain_text("No run yet.")
        app.the("run-game").select_option("tictactoe")
        app.the("run-minutes").fill("1000")
        app.the("run-size").fill("8x1")
        app.the("run-name").fill("small")
        app.the("run-start").click()
        expect(app.the("run-state")).to_have_text("training")
        expect(app.page.locator("h1")).to_have_text("small")
        losses = app.the("chart-policy_loss").locator("[role=img]")
        moved(losses)
        moved(losses)
        expect(app.the("health")).not_to_be_empty()
        expect(app.the("live-wall").locator("button").first).to_be_visible()
        app.the("run-pause").click()
        expect(app.the("run-state")).to_have_text("paused")
        assert not RunDirectory(tmp_path / "small").is_locked()
        app.the("run-resume").click()
        expect(app.the("run-state")).to_have_text("training")


def test_runs_are_compared_over_each_axis(chromium: Browser, trainer: Client, tmp_path: Path) -> None:
    write_told_run(tmp_path / "one")
    write_told_run(tmp_path / "two", events_of_a_run(turns=8, elo=200.0))
    with opened(chromium, trainer) as app:
        app.open("training")
        for name in ("one", "two"):
            app.the("compare-runs").get_by_label(name).check()
        chart = app.the("chart-one").locator("[role=img]")
        expect(chart).to_have_attribute("aria-label", "Elo with search: one 300 ± 30.0, two 1400 ± 30.0")
        for axis in ("games", "evaluations"):
            app.the("compare-axis").locator(f"[data-value={axis}]").click()
            expect(chart.locator("canvas")).to_be_visible()
        app.the("compare-curve").select_option("loss")
        expect(chart).to_have_attribute("aria-label", "Loss: one 0.750, two 0.375")
        app.the("compare-runs").get_by_label("one").uncheck()
        expect(app.the("chart-two").locator("[role=img]")).to_have_attribute("aria-label", "Loss: two 0.375")


def test_a_run_is_renamed_tagged_and_deleted_in_the_page(chromium: Browser, trainer: Client, tmp_path: Path) -> None:
    write_told_run(tmp_path / "one")
    with opened(chromium, trainer) as app:
        app.open("training", name="one")
        app.the("manage").locator("summary").click()
        app.the("manage-tags").fill("baseline, 大网络，wide")
        app.the("manage-tag").click()
        expect(app.page.locator(".run-head .tag")).to_have_text(["baseline", "大网络", "wide"])
        app.the("manage-name").fill("../two")
        app.the("manage-rename").click()
        expect(app.page.locator(".notice")).to_be_visible()
        app.the("manage-name").fill("two")
        app.the("manage-rename").click()
        expect(app.page.locator("h1")).to_have_text("two")
        app.the("manage").locator("summary").click()
        expect(app.the("manage-delete")).to_be_disabled()
        app.the("manage-confirm").fill("one")
        expect(app.the("manage-delete")).to_be_disabled()
        app.the("manage-confirm").fill("two")
        app.the("manage-delete").click()
        expect(app.page.locator("main")).to_contain_text("No run yet.")
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_is_trained_offers_neither_name_nor_end(chromium: Browser, trainer: Client, tmp_path: Path) -> None:
    with write_told_run(tmp_path / "one").locked(), opened(chromium, trainer) as app:
        app.open("training", name="one")
        app.the("manage").locator("summary").click()
        app.the("manage-name").fill("two")
        app.the("manage-confirm").fill("one")
        for button in ("manage-rename", "manage-delete"):
            expect(app.the(button)).to_be_disabled()
        expect(app.the("manage")).to_contain_text("Pause the run")


def test_workers_elsewhere_are_listed(chromium: Browser, trainer: Client, tmp_path: Path) -> None:
    run = write_run(tmp_path / "many")
    write_fleet(run)
    with run.locked(), opened(chromium, trainer) as app:
        app.open("training")
        app.the("runs").get_by_role("heading", name="many").click()
        rows = app.the("workers").locator("tbody tr")
        expect(rows).to_have_text([re.compile(r"garage.*2.*678"), re.compile("attic · barred")])


def test_checked_resignations_are_shown_where_they_happen(chromium: Browser, trainer: Client, tmp_path: Path) -> None:
    write_run(tmp_path / "resigning", resigns=True)
    write_run(tmp_path / "playing")
    with opened(chromium, trainer) as app:
        app.page.goto(f"{trainer.address}/#/training/resigning")
        expect(app.the("resignations")).to_have_text("Resignations checked: 116, wrong: 2 (1.7 %)")
        app.page.goto(f"{trainer.address}/#/training/playing")
        expect(app.page.locator("h1")).to_have_text("playing")
        expect(app.the("health")).to_be_visible()
        expect(app.the("resignations")).to_have_count(0)


def make_tiny(route: Route) -> None:
    """The page offers a run's size alone; its other settings make it quick here."""
    if route.request.method != "POST":
        return route.continue_()
    wanted = json.loads(route.request.post_data or "")
    settings = dict(setting.split("=") for setting in TINY if not setting.startswith("loop.size"))
    route.continue_(post_data=json.dumps(wanted | {"settings": settings}))


def moved(chart: Locator) -> None:
    """Waits until a chart says something new."""
    before = chart.get_attribute("aria-label")
    expect(chart).not_to_have_attribute("aria-label", before or "")


def test_a_wrong_run_is_refused_with_its_reason(app: App) -> None:
    app.open("training")
    app.the("run-size").fill("huge")
    app.the("run-start").click()
    app.expect_notice("huge")
    app.the("run-size").fill("")
    app.the("run-name").fill("../elsewhere")
    app.the("run-start").click()
    app.expect_notice("not understand")
    expect(app.the("run-state").filter(has_text="training")).to_have_count(0)


def test_a_run_with_curves_ladder_and_time_machine(app: App) -> None:
    app.open("training")
    app.the("runs").get_by_role("link", name="one").click()
    expect(app.the("chart-elo")).to_contain_text("500 ± 30")
    expect(app.the("chart-policy_loss")).to_be_visible()
    expect(app.the("chart-mistakes_0")).to_contain_text("20.0%")
    expect(app.the("health")).to_contain_text("earning")
    tabs = app.the("run-tabs")
    tabs.locator("[data-value=ladder]").click()
    expect(app.the("ladder").locator("tbody tr")).to_have_count(3)
    expect(app.the("ladder").locator("tr.best")).to_contain_text("step 100")
    tabs.locator("[data-value=machine]").click()
    machine = app.page.locator("main")
    expect(machine.locator(".heat circle").first).to_be_attached()
    late = machine.locator(".heat").inner_html()
    machine.get_by_role("slider").press("Home")
    expect(machine).to_contain_text("Step 100")
    expect(machine.locator(".heat circle").first).to_be_attached()
    assert machine.locator(".heat").inner_html() != late


def test_strength_stands_first_also_on_a_phone(app: App) -> None:
    for width, height in ((1280, 800), (390, 844)):
        app.page.set_viewport_size({"width": width, "height": height})
        app.open("training", name="one")
        verdict, chart = app.the("health"), app.the("chart-elo")
        expect(chart).to_be_visible()
        cards = app.page.locator("main .card")
        assert (
            cards.first.locator("[data-testid=health]").count()
            == cards.first.locator("[data-testid=chart-elo]").count()
            == 1
        )
        for part in (verdict, chart):
            box = part.bounding_box()
            assert box and box["y"] < height  # seen without scrolling
            assert box["x"] >= 0 and box["x"] + box["width"] <= width


def test_a_run_that_is_about_to_begin_is_waited_for(chromium: Browser, trainer: Client, tmp_path: Path) -> None:
    """`make run` opens the page of a run that is not there yet."""
    with opened(chromium, trainer) as app:
        app.open("training", name="soon")
        expect(app.page.locator("main")).to_contain_text("The run is being started")
        write_run(tmp_path / "soon")
        expect(app.the("chart-elo")).to_be_visible()
        expect(app.the("notices")).not_to_contain_text("There is no such run")


def test_the_picture_of_training(chromium: Browser, pictures: Pictures, pictured_run: Path) -> None:
    with command("--runs", str(pictured_run.parent)) as (_, client), opened(chromium, client) as app:
        app.page.set_viewport_size({"width": 1280, "height": 1180})  # the curves too
        app.open("training", name=pictured_run.name)
        expect(app.the("chart-elo")).to_be_visible()
        pictures.take(app, "app-training")
