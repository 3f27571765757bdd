"""Parse a workbook in a process of its own, so that one which crashes or bloats the parser ends only that.

:mod:`nri.table.excel` runs this file as a script; it imports nothing of the package, to start at once. The
first line of standard input says which sheet is wanted, how many cells there may be and how much memory they
may take; the workbook follows. The answer is one line of JSON.
"""

import contextlib
import datetime as dt
import io
import json
import sys
from typing import Any

BASE_MEMORY = 256 << 20  # Bytes of address space that the process takes by itself, generously.


def main() -> None:
    """Write sheets and cells, or what goes wrong, which is an answer too."""
    request = json.loads(sys.stdin.buffer.readline())
    _limit_memory(request["memory"])
    try:
        from python_calamine import CalamineWorkbook

        book = CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
        answer = {"problem": "", **_content(book, request["sheet"], request["cells"])}
        text = json.dumps(answer, default=_tagged)
    except MemoryError:
        return  # no answer says so
    except BaseException as error:  # a panic of the parser is no Exception
        locked = type(error).__name__ == "PasswordError"
        text = json.dumps({"problem": "password" if locked else " ".join(str(error).split())[:100]})
    sys.stdout.write(text + "\n")


def _content(book: Any, wanted: str | None, most: int) -> dict[str, Any]:
    """Return of each sheet its name, whether it is visible and its size; and cells if they are not many."""
    visible = {one.name: str(one.visible).endswith("Visible") for one in book.sheets_metadata}
    sheets = {name: book.get_sheet_by_name(name) for name in visible}
    sizes = [[name, visible[name], one.total_height, one.total_width] for name, one in sheets.items()]
    if sum((bottom + 1) * (right + 1) for *_, bottom, right in sizes) > most:
        return {"sheets": sizes}
    read = {name: one for name, one in sheets.items() if wanted not in sheets or name == wanted}
    cells = {
        name: (one.to_python(skip_empty_area=False), one.merged_cell_ranges or [])
        for name, one in read.items()
        if one.total_height
    }
    return {"sheets": sizes, "cells": cells}


def _limit_memory(size: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system has such a limit
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = BASE_MEMORY + size
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _tagged(cell: Any) -> dict[str, Any]:
    """Return what JSON has no type for: dates, times and spans of time. No sheet has a colon in its name."""
    value = cell.total_seconds() if isinstance(cell, dt.timedelta) else cell.isoformat()
    return {f"{type(cell).__name__}:": value}


if __name__ == "__main__":
    main()
