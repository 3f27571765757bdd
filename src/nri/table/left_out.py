"""Columns that take no part in a rule: why, and what can be done about it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from nri.errors import InputError


class Reason(StrEnum):
    """Why a column takes no part."""

    MISSING = "has no value at all"
    UNREADABLE = "holds no plain values"
    CONSTANT = "has one value only"
    IDENTIFIER = "looks like an identifier"
    FREE_TEXT = "is free text"
    TOO_MANY = "has too many categories"

    @property
    def is_guess(self) -> bool:
        """Whether a person may know better, so that naming the column is enough to use it."""
        return self in (Reason.IDENTIFIER, Reason.FREE_TEXT, Reason.TOO_MANY)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that takes no part, and why."""

    column: str
    reason: Reason
    usable: bool = field(default=False, compare=False)  # whether it would be used if a person named it

    def __str__(self) -> str:
        name = self.column if self.column.isprintable() and self.column.strip() else repr(self.column)
        return f"{name} {self.reason}"


def describe_left_out(left_out: Sequence[LeftOut], most: int = 12, named_in: str = "columns") -> str:
    """Return one line that names the columns left out, why, and what can be done; empty if there are none."""
    texts = list(map(str, left_out[:most]))
    usable = [place for place, one in enumerate(left_out[:most]) if one.usable]
    if usable:  # the remedy stands once, behind the last column that it is for
        it = "it" if len(usable) == 1 else "such a column"
        texts[usable[-1]] += f" (name {it} in {named_in} to use it all the same)"
    rest = f" and {len(left_out) - most} more" if len(left_out) > most else ""
    return "columns left out: " + ", ".join(texts) + rest if left_out else ""


class UselessColumnsError(InputError):
    """No column of a table can be used."""

    def __init__(self, left_out: Sequence[LeftOut]) -> None:
        self.left_out = tuple(left_out)  # every column, and why
        super().__init__(refusal(self.left_out))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.left_out,)  # it may come from another process, where a fold was searched


def refusal(left_out: Sequence[LeftOut], named_in: str = "columns") -> str:
    """Return why no column at all can be used, and what to do about it."""
    why = describe_left_out(left_out, named_in=named_in).removeprefix("columns left out: ") or "none varies"
    remedy = "give columns that vary"
    if any(one.usable for one in left_out):
        remedy = f"name one in {named_in}, or give others"
    elif any(one.reason.is_guess for one in left_out):
        remedy = "give numbers, or categories that several rows share"
    return f"no column can be used: {why}; {remedy}"
