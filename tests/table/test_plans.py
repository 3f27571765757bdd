"""Plans: what was fitted is what is predicted, whatever the cells at hand happen to look like."""

import datetime as dt
import io
import logging
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from effort import usually
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rule_strategies import counted

from nri import NRIClassifier, read_table
from nri.errors import InputError
from nri.rule import Clause, Column, Dnf, Kind, Literal, Op, Rule, from_json
from nri.rule.column import ColumnPlan
from nri.table import read_columns, table_of
from nri.table.by_plan import read_by
from nri.table.cells import TextCells, text_cells
from nri.table.codes import ReadOptions
from nri.table.frames import typed_texts
from nri.table.source import understand


@pytest.fixture
def _quiet() -> Iterator[None]:
    """Examples of a property have much to say about their cells."""
    logger = logging.getLogger("nri")
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(logging.NOTSET)


def rule_about(name: str, column: Column, plan: ColumnPlan) -> Rule:
    """A rule that reads a column by a plan."""
    values: dict[Kind, tuple[Op, object]] = {
        Kind.BOOLEAN: (Op.EQ, True),
        Kind.NUMBER: (Op.GT, 0.5),
        Kind.DATE: (Op.GT, dt.datetime(2023, 2, 1)),
        Kind.TEXT: (Op.EQ, (plan.categories or ("a",))[0]),
    }
    op, value = values[plan.kind]
    rules = {"yes": Dnf([Clause([Literal(name, op, value)])])}  # type: ignore[arg-type]  # one of each kind
    made = counted("y", ("no", "yes"), rules, {name: column}, np.ones((len(column), 2)))
    return made.with_plans({name: plan})


def plan_from_json(column: Column, plan: ColumnPlan) -> ColumnPlan:
    """The plan as a reader of the rule's file sees it."""
    return from_json(rule_about("c", column, plan).render("json")).plans["c"]


def assert_same(left: Column, right: Column) -> None:
    assert left.kind is right.kind
    assert left.known.tolist() == right.known.tolist()
    assert [left.cell(row) for row in range(len(left))] == [right.cell(row) for row in range(len(right))]


AMOUNTS = st.integers(-99_999, 9_999_999).map(lambda cents: cents / 100)
DAYS = st.dates(dt.date(2019, 1, 1), dt.date(2026, 12, 31))
DRESSES = [
    lambda x: f"{x:.2f}", lambda x: f"{x:.0f}", lambda x: f"{x:.2f} kg",
    lambda x: f"{x:.3f}".replace(".", ","),
    lambda x: f"{x:.2f}".replace(".", ",") + " kg", lambda x: f"{x:,.2f}", lambda x: f"${abs(x):,.0f}",
    lambda x: f"{x:,.2f}".replace(",", " "), lambda x: f"~{abs(x):.1f}", lambda x: f"{x:.1f}*",
    lambda x: f"<{abs(x):.0f}", lambda x: f">{abs(x):.0f}", lambda x: f"({abs(x):.2f})", lambda x: f"{x:.1e}",
    lambda x: f",{abs(x) % 1 * 100:.0f}",
]  # fmt: skip
FORMATS = ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%b-%y", "%B %d, %Y", "%Y-%m", "%d/%m/%y %H:%M"]
WORDS = ["yes", "YES", " yes", "no", "f", "F", "none", "-", "n.a.", "unknown", "pending", "", "A12", "true",
         "FALSE", "0", "1", "1.0", "01", "12A", "5more", "1-3", "?", "inf", "two\nlines"]  # fmt: skip
NUMBERS = st.one_of([st.builds(dress, AMOUNTS) for dress in DRESSES])
DATES = st.one_of([DAYS.map(lambda day, form=form: day.strftime(form)) for form in FORMATS])


@st.composite
def texts(draw: st.DrawFn) -> list[str]:
    """A column: cells of one make mostly, with some of another between them."""
    one = draw(st.sampled_from(DRESSES))
    form = draw(st.sampled_from(FORMATS))
    makes = [
        st.builds(one, AMOUNTS),
        DAYS.map(lambda day: day.strftime(form)),
        st.sampled_from(WORDS),
        st.sampled_from(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))),
        NUMBERS,
        DATES,
    ]
    mostly, other = draw(st.sampled_from(makes)), draw(st.sampled_from(makes))
    cells = draw(st.lists(mostly, min_size=1, max_size=16)) + draw(st.lists(other, max_size=5))
    return draw(st.permutations(cells))


@pytest.mark.usefixtures("_quiet")
@settings(max_examples=usually(100, 300))
@given(texts(), st.booleans(), st.booleans(), st.booleans())
@example(["0", "1", "~1"], True, False, False)
@example(["1", ",5", "2,5"], True, False, True)
@example(
    ["-"] * 9 + ["1", "2", "3", "4", "5", "6", *["lost", "late", "gone", "torn", "wet"]], True, False, False
)
def test_a_column_reads_by_its_plan_as_it_was_read_when_the_plan_was_made(
    column: list[str], loose: bool, exact: bool, decimal_comma: bool
) -> None:
    """Cells of new rows were looked at anew: what was a number in one table was a word in the next."""
    objects = np.array(column, dtype=object)
    cells: TextCells = text_cells(objects) if loose else typed_texts(objects)
    first = understand(cells, "x", ReadOptions(exact=exact), decimal_comma=decimal_comma)
    assert_same(read_by(cells, first.plan, "c").column, first.column)
    assert_same(read_by(cells, plan_from_json(first.column, first.plan), "c").column, first.column)


@pytest.mark.usefixtures("_quiet")
@settings(max_examples=usually(20, 60))
@given(texts(), st.data())
def test_any_rows_of_a_column_read_by_its_plan_as_among_all_or_are_refused_as_strange(
    column: list[str], data: st.DataObject
) -> None:
    """Numbers and categories are read cell by cell: neighbours have no say."""
    cells = text_cells(np.array(column, dtype=object))
    first = understand(cells)
    if first.plan.kind is Kind.DATE:  # of dates in two formats, the most frequent one is meant
        return
    rows = data.draw(st.lists(st.integers(0, len(column) - 1), min_size=1, max_size=4))
    part = text_cells(np.array([column[row] for row in rows], dtype=object))
    try:
        found = read_by(part, first.plan, "c").column
    except InputError:
        assert not first.column.known[rows].all()
    else:
        assert_same(found, first.column.take(np.array(rows)))


KILOS = [f"{2 + i / 100:.2f} kg".replace(".", ",") for i in range(50)]
HEAVY = ["heavy" if i >= 25 else "light" for i in range(50)]


def test_what_a_comma_means_is_kept_with_the_rule() -> None:
    """Fitted on ``2,25 kg``, predict took ``2,250 kg`` for more than two tons."""
    clf = NRIClassifier(model="greedy").fit(pd.DataFrame({"weight": KILOS}), HEAVY)
    plan = clf.rule_.plans["weight"]
    assert (plan.kind, plan.decimal, plan.unit) == (Kind.NUMBER, ",", ("", "kg"))
    for rules in (clf.rule_, from_json(clf.rule_.render("json"))):
        for cells in (["2,100 kg", "2,400 kg"], ["2,100 kg", "2,400 kg", "2,300 kg"]):
            column = rules.read(pd.DataFrame({"weight": cells}))["weight"]
            assert column.values.tolist() == [float(cell[:5].replace(",", ".")) for cell in cells]
        new = pd.DataFrame({"weight": ["2,100 kg", "2,400 kg"]})
        assert rules.predict(new).tolist() == ["light", "heavy"]


def test_a_tenth_of_odd_cells_leaves_a_rule_about_numbers() -> None:
    """One odd cell in ten made categories of a number column, and a rule about single numbers."""
    numbers = [f"{x}.5" for x in range(90)]
    frame = pd.DataFrame({"level": [*numbers, *["pending", "lost"] * 5]})
    labels = [x > 40 for x in range(90)] + [False] * 10
    file = io.StringIO(frame.assign(high=labels).to_csv(index=False))
    table = read_table(file)
    assert table.columns["level"].kind is Kind.NUMBER
    assert [str(note) for note in table.notes] == [
        "level: 10 of 100 cells are not numbers and are treated as missing, such as 'lost', 'pending'"
    ]
    clf = NRIClassifier(model="greedy").fit(frame, labels)
    assert str(clf.rule_.clauses[0]).startswith("level >")
    assert clf.predict(frame).tolist() == labels


@pytest.mark.parametrize("weighed_out", ["pending", "7 lb", "-"])
def test_rows_of_weight_zero_have_a_say_in_what_a_column_is_so_what_was_fitted_is_not_refused(
    weighed_out: str,
) -> None:
    """A column was read anew without its rows of weight zero; with them, predict refused the same table."""
    numbers = [f"{x}.5 kg" for x in range(40)]
    frame = pd.DataFrame({"weight": [*numbers, *[weighed_out] * 30]})
    labels = [x > 20 for x in range(40)] + [False] * 30
    clf = NRIClassifier(model="greedy").fit(frame, labels, sample_weight=[1] * 40 + [0] * 30)
    assert clf.predict(frame).tolist()[:40] == labels[:40]
    assert clf.rule_.support.rows == 40


@pytest.mark.usefixtures("_quiet")
@settings(max_examples=usually(8, 25))
@given(texts(), st.data())
def test_a_table_that_was_fitted_is_never_refused_by_predict(column: list[str], data: st.DataObject) -> None:
    n = len(column)
    labels = data.draw(st.lists(st.sampled_from(["a", "b"]), min_size=n, max_size=n))
    weights = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=n, max_size=n))
    frame = pd.DataFrame({"c": column, "x": np.arange(n) % 3 + 0.5})
    clf = NRIClassifier(model="greedy")
    try:
        clf.fit(frame, labels, sample_weight=weights)
    except InputError:
        return
    assert len(clf.predict(frame)) == n
    assert len(from_json(clf.rule_.render("json")).predict(frame)) == n


def test_a_table_reads_by_the_plans_of_another() -> None:
    """A table that was read before is not read again; its cells are recast where they can be."""
    plans = table_of({"flag": ["true", "false"] * 3, "code": ["1", "2", "3"] * 2}).plans
    columns = read_columns(table_of({"flag": [True, False], "code": [1, 7]}), plans)
    assert columns["code"].texts.tolist() == ["1", "7"]
    with pytest.raises(InputError, match=r"column 'code' holds a text .* where a number is expected"):
        read_columns(table_of({"code": ["a", "b"]}), {"code": ColumnPlan(Kind.NUMBER)})
