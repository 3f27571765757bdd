"""Tables in aligned text."""

from collections.abc import Sequence

from nri.rule.render.as_text import display_width


def text_table(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Align rows of texts, the first of which is the heading.

    Parameters
    ----------
    rows
        Of equal length.
    left
        How many columns are flush left; the others are flush right.

    Examples
    --------
    >>> print(text_table([("slice", "rows"), ("age > 61", "7")]))
    slice     rows
    age > 61     7
    """
    widths = [max(display_width(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            gap = " " * (width - display_width(cell))
            cells.append(cell + gap if i < left else gap + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
