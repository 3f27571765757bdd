"""Tables of the wide suite: by n, by number of classes, against each rival, for either half and for all.

A method's mean is taken over the draws of a set first, then over sets, then over n, so that every set counts
alike. Only sets that all methods have at an n are compared there.
"""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from nri_bench.datasets.wide import ALL, HALVES
from nri_bench.methods.raw import VARIANTS
from nri_bench.run import Row
from nri_bench.tables.cell import FAILED, NO_ROWS, markdown, percent
from nri_bench.tables.frame import frame_of, in_order, label_of
from nri_bench.tables.statistics import holm, rank_methods, signed_rank_p, win_tie_loss

PARTS = (*HALVES, ALL)
OURS = ("seeded", "posterior")
"""The methods that are compared with every other one."""
NOTHING = "–"  # noqa: RUF001  # a dash as a table sets it


def wide_tables(rows: Sequence[Row]) -> str:
    """Return every table for each half and for all sets, under headings."""
    if not rows:
        return NO_ROWS
    parts = []
    for half in PARTS:
        made = {title: table(rows, half) for title, table in TABLES.items()}
        parts += [f"### {half}\n"] + [f"**{title}**\n\n{text}" for title, text in made.items() if text]
    return "\n".join(parts)


def wide_frame(rows: Sequence[Row], half: str, *, variants: bool = False) -> pd.DataFrame:
    """Return the rows of one fit each, of a half, on the sets that every method has at their n.

    Methods that got more than labels are left out unless they are asked for.
    """
    single = [row for row in rows if not _is_pair(row) and (variants or row["method"] not in VARIANTS)]
    return _shared(_of_half(frame_of(single), half))


def _is_pair(row: Mapping[str, object]) -> bool:
    """Whether a row is about the agreement of two draws."""
    return isinstance(row["draw"], str)


def _of_half(frame: pd.DataFrame, half: str) -> pd.DataFrame:
    return frame if frame.empty or half == ALL else frame[frame["half"] == half]


def _shared(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out methods with less than half of what others have, then what not all the rest have."""
    if frame.empty:
        return frame
    keys = ["dataset", "n", "draw"]
    counts = frame["method"].value_counts()
    frame = frame[frame["method"].isin(counts.index[counts >= counts.max() / 2])]
    n_methods = frame.groupby(keys)["method"].transform("nunique")
    return frame[n_methods == frame["method"].nunique()]


def by_set(frame: pd.DataFrame, field: str = "score") -> pd.DataFrame:
    """[(n, data sets), methods] means over draws."""
    return frame.groupby(["n", "dataset", "method"])[field].mean().unstack("method")


def over_sets(cells: pd.DataFrame) -> "pd.Series[float]":
    """[methods] the mean over sets at each n, then over n."""
    return cells.groupby("n").mean().mean()


def accuracy_table(rows: Sequence[Row], half: str) -> str:
    """Accuracy by n and by number of classes, the other measures, and the average rank; best first."""
    frame = wide_frame(rows, half)
    if frame.empty:
        return NO_ROWS
    cells, sizes = by_set(frame), sorted(frame["n"].unique())
    means = over_sets(cells)
    at = cells.groupby("n").mean()
    two, more = (over_sets(by_set(part)) for part in _by_classes(frame))
    balanced, loss = (over_sets(by_set(frame, field)) for field in ("balanced_accuracy", "log_loss"))
    literals = frame.groupby("method")["literals"].median()
    ranks = _average_ranks(cells)
    failed = (~frame["ok"]).astype(int).groupby(frame["method"]).sum()
    lines = [
        [
            label_of(name) + (FAILED if failed[name] else ""),
            *(percent(at.loc[n, name]) for n in sizes),
            percent(means[name]),
            percent(_without_best(cells, name)),
            percent(two.get(name, float("nan"))),
            percent(more.get(name, float("nan"))),
            percent(balanced[name]),
            f"{loss[name]:.2f}",
            NOTHING if pd.isna(literals[name]) else f"{literals[name]:.0f}",
            f"{ranks[name]:.1f}" if name in ranks else NOTHING,
        ]
        for name in means.sort_values(ascending=False, kind="stable").index
    ]
    header = ["method", *(f"n = {n}" for n in sizes), "mean", "without its best set", "two classes"]
    header += ["more classes", "balanced", "log loss", "literals (median)", "average rank"]
    return markdown(header, lines) + _accuracy_caption(frame, cells, failed)


def _by_classes(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    return frame[frame["n_classes"] == 2], frame[frame["n_classes"] > 2]


def _without_best(cells: pd.DataFrame, name: str) -> float:
    """Mean of a method if it did no better on its best set than it does on the others.

    Its best set is the one on which it is farthest above the mean of all methods. Simply to leave the set out
    would compare easy sets with hard ones: what is left out is its lead there.
    """
    leads = cells.sub(cells.mean(axis=1), axis=0)
    best = leads[name].groupby("dataset").mean().idxmax()
    rest = leads.drop(best, level="dataset")
    return float(over_sets(cells).mean() + over_sets(rest)[name])


def _average_ranks(cells: pd.DataFrame) -> dict[str, float]:
    scores = cells.groupby("dataset").mean()
    if scores.shape[0] < 2 or scores.shape[1] < 2:
        return {}
    ranking = rank_methods(scores)
    return dict(zip(ranking.methods, ranking.ranks.tolist(), strict=True))


def _accuracy_caption(frame: pd.DataFrame, cells: pd.DataFrame, failed: "pd.Series[int]") -> str:
    counts = ", ".join(f"{count} at n = {n}" for n, count in cells.groupby("n").size().items())
    draws = frame["draw"].nunique()
    text = f"\nAccuracy in %, means over data sets ({counts}) and {draws} draws; n counts alike. "
    text += "Without its best set: had it been no better on the set where it is farthest above the mean of "
    text += "all methods than on the others."
    scores = cells.groupby("dataset").mean()
    if scores.shape[0] > 1 and scores.shape[1] > 1:
        ranking = rank_methods(scores)
        text += (
            f" Ranks over {len(scores)} sets: critical difference {ranking.critical_difference:.2f} "
            f"(Nemenyi, 5 % level), Friedman {_chance(ranking.friedman_p)}."
        )
    some = {label_of(str(name)): int(count) for name, count in failed.items() if count}
    if some:
        listed = ", ".join(f"{label} {count}" for label, count in some.items())
        text += f" {FAILED} fits that failed or ran out of time count as the majority class: {listed}."
    return text + "\n"


def classes_table(rows: Sequence[Row], half: str) -> str:
    """Accuracy by n, for two classes and for more."""
    frame = wide_frame(rows, half)
    if frame.empty:
        return ""
    parts = [part for part in zip(("two", "more"), _by_classes(frame), strict=True) if not part[1].empty]
    at = {
        (word, n): cells for word, part in parts for n, cells in by_set(part).groupby("n").mean().iterrows()
    }
    names = over_sets(by_set(frame)).sort_values(ascending=False, kind="stable").index
    header = ["method", *(f"{word}, n = {n}" for word, n in at)]
    return markdown(
        header, [[label_of(name), *(percent(cells[name]) for cells in at.values())] for name in names]
    )


def lead_table(rows: Sequence[Row], half: str, hero: str) -> str:
    """How far one of our methods is ahead of every other one, and whether chance would do the same."""
    frame = wide_frame(rows, half)
    if frame.empty or hero not in set(frame["method"]) or frame["dataset"].nunique() < 2:
        return ""
    cells, sizes = by_set(frame), sorted(frame["n"].unique())
    scores = cells.groupby("dataset").mean()
    rivals = [name for name in in_order(cells.columns) if name != hero]
    chances = {name: signed_rank_p(scores[hero] - scores[name]) for name in rivals}
    corrected = dict(zip(rivals, holm(list(chances.values())), strict=True))
    records = win_tie_loss(scores).loc[hero]
    leads = _leads(frame, hero)
    at, mean = leads.groupby("n").mean(), over_sets(leads)
    two, more = (over_sets(_leads(part, hero)) for part in _by_classes(frame))
    lines = []
    for name in rivals:
        best = leads[name].groupby("dataset").mean().idxmax()
        rest = over_sets(leads.drop(best, level="dataset"))[name]
        numbers = [*(at.loc[n, name] for n in sizes), mean[name], rest]
        numbers += [part.get(name, float("nan")) for part in (two, more)]
        record = "-".join(str(count) for count in records[name])
        tests = [f"{chances[name]:.3f}", f"{corrected[name]:.3f}"]
        lines.append([label_of(name), *map(_signed, numbers), record, *tests])
    header = [f"{label_of(hero)} minus", *(f"n = {n}" for n in sizes), "mean", "without its best set"]
    header += ["two classes", "more classes", "wins-ties-losses", "Wilcoxon p", "Holm"]
    caption = (
        "\nPoints of accuracy. Wins, ties (within 0.1 point) and losses, and Wilcoxon's signed rank test, "
        f"are over the means of {len(scores)} sets; Holm corrects for {len(rivals)} comparisons.\n"
    )
    return markdown(header, lines) + caption


def _leads(frame: pd.DataFrame, hero: str) -> pd.DataFrame:
    """[(n, data sets), methods] how far one method is ahead of each other one."""
    cells = by_set(frame)
    return cells if cells.empty else cells.rsub(cells[hero], axis=0)


def agreement_of_draws_table(rows: Sequence[Row], half: str) -> str:
    """On which share of rows models from two draws of n = 100 say the same."""
    frame = _shared(_of_half(frame_of([row for row in rows if _is_pair(row)]), half))
    if frame.empty:
        return ""
    frame = frame[frame["ok"]]
    parts = [frame, *_by_classes(frame)]
    means = [part.groupby("method")["agreement"].mean() for part in parts]
    lines = [
        [label_of(name), *(percent(mean.get(name, float("nan"))) for mean in means)]
        for name in means[0].sort_values(ascending=False, kind="stable").index
    ]
    caption = (
        "\nShare of rows outside both supports, in %, on which models from two draws of n = 100 give the "
        f"same answer; {frame['dataset'].nunique()} sets.\n"
    )
    return markdown(["method", "all", "two classes", "more classes"], lines) + caption


def cost_table(rows: Sequence[Row], half: str) -> str:
    """Mean cost at 5 : 1 on tables of two classes, with the cut of chances at 1/6, or as the rule says."""
    frame = wide_frame(rows, half, variants=True)
    frame = frame[(frame["n_classes"] == 2) & frame["ok"]] if not frame.empty else frame
    if frame.empty:
        return ""
    cells, best = (by_set(frame, field) for field in ("cost", "cost_best_cut"))
    sizes, means = sorted(frame["n"].unique()), over_sets(cells)
    lines = [
        [
            _label(name),
            *(f"{cells.loc[n, name].mean():.3f}" for n in sizes),
            f"{means[name]:.3f}",
            f"{over_sets(best)[name]:.3f}",
        ]
        for name in means.sort_values(kind="stable").index
    ]
    caption = (
        "\nMean cost of a row where missing the rarer class costs 5 and a false alarm 1. Predicted is the "
        "cheaper class by the method's own probabilities (cut at 1/6); best cut: where it would have been "
        "best on the query rows.\n"
    )
    return markdown(["method", *(f"n = {n}" for n in sizes), "mean", "best cut"], lines) + caption


def unlabelled_table(rows: Sequence[Row], half: str) -> str:
    """Our rule with and without rows whose labels are not shown; with nothing else beside it."""
    wanted = {"seeded", *(name for name, variant in VARIANTS.items() if variant.unlabelled)}
    some = [row for row in rows if row["method"] in wanted]
    if {row["method"] for row in some} <= {"seeded"}:
        return ""
    frame = wide_frame(some, half, variants=True)
    if frame.empty:
        return ""
    cells, sizes = by_set(frame), sorted(frame["n"].unique())
    means, at = over_sets(cells), cells.groupby("n").mean()
    lines = [
        [_label(name), *(percent(at.loc[n, name]) for n in sizes), percent(means[name])]
        for name in means.index
    ]
    caption = (
        "\nAccuracy in %. Rows without labels are of the same table: first those outside the query, then the "
        "query's.\n"
    )
    return markdown(["method", *(f"n = {n}" for n in sizes), "mean"], lines) + caption


def seconds_table(rows: Sequence[Row], half: str) -> str:
    """CPU seconds of a fit, of rows that were timed on a quiet machine only."""
    frame = wide_frame([row for row in rows if row.get("timed")], half)
    if frame.empty:
        return ""
    sizes = sorted(frame["n"].unique())
    at = frame[frame["ok"]].groupby(["method", "n"])["fit_seconds"].mean().unstack("n")
    lines = [[label_of(name), *(f"{at.loc[name, n]:.2f}" for n in sizes)] for name in in_order(at.index)]
    return (
        markdown(["method", *(f"n = {n}" for n in sizes)], lines) + "\nMean CPU seconds of a fit, one core.\n"
    )


def _label(name: str) -> str:
    return VARIANTS[name].label if name in VARIANTS else label_of(name)


def _signed(share: float) -> str:
    return NOTHING if pd.isna(share) else f"{100 * share:+.1f}"


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _lead_of(hero: str) -> Callable[[Sequence[Row], str], str]:
    return lambda rows, half: lead_table(rows, half, hero)


TABLES: Mapping[str, Callable[[Sequence[Row], str], str]] = {
    "accuracy": accuracy_table,
    "classes": classes_table,
    **{f"lead-{hero}": _lead_of(hero) for hero in OURS},
    "agreement": agreement_of_draws_table,
    "cost": cost_table,
    "unlabelled": unlabelled_table,
    "seconds": seconds_table,
}
"""Every table by the name that documents ask for, made of rows and a half."""
