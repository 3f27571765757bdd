"""What a clause asks, thresholds aside."""

from collections.abc import Hashable

from nri.rule import Clause


def shape_of(clause: Clause) -> Hashable:
    """Return columns, comparisons and categories of a clause, without its thresholds.

    >>> from nri.rule import Literal, Op
    >>> shape_of(Clause([Literal("age", Op.GT, 61)])) == shape_of(Clause([Literal("age", Op.GT, 57)]))
    True
    """
    return tuple(
        (literal.column, literal.op, None if literal.op.ordered else literal.value) for literal in clause
    )
