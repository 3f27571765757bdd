"""Missing words: what people write into a cell that they have no value for."""

MISSING_MARKS = frozenset({"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "null", "NULL"})
"""Cells that stand for nothing. "None" and "none" are not among them: they are common categories."""

_MARKS = {
    *("-", "--", "---", ".", "..", "...", "*", "/", "\u2013", "\u2014", "\u2026"),
    *("#n/a", "#na", "#null!", "#value!", "#div/0!", "#ref!", "#num!", "#name?"),
    *("n.a.", "n.a", "n. a.", "n/a", "na", "nan", "null", "nil", "n.d.", "nd", "<na>", "nat", "?", "??", ""),
    *("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "\u221e", "-\u221e"),
}
"""Signs and shorthands that are no category of their own; what is infinite was not measured either."""
_WORDS = {
    *("none", "unknown", "unk", "missing", "not available", "not applicable", "not known", "not measured"),
    *("not done", "undefined", "blank", "empty"),
}
"""Words for a missing number, which may be categories where there are few numbers beside them."""


def is_missing_mark(text: str) -> bool:
    """Whether a cell beside numbers is a sign for nothing, such as ``-`` or ``n.a.``.

    >>> is_missing_mark("--"), is_missing_mark("unknown")
    (True, False)
    """
    return text.strip().lower() in _MARKS


def is_missing_word(text: str) -> bool:
    """Whether a cell beside numbers is a sign or a word for nothing, such as ``unknown``.

    >>> is_missing_word("Unknown"), is_missing_word("pending")
    (True, False)
    """
    lower = text.strip().lower()
    return lower in _MARKS or lower in _WORDS
