"""The table of ``nri bench dynamics``: rules found exactly and next states right, by sample and noise."""

from collections.abc import Sequence

import pandas as pd

from nri_bench.datasets.networks import SAMPLES
from nri_bench.methods.dynamics import LEARNERS
from nri_bench.run import Row
from nri_bench.tables.cell import FAILED, NO_ROWS, markdown, percent
from nri_bench.tables.frame import label_of

_CAPTION = """\
Rules: share of variables whose rule is logically equal to the true one. Cells: share of next values right in
states that were not observed; a dash where all were. Both are means over networks; a learner that failed or
ran out of time counts as none found and half of the cells right; {failed} counts these.
Seconds: median of processor seconds over the networks above ten variables that the learner finished.
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
    return "\n".join(parts) + "\n" + _CAPTION.format(failed=FAILED)


def _words(sample: str) -> str:
    return {
        "all": "All transitions",
        "10 %": "10 % of the states, at most 500",
        "1 %": "1 % of the states, at least 5 and at most 100",
        "trajectories": "25 trajectories of 8 steps",
    }[sample]


def _part(frame: pd.DataFrame) -> str:
    noises = sorted(frame["noise"].unique())
    header = ["learner"]
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
        line = [label + (f" {FAILED}{failed}" if failed else "")]
        for noise in noises:
            at = own[own["noise"] == noise]
            cells = at["accuracy"]
            line += [percent(at["equal"].mean()), percent(cells.mean() if at["ok"].any() else float("nan"))]
        large = own[own["ok"] & (own["N"] > 10)]
        line.append("–" if large.empty else f"{large['fit_seconds'].median():.2g}")  # noqa: RUF001
        lines.append(line)
    return markdown(header, lines)
