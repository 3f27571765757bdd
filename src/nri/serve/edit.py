"""Edit: rules as the page sends them back after somebody dropped, added or changed a condition."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.rule import Clause, ColumnPlan, Kind, Label, Literal, Op, Rule, Value
from nri.rule.literal import plain_value
from nri.serve.profile import ColumnProfile
from nri.serve.question import as_object
from nri.serve.work import Work
from nri.table.cells import TextCells
from nri.table.reading import read_by

MAX_CLAUSES = 100
MAX_LITERALS = 50
"""Far more than anybody reads, and few enough to be counted at once."""


def read_rules(data: Any, work: Work) -> dict[Label, Rule]:
    """Read ``{"rules": [{"clauses": [{literals, at_least}]}]}``, one rule for each class that has one.

    A literal is ``{column, op, value}``; where ``at_least`` is null all literals of the clause must hold.
    Rules stand in the order of the present rule set's, so no label needs to be sent back.
    """
    rules = _listed(as_object(data).get("rules"), "rules", len(work.ruleset.rules))
    if len(rules) != len(work.ruleset.rules):
        raise InputError("the edited rule has another number of classes; reload the page")
    profiles = {column.name: column for column in work.upload.columns}
    profiles = {name: profiles[name] for name in work.table.names}
    return {
        present.label: Rule(
            _clause(clause, profiles)
            for clause in _listed(as_object(rule).get("clauses"), "clauses", MAX_CLAUSES)
        )
        for present, rule in zip(work.ruleset.rules, rules, strict=True)
    }


def _clause(data: Any, profiles: Mapping[str, ColumnProfile]) -> Clause:
    fields = as_object(data)
    literals = [_literal(one, profiles) for one in _listed(fields.get("literals"), "a clause", MAX_LITERALS)]
    needed = fields.get("at_least")
    if needed is not None and (isinstance(needed, bool) or not isinstance(needed, int)):
        raise InputError(f"at least {needed!r} conditions cannot be asked for; use a whole number")
    return Clause(literals, needed)


def _listed(data: Any, what: str, most: int) -> list[Any]:
    if not isinstance(data, list):
        raise InputError(f"{what} must be a list; reload the page")
    if len(data) > most:
        raise InputError(f"{what} has {len(data)} parts; use at most {most}")
    return data


def _literal(data: Any, profiles: Mapping[str, ColumnProfile]) -> Literal:
    fields = as_object(data)
    name = fields.get("column")
    if not isinstance(name, str) or name not in profiles:
        raise InputError(f"no column {name!r} to compare; choose one of the list")
    try:
        op = Op(str(fields.get("op")))
    except ValueError:
        raise InputError(f"no comparison {fields.get('op')!r}; use one of {' '.join(Op)}") from None
    return Literal(name, op, _value(fields.get("value"), profiles[name]))


def _value(value: Any, profile: ColumnProfile) -> Value:
    """Read a value as the kind of its column; numbers and dates may come as somebody typed them."""
    if profile.kind is Kind.BOOLEAN:
        return True  # "not" is said by the comparison
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise InputError(f"column {profile.name!r} needs a value to compare with")
    if profile.kind is Kind.TEXT:
        return str(value)
    if isinstance(value, int | float) and profile.kind is Kind.NUMBER:
        return plain_value(value)
    asked = TextCells(np.zeros(1, dtype=np.int64), (str(value).strip(),))
    try:
        read = read_by(asked, ColumnPlan(profile.kind, stated=False), profile.name)
    except InputError:
        raise InputError(
            f"{value!r} is no {profile.kind}, as the cells of {profile.name!r} are; type one"
        ) from None
    return plain_value(read.column.values[0])
