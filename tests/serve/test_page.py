"""The page in a real browser: drop a table, see a rule, change it, take it along."""

import csv
import io
import json
from pathlib import Path

from browser import Visitor, visiting
from pages import VISITS
from playwright.sync_api import expect

FOUND = ["cough = yes and fever = yes", "age > 50 and body_aches = yes and chills = yes"]


NOTE_A_PROGRESS_BAR = """() => {
  const look = () => { window.sawProgress ||= document.querySelector("[role=progressbar]") !== null; };
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
}"""
"""The bar may come and go between two looks of a test, so the page itself keeps watch."""


def test_a_chosen_file_becomes_a_rule_and_an_estimate(browser, server):
    with visiting(browser, server, estimate=True) as visitor:
        visitor.page.evaluate(NOTE_A_PROGRESS_BAR)
        visitor.drop("visits.csv", VISITS, "flu")
        visitor.wait_for_rule()
        assert visitor.clauses() == FOUND
        expect(visitor.page.locator(".cell.share").first).to_have_attribute("title", "on new rows: 0.95")
        assert visitor.stat("accuracy") == "96.7 %"
        assert visitor.stat("coverage") == "46.7 %"
        expect(visitor.page.locator("#table-name")).to_contain_text("visits.csv · 60 rows · 7 columns")
        expect(visitor.page.locator("[data-stat=new]")).to_contain_text("91.7 %")
        assert visitor.page.evaluate("window.sawProgress"), "the wait for the estimate was shown"
        expect(visitor.page.locator("#scores")).to_contain_text("cross-validated")


def test_a_file_dropped_anywhere_becomes_a_rule(visitor):
    visitor.page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "visits.csv"));
          const settings = {bubbles: true, cancelable: true, dataTransfer: data};
          document.body.dispatchEvent(new DragEvent("drop", settings));
        }""",
        VISITS.decode(),
    )
    visitor.page.get_by_role("button", name="flu", exact=True).click()
    visitor.wait_for_rule()
    assert visitor.clauses() == FOUND


def test_another_table_takes_the_place_of_the_first(worker):
    worker.drop("pets.csv", "legs,fur,pet\n" + "4,yes,dog\n2,no,bird\n0,no,fish\n" * 10, "pet")
    expect(worker.page.locator("#rule-title")).to_have_text("Rule for pet")
    worker.wait_for_rule()
    expect(worker.page.locator(".line.clause")).to_have_count(2)
    expect(worker.page.locator(".line .keyword")).to_have_text(["if", "else if", "else"])
    expect(worker.page.locator("#table-name")).to_contain_text("pets.csv")


BAD_FILES = (
    ("empty.csv", "", "empty.csv is empty"),
    ("page.html", "<!doctype html><title>no</title>", "is a web page or XML, not a table"),
    ("ragged.csv", "a,b\n1,2,3\n", "line 2"),
    ("book.xlsx", b"PK\x03\x04 zip", "no readable workbook"),
    ("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0", "no table"),
)


def test_a_bad_file_is_told_plainly_and_the_page_goes_on(visitor):
    for name, content, message in BAD_FILES:
        visitor.drop(name, content)
        expect(visitor.page.get_by_role("alert")).to_contain_text(message)
    visitor.use_example()
    assert visitor.clauses() == FOUND
    expect(visitor.page.locator("#alert")).to_be_hidden()


def test_a_file_beyond_the_limit_is_not_even_sent(visitor, tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(50 * 1024 * 1024 + 1)
    visitor.page.locator("#file").set_input_files(path)
    expect(visitor.page.get_by_role("alert")).to_contain_text("larger than 50 MB")
    asked = [url for url in visitor.requests if "/api/" in url]
    assert all(url.endswith("/api/initial") for url in asked), "only whether the page was opened with a file"


def test_target_and_class_are_chosen(worker):
    worker.page.get_by_label("Class").select_option(label="no (30 rows)")
    expect(worker.page.locator(".outcome")).to_contain_text("flu = no")
    worker.page.get_by_role("combobox", name="Column", exact=True).select_option("ward")
    expect(worker.page.locator("#rule-title")).to_have_text("Rule for ward")
    expect(worker.page.locator(".line.otherwise")).to_contain_text("any other row")


def test_a_number_is_explained_by_a_comparison(worker):
    worker.page.get_by_role("combobox", name="Column", exact=True).select_option("age")
    expect(worker.page.locator("#rule-title")).to_have_text("Rule for age > 61")
    worker.page.get_by_label("Value to compare with").fill("40")
    worker.page.get_by_label("Value to compare with").press("Enter")
    expect(worker.page.locator("#rule-title")).to_have_text("Rule for age > 40")
    worker.page.get_by_label("Value to compare with").fill("old")
    worker.page.get_by_label("Value to compare with").press("Tab")
    expect(worker.page.get_by_role("alert")).to_contain_text("'old' is no number")


def test_a_column_can_be_forbidden_and_required(worker):
    wishes = worker.page.get_by_role("radiogroup", name="fever")
    wishes.get_by_label("excluded").check()
    expect(worker.page.locator("#rules")).not_to_contain_text("fever")
    worker.page.get_by_role("radiogroup", name="ward").get_by_label("required in every clause").check()
    expect(worker.page.locator("#rules")).to_contain_text("ward")
    worker.wait_for_rule()
    assert all("ward" in clause and "fever" not in clause for clause in worker.clauses())


def test_limits_are_kept(worker):
    page = worker.page
    page.get_by_label("Most clauses").fill("1")
    page.get_by_label("Most clauses").press("Tab")
    expect(page.locator(".clause")).to_have_count(1)
    page.get_by_label("Most conditions in a clause").fill("1")
    page.get_by_label("Most conditions in a clause").press("Tab")
    expect(page.locator(".clause .chip:not(.add)")).to_have_count(1)
    page.get_by_label("Least precision of a clause").fill("90")
    expect(page.locator("#min-precision-shown")).to_have_text("90 %")
    worker.wait_for_rule()
    page.get_by_label("Allow “not” and “≠”").uncheck()
    worker.wait_for_rule()
    shown = page.locator(".precision")
    for i in range(shown.count()):
        assert float(shown.nth(i).inner_text().removesuffix("\xa0%")) >= 90
    assert "≠" not in page.locator("#rules").inner_text()


def test_dropping_a_condition_changes_the_numbers_at_once(worker):
    worker.page.get_by_role("button", name="Drop chills = yes").click()
    expect(worker.page.locator("#edited")).to_be_visible()
    assert worker.clauses() == [FOUND[0], "age > 50 and body_aches = yes"]
    assert worker.stat("accuracy") == "88.3 % \N{MINUS SIGN}8.3"
    assert worker.stat("precision") == "84.8 % \N{MINUS SIGN}15.2"
    assert worker.stat("coverage") == "55 % +8.3"


def test_edits_are_undone_and_done_again(worker):
    page = worker.page
    page.get_by_role("button", name="Delete the clause: cough = yes and fever = yes").click()
    expect(page.locator(".clause")).to_have_count(1)
    page.get_by_role("button", name="Drop age > 50").click()
    expect(page.get_by_role("button", name="Drop age > 50")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Drop age > 50")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".clause")).to_have_count(2)
    expect(page.locator("#edited")).to_be_hidden()
    page.get_by_role("button", name="Redo").click()
    expect(page.locator(".clause")).to_have_count(1)
    page.get_by_role("button", name="Back to the rule found").click()
    expect(page.locator(".clause")).to_have_count(2)
    assert worker.clauses() == FOUND


def test_a_condition_is_added_and_changed(worker):
    page = worker.page
    page.get_by_role("button", name="Add a condition to: cough = yes and fever = yes").click()
    page.locator(".condition").get_by_label("Column").select_option("age")
    page.locator(".condition").get_by_label("Comparison").select_option("<=")
    page.locator(".condition").get_by_label("Value").fill("70")
    page.locator(".condition").get_by_label("Value").press("Enter")
    expect(page.get_by_role("button", name="Change age ≤ 70")).to_be_visible()
    page.get_by_role("button", name="Change age ≤ 70").click()
    page.locator(".condition").get_by_label("Value").fill("much")
    page.locator(".condition").get_by_role("button", name="Change").click()
    expect(page.get_by_role("alert")).to_contain_text("'much' is no number")
    page.locator(".condition").get_by_label("Value").fill("65")
    page.locator(".condition").get_by_role("button", name="Change").click()
    expect(page.get_by_role("button", name="Change age ≤ 65")).to_be_visible()
    expect(page.locator("#alert")).to_be_hidden()
    assert worker.clauses()[0] == "age ≤ 65 and cough = yes and fever = yes"


def test_a_clause_counts_as_many_of_its_conditions_as_somebody_asks_for(worker):
    page = worker.page
    page.get_by_role("button", name=f"Delete the clause: {FOUND[0]}").click()
    expect(page.locator(".clause")).to_have_count(1)
    page.get_by_role("button", name=f"at least k are enough, not all: {FOUND[1]}").click()
    needed = page.get_by_label("How many of these 3 conditions must hold")
    expect(needed).to_have_value("2")
    expect(needed).to_be_focused()
    expect(page.locator(".clause")).to_contain_text("of these 3")
    page.get_by_role("button", name="Add a condition to: at least 2 of").click()
    page.locator(".condition").get_by_label("Column").select_option("fever")
    page.locator(".condition").get_by_role("button", name="Add").click()
    page.get_by_label("How many of these 4 conditions must hold").press("ArrowUp")
    expect(page.get_by_label("How many of these 4 conditions must hold")).to_have_value("3")
    page.get_by_role("button", name="Row 1: why?").click()
    expect(page.locator("#why")).to_contain_text("of 4 hold, 3 are needed")
    page.get_by_role("button", name="Drop fever").click()
    expect(page.locator(".needed")).to_have_count(0)
    assert worker.clauses() == [FOUND[1]], "three of three is all of them"


def test_a_clause_is_written_by_hand(worker):
    page = worker.page
    for clause in FOUND:
        page.get_by_role("button", name=f"Delete the clause: {clause}").click()
        expect(page.get_by_role("button", name=f"Delete the clause: {clause}")).to_have_count(0)
    assert worker.stat("coverage").split()[0] == "0"
    page.get_by_role("button", name="Add a clause for yes").click()
    page.locator(".condition").get_by_label("Column").select_option("ward")
    page.locator(".condition").get_by_label("Value").select_option("west")
    page.locator(".condition").get_by_role("button", name="Add").click()
    expect(page.get_by_role("button", name="Change ward = west")).to_be_visible()
    assert worker.clauses() == ["ward = west"]


def test_a_row_is_explained(worker):
    page = worker.page
    page.get_by_role("button", name="Row 1: why?").click()
    why = page.get_by_role("complementary", name="Row 1")
    expect(why).to_contain_text("The rule predicts yes")
    expect(why.locator(".holds")).to_have_count(2)
    page.locator("#rows-list tr").nth(1).click()
    why = page.get_by_role("complementary", name="Row 2")
    expect(why).to_contain_text("no clause holds. The nearest one:")
    expect(why.locator(".fails")).to_contain_text("it is no")
    page.get_by_role("button", name="Missed").click()
    expect(page.locator("#rows-list tr")).to_have_count(2)
    page.get_by_role("button", name="20 of 60 rows").click()
    expect(page.locator("#rows-list tr")).to_have_count(20)


def test_an_explanation_follows_an_edit(worker):
    worker.page.get_by_role("button", name="Row 1: why?").click()
    expect(worker.page.locator("#why")).to_contain_text("The rule predicts yes")
    worker.page.get_by_role("button", name="Delete the clause: cough = yes and fever = yes").click()
    expect(worker.page.locator("#why")).to_contain_text("The rule predicts no")


def test_another_target_closes_the_explanation(worker):
    """Rows without a target are left out, so row numbers of one question mean nothing in the next."""
    page = worker.page
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Row 60: why?").click()
    expect(page.get_by_role("complementary", name="Row 60")).to_be_visible()
    page.get_by_role("combobox", name="Column", exact=True).select_option("chills")
    expect(page.locator("#rule-title")).to_have_text("Rule for chills")
    expect(page.locator("#why")).to_be_hidden()
    expect(page.locator("#alert")).to_be_hidden()


def test_rows_are_turned_page_by_page(worker):
    worker.page.get_by_role("button", name="Next").click()
    expect(worker.page.locator("#rows-list tr")).to_have_count(10)
    expect(worker.page.locator("#pager")).to_contain_text("51\N{EN DASH}60 of 60")


def saved(worker: Visitor, title: str) -> tuple[str, str]:
    with worker.page.expect_download() as waiting:
        worker.page.get_by_role("button", name=title, exact=True).click()
    path = Path(waiting.value.path())
    return waiting.value.suggested_filename, path.read_text(encoding="utf-8")


def test_the_edited_rule_is_taken_along_in_every_form(worker):
    worker.page.get_by_role("button", name="Delete the clause: cough = yes and fever = yes").click()
    expect(worker.page.locator(".clause")).to_have_count(1)
    name, text = saved(worker, "JSON")
    assert name == "rule_flu.json"
    assert len(json.loads(text)["branches"]) == 1
    name, text = saved(worker, "SQL")
    assert name == "rule_flu.sql"
    assert "CASE" in text
    name, text = saved(worker, "Python")
    assert name == "rule_flu.py"
    compile(text, name, "exec")
    name, text = saved(worker, "Table with predictions")
    assert name == "predictions_flu.csv"
    assert len(list(csv.DictReader(io.StringIO(text)))) == 60


def test_the_report_is_taken_along(worker):
    name, text = saved(worker, "Report")
    assert name == "report_flu.html"
    assert text.startswith("<!doctype html>")
    assert "flu" in text


def test_a_table_is_removed_on_request(worker):
    worker.page.get_by_role("button", name="Remove", exact=True).click()
    expect(worker.page.get_by_role("heading", name="A table goes in")).to_be_visible()
    expect(worker.page.locator("#bench")).to_be_hidden()
    expect(worker.page.locator("#status")).to_have_text("The table is removed.")
    assert worker.server.answers[-1] == ("DELETE", "/api/table", 200)


def test_an_edit_made_during_a_search_is_kept(worker):
    """It was thrown away when the search ended, and the person did not notice."""
    page, held = worker.page, []
    page.route("**/api/induce", lambda route: held.append(route))
    page.get_by_role("radiogroup", name="ward").get_by_label("excluded").check()
    expect(page.locator("#working")).to_be_visible()
    page.get_by_role("button", name="Delete the clause: cough = yes and fever = yes").click()
    expect(page.locator(".clause")).to_have_count(1)
    held[0].continue_()
    expect(page.locator("#working")).to_be_hidden()
    expect(page.locator("#status")).to_contain_text("the accuracy is about")
    expect(page.locator(".clause")).to_have_count(1)
    expect(page.locator("#edited")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".clause")).to_have_count(2)


def test_a_column_that_alone_tells_every_row_is_warned_of_and_left_out_on_request(visitor):
    """Low birth weight was told by the birth weight, and the page promised 100 % on new rows."""
    rows = [f"{2000 + 25 * i},{i % 7},{'yes' if i < 20 else 'no'}" for i in range(40)]
    visitor.drop("births.csv", "bwt,visits,low\n" + "\n".join(rows) + "\n", "low")
    visitor.wait_for_rule()
    expect(visitor.page.locator("#leaking")).to_contain_text("bwt alone predicts every row")
    visitor.page.get_by_role("button", name="Leave it out").click()
    expect(visitor.page.locator("#leaking")).to_be_hidden()
    expect(visitor.page.locator("#rules")).not_to_contain_text("bwt")


def test_on_a_phone_the_rule_comes_first(browser, server):
    with visiting(browser, server, viewport={"width": 390, "height": 800}) as phone:
        phone.use_example()
        place = {
            id: phone.page.locator(f"#{id}").bounding_box()["y"]
            for id in ("rule-card", "scores", "target", "rows-card", "limits", "columns")
        }
        assert sorted(place, key=place.get) == list(place)
        assert place["rule-card"] < 100, "nothing comes before it"
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_no_search_begins_before_a_column_is_chosen(visitor):
    visitor.drop("visits.csv", VISITS)
    choices = visitor.page.locator("#choices button")
    expect(choices).to_have_text(["flu", "fever", "cough", "chills", "body_aches", "age", "ward"])
    expect(choices.first).to_be_focused()
    assert not [url for url in visitor.requests if "/api/induce" in url]
    choices.first.click()
    visitor.wait_for_rule()
    expect(visitor.page.locator("#choose")).to_be_hidden()


def test_many_notes_on_a_file_are_one_line_that_opens(visitor):
    """Eight notes pushed the rule out of sight."""
    names = [f"m{i}" for i in range(8)]
    rows = "".join(
        ",".join(["n.n." if i == 3 else str(i)] * 8) + f",{'yes' if i % 2 else 'no'}\n" for i in range(40)
    )
    visitor.drop("notes.csv", ",".join(names) + ",y\n" + rows, "y")
    visitor.wait_for_rule()
    notes = visitor.page.locator("#notes")
    expect(notes.locator("summary")).to_have_text("8 notes on the file")
    assert notes.bounding_box()["height"] < 60
    notes.locator("summary").click()
    expect(notes.locator("li")).to_have_count(8)
    expect(notes.locator("li").last).to_be_visible()


def test_what_the_buttons_of_a_clause_do_is_said(worker):
    clause = worker.page.locator(".clause").first
    expect(clause.get_by_text("at least k")).to_have_attribute(
        "title", "Count: at least k of these conditions are enough, not all of them"
    )
    expect(clause.get_by_text("keep")).to_have_attribute(
        "title", "Keep this clause: the next search builds the rule around it"
    )
