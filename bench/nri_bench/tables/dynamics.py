"""The table of ``nri bench dynamics``: rules found exactly and next states right, by sample and noise."""

from collections.abc import Sequence

import pandas as pd

from nri_bench.datasets.networks import SAMPLES
from nri_bench.methods.dynamics import LEARNERS
from nri_bench.run import Row
from nri_bench.tables.cell import FAILED, NO_ROWS, markdown, percent
from nri_bench.tables.frame import label_of

_NONE = "–"  # noqa: RUF001
_CAPTION = """\
Rules: share of variables whose rule is logically equal to the true one. Cells: share of next values right in
states that were not observed; a dash where all were, or where there are no rows. Both are means over the
networks that a learner has rows for, which are not the same for all and fewer with noise; a learner that
failed or was given up after 60 processor seconds counts as none found and half of the cells right; {failed}
counts these.
Seconds: processor seconds on a machine with other work on it; by sample, the median over the networks above
ten variables that the learner finished.
"""


def dynamics_table(rows: Sequence[Row]) -> str:
    """Write a table for each sample, with a column for each noise rate."""
    if not rows:
        return NO_ROWS
    frame = pd.DataFrame(list(rows))
    for column in ("equal", "accuracy", "fit_seconds", "N"):
        frame[column] = pd.to_numeric(frame[column]) if column in frame else float("nan")
    frame["ok"] = frame["status"] == "ok"
    frame["equal"] = frame["equal"].where(frame["ok"], 0.0)
    frame["accuracy"] = frame["accuracy"].where(frame["ok"], 0.5)
    parts = []
    for sample in (one for one in SAMPLES if (frame["sample"] == one).any()):
        part = frame[frame["sample"] == sample]
        networks = part["network"].nunique()
        parts.append(
            f"**{_words(sample)}**, {networks} network{'' if networks == 1 else 's'}:\n\n{_part(part)}"
        )
    return "\n".join([*parts, _by_network(frame)]) + "\n" + _CAPTION.format(failed=FAILED)


def _by_network(frame: pd.DataFrame) -> str:
    """List each network with what ours and pylfit's learners make of the same transitions without noise."""
    part = frame[(frame["sample"] == "10 %") & (frame["noise"] == 0.0)]
    shown = [name for name in ("fewest", "pride", "gula") if (part["method"] == name).any()]
    header = ["network", "variables", "transitions"]
    for name in shown:
        header += [f"{LEARNERS[name].label}: rules", "cells", "seconds"]
    lines = []
    for (_, network), own in part.groupby(["N", "network"]):
        line = [str(network), f"{own['N'].iloc[0]:.0f}", f"{own['M'].max():.0f}"]
        for name in shown:
            line += _cells_of(own[own["method"] == name])
        lines.append(line)
    return f"**Network by network**, 10 % of the states, no cell flipped:\n\n{markdown(header, lines)}"


def _cells_of(rows: pd.DataFrame) -> list[str]:
    """Return what one learner made of one network: rules, cells and seconds; the first seed speaks."""
    if rows.empty:
        return [_NONE] * 3
    row = rows.iloc[0]
    if not row["ok"]:
        return [FAILED, FAILED, f"{FAILED} {row.get('message') or row['status']}"]
    return [percent(row["equal"]), percent(row["accuracy"]), f"{row['fit_seconds']:.2g}"]


def _words(sample: str) -> str:
    return {
        "all": "All transitions",
        "10 %": "10 % of the states, at most 500",
        "1 %": "1 % of the states, at least 5 and at most 100",
        "trajectories": "25 trajectories of 8 steps",
    }[sample]


def _part(frame: pd.DataFrame) -> str:
    noises = sorted(frame["noise"].unique())
    header = ["learner", "networks"]
    for noise in noises:
        flipped = f"{100 * noise:.0f} % flipped"
        header += [f"rules, {flipped}", f"cells, {flipped}"]
    header.append("seconds")
    lines = []
    present = frame["method"].unique()
    for name in (
        *(one for one in LEARNERS if one in present),
        *(one for one in present if one not in LEARNERS),
    ):
        own = frame[frame["method"] == name]
        failed = int((~own["ok"]).sum())
        label = LEARNERS[name].label if name in LEARNERS else label_of(name)
        line = [label + (f" {FAILED}{failed}" if failed else ""), str(own["network"].nunique())]
        for noise in noises:
            at = own[own["noise"] == noise]
            if at.empty:
                line += [_NONE, _NONE]
                continue
            cells = at["accuracy"]
            line += [percent(at["equal"].mean()), percent(cells.mean() if at["ok"].any() else float("nan"))]
        large = own[own["ok"] & (own["N"] > 10)]
        line.append(_NONE if large.empty else f"{large['fit_seconds'].median():.2g}")
        lines.append(line)
    return markdown(header, lines)
