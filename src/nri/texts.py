"""Texts of tables and files, as they are shown."""


def one_line(text: str) -> str:
    """Return a text with what cannot be printed (ends of lines, half characters) as its escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def first_line(error: Exception) -> str:
    """Return the first line of an error, or the name of its type."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
