"""Work: a question about an uploaded table, the rule that was found, and the rule after edits."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from nri.arrays import BoolArray, IntArray
from nri.errors import InputError
from nri.induce.estimates import lone_teller
from nri.induce.path import induce_rules
from nri.induce.resample import HeldOut, some_of_each_class
from nri.rule import ColumnPlan, Columns, Kind, Rule, RuleSet, clause_matrix, count_ruleset
from nri.rule.labels import Label
from nri.serve.question import Question
from nri.serve.upload import Upload
from nri.table.reading import recast
from nri.table.table import Table
from nri.table.target import describe, label_table
from nri.table.usable import LeftOut

SEED = 0
"""The same table and wishes give the same rule."""
SEARCHED_ROWS = 2000
"""A rule is looked for in so many rows, unless all are wished for: that takes about a second."""


@dataclass(frozen=True, eq=False)
class Work:
    """What a visitor is working on; every edit makes a new one."""

    upload: Upload
    question: Question
    table: Table
    """the rows whose target is known"""
    searched: Table
    """the rows that the rule was looked for in: all of them, or a sample of a long table"""
    remark: str
    left_out: tuple[LeftOut, ...]
    found: RuleSet
    """the rule as it was induced"""
    ruleset: RuleSet
    """the rule as it stands"""
    folds: list[HeldOut] = field(default_factory=list)
    """the cross-validation of the search, once somebody asked for it; all edits of a rule share it"""

    @property
    def columns(self) -> Columns:
        """The cells of the table."""
        return self.table.columns

    @cached_property
    def said(self) -> IntArray:
        """[M], class index that the rule gives each row."""
        return self.ruleset.predict_index(self.columns, self.n_rows)

    @cached_property
    def fires(self) -> dict[Label, BoolArray]:
        """For each class with a rule [M, clauses], where each clause fires."""
        return {
            rule.label: clause_matrix(rule.rule, self.columns, self.n_rows) for rule in self.ruleset.rules
        }

    @cached_property
    def covered(self) -> BoolArray:
        """[M], rows on which some clause fires."""
        covered: BoolArray = np.zeros(self.n_rows, dtype=bool)
        for fires in self.fires.values():
            covered |= fires.any(axis=1)
        return covered

    @property
    def n_rows(self) -> int:
        """M"""
        return len(self.table)

    @cached_property
    def alone(self) -> str | None:
        """The column that tells every row by itself, if the rule found reads no other."""
        return lone_teller(self.found, self.searched)

    @property
    def edited(self) -> bool:
        """Whether the rule is another than the one that was induced."""
        return _rules(self.ruleset) != _rules(self.found)


def answer(upload: Upload, question: Question) -> Work:
    """Induce the rule that a question asks for.

    In a long table it is looked for in a sample of the rows; what is told about it is counted on all rows.
    """
    table = label_table(upload.table, question.target, question.positive)
    rng = np.random.default_rng(SEED)
    searched = table if question.all_rows else some_of_each_class(table, SEARCHED_ROWS, rng)
    found = induce_rules(searched, question.settings, rng=rng)
    ruleset = _with_empty_rule(found.ruleset, table.positive)
    useless = {column.name for column in upload.columns if column.left_out is not None}
    work = Work(
        upload=upload,
        question=question,
        table=table,
        searched=searched,
        remark=describe(table, len(upload.table)),
        left_out=tuple(one for one in found.left_out if searched is table or one.column in useless),
        found=ruleset,
        ruleset=ruleset,
    )
    return work if searched is table else _counted_on_all_rows(work)


def with_rules(work: Work, rules: dict[Label, Rule]) -> Work:
    """Put edited rules in the place of the present ones and count their evidence anew."""
    known = {rule.label for rule in work.ruleset.rules}
    if set(rules) != known:
        raise InputError("the edited rule is about other classes than the present one; reload the page")
    kinds: dict[str, Kind] = {}
    for rule in rules.values():
        for literal in (literal for clause in rule for literal in clause):
            if kinds.setdefault(literal.column, literal.kind) is not literal.kind:
                raise InputError(
                    f"column {literal.column!r} is compared as {kinds[literal.column]} and as {literal.kind}"
                )
    ruleset = count_ruleset(
        work.table.target,
        work.table.classes,
        rules,
        {name: recast(work.table.columns[name], ColumnPlan(kind), name) for name, kind in kinds.items()},
        work.table.class_weights,
        default=work.found.default,
    )
    return replace(work, ruleset=ruleset.with_plans(work.table.plans))


def _counted_on_all_rows(work: Work) -> Work:
    """Count a rule found in a sample on all rows; clauses that are less precise there than asked go."""
    counted = with_rules(work, _rules(work.found))
    least = work.question.settings.min_precision
    kept = {
        rule.label: Rule(
            clause
            for clause, evidence in zip(rule.rule, rule.evidence, strict=True)
            if (evidence.share(counted.ruleset.index_of(rule.label)) or 0.0) >= least
        )
        for rule in counted.ruleset.rules
    }
    counted = with_rules(work, kept)
    return replace(counted, found=counted.ruleset)


def _with_empty_rule(ruleset: RuleSet, positive: int | None) -> RuleSet:
    """Where no rule pays for itself, leave an empty one for a person to fill in."""
    if ruleset.rules or len(ruleset.classes) != 2:
        return ruleset
    other = 1 - ruleset.index_of(ruleset.default)
    label = ruleset.classes[other if positive is None else positive]
    default = next(one for one in ruleset.classes if one != label)
    counts = np.asarray(ruleset.support.counts)[None, :]
    return count_ruleset(ruleset.target, ruleset.classes, {label: Rule([])}, {}, counts, default=default)


def _rules(ruleset: RuleSet) -> dict[Label, Rule]:
    return {rule.label: rule.rule for rule in ruleset.rules}
