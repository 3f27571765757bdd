"""Wishes: the columns and literals that a user's settings leave to a rule."""

from typing import TYPE_CHECKING

import numpy as np

from nri import rule
from nri.arrays import BoolArray
from nri.errors import InputError
from nri.induce import knowledge
from nri.induce.words import is_negated
from nri.table.table import Table
from nri.table.usable import LeftOut

if TYPE_CHECKING:
    from nri.induce.settings import Settings


def chosen_columns(table: Table, settings: "Settings") -> Table:
    """Return the columns that the caller allows, in the order of the table."""
    for names in (settings.use or (), settings.never, settings.require):
        table.require(names)
    for name in settings.require:
        if name in settings.never:
            raise InputError(f"column {name!r} is required and never to be used; choose one of the two")
    chosen = [
        name
        for name in table.names
        if (settings.use is None or name in settings.use or name in settings.require)
        and name not in settings.never
    ]
    if not chosen:
        raise InputError("the columns to use and never to use rule out every column; allow at least one")
    return table if len(chosen) == len(table.names) else table.only(chosen)


def allowed_literals(literals: tuple[rule.Literal, ...], settings: "Settings") -> BoolArray:
    """[2N]: which literals may be used."""
    known = settings.knowledge
    allowed = [
        (settings.negations or not is_negated(literal)) and knowledge.permitted(literal, known)
        for literal in literals
    ]
    return np.array(allowed, dtype=bool)


def required_literals(
    literals: tuple[rule.Literal, ...], settings: "Settings", left_out: tuple[LeftOut, ...]
) -> tuple[BoolArray, ...]:
    """For each required column [2N]: which literals speak about it."""
    reasons = {one.column: str(one.reason) for one in left_out}
    masks = []
    for name in dict.fromkeys(settings.require):
        mask = np.array([literal.column == name for literal in literals], dtype=bool)
        if not (mask & allowed_literals(literals, settings)).any():
            why = reasons.get(name, "gives no condition that may be used")
            raise InputError(f"column {name!r} is required, but it {why}; do not require it")
        masks.append(mask)
    return tuple(masks)
