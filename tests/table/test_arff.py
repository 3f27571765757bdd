import datetime as dt
import io

import pytest

from nri import read_table
from nri.errors import InputError
from nri.rule import Kind
from nri.table import Table

FULL = r"""% a comment
@RELATION 'some data'

@attribute 'the age' NUMERIC
@attribute colour {red, 'dark blue', "it's", 5}
@attribute "note" string
@attribute since date "yyyy-MM-dd HH:mm:ss"
@attribute day date 'dd/MM/yyyy'
@attribute size{small,big}
@data
61.5, red, 'a \'quoted\', text', '2024-01-31 10:00:00', 31/12/2023, small
% another comment
?,'dark blue',?,?,?,?
-1e3,"it's",'?',"2024-02-01 00:00:00",01/02/2023,big
0, 5, plain, ?, ?, ?
"""


def test_every_type_is_read() -> None:
    columns = read_table(io.StringIO(FULL)).columns
    found = {name: [column.cell(row) for row in range(4)] for name, column in columns.items()}
    assert found == {
        "the age": [61.5, None, -1000, 0],
        "colour": ["red", "dark blue", "it's", "5"],
        "note": ["a 'quoted', text", None, "?", "plain"],
        "since": [dt.datetime(2024, 1, 31, 10), None, dt.datetime(2024, 2, 1), None],
        "day": [dt.datetime(2023, 12, 31), None, dt.datetime(2023, 2, 1), None],
        "size": ["small", None, "big", None],
    }
    assert columns["colour"].kind is Kind.TEXT


def table(declarations: str, data: str) -> Table:
    return read_table(io.StringIO(f"@relation r\n{declarations}\n@data\n{data}\n"))


def test_a_nominal_number_is_a_category() -> None:
    assert table("@attribute c {0,1}", "0\n1").columns["c"].texts.tolist() == ["0", "1"]


@pytest.mark.parametrize(
    ("declarations", "data", "message"),
    [
        ("@attribute a numeric", "{0 1}", "line 4: sparse ARFF is not read; convert the file"),
        ("@attribute a numeric", "1,2", r"line 4: 2 field\(s\) where 1 are declared"),
        ("@attribute a numeric", "x", "line 4: 'x' is no number, as 'a' needs; correct the cell or write ?"),
        ("@attribute a {x,y}", "x\nz", "line 5: 'z' is no category of 'a'"),
        ("@attribute a relational", "x", "'a' has type 'relational'; use numeric"),
        ("@attribute a {x,y", "x", "have no closing brace"),
        ("@attribute a", "x", "declares no name and type"),
        ("@attribute a string", "'open", "quotation mark is not closed"),
        ("@attribute a string", "", "has no rows after @data"),
        ("", "1", "declares no @attribute before @data"),
        ("hello", "1", "line 2: 'hello' is no ARFF declaration"),
        ("@attribute a numeric\n@attribute a numeric", "1,2", "duplicate column names: 'a'"),
    ],
)
def test_a_line_that_does_not_fit_is_named(declarations: str, data: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        table(declarations, data)
    assert "\n" not in str(caught.value)


def test_a_file_that_ends_in_its_header_is_refused() -> None:
    with pytest.raises(InputError, match="has no @data line"):
        read_table(io.StringIO("@relation r\n@attribute a numeric\n"))
