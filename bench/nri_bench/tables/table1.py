"""Table 1: accuracy of every method on every data set, in Markdown and in LaTeX."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from nri_bench.datasets import uci_names
from nri_bench.run import Row
from nri_bench.tables.cell import (
    FAILED,
    FEWER,
    NO_ROWS,
    Cell,
    cell_of,
    markdown,
    marked_as_fewer,
    notes,
    written,
)
from nri_bench.tables.frame import frame_of, in_order, label_of


@dataclass(frozen=True)
class Table1:
    """The table's contents, apart from its looks."""

    protocol: str
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    n_variables: dict[str, int]
    cells: dict[tuple[str, str], Cell]
    means: dict[str, Cell]
    """mean over the data sets, for methods that have all of them"""
    seeds: tuple[int, ...]


def table1(rows: Sequence[Row], protocol: str) -> Table1:
    """Gather the table of one protocol; the spread is the standard deviation over folds and seeds."""
    frame = frame_of(rows)
    if not frame.empty:
        frame = frame[frame["protocol"] == protocol]
    if frame.empty:
        return Table1(protocol, (), (), {}, {}, {}, ())
    datasets = _dataset_order(list(frame["dataset"].unique()))
    return Table1(
        protocol=protocol,
        methods=tuple(in_order(frame["method"].unique())),
        datasets=tuple(datasets),
        n_variables={str(d): int(n) for d, n in frame.groupby("dataset")["n_variables"].first().items()},
        cells={(name, method): cell for name in datasets for method, cell in _cells(frame, name).items()},
        means=_means(frame, len(datasets)),
        seeds=tuple(sorted(int(seed) for seed in frame["seed"].unique())),
    )


def table1_markdown(rows: Sequence[Row], protocol: str) -> str:
    """Write the table as Markdown, the best of each line in bold."""
    table = table1(rows, protocol)
    if not table.methods:
        return NO_ROWS
    lines = []
    for name in table.datasets:
        cells = [written(table.cells.get((name, method))) for method in table.methods]
        lines.append([name, str(table.n_variables[name]), *cells])
    lines.append(["**Mean**", "", *(written(table.means.get(method)) for method in table.methods)])
    header = ["data set", "N", *(label_of(method) for method in table.methods)]
    return markdown(header, lines) + "\n" + caption(table) + "\n"


LATEX_COLUMNS = 6
"""Most methods side by side in LaTeX: about as many as a page of 12 cm takes in ``scriptsize``."""


def table1_latex(rows: Sequence[Row], protocol: str) -> str:
    """Write the table as a LaTeX ``table*`` that needs only ``booktabs``.

    All methods side by side would not fit a page, so the table comes in parts below each other, each with
    some of the methods and all data sets.
    """
    table = table1(rows, protocol)
    if not table.methods:
        return f"% {NO_ROWS}"
    n_parts = -(-len(table.methods) // LATEX_COLUMNS)
    parts = [[str(name) for name in part] for part in np.array_split(np.array(table.methods), n_parts)]
    return "\n".join(
        [
            r"\begin{table*}[p]",
            r"\centering\scriptsize\setlength{\tabcolsep}{2.5pt}",
            "\n\\par\\medskip\n".join(_latex_part(table, part) for part in parts),
            rf"\caption{{{_latex_text(caption(table))}}}",
            rf"\label{{tab:uci-{re.sub('[^A-Za-z0-9]+', '-', protocol)}}}",
            r"\end{table*}",
            "",
        ]
    )


def _latex_part(table: Table1, methods: Sequence[str]) -> str:
    """Write the columns of some of the methods."""
    body = []
    for name in table.datasets:
        cells = [_latex_cell(table.cells.get((name, method))) for method in methods]
        body.append(rf"{_latex_text(name)} & {table.n_variables[name]} & {' & '.join(cells)} \\")
    means = " & ".join(_latex_cell(table.means.get(method)) for method in methods)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{@{{}}lr{'r' * len(methods)}@{{}}}}",
            r"\toprule",
            rf"Data set & $N$ & {' & '.join(_latex_head(label_of(method)) for method in methods)} \\",
            r"\midrule",
            *body,
            r"\midrule",
            rf"\textbf{{Mean}} & & {means} \\",
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _latex_head(label: str) -> str:
    """Stack the words of a name, which is wider than the numbers below it."""
    stacked = r"\\".join(_latex_text(word) for word in label.split())
    return rf"\shortstack[r]{{{stacked}}}" if " " in label else stacked


def caption(table: Table1) -> str:
    """Say what the numbers are, and explain the marks that occur."""
    seeds = ", ".join(map(str, table.seeds))
    return (
        f"Accuracy in % under {table.protocol}: mean ± standard deviation over folds and seeds ({seeds}); "
        "the last line is the mean over data sets ± its standard deviation over seeds."
        + notes([*table.cells.values(), *table.means.values()])
    )


def _cells(frame: pd.DataFrame, dataset: str) -> dict[str, Cell]:
    """Return the line of one data set."""
    groups = frame[frame["dataset"] == dataset].groupby("method")
    return _line({str(method): cell_of(group, spread_of=group["score"]) for method, group in groups})


def _line(cells: dict[str, Cell]) -> dict[str, Cell]:
    """Mark the best of a line, and who has fewer rows than others of it."""
    top = max((round(cell.mean, 1) for cell in cells.values()), default=float("nan"))
    marked = marked_as_fewer(list(cells.values()))
    return {
        method: replace(cell, best=round(cell.mean, 1) == top)
        for method, cell in zip(cells, marked, strict=True)
        if cell is not None
    }


def _means(frame: pd.DataFrame, n_datasets: int) -> dict[str, Cell]:
    """Mean over data sets of the mean over folds, its spread over seeds that have them all."""
    found = {}
    for method in in_order(frame["method"].unique()):
        of_method = frame[frame["method"] == method]
        by_set = of_method.groupby("dataset")["score"].mean()
        if len(by_set) < n_datasets:
            continue
        by_seed = of_method.groupby(["seed", "dataset"])["score"].mean().unstack("dataset")
        cell = cell_of(of_method, spread_of=by_seed.dropna().mean(axis=1))
        found[method] = replace(cell, mean=float(100 * by_set.mean()))
    return _line(found)


def _dataset_order(names: Sequence[str]) -> list[str]:
    known = list(uci_names())
    return sorted(names, key=lambda name: (known.index(name) if name in known else len(known), name))


def _latex_cell(cell: Cell | None) -> str:
    if cell is None:
        return "--"
    mean = rf"\textbf{{{cell.mean:.1f}}}" if cell.best else f"{cell.mean:.1f}"
    spread = "" if np.isnan(cell.spread) else rf"$\,\pm\,${cell.spread:.1f}"
    return f"{mean}{spread}{_latex_text(cell.marks)}"


_TEX = str.maketrans(
    {character: rf"\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": "$<$", ">": "$>$", "|": "$|$", "±": r"$\pm$", "–": "--"}  # noqa: RUF001
    | {FAILED: r"$^{\dagger}$", FEWER: r"$^{\ddagger}$"}
)
"""What TeX reads as a command, or its old fonts lack."""


def _latex_text(text: str) -> str:
    return text.translate(_TEX)
