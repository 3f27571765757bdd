import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from rule_strategies import cases, columns_of, counted, text

from nri.errors import InputError
from nri.rule import (
    FALSE,
    FORMATS,
    TRUE,
    Branch,
    ClassTarget,
    Clause,
    Dnf,
    Literal,
    Op,
    Rule,
    Shares,
    column_of,
    rule_truth,
)
from nri.rule.phrase import bare_name, phrase_clause, phrase_value
from nri.rule.render.as_text import outline_of
from nri.rule.rule import RenderOptions


def yes(column):
    return Literal(column, Op.EQ, True)


FLU = Rule(
    ClassTarget("flu", ("no", "yes")),
    [
        Branch(Clause([yes("fever"), yes("cough")]), Shares("yes", [3, 38], [0.1, 0.9])),
        Branch(
            Clause([yes("chills"), yes("body_aches"), Literal("age", Op.GT, 61)]),
            Shares("yes", [2, 15], [0.2, 0.8]),
        ),
    ],
    Shares("no", [16, 2], [0.8, 0.2]),
    Shares("yes", [20, 40], [0.3, 0.7]),
)


def test_text_is_aligned_with_rows_and_probabilities():
    assert str(FLU).splitlines() == [
        "IF  (cough AND fever)                        38 of 41 rows, about 0.90 on new ones",
        " OR (age > 61 AND body_aches AND chills)     15 of 17 rows, about 0.80 on new ones",
        "THEN flu = yes                               ELSE no   16 of 18 rows, about 0.80 on new ones",
    ]


def test_points_are_added_up_where_the_rule_counts():
    score = Clause([yes("fever"), yes("cough"), Literal("age", Op.GT, 61)], at_least=2)
    rule = Rule(
        FLU.predicts, [Branch(score, FLU.branches[0].estimate), FLU.branches[1]], FLU.otherwise, FLU.support
    )
    assert rule.render("points").splitlines() == [
        "IF  2 POINTS OR MORE OF 3                    38 of 41 rows, about 0.90 on new ones",
        "       1 point   age > 61",
        "       1 point   cough",
        "       1 point   fever",
        " OR (age > 61 AND body_aches AND chills)     15 of 17 rows, about 0.80 on new ones",
        "THEN flu = yes                               ELSE no   16 of 18 rows, about 0.80 on new ones",
    ]
    assert FLU.render("points") == FLU.render("text")


def test_weighted_rows_are_called_so():
    target = ClassTarget("flu", ("no", "yes"), weighted=True)
    text = str(Rule(target, FLU.branches, FLU.otherwise, FLU.support))
    assert "38 of 41 rows (weighted), about 0.90 on new ones" in text


def test_long_clauses_are_broken_after_an_and_and_their_numbers_stay_in_the_column():
    names = [f"column_{letter}_with_a_long_name" for letter in "abcd"]
    rule = Dnf([Clause(map(yes, names)), Clause([yes("x")])])
    columns = {name: column_of([True, False]) for name in [*names, "x"]}
    text = str(counted("y", ["no", "yes"], {"yes": rule}, columns, np.eye(2)[[1, 0]]))
    wide = "IF  (column_a_with_a_long_name AND column_b_with_a_long_name AND     "
    assert text.splitlines() == [
        f"{'IF  (x)':{len(wide)}}1 of 1 rows, about 0.67 on new ones",
        f"{wide.replace('IF ', ' OR')}0 of 0 rows, about 0.67 on new ones",
        "     column_c_with_a_long_name AND column_d_with_a_long_name)",
        f"{'THEN y = yes':{len(wide)}}ELSE no   1 of 1 rows, about 0.67 on new ones",
    ]


def test_a_long_first_line_of_several_classes_keeps_the_column_of_classes():
    """The letters of ELSE IF were not counted in the line, so that its ``kind =`` stood elsewhere."""
    names = [f"column_{letter}_longer" for letter in "abcdef"]
    columns = {name: column_of([True, False, True]) for name in names}
    conditions = {"a": Dnf([Clause(map(yes, names))]), "b": Dnf([Clause([yes(names[0])])]), "c": FALSE}
    lines = str(counted("kind", "abc", conditions, columns, np.eye(3)[[0, 1, 2]])).splitlines()
    assert max(line.find("kind = ") for line in lines) > 68
    assert len({line.find("kind = ") for line in lines if "kind = " in line}) == 1


def test_text_can_carry_a_note_on_accuracy():
    note = "accuracy 0.91 ± 0.03 (cross-validated)"
    assert FLU.render(note=note).splitlines()[-1] == note
    for form in ("markdown", "html", "latex"):
        assert "0.91 ± 0.03" in FLU.render(form, note=note)


def test_a_note_stands_below_the_classes_that_are_never_predicted():
    rule = counted("y", ["no", "yes"], {"yes": FALSE}, {}, np.eye(2)[[0, 1, 0]])
    never, note = "never predicted: yes, 33 % of the rows", "accuracy 0.67"
    assert rule.render(note=note).splitlines()[-2:] == [never, note]
    assert rule.render("markdown", note=note).endswith(f"\n\n{never}\n\n{note}\n")
    assert f'<p class="nri-note">{never}</p>\n<p class="nri-note">{note}</p>' in rule.render(
        "html", note=note
    )
    escaped = never.replace("%", r"\%")
    assert rule.render("latex", note=note).endswith(f"\n\n{escaped}\n\n{note}\n")


@pytest.mark.parametrize(
    ("rows", "percent"), [((0, 9), "100"), ((1, 999), "99.9"), ((1, 99), "99"), ((9999, 1), "0.01")]
)
def test_a_class_of_nearly_all_rows_is_not_called_all_of_them(rows, percent):
    """It was ``1e+02 % of the rows``."""
    shares = Shares("no", rows, [0.9, 0.1])
    rule = Rule(ClassTarget("y", ("no", "yes")), [], shares, shares)
    assert str(rule).splitlines()[-1] == f"never predicted: yes, {percent} % of the rows"


def test_several_classes_print_in_the_order_of_deciding():
    columns = {"x": column_of([1, 5, 9]), "y": column_of([True, None, False])}
    conditions = {"a": Dnf([Clause([Literal("x", Op.LE, 3)])]), "b": Dnf([Clause([yes("y")])]), "c": FALSE}
    rule = counted("kind", "abc", conditions, columns, np.eye(3)[[0, 1, 2]])
    assert str(rule).splitlines() == [
        "IF      (x <= 3)     kind = a   1 of 1 rows, about 0.56 on new ones",
        "ELSE IF (y)          kind = b   0 of 0 rows, about 0.39 on new ones",
        "ELSE                 kind = b   1 of 2 rows, about 0.42 on new ones",
        "never predicted: c, 33 % of the rows",
    ]


@given(cases(min_literals=1))
def test_the_first_line_that_holds_decides(case):
    """Lines were grouped by class, and "the clause with the highest estimated precision" decided."""
    schema, rule, table = case
    columns = columns_of(schema, table)
    lines = outline_of(rule, RenderOptions()).lines
    for m, value in enumerate(rule.predict(columns)):
        holds = (x for x in lines if x.clause is None or rule_truth(Dnf([x.clause]), columns)[m])
        assert next(holds).cells[0] == rule.predicts.cells(Shares(value, *[[1] * len(rule.classes)] * 2))[0]


def test_rules_without_clauses_or_literals_are_written_in_words():
    never = counted("y", ["no", "yes"], {"yes": FALSE}, {}, np.eye(2)[[0, 1, 0]])
    assert str(never).splitlines() == [
        "ALWAYS     y = no   2 of 3 rows, about 0.67 on new ones",
        "never predicted: yes, 33 % of the rows",
    ]
    always = counted("y", ["no", "yes"], {"yes": TRUE}, {}, np.eye(2)[[1]])
    assert str(always) == "ALWAYS     y = yes   1 of 1 rows, about 1.00 on new ones"
    assert always.render("markdown").splitlines()[-1] == "| always | *any row* | **yes** | 1 of 1 | 1.00 |"
    assert always.render("sql").splitlines()[1:] == ["'yes'"]
    assert "if " not in always.render("python")
    for form in set(FORMATS) - {"json"}:
        assert "(always)" not in always.render(form), "it was a clause once: IF (always) ... ELSE no"


def test_a_clause_that_always_holds_is_kept_where_others_come_before_it():
    columns = {"x": column_of([True, True, False, False])}
    conditions = {"b": Dnf([Clause([yes("x")])]), "a": TRUE}
    rule = counted("y", "abc", conditions, columns, np.eye(3)[[1, 1, 0, 2]])
    assert "(x)" in str(rule)
    assert "(always)" in str(rule)


@pytest.mark.parametrize(
    ("literals", "words"),
    [
        ([Literal("age", Op.GT, 3), Literal("age", Op.LE, 7)], "3 < age <= 7"),
        ([Literal("c", Op.NE, "red"), Literal("c", Op.NE, "blue")], "c not in {blue, red}"),
        ([Literal("c", Op.NE, "red")], "c != red"),
        ([Literal("c", Op.EQ, "light blue")], "c = light blue"),
        ([Literal("c", Op.EQ, "")], 'c = ""'),
        ([Literal("c", Op.EQ, "12")], 'c = "12"'),
        ([Literal("c", Op.EQ, 12)], "c = 12"),
        ([Literal("c", Op.EQ, "a AND b")], 'c = "a AND b"'),
        ([Literal("not me", Op.NE, True)], 'NOT "not me"'),
        ([Literal("two\nlines", Op.GT, 0.5)], '"two\\nlines" > 0.5'),
        ([Literal("petal length (cm)", Op.LE, 2.45)], "petal length (cm) <= 2.45"),
        ([Literal("2021", Op.GT, 110)], '"2021" > 110'),
        ([Literal("18-30", Op.EQ, True)], '"18-30"'),
        ([], "always"),
    ],
)
def test_clauses_read_as_a_person_would_say_them(literals, words):
    assert phrase_clause(Clause(literals)) == words


def test_a_name_that_is_a_number_does_not_read_as_arithmetic():
    """A table with columns 2019, 2020, 2021 gave ``IF (2021 > 110)``, one without names ``THEN 1 = true``."""
    columns = {"2021": column_of([100.0, 120.0])}
    rule = Dnf([Clause([Literal("2021", Op.GT, 110)])])
    rule = counted("1", (False, True), {True: rule}, columns, np.eye(2))
    assert '("2021" > 110)' in rule.render("text")
    assert 'THEN "1" = true' in rule.render("text")
    assert '| "2021" > 110 |' in rule.render("markdown")


def test_dates_lose_an_idle_midnight_only():
    assert phrase_value(Literal("d", Op.GT, np.datetime64("2024-05-01")).value) == "2024-05-01"
    assert phrase_value(Literal("d", Op.GT, np.datetime64("2024-05-01T12:30")).value) == "2024-05-01 12:30:00"


@given(cases(min_literals=1))
def test_no_name_or_value_can_break_the_lines_of_text(case):
    _, rule, _ = case
    lines = str(rule).splitlines()
    broken = [line for line in lines if re.match("     (?!OR )", line)]  # only ever after an AND
    notes = [line for line in lines if line.startswith("never predicted: ")]
    settled = rule.reduced
    missing = {label for label, rows in zip(rule.classes, rule.support.counts, strict=True) if rows} - {
        one.value for one in settled.estimates
    }
    assert len(notes) == bool(missing)
    assert len(lines) - len(broken) - len(notes) == len(settled.branches) + 1
    assert all(line.isprintable() for line in lines)


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.open, self.text = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, "tags are nested"

    def handle_data(self, data):
        self.text.append(data)


@given(cases(min_literals=1))
def test_html_is_well_formed_and_free_of_injected_tags(case):
    _, rule, _ = case
    page = Page()
    page.feed(rule.render("html"))
    page.close()
    assert not page.open
    assert page.tags <= {"div", "table", "thead", "tbody", "tr", "th", "td", "span", "em", "strong", "p"}
    shown = "".join(page.text)
    for name in rule.columns:
        assert bare_name(name) in shown


@given(cases())
def test_markdown_rows_keep_their_five_cells(case):
    _, rule, _ = case
    for line in rule.render("markdown").splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 6


@given(text)
def test_latex_escapes_all_that_is_special(name):
    columns = {name: column_of([True])}
    rule = counted(name, ["no", "yes"], {"yes": Dnf([Clause([yes(name)])])}, columns, np.eye(2)[[1]])
    row = next(line for line in rule.render("latex").splitlines() if line.startswith("if & "))
    clause = row.removeprefix("if & ").removesuffix(r" & \textbf{yes} & 1 of 1 & 1.00 \\")
    plain = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]", "", clause)
    assert not set(plain) & set("\\&%$#_{}~^<>|")


def test_every_format_is_registered_under_its_name():
    assert set(FORMATS) == {
        "text",
        "points",
        "markdown",
        "html",
        "latex",
        "json",
        "sql",
        "python",
        "prolog",
        "asp",
    }


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_names_the_columns_and_ends_its_last_line(form):
    written = FLU.render(form)
    assert "fever" in written
    assert "chills" in written
    assert written.endswith("\n") or form in ("text", "points")


def test_an_unknown_format_is_refused_with_those_there_are():
    with pytest.raises(InputError, match="no format 'xml': use one of text, points, markdown"):
        FLU.render("xml")


def test_wide_letters_are_aligned_by_what_they_take_on_screen():
    columns = {"発熱": column_of([True, False]), "cough": column_of([False, True])}
    rule = Dnf([Clause([yes("発熱")]), Clause([yes("cough")])])
    first, second, _ = str(counted("y", "ab", {"b": rule}, columns, np.eye(2)[[1, 1]])).splitlines()
    assert first.index("1 of 1 rows") == second.index("1 of 1 rows") - 2, "two letters take four places"
