"""View: what the page shows, as plain data that becomes JSON. Nothing here is markup."""

import datetime as dt
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.induce.folds import note_on_rows
from nri.induce.validate import mean_cost
from nri.outcome import Classes, Number, Score, Survival
from nri.outcome.score import Measure
from nri.rule import ALWAYS, Clause, Columns, Kind, NumberTarget, RenderOptions, Rule, SurvivalTarget
from nri.rule.explain import tally
from nri.rule.literal import Value
from nri.rule.phrase import BARE, phrase_label, phrase_literal, phrase_value
from nri.rule.render.as_text import Outline, outline_of
from nri.rule.truth import literal_truth
from nri.serve.upload import Json, view_label
from nri.serve.work import Work, find_alternatives, held_out
from nri.table.cells import number_as_text
from nri.tasks.fairness import Group, by_group, protected_columns
from nri.tasks.leaks import leak

PAGE = 50  # Most rows that are shown at once.
LONGEST_CELL = 120  # Letters of a cell that are shown.
STYLE = replace(BARE, negation="not {}", unequal="\N{NOT EQUAL TO}", at_most="\N{LESS-THAN OR EQUAL TO}")
"""How conditions read on the page."""


def plain(value: Any) -> Any:
    """Return a record by its fields and a moment as ISO 8601, for :func:`json.dumps` to go on with."""
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return {one.name: getattr(value, one.name) for one in fields(value)}


def view_work(work: Work) -> Json:
    """Describe a rule, how well it does on the table, and how that differs from the rule first found.

    ``lines`` are the branches in the order in which they are tried, and the ELSE; each has its cells as
    ``titles`` names them. A rule that ``is_dnf`` reads IF a OR b THEN one class ELSE the other.
    """
    rule, target, induction = work.rule, work.rule.predicts, work.induction
    leaking = None if work.edited else leak(induction.rule)
    outline, of_classes = outline_of(rule, RenderOptions()), isinstance(work.table.outcome, Classes)
    shares = [rule.labels.share(one) if of_classes else None for one in rule.estimates]
    rows = np.bincount(work.deciding, minlength=len(shares)).tolist()
    protected = dict.fromkeys([*work.question.protect, *protected_columns(rule)])
    return {
        "target": rule.target,
        "title": f"{target.time} until {target.name}" if isinstance(target, SurvivalTarget) else rule.target,
        "kind": target.kind,
        "classes": [view_label(label) for label in rule.classes] if of_classes else [],
        "columns": work.table.names,
        "rows": len(work.table),
        "searched": induction.searched or len(work.table),
        "tried": len(work.tried),
        "titles": outline.titles,
        "is_dnf": outline.is_dnf or (of_classes and not rule.branches and len(rule.classes) == 2),
        "note": outline.note,
        "lines": [
            {**line, "share": share, "rows": decided}
            for line, share, decided in zip(_lines(rule, outline), shares, rows, strict=True)
        ],
        "scores": scores(work),
        "filters": {name: int(rows.sum()) for name, rows in filters(work).items()},
        "left_out": induction.left_out,
        "edited": work.edited,
        "leaking": leaking and {"text": str(leaking), "column": leaking.columns[0]},
        "price": work.price,
        "groups": [_groups(work, column) for column in protected],
    }


def view_alternatives(work: Work) -> Json:
    """Describe rules nearly as good, what each column of the best is worth, and the best of each size.

    ``columns`` and ``frontier`` name rules by their place in ``rules``; the first ``listed`` can be chosen.
    """
    others = find_alternatives(work)
    rules = others.all_rules
    place = {id(one.rule): i for i, one in enumerate(rules)}
    return {
        "measure": others.measure,
        "basis": others.basis,
        "within": others.within,
        "sampled": others.sampled,
        "listed": len(others.rules),
        "shortest": place[id(others.shortest.rule)],
        "frontier": [place[id(one.rule)] for one in others.frontier],
        "columns": [
            {"column": one.column, "without": place[id(one.without.rule)], "stand_ins": one.stand_ins}
            for one in others.columns
        ],
        "rules": [
            {
                "size": one.lines,
                "columns": one.columns,
                "score": one.score,
                "words": one.words,
                "interval": None if one is others.best else one.interval,
                "lines": _lines(one.rule, outline_of(one.rule, RenderOptions())),
            }
            for one in rules
        ],
    }


def _lines(rule: Rule, outline: Outline) -> list[Json]:
    """Describe the branches and the ELSE, which always holds."""
    labels = [view_label(one.value) if rule.predicts.kind == "classes" else None for one in rule.estimates]
    return [
        {**_clause(line.clause or ALWAYS), "opening": line.opening, "cells": line.cells, "label": label}
        for line, label in zip(outline.lines, labels, strict=True)
    ]


def _clause(clause: Clause) -> Json:
    """Describe the condition of a branch, each part with how it reads."""
    literals = [
        {
            **plain(literal),
            "name": STYLE.name(literal.column),
            "shown": "" if literal.kind is Kind.BOOLEAN else phrase_value(literal.value),
            "text": phrase_literal(literal, STYLE),
        }
        for literal in clause
    ]
    return {"literals": literals, "at_least": clause.at_least, "counts": clause.counts}


def scores(work: Work) -> dict[str, Json]:
    """Count how well the rule does on the rows of the table.

    ``precision`` is the share of right rows among those that a branch decides, ``coverage`` the share of rows
    that one decides, ``recall`` the share that is covered of the class of a lone rule.
    """
    outcome, covered = work.table.explained, work.deciding < len(work.rule.branches)
    if not isinstance(outcome, Classes):
        score = outcome.score(work.predicted, work.table.weights)
        return {**_measured(score, work), "coverage": _share(covered)}
    right, described = work.predicted == outcome.codes, work.rule.described
    lone = outcome.classes.index(described[0]) if len(described) == 1 and len(outcome.classes) == 2 else None
    commonest = int(np.bincount(outcome.codes).argmax())
    about, always = (None if i is None else phrase_label(outcome.classes[i]) for i in (lone, commonest))
    measures = {
        "accuracy": _share(right),
        "precision": _share(right[covered], about),
        "coverage": _share(covered),
    }
    if lone is not None:
        measures["recall"] = _share(covered[outcome.codes == lone], about)
    measures["always"] = _share(outcome.codes == commonest, always)
    cost = mean_cost(work.table, work.predicted, work.question.settings)
    if cost is not None:
        measures["cost"] = {**plain(cost), "value": cost.mean, "about": phrase_label(cost.label)}
    return measures


def _measured(score: Score, work: Work) -> dict[str, Json]:
    """Return R² with the mean error, or the concordance."""
    target = work.rule.predicts
    if not isinstance(target, NumberTarget):
        return {"concordance": {"value": score.value}}
    error, always = score.details["mean_absolute_error"], score.details["mean_absolute_error_of_median"]
    amounts = {"text": target.amount(error), "always": target.amount(always)}
    return {"r2": {"value": score.value}, "error": {"value": error, **amounts}}


def _share(rows: BoolArray, about: str | None = None) -> Json:
    return {"value": float(rows.mean()) if len(rows) else None, "rows": int(rows.sum()), "about": about}


def view_held_out(work: Work, step: Callable[[], None]) -> Json:
    """Describe how the search does on rows it has not seen."""
    held, question, target = held_out(work, step), work.question, work.rule.predicts
    score = held.score
    off = target.amount(score.details["mean_absolute_error"]) if isinstance(target, NumberTarget) else None
    of_classes = isinstance(held.table.outcome, Classes)
    diagnostics = held.diagnostics(work.induction.rule.described, question.prevalence) if of_classes else ()
    cost = held.cost(question.settings) if of_classes else None
    arranged = work.table.groups is not None or work.table.time_order is not None
    doubt = "" if arranged else note_on_rows(work.table, lambda name: f"Limits: {name}")
    return {
        "measure": score.measure,
        "value": score.value,
        "error": score.error,
        "off": off,
        "method": held.method if arranged else "cross-validated",
        "warning": "; ".join(text for text in (score.warning, doubt) if text),
        "cost": cost and str(cost),
        "diagnostics": [
            {**plain(one), "label": phrase_label(one.label), "measures": one.measures} for one in diagnostics
        ],
    }


def _groups(work: Work, column: str) -> Json:
    """Describe the rule on the groups of a column; means are written with their unit."""
    target, groups = work.rule.predicts, by_group(work.table, work.rule, column)
    write = target.amount if isinstance(target, NumberTarget) else "{:.2f}".format

    def measures(group: Group) -> list[Measure | str | None]:
        if group.right is not None:
            return [group.fires, group.right]
        means = (group.predicted, group.actual)
        return [group.fires, *(None if mean is None else write(mean) for mean in means)]

    shown = [{"name": one.name, "rows": one.rows, "measures": measures(one)} for one in groups.groups]
    return {"column": column, "used": groups.used, "groups": shown}


def filters(work: Work) -> dict[str, BoolArray]:
    """Return the rows [M] that each filter keeps; ``branch:N`` keeps those that a branch decides."""
    masks = {"all": np.ones(len(work.table), dtype=bool)}
    covered: BoolArray = work.deciding < len(work.rule.branches)
    if isinstance(work.table.outcome, Classes):
        right = work.predicted == work.table.codes
        masks |= {"right": right, "wrong": ~right}
        masks |= {"false_alarm": ~right & covered, "missed": ~right & ~covered}
    branches = {f"branch:{i}": work.deciding == i for i in range(len(work.rule.estimates))}
    return {**masks, "covered": covered, **branches}


def rows_page(work: Work, name: str, offset: int) -> Json:
    """Return a page of the rows that a filter (see :func:`filters`) keeps, the rule's columns first."""
    masks = filters(work)
    if name not in masks:
        raise InputError(f"no rows are called {name!r}; choose one of {', '.join(list(masks)[:6])}")
    chosen, offset = np.flatnonzero(masks[name]), max(0, offset)
    table, first = work.table, list(work.rule.columns)
    order = dict.fromkeys([*first, *table.names])
    return {
        "total": len(chosen),
        "offset": offset,
        "page": PAGE,
        "columns": list(order),
        "read": len(first),
        "rows": [
            {**_row(work, row), "cells": [cell_text(table.columns[column].cell(row)) for column in order]}
            for row in chosen[offset:][:PAGE].tolist()
        ],
    }


def explain_row(work: Work, row: int) -> Json:
    """Return which branches hold on a row and what the nearest ones lack."""
    if not 0 <= row < len(work.table):
        raise InputError(f"no row {row + 1}: the table has rows 1 to {len(work.table)}")
    columns = {name: work.table.columns[name].take(np.array([row])) for name in work.rule.columns}
    (explanation,) = work.rule.explain(columns, 1)
    return {
        **_row(work, row),
        "predicted": work.rule.predicts.describe(explanation.estimate),
        "fired": [
            _checked(branch.clause, columns, tally(branch.clause, len(held)))
            for branch, held in zip(explanation.fired, explanation.held, strict=True)
        ],
        "nearest": [_checked(one.clause, columns, one.lines[0]) for one in explanation.nearest],
    }


def _checked(clause: Clause, columns: Columns, count: str) -> Json:
    """Return whether each part of a clause holds on the only row, and what its cell is."""
    literals = []
    for literal in clause:
        holds, known = (bool(truth[0]) for truth in literal_truth(literal, columns))
        state = "holds" if holds else "fails" if known else "unknown"
        cell = cell_text(columns[literal.column].cell(0))
        literals.append({"text": phrase_literal(literal, STYLE), "state": state, "cell": cell})
    return {"tally": count if clause.counts else None, "literals": literals}


def _row(work: Work, row: int) -> Json:
    """Describe a row by its number in the file and its outcome; no number or risk is ``right`` or wrong."""
    outcome, target = work.table.explained, work.rule.predicts
    estimate = work.rule.estimates[work.deciding[row]]
    right, predicted = None, target.cells(estimate)[0]
    if isinstance(outcome, Survival):
        happened = "event" if outcome.event[row] else "censored"
        actual = f"{target.amount(outcome.time[row])}, {happened}"  # type: ignore[union-attr]
        predicted = f"risk {estimate.value:.2f}"
    elif isinstance(outcome, Number):
        actual = cell_text(float(outcome.values[row])) or ""
    else:
        right = bool(work.predicted[row] == work.table.codes[row])
        actual = phrase_label(work.table.classes[work.table.codes[row]])
    number = int(work.table.numbers[row])
    return {"row": row, "number": number, "actual": actual, "right": right, "predicted": predicted}


def cell_text(cell: Value | None) -> str | None:
    """Write a cell as a person would, None if it is missing; long texts are cut."""
    if cell is None:
        return None
    if isinstance(cell, bool | dt.datetime):
        return phrase_value(cell)
    if isinstance(cell, int | float):
        return number_as_text(cell) if float(cell).is_integer() else f"{cell:.8g}"
    text = str(cell)
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
