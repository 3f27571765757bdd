"""Tables of the wide suite: by n, by number of classes, and for each half of the data sets."""

from collections.abc import Sequence

from nri_bench.run import Row
from nri_bench.tables.cell import NO_ROWS, markdown, percent
from nri_bench.tables.frame import frame_of, in_order, label_of

HALVES = ("choosing", "confirming", "all")


def wide_tables(rows: Sequence[Row]) -> str:
    """Mean accuracy for each half and for all sets."""
    return "\n".join(f"### {half}\n\n{accuracy_table(rows, half)}" for half in HALVES)


def accuracy_table(rows: Sequence[Row], half: str) -> str:
    frame = frame_of([r for r in rows if not isinstance(r["draw"], str)])
    if half != "all":
        frame = frame[frame["half"] == half]
    if frame.empty:
        return NO_ROWS
    by_set = (
        frame.groupby(["method", "n", "n_classes", "dataset"])[["score", "balanced_accuracy"]]
        .mean()
        .reset_index()
    )
    sizes = sorted(by_set["n"].unique())
    lines = []
    for name in in_order(by_set["method"].unique()):
        part = by_set[by_set["method"] == name]
        two, more = part[part["n_classes"] == 2], part[part["n_classes"] > 2]
        cells = [part[part["n"] == n]["score"].mean() for n in sizes]

        def mean(p, f="score"):
            return p.groupby("n")[f].mean().mean()

        lit = frame[(frame["method"] == name)]["literals"].median()
        lines.append(
            [
                label_of(name),
                *map(percent, cells),
                percent(mean(part)),
                percent(mean(two)),
                percent(mean(more)),
                percent(mean(part, "balanced_accuracy")),
                str(lit),
            ]
        )
    return markdown(
        ["method", *(f"n={n}" for n in sizes), "mean", "two classes", "more", "balanced", "literals"], lines
    )
