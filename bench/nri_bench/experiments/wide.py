"""``nri bench wide``: 88 raw tables, n support rows drawn at random, every method with the usual care."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri import InputError
from nri_bench.datasets.wide import ALL, WideTable, half_of, load_wide, wide_folder, wide_names
from nri_bench.draws import WIDE, Draw, draw_rows, has_draw, rows_outside
from nri_bench.experiments.base import Experiment, Options, method_facts
from nri_bench.methods import Method
from nri_bench.methods.raw import choose_raw
from nri_bench.run import Job, Row, Scalar
from nri_bench.run.evaluate import Fits, agreement, evaluate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = (
    "logistic",
    "random-forest",
    "xgboost",
    "figs",
    "boosted-rules",
    "tree-4",
    "ripper",
    "rulekit",
    "paper",
    "greedy",
    "seeded",
    "posterior",
)
QUICK_METHOD_NAMES = ("logistic", "tree-4", "greedy")
QUICK_SETS = ("bank-wages-job", "dystrophy", "new-thyroid", "saheart")


def jobs(options: Options) -> list[Job]:
    """One job for each data set, n, draw and method, and one for the agreement of two draws of n = 100."""
    if options.seeds is not None:
        raise InputError("--seeds: the wide suite counts draws; give their number with --draws")
    methods = choose_raw(options.methods or (QUICK_METHOD_NAMES if options.quick else METHOD_NAMES))
    sizes = options.sizes or WIDE.sizes
    draws = range(options.draws or (1 if options.quick else WIDE.n_draws))
    made = []
    fits = Fits()
    for table in _tables(options):
        for n in sizes:
            if not has_draw(table.n_rows, n):
                continue
            for draw in draws:
                made += _draw_jobs(table, n, draw, methods, fits, warm=options.timed)
            if n == WIDE.agreement_size and len(draws) > 1:
                made += [_agreement_job(table, method, fits) for method in methods]
    return made


def _tables(options: Options) -> list[WideTable]:
    folder = wide_folder(options.data_dir)
    names = options.sets or (QUICK_SETS if options.quick else wide_names(options.half or ALL))
    unknown = [name for name in names if name not in wide_names()]
    if unknown:
        raise InputError(f"--sets {unknown[0]}: not of the wide suite; its names are those of its CSV files")
    half = wide_names(options.half or ALL)
    return [load_wide(name, folder) for name in names if name in half]


def _draw_jobs(
    table: WideTable, n: int, draw: int, methods: list[Method], fits: Fits, *, warm: bool
) -> list[Job]:
    rows = draw_rows(table.name, table.y, n, draw)
    work = {"dataset": table, "n": n, "draw": draw, "fits": fits, "warm": warm, "cpu_limit": WIDE.cpu_limit}
    facts = {**_facts(table), "n_query": len(rows.query), "majority_accuracy": _majority(table, rows)}
    return [
        Job(
            key=_key(method, table, n, draw),
            work=evaluate,
            arguments={"method": method.name, **work},
            facts={**facts, **method_facts(method)},
            packages=method.packages,
        )
        for method in methods
    ]


def _agreement_job(table: WideTable, method: Method, fits: Fits) -> Job:
    n, draws = WIDE.agreement_size, WIDE.agreement_draws
    work = {"table": table, "n": n, "draws": draws, "fits": fits, "cpu_limit": WIDE.cpu_limit}
    return Job(
        key=_key(method, table, n, "+".join(map(str, draws))),
        work=agreement,
        arguments={"method": method.name, **work},
        facts={
            **_facts(table),
            "n_query": len(rows_outside(table.name, table.y, n, draws)),
            **method_facts(method),
        },
        packages=method.packages,
    )


def _key(method: Method, table: WideTable, n: int, draw: int | str) -> dict[str, Scalar]:
    return {
        "experiment": "wide", "method": method.name, "dataset": table.name, "n": n, "draw": draw
    }  # fmt: skip


def _facts(table: WideTable) -> dict[str, Scalar]:
    return {
        "half": half_of(table.name),
        "n_columns": table.frame.shape[1],
        "n_classes": len(table.classes),
        "data": table.sha256[:8],
    }


def _majority(table: WideTable, rows: Draw) -> float:
    """Accuracy of the support's most frequent class: what a failed fit is worth."""
    return float(np.mean(table.y[rows.query] == np.argmax(np.bincount(table.y[rows.support]))))


def rows_file(row: Mapping[str, object]) -> str:
    """One file for each number of support rows."""
    return f"wide-{row['n']}.jsonl"


def table(rows: Sequence[Row]) -> str:
    """Mean accuracy by n and by number of classes, for each half and for all."""
    from nri_bench.tables.wide import wide_tables

    return wide_tables(rows)


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Average ranks with the critical difference, for each half and for all."""
    from nri_bench.figures.ranks import critical_difference_figure
    from nri_bench.tables.wide import PARTS, wide_frame

    found = {}
    for half in PARTS:
        records = wide_frame(rows, half).to_dict("records")
        part = [{**{str(name): value for name, value in row.items()}, "protocol": half} for row in records]
        figure = critical_difference_figure(part, half) if part else None
        if figure is not None:
            found[f"ranks-wide-{half}"] = figure
    return found


EXPERIMENT = Experiment(
    "wide",
    "88 raw tables with 30, 100 and 300 support rows, in a choosing and a confirming half.",
    jobs,
    table,
    figures,
    rows_file,
    takes=("sets", "half", "sizes", "draws"),
)
