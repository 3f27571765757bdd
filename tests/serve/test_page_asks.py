"""What an analyst asks first, in a real browser: workbooks, SQL of a database, a number, groups."""

import io
import re
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
from playwright.sync_api import expect

RENTS = "rooms,area,rent\n" + "".join(
    f"{1 + i % 4},{20 + 5 * (i % 16)},{400.5 + 35 * (i % 16) + i}\n" for i in range(80)
)


def workbook() -> bytes:
    """Two sheets: beds under a title, and visits."""
    book = openpyxl.Workbook()
    book.active.title = "Beds"
    for row in (["Beds by ward"], [], ["ward", "beds", "full"], *([f"w{i}", i, i % 2] for i in range(12))):
        book.active.append(row)
    visits = book.create_sheet("Visits")
    for row in (["fever", "flu"], *([("yes", "yes"), ("no", "no")][i % 2] for i in range(20))):
        visits.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_a_sheet_of_a_workbook_is_chosen_and_goes_back_with_predictions(visitor):
    page = visitor.page
    visitor.drop("wards.xlsx", workbook())
    expect(page.locator("#header-row")).to_have_value("3")
    page.locator("#sheet").select_option("Visits")
    page.locator("#choices").get_by_role("button", name="flu").click()
    expect(page.locator("#rule-title")).to_have_text("Rule for flu")
    visitor.wait_for_rule()
    expect(page.locator("#header-row")).to_have_value("1")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Table with predictions").click()
    assert waiting.value.suggested_filename == "predictions_flu.xlsx"
    content = io.BytesIO(Path(waiting.value.path()).read_bytes())
    assert openpyxl.load_workbook(content).sheetnames == ["Beds", "Visits"]


def test_sql_is_taken_along_for_a_database(worker):
    worker.page.get_by_label("Database that the SQL is for").select_option("mysql")
    with worker.page.expect_download() as waiting:
        worker.page.get_by_role("button", name="SQL", exact=True).click()
    assert "`cough`" in Path(waiting.value.path()).read_text()


def ask_for_rents(visitor):
    visitor.drop("rents.csv", RENTS)
    visitor.page.locator("#target").select_option("rent")
    visitor.page.get_by_label("Comparison").select_option("number")
    expect(visitor.page.locator("#rule-title")).to_have_text("Rule for rent")
    visitor.wait_for_rule()


def test_a_number_is_explained_branch_by_branch_and_another_question_brings_classes_back(visitor):
    page = visitor.page
    ask_for_rents(visitor)
    expect(page.locator(".line .keyword").first).to_have_text("if")
    expect(page.locator(".line.otherwise")).to_contain_text("any other row")
    expect(page.locator("[data-stat=r2]")).to_be_visible()
    expect(page.locator("#costs")).to_be_hidden()
    titles = ["prediction", "95 % interval of the mean", "rows"]
    expect(page.locator(".line.titles .cell")).to_have_text(titles)
    expect(page.locator(".line.clause").first.locator(".cell")).to_have_count(3)
    expect(page.locator(".cell.predicted").first).to_have_attribute(
        "title", re.compile("80 % of rows: .* to ")
    )
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Python").click()
    assert waiting.value.suggested_filename == "rule_rent.py"
    with page.expect_download() as waiting:
        page.get_by_label("Download the rule in another format").select_option("latex")
    assert waiting.value.suggested_filename == "rule_rent.tex"
    page.get_by_label("Comparison").select_option(">")
    expect(page.locator("[data-stat=accuracy]")).to_be_visible()


def test_a_number_s_branches_are_edited_kept_and_explained(visitor):
    page = visitor.page
    ask_for_rents(visitor)
    before = visitor.clauses()
    assert len(before) > 2
    page.get_by_role("button", name="Try before the branch above").first.click()
    expect(page.locator("#edited")).to_be_visible()
    assert visitor.clauses()[:2] == before[1::-1]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#edited")).to_be_hidden()
    page.get_by_role("button", name="Delete the branch").first.click()
    expect(page.locator(".clause")).to_have_count(len(before) - 1)
    page.get_by_role("button", name="Add a branch").click()
    page.locator(".condition").get_by_label("Column").select_option("rooms")
    page.locator(".condition").get_by_label("Value").fill("3")
    page.locator(".condition").get_by_role("button", name="Add").click()
    expect(page.locator(".clause").last).to_contain_text("rooms > 3")
    page.get_by_role("button", name="Row 1: why?").click()
    expect(page.locator("#why")).to_contain_text("The rule predicts")
    page.get_by_role("button", name="Keep the branch: rooms > 3").click()
    expect(page.locator("#know-list")).to_contain_text("keep: rooms > 3")
    visitor.wait_for_rule()
    expect(page.locator(".clause").first).to_contain_text("rooms > 3")
    expect(page.locator("#know-price")).to_contain_text("What you asked for costs")


def test_the_time_until_an_event_is_chosen_on_the_page(visitor):
    rng = np.random.default_rng(0)
    late = rng.random(90) < 0.5
    days = np.ceil(rng.exponential(np.where(late, 50.0, 500.0)))
    table = pd.DataFrame(
        {"stage": np.where(late, "late", "early"), "days": days, "age": rng.integers(30, 80, 90)}
    )
    table["status"] = np.where(rng.random(90) < 0.8, "dead", "alive")
    page = visitor.page
    visitor.drop("patients.csv", table.to_csv(index=False))
    page.locator("#target").select_option("days")
    page.get_by_label("Comparison").select_option("time")
    expect(page.locator("#event")).to_have_value("status = dead")
    expect(page.locator("#rule-title")).to_have_text("Rule for days until status = dead")
    visitor.wait_for_rule()
    expect(page.locator("#columns-list")).not_to_contain_text("status")
    expect(page.locator(".line.titles")).to_contain_text("median days")
    expect(page.locator("#rules")).to_contain_text("log-rank test")
    expect(page.locator("[data-stat=concordance]")).to_be_visible()
    page.get_by_label("Event").select_option("status = alive")
    expect(page.locator("#rule-title")).to_have_text("Rule for days until status = alive")


def test_groups_of_another_column_are_told_on_request(worker):
    expect(worker.page.locator("[data-groups=ward]")).to_have_count(0)
    worker.page.get_by_label("Groups of another column").select_option("ward")
    table = worker.page.locator("[data-groups=ward]")
    expect(table.locator("tbody tr")).to_have_count(3)
    expect(table).to_contain_text("The rule does not read this column")


def test_a_prevalence_goes_with_the_question(worker):
    with worker.page.expect_request("**/api/induce") as asked:
        worker.page.get_by_label("Prevalence in use").fill("5")
        worker.page.keyboard.press("Tab")
    assert asked.value.post_data_json["prevalence"] == 0.05
    worker.wait_for_rule()
    expect(worker.page.locator("#alert")).to_be_hidden()
