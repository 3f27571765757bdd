"""Notes: what a person should know about a column, one line each."""

import logging
from functools import lru_cache

logger = logging.getLogger(__name__)


def note(column: str, remark: str) -> None:
    """Tell how a column was read; an empty remark says nothing."""
    if remark:
        logger.warning("%s: %s", _printable(column), remark)


@lru_cache(maxsize=1000)
def note_once(column: str, remark: str) -> None:
    """Tell it, unless just this was told before: a column is read many times on its way to a rule."""
    note(column, remark)


def _printable(name: str) -> str:
    return name if name.isprintable() and name.strip() else repr(name)
