import csv
import datetime as dt
import io
import logging
import os
import stat
from pathlib import Path

import pandas as pd
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import read_table
from nri.errors import InputError
from nri.table import open_source, write_beside, write_table
from nri.table.write import atomic_file, protect_from_formulas

TABLE = pd.DataFrame({"n": [-1.5, 2.0], "c": ["x", None], "d": pd.to_datetime(["2024-01-31", None])})


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ""])
def test_what_is_written_is_read_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"table{suffix}"
    write_table(TABLE, path)
    again = read_table(path)
    found = {name: [column.cell(row) for row in range(2)] for name, column in again.columns.items()}
    assert found == {"n": [-1.5, 2.0], "c": ["x", None], "d": [dt.datetime(2024, 1, 31), None]}
    assert os.listdir(tmp_path) == [path.name]


def test_text_that_a_spreadsheet_would_run_is_protected_where_it_goes_to_one() -> None:
    cells = ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "-", "+", "-5", "a=b", -4, None]
    protected = ["'=1+1", "'+A1", "'-A1", "'@SUM(A1)", "'\t=1", "-", "+", "-5", "a=b", -4, None]
    assert [*map(protect_from_formulas, cells)] == protected


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")

    def fail_half_way() -> None:
        with atomic_file(path) as file:
            file.write("half of the new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "real.csv", tmp_path / "link.csv"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_table(TABLE, link)
    assert link.is_symlink()
    assert path.read_text() != "old"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_table(TABLE, "/dev/null", format="csv")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_places_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; name a file"):
        write_table(TABLE, tmp_path)
    with pytest.raises(InputError, match=r"there is no folder .*nowhere to write t\.csv to; make it first"):
        write_table(TABLE, tmp_path / "nowhere" / "t.csv")
    with pytest.raises(InputError, match=r"no table format ends in '\.doc'"):
        write_table(TABLE, tmp_path / "t.doc")
    with pytest.raises(InputError, match="cannot write tables as 'arff'"):
        write_table(TABLE, tmp_path / "t", format="arff")
    with pytest.raises(InputError, match="cannot be written"):
        write_table(TABLE, tmp_path / ("x" * 300 + ".csv"))
    assert os.listdir(tmp_path) == []


CELLS = st.text(alphabet='ab01.,;\t"\n =-', max_size=6)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@settings(deadline=None, max_examples=usually(20, 60))
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6))
def test_every_cell_is_written_as_it_was_read(delimiter: str, rows: list[tuple[str, str]]) -> None:
    logging.getLogger("nri").setLevel(logging.ERROR)
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerows([("x", "y"), *rows])
    text = file.getvalue()
    source = open_source(io.StringIO(text))
    logging.getLogger("nri").setLevel(logging.NOTSET)
    assert source.written is not None
    if source.written.delimiter != delimiter:  # so strange a file that another delimiter splits it as well
        return
    out = io.StringIO()
    write_beside(source, pd.DataFrame({"added": range(len(source))}), out)
    again = list(csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter))
    assert again == [["x", "y", "added"], *([a, b, str(i)] for i, (a, b) in enumerate(rows))]


def test_cells_are_written_as_they_are() -> None:
    """Only the page's downloads are protected from formulas; a changed cell is another cell to a program."""
    source = open_source(io.StringIO("x,y\n=1,2\n"))
    beside, alone = io.StringIO(), io.StringIO()
    write_beside(source, pd.DataFrame({"=said": ["-high"]}), beside)
    assert beside.getvalue() == "x,y,=said\n=1,2,-high\n"
    write_table(pd.DataFrame({"=c": pd.Categorical(["=1+1", None])}), alone)
    assert alone.getvalue() == '=c\n=1+1\n""\n'


def test_booleans_are_spelled_as_rules_spell_them() -> None:
    """A CSV of a Parquet table said True beside the true of a rule's text; gaps stay gaps."""
    file = io.StringIO()
    mixed = pd.Series([True, None], dtype=object)
    write_table(
        pd.DataFrame({"a": [True, False], "b": mixed.astype("boolean"), "c": mixed, "n": [1, 0]}), file
    )
    assert file.getvalue() == "a,b,c,n\ntrue,true,true,1\nfalse,,,0\n"
