"""What an analyst asks first, in a real browser: workbooks, SQL of a database, a number, groups."""

import io
from pathlib import Path

import openpyxl
from playwright.sync_api import expect

RENTS = "rooms,area,rent\n" + "".join(f"{1 + i % 4},{20 + i},{400.5 + 7 * i}\n" for i in range(60))


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


def test_a_number_is_explained_by_segments_and_another_question_brings_rules_back(visitor):
    page = visitor.page
    visitor.drop("rents.csv", RENTS)
    page.locator("#target").select_option("rent")
    page.get_by_label("Comparison").select_option("number")
    expect(page.locator(".segment").first).to_be_visible()
    expect(page.locator(".segment").last).to_contain_text("any other row")
    for hidden in ("#scores", "#rows-card", "#groups", "#costs"):
        expect(page.locator(hidden)).to_be_hidden()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Python").click()
    assert waiting.value.suggested_filename == "rule_rent.py"
    page.get_by_label("Comparison").select_option(">")
    expect(page.locator("#scores")).to_be_visible()


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
