"""What the page says when the server is busy, has lost the table, or is gone; no edit goes with it."""

from playwright.sync_api import expect

from nri.serve.sessions import NO_ROOM


def test_a_table_that_the_server_lost_is_sent_again_and_no_edit_is_lost(worker):
    """A server that was killed and started anew knows no table; the page still has the file and the edits."""
    page = worker.page
    page.get_by_role("button", name="Drop chills = yes").click()
    expect(page.get_by_role("button", name="Drop chills = yes")).to_have_count(0)
    worker.server.sessions.close()
    worker.server.sessions._ended.clear()
    page.get_by_role("button", name="Drop cough = yes").click()
    expect(page.get_by_role("alert")).to_contain_text("it was started anew")
    page.get_by_role("button", name="Send visits.csv again").click()
    expect(page.locator("#alert")).to_be_hidden()
    expect(page.get_by_role("button", name="Drop cough = yes")).to_have_count(0)
    assert worker.clauses() == ["fever = yes", "age > 50 and body_aches = yes"]
    expect(page.locator("#edited")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Drop chills = yes")).to_have_count(1)


def test_a_table_that_had_to_make_room_is_told_so(worker):
    token = next(reversed(worker.server.sessions._sessions))
    worker.server.sessions.end(token, NO_ROOM)
    worker.page.get_by_role("button", name="Drop chills = yes").click()
    expect(worker.page.get_by_role("alert")).to_contain_text("had to make room for later ones")
    expect(worker.page.get_by_role("button", name="Send visits.csv again")).to_be_visible()


def test_whoever_waits_in_line_is_told_how_many_are_before(worker):
    page, held = worker.page, []
    page.route("**/api/place?*", lambda route: route.fulfill(json={"before": 3}))
    page.route("**/api/induce", lambda route: held.append(route))
    page.get_by_role("radiogroup", name="ward").get_by_label("excluded").check()
    expect(page.locator("#working-text")).to_contain_text("Busy, 3 before you")
    held[0].continue_()
    expect(page.locator("#working")).to_be_hidden()


def test_a_server_that_is_gone_is_told(worker):
    worker.page.route("**/api/edit", lambda route: route.abort())
    worker.page.get_by_role("button", name="Drop chills = yes").click()
    expect(worker.page.get_by_role("alert")).to_contain_text(
        "Start it again, open the URL that it prints, then go on here"
    )
    worker.problems.clear()  # the browser itself complains about the request that we broke
