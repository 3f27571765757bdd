"""Plain tables as Markdown."""

from collections.abc import Sequence


def markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table: the first column left, the others right, widths aligned for reading.

    >>> print(markdown(["set", "tree"], [["vote", "90.7"]]), end="")
    | set  | tree |
    |:-----|-----:|
    | vote | 90.7 |
    """
    rows = [[cell.replace("|", "\\|") for cell in row] for row in (header, *lines)]
    widths = [max(3, *(len(row[column]) for row in rows)) for column in range(len(header))]
    rule = [":" + "-" * (widths[0] + 1), *("-" * (width + 1) + ":" for width in widths[1:])]
    written = [f"|{'|'.join(rule)}|"]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        written.append(f"| {' | '.join(cells)} |")
    written[0], written[1] = written[1], written[0]  # the header stands above its rule
    return "\n".join(written) + "\n"
