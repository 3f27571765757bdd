"""A damaged old workbook made the reader write a page about its panic beside our one line."""

import io
import os
import subprocess
import sys
import threading

import pytest
from fuzz_files import damaged, whole

from nri.errors import InputError
from nri.table.files import open_source
from nri.table.panics import panics_unheard

PANICS = 82
"""A seed of damage at which the reader panics."""


class PanicException(BaseException):
    """As a foreign reader raises it."""


def read_and_raise(said, error):
    """Read as a foreign reader does that writes this, and then fails."""
    with panics_unheard():
        for text in said:
            os.write(2, text)
        raise error


def test_a_workbook_at_which_the_reader_panics_is_one_line_and_nothing_else(tmp_path):
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


def test_the_panic_is_refused_in_python_too():
    file = io.BytesIO(damaged(whole("xls"), PANICS))
    file.name = "old.xls"
    with pytest.raises(InputError, match=r"old\.xls is no readable workbook"):
        open_source(file)


def test_what_others_write_meanwhile_is_not_lost(capfd):
    with panics_unheard():
        other = threading.Thread(target=os.write, args=(2, b"a line of somebody else\n"))
        other.start()
        other.join()
    assert capfd.readouterr().err == "a line of somebody else\n"


def test_only_the_page_about_the_panic_is_left_out(capfd):
    with pytest.raises(PanicException):
        read_and_raise([b"before\n", b"\nthread '<unnamed>' panicked at somewhere\n"], PanicException())
    assert capfd.readouterr().err == "before\n"


def test_other_errors_leave_standard_error_as_it_is(capfd):
    with pytest.raises(KeyError):
        read_and_raise([b"thread 5 is slow\n"], KeyError("x"))
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "thread 5 is slow\nafter\n"
