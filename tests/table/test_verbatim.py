import csv
import io
import logging

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nri.table.read import read_source

from nri.table.write import write_beside

CELLS = st.text(alphabet='ab01.,;\t"\n =-', max_size=6)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@settings(deadline=None, max_examples=60)
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6))
def test_every_cell_is_written_as_it_was_read(delimiter: str, rows: list[tuple[str, str]]) -> None:
    logging.getLogger("nri").setLevel(logging.ERROR)
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerows([("x", "y"), *rows])
    text = file.getvalue()
    frame, source = read_source(io.StringIO(text), format="tsv" if delimiter == "\t" else "csv")
    logging.getLogger("nri").setLevel(logging.NOTSET)
    assert source is not None
    if source.delimiter != delimiter:  # so strange a file that another delimiter splits it as well
        return
    out = io.StringIO()
    write_beside(frame, pd.DataFrame({"added": range(len(frame))}), source, out)
    again = list(csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter))
    assert again == [["x", "y", "added"], *([a, b, str(i)] for i, (a, b) in enumerate(rows))]


def test_added_texts_that_a_spreadsheet_would_run_are_protected() -> None:
    frame, source = read_source(io.StringIO("x,y\n=1,2\n"))
    out = io.StringIO()
    write_beside(frame, pd.DataFrame({"=said": ["=1+1"]}), source, out)
    assert out.getvalue() == "x,y,'=said\n=1,2,'=1+1\n"
