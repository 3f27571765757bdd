"""Other rules on the page: looked at, taken, filtered and edited."""

import json

from browser import visiting
from pages import ask, branches, drop
from playwright.sync_api import expect

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


def shelf_of(client, **question):
    """The other rules, as the page gets them."""
    work = ask(client, **question).json()
    return work, json.loads(client.post("/api/alternatives").text.splitlines()[-1])


def taken(client, rule):
    last = rule["lines"][-1]["label"]
    sent = {"branches": branches(rule), "otherwise": last and last["label"]}
    return client.post("/api/edit", json=sent).json()


def test_every_rule_of_the_shelf_can_be_taken_and_is_the_one_described(client):
    drop(client)
    work, shelf = shelf_of(client)
    assert branches(shelf["rules"][0]) == branches(work)
    assert len(shelf["rules"]) > shelf["listed"] > 1
    for rule in shelf["rules"]:
        now = taken(client, rule)
        assert branches(now) == branches(rule)
        assert now["lines"][-1]["label"] == rule["lines"][-1]["label"]
        assert now["edited"] is (rule is not shelf["rules"][0])


def test_a_rule_that_is_taken_back_is_the_one_that_was_induced(client):
    drop(client)
    _, shelf = shelf_of(client)
    first = client.get("/api/download/json").text
    taken(client, shelf["rules"][1])
    assert client.get("/api/download/json").text != first
    taken(client, shelf["rules"][0])
    assert client.get("/api/download/json").text == first


def test_the_shelf_says_why_there_is_none(client):
    drop(client)
    literals = [{"column": "fever", "op": "=", "value": "yes"}]
    keep = {"label": "yes", "clauses": [{"literals": literals, "at_least": None}]}
    _, line = shelf_of(client, keep=keep)
    assert "keep" in line["problem"]


def test_a_rule_is_shown_by_hovering_and_taken_by_a_click(browser, server):
    with visiting(browser, server, shelf=True) as visitor:
        visitor.use_example()
        page, before = visitor.page, visitor.clauses()
        items = page.locator(".shelf-item")
        expect(items.first).to_have_attribute("aria-current", "true")
        items.nth(1).hover()
        expect(page.locator("#shelf-preview-words")).to_have_text(
            items.nth(1).locator(".shelf-words").inner_text()
        )
        assert visitor.clauses() == before
        items.nth(1).click()
        expect(page.locator("#edited")).to_have_text("chosen from the list")
        expect(items.nth(1)).to_have_attribute("aria-current", "true")
        assert visitor.clauses() != before
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#edited")).to_be_hidden()
        assert visitor.clauses() == before


def test_edits_start_from_a_rule_that_was_taken(browser, server):
    with visiting(browser, server, shelf=True) as visitor:
        visitor.use_example()
        page = visitor.page
        page.locator(".shelf-item").nth(1).click()
        expect(page.locator("#edited")).to_have_text("chosen from the list")
        first, *others = visitor.clauses()
        page.locator(".clause").first.locator(".chip-drop").first.click()
        expect(page.locator("#edited")).to_have_text("edited")
        assert visitor.clauses()[1:] == others
        assert first.endswith(visitor.clauses()[0])


def test_columns_filter_the_shelf_and_then_the_search(browser, server):
    with visiting(browser, server, shelf=True) as visitor:
        visitor.use_example()
        page = visitor.page
        fever = page.locator("#shelf-filters").get_by_role("button", name="fever:")
        fever.click()
        expect(fever).to_have_accessible_name("fever: required")
        fever.click()
        expect(fever).to_have_accessible_name("fever: excluded")
        expect(page.locator(".shelf-item")).to_have_count(1)
        expect(page.locator(".shelf-item .shelf-words")).to_contain_text("fever")
        page.get_by_role("button", name="Search again with these limits").click()
        visitor.wait_for_rule()
        expect(page.locator("#shelf-body")).to_be_visible()
        assert all("fever" not in clause for clause in visitor.clauses())
        expect(page.get_by_role("radiogroup", name="fever").get_by_label("excluded")).to_be_checked()


def test_the_slider_takes_the_best_rule_of_a_size(browser, server):
    with visiting(browser, server, shelf=True) as visitor:
        visitor.use_example()
        page = visitor.page
        expect(page.locator("#shelf-body")).to_be_visible()
        page.get_by_label("Best rule of").focus()
        page.keyboard.press("Home")
        expect(page.locator(".clause")).to_have_count(1)
        expect(page.locator("#shelf-size-shown")).to_contain_text("1 line")


def test_on_a_phone_the_rule_is_on_the_first_screen_and_nothing_is_too_wide(browser, server):
    with visiting(browser, server, shelf=True, **PHONE) as visitor:
        visitor.use_example()
        page = visitor.page
        expect(page.locator("#shelf-body")).to_be_visible()
        box = page.locator("#rules").bounding_box()
        assert box["y"] + box["height"] < 844
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator(".shelf-item").nth(1).tap()
        expect(page.locator("#edited")).to_have_text("chosen from the list")


def test_nothing_is_searched_before_a_column_is_chosen(browser, server):
    with visiting(browser, server, shelf=True) as visitor:
        visitor.drop("visits.csv", "a,b\n" + "1,0\n0,1\n" * 20)
        expect(visitor.page.locator("#choose")).to_be_visible()
        assert not any(url.endswith(("/api/induce", "/api/alternatives")) for url in visitor.requests)
