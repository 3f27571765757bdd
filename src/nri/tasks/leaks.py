"""Leaks: columns that give the target away."""

from dataclasses import dataclass

from nri.rule import ClassTarget, Rule
from nri.rule.phrase import phrase_percent

_LEAST_ROWS = 20  # Fewer rows may be predicted by one column by luck.
_NEARLY_ALL = 0.98
"""Share of the rows that one or two columns predict where they may be the target in other words."""
_LEFT_OVER = 0.2
"""Share of the errors of a constant that may be left then: it errs little where a class is rare."""


@dataclass(frozen=True)
class Leak:
    """Columns that predict nearly every row: often they are written after the outcome is known."""

    columns: tuple[str, ...]
    share: float  # of the rows

    def __str__(self) -> str:
        rows = "every row" if self.share == 1 else f"{phrase_percent(self.share)} % of the rows"
        return (
            f"{' and '.join(self.columns)} alone {'predicts' if len(self.columns) == 1 else 'predict'} {rows}"
        )


def leak(rule: Rule) -> Leak | None:
    """Return the one or two columns of a rule if they predict nearly all of at least twenty rows."""
    columns, rows = rule.columns, rule.support.rows
    if not isinstance(rule.predicts, ClassTarget) or not 1 <= len(columns) <= 2 or rows < _LEAST_ROWS:
        return None
    share, constant = round(rule.share_right, 9), max(rule.support.counts) / rows
    is_leak = share >= _NEARLY_ALL and 1 - share <= _LEFT_OVER * (1 - constant)
    return Leak(tuple(columns), share) if is_leak else None
