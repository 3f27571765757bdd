"""The page without a mouse, without sight of it, on a phone, and with hostile tables."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser import Visitor, visiting
from playwright.sync_api import Page, expect

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def focused(page: Page) -> str:
    """What has the focus, by its accessible words."""
    return page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"
    )


def tab_to(page: Page, words: str, most: int = 80) -> None:
    for _ in range(most):
        if focused(page) == words:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {words!r}")


def test_a_file_can_be_chosen_from_the_keyboard(visitor):
    page = visitor.page
    page.evaluate(
        """() => document.getElementById("file").addEventListener("click", (event) => {
          event.preventDefault();  // the dialog is the browser's own affair
          document.title = "the dialog would open";
        })"""
    )
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page).to_have_title("the dialog would open")


def test_everything_is_done_from_the_keyboard(visitor):
    page = visitor.page
    tab_to(page, "Try 60 visits to a clinic")
    page.keyboard.press("Enter")
    visitor.wait_for_rule()
    assert page.evaluate("document.activeElement.id") == "main"

    page.locator("#target").focus()  # a choice in a list, by its first letter
    page.keyboard.type("ward")
    expect(page.locator("#rule-title")).to_have_text("Rule for ward")
    page.keyboard.press("End")
    expect(page.locator("#rule-title")).to_have_text("Rule for flu")

    page.locator("[data-name=chills] input[value=allowed]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-name=chills] input[value=excluded]")).to_be_checked()
    expect(page.locator("#rules")).not_to_contain_text("chills")
    visitor.wait_for_rule()

    tab_to(page, "Drop cough = yes")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Drop cough = yes")).to_have_count(0)
    expect(page.locator("#edited")).to_be_visible()
    assert focused(page) == "Drop fever = yes", "the focus goes on to what took its place"
    page.keyboard.press("Control+z")
    expect(page.get_by_role("button", name="Drop cough = yes")).to_have_count(1)
    page.keyboard.press("Control+Shift+Z")
    expect(page.get_by_role("button", name="Drop cough = yes")).to_have_count(0)


def test_a_condition_is_added_from_the_keyboard_and_escape_leaves_the_form(worker):
    page = worker.page
    tab_to(page, "Add a condition to: cough = yes and fever = yes")
    page.keyboard.press("Enter")
    assert focused(page) == "Column"
    page.keyboard.press("Escape")
    expect(page.locator(".condition")).to_have_count(0)
    assert focused(page) == "Add a condition to: cough = yes and fever = yes"
    page.keyboard.press("Enter")
    page.keyboard.type("age")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == "Value"
    page.keyboard.press("Control+a")
    page.keyboard.type("33")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Change age > 33")).to_be_visible()
    assert focused(page) == "Add a condition to: age > 33 and cough = yes and fever = yes"


def test_rows_are_walked_by_arrows_and_explained_by_enter(worker):
    page = worker.page
    tab_to(page, "Row 1: why?")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert focused(page) == "Row 3: why?"
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary", name="Row 3")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#why")).to_be_hidden()
    assert focused(page) == "Row 3: why?"


def test_every_control_has_a_name(worker):
    page = worker.page
    page.get_by_role("button", name="Row 2: why?").click()
    page.get_by_role("button", name="Add a condition to: cough = yes and fever = yes").click()
    tree = page.locator("body").aria_snapshot()
    controls = re.findall(
        r"- '?(button|combobox|textbox|slider|checkbox|radio|spinbutton|link|searchbox)\b(.*)", tree
    )
    assert len(controls) > 40
    assert [what for what, rest in controls if not rest.strip().startswith('"')] == []


def test_changes_are_announced(worker):
    expect(worker.page.locator("#status")).to_contain_text("On new rows the accuracy is about")
    worker.page.get_by_role("button", name="Drop chills = yes").click()
    expect(worker.page.locator("#status")).to_have_text("Accuracy 88.3 %, Precision 84.8 %, Coverage 55 %.")


CONTRASTS = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = (c) => ((c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const unseen = !element.checkVisibility() || element.closest(":disabled, .hidden, .skip");
    if (unseen || !texts.currentNode.data.trim()) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(parse(style.color)), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(`${texts.currentNode.data.trim()} ${ratio.toFixed(2)}`);
  }
  return found;
}"""


def pale_texts(visitor: Visitor) -> list[str]:
    """What stands out too little from its ground, in light or in dark."""
    found = []
    for scheme in ("dark", "light"):
        visitor.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += visitor.page.evaluate(CONTRASTS)
    return found


def test_text_stands_out_from_its_ground(browser, server):
    with visiting(browser, server) as visitor:
        assert pale_texts(visitor) == []
        visitor.use_example()
        visitor.page.get_by_role("button", name="Drop chills = yes").click()
        expect(visitor.page.locator("#edited")).to_be_visible()
        visitor.page.get_by_role("button", name="Wrong 7").click()
        visitor.page.locator("#rows-list tr").first.click()
        expect(visitor.page.locator("#why")).to_be_visible()
        visitor.drop("empty.csv", "")
        expect(visitor.page.get_by_role("alert")).to_be_visible()
        expect(visitor.page.locator("#work[aria-busy=false]")).to_be_visible()
        assert pale_texts(visitor) == []


def sideways(visitor: Visitor) -> int:
    """By how many pixels the page can be pushed sideways."""
    return visitor.page.evaluate(
        "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
    )


def test_a_phone_shows_everything_without_pushing_sideways(browser, server):
    with visiting(browser, server, **PHONE) as visitor:
        assert sideways(visitor) == 0
        visitor.use_example()
        assert sideways(visitor) == 0
        visitor.page.locator("#columns summary").tap()
        visitor.page.locator("#limits summary").tap()
        visitor.page.get_by_role("button", name="Add a condition to: cough = yes and fever = yes").tap()
        assert sideways(visitor) == 0
        visitor.page.get_by_role("button", name="Cancel").tap()
        visitor.page.locator("#rows-list tr").first.tap()
        expect(visitor.page.get_by_role("complementary", name="Row 1")).to_be_in_viewport()
        assert sideways(visitor) == 0


def three_classes() -> tuple[str, str]:
    """A table with three classes, and what cross-validation might say of them."""
    table = "x,y\n" + "".join(
        f"{i % 9},{['versicolor', 'setosa', 'virginica'][i % 9 // 3]}\n" for i in range(90)
    )
    names = ("sensitivity", "specificity", "PPV", "NPV", "balanced accuracy")
    measures = {name: {"value": 1.0, "interval": {"low": 0.929, "high": 1.0}} for name in names}
    told = [
        {"label": label, "prevalence": 0.3, "assumed": False, "measures": measures}
        for label in ("setosa", "versicolor", "virginica")
    ]
    estimate = {"measure": "accuracy", "value": 0.9, "error": 0.04, "method": "cross-validated"}
    return table, json.dumps({**estimate, "diagnostics": told}) + "\n"


def test_no_measure_of_several_classes_is_cut(visitor):
    """At 1280 pixels "On new rows" ended within NPV, and balanced accuracy was out of sight."""
    table, told = three_classes()
    visitor.page.route("**/api/validate", lambda route: route.fulfill(body=told))
    visitor.drop("flowers.csv", table, "y")
    visitor.wait_for_rule()
    expect(visitor.page.locator(".line .keyword")).to_have_text(["if", "else if", "else"])
    cells = visitor.page.locator("#diagnostics tbody :is(td, th)")
    expect(cells).to_have_count(3 * 6)
    for width in (1280, 1024, 700, 390):
        visitor.page.set_viewport_size({"width": width, "height": 860})
        assert all(
            cells.evaluate_all(
                """(cells) => cells.map((cell) => {
                  const [box, around] = [cell, cell.closest(".scroll")].map((e) => e.getBoundingClientRect());
                  return box.left >= around.left - 1 && box.right <= around.right + 1
                    && cell.scrollWidth <= cell.clientWidth + 1;
                })"""
            )
        )
        assert sideways(visitor) == 0
        row = visitor.page.locator("#diagnostics").get_by_role("row").last
        expect(row.get_by_role("cell")).to_have_count(5)  # still a table to whoever hears it


MARKUP = "<img src=x onerror=alert(1)>"


def hostile() -> str:
    """A table whose names, cells and classes are markup."""
    cells = ["<script>alert(2)</script>", '"><svg onload=alert(3)>', "{{7*7}}", "</textarea><b>bold"]
    quoted = [f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in cells]
    rows = [f"{quoted[i % 4]},{i % 7},{MARKUP if i % 2 else '<i>no</i>'}" for i in range(40)]
    return "\n".join([f'"{MARKUP} column",<u>n</u>,"<h1>target</h1>"', *rows]) + "\n"


def test_markup_in_a_table_stays_text(visitor):
    """Names, cells, classes and the file's name are shown as they are and never become elements."""
    page = visitor.page
    visitor.drop(f"{MARKUP}.csv", hostile(), "<h1>target</h1>")
    visitor.wait_for_rule()
    expect(page.locator("#rule-title")).to_have_text("Rule for <h1>target</h1>")
    page.locator("#rows-list tr").first.click()
    expect(page.locator("#why")).to_be_visible()
    page.locator(".chip.add").first.click()
    expect(page.locator(".condition select").first).to_contain_text(MARKUP)
    expect(page.locator("#table-title")).to_have_text(f"{MARKUP}.csv")
    expect(page.locator("#rows-list")).to_contain_text("<script>alert(2)</script>")
    for element in (
        "img[src=x]",
        "svg[onload]",
        "main h1 h1",
        "u",
        "main script",
        "#rows-list b",
        "#rows-list i",
    ):
        assert page.locator(element).count() == 0, element


def test_markup_in_a_message_stays_text(visitor):
    visitor.drop("t.csv", f"{MARKUP},{MARKUP}\n1,2\n")
    expect(visitor.page.get_by_role("alert")).to_contain_text(MARKUP)
    assert visitor.page.locator("#alert img").count() == 0


def test_the_browser_itself_refuses_to_turn_text_into_markup(visitor):
    refused = visitor.page.evaluate(
        """() => {
          const element = document.createElement("p");
          try { element.innerHTML = "<b>x</b>"; return false; } catch { return true; }
        }"""
    )
    assert refused
    visitor.problems.clear()  # the browser reports what we tried


def test_the_browser_itself_refuses_foreign_addresses(visitor):
    answer = visitor.page.evaluate(
        "fetch('http://127.0.0.1:9/').then(() => 'sent', (error) => error.message)"
    )
    assert answer != "sent"
    assert any("Content Security Policy" in problem for problem in visitor.problems)
    visitor.problems.clear()
    visitor.requests.clear()


def test_a_rebound_name_shows_nothing(worker):
    """The browser believes that another site lives here; the server knows better."""
    page = worker.page.context.new_page()
    port = worker.server.address.rpartition(":")[2]
    answer = page.goto(f"http://rebound.example:{port}/")
    assert answer.status == 403
    assert page.evaluate("fetch('/api/rows', {headers: {'X-NRI': '1'}}).then((a) => a.status)") == 403
    page.close()


def test_the_key_lasts_for_a_reload_and_a_second_tab_and_leaves_the_address(visitor):
    page = visitor.page
    assert page.url == visitor.server.address + "/"
    page.reload()
    visitor.use_example()
    second = page.context.new_page()
    assert second.goto(visitor.server.address).status == 200
    second.locator("#file").set_input_files(
        {"name": "pets.csv", "mimeType": "text/csv", "buffer": b"legs,pet\n" + b"4,dog\n2,bird\n" * 10}
    )
    second.get_by_role("button", name="pet", exact=True).click()
    expect(second.locator("#rule-title")).to_have_text("Rule for pet")
    page.get_by_role("button", name="Drop chills = yes").click()
    expect(page.locator("#edited")).to_be_visible()  # each tab has its own table
    second.close()


def test_a_browser_without_the_key_sees_one_line(browser, server):
    context = browser.new_context()
    page = context.new_page()
    assert page.goto(server.address).status == 403
    expect(page.locator("body")).to_have_text(
        "this page belongs to the account that started it; open the URL that nri serve printed"
    )
    context.close()


def test_the_url_opens_the_page_from_a_link_of_another_site(browser, server, elsewhere):
    """A terminal in the browser shows the URL as a link; strict cookies do not follow its redirect."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(elsewhere.replace("127.0.0.1", "localhost"))
    page.evaluate("(url) => { location.href = url; }", server.url)
    expect(page.get_by_role("heading", name="A table goes in")).to_be_visible()
    assert page.url == server.address + "/"
    context.close()


class Elsewhere(BaseHTTPRequestHandler):
    """A site on another port of this machine: to cookies it is the same site, to us it is a stranger."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Elsewhere</title>")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[str]:
    site = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{site.server_port}/"
    site.shutdown()
    thread.join()
    site.server_close()


ATTACKS = """async (address) => {
  const tries = [
    fetch(address + "/api/rows", {credentials: "include"}),
    fetch(address + "/api/table", {method: "POST", mode: "no-cors", credentials: "include", body: "a,b"}),
    fetch(address + "/static/js/main.js", {mode: "no-cors"}),
    import(address + "/static/js/main.js"),
  ];
  const outcomes = await Promise.allSettled(tries);
  return outcomes.map(({status, value}) => (status === "rejected" ? "refused" : value.type));
}"""


def test_a_site_on_another_port_can_neither_read_nor_change_anything(worker, elsewhere):
    expect(worker.page.locator("#scores")).to_contain_text("cross-validated")  # it is quiet now
    page = worker.page.context.new_page()
    page.goto(elsewhere)
    before = len(worker.server.sessions)
    worker.server.answers.clear()
    outcomes = page.evaluate(ATTACKS, worker.server.address)
    assert set(outcomes) <= {"refused", "opaque"}, "nothing can be read"
    assert ("POST", "/api/table", 403) in worker.server.answers
    assert {status for _, _, status in worker.server.answers} == {403}, "what the browser let through"
    assert len(worker.server.sessions) == before
    page.close()
    worker.page.get_by_role("button", name="Drop chills = yes").click()
    expect(worker.page.locator("#edited")).to_be_visible()
