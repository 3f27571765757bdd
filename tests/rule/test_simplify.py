import numpy as np
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_strategies import columns_of, dnfs, equivalent, schemas, tables

from nri.errors import InputError
from nri.rule import (
    BOOLEAN,
    FALSE,
    TRUE,
    Clause,
    ColumnDomain,
    Dnf,
    Kind,
    Literal,
    Op,
    column_of,
    rule_truth,
    simplify,
)

COLOURS = {"colour": ColumnDomain(["red", "blue", "green"])}
A, B, C = (Literal(name, Op.EQ, True) for name in "abc")


def is_(colour):
    return Literal("colour", Op.EQ, colour)


def isnt(colour):
    return Literal("colour", Op.NE, colour)


def gt(value, column="x"):
    return Literal(column, Op.GT, value)


def le(value, column="x"):
    return Literal(column, Op.LE, value)


def dnf(*clauses):
    return Dnf(Clause(clause) for clause in clauses)


@pytest.mark.parametrize(
    ("rule", "simple"),
    [
        (dnf([gt(3), gt(5)]), dnf([gt(5)])),
        (dnf([gt(3)], [gt(5)]), dnf([gt(3)])),
        (dnf([le(3), le(5)]), dnf([le(3)])),
        (dnf([gt(5), le(3)]), FALSE),
        (dnf([A, A.negate()]), FALSE),
        (dnf([A, B], [A]), dnf([A])),
        (dnf([A], [B], [A]), dnf([A], [B])),
        (dnf([A, B], []), TRUE),
        (dnf([is_("red"), isnt("blue")]), dnf([is_("red")])),
        (dnf([is_("red"), is_("blue")]), FALSE),
        (dnf([isnt("red"), isnt("blue")]), dnf([isnt("red"), isnt("blue")])),
        (dnf([gt(3), Literal("x", Op.NE, 2)]), dnf([gt(3)])),
        (dnf([gt(3), Literal("x", Op.EQ, 4)]), dnf([Literal("x", Op.EQ, 4)])),
        (dnf([A, gt(3)], [A, gt(5), B]), dnf([A, gt(3)])),
        (dnf([gt(3), le(7)], [gt(5), le(9)]), dnf([gt(3), le(9)])),
        (dnf([gt(3), le(5)], [gt(5), le(9)]), dnf([gt(3), le(9)])),
        (dnf([gt(3), le(5)], [gt(6), le(9)]), dnf([gt(3), le(5)], [gt(6), le(9)])),
        (TRUE, TRUE),
        (FALSE, FALSE),
    ],
    ids=str,
)
def test_simple_forms_without_a_domain(rule, simple):
    assert simplify(rule) == simple


def some(at_least, *literals):
    return Dnf([Clause(literals, at_least)])


def either(*rules):
    return Dnf(clause for rule in rules for clause in rule)


@pytest.mark.parametrize(
    ("rule", "domain", "simple"),
    [
        (some(2, A, B, C), {}, some(2, A, B, C)),
        (some(2, gt(50), gt(60), A), {}, some(2, gt(50), gt(60), A)),
        (some(1, gt(50), gt(60), A), {}, some(1, gt(50), A)),
        (some(2, is_("red"), is_("blue")), {}, FALSE),
        (some(2, is_("red"), is_("blue"), is_("green")), {}, FALSE),
        (some(2, is_("red"), is_("blue"), A), {}, some(2, is_("red"), is_("blue"), A)),
        (some(2, is_("red"), is_("blue"), A), COLOURS, dnf([isnt("green"), A])),
        (some(1, A, A.negate()), {}, some(1, A, A.negate())),
        (either(some(2, A, B, C), dnf([A, B])), {}, some(2, A, B, C)),
        (either(some(2, A, B, C), dnf([A])), {}, dnf([A], [B, C])),
        (either(some(2, A, B, C), some(1, A, B, C)), {}, some(1, A, B, C)),
        (either(dnf([A, B, gt(5)]), some(2, A, B, gt(3))), {}, some(2, A, B, gt(3))),
    ],
    ids=str,
)
def test_a_count_is_shortened_only_where_that_changes_no_row(rule, domain, simple):
    assert simplify(rule, domain) == simple


def test_a_count_of_many_is_left_alone_in_good_time():
    members = [gt(0, f"x{i}") for i in range(14)]
    rule = either(some(7, *members), some(6, *members[:12]), dnf(members[:7]))
    assert simplify(rule) == either(some(7, *members), some(6, *members[:12]))


@pytest.mark.parametrize(
    ("rule", "simple"),
    [
        (dnf([isnt("red"), isnt("blue")]), dnf([is_("green")])),
        (dnf([is_("red")], [is_("blue")]), dnf([isnt("green")])),
        (dnf([A, is_("red")], [A, is_("blue")]), dnf([A, isnt("green")])),
        (dnf([isnt("red"), isnt("blue"), isnt("green")]), FALSE),
        (dnf([is_("mauve")]), FALSE),
    ],
    ids=str,
)
def test_a_closed_set_of_categories_allows_more(rule, simple):
    assert simplify(rule, COLOURS) == simple


def test_unknown_cells_forbid_some_steps_of_two_valued_logic():
    absorbed = dnf([A], [A.negate(), B])
    says_known = dnf([A], [A.negate()])
    assert simplify(absorbed) == absorbed
    assert simplify(says_known) == says_known
    columns = {"a": column_of([None]), "b": column_of([True])}
    assert not rule_truth(absorbed, columns)[0]
    assert rule_truth(dnf([A], [B]), columns)[0], "the shorter rule would fire on this row"


def test_a_clause_that_others_cover_together_is_dropped():
    consensus = dnf([A, B], [A.negate(), C], [B, C])
    assert simplify(consensus) == consensus, "with a unknown only the third clause fires"


def test_reading_order_is_kept():
    rule = dnf([B], [gt(3), gt(5)], [A])
    assert [str(clause) for clause in simplify(rule)] == ["b", "x > 5", "a"]


def test_authors_literals_are_kept_where_another_would_do():
    two = {"colour": ColumnDomain(["red", "green"])}
    assert simplify(dnf([isnt("red")]), two) == dnf([isnt("red")])
    assert simplify(dnf([A.negate()]), {"a": BOOLEAN}) == dnf([A.negate()])


def test_of_two_spellings_of_one_clause_the_first_stays():
    two = {"colour": ColumnDomain(["red", "green"])}
    assert simplify(dnf([isnt("red")], [is_("green")]), two) == dnf([isnt("red")])
    assert simplify(dnf([is_("green")], [isnt("red")]), two) == dnf([is_("green")])


def test_adjacent_floats_leave_nothing_between():
    low = 1.0
    high = float(np.nextafter(low, 2))
    rule = dnf([gt(low), le(high), Literal("x", Op.NE, high)])
    assert simplify(rule) == FALSE
    assert simplify(dnf([gt(low), le(high)])) == dnf([gt(low), le(high)])


def test_thresholds_on_a_closed_set_of_numbers():
    zones = {"x": ColumnDomain([1, 2, 3, 4])}
    assert sum(map(len, simplify(dnf([gt(2), gt(2.5)]), zones).clauses)) == 1
    assert simplify(dnf([gt(4)]), zones) == FALSE
    assert simplify(dnf([gt(1), le(3), Literal("x", Op.NE, 2)]), zones) == dnf([Literal("x", Op.EQ, 3)])
    assert simplify(dnf([gt(0)]), zones) == dnf([gt(0)]), "it still asks that x is known"


def test_boolean_and_number_literals_on_one_column_understand_each_other():
    yes, one = Literal("x", Op.EQ, True), Literal("x", Op.EQ, 1)
    assert sum(map(len, simplify(dnf([yes, one])).clauses)) == 1
    assert simplify(dnf([yes, gt(1)])) == FALSE


def test_mixed_kinds_on_one_column_are_refused():
    with pytest.raises(InputError, match="column 'x' is compared as number and as text"):
        simplify(dnf([gt(1)], [Literal("x", Op.EQ, "a")]))
    with pytest.raises(InputError, match="values mix"):
        ColumnDomain(["a", 1])


def test_a_column_without_any_value_silences_its_clauses():
    assert simplify(dnf([is_("red")], [A]), {"colour": ColumnDomain([])}) == dnf([A])
    assert simplify(dnf([is_("red")]), {"colour": ColumnDomain([])}) == FALSE


@st.composite
def rule_domain_table(draw):
    """A rule, a table within the domain, and a domain that may be closed."""
    schema = draw(schemas(max_columns=3))
    rule = draw(dnfs(schema, max_size=5))
    table = draw(tables(schema, max_rows=12))
    domain = {}
    for name, (kind, pool) in schema.items():
        closed = draw(st.booleans()) or kind is Kind.BOOLEAN
        if closed:
            table[name] = [cell if cell in pool else None for cell in table[name]]
        domain[name] = ColumnDomain(pool if closed else None)
    return schema, rule, domain, table


@settings(max_examples=usually(50, 150))
@given(rule_domain_table())
def test_simplifying_never_changes_where_a_rule_fires(case):
    schema, rule, domain, table = case
    simple = simplify(rule, domain)
    columns = columns_of(schema, table)
    assert (rule_truth(simple, columns) == rule_truth(rule, columns)).all()
    assert equivalent(simple, rule, domain, unknown_cells=True), "on rows that the table did not show"
    assert len(simple) <= len(rule)
    assert sum(map(len, simple.clauses)) <= sum(map(len, rule.clauses))
    assert simplify(simple, domain) == simple, "a simple rule stays as it is"


def test_large_rules_keep_their_meaning():
    rng = np.random.default_rng(0)
    literals = [Literal(f"x{i}", Op.EQ, bool(v)) for i in range(20) for v in (0, 1)]
    picks = [rng.choice(len(literals), 4, replace=False) for _ in range(60)]
    rule = Dnf(Clause(literals[i] for i in pick) for pick in picks)
    simple = simplify(rule)
    assert sum(map(len, simple.clauses)) <= sum(map(len, rule.clauses))
    assert equivalent(simple, rule)
