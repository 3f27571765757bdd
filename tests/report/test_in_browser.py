"""The report in a real browser: it fetches nothing, fits a phone, and prints.

With NRI_PICTURES=1 the picture in docs/getting-started.md is renewed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import programs
import pytest
from report_tables import induced, labelled

from nri.report import ReportOptions, gather_report, render_report

ROOT = Path(__file__).parents[2]
A4 = 673
"""Pixels of a sheet between its margins."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the visits of the documents."""
    from nri import Settings, induce_rule, read_table

    path = tmp_path_factory.mktemp("report") / "report.html"
    visits = read_table(ROOT / "docs" / "examples" / "visits.csv", "flu")
    settings = Settings(max_clauses=2)
    options = ReportOptions(source="visits.csv", clinical=True)
    report = gather_report(visits, induce_rule(visits, settings), settings, options=options)
    path.write_text(render_report(report), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> "Iterator[object]":
    from playwright.sync_api import sync_playwright

    path = programs.browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def test_it_fits_the_screen_and_fetches_nothing(browser, report):
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(report.as_uri())
    assert asked == [report.as_uri()]
    assert complaints == []
    for width, height in ((1100, 900), (390, 844), (320, 600)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("svg.upset").bounding_box()["height"] > 100
    assert page.locator("#rule table.rule").first.locator("tbody tr").count() == 3  # two branches and ELSE
    page.close()


@pytest.fixture(scope="module")
def flowers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on three classes, with a simpler rule that is recommended."""
    from sklearn.datasets import load_iris

    data = load_iris(as_frame=True)
    table = labelled(data.data, data.target_names[data.target], target="species")
    options = ReportOptions(samples=0, folds=3, seconds=None)
    path = tmp_path_factory.mktemp("report") / "flowers.html"
    path.write_text(render_report(gather_report(table, induced(table), options=options)), encoding="utf-8")
    return path


def test_the_rule_breaks_between_its_conditions_on_a_phone(browser, flowers):
    """Lines of a rule were cut at 390 pixels with nothing to see the rest by; then they broke anywhere,
    "precision 0.88 covers 8 of 140" in the midst of the conditions."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(flowers.as_uri())
    page.locator(".rule .conditions").first.evaluate(
        "(e) => { e.innerHTML = e.innerHTML + (' and ' + e.innerHTML).repeat(5); }"
    )
    chips = [chip.bounding_box() for chip in page.locator(".rule .condition").all()]
    assert len({chip["height"] for chip in chips}) == 1  # no chip is broken
    assert all(chip["x"] + chip["width"] <= 390 for chip in chips)
    assert all(cell.bounding_box()["x"] < 390 for cell in page.locator("#rule .figures").all())
    page.close()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_first_screen_shows_the_whole_rule_and_then_what_it_is_worth(
    browser, report, flowers, width, height
):
    """Six tiles stood before it: on a phone the rule ended on the second screen."""
    page = browser.new_page(viewport={"width": width, "height": height})
    for one in (report, flowers):
        page.goto(one.as_uri())
        rule, measures = (page.locator(part).first.bounding_box() for part in (".rule", ".tiles"))
        assert rule["y"] + rule["height"] <= height
        assert measures["y"] >= rule["y"] + rule["height"]
    assert "95 % interval" in page.locator(".tile").first.inner_text().replace("\xa0", " ")
    page.close()


def test_charts_are_as_wide_as_the_page(browser, report):
    """They stood in the left third of it."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.goto(report.as_uri())
    for chart in ("svg.upset", "svg.curve-picture"):
        assert page.locator(chart).first.bounding_box()["width"] > 850
    page.close()


def visible_cells(page) -> list[bool]:
    """Of every measure on held-out rows whether all of it lies within the screen and its own box."""
    return page.locator("#right .measures :is(td, th[scope=row])").evaluate_all(
        """(cells) => cells.map((cell) => {
          const [box, around] = [cell, cell.closest(".scroll")].map((e) => e.getBoundingClientRect());
          return box.left >= around.left - 1 && box.right <= around.right + 1
            && cell.scrollWidth <= cell.clientWidth + 1 && around.right <= innerWidth
            && [...cell.querySelectorAll("b")].every((value) => value.getBoundingClientRect().height < 30);
        })"""
    )


def test_no_measure_of_several_classes_is_cut(browser, flowers):
    """At 400 pixels the measures of three classes ended within PPV."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.goto(flowers.as_uri())
    for width in (1100, 660, 400, 320):
        page.set_viewport_size({"width": width, "height": 900})
        seen = visible_cells(page)
        assert len(seen) == 3 * 6
        assert all(seen)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_a_hostile_page_runs_nothing(browser, tmp_path):
    """Names that are markup, opened for real."""
    from nri import induce_rule, read_table, write_report

    table, path = tmp_path / "t.csv", tmp_path / "page.html"
    name = '"<img src=x onerror=""document.title=1""><script>document.title=2</script>"'
    table.write_text(f"{name},ok,y\n" + "1,1,<b>a</b>\n0,0,b\n1,0,<b>a</b>\n0,1,b\n" * 6)
    read = read_table(table, "y")
    write_report(induce_rule(read).rule, read, None, path)
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.title() == "Rule for y"
    assert page.locator("img, script, b:has-text('<b>') > b").count() == 0
    assert page.get_by_text("<script>document.title=2</script>").count() > 0
    page.close()


def test_it_prints_on_a_few_pages_and_has_a_picture(browser, report, tmp_path):
    page = browser.new_page(viewport={"width": 1000, "height": 720}, color_scheme="light")
    page.goto(report.as_uri())
    pdf = page.pdf(format="A4")
    assert 1 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") <= 4
    place = ROOT / "docs" / "pictures" if os.environ.get("NRI_PICTURES") else tmp_path
    page.screenshot(path=place / "report.png")
    assert (place / "report.png").stat().st_size > 10_000
    page.close()


def test_nothing_is_cut_on_paper(browser, tmp_path):
    """Tables of many classes and long names ended at the edge of the sheet, where nothing scrolls."""
    rng = np.random.default_rng(0)
    kinds = [f"{kind} of a long name" for kind in "abcdefghijkl"]
    frame = pd.DataFrame(
        {"days since the first visit": rng.integers(0, 600, 360), "sex": rng.choice(kinds, 360)}
    )
    labels = np.array(kinds)[frame["days since the first visit"] // 50]
    table = labelled(frame, labels, target="what became of the patient afterwards")
    path = tmp_path / "wide.html"
    options = ReportOptions(samples=1, folds=2, seconds=None)
    path.write_text(render_report(gather_report(table, induced(table), options=options)), encoding="utf-8")
    page = browser.new_page(viewport={"width": A4, "height": 1000})
    page.goto(path.as_uri())
    page.emulate_media(media="print")
    edges = page.locator("table, svg, p, li").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().right)"
    )
    assert max(edges) <= A4
    assert page.locator(".confusion tbody tr").count() == 2 * len(kinds)
    page.close()
