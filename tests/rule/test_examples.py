"""Small functions of the rule package, each by an example."""

import datetime as dt

import numpy as np

from nri.rule import Clause, Dnf, Literal, Op, column_of, rule_truth
from nri.rule.explain import tally
from nri.rule.labels import spelled
from nri.rule.literal import plain_value
from nri.rule.phrase import bare_name, number, phrase_name, phrase_percent, phrase_share, unquoted
from nri.rule.regions import can_fire
from nri.rule.render.as_logic import atom, string
from nri.rule.render.as_text import display_width
from nri.rule.render.sql import label_type, microseconds_of, table_parts
from nri.rule.render.sql_dialects import dialect_of, float_literal, identifier, text_literal
from nri.rule.truth import (
    deciding_order,
    enough_hold,
    estimated_precision,
    favour,
    first_to_fire,
    shrink,
)

ONE_OF_TWO = Clause([Literal("age", Op.GT, 50), Literal("fever", Op.EQ, True)], at_least=1)


def test_none_is_an_unknown_cell():
    assert column_of(["red", None]).known.tolist() == [True, False]


def test_a_counting_clause_can_fire_where_one_of_its_members_fails():
    assert can_fire(ONE_OF_TWO, Clause([Literal("age", Op.LE, 40)]))


def test_a_count_says_how_many_hold_and_how_many_are_needed():
    assert tally(ONE_OF_TWO, 0) == "0 of 2 hold, 1 is needed"


def test_labels_are_spelled_without_quotes():
    assert [spelled(one) for one in (True, np.False_, 1, "True")] == ["true", "false", "1", "True"]


def test_values_have_one_spelling():
    assert plain_value(np.float64(3.0)) == 3
    assert plain_value(dt.date(2024, 5, 1)) == dt.datetime(2024, 5, 1)


def test_names_that_could_be_misread_are_quoted():
    assert [phrase_name(one) for one in ("petal length (cm)", "x1")] == ["petal length (cm)", "x1"]
    assert [phrase_name(one) for one in ("a = b", "two\nlines")] == ['"a = b"', '"two\\nlines"']
    assert [phrase_name(one) for one in ("2021", "18-30")] == ['"2021"', '"18-30"']
    assert unquoted(r'"C:\\new \"price\""') == 'C:\\new "price"'


def test_names_that_something_else_bounds_are_quoted_only_if_they_are_blank():
    assert [bare_name(one) for one in ('a = "b"', "two\nlines", " ")] == ['a = "b"', "two\\nlines", '" "']


def test_only_all_rows_are_all_and_no_row_is_none():
    assert [phrase_share(one) for one in (0.5, 0.9961, 0.99999, 1.0)] == ["0.50", "0.996", "0.999", "1.00"]
    assert [phrase_percent(one) for one in (0.158, 0.0042, 0.9999, 1.0)] == ["16", "0.42", "99.9", "100"]


def test_counts_have_a_decimal_only_where_they_need_one():
    assert (number(41.0), number(40.25)) == ("41", "40.2")


def test_quotes_and_line_ends_are_escaped_in_logic_programs():
    assert (atom("it's"), atom("two\nlines")) == (r"'it\'s'", r"'two\xa\lines'")
    assert string('say "hi"\n') == r'"say \"hi\"\n"'


def test_wide_letters_take_two_cells_of_a_terminal():
    assert (display_width("fever"), display_width("発熱")) == (5, 4)


def test_dates_are_microseconds_since_1970():
    assert microseconds_of(dt.datetime(1970, 1, 2)) == 86_400_000_000


def test_a_column_can_hold_its_longest_label():
    assert label_type(["no", "maybe"], dialect_of("oracle")) == "VARCHAR2(5)"


def test_a_dot_separates_schema_and_table_unless_it_is_in_quotes():
    assert table_parts("clinic.visits") == ("clinic", "visits")
    assert table_parts('clinic."visits.2024"') == ("clinic", "visits.2024")


def test_names_texts_and_floats_are_quoted_by_dialect():
    mysql = dialect_of("mysql")
    assert mysql.product == "MySQL and MariaDB"
    assert (identifier('a"b'), identifier("a`b", mysql)) == ('"a""b"', "`a``b`")
    assert (text_literal("it's"), text_literal("back\\", mysql)) == ("'it''s'", "'back\\\\'")
    assert (float_literal(0.1), float_literal(3)) == ("0.1e0", "3.0e0")


def test_a_clause_fires_where_enough_of_its_literals_hold():
    a, b, c = np.array([True, True]), np.array([True, False]), np.array([False, False])
    assert enough_hold([a, b, c], 2).tolist() == [True, False]


def test_an_unknown_cell_makes_no_clause_fire():
    rule = Dnf([Clause([Literal("age", Op.GT, 61)])])
    assert rule_truth(rule, {"age": column_of([70, 50, None])}).tolist() == [True, False, False]


def test_clauses_decide_in_the_order_of_their_shrunken_precision():
    assert estimated_precision(8.0, 8.0, 0.5) == 0.9
    assert deciding_order(np.array([0.5, 0.9, 0.5]), np.array([1, 1, 0])).tolist() == [1, 2, 0]
    assert first_to_fire(np.array([[False, True], [False, False]])).tolist() == [1, 2]


def test_counts_are_shrunk_towards_the_prior_and_the_decided_class_leads():
    assert shrink([0, 8], [1.0, 1.0]).tolist() == [0.1, 0.9]
    assert favour(np.array([0.6, 0.4]), 1, [3, 3]).round(3).tolist() == [0.5, 0.5]
    assert favour(np.array([0.2, 0.8]), 1, [3, 3]).tolist() == [0.2, 0.8]
    assert favour(np.array([0.6, 0.4]), 1, [3, 2]).tolist() == [0.6, 0.4], (
        "decided against the rows, by costs"
    )
