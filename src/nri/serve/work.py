"""Work: a question about an uploaded table, the rule that was found, and the rule after edits."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nri.episode import BoolArray, IntArray
from nri.errors import InputError
from nri.induce.labelled import label_table
from nri.induce.path import LabelledTable, induce_ruleset
from nri.induce.words import Support
from nri.rule import Columns, Kind, Rule, RuleSet, clause_matrix, gather_ruleset
from nri.rule.labels import Label
from nri.serve.question import Question
from nri.serve.upload import Upload
from nri.table.columns import columns_of
from nri.table.kinds import LeftOut

SEED = 0
"""The same table and wishes give the same rule."""
SEARCHED_ROWS = 2000
"""A rule is looked for in so many rows, unless all are wished for: that takes about a second."""
LEAST_OF_CLASS = 50
"""A sample has at least so many rows of each class, if there are that many."""


@dataclass(frozen=True, eq=False)
class Work:
    """What a visitor is working on; every edit makes a new one."""

    upload: Upload
    question: Question
    table: LabelledTable
    """the rows whose target is known"""
    searched: LabelledTable
    """the rows that the rule was looked for in: all of them, or a sample of a long table"""
    positive: int | None
    remark: str
    left_out: tuple[LeftOut, ...]
    found: RuleSet
    """the rule as it was induced"""
    ruleset: RuleSet
    """the rule as it stands"""

    @cached_property
    def columns(self) -> Columns:
        """The cells that the rule reads."""
        return self.columns_for(self.ruleset)

    def columns_for(self, ruleset: RuleSet) -> Columns:
        """Return the cells that a rule reads."""
        return columns_of(self.table.features, ruleset.columns, ruleset.kinds)

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
        return len(self.table.codes)

    @property
    def edited(self) -> bool:
        """Whether the rule is another than the one that was induced."""
        return _rules(self.ruleset) != _rules(self.found)


def answer(upload: Upload, question: Question) -> Work:
    """Induce the rule that a question asks for.

    In a long table it is looked for in a sample of the rows; what is told about it is counted on all rows.
    """
    asked = label_table(upload.frame, question.target, question.positive)
    rng = np.random.default_rng(SEED)
    searched = asked.table if question.all_rows else sample_of(asked.table, SEARCHED_ROWS, rng)
    found = induce_ruleset(searched, question.settings, rng=rng, positive=asked.positive)
    ruleset = _with_empty_rule(found.ruleset, asked.positive)
    useless = {column.name for column in upload.columns if column.left_out is not None}
    work = Work(
        upload=upload,
        question=question,
        table=asked.table,
        searched=searched,
        positive=asked.positive,
        remark=asked.remark,
        left_out=tuple(one for one in found.left_out if searched is asked.table or one.column in useless),
        found=ruleset,
        ruleset=ruleset,
    )
    return work if searched is asked.table else _counted_on_all_rows(work)


def sample_of(table: LabelledTable, most: int, rng: np.random.Generator) -> LabelledTable:
    """Return about so many rows, classes in proportion but a few at least of each; short tables whole.

    Rows keep their order.
    """
    n = len(table.codes)
    if n <= most:
        return table
    chosen = []
    for code in range(len(table.classes)):
        rows = np.flatnonzero(table.codes == code)
        wanted = max(round(most * len(rows) / n), LEAST_OF_CLASS)
        chosen.append(rng.permutation(rows)[:wanted])
    kept = np.sort(np.concatenate(chosen))
    return LabelledTable(table.features.iloc[kept], table.codes[kept], table.classes, table.target)


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
    columns = columns_of(work.table.features, kinds, kinds)
    support = Support(columns, work.table.codes, np.ones(work.n_rows), work.table.classes, work.table.target)
    ruleset = gather_ruleset(
        support.target,
        support.classes,
        rules,
        support.columns,
        support.class_weights,
        default=work.found.default,
    )
    return replace(work, ruleset=ruleset)


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
    return gather_ruleset(ruleset.target, ruleset.classes, {label: Rule([])}, {}, counts, default=default)


def _rules(ruleset: RuleSet) -> dict[Label, Rule]:
    return {rule.label: rule.rule for rule in ruleset.rules}
