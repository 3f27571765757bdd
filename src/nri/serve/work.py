"""Work: a question about an uploaded table, the rule that was found, and the rule after edits."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nri.assemble import Support
from nri.episode import BoolArray, IntArray
from nri.errors import InputError
from nri.induction import LabelledTable, induce_ruleset
from nri.labelled import label_table
from nri.rule import Columns, Kind, Rule, RuleSet, clause_matrix, gather_ruleset
from nri.rule.labels import Label
from nri.serve.question import Question
from nri.serve.upload import Upload
from nri.table.columns import columns_of
from nri.table.kinds import LeftOut

SEED = 0
"""The same table and wishes give the same rule."""


@dataclass(frozen=True, eq=False)
class Work:
    """What a visitor is working on; every edit makes a new one."""

    upload: Upload
    question: Question
    table: LabelledTable
    """the rows whose target is known"""
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
    """Induce the rule that a question asks for."""
    asked = label_table(upload.frame, question.target, question.positive)
    found = induce_ruleset(
        asked.table, question.settings, rng=np.random.default_rng(SEED), positive=asked.positive
    )
    ruleset = _with_empty_rule(found.ruleset, asked.positive)
    return Work(
        upload=upload,
        question=question,
        table=asked.table,
        positive=asked.positive,
        remark=asked.remark,
        left_out=found.left_out,
        found=ruleset,
        ruleset=ruleset,
    )


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
