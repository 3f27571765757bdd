import itertools

import numpy as np
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_strategies import dnfs, equivalent, schemas, typed_column

from nri.rule import (
    FALSE,
    TRUE,
    Clause,
    ColumnDomain,
    Dnf,
    Kind,
    Literal,
    Op,
    column_of,
    difference,
    implies,
    rule_truth,
)


def dnf(*clauses):
    return Dnf(Clause(clause) for clause in clauses)


A, B = Literal("a", Op.EQ, True), Literal("b", Op.EQ, True)
OVER_3, OVER_5 = Literal("x", Op.GT, 3), Literal("x", Op.GT, 5)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (dnf([A], [A.negate(), B]), dnf([A], [B]), True),
        (dnf([A], [A.negate()]), TRUE, True),
        (dnf([A, A.negate()]), FALSE, True),
        (dnf([OVER_3, OVER_5]), dnf([OVER_5]), True),
        (dnf([OVER_3], [OVER_5]), dnf([OVER_5]), False),
        (dnf([OVER_3.negate()], [OVER_5]), TRUE, False),
        (dnf([OVER_5.negate()], [OVER_3]), TRUE, True),
        (dnf([A]), dnf([B]), False),
        (TRUE, FALSE, False),
        (TRUE, TRUE, True),
    ],
    ids=str,
)
def test_logic_with_ordered_thresholds(first, second, same):
    assert equivalent(first, second) is same
    assert equivalent(second, first) is same


def test_unknown_cells_separate_rules_that_logic_calls_equal():
    first, second = dnf([A], [A.negate(), B]), dnf([A], [B])
    assert difference(first, second, unknown_cells=True) == {"a": None, "b": True}
    assert equivalent(first, second)


def test_categories_exclude_each_other_and_closed_sets_have_no_more():
    red, blue = (Literal("colour", Op.EQ, colour) for colour in ("red", "blue"))
    assert equivalent(dnf([red, blue]), FALSE)
    assert not equivalent(dnf([red], [blue]), TRUE)
    assert equivalent(dnf([red], [blue]), TRUE, {"colour": ColumnDomain(["red", "blue"])})


def test_a_count_is_the_disjunction_of_its_smallest_selections():
    members = [Literal(f"x{i}", Op.GT, i) for i in range(9)]
    count = Dnf([Clause(members, 6)])
    listed = dnf(*itertools.combinations(members, 6))
    assert equivalent(count, listed)
    assert implies(Dnf([Clause(members, 7)]), count)
    row = difference(count, Dnf(listed.clauses[1:]))
    assert sum(row[f"x{i}"] > i for i in range(9)) == 6
    assert all(row[x.column] > x.value for x in listed.clauses[0])


def test_implication_is_one_way():
    assert implies(dnf([OVER_5]), dnf([OVER_3]))
    assert not implies(dnf([OVER_3]), dnf([OVER_5]))
    assert implies(FALSE, dnf([A]))


def test_a_difference_is_a_row_on_which_one_rule_fires():
    row = difference(dnf([OVER_3]), dnf([OVER_5]))
    assert 3 < row["x"] <= 5


@st.composite
def two_rules(draw):
    schema = draw(schemas(max_columns=3))
    first = draw(dnfs(schema, max_size=3))
    second = draw(dnfs(schema, max_size=3) | st.just(first))
    closed = {name: draw(st.booleans()) for name in schema}
    return schema, first, second, closed


@settings(max_examples=usually(33, 100))
@given(two_rules(), st.booleans())
def test_search_and_brute_force_agree(case, unknown_cells):
    schema, first, second, closed = case
    domain = {
        name: ColumnDomain(pool if closed[name] or kind is Kind.BOOLEAN else None)
        for name, (kind, pool) in schema.items()
    }
    row = difference(first, second, domain, unknown_cells=unknown_cells)
    if row is not None:
        columns = {name: typed_column(schema[name][0], [cell]) for name, cell in row.items()}
        assert rule_truth(first, columns, 1)[0] != rule_truth(second, columns, 1)[0]
    assert (row is None) == brute_force(schema, first, second, closed, unknown_cells)


def brute_force(schema, first, second, closed, unknown_cells) -> bool:
    """Compare on every combination of pool values and, where a column is open, values around them."""
    options = []
    for name, (kind, pool) in schema.items():
        cells = list(pool)
        if not closed[name] and kind is Kind.NUMBER:
            floats = sorted(float(value) for value in pool)
            cells += [-np.inf, np.inf, *(np.nextafter(value, np.inf) for value in floats)]
        if not closed[name] and kind is Kind.TEXT:
            cells.append("none of the " + "".join(pool))
        if not closed[name] and kind is Kind.DATE:
            moments = np.array(sorted(pool), dtype="datetime64[us]")
            cells = list(np.concatenate([moments - 1, moments, moments + 1]))
        options.append(cells + [None] * unknown_cells)
    rows = list(itertools.product(*options))
    columns = {name: typed_column(schema[name][0], [row[i] for row in rows]) for i, name in enumerate(schema)}
    return bool((rule_truth(first, columns) == rule_truth(second, columns)).all())


def test_rules_of_many_columns_are_decided():
    names = [f"x{i}" for i in range(40)]
    yes = [Literal(name, Op.EQ, True) for name in names]
    parity_like = Dnf([Clause([a, b.negate()]) for a, b in itertools.pairwise(yes)])
    rotated = Dnf([Clause([b.negate(), a]) for a, b in reversed(list(itertools.pairwise(yes)))])
    assert equivalent(parity_like, rotated)
    row = difference(parity_like, Dnf([*parity_like, Clause(yes)]))
    assert row == dict.fromkeys(names, True)


def test_a_chain_that_only_logic_can_see_through():
    """Some step from true to false exists whenever the first is true and the last is false."""
    yes = [Literal(f"x{i}", Op.EQ, True) for i in range(30)]
    steps = [Clause([a, b.negate()]) for a, b in itertools.pairwise(yes)]
    ends = Clause([yes[0], yes[-1].negate()])
    assert implies(Dnf([ends]), Dnf(steps))
    assert not equivalent(Dnf([ends, *steps]), Dnf(steps), unknown_cells=True)
    assert not implies(Dnf([ends]), Dnf(steps[1:]))


def test_no_possible_row_makes_all_rules_equal():
    nothing = {"a": ColumnDomain([])}
    assert equivalent(dnf([A]), TRUE, nothing)


def test_columns_of_one_value_are_understood():
    constant = {"a": ColumnDomain([True])}
    assert equivalent(dnf([A]), TRUE, constant)
    assert not equivalent(dnf([A]), TRUE, constant, unknown_cells=True)
    assert rule_truth(dnf([A]), {"a": column_of([True])}).all()
