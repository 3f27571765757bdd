"""Pictures of page and report for the documents; ``make screenshots`` writes them, others only take them."""

import io
import os
from pathlib import Path

import pytest
from browser import visiting
from effort import usually
from pages import ROOT
from PIL import Image
from playwright.sync_api import expect

from nri import ReportOptions, induce_rule, read_table
from nri.report import render_report, report_on

WANTED = "NRI_SCREENSHOTS"
"""Set where the pictures in docs/images are to be written anew."""
IMAGES = ROOT / "docs" / "images"
LARGEST = 200_000
"""Bytes of a picture, so that the repository stays light."""

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 1.5,
    "is_mobile": True,
    "has_touch": True,
}


def drop_page(visitor):
    expect(visitor.page.locator("#drop")).to_be_visible()


def rule_page(visitor):
    visitor.use_example()
    expect(visitor.page.locator("#scores")).to_contain_text("cross-validated")
    visitor.page.mouse.move(0, 0)


def shelf_page(visitor):
    rule_page(visitor)
    expect(visitor.page.locator("#shelf-body")).to_be_visible()
    visitor.page.locator(".shelf-item").nth(1).hover()
    visitor.page.evaluate("scrollTo(0, 0)")


def edited_page(visitor):
    rule_page(visitor)
    visitor.page.get_by_role("button", name="Drop chills = yes").click()
    expect(visitor.page.locator("#edited")).to_be_visible()
    visitor.page.get_by_role("button", name="Wrong 7").click()
    expect(visitor.page.locator("#rows-list tr")).to_have_count(7)
    visitor.page.locator("#rows-list tr").nth(3).click()
    expect(visitor.page.locator("#why")).to_be_visible()
    visitor.page.evaluate("scrollTo(0, 0)")
    visitor.page.mouse.move(0, 0)


def know_page(visitor):
    visitor.use_example()
    page = visitor.page
    for card in ("limits", "columns", "costs", "know"):
        page.locator(f"#{card} summary").click()
    page.get_by_label("What an error on a row of flu = yes costs").fill("5")
    page.keyboard.press("Tab")
    expect(page.locator("[data-stat=cost]")).to_be_visible()
    page.get_by_role("button", name="Keep the clause").first.click()
    expect(page.locator("#know-list li")).to_have_count(1)
    visitor.wait_for_rule()
    page.get_by_label("Say what you know").select_option("cuts")
    page.get_by_label("Cuts, with spaces or semicolons between").fill("40; 50; 65")
    page.keyboard.press("Enter")
    expect(page.locator("#know-list li")).to_have_count(2)
    visitor.wait_for_rule()
    expect(page.locator("#know-price")).to_be_visible()
    expect(page.locator("#scores")).to_contain_text("cross-validated")
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)


PICTURES = {
    "page-drop": (drop_page, DESKTOP, False),
    "page-rule": (rule_page, DESKTOP, False),
    "page-shelf": (shelf_page, {"viewport": {"width": 1280, "height": 1180}}, False),
    "page-edited": (edited_page, DESKTOP, True),
    "page-dark": (edited_page, {**DESKTOP, "color_scheme": "dark"}, True),
    "page-know": (know_page, DESKTOP, False),
    "page-phone": (rule_page, PHONE, False),
}


def save_lightly(picture: bytes, path: Path) -> None:
    """Keep 128 colours, which nobody misses on a page of few, for a third of the bytes."""
    with Image.open(io.BytesIO(picture)) as full:
        full.convert("RGB").quantize(128).save(path, optimize=True)


BRIEF = ("page-drop", "page-know", "page-phone")
"""What the others show is visited by the tests of the page."""


@pytest.mark.parametrize("name", PICTURES if os.environ.get(WANTED) else usually(BRIEF, tuple(PICTURES)))
def test_the_page_can_be_photographed(browser, server, tmp_path: Path, name: str):
    arrange, settings, whole = PICTURES[name]
    folder = IMAGES if os.environ.get(WANTED) else tmp_path
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.png"
    whole_work = bool(os.environ.get(WANTED))
    wanted = {"estimate": whole_work, "shelf": whole_work, "reduced_motion": "reduce"}
    with visiting(browser, server, **wanted, **settings) as visitor:
        arrange(visitor)
        save_lightly(visitor.page.screenshot(full_page=whole), path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert 5_000 < path.stat().st_size < LARGEST


def test_the_report_can_be_photographed(browser, tmp_path: Path):
    wanted = bool(os.environ.get(WANTED))
    table = read_table(ROOT / "docs" / "examples" / "visits.csv", "flu")
    options = ReportOptions(source="visits.csv", samples=20 if wanted else 0, folds=5 if wanted else 0)
    page, path = browser.new_page(**DESKTOP), tmp_path / "report.html"
    path.write_text(render_report(report_on(induce_rule(table), table, options=options)), encoding="utf-8")
    page.goto(path.as_uri())
    picture = (ROOT / "docs" / "pictures" if wanted else tmp_path) / "report.png"
    save_lightly(page.screenshot(), picture)
    page.close()
    assert 5_000 < picture.stat().st_size < LARGEST


def test_the_documents_have_every_picture_and_no_other():
    assert {path.stem for path in IMAGES.glob("page-*.png")} == set(PICTURES)
    for path in IMAGES.glob("page-*.png"):
        assert path.stat().st_size < LARGEST
