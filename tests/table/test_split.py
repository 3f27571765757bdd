"""Text files at the speed of pyarrow: what is read must be what the slow way reads."""

import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nri import read_table
from nri.errors import InputError
from nri.rule import Kind
from nri.table.cells import text_cells
from nri.table.codes import ReadOptions
from nri.table.delimited import is_intricate, read_delimited, split_text
from nri.table.source import open_source, understand
from nri.table.split import plain_numbers_of, split_long

cells = st.text(st.sampled_from('ab1.0- "\t,;é'), max_size=4)
quick = settings(max_examples=100, deadline=None)


@quick
@given(
    st.lists(st.lists(cells, min_size=1, max_size=3).map(",".join), min_size=2, max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([",", ";", "\t"]),
)
@example(["a,b", '"x, y",2', '"say ""hi""",3'], "\n", ",")
@example(["a", "", "1"], "\n", ",")
@example(["a,b", "1,2", "  ", "3,4"], "\n", ",")
@example(["a,b", '1, "x,y"'], "\n", ",")
@example(["a,b", 'x"y,"z"w'], "\n", ",")
def test_the_quick_way_splits_as_the_slow_one_or_not_at_all(lines, ending, delimiter):
    text = ending.join(lines)
    quickly = None if is_intricate(text, delimiter) else split_long(text, delimiter)
    if quickly is None:
        return
    try:
        slowly = split_text(text, "t.csv", delimiter)
    except InputError:
        pytest.fail("what the slow way refuses must not be split")
    assert [column.to_pylist() for column in quickly] == [column.tolist() for column in slowly]


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.sampled_from(["0", "1", "", "NA", "?", " 7", "7 ", "+3", "-0", "1e3", ".5", "5.", "0.50", "00.5"]),
    st.sampled_from(["007", "-01", "nan", "inf", "1e999", "1_0", "yes", "1,5", "\u0661", "0x1", "None"]),
)


@quick
@given(st.lists(numbers, min_size=1, max_size=6))
@example(["007", "8"])
@example(["", "NA"])
@example(["0", "1", ""])
def test_numbers_are_read_quickly_as_their_distinct_texts_would_be(texts):
    array = pa.array([*texts, "0"]).slice(0, len(texts))  # as a part of a longer column
    quickly = plain_numbers_of(array)
    if quickly is None:
        return
    slow, fast = understand(text_cells(np.array(texts, dtype=object))), understand(quickly)
    assert fast.plan == slow.plan
    assert fast.note == slow.note
    np.testing.assert_array_equal(fast.column.known, slow.column.known)
    np.testing.assert_array_equal(fast.column.values, slow.column.values)


@pytest.mark.parametrize(
    "texts", [["1.5", "-2", "1e3"], ["7", "", "NA", " 8"], ["0", "1"], ["0.5", "0"], ["-0.5", "10"]]
)
def test_plain_numbers_take_the_quick_way(texts):
    assert plain_numbers_of(pa.array(texts)) is not None


@pytest.mark.parametrize("texts", [["007", "8"], ["5", "-01"], ["", "?"], ["1", "x"], ["1", "inf"]])
def test_what_is_no_plain_number_does_not(texts):
    assert plain_numbers_of(pa.array(texts)) is None


def test_a_number_asked_for_as_text_keeps_its_spelling():
    table = open_source(io.StringIO("code,y\n2.50,a\n3.0,b\n")).table(ReadOptions(kinds={"code": Kind.TEXT}))
    assert table.columns["code"].texts.tolist() == ["2.50", "3.0"]


def test_numbers_are_read_by_the_plan_of_another_style():
    """What looks like a plain number is one thousand and more where the plan groups by points."""
    plans = read_table(io.StringIO("a;y\n1.234,5;x\n2.000,0;y\n3.500,5;z\n")).plans
    columns = open_source(io.StringIO("a;y\n1.234;x\n")).columns({"a": plans["a"]})
    assert columns["a"].values.tolist() == [1234.0]


def test_blanks_before_cells_are_left_out_of_the_frame():
    source = open_source(io.StringIO("a, b\n x, 1\n"))
    assert {name: source.listed(name) for name in source.names} == {"a": ["x"], "b": ["1"]}


@pytest.mark.parametrize("columns", [2000])
def test_a_wide_file_is_read_whole(columns):
    """20 000 columns in 169 KB once got no answer in five minutes."""
    names = ",".join(f"c{i}" for i in range(columns))
    rows = [",".join(str((i * j) % 7) for i in range(columns)) for j in range(4)]
    table = read_delimited("\n".join([names, *rows]), "wide.csv", ",")
    assert [len(column) for column in table.values()] == [4] * columns
    assert list(table)[-1] == f"c{columns - 1}"


def test_a_row_of_another_length_is_named_by_its_line():
    with pytest.raises(InputError, match=r"line 3: 1 field\(s\) where the header has 2"):
        read_delimited("a,b\n1,2\n3\n", "t.csv", ",")
