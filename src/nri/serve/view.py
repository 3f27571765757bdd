"""View: what the page shows, as plain data that becomes JSON. Nothing here is markup."""

import datetime as dt
from typing import Any

import numpy as np

from nri.induce.costs import MeanCost, mean_cost
from nri.induce.diagnostics import Diagnostics
from nri.induce.long import SEARCHED_ROWS
from nri.induce.resample import HeldOut
from nri.rule import Clause, Evidence, Kind, Label, Literal, RuleSet, Value
from nri.rule.phrase import BARE, CONFLICTS, outline_of, phrase_label, phrase_literal, phrase_value
from nri.serve.profile import ColumnProfile, TargetProfile, guess_target
from nri.serve.rows import filter_counts
from nri.serve.upload import Upload
from nri.serve.work import Work
from nri.table.source import Workbook
from nri.tasks.fairness import Groups, by_group, protected_columns

Json = dict[str, Any]


def view_upload(upload: Upload) -> Json:
    """Describe an uploaded table."""
    return {
        "name": upload.name,
        "rows": len(upload.table),
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
        "searched": min(work.n_rows, SEARCHED_ROWS),
        "tried": len(work.tried),
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
        "conflicts": CONFLICTS if len(outline_of(ruleset).rules) > 1 else None,
        "scores": scores(work),
        "filters": filter_counts(work),
        "left_out": [{"column": one.column, "reason": str(one.reason)} for one in work.left_out],
        "edited": work.edited,
        "alone": None if work.edited else work.alone,
        "price": None if work.price is None else str(work.price),
        "groups": [
            _groups(by_group(work.table, ruleset, column))
            for column in dict.fromkeys([*work.question.protect, *protected_columns(ruleset)])
        ],
    }


def scores(work: Work) -> Json:
    """Count how well the rule does on the rows of the table.

    ``precision`` is the share of right rows among those that a clause decides, ``coverage`` the share of
    rows that one decides, ``recall`` the share that is covered of the class of a lone rule, ``base`` the
    accuracy of always saying the most frequent class, ``cost`` what a row costs where errors have costs.
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
        "cost": view_cost(mean_cost(work.table, work.said, work.question.settings.costs)),
    }


def view_cost(cost: MeanCost | None) -> Json | None:
    """Describe what a row costs on average, beside what saying one class always does."""
    if cost is None:
        return None
    return {"mean": cost.mean, "error": cost.error, "always": cost.always, "text": phrase_label(cost.label)}


def view_literal(literal: Literal) -> Json:
    """Describe a condition: its parts, and how it reads."""
    boolean = literal.kind is Kind.BOOLEAN
    return {
        "column": literal.column,
        "op": literal.op.value,
        "value": plain(literal.value),
        "kind": literal.kind.value,
        "name": BARE.name(literal.column),
        "shown": "" if boolean else phrase_value(literal.value),
        "text": phrase_literal(literal, BARE),
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


def view_held_out(work: Work, held: HeldOut) -> Json:
    """Describe how the search does on rows it has not seen."""
    told = held.diagnostics([rule.label for rule in work.found.rules], work.question.prevalence)
    return {
        "accuracy": held.accuracy.mean,
        "error": held.accuracy.error,
        "cost": view_cost(held.cost(work.question.settings.costs)),
        "diagnostics": [_diagnostics(one) for one in told],
    }


def _diagnostics(one: Diagnostics) -> Json:
    return {
        "label": phrase_label(one.label),
        "prevalence": one.prevalence,
        "assumed": one.assumed,
        "measures": [
            {"name": name, "value": measure.value, "low": measure.interval.low, "high": measure.interval.high}
            for name, measure in one.measures.items()
        ],
    }
