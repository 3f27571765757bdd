"""How methods compare over data sets, and rows made anew with published ones.

Which differences exceed chance: Friedman, Nemenyi, Wilcoxon and Holm, wins and losses.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import chi2, f, rankdata, studentized_range, wilcoxon

from nri_bench.arrays import FloatArray
from nri_bench.run import Row, row_key
from nri_bench.tables.cell import markdown
from nri_bench.tables.frame import in_order, label_of

SAME = 5e-5
"""Accuracies this close are one accuracy, written with five digits."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Average ranks of methods over data sets, and how far apart two must be to differ."""

    methods: tuple[str, ...]
    """best first"""
    ranks: FloatArray
    """average rank of each, 1 is best"""
    n_datasets: int
    friedman_p: float
    """chance of ranks as uneven as these if all methods were alike (Iman and Davenport's form)"""
    critical_difference: float
    """Nemenyi's, at level alpha"""
    alpha: float

    def cliques(self) -> list[tuple[int, int]]:
        """Return maximal runs ``(first, last)`` of methods whose ranks do not differ significantly."""
        runs: list[tuple[int, int]] = []
        for first in range(len(self.methods)):
            near = np.flatnonzero(self.ranks - self.ranks[first] < self.critical_difference)
            last = int(near.max())
            if last > first and not any(start <= first and last <= end for start, end in runs):
                runs.append((first, last))
        return runs


def rank_methods(scores: pd.DataFrame, alpha: float = 0.05) -> Ranking:
    """Rank methods on each data set (ties share a rank) and test the average ranks.

    Parameters
    ----------
    scores
        [data sets, methods] accuracies without gaps; two methods and two data sets at least.
    alpha
        Level of the Nemenyi test.
    """
    ranks = np.apply_along_axis(rankdata, 1, -scores.to_numpy(np.float64))
    mean = ranks.mean(axis=0)
    order = np.argsort(mean, kind="stable")
    n, k = ranks.shape
    return Ranking(
        methods=tuple(str(scores.columns[index]) for index in order),
        ranks=mean[order],
        n_datasets=n,
        friedman_p=friedman_p(ranks),
        critical_difference=nemenyi_distance(k, n, alpha),
        alpha=alpha,
    )


def friedman_p(ranks: FloatArray) -> float:
    """Return the p-value of Friedman's test, corrected for ties, in the F form of Iman and Davenport."""
    n, k = ranks.shape
    spread = ((ranks - (k + 1) / 2) ** 2).sum()
    if spread == 0:
        return 1.0
    statistic = (k - 1) * (n**2) * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum() / spread
    rest = n * (k - 1) - statistic
    if rest <= 1e-12:  # every data set agrees on the order
        return float(chi2.sf(statistic, k - 1))
    return float(f.sf((n - 1) * statistic / rest, k - 1, (k - 1) * (n - 1)))


def nemenyi_distance(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Return the critical difference of average ranks.

    >>> round(nemenyi_distance(5, 30), 2)
    1.11
    """
    quantile = studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def signed_rank_p(differences: "pd.Series[float]") -> float:
    """Return the two-sided p-value of Wilcoxon's signed rank test over data sets.

    Differences of zero are split between the signs; where all are zero there is no answer.
    """
    if not differences.to_numpy().any():
        return 1.0
    return float(wilcoxon(differences, zero_method="zsplit", method="approx").pvalue)


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's step-down procedure.

    >>> [round(p, 2) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    corrected, least = [0.0] * len(chances), 0.0
    for done, place in enumerate(np.argsort(chances, kind="stable").tolist()):
        least = max(least, min(1.0, (len(chances) - done) * chances[place]))
        corrected[place] = least
    return corrected


def win_tie_loss(scores: pd.DataFrame, margin: float = 0.001) -> pd.DataFrame:
    """[methods, methods] of ``(wins, ties, losses)`` of the line against the column, over data sets.

    Scores within ``margin`` of each other are a tie.
    """
    counts = {}
    for other in scores.columns:
        difference = scores.sub(scores[other], axis=0)
        wins, losses = (difference > margin).sum(), (difference < -margin).sum()
        counts[other] = [
            (int(wins[name]), int(len(scores) - wins[name] - losses[name]), int(losses[name]))
            for name in scores.columns
        ]
    return pd.DataFrame(counts, index=scores.columns)


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
