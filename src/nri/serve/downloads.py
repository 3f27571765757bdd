"""Downloads: the rule as it stands, for other programs and for other people."""

import io
import re
from dataclasses import dataclass

from nri.errors import InputError
from nri.induction import Induction
from nri.rule import render
from nri.serve.work import Work
from nri.table.write import write_table


@dataclass(frozen=True)
class Download:
    """A file for the visitor."""

    name: str
    media_type: str
    text: str


KINDS = ("json", "sql", "python", "report", "csv")
"""What can be downloaded: the rule in three forms, a report, and the table with predictions."""

REPORT_SECONDS = 6.0
"""Resampling for a report goes on for so long: somebody waits for it."""

_SUFFIXES = {"json": ".json", "sql": ".sql", "python": ".py", "report": ".html", "csv": ".csv"}
_MEDIA_TYPES = {
    "json": "application/json",
    "sql": "application/sql",
    "python": "text/x-python",
    "report": "text/html",
    "csv": "text/csv",
}


def make_download(work: Work, kind: str) -> Download:
    """Write the rule, a report about it, or the table with its predictions.

    In the table, cells that a spreadsheet would run as a formula are made harmless; see
    :func:`nri.table.write.write_table`.
    """
    if kind not in KINDS:
        raise InputError(f"no download {kind!r}; choose one of {', '.join(KINDS)}")
    if kind == "report":
        text = _report(work)
    elif kind == "csv":
        text = _table(work)
    else:
        text = render(work.ruleset, kind)
    ending = "" if text.endswith("\n") else "\n"
    return Download(_file_name(work, kind), _MEDIA_TYPES[kind], text + ending)


def _file_name(work: Work, kind: str) -> str:
    """Name the file after the target, in letters that every file system takes.

    The name is plain ASCII, so it can stand in a header as it is.
    """
    words = re.sub(r"[^A-Za-z0-9]+", "_", work.ruleset.target).strip("_").lower()[:40]
    what = {"report": "report", "csv": "predictions"}.get(kind, "rule")
    return f"{what}_{words}{_SUFFIXES[kind]}" if words else f"{what}{_SUFFIXES[kind]}"


def _report(work: Work) -> str:
    from nri.report import ReportOptions, gather_report, render_report

    found = Induction(work.ruleset, work.left_out)
    options = ReportOptions(source=work.upload.name, seconds=REPORT_SECONDS)
    report = gather_report(work.table, found, work.question.settings, positive=work.positive, options=options)
    return render_report(report)


def _table(work: Work) -> str:
    """Every row of the file, also those whose target is missing."""
    from nri.cli.predictions import predictions

    frame = work.upload.frame
    file = io.StringIO()
    write_table(frame.join(predictions(work.ruleset, frame)), file, format="csv")
    return file.getvalue()
