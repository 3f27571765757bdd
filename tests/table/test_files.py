import datetime as dt
import gzip
import io
import logging
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from nri import read_table
from nri.errors import InputError, UnknownColumnError
from nri.rule import Kind
from nri.table import Reason, Table, open_source
from nri.table.binarizer import why_useless
from nri.table.codes import ReadOptions


def read(text: str, **options: Any) -> Table:
    return read_table(io.StringIO(text), **options)


def cells(table: Table, name: str) -> list[object]:
    column = table.columns[name]
    return [column.cell(row) for row in range(len(column))]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    table = read(delimiter.join("abc") + "\n" + delimiter.join("234") + "\n")
    assert [cells(table, name) for name in "abc"] == [[2], [3], [4]]


def test_a_tsv_file_is_split_at_tabs_alone(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("a,b\tc,d\n1,2\tx\n")
    assert read_table(path).names == ("a,b", "c,d")


def test_quoted_cells_may_hold_delimiters_quotes_and_newlines() -> None:
    table = read('name,"the ""b"""\n"x,y",1\n"two\nlines",2\n')
    assert table.names == ("name", 'the "b"')
    assert cells(table, "name") == ["x,y", "two\nlines"]


def test_decimal_commas_are_numbers_in_files_with_semicolons() -> None:
    table = read("a;b\n1,5;x\n2;y\n")
    assert cells(table, "a") == [1.5, 2]


def test_empty_cells_and_the_usual_marks_are_missing_but_none_is_a_word() -> None:
    marks = ["", "NA", "NaN", "nan", "?", "null", "NULL", "N/A"]
    table = read(
        "n,c\n" + "".join(f"{mark},{mark}\n" for mark in marks) + "1,None\n2,none\n",
        exact_text=True,
    )
    assert cells(table, "n") == [None] * len(marks) + [1, 2]
    assert cells(table, "c") == [None] * len(marks) + ["None", "none"]


@pytest.mark.parametrize(
    ("column", "kind", "expected"),
    [
        (["1", "-2", "+3"], Kind.NUMBER, [1, -2, 3]),
        (["1.5", "2e3", ".5"], Kind.NUMBER, [1.5, 2000, 0.5]),
        (["TRUE", "false", ""], Kind.BOOLEAN, [True, False, None]),
        (["yes", "no"], Kind.TEXT, ["yes", "no"]),
        (["0042", "0007"], Kind.TEXT, ["0042", "0007"]),
        (["0", "10", "0.5"], Kind.NUMBER, [0, 10, 0.5]),
        (["1", "2", "5more"], Kind.TEXT, ["1", "2", "5more"]),
        (
            ["2024-01-31", "", "2024-02-01"],
            Kind.DATE,
            [dt.datetime(2024, 1, 31), None, dt.datetime(2024, 2, 1)],
        ),
        (["2024-01-31", "soon"], Kind.TEXT, ["2024-01-31", "soon"]),
        (["99999999999999999999", "1"], Kind.NUMBER, [1e20, 1]),
        ([" padded ", "x"], Kind.TEXT, ["padded", "x"]),
    ],
)
def test_a_column_is_what_all_its_cells_can_be_read_as(
    column: list[str], kind: Kind, expected: list[object]
) -> None:
    table = read("a,b\n" + "".join(f"{cell},x\n" for cell in column))
    assert table.columns["a"].kind is kind
    assert cells(table, "a") == expected


def test_columns_can_be_kept_as_text() -> None:
    table = open_source(io.StringIO("doors,price\n2,3\n4,\n")).table(ReadOptions(kinds={"doors": Kind.TEXT}))
    assert cells(table, "doors") == ["2", "4"]
    assert cells(table, "price") == [3, None]
    with pytest.raises(UnknownColumnError, match="no column 'door'; did you mean 'doors'") as caught:
        open_source(io.StringIO("doors,price\n2,3\n")).table(ReadOptions(kinds={"door": Kind.TEXT}))
    assert (caught.value.name, caught.value.present) == ("door", ("doors", "price"))


def test_an_unnamed_column_is_named_by_its_place_and_an_empty_one_dropped() -> None:
    assert read(",a\n0,5\n1,6\n").names == ("column 1", "a")
    assert read("a,b,\n1,2,\n3,4,\n").names == ("a", "b")


def test_blank_lines_are_skipped() -> None:
    assert cells(read("\na,b\n\n1,2\n\n\n3,4\n\n"), "a") == [1, 3]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_end_of_line_will_do(newline: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(newline.join(["a,b", "1,x", "2,y", ""]).encode())
    assert cells(read_table(path), "b") == ["x", "y"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_files_are_read_with_or_without_a_mark(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("größe,b\nüber,1\n".encode(encoding))
    table = read_table(path)
    assert table.names == ("größe", "b")
    assert cells(table, "größe") == ["über"]


def test_other_encodings_are_read_with_a_message(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "old.csv"
    path.write_bytes("a,preis\nüber,5 €\n".encode("cp1252"))
    with caplog.at_level(logging.WARNING):
        table = read_table(path)
    assert cells(table, "a") == ["über"]
    assert cells(table, "preis") == ["5 €"]
    assert "old.csv is not UTF-8 (line 2); read as Windows-1252" in caplog.text
    path.write_bytes(b"a,b\n\x81\xfc,1\n")
    assert cells(read_table(path), "a") == ["\x81ü"]
    assert "read as Latin-1" in caplog.text


def test_standard_input_and_compressed_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"a,b\n1,2\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read_table("-").names == ("a", "b")
    path = tmp_path / "table.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tb\n1\t2\n"))
    assert read_table(str(path)).names == ("a", "b")
    assert read_table(io.BytesIO(content)).names == ("a", "b")


def test_parquet_keeps_its_types_whatever_the_name(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "n": pd.array([1, None], dtype="Int64"),
            "c": pd.Categorical(["x", "y"]),
            "t": ["", None],
            "b": [True, False],
        }
    )
    for name in ("table.parquet", "table.bin"):
        table.to_parquet(tmp_path / name)
        again = read_table(tmp_path / name)
        assert cells(again, "n") == [1, None]
        assert cells(again, "c") == ["x", "y"]
        assert cells(again, "t") == ["", None]
        assert cells(again, "b") == [True, False]


def test_a_named_parquet_index_is_a_column(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1]}, index=pd.Index(["x"], name="key")).to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").names == ("a", "key")


BAD_TEXTS = {
    "empty": ("", "is empty; give a table with a header line"),
    "blank": ("  \n\n", "is empty"),
    "header only": ("a,b\n", "has a header line but no rows"),
    "repeated name": ("a,b,a\n1,2,3\n", "duplicate column names: 'a'; .*the first line must hold the names"),
    "names equal after trimming": ("a, a\n1,2\n", "duplicate column names: 'a'"),
    "long row": ("a,b\n1,2\n1,2,3\n", r"line 3: 3 field\(s\) where the header has 2; correct the line"),
    "short row": ("a,b,c\n1,2,3\n\n1,2\n", r"line 4: 2 field\(s\) where the header has 3"),
    "open quote": ('a,b\n"1,2\n3,4\n', "a cell of row 1 opens a quotation mark; close it"),
    "json": ('{"a": 1}', "looks like JSON, not like a table"),
    "html": ("<!DOCTYPE html><html></html>", "is a web page or XML"),
    "control characters": ("a,b\n1,\x012\n", "is not text"),
}


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_a_text_that_is_no_table_is_refused_in_one_line(case: str, tmp_path: Path) -> None:
    text, message = BAD_TEXTS[case]
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert "table.csv" in str(caught.value)


BAD_BYTES = {
    "binary": (b"\x00\x01\x02garbage", "is a binary file, no table; give a CSV"),
    "png": (b"\x89PNG\r\n\x1a\n\x00\x00", "is a binary file"),
    "xlsx": (b"PK\x03\x04whatever", "is a zip archive; give the table that is in it"),
    "pdf": (b"%PDF-1.7 text", "is a PDF document"),
    "truncated gzip": (gzip.compress(b"a,b\n1,2\n")[:-9], "is damaged"),
    "damaged parquet": (b"PAR1" + b"x" * 50 + b"PAR1", "is no readable Parquet file"),
}


@pytest.mark.parametrize("case", BAD_BYTES)
def test_a_file_of_another_kind_is_refused_in_one_line(case: str, tmp_path: Path) -> None:
    content, message = BAD_BYTES[case]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


def test_absent_files_and_folders_are_refused_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"no file .*visit\.csv; did you mean 'visits\.csv'"):
        read_table(tmp_path / "visit.csv")
    with pytest.raises(InputError, match="check the name and the folder"):
        read_table(tmp_path / "zzzzzzz.arff")
    with pytest.raises(InputError, match=r"there is no folder .* either"):
        read_table(tmp_path / "nowhere" / "visits.csv")
    with pytest.raises(InputError, match="is a folder; give a file in it"):
        read_table(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_table("a\0b")


def test_parquet_problems_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="is no Parquet file, whatever its name says"):
        read_table(path)
    pd.DataFrame({"a": []}).to_parquet(path)
    with pytest.raises(InputError, match="has no rows"):
        read_table(path)
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    parquet.write_table(twice, path)
    with pytest.raises(InputError, match="duplicate column names: 'a'"):
        read_table(path)


def check_outcome(source: Any) -> None:
    message = ""
    try:
        table = read_table(source)
    except InputError as error:
        message = str(error)
    else:
        assert len(table) > 0
    assert "\n" not in message


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=300))
def test_whatever_the_bytes_the_outcome_is_a_table_or_one_clear_line(content: bytes) -> None:
    check_outcome(io.BytesIO(content))


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet='ab1,;\t"\n .@{}?', max_size=120))
@example(";\n;")  # was a table without rows
def test_whatever_the_text_the_outcome_is_a_table_or_one_clear_line(text: str) -> None:
    check_outcome(io.StringIO(text))


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**61), 2**61)),
        min_size=1,
        max_size=10,
    ),
    st.sampled_from([",", ";", "\t"]),
)
def test_numbers_survive_the_file_exactly(rows: list[tuple[float, int]], delimiter: str) -> None:
    text = f"x{delimiter}n\n" + "".join(f"{x!r}{delimiter}{n}\n" for x, n in rows)
    table = read(text)
    assert table.columns["x"].values.astype(float).tolist() == [x for x, _ in rows]
    assert table.columns["n"].values.astype(float).tolist() == [float(n) for _, n in rows]


def test_a_nested_column_is_left_out_and_does_not_block_the_table(tmp_path: Path) -> None:
    """One column of lists refused the whole file, and leaving it out by name did not help."""
    hours = [dt.time(i % 24, i) for i in range(40)]
    columns = {"age": list(range(40)), "tags": [[1, 2]] * 40, "at": hours, "shift": hours[:2] * 20}
    path = tmp_path / "visits.parquet"
    parquet.write_table(pa.table(columns | {"nothing": pa.nulls(40)}), path)
    table = read_table(path)
    assert [str(note) for note in table.notes] == [
        "tags: the cells are nested (BIGINT[]); left out, give plain values instead",
        "at: the cells are times of day, too many different ones for categories; "
        "left out, give plain values instead",
    ]
    reasons = {name: why_useless(column, name) for name, column in table.columns.items()}
    assert reasons == {
        "age": None,
        "tags": Reason.UNREADABLE,
        "at": Reason.UNREADABLE,
        "shift": None,
        "nothing": Reason.MISSING,
    }
    assert table.without("tags").names == ("age", "at", "shift", "nothing")


def test_times_of_day_at_utc_are_read_as_others(tmp_path: Path) -> None:
    """Arrow used to write all times so, and DuckDB hands out none with a zone."""
    database, path = duckdb.connect(), tmp_path / "visits.parquet"
    shifts = "CASE WHEN i % 2 = 0 THEN '06:00:00+00' ELSE '14:00:00+00' END"
    database.execute(f"COPY (SELECT i AS age, ({shifts})::TIMETZ AS shift FROM range(40) t(i)) TO '{path}'")
    assert read_table(path).columns["shift"].categories == ("06:00:00", "14:00:00")


def test_a_file_without_a_header_gets_a_note(caplog: pytest.LogCaptureFixture) -> None:
    """The first row silently became names."""
    read("5.1,3.5,setosa\n4.9,3.0,setosa\n6.2,2.2,virginica\n")
    assert caplog.messages == [
        "the file: the first line looks like a row; if so, add --header 0, or a line of names"
    ]
    caplog.clear()
    for header in ("2019,2020,country", "0,1,2", "v1.0,v1.5,kind", "sepal,petal,setosa"):
        read(f"{header}\n4.9,3.0,setosa\n6.2,2.2,virginica\n")
    assert not caplog.messages


def test_a_file_without_names_is_read_with_names_of_its_own(tmp_path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("1.5;yes\n2.5;no\n")
    table = read_table(file, header=0)
    assert (table.names, len(table)) == (("column 1", "column 2"), 2)
