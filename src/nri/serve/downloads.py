"""Downloads: the rule in every format, a report about it, and the table with its predictions, as files."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from nri.errors import InputError
from nri.report import ReportOptions, gather_report, render_report, steps_of
from nri.rule import FORMATS
from nri.serve.work import Work
from nri.table.write import typed_frame, write_into_workbook, write_table
from nri.tasks.predictions import predictions


@dataclass(frozen=True)
class Download:
    """A file for the user."""

    name: str
    media_type: str
    content: str | bytes


_OTHERS = {"report": ".html", "csv": ".csv", "xlsx": ".xlsx"}
_SUFFIXES = {name: form.suffix for name, form in FORMATS.items()} | _OTHERS
KINDS = tuple(_SUFFIXES)
"""What can be downloaded: the rule in every format, a report, and the table with predictions in two."""

REPORT_SECONDS = 6.0
"""Resampling for a report goes on for so long: the user waits for it."""

_MEDIA_TYPES = {
    ".json": "application/json",
    ".sql": "application/sql",
    ".py": "text/x-python",
    ".html": "text/html",
    ".csv": "text/csv",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def report_line(work: Work, step: Callable[[], None]) -> dict[str, Any]:
    """Write the report, and return it as the last line of its progress."""
    return {"name": _file_name(work.rule.target, "report"), "content": _report(work, step)}


def report_steps(work: Work) -> int:
    """Return how many steps a report is, for a bar."""
    return steps_of(_report_options(work))


def make_download(work: Work, kind: str, dialect: str | None = None) -> Download:
    """Write the rule, a report about it, or the table with its predictions.

    In the table, cells that a spreadsheet would run as a formula are made harmless; see
    :func:`nri.table.write.write_table`.
    """
    content: str | bytes
    if kind not in KINDS:
        raise InputError(f"no download {kind!r}; choose one of {', '.join(KINDS)}")
    if kind == "xlsx":
        content = _workbook_with_predictions(work)
    elif kind == "csv":
        content = _table(work)
    else:
        text = _report(work) if kind == "report" else work.rule.render(kind, dialect=dialect)
        content = text if text.endswith("\n") else text + "\n"
    media_type = _MEDIA_TYPES.get(_SUFFIXES[kind], "text/plain")
    return Download(_file_name(work.rule.target, kind), media_type, content)


def _file_name(target: str, kind: str) -> str:
    """Name the file after the target, in letters that every file system takes.

    The name is plain ASCII, so it can stand in a header as it is.
    """
    words = re.sub(r"[^A-Za-z0-9]+", "_", target).strip("_").lower()[:40]
    what = {"report": "report", "csv": "predictions", "xlsx": "predictions"}.get(kind, "rule")
    return f"{what}_{words}{_SUFFIXES[kind]}" if words else f"{what}{_SUFFIXES[kind]}"


def _report_options(work: Work) -> ReportOptions:
    return ReportOptions(
        source=work.upload.name,
        seconds=REPORT_SECONDS,
        prevalence=work.question.prevalence,
        protect=work.question.protect,
    )


def _report(work: Work, step: Callable[[], None] = lambda: None) -> str:
    induction = replace(work.answer.induction, rule=work.rule)
    held = work.folds[0] if work.folds and work.tried is work.table else None
    settings, options = work.question.settings, _report_options(work)
    return render_report(
        gather_report(work.table, induction, settings, options=options, held=held, step=step)
    )


def _workbook_with_predictions(work: Work) -> bytes:
    """Write the workbook as it was dropped, with predictions beside its table; a new one if it was none."""
    source, file = work.upload.source, io.BytesIO()
    added = predictions(work.rule, source)
    if source.workbook is not None and source.workbook.can_be_kept:
        write_into_workbook(source.workbook, added, file)
    else:
        write_table(typed_frame(source).join(added), file, format="xlsx")
    return file.getvalue()


def _table(work: Work) -> str:
    """Every row of the file, also those whose target is missing."""
    source = work.upload.source
    file = io.StringIO()
    write_table(source.frame.join(predictions(work.rule, source)), file, format="csv")
    return file.getvalue()
