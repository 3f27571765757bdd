"""Table 1: accuracy of every method on every data set, in Markdown and in LaTeX."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nri.bench.datasets import uci_names
from nri.bench.run import Row
from nri.bench.tables.frame import frame_of, in_order, label_of
from nri.bench.tables.markdown import markdown

FAILED, FEWER = "†", "‡"


@dataclass(frozen=True)
class Cell:
    """One accuracy: mean and spread in percent, over how many rows, and whether some of them failed."""

    mean: float
    spread: float
    n_rows: int
    n_failed: int
    best: bool = False
    fewer: bool = False

    @property
    def marks(self) -> str:
        """Footnote marks."""
        return (FAILED if self.n_failed else "") + (FEWER if self.fewer else "")


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


def table1(rows: Sequence[Row], protocol: str, methods: Sequence[str] | None = None) -> Table1:
    """Gather the table of one protocol; the spread is the standard deviation over folds and seeds."""
    frame = frame_of(rows)
    if not frame.empty:
        frame = frame[frame["protocol"] == protocol]
    if methods is not None and not frame.empty:
        frame = frame[frame["method"].isin(list(methods))]
    if frame.empty:
        return Table1(protocol, (), (), {}, {}, {}, ())
    cells = {(str(d), str(m)): _cell(group) for (d, m), group in frame.groupby(["dataset", "method"])}
    datasets = _dataset_order(list(frame["dataset"].unique()))
    names = in_order(frame["method"].unique())
    marked = _mark(cells, datasets, names)
    return Table1(
        protocol=protocol,
        methods=tuple(names),
        datasets=tuple(datasets),
        n_variables={str(d): int(n) for d, n in frame.groupby("dataset")["n_variables"].first().items()},
        cells=marked,
        means=_means(frame, datasets, names),
        seeds=tuple(sorted(int(seed) for seed in frame["seed"].unique())),
    )


def table1_markdown(rows: Sequence[Row], protocol: str, methods: Sequence[str] | None = None) -> str:
    """Write the table as Markdown, the best of each line in bold."""
    table = table1(rows, protocol, methods)
    if not table.methods:
        return "No rows yet.\n"
    lines = []
    for name in table.datasets:
        cells = [_markdown_cell(table.cells.get((name, method))) for method in table.methods]
        lines.append([name, str(table.n_variables[name]), *cells])
    lines.append(["**Mean**", "", *(_markdown_cell(table.means.get(method)) for method in table.methods)])
    header = ["data set", "N", *(label_of(method) for method in table.methods)]
    return markdown(header, lines) + "\n" + caption(table) + "\n"


LATEX_COLUMNS = 6
"""Most methods side by side in LaTeX: about as many as a page of 12 cm takes in ``scriptsize``."""


def table1_latex(rows: Sequence[Row], protocol: str, methods: Sequence[str] | None = None) -> str:
    """Write the table as a LaTeX ``table*`` that needs only ``booktabs``.

    All methods side by side would not fit a page, so the table comes in parts below each other, each with
    some of the methods and all data sets.
    """
    table = table1(rows, protocol, methods)
    if not table.methods:
        return "% No rows yet.\n"
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
    every = [*table.cells.values(), *table.means.values()]
    seeds = ", ".join(map(str, table.seeds))
    text = (
        f"Accuracy in % under {table.protocol}: mean ± standard deviation over folds and seeds ({seeds}); "
        "the last line is the mean over data sets ± its standard deviation over seeds."
    )
    if any(cell.n_failed for cell in every):
        text += f" {FAILED} some fits failed or ran out of time and count as the majority class."
    if any(cell.fewer for cell in every):
        text += f" {FEWER} fewer seeds than the others."
    return text


def _cell(group: pd.DataFrame) -> Cell:
    scores = 100 * group["score"].to_numpy(np.float64)
    return Cell(float(np.mean(scores)), float(np.std(scores)), len(scores), int((~group["ok"]).sum()))


def _mark(
    cells: dict[tuple[str, str], Cell], datasets: Sequence[str], methods: Sequence[str]
) -> dict[tuple[str, str], Cell]:
    marked = {}
    for name in datasets:
        row = {method: cells[name, method] for method in methods if (name, method) in cells}
        top = max(round(cell.mean, 1) for cell in row.values())
        most = max(cell.n_rows for cell in row.values())
        for method, cell in row.items():
            marked[name, method] = Cell(
                cell.mean,
                cell.spread,
                cell.n_rows,
                cell.n_failed,
                best=round(cell.mean, 1) == top,
                fewer=cell.n_rows < most,
            )
    return marked


def _means(frame: pd.DataFrame, datasets: Sequence[str], methods: Sequence[str]) -> dict[str, Cell]:
    """Mean over data sets of the mean over folds, its spread over seeds; bold for the best."""
    found = {}
    for method in methods:
        of_method = frame[frame["method"] == method]
        by_set = of_method.groupby("dataset")["score"].mean()
        if len(by_set) < len(datasets):
            continue
        by_seed = of_method.groupby(["seed", "dataset"])["score"].mean().unstack("dataset")
        complete = by_seed.dropna().mean(axis=1)
        spread = float(100 * complete.std(ddof=0)) if len(complete) > 1 else float("nan")
        found[method] = Cell(
            float(100 * by_set.mean()), spread, len(of_method), int((~of_method["ok"]).sum())
        )
    top = max((round(cell.mean, 1) for cell in found.values()), default=float("nan"))
    return {
        method: Cell(cell.mean, cell.spread, cell.n_rows, cell.n_failed, round(cell.mean, 1) == top)
        for method, cell in found.items()
    }


def _dataset_order(names: Sequence[str]) -> list[str]:
    known = list(uci_names())
    return sorted(names, key=lambda name: (known.index(name) if name in known else len(known), name))


def _markdown_cell(cell: Cell | None) -> str:
    if cell is None:
        return "–"  # noqa: RUF001  # a dash as a table sets it
    mean = f"**{cell.mean:.1f}**" if cell.best else f"{cell.mean:.1f}"
    spread = "" if np.isnan(cell.spread) else f" ± {cell.spread:.1f}"
    return f"{mean}{spread}{cell.marks}"


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
