"""A rule for a table of any size, from a file to the rule."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from nri.engine.copy import copied
from nri.engine.duck import DuckRows
from nri.engine.path import LargeInduction, induce_large
from nri.engine.profile import Profile, profile
from nri.engine.rows import Rows
from nri.engine.target import read_target
from nri.induce.long import SEARCHED_ROWS
from nri.induce.settings import Settings
from nri.rule.labels import Label
from nri.rule.plan import ColumnPlan
from nri.table.table import Note, logger

SAMPLE = SEARCHED_ROWS
"""About how many rows are searched at once: as many as of a long table in memory."""


def profiled(
    rows: Rows,
    target: str,
    positive: Label | None = None,
    *,
    sample: int = SAMPLE,
    exact: bool = False,
    plans: Mapping[str, ColumnPlan] | None = None,
    never: Sequence[str] = (),
) -> Profile:
    """Look at all rows of a table and draw some of them.

    Parameters
    ----------
    rows
        The engine that holds them.
    target, positive
        See :func:`nri.table.target.label_table`.
    sample
        About how many rows are searched at once.
    exact
        Whether texts that differ only in case and blanks are kept apart.
    plans
        Of columns that were read before.
    never
        Columns that are not asked for.
    """
    known = dict(plans or {})
    wanted = read_target(rows, target, positive, exact=exact)
    found = profile(rows, wanted, sample, exact=exact, known=known, never=never)
    if not found.dressed:
        return found
    if isinstance(rows, DuckRows) and rows.folder is not None:
        rows = copied(rows, found.dressed, loose=False)
        known |= found.dressed
        return profile(rows, wanted, sample, exact=exact, known=known, never=never)
    for name, plan in found.dressed.items():
        logger.warning(
            "%s", Note(name, f"{plan.kind}s written as text are left out; cast the column to use it")
        )
    return found


def induce_from(
    found: Profile,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    step: Callable[[str], None] = lambda text: None,
) -> LargeInduction:
    """Induce rules on a table that was looked at."""
    return induce_large(found, settings, rng=np.random.default_rng(seed), step=step)
