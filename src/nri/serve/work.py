"""Work: a question about an uploaded table, its rule, the rule after edits, and the files to take along."""

import csv
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
from nri.induce.alternatives import Alternatives, alternatives
from nri.induce.assemble import coded_predictions, constant_rule, count_classes, count_clauses
from nri.induce.induce import Induction, induced
from nri.induce.validate import HeldOut, cores, hold_out, price_of_knowledge, stratified_sample
from nri.outcome import Classes
from nri.report import ReportOptions, gather_report, render_report
from nri.rule import FORMATS, Dnf, Label, Rule
from nri.serve.question import LABELS, Question, read, read_clauses
from nri.serve.upload import Upload
from nri.table.frames import plain_cells
from nri.table.table import Table
from nri.table.write import as_written, protect_from_formulas, typed_columns, write_into_workbook, write_table
from nri.tasks.predictions import predictions

SEED = 0  # The same table and question give the same rule.
TRIED_ROWS = 8000  # Most rows, drawn from a longer table, by which to say what to expect of new ones.
WITHIN = 0.02  # How much worse than the best other rules may be: a person sees the difference beside each.


@dataclass(frozen=True, eq=False)
class Work:
    """A question, its rule and the table; every edit makes a new one."""

    question: Question
    induction: Induction  # the rule as it was induced
    rule: Rule  # the rule as it stands
    price: str | None  # what the user's knowledge costs; None if there is none
    upload: Upload
    table: Table  # the rows whose target is known
    folds: list[HeldOut] = field(default_factory=list)
    """the cross-validation of the search, once it was made; all edits of a rule share it"""
    others: list[Alternatives] = field(default_factory=list)
    """other rules of the search, once they were looked for; all edits of a rule share them"""
    search: list[Induction] = field(default_factory=list)  # the search itself, until then

    @cached_property
    def deciding(self) -> IntArray:
        """[M]: the branch that decides each row; their number where none fires."""
        return self.rule.decide(self.table.columns, len(self.table))

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """[M]: class indices, numbers or risks."""
        return coded_predictions(self.rule, self.table)

    @cached_property
    def tried(self) -> Table:
        """The rows that an estimate for new rows is made from: all of them, or a sample of a long table."""
        return stratified_sample(self.table, TRIED_ROWS, np.random.default_rng(SEED))

    @property
    def edited(self) -> bool:
        """Whether the rule is another than the one that was induced."""
        return _decisions(self.rule) != _decisions(self.induction.rule)

    def rest(self) -> Callable[[Upload], "Work"]:
        """Return how to go on once the table was read again; until then it leaves the memory."""
        question, induction, rule, price = self.question, self.induction, self.rule, self.price
        return lambda upload: Work(question, induction, rule, price, upload, question.rows_of(upload.table))


def answer(upload: Upload, question: Question) -> Work:
    """Induce the rule that a question asks for; a long table is searched in a sample, and counted in full."""
    table = question.rows_of(upload.table)
    question = _with_kept_clauses(question, table)
    search = induced(table, question.settings, np.random.default_rng(SEED))
    rule = _with_class_to_add(search.rule, table)
    price = price_of_knowledge(table, question.settings, rule, rng=np.random.default_rng(SEED))
    induction = replace(search, rule=rule, posterior=None, search=None)
    return Work(question, induction, rule, str(price) if price else None, upload, table, search=[search])


def edited(work: Work, data: Any) -> Work:
    """Put other branches in the place of the present ones: in their order, and counted anew.

    The page sends ``{"branches": [{"literals", "at_least", "label"}], "otherwise"}``. Labels are the classes
    that are predicted; a number or a risk is counted. An unchanged rule keeps what is expected of new rows.
    """
    sent = read(data, "branches", list)
    clauses = read_clauses(data, "branches", {name: work.table.plans[name] for name in work.table.names})
    values: list[Label] | None = None
    if isinstance(work.table.outcome, Classes):
        last = read(data, "otherwise", *LABELS, default=work.induction.rule.default)
        values = [*(read(one, "label", *LABELS) for one in sent), last]
        for label in values:
            work.rule.labels.index(label)
    rule = count_clauses(clauses, work.table, values)
    rules = [work.induction.rule, *(one.rule for result in work.others for one in result.all_rules)]
    return replace(work, rule=next((one for one in rules if _decisions(one) == _decisions(rule)), rule))


def _decisions(rule: Rule) -> tuple[Any, ...]:
    """Return what makes a rule another one: clauses, classes and the rows behind it."""
    of_classes = rule.predicts.kind == "classes"  # numbers and risks follow from the clauses
    return rule.clauses, [one.value for one in rule.estimates if of_classes], rule.support.rows


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


def find_alternatives(work: Work) -> Alternatives:
    """Return other rules for the question that are nearly as good as the one induced."""
    if not work.others:
        rng, settings = np.random.default_rng(SEED), work.question.settings
        induction = work.search.pop() if work.search else None
        work.others.append(alternatives(work.table, settings, within=WITHIN, rng=rng, induction=induction))
    return work.others[0]


_TABLES = ("csv", "xlsx")  # What the table with predictions is written as.
KINDS = (*FORMATS, *_TABLES)  # What can be downloaded: the rule in every format, and its predictions in two.


def make_download(work: Work, kind: str, dialect: str | None = None) -> tuple[bytes, str]:
    """Write the rule, or the table with its predictions; return also what the file is called."""
    if kind not in KINDS:
        raise InputError(f"no download {kind!r}; choose one of {', '.join(KINDS)}")
    if kind in _TABLES:
        return _with_predictions(work, kind), _file_name(work, "predictions", f".{kind}")
    text = work.rule.render(kind, dialect=dialect).removesuffix("\n")
    return f"{text}\n".encode(), _file_name(work, "rule", FORMATS[kind].suffix)


def _file_name(work: Work, what: str, suffix: str) -> str:
    """Name a file after the target, in plain ASCII: every file system takes it, and so does a header."""
    stem = re.sub(r"[^A-Za-z0-9]+", "_", work.rule.target).strip("_").lower()[:40]
    return "_".join(filter(None, [what, stem])) + suffix


REPORT = ReportOptions(seconds=3.0)  # Resampling goes on for a few seconds only: the user waits for it.


def report_line(work: Work, step: Callable[[], None]) -> dict[str, str]:
    """Write the report, and return it as the last line of its progress."""
    question, induction = work.question, replace(work.induction, rule=work.rule)
    options = replace(
        REPORT, source=work.upload.name, prevalence=question.prevalence, protect=question.protect
    )
    held = work.folds[0] if work.folds and work.tried is work.table else None
    parts: dict[str, Any] = {"held": held, "others": work.others[0] if work.others else None}
    report = gather_report(work.table, induction, question.settings, options=options, step=step, **parts)
    return {"name": _file_name(work, "report", ".html"), "content": render_report(report)}


def _with_predictions(work: Work, kind: str) -> bytes:
    """Write every row with its prediction, formulas made harmless; a workbook keeps its other cells."""
    source, file = work.upload.source, io.BytesIO()
    added = predictions(work.rule, source)
    if kind == "csv":
        text, written = io.StringIO(), {**source.rows, **added}.items()
        rows = zip(*([name, *as_written(plain_cells(cells))] for name, cells in written), strict=True)
        csv.writer(text, lineterminator="\n").writerows(map(protect_from_formulas, row) for row in rows)
        return text.getvalue().encode()
    if source.workbook is not None and source.workbook.can_be_kept:
        write_into_workbook(source.workbook, added, file)
    else:
        write_table({**typed_columns(source), **added}, file, format="xlsx")
    return file.getvalue()
