"""By model: conditions for a variable's next values as :func:`nri.induce_rule` induces them.

This is the only place that depends on how nri induces rules and what it returns.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from nri import Settings, induce_rule
from nri.rule import Clause, Column, Columns, Dnf, Kind, Label, Literal, Op
from nri.table import Classes, Table
from nri_dynamics.arrays import IntArray
from nri_dynamics.variables import Variable


def induced_conditions(
    variables: Sequence[Variable],
    target: Variable,
    columns: Columns,
    labels: IntArray,
    model: str,
    rng: np.random.Generator,
) -> tuple[Mapping[Label, Dnf], Label]:
    """Return the condition of each next value that has one, and the value where none holds.

    ``columns`` are the states, ``labels`` [M] the indices of the next values. A model sees measurements as
    low and high, so that it cannot cut them elsewhere.
    """
    cuts = {one.name: one.cut for one in variables if one.cut is not None}
    states = {
        name: Column(column.values > cuts[name], column.known) if name in cuts else column
        for name, column in columns.items()
    }
    n = len(labels)
    table = Table(
        states,
        {one.name: one.plan for one in variables},
        np.ones(n),
        np.arange(1, n + 1),
        Classes(target.name, target.values, labels, 1 if target.is_boolean else None),
        is_matrix=all(one.kind is Kind.BOOLEAN for one in states.values()),
    )
    rule = induce_rule(table, Settings(model=model, counts="never"), rng=rng).rule

    def measured(literal: Literal) -> Literal:
        if literal.column not in cuts:
            return literal
        return Literal(literal.column, Op.GT if literal.positive else Op.LE, cuts[literal.column])

    conditions = {
        label: Dnf(Clause(map(measured, clause)) for clause in rule.conditions(label))
        for label in rule.described
    }
    return conditions, rule.default
