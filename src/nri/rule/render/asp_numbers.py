"""Numbers for clingo, which knows integers of 32 bits only: exact for every comparison made.

A column that is compared by order is multiplied by the power of ten that makes its thresholds whole;
a cell that is still not whole is rounded up, which moves it past no threshold. If a column is
compared by order *and* by equality, one more digit makes sure that rounding never hits a value
that the cell does not have. Where this needs more than nine digits, a number is the tuple of its
digits in groups of nine, which clingo orders as numbers. A column compared by equality
alone needs no order: numbers that are no integer are strings.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from nri.rule.literal import Literal

_GROUP = 9
_BASE = 10**_GROUP


@dataclass(frozen=True)
class NumberCode:
    """How one column's numbers are written."""

    ordered: bool
    digits: int
    """Decimal digits kept, i.e. numbers are multiplied by 10 to this power."""
    groups: int
    """How many groups of nine digits a number needs."""
    apart: bool
    """Whether a rounded number must differ from every number with one digit less."""

    @property
    def about(self) -> str:
        """What somebody who writes facts must know, empty if numbers are as they are."""
        if not self.ordered or (self.digits == 0 and self.groups == 1):
            return ""
        scaled = f"numbers times 10^{self.digits}"
        grouped = f", as {self.groups} groups of {_GROUP} digits" if self.groups > 1 else ""
        return scaled + grouped

    def term(self, value: float) -> str:
        """Write a number as a clingo term."""
        if not self.ordered:
            whole = float(value).is_integer() and abs(value) < _BASE
            return str(int(value)) if whole else f'"{float(value)!r}"'
        most = _BASE**self.groups - 1
        key = most if value > 0 else -most
        if math.isfinite(value):
            key = max(-most, min(most, self._key(value)))
        return _digits(key, self.groups)

    def _key(self, value: float) -> int:
        scaled = _shift(value, self.digits)
        key, exact = int(scaled), scaled == int(scaled)
        if exact:
            return key
        low = key if scaled > 0 else key - 1
        if not self.apart:
            return low + 1
        return low + 1 if low % 10 == 0 else low


def number_code(literals: Sequence[Literal]) -> NumberCode:
    """Choose how to write a column that is compared as these literals do."""
    ordered = any(literal.op.ordered for literal in literals)
    if not ordered:
        return NumberCode(ordered=False, digits=0, groups=1, apart=False)
    apart = not all(literal.op.ordered for literal in literals)
    values = [float(literal.value) for literal in literals]  # type: ignore[arg-type]
    digits = max(_decimals(value) for value in values) + apart
    largest = max(abs(int(_shift(value, digits))) for value in values)
    groups = 1
    while largest >= _BASE**groups - 1:  # the ends are for cells beyond all thresholds
        groups += 1
    return NumberCode(ordered=True, digits=digits, groups=groups, apart=apart)


def _exact(value: float) -> Decimal:
    """Return the shortest decimal that is this float and no other; it sorts as floats do."""
    return Decimal(repr(float(value)))


def _shift(value: float, digits: int) -> Decimal:
    sign, figures, exponent = _exact(value).as_tuple()
    assert isinstance(exponent, int), "the value is finite"
    return Decimal((sign, figures, exponent + digits))


def _decimals(value: float) -> int:
    exponent = _exact(value).normalize().as_tuple().exponent
    assert isinstance(exponent, int), "the value is finite"
    return max(0, -exponent)


def _digits(key: int, groups: int) -> str:
    if groups == 1:
        return str(key)
    figures = []
    for _ in range(groups - 1):
        key, rest = divmod(key, _BASE)
        figures.append(rest)
    return f"({','.join(map(str, [key, *reversed(figures)]))})"
