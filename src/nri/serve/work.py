"""Work: a question about an uploaded table, the rule that was found, and the rule after edits."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from nri.arrays import BoolArray, IntArray
from nri.errors import InputError
from nri.induce.estimates import lone_teller
from nri.induce.path import induce_rules
from nri.induce.price import Price, price_of_knowledge
from nri.induce.resample import HeldOut, cores, hold_out, some_of_each_class
from nri.rule import ColumnPlan, Columns, Dnf, Kind, RuleSet, clause_matrix, count_ruleset
from nri.rule.labels import Label
from nri.serve.fields import as_object, listed, read_clauses
from nri.serve.question import Question
from nri.serve.upload import Upload
from nri.table.reading import recast
from nri.table.table import Table
from nri.table.target import describe, label_table
from nri.table.usable import LeftOut

SEED = 0
"""The same table and wishes give the same rule."""
TRIED_ROWS = 8000
"""What to expect of new rows is estimated on so many rows at most, drawn from a longer table."""


@dataclass(frozen=True, eq=False)
class Work:
    """What a visitor is working on; every edit makes a new one."""

    upload: Upload
    question: Question
    table: Table
    """the rows whose target is known"""
    remark: str
    left_out: tuple[LeftOut, ...]
    found: RuleSet
    """the rule as it was induced"""
    ruleset: RuleSet
    """the rule as it stands"""
    price: Price | None = None
    """what it costs that a person knows better; None if nobody said so"""
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
        return lone_teller(self.found, self.table)

    @cached_property
    def tried(self) -> Table:
        """The rows that an estimate for new rows is made from: all of them, or a sample of a long table."""
        return some_of_each_class(self.table, TRIED_ROWS, np.random.default_rng(SEED))

    @property
    def edited(self) -> bool:
        """Whether the rule is another than the one that was induced."""
        return _rules(self.ruleset) != _rules(self.found)

    def at_rest(self) -> "WorkAtRest":
        """Return what there is but for the table."""
        return WorkAtRest(self.question, self.remark, self.left_out, self.found, self.ruleset, self.price)


@dataclass(frozen=True)
class WorkAtRest:
    """A work whose table is not in memory; folds are made again when somebody asks for them."""

    question: Question
    remark: str
    left_out: tuple[LeftOut, ...]
    found: RuleSet
    ruleset: RuleSet
    price: Price | None

    def resumed(self, upload: Upload) -> Work:
        """Go on with the table, read again."""
        return Work(
            upload=upload,
            question=self.question,
            table=label_table(upload.table, self.question.target, self.question.positive),
            remark=self.remark,
            left_out=self.left_out,
            found=self.found,
            ruleset=self.ruleset,
            price=self.price,
        )


def answer(upload: Upload, question: Question) -> Work:
    """Induce the rule that a question asks for.

    A long table is searched as :mod:`nri.induce.long` does: in some of its rows, and chosen by all of them.
    """
    table = label_table(upload.table, question.target, question.positive)
    question = _with_kept_clauses(question, table)
    rng = np.random.default_rng(SEED)
    found = induce_rules(table, question.settings, rng=rng)
    ruleset = _with_empty_rule(found.ruleset, table.positive)
    return Work(
        upload=upload,
        question=question,
        table=table,
        remark=describe(table, len(upload.table)),
        left_out=found.left_out,
        found=ruleset,
        ruleset=ruleset,
        price=price_of_knowledge(table, question.settings, ruleset, rng=np.random.default_rng(SEED)),
    )


def edited_rules(data: Any, work: Work) -> dict[Label, Dnf]:
    """Read ``{"rules": [{"clauses": [...]}]}``, one rule for each class that has one.

    So the page sends rules back after somebody dropped, added or changed a condition. They stand in the order
    of the present rule set's, so no label needs to be sent back.
    """
    rules = listed(as_object(data).get("rules"), "rules", len(work.ruleset.rules))
    if len(rules) != len(work.ruleset.rules):
        raise InputError("the edited rule has another number of classes; reload the page")
    profiles = {column.name: column for column in work.upload.columns}
    profiles = {name: profiles[name] for name in work.table.names}
    return {
        present.label: Dnf(read_clauses(as_object(rule).get("clauses"), profiles))
        for present, rule in zip(work.ruleset.rules, rules, strict=True)
    }


def with_rules(work: Work, rules: dict[Label, Dnf]) -> Work:
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
    return replace(work, ruleset=_counted(rules, kinds, work.table, work.found.default))


def _counted(rules: dict[Label, Dnf], kinds: dict[str, Kind], table: Table, default: Label) -> RuleSet:
    columns = {name: recast(table.columns[name], ColumnPlan(kind), name) for name, kind in kinds.items()}
    ruleset = count_ruleset(table.target, table.classes, rules, columns, table.class_weights, default=default)
    return ruleset.with_plans(table.plans)


def _with_kept_clauses(question: Question, table: Table) -> Question:
    """Put clauses that a person wants to keep into what is known when a rule is looked for."""
    if question.keep is None:
        return question
    label, rule = question.keep
    if len(table.classes) != 2 or label not in table.classes:
        raise InputError("clauses can be kept in a rule about one of two classes; let them go, or choose one")
    table.require(rule.columns)
    (other,) = (one for one in table.classes if one != label)
    kinds = {literal.column: literal.kind for clause in rule for literal in clause}
    kept = _counted({label: rule}, kinds, table, other)
    known = replace(question.settings.knowledge, keep=kept)
    return replace(question, settings=replace(question.settings, knowledge=known))


def _with_empty_rule(ruleset: RuleSet, positive: int | None) -> RuleSet:
    """Where no rule pays for itself, leave an empty one for a person to fill in."""
    if ruleset.rules or len(ruleset.classes) != 2:
        return ruleset
    other = 1 - ruleset.index_of(ruleset.default)
    label = ruleset.classes[other if positive is None else positive]
    default = next(one for one in ruleset.classes if one != label)
    counts = np.asarray(ruleset.support.counts)[None, :]
    return count_ruleset(ruleset.target, ruleset.classes, {label: Dnf([])}, {}, counts, default=default)


def _rules(ruleset: RuleSet) -> dict[Label, Dnf]:
    return {rule.label: rule.rule for rule in ruleset.rules}


def held_out(work: Work, step: Callable[[], None]) -> HeldOut:
    """Cross-validate the search with the visitor's wishes, not a rule that was edited by hand.

    The folds are kept with the work: a report about the same rows takes them over.
    """
    if not work.folds:
        work.folds.append(
            hold_out(
                work.tried,
                work.question.settings,
                rng=np.random.default_rng(SEED),
                jobs=cores(),
                step=step,
            )
        )
    return work.folds[0]
