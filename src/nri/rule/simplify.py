"""Simplify a rule without changing where it fires; a rule that is plainly simple is returned unsearched."""

from nri.rule.column import OPEN, Domain, column_of
from nri.rule.literal import Dnf
from nri.rule.regions import Simplifier
from nri.rule.truth import literal_truth


def simplify(rule: Dnf, domain: Domain | None = None) -> Dnf:
    """Return a rule that fires on the same rows with no more, and mostly fewer, literals.

    The rows are all those whose known cells are in the domain, with any cells unknown. So
    ``a OR (NOT a AND b)`` and ``a OR NOT a`` stay: the latter says that ``a`` is known.

    >>> from nri.rule import Clause, Literal, Op
    >>> x3, x5 = Literal("x", Op.GT, 3), Literal("x", Op.GT, 5)
    >>> print(simplify(Dnf([Clause([x3, x5])])))
    (x > 5)
    >>> print(simplify(Dnf([Clause([x3]), Clause([x5])])))
    (x > 3)
    """
    domain = domain or {}
    return rule if _is_simple(rule, domain) else Simplifier(rule, domain).run(rule)


def _is_simple(rule: Dnf, domain: Domain) -> bool:
    """Whether each column is in one literal only, which can hold and fail: then no literal can be dropped."""
    literals = [literal for clause in rule for literal in clause]
    if not all(clause.literals for clause in rule) or len(rule.columns) < len(literals):
        return False
    for literal in literals:
        values = domain.get(literal.column, OPEN).values
        if values is not None:
            holds, _ = literal_truth(literal, {literal.column: column_of(values)})
            if holds.all() or not holds.any():
                return False
    return True
