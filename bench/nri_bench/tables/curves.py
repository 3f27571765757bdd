"""Tables of the experiments that vary one or two quantities."""

from collections.abc import Callable, Sequence

import pandas as pd

from nri_bench.run import Row
from nri_bench.tables.cell import NO_ROWS, Cell, cell_of, markdown, marked_as_fewer, notes, percent, written
from nri_bench.tables.frame import frame_of, in_order, label_of


def curve_table(rows: Sequence[Row], over: str, heading: Callable[[float], str]) -> str:
    """Mean accuracy in percent: a line for each method, a column for each value of ``over``.

    Where there are data sets, only those that every method has: other means would compare the sets.
    """
    frame = frame_of(rows)
    if frame.empty:
        return NO_ROWS
    frame = _on_shared_sets(frame)
    values = sorted(frame[over].unique())
    names = in_order(frame["method"].unique())
    lines = _columns_marked([_cells(frame[frame["method"] == name], over, values) for name in names])
    table = markdown(
        ["method", *(heading(float(value)) for value in values)],
        [[label_of(name), *map(written, cells)] for name, cells in zip(names, lines, strict=True)],
    )
    return table + _caption(frame, [cell for cells in lines for cell in cells if cell is not None])


def _on_shared_sets(frame: pd.DataFrame) -> pd.DataFrame:
    if "dataset" not in frame:
        return frame
    n_methods = frame.groupby("dataset")["method"].nunique()
    return frame[frame["dataset"].isin(n_methods.index[n_methods == frame["method"].nunique()])]


def _cells(part: pd.DataFrame, over: str, values: Sequence[float]) -> list[Cell | None]:
    """[values], of one method; the spread is that of the means of each seed."""
    found = dict(iter(part.groupby(over)))
    return [_over_seeds(found[value]) if value in found else None for value in values]


def _over_seeds(group: pd.DataFrame) -> Cell:
    return cell_of(group, spread_of=group.groupby("seed")["score"].mean())


def _columns_marked(lines: list[list[Cell | None]]) -> list[tuple[Cell | None, ...]]:
    """Mark in every column who has fewer rows than others."""
    columns = [marked_as_fewer(column) for column in zip(*lines, strict=True)]
    return list(zip(*columns, strict=True))


def _caption(frame: pd.DataFrame, cells: Sequence[Cell]) -> str:
    seeds = ", ".join(str(seed) for seed in sorted(frame["seed"].unique()))
    what = "mean ± standard deviation over seeds" if frame["seed"].nunique() > 1 else "mean, one seed"
    sets = f" {frame['dataset'].nunique()} data sets;" if "dataset" in frame else ""
    return f"\nAccuracy in %:{sets} {what} ({seeds}).{notes(cells)}\n"


def recovery_table(rows: Sequence[Row]) -> str:
    """Share of hidden rules found exactly: a line for each support size and method, a column for K x L."""
    frame = _with_cells(rows)
    if frame.empty:
        return NO_ROWS
    return _by_cell(frame, "equal", digits=0) + _rules_in_a_cell(frame)


def recovery_accuracy_table(rows: Sequence[Row], methods: Sequence[str]) -> str:
    """Accuracy of the found rules on all rows there are, whether or not they are the hidden ones."""
    frame = _with_cells([row for row in rows if row["method"] in methods])
    return NO_ROWS if frame.empty else _by_cell(frame, "score", digits=1)


def clauses_against_literals(rows: Sequence[Row], methods: Sequence[str]) -> str:
    """Rules of the same number of literals, once as more clauses and once as longer ones: found exactly."""
    frame = _with_cells([row for row in rows if row["method"] in methods])
    if frame.empty:
        return NO_ROWS
    found = frame.groupby(["method", "M", "K", "L"])["equal"].mean()
    pairs = [(k, n) for k in sorted(frame["K"].unique()) for n in sorted(frame["L"].unique()) if k > n]
    pairs = [(k, n) for k, n in pairs if {(k, n), (n, k)} <= set(zip(frame["K"], frame["L"], strict=True))]
    lines = []
    for name, m in [(name, m) for m in sorted(frame["M"].unique()) for name in in_order(methods)]:
        cells = [[found.get((name, m, *shape)) for shape in (pair, pair[::-1])] for pair in pairs]
        compared = [" against ".join("–" if c is None else percent(c) for c in cell) for cell in cells]  # noqa: RUF001
        lines.append([label_of(name), f"{m:.0f}", *compared])
    return markdown(["method", "M", *(f"{k:.0f}x{n:.0f}, {n:.0f}x{k:.0f}" for k, n in pairs)], lines)


def _with_cells(rows: Sequence[Row]) -> pd.DataFrame:
    frame = frame_of(rows)
    if not frame.empty:
        frame["cell"] = [f"{k:.0f}x{n:.0f}" for k, n in zip(frame["K"], frame["L"], strict=True)]
    return frame


def _by_cell(frame: pd.DataFrame, field: str, digits: int) -> str:
    """Lay out the means of a field: a line for each support size and method, a column for each K x L."""
    shares = frame.groupby(["M", "method", "cell"])[field].mean().unstack("cell")
    lines = [
        [label_of(name), f"{m:.0f}", *(percent(share, digits=digits) for share in shares.loc[(m, name)])]
        for m in sorted(frame["M"].unique())
        for name in in_order(shares.loc[m].index)
    ]
    return markdown(["method", "M", *shares.columns], lines)


def _rules_in_a_cell(frame: pd.DataFrame) -> str:
    """Say of how many hidden rules the shares are, and who had fewer."""
    if "n_episodes" not in frame:
        return ""
    counts = frame.groupby(["method", "M", "cell"])["n_episodes"].sum().groupby("method").min()
    most = counts.max()
    fewer = [f"{label_of(name)} {counts[name]:.0f}" for name in in_order(counts.index) if counts[name] < most]
    rest = f" ({', '.join(fewer)})" if fewer else ""
    return f"\nIn %, of {most:.0f} hidden rules in each cell{rest}.\n"


def spurious_table(rows: Sequence[Row]) -> str:
    """Accuracy over all D and rho, at the corners the paper names, and with the distractors gone idle.

    Methods are compared on the values of rho that all have; those with more are compared once more.
    """
    frame = frame_of(rows)
    if frame.empty:
        return NO_ROWS
    values = {name: set(part["rho"]) for name, part in frame.groupby("method")}
    shared = set.intersection(*values.values())
    most = max(values.values(), key=len)
    fullest = [name for name, rhos in values.items() if rhos == most]
    if shared in (set(), most):
        return _spurious_table(frame)
    words = f"All {len(most)} values of ρ, where they were run:"  # noqa: RUF001
    everywhere = _spurious_table(frame[frame["rho"].isin(shared)])
    return f"{everywhere}\n{words}\n\n{_spurious_table(frame[frame['method'].isin(fullest)])}"


def _spurious_table(frame: pd.DataFrame) -> str:
    most, rhos = frame["D"].max(), sorted(frame["rho"].unique())
    grid = pd.MultiIndex.from_product([sorted(frame["D"].unique()), rhos], names=["D", "rho"])
    names = in_order(frame["method"].unique())
    parts = [frame[frame["method"] == name] for name in names]
    marks = [cell for cell in marked_as_fewer([_over_seeds(part) for part in parts]) if cell is not None]
    lines = []
    for name, part, cell in zip(names, parts, marks, strict=True):
        least, *further = _over_grid(part, grid)
        mean = written(None if pd.isna(least) else cell)
        lines.append([label_of(name), mean, percent(least), *map(percent, further)])
    corners = [f"D {most:.0f}, ρ {rho:g}" for rho in (rhos[0], rhos[-1])]  # noqa: RUF001
    header = ["method", "mean", "least", *corners, "least, distractors idle"]
    return markdown(header, lines) + _caption(frame, marks)


def _over_grid(part: pd.DataFrame, grid: pd.MultiIndex) -> list[float]:
    """Return the least cell, the two corners of most distractors, and the least with distractors idle."""
    cells = part.groupby(["D", "rho"])[["score", "shifted_accuracy"]].mean().reindex(grid)
    scores, idle = cells["score"], cells["shifted_accuracy"]
    of_most_distractors = scores.unstack("rho").iloc[-1]
    corners = [of_most_distractors.iloc[0], of_most_distractors.iloc[-1]]
    # The least of some cells would not compare with that of all, so a gap is shown as one.
    return [scores.min(skipna=False), *corners, idle.min(skipna=False)]


def scaling_table(rows: Sequence[Row]) -> str:
    """Milliseconds to fit, of rows measured on a quiet machine, and peak megabytes, for each table size."""
    frame = frame_of(rows)
    if frame.empty:
        return NO_ROWS
    frame["size"] = list(zip(frame["M"], frame["N"], strict=True))
    frame["ms"] = (1000 * frame["fit_seconds"]).where(frame["timed"].astype(bool))
    sizes = sorted(frame["size"].unique())
    lines = []
    for name in in_order(frame["method"].unique()):
        for value, unit in (("ms", "ms"), ("peak_mb", "MB")):
            medians = frame[frame["method"] == name].groupby("size")[value].median()
            numbers = [medians.get(size, float("nan")) for size in sizes]
            lines.append([label_of(name), unit, *map(_three_digits, numbers)])
    return markdown(["method (M x N)", "", *(f"{m}x{n}" for m, n in sizes)], lines)


def _three_digits(number: float) -> str:
    if pd.isna(number):
        return "–"  # noqa: RUF001
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"
