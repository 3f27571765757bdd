"""A file that would become too large is refused while it is still small, whatever its format."""

import gzip
import io
import os
import subprocess
import sys
import zipfile

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
import xlwt
from pyarrow import parquet

from nri.errors import InputError
from nri.table.files import Budget, free_memory, machine_budget
from nri.table.formats import unpacked
from nri.table.source import open_source

SMALL = Budget(bytes=100_000, unpacked=200_000, cells=20_000, memory=1_400_000)


def opened(content, budget=SMALL):
    return open_source(io.BytesIO(content), budget=budget)


def packed(table, **options):
    file = io.BytesIO()
    parquet.write_table(table, file, **options)
    return file.getvalue()


def workbook(*cells):
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row, column, value in cells:
        book.active.cell(row, column).value = value
    book.save(file)
    return file.getvalue()


def open_document(rows):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        archive.writestr("META-INF/manifest.xml", "<manifest:manifest></manifest:manifest>")
        sheet = f"<office:spreadsheet><table:table table:name='s'>{rows}</table:table></office:spreadsheet>"
        archive.writestr(
            "content.xml",
            f"<office:document-content><office:body>{sheet}</office:body></office:document-content>",
        )
    return file.getvalue()


REPEATED = (
    "<table:table-row table:number-rows-repeated='9999'>"
    "<table:table-cell office:value-type='float' office:value='1' table:number-columns-repeated="
)
TOO_MUCH = {
    "bytes": (b"a,b\n" + b"1,2\n" * 30_000, "larger than 100000 bytes"),
    "gzip": (gzip.compress(b"a" * 200_001), "unpacks to more than 200000 bytes"),
    "gzip in gzip": (gzip.compress(gzip.compress(b"a" * 200_001)), "unpacks to more than"),
    "gzip many times": (
        gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"a,b\n1,2\n")))),
        "more than 3",
    ),
    "cells in gzip": (gzip.compress(b"a,b\n" + b"1,2\n" * 10_000), "more than 20 000 cells"),
    "cells": (b"a,b\n" + b"1,2\n" * 10_000, "more than 20 000 cells"),
    "short rows": (b"a" + b",a" * 20 + b"\n" + b"1\n" * 9_000, "1 field.* where the header has 21"),
    "memory": (b"a,b\n" + b"x" * 60_000 + b",1\n" + b"1,\n" * 9_900, "of memory"),
    "arff": (b"@relation r\n@attribute a numeric\n@data\n" + b"1\n" * 20_000, "more than 20 000 cells"),
    "parquet": (packed(pa.table({"a": [0] * 20_001})), "more than 20 000 cells"),
    "lists in parquet": (packed(pa.table({"a": [[0] * 20_001]})), "more than 20 000 cells"),
    "parquet that unpacks": (
        packed(pa.table({"a": ["x" * 200_001]}), compression="zstd"),
        "unpacks to more than",
    ),
    "one long text many times": (packed(pa.table({"a": ["x" * 9_999] * 9_999})), "of memory"),
    "far cell": (workbook((1, 1, "a"), (2, 1, 5), (9999, 3, 1)), "more than 20 000 cells"),
    "repeated cells": (
        open_document(REPEATED + "'9'><text:p>1</text:p></table:table-cell></table:table-row>"),
        "more than 20 000 cells",
    ),
}


@pytest.mark.parametrize(("content", "message"), TOO_MUCH.values(), ids=TOO_MUCH.keys())
def test_what_does_not_fit_is_refused_in_one_line_that_says_what_to_do(content, message):
    with pytest.raises(InputError, match=message) as caught:
        opened(content)
    assert "\n" not in str(caught.value)
    assert ";" in str(caught.value)


def test_what_fits_is_read_from_every_format():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    text = frame.to_csv(index=False).encode()
    for content in (text, gzip.compress(text), gzip.compress(gzip.compress(text)), packed(pa.table(frame))):
        assert opened(content).names == ("a", "b")
    assert len(opened(workbook((1, 1, "a"), (1, 2, "b"), (2, 1, 5), (2, 2, "x")))) == 1


def test_a_text_with_line_breaks_in_cells_is_not_taken_for_many_short_rows():
    width = 20
    text = ",".join(f"c{i}" for i in range(width)) + "\n"
    text += "".join('"' + "line\n" * 500 + '"' + ",1" * (width - 1) + "\n" for _ in range(10))
    assert len(opened(text.encode())) == 10


def test_a_workbook_that_says_less_than_it_unpacks_to_is_found_out():
    content = bytearray(
        workbook((1, 1, "a"), (2, 1, "x" * 30_000), *((i, 1, "y" * 30_000) for i in range(3, 12)))
    )
    with zipfile.ZipFile(io.BytesIO(bytes(content))) as archive:
        sizes = [part.file_size for part in archive.infolist() if part.file_size > 20_000]
    for size in sizes:  # in the directory and beside the part
        content = content.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    with pytest.raises(InputError):
        opened(bytes(content), Budget(100_000, 50_000, 20_000, 2_000_000))


def test_a_pipe_without_end_is_read_no_further_than_the_budget():
    with pytest.raises(InputError, match="larger than"):
        open_source("/dev/zero", budget=SMALL)


def test_a_damaged_or_cut_gzip_file_says_so():
    whole = gzip.compress(b"a,b\n1,2\n" * 100)
    for content, message in ((whole[:-20], "ends too early"), (whole + b"rest", "cannot be uncompressed")):
        with pytest.raises(InputError, match=message):
            unpacked(content, "t.csv.gz", SMALL)
    assert unpacked(whole + whole + b"\0" * 9, "t.csv.gz", SMALL) == b"a,b\n1,2\n" * 200


def test_the_budget_for_files_is_the_memory_that_is_free():
    assert 1 << 20 < free_memory() < 1 << 45
    assert machine_budget().memory < 1 << 45


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="memory of a process is asked of the system")
@pytest.mark.parametrize("body", ["nested", "cells"])
def test_a_small_body_that_took_gigabytes_takes_little(body):
    """819 bytes took 3.3 GB (gzip in gzip was unpacked beyond the limit), 290 KB of zeros 7.1 GB."""
    body = {
        "nested": 'gzip.compress(gzip.compress(b"0" * 210 * 2**20, 1))',
        "cells": r'gzip.compress(b"a,b" + b"\n0,0" * (25 * 2**20), 1)',
    }[body]
    # making it takes memory of its own, so that is done in another process
    code = f"import gzip, sys; sys.stdout.buffer.write({body})"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert len(made) < 1_000_000
    run = """
import io, resource, sys
from nri.errors import InputError
from nri.table.files import Budget
from nri.table.source import open_source
body = io.BytesIO(sys.stdin.buffer.read())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    open_source(body, budget=Budget(50 << 20, 200 << 20, 50_000_000, 1 << 30))
except InputError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    grown = subprocess.run([sys.executable, "-c", run], input=made, capture_output=True, check=True).stdout
    assert int(grown) < 50 * 1024, f"{int(grown) // 1024} MB"


def test_a_damaged_old_workbook_cannot_fill_the_memory():
    """A chain of sectors that came back to itself was followed until the system killed the process."""
    book, file = xlwt.Workbook(), io.BytesIO()
    sheet = book.add_sheet("s")
    for i, row in enumerate([["a", "b"], [1, "x"], [2, "y"]]):
        for j, cell in enumerate(row):
            sheet.write(i, j, cell)
    book.save(file)
    whole = file.getvalue()
    assert len(opened(whole)) == 2
    table = 512 * (1 + int.from_bytes(whole[76:80], "little"))
    looped = bytearray(whole)
    looped[table : table + 4] = (0).to_bytes(4, "little")  # the first sector is followed by itself
    with pytest.raises(InputError, match="no readable workbook"):
        opened(bytes(looped))
    far = bytearray(whole)
    cell = (
        whole.index(b"\x03\x02\x0e\x00\x01\x00")
        if b"\x03\x02\x0e\x00\x01\x00" in whole
        else whole.index(b"\x7e\x02\x0a\x00\x01")
    )
    far[cell + 4 : cell + 8] = b"\xff\xff\xff\x00"
    with pytest.raises(InputError, match=r"cannot be parsed within 1 MB of memory|more than 20 000 cells"):
        opened(bytes(far))
