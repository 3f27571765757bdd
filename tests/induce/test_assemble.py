import numpy as np
from made_tables import table_of_columns

from nri.induce.assemble import assemble, literal_meanings
from nri.induce.settings import Settings
from nri.rule import ColumnDomain, Literal, Op, column_of
from nri.search.result import Induced
from nri.table import Table


def induced_rules(rules, default) -> Induced:
    """Rules in index space; what they cover is counted anew, so nothing else matters here."""
    branches = tuple((c, clause) for c, rule in enumerate(rules) for clause in rule)
    return Induced(len(rules), branches, default, 0.0, 0.0)


def support(colours, codes, weights=None) -> Table:
    return table_of_columns({"colour": column_of(colours)}, codes, target="liked", weights=weights)


COLOURS = [Literal("colour", Op.EQ, colour) for colour in ("blue", "green", "red")]
DOMAIN = {"colour": ColumnDomain(["blue", "green", "red"])}


def test_rows_are_counted_anew_after_simplifying():
    meanings = literal_meanings(COLOURS, DOMAIN)
    rows = support(["red", "green", "blue", None], [1, 1, 0, 0], [2.0, 1.0, 1.0, 1.0])
    rule = assemble(induced_rules(((), ((1,), (2,))), 0), meanings, DOMAIN, rows, Settings())
    assert str(rule.conditions("yes")) == "(colour != blue)"
    assert [estimate.counts for estimate in rule.estimates] == [(0.0, 3.0), (2.0, 0.0)]


def test_the_clause_that_explains_most_rows_is_read_first():
    meanings = literal_meanings(COLOURS, {})
    rows = support(["red", "green", "green", "blue"], [1, 1, 1, 0])
    rule = assemble(induced_rules(((), ((2,), (1,))), 0), meanings, {}, rows, Settings())
    assert [str(clause) for clause in rule.clauses] == ["colour = green", "colour = red"]


def test_a_simpler_rule_that_decides_a_row_wrongly_is_not_taken():
    """Merged clauses have one precision, so a conflict between classes can be settled otherwise."""
    classes = ("a", "b")
    columns = {
        "colour": column_of(["red"] * 9 + ["green"] * 4 + ["blue"]),
        "x": column_of([True] * 13 + [False]),
    }
    codes = np.array([1] * 9 + [0, 0, 0, 1] + [0])
    rows = table_of_columns(columns, codes, classes)
    literals = literal_meanings([*COLOURS, Literal("x", Op.EQ, True)], DOMAIN)
    rules = (((1, 3),), ((1,), (2,)))  # a: green and x; b: green, red
    rule = assemble(induced_rules(rules, 0), literals, DOMAIN, rows, Settings())
    assert (rule.predict_index(columns) == codes).sum() == 13


def test_the_negation_of_one_of_two_categories_names_the_other():
    sex = Literal("sex", Op.EQ, "m")
    assert literal_meanings([sex], {"sex": ColumnDomain(["f", "m"])})[1] == Literal("sex", Op.EQ, "f")
    assert literal_meanings([sex], {"sex": ColumnDomain(["d", "f", "m"])})[1] == sex.negate()
    assert literal_meanings([sex], {})[1] == sex.negate()
