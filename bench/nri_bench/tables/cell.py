"""One number of a table, a mean with its spread and marks for what it lacks; and tables in Markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

NO_ROWS = "No rows yet.\n"
FAILED, FEWER = "†", "‡"


@dataclass(frozen=True)
class Cell:
    """One accuracy: mean and spread in percent, over how many rows, and whether some of them failed."""

    mean: float
    spread: float
    """standard deviation, not a number where there is one value only"""
    n_rows: int
    n_failed: int
    best: bool = False
    fewer: bool = False

    @property
    def marks(self) -> str:
        """Footnote marks."""
        return (FAILED if self.n_failed else "") + (FEWER if self.fewer else "")


def written(cell: Cell | None) -> str:
    """Return a cell in Markdown: mean, bold if it is the best, spread and marks; a dash for none."""
    if cell is None:
        return "–"  # noqa: RUF001  # a dash as a table sets it
    mean = f"**{cell.mean:.1f}**" if cell.best else f"{cell.mean:.1f}"
    spread = "" if np.isnan(cell.spread) else f" ± {cell.spread:.1f}"
    return f"{mean}{spread}{cell.marks}"


def cell_of(group: pd.DataFrame, spread_of: "pd.Series[float]") -> Cell:
    """Return the mean score of rows, with the standard deviation of some parts of them."""
    spread = float(100 * spread_of.std(ddof=1))  # not a number if there is one part
    return Cell(float(100 * group["score"].mean()), spread, len(group), int((~group["ok"]).sum()))


def marked_as_fewer(cells: Sequence[Cell | None]) -> list[Cell | None]:
    """Mark the cells that rest on fewer rows than others of their line or column."""
    most = max((cell.n_rows for cell in cells if cell is not None), default=0)
    return [None if cell is None else replace(cell, fewer=cell.n_rows < most) for cell in cells]


def notes(cells: Iterable[Cell]) -> str:
    """Explain the marks that occur."""
    cells = list(cells)
    text = ""
    if any(cell.n_failed for cell in cells):
        text += f" {FAILED} some fits failed or ran out of time and count as the majority class."
    if any(cell.fewer for cell in cells):
        text += f" {FEWER} fewer seeds or folds than others."
    return text


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent, a dash where there is none."""
    return "–" if pd.isna(share) else f"{100 * share:.{digits}f}"  # noqa: RUF001


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
