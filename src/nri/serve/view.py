"""View: what the page shows, as plain data that becomes JSON. Nothing here is markup."""

import datetime as dt
from dataclasses import replace

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.induce.alternatives import Alternative, Alternatives
from nri.induce.folds import note_on_rows
from nri.induce.validate import HeldOut, mean_cost
from nri.outcome import Classes, Number, Score, Survival
from nri.outcome.score import Measure
from nri.rule import Clause, Column, Kind, Literal, NumberTarget, RenderOptions, SurvivalTarget
from nri.rule.explain import tally
from nri.rule.literal import Value
from nri.rule.phrase import BARE, phrase_label, phrase_literal, phrase_value
from nri.rule.render.as_text import outline_of
from nri.rule.truth import literal_truth
from nri.serve.upload import Json, plain, view_label
from nri.serve.work import Work, find_alternatives
from nri.table.cells import number_as_text
from nri.table.target import describe
from nri.tasks.fairness import Group, Groups, by_group, protected_columns

PAGE = 50  # Most rows that are shown at once.
LONGEST_CELL = 120  # Letters of a cell that are shown.
STYLE = replace(BARE, negation="not {}", unequal="\N{NOT EQUAL TO}", at_most="\N{LESS-THAN OR EQUAL TO}")
"""How conditions read on the page."""
MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"  # Where there is no number.


def view_work(work: Work) -> Json:
    """Describe a rule, how well it does on the table, and how that differs from the rule first found.

    ``lines`` are the branches in the order in which they are tried, and the ELSE; each has its cells as
    ``titles`` names them, and a hint with those that the page has no place for. A rule that ``is_dnf`` reads
    IF a OR b THEN one class ELSE the other.
    """
    rule, target, induction = work.rule, work.rule.predicts, work.induction
    leak = None if work.edited else work.leaking
    outline, of_classes = outline_of(rule, RenderOptions()), isinstance(work.table.outcome, Classes)
    shown = [i for i, pattern in enumerate(outline.patterns) if pattern]
    beside = [2] if of_classes else [i for i, pattern in enumerate(outline.patterns) if not pattern]
    labels = [view_label(one.value) if of_classes else None for one in rule.estimates]
    shares = [rule.labels.share(one) if of_classes else None for one in rule.estimates]
    return {
        "target": rule.target,
        "title": f"{target.time} until {target.name}" if isinstance(target, SurvivalTarget) else rule.target,
        "kind": rule.predicts.kind,
        "classes": [view_label(label) for label in rule.classes] if of_classes else [],
        "columns": list(work.table.names),
        "remark": describe(work.table, len(work.upload.table)),
        "rows": len(work.table),
        "searched": induction.searched or len(work.table),
        "tried": len(work.tried),
        "titles": ["prediction", "share", "rows"] if of_classes else [outline.titles[i] for i in shown],
        "is_dnf": outline.is_dnf or (of_classes and not rule.branches and len(rule.classes) == 2),
        "note": outline.note,
        "lines": [
            {
                **_clause(line.clause),
                "opening": line.opening,
                "cells": [line.cells[i] for i in shown],
                "hint": ", ".join(f"{outline.titles[i]}: {line.cells[i]}" for i in beside),
                "label": label,
                "share": share,
                "rows": int((work.deciding == index).sum()),
            }
            for index, (line, label, share) in enumerate(zip(outline.lines, labels, shares, strict=True))
        ],
        "scores": scores(work),
        "filters": {name: int(rows.sum()) for name, rows in filters(work).items()},
        "left_out": [{"column": one.column, "reason": str(one.reason)} for one in induction.left_out],
        "edited": work.edited,
        "leaking": leak and {"text": str(leak), "column": leak.columns[0]},
        "price": work.price,
        "groups": [
            _groups(by_group(work.table, rule, column), work)
            for column in dict.fromkeys([*work.question.protect, *protected_columns(rule)])
        ],
    }


def view_alternatives(work: Work) -> Json:
    """Describe rules nearly as good, what each column of the best is worth, and the best of each size.

    ``columns`` and ``frontier`` name rules by their place in ``rules``, of which the first ``listed`` are to
    choose from.
    """
    shelf = find_alternatives(work)
    rules = shelf.all_rules
    place = {id(one.rule): i for i, one in enumerate(rules)}
    return {
        "measure": shelf.measure,
        "basis": shelf.basis,
        "within": shelf.within,
        "sampled": shelf.sampled,
        "listed": len(shelf.rules),
        "shortest": place[id(shelf.shortest.rule)],
        "frontier": [place[id(one.rule)] for one in shelf.frontier],
        "columns": [
            {"column": one.column, "without": place[id(one.without.rule)], "stand_ins": list(one.stand_ins)}
            for one in shelf.columns
        ],
        "rules": [_alternative(one, shelf) for one in rules],
    }


def _alternative(one: Alternative, shelf: Alternatives) -> Json:
    """Describe a rule beside the best one; its branches are as an edited rule has them."""
    outline, of_classes = outline_of(one.rule, RenderOptions()), one.rule.predicts.kind == "classes"
    scale, digits = (1, 3) if shelf.measure == "cost" else (100, 1)
    ends = (f"{scale * end:.{digits}f}" for end in (one.interval.low, one.interval.high))
    values = [view_label(each.value) if of_classes else None for each in one.rule.estimates]
    return {
        "size": one.lines,
        "columns": list(one.columns),
        "score": one.score,
        "shown": f"{one.score:.3f}",
        "words": one.words,
        "interval": "" if one is shelf.best else " to ".join(ends).replace("-", MINUS),
        "lines": [
            {**_clause(line.clause), "opening": line.opening, "label": label, "cell": line.cells[0]}
            for line, label in zip(outline.lines, values, strict=True)
        ],
    }


def scores(work: Work) -> dict[str, Json]:
    """Count how well the rule does on the rows of the table: for each score its value and how it reads.

    ``precision`` is the share of right rows among those that a branch decides, ``coverage`` the share of rows
    that one decides, ``recall`` the share that is covered of the class of a lone rule.
    """
    outcome, covered = work.table.explained, work.deciding < len(work.rule.branches)
    of_rows = f"of {len(work.table):,} rows"
    coverage = _share_tile("Coverage", covered, f"{covered.sum():,} {of_rows}")
    if not isinstance(outcome, Classes):
        score = outcome.score(work.predicted, work.table.weights)
        return {**_measured(score, work), "coverage": coverage}
    right = work.predicted == outcome.codes
    by_class = np.bincount(outcome.codes)
    commonest = f"Always {phrase_label(outcome.classes[by_class.argmax()])}"
    only = work.rule.described[0] if len(work.rule.described) == 1 and len(outcome.classes) == 2 else None
    about = "with a clause" if only is None else f"called {phrase_label(only)}"
    tiles = {
        "accuracy": _share_tile("Accuracy", right, f"{right.sum():,} {of_rows}"),
        "precision": _share_tile("Precision", right[covered], f"of the rows {about}"),
        "coverage": coverage,
    }
    if only is not None:
        of_class = outcome.codes == outcome.classes.index(only)
        note = f"of the rows that are {phrase_label(only)}"
        tiles["recall"] = _share_tile("Sensitivity", covered[of_class], note)
    tiles["always"] = _share_tile(commonest, outcome.codes == by_class.argmax(), "of the rows")
    cost = mean_cost(work.table, work.predicted, work.question.settings)
    if cost is not None:
        note = f"a row (always {phrase_label(cost.label)}: {cost.always:.2f})"
        tiles["cost"] = _tile(f"Mean {cost.measure}", cost.mean, f"{cost.mean:.2f}", note, less=True)
    return tiles


def _measured(score: Score, work: Work) -> dict[str, Json]:
    """Describe R² with the mean error, or the concordance."""
    target = work.rule.predicts
    if not isinstance(target, NumberTarget):
        note = "of pairs, the earlier event has the higher risk (chance: 0.5)"
        return {"concordance": _tile("Concordance", score.value, f"{score.value:.3f}", note)}
    error = score.details["mean_absolute_error"]
    note = f"a row (always the median: {target.amount(score.details['mean_absolute_error_of_median'])})"
    variance = f"{_percent(max(score.value, 0.0))} of the variance of these rows"
    return {
        "r2": _tile("R²", score.value, f"{score.value:.2f}", variance),
        "error": _tile("Mean error", error, target.amount(error), note, less=True),
    }


def _tile(title: str, value: float, text: str, note: str, *, less: bool = False) -> Json:
    """Describe a score; ``less`` says that a smaller one is better."""
    return {"title": title, "value": value, "text": text, "note": note, "less_is_better": less}


def _share_tile(title: str, rows: BoolArray, note: str) -> Json:
    share = float(rows.mean()) if len(rows) else None
    return {"title": title, "value": share, "text": _percent(share), "note": note, "is_share": True}


def view_held_out(work: Work, held: HeldOut) -> Json:
    """Describe how the search does on rows it has not seen."""
    score, target = held.score, work.rule.predicts
    note, diagnostics, cost = f"± {score.error:.2f}", [], None
    if isinstance(held.table.outcome, Classes):
        note = f"± {100 * score.error:.1f}"
        described = work.induction.rule.described
        diagnostics = [
            {
                "label": phrase_label(one.label),
                "prevalence": one.prevalence,
                "assumed": one.assumed,
                "measures": [{"name": name, **_interval(found)} for name, found in one.measures.items()],
            }
            for one in held.diagnostics(described, work.question.prevalence)
        ]
        cost = held.cost(work.question.settings)
    elif isinstance(target, NumberTarget):
        note += f", off by {target.amount(score.details['mean_absolute_error'])} a row"
    arranged = work.table.groups is not None or work.table.time_order is not None
    doubt = "" if arranged else note_on_rows(work.table, lambda name: f"Limits: {name}")
    return {
        "measure": score.measure,
        "value": score.value,
        "error": score.error,
        "text": _percent(score.value) if score.measure == "accuracy" else str(score).split(" ")[0],
        "note": note,
        "method": held.method if arranged else "cross-validated",
        "warning": "; ".join(text for text in (score.warning, doubt) if text),
        "cost": None if cost is None else f"{cost.mean:.2f} ± {cost.error:.2f}",
        "diagnostics": diagnostics,
    }


def _interval(measure: Measure) -> Json:
    return {"value": measure.value, "low": measure.interval.low, "high": measure.interval.high}


_GROUP_TITLES = {
    "classes": ["a branch fires on", "right on"],
    "number": ["a branch fires on", "mean prediction", "mean"],
    "survival": ["a branch fires on", "mean predicted risk", "risk"],
}


def _groups(groups: Groups, work: Work) -> Json:
    target = work.rule.predicts
    write = target.amount if isinstance(target, NumberTarget) else "{:.2f}".format

    def measures(group: Group) -> list[Json | str]:
        if group.right is not None:
            return [_interval(group.fires), _interval(group.right)]
        means = (group.predicted, group.actual)
        return [_interval(group.fires), *(NONE if one is None else write(one) for one in means)]

    return {
        "column": groups.column,
        "used": groups.used,
        "titles": _GROUP_TITLES[target.kind],
        "groups": [
            {"name": group.name, "rows": group.rows, "measures": measures(group)} for group in groups.groups
        ],
    }


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
        "filter": name,
        "total": len(chosen),
        "offset": offset,
        "page": PAGE,
        "columns": list(order),
        "read": len(first),
        "rows": [
            {
                **_row(work, row),
                "cells": [cell_text(table.columns[column].cell(row)) for column in order],
            }
            for row in chosen[offset:][:PAGE].tolist()
        ],
    }


def explain_row(work: Work, row: int) -> Json:
    """Return which branches hold on a row and what the nearest ones lack."""
    if not 0 <= row < len(work.table):
        raise InputError(f"no row {row + 1}: the table has rows 1 to {len(work.table)}")
    columns = {name: work.table.columns[name].take(np.array([row])) for name in work.rule.columns}
    (explanation,) = work.rule.explain(columns, 1)

    def checked(clause: Clause, count: str) -> Json:
        literals = [_checked(literal, columns) for literal in clause]
        return {"tally": count if clause.counts else None, "literals": literals}

    return {
        **_row(work, row),
        "target": work.rule.target,
        "predicted": work.rule.predicts.describe(explanation.estimate),
        "fired": [
            checked(branch.clause, tally(branch.clause, len(held)))
            for branch, held in zip(explanation.fired, explanation.held, strict=True)
        ],
        "nearest": [checked(one.clause, one.lines[0]) for one in explanation.nearest],
    }


def _checked(literal: Literal, columns: dict[str, Column]) -> Json:
    """Return whether a condition holds on the only row, and what the cell is."""
    holds, known = (bool(truth[0]) for truth in literal_truth(literal, columns))
    state = "holds" if holds else "fails" if known else "unknown"
    cell = cell_text(columns[literal.column].cell(0))
    return {"text": phrase_literal(literal, STYLE), "state": state, "cell": cell}


def _row(work: Work, row: int) -> Json:
    """Describe a row by its number in the file and its outcome; no number or risk is ``right`` or wrong."""
    outcome, target, estimate = (
        work.table.explained,
        work.rule.predicts,
        work.rule.estimates[work.deciding[row]],
    )
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


def _clause(clause: Clause | None) -> Json:
    """Describe the condition of a branch, each part with how it reads; the ELSE has none."""
    if clause is None:
        return {"literals": [], "at_least": None, "counts": False}
    literals = [
        {
            "column": literal.column,
            "op": literal.op.value,
            "value": plain(literal.value),
            "kind": literal.kind.value,
            "name": STYLE.name(literal.column),
            "shown": "" if literal.kind is Kind.BOOLEAN else phrase_value(literal.value),
            "text": phrase_literal(literal, STYLE),
        }
        for literal in clause
    ]
    return {"literals": literals, "at_least": clause.at_least, "counts": clause.counts}


def _percent(share: float | None) -> str:
    """Write a share with a digit where it needs one, e.g. ``96.7 %``."""
    if share is None:
        return NONE
    return f"{100 * share:.1f}".removesuffix(".0") + "\N{NO-BREAK SPACE}%"


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
