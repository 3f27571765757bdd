"""Wide text files: read some columns at a time, and exactly as any other."""

import numpy as np
import pytest

from nri import read_table
from nri.errors import InputError
from nri.table import source, split
from nri.table.cells import TypedCells
from nri.table.source import open_source


@pytest.fixture(autouse=True)
def wide_from_five_columns_on(monkeypatch):
    monkeypatch.setattr(source, "WIDE", 5)
    monkeypatch.setattr(split, "_AT_ONCE", 3)


def table_text(n_columns: int = 11, n_rows: int = 6) -> str:
    """Numbers, whole numbers, codes, words, gaps and dates in turn."""
    kinds = ["1.5", "7", "0042", "red", "NA", "2021-03-01", " 3", "-2e3", "yes", "", "72 kg"]
    lines = [",".join(f"c{k}" for k in range(n_columns))]
    for row in range(n_rows):
        cells = [kinds[k % 11] if (row + k) % 4 else f"{row}.25" for k in range(n_columns)]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def numbers_read_at_once(path) -> bool:
    return any(isinstance(cells, TypedCells) for cells in open_source(path, rewritable=False).rows.values())


@pytest.mark.parametrize("n_columns", [6, 7, 9, 11, 40])
def test_a_wide_text_is_read_as_any_other(tmp_path, n_columns):
    path = tmp_path / "wide.csv"
    path.write_text(table_text(n_columns))
    assert numbers_read_at_once(path), "it went the new way"
    wide, usual = read_table(path), open_source(path).table()
    assert wide.names == usual.names
    assert wide.plans == usual.plans
    for name in wide.names:
        ours, theirs = wide.columns[name], usual.columns[name]
        assert ours.known.tolist() == theirs.known.tolist()
        assert ours.categories == theirs.categories
        np.testing.assert_array_equal(ours.values, theirs.values)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("red", '"red"'),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("red", "größe"),
        lambda text: text + "\n",
        lambda text: text.replace("c3", ""),
    ],
    ids=["quoted", "line ends", "letters", "blank line", "no name"],
)
def test_what_is_not_plain_goes_the_usual_way(tmp_path, change):
    path = tmp_path / "wide.csv"
    path.write_bytes(change(table_text()).encode())
    assert not numbers_read_at_once(path)
    assert len(read_table(path)) == 6


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.replace("c3", "c4"), "c4"),
        (lambda text: text + "1,2\n", "field"),
        (lambda text: text[: text.find("\n") + 1], "no rows"),
    ],
    ids=["name twice", "short line", "header alone"],
)
def test_mistakes_are_told_as_in_any_other(tmp_path, change, told):
    path = tmp_path / "wide.csv"
    path.write_text(change(table_text()))
    with pytest.raises(InputError, match=told):
        read_table(path)
