"""The page is one file, tells the numbers of its records, and no name or cell becomes markup."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st
from report_tables import induced, labelled

from nri import NRIClassifier, alternatives
from nri.errors import InputError
from nri.induce.assemble import count_classes
from nri.induce.induce import Induction, induce_rule
from nri.report import Report, ReportOptions, gather_report, render_report, report_on, write_report
from nri.report.gather import round_times
from nri.report.page import percent
from nri.rule import Clause, Dnf, Literal, Op
from nri.table import LeftOut, Reason, table_of, with_survival, with_target

QUICK = ReportOptions(samples=0, folds=0)
FULL = ReportOptions(samples=3, folds=2, seconds=None)


class Page(HTMLParser):
    """What a browser would make of a page: its elements in order, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.values: list[str] = []
        self.told: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.values += [value or "" for _, value in attrs]

    def handle_data(self, data):
        self.told.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.told))


@pytest.fixture(scope="module")
def full(visits) -> Report:
    return gather_report(visits, induced(visits), options=FULL)


@pytest.fixture(scope="module")
def whole(full) -> str:
    return render_report(full)


def test_nothing_is_loaded_from_elsewhere_and_no_script_can_run(whole):
    assert "<script" not in whole
    assert not re.search(r"https?://|//\w+\.\w+|\burl\(|@import", whole)
    page = Page(whole)
    names = {name for _, attributes in page.elements for name in attributes}
    assert not names & {"src", "href", "srcset", "data", "action"}
    assert not [name for name in names if name.startswith("on")]
    assert any("default-src 'none'" in value for value in page.values)


def test_other_rules_follow_the_rule_with_what_sets_them_apart(visits):
    shelf = alternatives(visits, within=0.1, most=3)
    report = gather_report(visits, induced(visits), options=QUICK, others=shelf)
    assert 0 < len(report.others.others) <= 3
    page = Page(render_report(report)).text
    assert page.index("Other rules nearly as good") < page.index("Where it is right and wrong")
    for one in report.others.others:
        words = one.words.replace("`", "")
        assert words[1:] in page
    assert "What each column is worth" in page
    without = gather_report(visits, induced(visits), options=replace(QUICK, others=0))
    assert without.others is None
    assert "Other rules nearly as good" not in render_report(without)


def test_where_the_rule_comes_from_stands_at_the_end(visits):
    options = replace(QUICK, others=0, provenance={"file": "visits.csv", "options": ["target=y"], "note": ""})
    page = Page(render_report(gather_report(visits, induced(visits), options=options))).text
    assert page.index("How to read this") < page.index("Where this comes from")
    assert "Filevisits.csv Optionstarget=y" in page


def test_every_element_is_closed(whole):
    void = {"meta", "br"}
    opened: list[str] = []
    for slash, tag in re.findall(
        r"<(/?)([a-zA-Z][\w]*)", re.sub(r"<style>.*?</style>", "", whole, flags=re.S)
    ):
        if slash:
            assert opened.pop() == tag
        elif tag not in void:
            opened.append(tag)
    assert opened == []


def test_the_page_tells_the_numbers_of_its_records(full, whole):
    report, text = full, Page(whole).text
    for branch in report.branches:
        assert f"{branch.decides.precision:.2f}" in text
        low, high = branch.decides.interval.low, branch.decides.interval.high
        assert f"interval {low:.2f} to {high:.2f}" in text
        assert f"{branch.covers.rows:.0f} of 80 rows" in text
    assert f"accuracy {report.seen}" in text
    assert f"accuracy {report.held_out.score}" in text
    (found,) = report.diagnostics
    first = text[: text.index("Where it is right and wrong")]
    assert f"{percent(found.sensitivity.value)} sensitivity for flu".replace("\xa0", " ") in first
    assert f"{report.gaps.rows} rows lack a cell" in text
    assert f"within a point and its error has {report.others.shortest.lines}" in text
    assert "visit_id looks like an identifier" in text
    assert f"came back in {report.stability.same_rule} of {report.stability.samples} resamples" in text


def test_the_pictures_say_in_words_what_they_show(whole, full):
    labels = [value for value in Page(whole).values if value.startswith("Rows by the branches")]
    assert len(labels) == 1
    for pattern in full.patterns:
        named = " and ".join(f"branch {i}" for i in pattern.branches) or "none"
        assert f"{named}: {pattern.rows:.0f}" in labels[0]


def test_the_warning_stands_there_when_asked_for_only(visits):
    found = induced(visits)
    with_it = render_report(
        gather_report(visits, found, options=ReportOptions(clinical=True, samples=0, folds=0))
    )
    without = render_report(gather_report(visits, found, options=QUICK))
    assert "Not validated for decisions" in with_it
    assert "Not validated for decisions" not in without


def test_the_rule_stands_in_one_piece_at_the_top(flowers):
    """It was nowhere in one piece, only as a card for each clause with six lines of text."""
    report = gather_report(flowers, induced(flowers), options=QUICK)
    whole = render_report(report)
    table = whole[whole.index('<table class="rule"') : whole.index("</table>")]
    text = Page(table).text
    for branch in report.branches:
        assert str(branch.value) in text
    assert text.count("if") >= 1
    assert "any other row" in text
    assert "The first branch whose conditions hold decides" in Page(whole).text


def test_rows_that_an_earlier_branch_decides_are_counted():
    row = np.arange(155)
    frame = pd.DataFrame({"many": row < 13, "few": (row < 2) | ((row >= 13) & (row < 18))})
    sick = (row < 12) | ((row >= 13) & (row < 32))
    table = labelled(frame, np.where(sick, "yes", "no"))
    rule = Dnf([Clause([Literal("many", Op.EQ, True)]), Clause([Literal("few", Op.EQ, True)])])
    report = gather_report(table, Induction(count_classes({"yes": rule}, "no", table)), options=QUICK)
    first, second = report.branches
    assert second.covers.precision == 1.0 > first.covers.precision
    assert (second.covers.rows, second.decides.rows) == (7, 5)
    assert "A branch decides fewer rows than it holds on" in Page(render_report(report)).text


def test_a_dot_at_either_end_of_a_bar_is_drawn_whole():
    """At 1.00 the dot had a flat right side: its middle was nearer to the edge than its radius."""
    table = labelled(pd.DataFrame({"x": [True, False] * 10}), ["yes", "no"] * 10)
    always, never = (Dnf([Clause([Literal("x", op, True)])]) for op in (Op.EQ, Op.NE))
    middles = []
    for rule in (always, never):
        report = gather_report(table, Induction(count_classes({"yes": rule}, "no", table)), options=QUICK)
        for drawn in re.findall(r"<svg[^>]*interval.*?</svg>", render_report(report), re.S):
            width = float(re.search(r'viewBox="0 0 (\S+) ', drawn)[1])
            middle, radius = (
                float(re.search(rf'<circle[^>]*\b{name}="(\S+?)"', drawn)[1]) for name in ("cx", "r")
            )
            assert radius <= middle <= width - radius
            middles.append(middle)
    assert min(middles) < 10
    assert max(middles) > 140


def test_only_what_is_whole_is_0_or_100_percent():
    shown = [percent(share) for share in (0.333, 0.9996, 1.0)]
    assert shown == ["33\xa0%", "99.9\xa0%", "100\xa0%"]


def test_an_axis_has_round_times():
    assert round_times(2659.0, 5) == [0.0, 1000.0, 2000.0]


def flats(n: int = 160) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"rooms": rng.integers(1, 6, n), "age": rng.integers(18, 80, n)})
    frame["rent"] = 500.0 + 300 * (frame.rooms > 3) + 90 * (frame.age > 50) + rng.normal(0, 20, n)
    frame["days"] = rng.exponential(np.where(frame.age > 50, 60, 200)).round() + 1
    frame["dead"] = rng.random(n) < 0.8
    return frame


def test_a_number_has_the_page_that_classes_have(tmp_path):
    table = with_target(table_of(flats().drop(columns=["days", "dead"])), "rent")
    report = report_on(induce_rule(table), table, options=FULL)
    assert report.held_out.score.measure == "R²"
    assert report.others.measure == "R²"
    assert report.stability.measure == "correlation"
    otherwise = report.rule.decide(table) == len(report.branches)
    assert sum(branch.decides.rows for branch in report.branches) + otherwise.sum() == len(report.table)
    assert all(sum(shares) == pytest.approx(1.0) for shares in report.distributions)
    assert [group.column for group in report.groups] == ["age"]
    text = Page(render_report(report)).text
    for part in ("Rule for rent", "off on average on new rows", "What does another line bring?"):
        assert part in text
    assert "of 3 resamples" in text


def test_survival_has_the_page_that_classes_have(tmp_path):
    table = with_survival(table_of(flats().drop(columns="rent")), "days", "dead")
    rule = induce_rule(table).rule
    path = tmp_path / "report.html"
    write_report(rule, table, None, path, options=FULL)
    whole = path.read_text(encoding="utf-8")
    text = Page(whole).text
    assert whole.count('class="km-picture"') == len(rule.branches) + 1
    for part in (
        "Time until dead",
        "concordance on new rows",
        "came back in",
        "What does another line bring?",
    ):
        assert part in text
    with pytest.raises(InputError, match="table that has its target"):
        write_report(rule, flats(), None, path)


def test_a_table_without_a_pattern_has_a_page_too():
    table = labelled(pd.DataFrame({"x": [1, 0] * 10}), ["a", "b", "b", "a"] * 5)
    page = Page(render_report(gather_report(table, induced(table), options=FULL)))
    assert "No rule beats always predicting a" in page.text


def test_the_same_table_gives_the_same_page(visits):
    found = induced(visits)
    pages = {render_report(gather_report(visits, found, options=FULL)) for _ in range(2)}
    assert len(pages) == 1


NASTY = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.sampled_from(
        [
            "<script>alert(1)</script>",
            '"><img src=x onerror=alert(1)>',
            "' onload='alert(1)",
            "</style><script>",
            "</title><b>",
            "{{ 7 * 7 }}",
            "{% include 'x' %}",
            "&lt;b&gt;",
            "<!--",
            "]]>",
            "\u202e\x00\x1b",
        ]
    ),
)


def _page_of(
    column: str, other: str, value: str, target: str, good: str, bad: str, title: str, folds: int = 0
) -> str:
    frame = pd.DataFrame({column: [value, "b", value, None] * 3, other: [1.0, 2.0, 3.0, 4.0] * 3})
    table = labelled(frame, [good, bad, good, bad] * 3, target=target)
    named, high = Literal(column, Op.EQ, value), Literal(other, Op.GT, 2.5)
    rules = {good: Dnf([Clause([named]), Clause([high]), Clause([named, high, named.negate()], at_least=2)])}
    found = Induction(count_classes(rules, bad, table), (LeftOut(f"{column} too", Reason.FREE_TEXT),))
    options = ReportOptions(
        title=title or None, source=column, clinical=True, samples=1, folds=folds, seconds=None
    )
    return render_report(gather_report(table, found, options=options))


_HARMLESS = Page(_page_of("colour", "size", "red", "kind", "good", "bad", "Title", folds=2))


@settings(max_examples=usually(8, 25))
@given(NASTY, NASTY, NASTY, NASTY)
def test_no_name_and_no_cell_becomes_markup(column, value, target, good):
    page = Page(_page_of("c" + column, "other", value + "v", "t" + target, good + "g", "bad", value))
    assert set(page.elements) <= set(_HARMLESS.elements)


def test_a_hostile_name_is_shown_as_it_is():
    page = Page(_page_of("<script>x", "other", "{{ 7 * 7 }}", "<i>t", "<b>", "bad", "", folds=2))
    assert set(page.elements) <= set(_HARMLESS.elements)
    assert "<script>x" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "49" not in page.text


def test_names_are_shown_raw_where_the_page_bounds_them():
    """A column ``select from "x"`` stood on cards, in lists and in the title as code, with escapes."""
    text = Page(_page_of('select from "x"', "cost €", "a", 'price "€"', "high", "low", "", folds=2)).text
    assert 'Rule for price "€"' in text
    assert 'price "€" = high: 6' in text
    assert 'select from "x" = a' in text
    assert "\\" not in text
    assert '"cost €"' not in text


def test_a_classifier_is_reported_on_in_one_call(tmp_path):
    X = pd.DataFrame({"fever": [1, 1, 0, 0] * 8, "cough": [1, 0, 1, 0] * 8})
    y = pd.Series(["yes", "no", "no", "no"] * 8, name="flu")
    classifier = NRIClassifier().fit(X, y)
    path = tmp_path / "report.html"
    write_report(classifier, X, y, path, options=QUICK)
    page = Page(path.read_text(encoding="utf-8"))
    assert "Rule for flu" in page.text
    assert "flu = yes: 8" in page.text
    report = report_on(classifier, X, y, sample_weight=np.full(32, 0.5), options=QUICK)
    assert report.weight == 16


def test_a_class_the_classifier_does_not_know_is_refused():
    classifier = NRIClassifier().fit([[0], [1]] * 5, ["a", "b"] * 5)
    with pytest.raises(InputError, match="'c'"):
        report_on(classifier, [[0], [1]], ["a", "c"])


def test_a_classifier_of_an_array_with_fewer_classes_in_y_is_reported_on():
    classifier = NRIClassifier().fit([[0, 1], [1, 0]] * 5, [0, 1] * 5)
    report = report_on(classifier, np.array([[0, 1], [0, 1]]), [0, 0], options=QUICK)
    assert report.table.by_class.tolist() == [2.0, 0.0]


def test_a_limit_that_gives_no_shorter_rule_is_not_recommended(full):
    """The page printed a rule with more conditions than the one above it as the "simplest"."""
    report = full

    def with_shortest(rule):
        frontier = (replace(report.others.best, rule=rule),)
        return replace(report, others=replace(report.others, frontier=frontier))

    assert "It reads:" not in render_report(with_shortest(report.rule))
    shorter = replace(report.rule, branches=())
    assert "It reads:" in render_report(with_shortest(shorter))
