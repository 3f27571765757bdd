import datetime as dt
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_strategies import columns_of, dnfs, literals, n_rows, schemas, tables

from nri.errors import InputError
from nri.rule import (
    ALWAYS,
    FALSE,
    TRUE,
    Clause,
    Column,
    Dnf,
    Kind,
    Literal,
    Op,
    clause_matrix,
    clause_truth,
    column_of,
    literal_truth,
    rule_truth,
)
from nri.rule.column import row_count

COMPARE = {Op.EQ: operator.eq, Op.NE: operator.ne, Op.GT: operator.gt, Op.LE: operator.le}


@st.composite
def rule_and_table(draw):
    schema = draw(schemas())
    return schema, draw(dnfs(schema)), draw(tables(schema))


@given(rule_and_table())
def test_a_rule_fires_where_python_says_so_cell_by_cell(case):
    schema, rule, table = case
    expected = [
        any(
            sum(table[x.column][m] is not None and COMPARE[x.op](table[x.column][m], x.value) for x in clause)
            >= clause.at_least
            for clause in rule
        )
        for m in range(n_rows(table))
    ]
    assert rule_truth(rule, columns_of(schema, table)).tolist() == expected


@given(rule_and_table())
def test_a_literal_and_its_negation_share_the_known_cells(case):
    schema, rule, table = case
    columns = columns_of(schema, table)
    for literal in {literal for clause in rule for literal in clause}:
        holds, known = literal_truth(literal, columns)
        negated, also_known = literal_truth(literal.negate(), columns)
        assert (known == also_known).all()
        assert (holds ^ negated == known).all()


@given(rule_and_table(), st.randoms())
def test_row_and_column_order_are_irrelevant(case, random):
    schema, rule, table = case
    columns = columns_of(schema, table)
    order = np.array(random.sample(range(n_rows(table)), n_rows(table)))
    names = random.sample(list(columns), len(columns))
    moved = {name: columns[name].take(order) for name in names}
    assert (rule_truth(rule, moved) == rule_truth(rule, columns)[order]).all()


@given(st.lists(st.none() | st.booleans(), min_size=1))
def test_flipping_a_columns_coding_flips_its_literals(cells):
    flipped = [None if cell is None else not cell for cell in cells]
    yes, no = Literal("x", Op.EQ, True), Literal("x", Op.NE, True)
    assert (
        literal_truth(yes, {"x": column_of(cells)})[0] == literal_truth(no, {"x": column_of(flipped)})[0]
    ).all()


def test_boolean_literals_read_zero_one_numbers():
    columns = {"x": column_of([0.0, 1.0, None, 1])}
    assert literal_truth(Literal("x", Op.EQ, True), columns)[0].tolist() == [False, True, False, True]
    assert literal_truth(Literal("x", Op.NE, True), columns)[0].tolist() == [True, False, False, False]


def test_number_literals_read_booleans():
    columns = {"x": column_of([True, False, None])}
    assert literal_truth(Literal("x", Op.GT, 0.5), columns)[0].tolist() == [True, False, False]
    assert literal_truth(Literal("x", Op.EQ, 0), columns)[0].tolist() == [False, True, False]


def test_numbers_can_be_categories():
    columns = {"zone": column_of([1, 2, 3, None])}
    assert literal_truth(Literal("zone", Op.EQ, 2), columns)[0].tolist() == [False, True, False, False]
    assert literal_truth(Literal("zone", Op.NE, 2), columns)[0].tolist() == [True, False, True, False]


def test_always_fires_everywhere_and_false_nowhere():
    columns = {"x": column_of([None, 1.0])}
    assert clause_truth(ALWAYS, columns).all()
    assert rule_truth(TRUE, {}, n_rows=3).tolist() == [True] * 3
    assert not rule_truth(FALSE, columns).any()
    assert clause_matrix([], columns).shape == (2, 0)


def test_a_missing_column_is_named():
    with pytest.raises(InputError, match="column 'age' is missing"):
        rule_truth(Dnf([Clause([Literal("age", Op.GT, 3)])]), {"Age": column_of([4])})


@pytest.mark.parametrize("literal", [Literal("x", Op.GT, 3), Literal("x", Op.EQ, True)])
def test_a_column_of_another_kind_is_refused_unless_nothing_in_it_is_known(literal):
    with pytest.raises(InputError, match="column 'x' holds text cells"):
        literal_truth(literal, {"x": column_of(["4", None])})
    empty = {"x": Column(np.array([None, None], dtype=object), np.zeros(2, bool))}
    holds, known = literal_truth(literal, empty)
    assert not holds.any()
    assert not known.any()


def test_rows_must_be_countable_and_agree():
    with pytest.raises(InputError, match="pass n_rows"):
        row_count({})
    with pytest.raises(InputError, match="columns differ in length"):
        row_count({"a": column_of([1]), "b": column_of([1, 2])})


def test_unknown_cells_cannot_leak_into_results():
    column = Column(np.array(["red", "blue"], dtype=object), np.array([False, True]))
    assert column.texts.tolist() == [None, "blue"]
    assert column.values.tolist() == [-1, 0]
    assert column.categories == ("blue",)
    assert not Column(np.array([np.nan]), np.array([True])).known.any()
    assert column_of([None, dt.date(2024, 1, 1)]).cell(1) == dt.datetime(2024, 1, 1)
    assert column_of([float("inf")]).cell(0) == float("inf")


@pytest.mark.parametrize("cells", [["a", 1], [b"bytes"], [dt.date(2024, 1, 1), "x"]])
def test_cells_of_mixed_or_strange_kinds_are_refused(cells):
    with pytest.raises(InputError, match="a column"):
        column_of(cells)


def test_columns_check_shape_and_type():
    with pytest.raises(InputError, match="one known-flag for each cell"):
        Column(np.zeros(2), np.ones(3, bool))
    with pytest.raises(InputError, match="cannot hold complex"):
        Column(np.zeros(2, complex), np.ones(2, bool))
    with pytest.raises(InputError, match="a text column holds a int"):
        Column(np.array(["a", 1], dtype=object), np.ones(2, bool))


def test_every_kind_of_column_is_recognised():
    assert [column_of(cells).kind for cells in ([True], [1], ["a"], [dt.datetime(2024, 1, 1)])] == list(Kind)
    assert Column(np.array(["a", "b"]), np.ones(2, bool)).kind is Kind.TEXT
    assert Column(np.array([1, 2]), np.ones(2, bool)).values.dtype == np.float64


@given(schemas().flatmap(lambda schema: st.tuples(literals(schema), tables(schema), st.just(schema))))
def test_a_clause_of_one_literal_is_that_literal(case):
    literal, table, schema = case
    columns = columns_of(schema, table)
    assert (clause_truth(Clause([literal]), columns) == literal_truth(literal, columns)[0]).all()
