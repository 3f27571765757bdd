"""Work: a question about an uploaded table, its rule, the rule after edits, and the files to take along."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import IntArray
from nri.errors import InputError
from nri.induce.assemble import coded_predictions, constant_rule, count_classes, count_clauses
from nri.induce.induce import Induction, induce_rule
from nri.induce.validate import (
    HeldOut,
    KnowledgePrice,
    cores,
    hold_out,
    price_of_knowledge,
    stratified_sample,
)
from nri.outcome import Classes
from nri.report import ReportOptions, gather_report, render_report, steps_of
from nri.rule import FORMATS, Clause, Dnf, Label, Rule, clause_matrix
from nri.serve.question import Question, as_object, listed, read_clauses, read_label
from nri.serve.upload import Upload
from nri.table.table import Table
from nri.table.write import typed_frame, write_into_workbook, write_table
from nri.tasks.leaks import Leak, leak
from nri.tasks.predictions import predictions

SEED = 0
"""The same table and question give the same rule."""
TRIED_ROWS = 8000
"""What to expect of new rows is estimated on so many rows at most, drawn from a longer table."""


@dataclass(frozen=True)
class Answer:
    """A question and its rule: what is kept while the table is not in memory."""

    question: Question
    induction: Induction
    """the rule as it was induced"""
    rule: Rule
    """the rule as it stands"""
    price: KnowledgePrice | None = None
    """what the user's knowledge costs; None if there is none"""


@dataclass(frozen=True, eq=False)
class Work:
    """An answer beside its table; every edit makes a new one."""

    upload: Upload
    answer: Answer
    table: Table
    """the rows whose target is known"""
    folds: list[HeldOut] = field(default_factory=list)
    """the cross-validation of the search, once it was made; all edits of a rule share it"""

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.answer.question

    @property
    def rule(self) -> Rule:
        """The rule as it stands."""
        return self.answer.rule

    @property
    def n_rows(self) -> int:
        """M"""
        return len(self.table)

    @cached_property
    def deciding(self) -> IntArray:
        """[M]: the branch that decides each row; their number where none fires."""
        return self.rule.decide(self.table.columns, self.n_rows)

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """[M]: class indices, numbers or risks."""
        return coded_predictions(self.rule, self.table)

    @cached_property
    def leaking(self) -> Leak | None:
        """The one or two columns that the induced rule reads, if they predict nearly every row."""
        return leak(self.answer.induction.rule, self.table)

    @cached_property
    def tried(self) -> Table:
        """The rows that an estimate for new rows is made from: all of them, or a sample of a long table."""
        return stratified_sample(self.table, TRIED_ROWS, np.random.default_rng(SEED))

    @property
    def edited(self) -> bool:
        """Whether the rule is another than the one that was induced."""
        return _statements(self.rule) != _statements(self.answer.induction.rule)


def _statements(rule: Rule) -> list[tuple[Clause, Label | None]]:
    """Return the clauses, each with the class that it predicts."""
    of_classes = rule.predicts.kind == "classes"
    return [(branch.clause, branch.value if of_classes else None) for branch in rule.branches]


def answer(upload: Upload, question: Question) -> Work:
    """Induce the rule that a question asks for; a long table is searched in a sample, and counted in full."""
    table = question.rows_of(upload.table)
    question = _with_kept_clauses(question, table)
    induction = induce_rule(table, question.settings, rng=np.random.default_rng(SEED))
    rule = _with_class_to_add(induction.rule, table)
    price = price_of_knowledge(table, question.settings, rule, rng=np.random.default_rng(SEED))
    return Work(upload, Answer(question, replace(induction, rule=rule, posterior=None), rule, price), table)


def resumed(upload: Upload, kept: Answer) -> Work:
    """Go on with the table, read again."""
    return Work(upload, kept, kept.question.rows_of(upload.table))


def edited(work: Work, data: Any) -> Work:
    """Put other branches in the place of the present ones: in their order, and counted anew.

    So the page sends a rule back: ``{"branches": [{"literals", "at_least", "label"}]}``. The label is the
    class that a branch predicts; a number or a risk is predicted as counted.
    """
    data = as_object(data)
    kinds = {name: column.kind for name, column in work.table.columns.items()}
    clauses = read_clauses(data.get("branches"), kinds)
    values: list[Label] | None = None
    if isinstance(work.table.outcome, Classes):
        sent = [as_object(one) for one in listed(data.get("branches"), "branches", len(clauses))]
        values = [*(read_label(one, "label") for one in sent), work.answer.induction.rule.default]
        for label in values:
            work.rule.labels.index(label)
    fires = clause_matrix(clauses, work.table.columns, work.n_rows)
    rule = work.table.explained.rule(clauses, fires, work.table.weights, values).with_plans(work.table.plans)
    return replace(work, answer=replace(work.answer, rule=rule))


def _with_kept_clauses(question: Question, table: Table) -> Question:
    """Put clauses that the user keeps into the knowledge of the search."""
    if question.keep is None:
        return question
    label, clauses = question.keep
    table.require(Dnf(clauses).columns)
    if not isinstance(table.outcome, Classes):
        keep = count_clauses(clauses, table)
    elif len(table.classes) != 2 or label is None or label not in table.classes:
        raise InputError("clauses can be kept in a rule about one of two classes; let them go, or choose one")
    else:
        (other,) = (one for one in table.classes if one != label)
        keep = count_classes({label: Dnf(clauses)}, other, table)
    known = replace(question.settings.knowledge, keep=keep)
    return replace(question, settings=replace(question.settings, knowledge=known))


def _with_class_to_add(rule: Rule, table: Table) -> Rule:
    """Of two classes without a branch, let the rule say the one that the user did not ask about."""
    outcome = table.outcome
    if rule.branches or not isinstance(outcome, Classes) or len(outcome.classes) != 2:
        return rule
    return rule if outcome.positive is None else constant_rule(table, outcome.classes[1 - outcome.positive])


def held_out(work: Work, step: Callable[[], None]) -> HeldOut:
    """Cross-validate the search with the user's settings, not a rule that was edited by hand.

    The folds are kept with the work: a report about the same rows takes them over.
    """
    if not work.folds:
        rng, settings = np.random.default_rng(SEED), work.question.settings
        work.folds.append(hold_out(work.tried, settings, rng=rng, jobs=cores(), step=step))
    return work.folds[0]


@dataclass(frozen=True)
class Download:
    """A file for the user."""

    name: str
    media_type: str
    content: bytes


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
    if kind not in KINDS:
        raise InputError(f"no download {kind!r}; choose one of {', '.join(KINDS)}")
    if kind in ("csv", "xlsx"):
        content = _with_predictions(work, kind)
    else:
        text = _report(work) if kind == "report" else work.rule.render(kind, dialect=dialect)
        content = (text if text.endswith("\n") else text + "\n").encode()
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


def _with_predictions(work: Work, kind: str) -> bytes:
    """Write every row of the file with its prediction, also those whose target is missing.

    A workbook stays as it was dropped, with predictions beside its table.
    """
    source, file = work.upload.source, io.BytesIO()
    added = predictions(work.rule, source)
    if kind == "csv":
        text = io.StringIO()
        write_table(source.frame.join(added), text, format="csv")
        return text.getvalue().encode()
    if source.workbook is not None and source.workbook.can_be_kept:
        write_into_workbook(source.workbook, added, file)
    else:
        write_table(typed_frame(source).join(added), file, format="xlsx")
    return file.getvalue()
