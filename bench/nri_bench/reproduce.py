"""Whether rows that somebody has made anew say what the published ones say."""

from collections.abc import Sequence

from nri_bench.run import Row, row_key
from nri_bench.tables.frame import in_order, label_of
from nri_bench.tables.markdown import markdown

SAME = 5e-5
"""Accuracies this close are one accuracy, written with five digits."""


def agreement_table(made: Sequence[Row], published: Sequence[Row]) -> str:
    """Compare accuracies row by row: a line for each method, over the rows that both have."""
    known = {row_key(row): row for row in published}
    pairs: dict[str, list[tuple[float, float]]] = {}
    for row in made:
        other = known.get(row_key(row))
        if other is not None and row["status"] == other["status"] == "ok":
            pairs.setdefault(str(row["method"]), []).append((row["accuracy"], other["accuracy"]))
    lines = [[label_of(method), *_compared(pairs[method])] for method in in_order(pairs)]
    return markdown(["method", "rows", "the same", "mean here", "mean published", "farthest apart"], lines)


def _compared(pairs: Sequence[tuple[float, float]]) -> list[str]:
    same = sum(abs(a - b) < SAME for a, b in pairs)
    means = [f"{100 * sum(side) / len(pairs):.1f}" for side in zip(*pairs, strict=True)]
    return [str(len(pairs)), str(same), *means, f"{100 * max(abs(a - b) for a, b in pairs):.1f}"]
