"""Rows: pages of the table with what the rule says about each, and why it says so."""

import datetime as dt
from typing import Any

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.rule import Clause, Column, Value, literal_truth
from nri.rule.explain import tally
from nri.rule.phrase import BARE, phrase_label, phrase_literal, phrase_value
from nri.serve.work import Work
from nri.table.cells import number_as_text

PAGE = 50
"""Most rows that are shown at once."""
LONGEST_CELL = 120
"""Letters of a cell that are shown."""


def filter_counts(work: Work) -> dict[str, int]:
    """Count the rows of each filter; a filter for each clause is ``clause:RULE:CLAUSE``."""
    return {name: int(_mask(work, name).sum()) for name in filters(work)}


def filters(work: Work) -> list[str]:
    """Name the ways in which the rows can be looked at."""
    clauses = [f"clause:{r}:{c}" for r, rule in enumerate(work.ruleset.rules) for c in range(len(rule.rule))]
    return ["all", "right", "wrong", "false_alarm", "missed", "covered", *clauses]


def rows_page(work: Work, name: str, offset: int) -> dict[str, Any]:
    """Return a page of the rows that a filter keeps, the rule's columns first.

    Parameters
    ----------
    work
        The table and its rule.
    name
        One of :func:`filters`.
    offset
        How many of the rows come before this page.
    """
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
