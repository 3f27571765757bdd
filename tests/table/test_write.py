import io
import os
import stat
from pathlib import Path

import pandas as pd
import pytest
from nri.table.read import read_table

from nri.errors import InputError
from nri.table.atomic import atomic_file
from nri.table.write import write_table

TABLE = pd.DataFrame({"n": [-1.5, 2.0], "c": ["x", None], "d": pd.to_datetime(["2024-01-31", None])})


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ""])
def test_what_is_written_is_read_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"table{suffix}"
    write_table(TABLE, path)
    again = read_table(path)
    assert again["n"].tolist() == [-1.5, 2.0]
    assert again["c"].isna().tolist() == [False, True]
    assert again["d"].iloc[0] == pd.Timestamp("2024-01-31")
    assert os.listdir(tmp_path) == [path.name]


def test_text_that_a_spreadsheet_would_run_is_protected() -> None:
    cells = ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "-", "+", "-5", "a=b"]
    file = io.StringIO()
    write_table(pd.DataFrame({"=name": cells, "n": range(-4, 5)}), file)
    again = pd.read_csv(io.StringIO(file.getvalue()), dtype=str, keep_default_na=False)
    assert again.columns.tolist() == ["'=name", "n"]
    assert again["'=name"].tolist() == ["'=1+1", "'+A1", "'-A1", "'@SUM(A1)", "'\t=1", "-", "+", "-5", "a=b"]
    assert again["n"].tolist() == [str(n) for n in range(-4, 5)]


def test_categories_are_protected_like_text() -> None:
    file = io.StringIO()
    write_table(pd.DataFrame({"c": pd.Categorical(["=1+1", None])}), file)
    assert file.getvalue() == 'c\n\'=1+1\n""\n'


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
    with pytest.raises(InputError, match=r"cannot tell a table format from '\.doc'"):
        write_table(TABLE, tmp_path / "t.doc")
    with pytest.raises(InputError, match="cannot write tables as 'arff'"):
        write_table(TABLE, tmp_path / "t", format="arff")
    with pytest.raises(InputError, match="stream of text; name a file"):
        write_table(TABLE, io.StringIO(), format="parquet")
    with pytest.raises(InputError, match="cannot be written"):
        write_table(TABLE, tmp_path / ("x" * 300 + ".csv"))
    assert os.listdir(tmp_path) == []
