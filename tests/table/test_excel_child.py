"""Workbooks are parsed in a process of its own: whatever happens there is one line here."""

import io
import subprocess
import sys
import zipfile

import openpyxl
import pytest
from fuzz_files import damaged, whole

from nri.errors import InputError
from nri.table import excel
from nri.table.source import open_source

PANICS = 82
"""A seed of damage at which the parser panics."""


def named(content, name):
    file = io.BytesIO(content)
    file.name = name
    return file


def with_part(content, name, text):
    """Return a workbook in which one part is another."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, text if part == name else old.read(part))
    return file.getvalue()


def test_a_workbook_at_which_the_parser_panics_is_one_line_and_nothing_else(tmp_path):
    """A damaged old workbook made the parser write a page about its panic beside our one line."""
    path = tmp_path / "old.xls"
    path.write_bytes(damaged(whole("xls"), PANICS))
    done = subprocess.run(
        [sys.executable, "-m", "nri", "induce", str(path), "--target", "a"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {path} is no readable workbook (range end index")
    assert done.stderr.count("\n") == 1


def test_the_panic_is_refused_in_python_too(capfd):
    with pytest.raises(InputError, match=r"old\.xls is no readable workbook .*; save it again, or as CSV"):
        open_source(named(damaged(whole("xls"), PANICS), "old.xls"))
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is limited on Linux only")
def test_one_cell_in_the_last_corner_does_not_fill_the_memory():
    """A sheet of one far cell is a grid of seventeen thousand million cells."""
    file = io.BytesIO()
    openpyxl.Workbook().save(file)
    cell = '<c r="{0}" t="n"><v>1</v></c>'
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        f'<row r="1">{cell.format("A1")}</row><row r="1048576">{cell.format("XFD1048576")}</row>'
        "</sheetData></worksheet>"
    )
    content = with_part(file.getvalue(), "xl/worksheets/sheet1.xml", sheet)
    with pytest.raises(InputError, match=r"it cannot be parsed within .* of memory\); save it again"):
        open_source(named(content, "far.xlsx"))


def test_a_parser_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(excel, "_LEAST_SECONDS", 0)
    monkeypatch.setattr(excel, "_BYTES_A_SECOND", 1 << 40)
    with pytest.raises(InputError, match="it cannot be parsed within 0 s"):
        open_source(named(whole("xlsx"), "slow.xlsx"))


def test_a_process_that_cannot_start_is_an_error_of_its_own(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(InputError, match="no process can be started to parse it; save it as CSV"):
        open_source(named(whole("xlsx"), "t.xlsx"))
