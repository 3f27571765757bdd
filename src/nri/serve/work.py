"""Work: a question about an uploaded table, the rule that was induced, and the rule after edits."""

from collections.abc import Callable, Sequence
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
from nri.rule import Clause, Dnf, Label, Rule, clause_matrix
from nri.serve.question import Question, as_object, listed, read_clauses, read_label
from nri.serve.upload import Upload
from nri.table.table import Table
from nri.table.target import describe
from nri.tasks.predictions import leaking_column

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

    @property
    def remark(self) -> str:
        """One line on the rows."""
        return describe(self.table, len(self.upload.table))

    @cached_property
    def deciding(self) -> IntArray:
        """[M]: the branch that decides each row; their number where none fires."""
        return self.rule.decide(self.table.columns, self.n_rows)

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """[M]: class indices, numbers or risks."""
        return coded_predictions(self.rule, self.table)

    @cached_property
    def leaking(self) -> str | None:
        """The only column that the induced rule reads, if it predicts every row."""
        return leaking_column(self.answer.induction.rule, self.table)

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
    labels: list[Label | None] = [None] * len(rule.branches)
    if rule.predicts.kind == "classes":
        labels = [branch.value for branch in rule.branches]
    return list(zip(rule.clauses, labels, strict=True))


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
    profiles = {column.name: column for column in work.upload.columns if column.name in work.table.columns}
    clauses = read_clauses(data.get("branches"), profiles)
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
    keep = _kept_rule(label, clauses, table)
    known = replace(question.settings.knowledge, keep=keep)
    return replace(question, settings=replace(question.settings, knowledge=known))


def _kept_rule(label: Label | None, clauses: Sequence[Clause], table: Table) -> Rule:
    if not isinstance(table.outcome, Classes):
        return count_clauses(clauses, table)
    if len(table.classes) != 2 or label is None or label not in table.classes:
        raise InputError("clauses can be kept in a rule about one of two classes; let them go, or choose one")
    (other,) = (one for one in table.classes if one != label)
    return count_classes({label: Dnf(clauses)}, other, table)


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
