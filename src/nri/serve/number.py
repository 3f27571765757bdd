"""Numbers on the page: a question about a number, its segments, and what can be taken along of them."""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.regress.path import NumberInduction, induce_segments
from nri.rule import Segments
from nri.rule.render.numbers import explained_line, told
from nri.serve.downloads import Download, download_of
from nri.serve.question import Question
from nri.serve.upload import Upload
from nri.serve.view import view_literal
from nri.table.table import Table
from nri.table.target import describe, with_target
from nri.table.write import write_table
from nri.tasks.predictions import predictions

SEED = 0
_FOLDS = 3
"""Folds of a report that somebody waits for."""


@dataclass(frozen=True, eq=False)
class NumberWork:
    """What a visitor is told about a number."""

    upload: Upload
    question: Question
    table: Table
    found: NumberInduction

    @property
    def rule(self) -> Segments:
        """The segments."""
        return self.found.segments

    def at_rest(self) -> "NumberAtRest":
        """Return what there is but for the table."""
        return NumberAtRest(self.question, self.found)


@dataclass(frozen=True)
class NumberAtRest:
    """A work about a number whose table is not in memory."""

    question: Question
    found: NumberInduction

    def resumed(self, upload: Upload) -> NumberWork:
        """Go on with the table, read again."""
        table = with_target(upload.table, self.question.target, self.question.positive)
        return NumberWork(upload, self.question, table, self.found)


def answer_number(upload: Upload, question: Question) -> NumberWork | None:
    """Find the segments that a question asks for; None if it does not ask about a number."""
    table = with_target(upload.table, question.target, question.positive)
    if table.measured is None:
        return None
    found = induce_segments(table, question.settings, rng=np.random.default_rng(SEED))
    return NumberWork(upload, question, table, found)


def view_number(work: NumberWork) -> dict[str, Any]:
    """Describe the segments in the order in which they are tried; the last is the rest."""
    return {
        "target": work.rule.target,
        "rows": len(work.table),
        "remark": describe(work.table, len(work.upload.table)),
        "explained": work.rule.explained,
        "note": explained_line(work.rule),
        "segments": [
            {
                "literals": [view_literal(literal) for literal in row.clause or ()],
                "value": row.value,
                "interval": row.interval,
                "usual": row.usual,
                "covers": row.covers,
            }
            for row in told(work.rule)
        ],
        "left_out": [{"column": one.column, "reason": str(one.reason)} for one in work.found.left_out],
    }


def number_download(work: NumberWork, kind: str, dialect: str | None = None) -> Download:
    """Write the rule, a report about it, or the table with its predictions."""
    if kind == "report":
        from nri.report.number import gather_number_report, render_number_report
        from nri.report.records import ReportOptions

        options = ReportOptions(source=work.upload.name, folds=_FOLDS)
        report = gather_number_report(work.table, work.found, work.question.settings, options=options)
        return download_of(work.rule.target, kind, render_number_report(report))
    if kind == "csv":
        file = io.StringIO()
        source = work.upload.source
        write_table(source.frame.join(predictions(work.rule, source)), file, format="csv")
        return download_of(work.rule.target, kind, file.getvalue())
    if kind not in ("json", "sql", "python"):
        raise InputError(f"no download {kind!r} for a number; choose json, sql, python, report or csv")
    return download_of(work.rule.target, kind, work.rule.render(kind, dialect=dialect))
