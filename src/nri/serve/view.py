"""View: what the page shows, as plain data that becomes JSON. Nothing here is markup."""

import datetime as dt
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.induce.path import Induction
from nri.report import ReportOptions, gather_report, render_report, steps_of
from nri.rule import Clause, Evidence, Kind, Label, Literal, RuleSet, Value, render
from nri.rule.render.phrase import phrase_label, phrase_literal, phrase_name, phrase_value
from nri.serve.profile import ColumnProfile, TargetProfile, guess_target
from nri.serve.rows import filter_counts
from nri.serve.upload import Upload
from nri.serve.work import SEARCHED_ROWS, Work
from nri.table.excel_write import write_into_workbook
from nri.table.source import Workbook
from nri.table.write import typed_frame, write_table
from nri.tasks.fairness import Groups, by_group, protected_columns
from nri.tasks.predictions import predictions

Json = dict[str, Any]


def view_upload(upload: Upload) -> Json:
    """Describe an uploaded table."""
    return {
        "name": upload.name,
        "rows": len(upload.table),
        "searched": SEARCHED_ROWS,
        "columns": [_column(column) for column in upload.columns],
        "target": guess_target(upload.columns),
        "notes": list(upload.notes),
        "workbook": _workbook(upload.source.workbook),
    }


def _workbook(place: Workbook | None) -> Json | None:
    if place is None:
        return None
    return {"sheets": list(place.sheets), "sheet": place.sheet, "header": place.header + 1}


def view_target(target: TargetProfile) -> Json:
    """Describe what a column offers as a target."""
    compare = target.compare
    return {
        "column": target.column,
        "classes": [{**_label(label), "rows": rows} for label, rows in target.classes],
        "compare": None if compare is None else {"op": compare[0], "value": plain(compare[1])},
        "problem": target.problem,
    }


def view_work(work: Work) -> Json:
    """Describe a rule, how well it does on the table, and how that differs from the rule first found."""
    ruleset = work.ruleset
    return {
        "target": ruleset.target,
        "remark": work.remark,
        "rows": work.n_rows,
        "searched": len(work.searched),
        "rules": [
            {
                **_label(rule.label),
                "clauses": [
                    _clause(clause, evidence, ruleset, rule.label)
                    for clause, evidence in zip(rule.rule, rule.evidence, strict=True)
                ],
            }
            for rule in ruleset.rules
        ],
        "default": _label(ruleset.default),
        "scores": scores(work),
        "filters": filter_counts(work),
        "left_out": [{"column": one.column, "reason": str(one.reason)} for one in work.left_out],
        "edited": work.edited,
        "alone": None if work.edited else work.alone,
        "groups": [
            _groups(by_group(work.table, ruleset, column))
            for column in dict.fromkeys([*work.question.protect, *protected_columns(ruleset)])
        ],
    }


def scores(work: Work) -> Json:
    """Count how well the rule does on the rows of the table.

    ``precision`` is the share of right rows among those that a clause decides, ``coverage`` the share of
    rows that one decides, ``recall`` the share that is covered of the class of a lone rule, ``base`` the
    accuracy of always saying the most frequent class.
    """
    codes, right, covered = work.table.codes, work.said == work.table.codes, work.covered
    recall = None
    if len(work.ruleset.rules) == 1 and len(work.table.classes) == 2:
        of_class = codes == work.ruleset.index_of(work.ruleset.rules[0].label)
        recall = _share(int((of_class & covered).sum()), int(of_class.sum()))
    return {
        "accuracy": _share(int(right.sum()), work.n_rows),
        "precision": _share(int((right & covered).sum()), int(covered.sum())),
        "coverage": _share(int(covered.sum()), work.n_rows),
        "recall": recall,
        "base": _share(int(np.bincount(codes).max()), work.n_rows),
        "right": int(right.sum()),
        "covered": int(covered.sum()),
    }


def view_literal(literal: Literal) -> Json:
    """Describe a condition: its parts, and how it reads."""
    boolean = literal.kind is Kind.BOOLEAN
    return {
        "column": literal.column,
        "op": literal.op.value,
        "value": plain(literal.value),
        "kind": literal.kind.value,
        "name": phrase_name(literal.column),
        "shown": "" if boolean else phrase_value(literal.value),
        "text": phrase_literal(literal),
    }


def plain(value: Value | None) -> Any:
    """Return a value as JSON can hold it."""
    return value.isoformat() if isinstance(value, dt.datetime) else value


def _clause(clause: Clause, evidence: Evidence, ruleset: RuleSet, label: Label) -> Json:
    return {
        "literals": [view_literal(literal) for literal in clause],
        "at_least": clause.at_least,
        "counts": clause.counts,
        "covers": evidence.total,
        "right": evidence.counts[ruleset.index_of(label)],
        "precision": evidence.share(ruleset.index_of(label)),
    }


def _label(label: Label) -> Json:
    return {"label": label, "text": phrase_label(label)}


def _column(column: ColumnProfile) -> Json:
    return {
        "name": column.name,
        "kind": column.kind.value,
        "left_out": column.left_out,
        "missing": column.missing,
        "distinct": column.distinct,
        "values": list(column.values),
        "low": plain(column.low),
        "middle": plain(column.middle),
        "high": plain(column.high),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True)
class Download:
    """A file for the visitor."""

    name: str
    media_type: str
    content: str | bytes


KINDS = ("json", "sql", "python", "report", "csv", "xlsx")
"""What can be downloaded: the rule in three forms, a report, and the table with predictions in two."""

REPORT_SECONDS = 6.0
"""Resampling for a report goes on for so long: somebody waits for it."""

_SUFFIXES = {"json": ".json", "sql": ".sql", "python": ".py", "report": ".html", "csv": ".csv"}
_SUFFIXES["xlsx"] = ".xlsx"
_MEDIA_TYPES = {
    "json": "application/json",
    "sql": "application/sql",
    "python": "text/x-python",
    "report": "text/html",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def _groups(found: Groups) -> Json:
    return {
        "column": found.column,
        "used": found.used,
        "groups": [
            {
                "name": group.name,
                "rows": group.rows,
                "measures": [
                    {"value": one.value, "low": one.interval.low, "high": one.interval.high}
                    for one in (group.fires, group.right)
                ],
            }
            for group in found.groups
        ],
    }


def report_line(work: Work, step: Callable[[], None]) -> Json:
    """Write the report, and return it as the last line of what is told about its progress."""
    return {"name": _file_name(work.ruleset.target, "report"), "content": _report(work, step)}


def report_steps(work: Work) -> int:
    """Return how many steps a report is, for a bar."""
    return steps_of(_report_options(work))


def make_download(work: Work, kind: str, dialect: str | None = None) -> Download:
    """Write the rule, a report about it, or the table with its predictions.

    In the table, cells that a spreadsheet would run as a formula are made harmless; see
    :func:`nri.table.write.write_table`.
    """
    if kind not in KINDS:
        raise InputError(f"no download {kind!r}; choose one of {', '.join(KINDS)}")
    if kind == "xlsx":
        name = _file_name(work.ruleset.target, kind)
        return Download(name, _MEDIA_TYPES[kind], _workbook_with_predictions(work))
    if kind == "report":
        text = _report(work)
    elif kind == "csv":
        text = _table(work)
    else:
        text = render(work.ruleset, kind, dialect=dialect)
    return download_of(work.ruleset.target, kind, text)


def download_of(target: str, kind: str, text: str) -> Download:
    """Return a text as a file of its kind."""
    ending = "" if text.endswith("\n") else "\n"
    return Download(_file_name(target, kind), _MEDIA_TYPES[kind], text + ending)


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
    found = Induction(work.ruleset, work.left_out)
    held = work.folds[0] if work.folds and work.searched is work.table else None
    options = _report_options(work)
    report = gather_report(work.table, found, work.question.settings, options=options, held=held, step=step)
    return render_report(report)


def _workbook_with_predictions(work: Work) -> bytes:
    """Write the workbook as it was dropped, with predictions beside its table; a new one if it was none."""
    source, file = work.upload.source, io.BytesIO()
    added = predictions(work.ruleset, source)
    if source.workbook is not None and source.workbook.can_be_kept:
        write_into_workbook(source.workbook, added, file)
    else:
        write_table(typed_frame(source).join(added), file, format="xlsx")
    return file.getvalue()


def _table(work: Work) -> str:
    """Every row of the file, also those whose target is missing."""
    source = work.upload.source
    file = io.StringIO()
    write_table(source.frame.join(predictions(work.ruleset, source)), file, format="csv")
    return file.getvalue()
