"""``nri bench readable``: would a person sign the rules of 88 raw tables? The review's lint as code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nri_bench.datasets.wide import ALL, WideTable, half_of, load_wide, wide_folder, wide_names
from nri_bench.draws import shuffled
from nri_bench.experiments.base import Experiment, Options, method_facts
from nri_bench.methods.raw import choose_raw, make_raw
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.cell import NO_ROWS, markdown
from nri_bench.tables.frame import label_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("seeded", "greedy", "paper")
QUICK_SETS = ("bank-wages-job", "dystrophy", "new-thyroid", "saheart")
MOST_ROWS = 1000
LOW_SHARE = 0.35
"""A branch whose class has a smaller share than this among its rows is one that no reader would sign."""
FREQUENT = 0.05
"""Share of the rows from which a class that is never predicted has to be mentioned."""
LINTS = ("repeats", "excludes", "imprecise", "silent", "long")


def lint(rule: Any, predicted: Sequence[Any], labels: Sequence[Any]) -> dict[str, bool]:
    """Return which faults a rule has.

    ``repeats``: a counting clause names a column twice. ``excludes``: it has a column's literal and another
    that excludes it. ``imprecise``: a line with a share below 0.35. ``silent``: a class of 5 % of the rows or
    more is never predicted, and the rule's text does not say so. ``long``: more lines than 2 x classes + 1.
    """
    branches = rule.branches
    clauses = [branch.clause for branch in branches]
    counting = [clause for clause in clauses if clause.counts and not clause.asks_known]  # days is known
    columns = [Counter(literal.column for literal in clause) for clause in counting]
    frequent = Counter(labels)
    missing = [
        label for label, n in frequent.items() if n >= FREQUENT * len(labels) and label not in set(predicted)
    ]
    return {
        "repeats": any(max(names.values()) > 1 for names in columns),
        "excludes": any(clause.at_least in (1, len(clause)) or len(clause) > 6 for clause in counting),
        "imprecise": any((rule.predicts.share(branch.estimate) or 0.0) < LOW_SHARE for branch in branches),
        "silent": bool(missing) and "never predicted" not in str(rule),
        "long": len(branches) > 2 * len(frequent) + 1,
    }


def jobs(options: Options) -> list[Job]:
    """One job for each data set and method."""
    methods = choose_raw(options.methods or METHOD_NAMES)
    names = options.sets or (QUICK_SETS if options.quick else wide_names(options.half or ALL))
    folder = wide_folder(options.data_dir)
    made = []
    for table in (load_wide(name, folder) for name in names):
        for method in methods:
            made.append(
                Job(
                    key={"experiment": "readable", "method": method.name, "dataset": table.name},
                    work=read_rule,
                    arguments={"method": method.name, "table": table},
                    facts={
                        "half": half_of(table.name),
                        "n_classes": len(table.classes),
                        "data": table.sha256[:8],
                        **method_facts(method),
                    },
                    packages=method.packages,
                )
            )
    return made


def read_rule(method: str, table: WideTable) -> Measures:
    """Fit a method to at most 1000 rows and look for faults in the rule that is printed."""
    n = min(MOST_ROWS, table.n_rows)
    rows = np.sort(shuffled(table.name, table.y, n, 0)[:n])
    frame, labels = table.frame.iloc[rows].reset_index(drop=True), np.array(table.classes)[table.y[rows]]
    model = make_raw(method, 0).fit(frame, labels)
    faults = lint(model.rule_, list(model.predict(frame)), list(labels))
    branches = model.rule_.branches
    return {
        **{name: float(fault) for name, fault in faults.items()},
        "clean": float(not any(faults.values())),
        "counts": float(any(branch.clause.counts for branch in branches)),
        "branches": len(branches),
        "literals": sum(len(branch.clause) for branch in branches),
        "rule": str(model.rule_),
    }


def table(rows: Sequence[Row]) -> str:
    """Count the tables with each fault, and the clean ones, for each method."""
    kept = [row for row in rows if row["status"] == "ok"]
    if not kept:
        return NO_ROWS
    frame = pd.DataFrame(kept)
    lines = []
    for name in dict.fromkeys(frame["method"]):
        part = frame[frame["method"] == name]
        numbers = [f"{part[column].sum():.0f}" for column in ("clean", *LINTS, "counts")]
        sizes = [f"{part[column].mean():.1f}" for column in ("branches", "literals")]
        lines.append([label_of(str(name)), f"{len(part)}", *numbers, *sizes])
    head = ["method", "tables", "clean", *LINTS, "with counts", "branches", "literals"]
    caption = (
        "\nTables whose rule is clean, and with each fault: a count that repeats a column; a count of more"
        " than six, or that is a plain AND or OR; a line whose class has a share below 0.35; a class of 5 %"
        " of the rows that is never predicted without a word; more lines than 2 x classes + 1.\n"
    )
    return markdown(head, lines) + caption


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw the share of tables with a clean rule, and the lines of a rule, method by method."""
    from nri_bench.figures.dots import variant_bars

    labelled = [{**row, "label": label_of(str(row["method"]))} for row in rows if row["status"] == "ok"]
    if not labelled:
        return {}
    means = pd.DataFrame(labelled).groupby(["label", "method"], sort=False)[["clean", "branches"]].mean()
    titles = (("clean", "clean rules (%)", 100.0), ("branches", "branches", 1.0))
    records = [{str(k): v for k, v in one.items()} for one in means.reset_index().to_dict("records")]
    figure = variant_bars(records, titles)
    return {"readable": figure} if figure else {}


EXPERIMENT = Experiment(
    "readable",
    "The lint of rules on 88 raw tables: counts, shares, classes never predicted, lines.",
    jobs,
    table,
    figures,
    takes=("sets", "half"),
)
