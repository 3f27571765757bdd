"""``nri bench learning``: accuracy over the share of the training rows that is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nri import InputError
from nri_bench.experiments.base import ON_DATA, Experiment, Options, chosen_methods
from nri_bench.experiments.uci import SMALL, fold_jobs
from nri_bench.run import Job, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = (
    "logistic",
    "tree",
    "random-forest",
    "xgboost",
    "ripper",
    "paper",
    "paper-tuned",
    "greedy",
    "seeded",
)
QUICK_METHOD_NAMES = ("logistic", "tree")
PROTOCOLS = ("sub2", "sub5", "sub10", "sub20", "sub50", "sub100")


def jobs(options: Options) -> list[Job]:
    """One job for each data set, share, seed, fold and method."""
    protocols = options.protocols or (("sub5", "sub50") if options.quick else PROTOCOLS)
    for protocol in protocols:
        if not _has_share(protocol):
            raise InputError(
                f"--protocol {protocol}: a learning curve is over shares, subX for X percent, e.g. sub5,sub50"
            )
    methods = chosen_methods(options, METHOD_NAMES, QUICK_METHOD_NAMES)
    if options.sets is None and options.csv is None and not options.quick:
        options = replace(options, sets=(SMALL,))  # all rows of the large ones would take RIPPER hours
    return fold_jobs("learning", options, protocols, methods)


def table(rows: Sequence[Row]) -> str:
    """Mean accuracy over the data sets, a line for each method, a column for each share."""
    from nri_bench.tables.curves import curve_table

    return curve_table(with_share(rows), over="share", heading=lambda share: f"{share:g} %")


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Mean accuracy over the share of training rows."""
    from nri_bench.figures.curves import accuracy_curves

    figure = accuracy_curves(
        with_share(rows), over="share", label="training rows shown (%)", scale=1, logarithmic=True
    )
    return {"learning": figure} if figure else {}


def with_share(rows: Sequence[Row]) -> list[Row]:
    """Add the percentage in the name of a protocol.

    Rows of other protocols, which older versions ran, are left out.
    """
    return [
        {**row, "share": float(str(row["protocol"]).removeprefix("sub"))}
        for row in rows
        if _has_share(str(row["protocol"]))
    ]


def _has_share(protocol: str) -> bool:
    return protocol.startswith("sub")


EXPERIMENT = Experiment(
    "learning", "Accuracy over the number of support rows.", jobs, table, figures, takes=ON_DATA
)
