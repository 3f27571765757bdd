"""Costs and what a person knows, said with the controls of the page in a real browser."""

from playwright.sync_api import expect


def test_costs_are_set_by_a_small_control_and_the_mean_cost_is_shown(worker):
    page = worker.page
    page.locator("#costs summary").click()
    expect(page.locator("[data-stat=cost]")).to_have_count(0)
    page.get_by_label("What an error on a row of flu = yes costs").fill("5")
    page.keyboard.press("Tab")
    expect(page.locator("[data-stat=cost] .stat-note")).to_contain_text("always yes: 0.50")
    expect(page.locator("#costs-count")).to_have_text("yes 5")
    page.get_by_label("What an error on a row of flu = yes costs").fill("1")
    page.keyboard.press("Tab")
    expect(page.locator("[data-stat=cost]")).to_have_count(0)


def test_costs_of_a_comparison_are_those_of_true_and_false(worker):
    page = worker.page
    page.locator("#target").select_option("age")
    expect(page.locator("#rule-title")).to_contain_text("Rule for age >")
    page.locator("#costs summary").click()
    page.get_by_label("What an error on a row of age = true costs").fill("3")
    page.keyboard.press("Tab")
    expect(page.locator("[data-stat=cost]")).to_be_visible()
    expect(page.locator("#alert")).to_be_hidden()


def test_a_clause_edited_by_hand_is_kept_in_the_next_search(worker):
    page = worker.page
    page.get_by_role("button", name="Drop age > 50").click()
    page.get_by_role("button", name="Keep the clause: body_aches = yes and chills = yes").click()
    expect(page.locator("#working")).to_be_hidden()
    worker.wait_for_rule()
    expect(page.locator("#know-list")).to_contain_text("keep: body_aches = yes and chills = yes")
    kept = page.get_by_role("button", name="Keep the clause: body_aches = yes and chills = yes")
    expect(kept).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#know summary .count")).to_have_text("1")
    assert "body_aches = yes and chills = yes" in worker.clauses()
    kept.click()
    expect(page.locator("#know-list li")).to_have_count(0)


def test_what_a_person_knows_is_said_in_small_forms_and_taken_back(worker):
    page = worker.page
    page.locator("#know summary").click()
    page.get_by_label("Say what you know").select_option("forbid")
    form = page.locator("#know-form")
    form.get_by_label("Column").select_option("cough")
    form.get_by_label("Value").select_option("yes")
    form.get_by_role("button", name="Add").click()
    expect(page.get_by_role("button", name="Change cough = yes")).to_have_count(0)
    expect(page.locator("#know-price")).to_contain_text("What you asked for costs")

    page.get_by_label("Say what you know").select_option("cuts")
    form.get_by_label("Column").select_option("age")
    form.get_by_label("Cuts, with spaces or semicolons between").fill("forty")
    form.get_by_role("button", name="Add").click()
    expect(page.locator("#know-list li")).to_have_count(1)
    form.get_by_label("Cuts, with spaces or semicolons between").fill("40; 52,5 65")
    page.keyboard.press("Enter")
    expect(page.locator("#know-list")).to_contain_text("cut age at 40, 52.5, 65 only")

    page.get_by_label("Say what you know").select_option("monotone")
    form.get_by_label("Column").select_option("age")
    form.get_by_role("button", name="Add").click()
    expect(page.locator("#know-list li")).to_have_count(3)
    expect(page.locator("#positive")).not_to_have_value("")
    worker.wait_for_rule()
    expect(page.locator("#alert")).to_be_hidden()

    page.get_by_role("button", name="Take back: excluded: cough = yes").click()
    expect(page.locator("#know-list li")).to_have_count(2)
    page.get_by_label("Say what you know").select_option("cuts")
    page.keyboard.press("Escape")
    expect(form.locator("select")).to_have_count(0)
    page.locator("#target").select_option("ward")
    expect(page.locator("#know-list li")).to_have_count(0)


def test_the_order_of_classes_is_typed_and_the_mean_distance_is_shown(visitor):
    doses = [f"{dose},{('mild', 'bad', 'dire')[dose // 20]}" for dose in range(60)]
    visitor.drop("grades.csv", "\n".join(["dose,grade", *doses]), target="grade")
    visitor.wait_for_rule()
    page = visitor.page
    page.locator("#costs summary").click()
    page.get_by_label("From low to high").fill("mild, bad, dire")
    page.keyboard.press("Tab")
    expect(page.locator("[data-stat=cost]")).to_contain_text("Mean distance")
    expect(page.locator("#costs-count")).to_have_text("in order")
    page.get_by_label("From low to high").fill("mild, dire")
    page.keyboard.press("Tab")
    expect(page.locator("#alert")).to_contain_text("must name 'bad' once")
