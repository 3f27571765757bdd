"""Push down: a rule as expressions of ibis, so that whatever holds the rows says what the rule says."""

import datetime as dt
import functools
import operator
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from nri.errors import InputError, UnknownColumnError
from nri.rule.clause import Clause
from nri.rule.rule import Rule
from nri.rule.literal import Kind, Literal, Op
from nri.rule.plan import ColumnPlan

_LARGEST = sys.float_info.max
_COMPARISONS = {Op.EQ: operator.eq, Op.NE: operator.ne, Op.GT: operator.gt, Op.LE: operator.le}


def decided_in(rule: Rule, table: Any, outcomes: Mapping[str, Sequence[Any]]) -> Any:
    """Return a table of ibis with more columns.

    Parameters
    ----------
    rule
        Whose clauses are tried in order.
    table
        Where the rows are; nothing is asked of it here.
    outcomes
        For each new column what it holds where each decision is the first to fire, and at last where none is.
    """
    import ibis

    columns = {name: _cells(table, name, plan) for name, plan in rule.plans.items()}
    taken = {str(name) for name in table.columns}
    for name in outcomes:
        if name in taken:
            raise InputError(f"the table has a column {name!r} already; rename or drop it")
    fired = [_fires(branch.clause, columns, rule.plans) for branch in rule.branches]
    if not fired:
        return table.mutate(**{name: _value(values[-1]) for name, values in outcomes.items()})
    place = next(f"decided_{i}" for i in range(len(taken) + 1) if f"decided_{i}" not in taken)
    branches = [(condition, number) for number, condition in enumerate(fired)]
    numbered = table.mutate(**{place: ibis.cases(*branches, else_=len(fired))})
    said = {
        name: ibis.cases(
            *((numbered[place] == number, _value(value)) for number, value in enumerate(values[:-1])),
            else_=_value(values[-1]),
        )
        for name, values in outcomes.items()
    }
    return numbered.mutate(**said).drop(place)


def _cells(table: Any, name: str, plan: ColumnPlan) -> Any:
    """Return a column as what the rule compares it with; NULL where it is unknown."""
    import ibis

    if name not in table.columns:
        raise UnknownColumnError(name, tuple(table.columns))
    column = table[name]
    kind = column.type()
    if plan.kind is Kind.TEXT and kind.is_string():
        return column
    if plan.kind is Kind.DATE and (kind.is_timestamp() or kind.is_date()):
        return column.cast("timestamp")
    if plan.kind in (Kind.NUMBER, Kind.BOOLEAN) and (kind.is_numeric() or kind.is_boolean()):
        if kind.is_boolean():
            return column if plan.kind is Kind.BOOLEAN else column.cast("int64").cast("float64")
        value = column.cast("float64")
        finite = value.between(-_LARGEST, _LARGEST)  # some engines take NaN for the largest number
        value = ibis.ifelse(finite, value, ibis.null("float64")) if kind.is_floating() else value
        return value == 1.0 if plan.kind is Kind.BOOLEAN else value
    raise InputError(f"column {name!r} is {kind} where the rule reads a {plan.kind}; cast it first")


def _fires(clause: Clause, columns: Mapping[str, Any], plans: Mapping[str, ColumnPlan]) -> Any:
    import ibis

    held = [_holds(literal, columns[literal.column], plans[literal.column]) for literal in clause]
    if not held:
        return ibis.literal(True)
    if clause.counts:
        votes = [ibis.cases((one, 1), else_=0) for one in held]
        return functools.reduce(operator.add, votes) >= clause.at_least
    return functools.reduce(operator.and_, held)


def _holds(literal: Literal, column: Any, plan: ColumnPlan) -> Any:
    import ibis

    if plan.kind is Kind.BOOLEAN:
        return column if literal.op is Op.EQ else ~column
    if plan.kind is Kind.TEXT:
        known = _is_category(column, str(literal.value), plan)
        return known if literal.op is Op.EQ else ~known
    value: Any = literal.value
    if isinstance(value, dt.datetime):
        value = ibis.timestamp(value.isoformat(sep=" "))
    else:
        value = _value(float(value))
    return _COMPARISONS[literal.op](column, value)


def _value(value: Any) -> Any:
    """Write a value; a fraction as a text that becomes exactly this float64, for else it may be a decimal."""
    import ibis

    return ibis.literal(repr(value)).cast("float64") if isinstance(value, float) else ibis.literal(value)


def _is_category(column: Any, text: str, plan: ColumnPlan) -> Any:
    """Write that a text is one, in any of its spellings; a plan that folds them knows new ones too."""
    listed = column.isin(list(plan.spelled(text)))
    if not plan.folded:
        return listed
    others = [other for other in (*plan.categories, *plan.spellings) if other not in plan.spelled(text)]
    folded = column.re_replace(r"\s+", " ").strip().lower() == " ".join(text.split()).casefold()
    return listed | (folded & ~column.isin(others) if others else folded)
