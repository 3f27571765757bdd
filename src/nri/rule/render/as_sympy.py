"""SymPy: the conditions as formulas, as source text or as SymPy objects.

Boolean columns are symbols, each text category is a symbol of its own (``colour = red``), numbers are
compared as real symbols, dates likewise in seconds since 1970. A formula is about rows without
missing cells.
"""

import datetime as dt
from typing import Any, Protocol

from nri.errors import InputError
from nri.rule.literal import Dnf, Kind, Literal, Op, Value
from nri.rule.phrase import phrase_literal, phrase_name
from nri.rule.rule import RenderOptions, Rule

_RELATIONS = {Op.EQ: "Eq", Op.NE: "Ne", Op.GT: "Gt", Op.LE: "Le"}
_EPOCH = dt.datetime(1970, 1, 1)


class _Make(Protocol):
    """Calls one of SymPy's constructors by name, or writes the call."""

    def __call__(self, name: str, *args: Any, **options: Any) -> Any: ...


def render_sympy(rule: Rule, options: RenderOptions) -> str:
    """Write Python source that builds a formula for each branch, in the order of deciding."""
    branches = "".join(
        f"    ({_formula(Dnf([branch.clause]), _source)}, {branch.value!r}),\n" for branch in rule.branches
    )
    return (
        "from sympy import And, Eq, Gt, Le, Ne, Not, Or, Rational, Symbol\n\n"
        f"# What {phrase_name(rule.target)} is where each formula is the first to hold.\n"
        f"branches = [\n{branches}]\notherwise = {rule.default!r}\n"
    )


def to_sympy(rule: Dnf) -> Any:
    """Return the rule as a SymPy formula."""
    try:
        import sympy  # an optional library
    except ImportError:
        raise InputError("SymPy is not installed: pip install sympy") from None

    def call(name: str, *args: Any, **options: Any) -> Any:
        return getattr(sympy, name)(*args, **options)

    return _formula(rule, call)


class _Source(str):
    """A piece of source text, as opposed to a text value."""

    __slots__ = ()


def _source(name: str, *args: Any, **options: Any) -> _Source:
    written = [arg if isinstance(arg, _Source) else repr(arg) for arg in args]
    written += [f"{key}={value!r}" for key, value in options.items()]
    return _Source(f"{name}({', '.join(written)})")


def _formula(rule: Dnf, make: _Make) -> Any:
    clauses = [_enough([_literal(x, make) for x in clause], clause.at_least, make) for clause in rule]
    return _joined("Or", clauses, make)


def _enough(parts: list[Any], at_least: int, make: _Make) -> Any:
    """Say that at least so many of the parts hold: so many in the first half, the rest in the second."""
    if at_least == len(parts):
        return _joined("And", parts, make)
    if at_least == 1:
        return _joined("Or", parts, make)
    first, second = parts[: len(parts) // 2], parts[len(parts) // 2 :]
    ways = []
    for n in range(max(0, at_least - len(second)), min(at_least, len(first)) + 1):
        halves = [(half, k) for half, k in ((first, n), (second, at_least - n)) if k > 0]
        ways.append(_joined("And", [_enough(half, k, make) for half, k in halves], make))
    return _joined("Or", ways, make)


def _joined(name: str, parts: list[Any], make: _Make) -> Any:
    """Join parts; of none, And is true and Or false."""
    return parts[0] if len(parts) == 1 else make(name, *parts)


def _literal(literal: Literal, make: _Make) -> Any:
    if literal.kind in (Kind.BOOLEAN, Kind.TEXT):
        positive = literal if literal.positive else literal.negate()
        symbol = make("Symbol", phrase_literal(positive))
        return symbol if literal.positive else make("Not", symbol)
    symbol = make("Symbol", phrase_name(literal.column), real=True)
    return make(_RELATIONS[literal.op], symbol, _number(literal.value, make))


def _number(value: Value, make: _Make) -> Any:
    if isinstance(value, dt.datetime):
        return make("Rational", (value - _EPOCH) // dt.timedelta(microseconds=1), 10**6)
    return value
