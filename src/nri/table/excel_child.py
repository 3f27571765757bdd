"""Parse a workbook in a process of its own, so that one which crashes or bloats the parser ends only that.

:mod:`nri.table.excel` runs this file as a script; it imports nothing of the package, to start at once. The
first line of standard input says how many bytes of workbook follow it and how much memory they may take;
every further line asks for a sheet. Each is answered by one line of JSON.
"""

import contextlib
import datetime as dt
import io
import json
import sys
from typing import Any

BASE_MEMORY = 256 << 20  # Bytes of address space that the process takes by itself, generously.


def main() -> None:
    """Answer until there are no more questions; what goes wrong is an answer too."""
    request = json.loads(sys.stdin.buffer.readline())
    _limit_memory(request["memory"])
    try:
        from python_calamine import CalamineWorkbook, PasswordError

        try:
            book = CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read(request["size"])))
        except PasswordError:
            _answer({"problem": "password"})
            return
        _answer({"sheets": [_size(book, sheet.name, str(sheet.visible)) for sheet in book.sheets_metadata]})
        for line in sys.stdin.buffer:
            sheet = book.get_sheet_by_name(json.loads(line))
            cells = sheet.to_python(skip_empty_area=False)
            _answer({"cells": cells, "merged": sheet.merged_cell_ranges or []})
    except MemoryError:
        _answer({"problem": "memory"})
    except BaseException as error:  # a panic of the parser is no Exception
        _answer({"problem": " ".join(str(error).split())[:100]})


def _limit_memory(size: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system has such a limit
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = BASE_MEMORY + size
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _size(book: Any, name: str, visible: str) -> list[Any]:
    """Return the name of a sheet, whether it is visible, its last row and its last column, counted from 0."""
    sheet = book.get_sheet_by_name(name)
    return [name, visible.endswith("Visible"), sheet.total_height, sheet.total_width]


def _answer(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer, default=_tagged) + "\n")
    sys.stdout.flush()


def _tagged(cell: Any) -> dict[str, Any]:
    """Return what JSON has no type for: dates, times and spans of time."""
    if isinstance(cell, dt.timedelta):
        return {"timedelta": cell.total_seconds()}
    return {type(cell).__name__: cell.isoformat()}


if __name__ == "__main__":
    main()
