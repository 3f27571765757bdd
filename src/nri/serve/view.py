"""View: what the page shows, as plain data that becomes JSON. Nothing here is markup."""

import datetime as dt
from typing import Any

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.induce.costs import MeanCost, mean_cost
from nri.induce.diagnostics import Diagnostics
from nri.induce.long import SEARCHED_ROWS
from nri.induce.resample import HeldOut
from nri.rule import Clause, Column, Evidence, Kind, Label, Literal, RuleSet, Value, literal_truth
from nri.rule.explain import tally
from nri.rule.phrase import BARE, CONFLICTS, outline_of, phrase_label, phrase_literal, phrase_value
from nri.serve.upload import ColumnProfile, TargetProfile, Upload, guess_target
from nri.serve.work import Work
from nri.table.cells import number_as_text
from nri.table.source import Workbook
from nri.tasks.fairness import Groups, by_group, protected_columns

Json = dict[str, Any]

PAGE = 50
"""Most rows that are shown at once."""
LONGEST_CELL = 120
"""Letters of a cell that are shown."""


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


def filter_counts(work: Work) -> dict[str, int]:
    """Count the rows of each filter; a filter for each clause is ``clause:RULE:CLAUSE``."""
    return {name: int(_mask(work, name).sum()) for name in filters(work)}


def filters(work: Work) -> list[str]:
    """Name the ways in which the rows can be looked at."""
    clauses = [f"clause:{r}:{c}" for r, rule in enumerate(work.ruleset.rules) for c in range(len(rule.rule))]
    return ["all", "right", "wrong", "false_alarm", "missed", "covered", *clauses]


def rows_page(work: Work, name: str, offset: int) -> dict[str, Any]:
    """Return a page of the rows that a filter (see :func:`filters`) keeps, the rule's columns first."""
    if name not in filters(work):
        raise InputError(f"no rows are called {name!r}; choose one of {', '.join(filters(work)[:6])}")
    chosen = np.flatnonzero(_mask(work, name))
    shown = chosen[max(0, offset) :][:PAGE]
    table = work.table
    first = list(work.ruleset.columns)
    order = [*first, *(name for name in table.names if name not in set(first))]
    texts = [[cell_text(table.columns[name].cell(row)) for row in shown] for name in order]
    return {
        "filter": name,
        "total": len(chosen),
        "offset": max(0, offset),
        "page": PAGE,
        "columns": order,
        "read": len(first),
        "rows": [
            {
                "row": int(row),
                "number": int(table.numbers[row]),
                "label": phrase_label(work.table.classes[work.table.codes[row]]),
                "said": phrase_label(work.table.classes[work.said[row]]),
                "right": bool(work.said[row] == work.table.codes[row]),
                "covered": bool(work.covered[row]),
                "cells": [column[i] for column in texts],
            }
            for i, row in enumerate(shown)
        ],
    }


def explain_row(work: Work, row: int) -> dict[str, Any]:
    """Tell which clauses hold on a row or, when none does, what the nearest ones lack."""
    if not 0 <= row < work.n_rows:
        raise InputError(f"no row {row + 1}: the table has rows 1 to {work.n_rows}")
    columns = {name: work.columns[name].take(np.array([row])) for name in work.ruleset.columns}
    (told,) = work.ruleset.explain(columns, 1)
    actual = work.table.classes[work.table.codes[row]]
    return {
        "row": row,
        "number": int(work.table.numbers[row]),
        "target": work.ruleset.target,
        "label": phrase_label(actual),
        "said": phrase_label(told.label),
        "right": bool(told.label == actual),
        "probability": told.probability,
        "fired": [
            {
                "label": phrase_label(one.label),
                "tally": tally(one.clause, len(held)) if one.clause.counts else None,
                "literals": _checked(one.clause, columns),
            }
            for one, held in zip(told.fired, told.held, strict=True)
        ],
        "nearest": [
            {
                "label": phrase_label(one.label),
                "lacks": one.lacks,
                "tally": one.told[0] if one.clause.counts else None,
                "literals": _checked(one.clause, columns),
            }
            for one in told.nearest
        ],
    }


def cell_text(cell: Value | None) -> str | None:
    """Write a cell as a person would, None if it is missing; long texts are cut."""
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return number_as_text(cell) if float(cell).is_integer() else f"{cell:.8g}"
    if isinstance(cell, dt.datetime):
        return phrase_value(cell)
    text = str(cell)
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def _mask(work: Work, name: str) -> BoolArray:
    """[M], the rows that a filter keeps."""
    right: BoolArray = work.said == work.table.codes
    covered = work.covered
    match name.split(":"):
        case ["right"]:
            return right
        case ["wrong"]:
            return ~right
        case ["false_alarm"]:
            return ~right & covered
        case ["missed"]:
            return ~right & ~covered
        case ["covered"]:
            return covered
        case ["clause", rule, clause]:
            return work.fires[work.ruleset.rules[int(rule)].label][:, int(clause)]
    return np.ones(work.n_rows, dtype=bool)


def _checked(clause: Clause, columns: dict[str, Column]) -> list[dict[str, Any]]:
    """Tell of each condition whether it holds on the only row, and what the cell is."""
    told = []
    for literal in clause:
        holds, known = (bool(truth[0]) for truth in literal_truth(literal, columns))
        state = "holds" if holds else "fails" if known else "unknown"
        cell = cell_text(columns[literal.column].cell(0))
        told.append({"text": phrase_literal(literal, BARE), "state": state, "cell": cell})
    return told
