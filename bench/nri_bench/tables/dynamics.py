"""The tables of ``nri bench dynamics``: rules found and next values right, by sample, noise and network."""

from collections.abc import Sequence

import pandas as pd

from nri_bench.datasets.networks import SAMPLES
from nri_bench.methods.dynamics import LEARNERS, PROCESSOR_LIMIT, SMALL
from nri_bench.run import Row
from nri_bench.tables.cell import FAILED, NO_ROWS, markdown, percent

_NONE = "–"  # noqa: RUF001
_WORDS = {
    "all": "All transitions",
    "10 %": "10 % of the states",
    "1 %": "1 % of the states, at least five",
    "500": "500 random transitions",
    "trajectories": "25 trajectories of 8 steps",
}
_CAPTION = f"""\
Rules: share of variables whose rule is logically equal to the true one (of pylfit's, whose rules are no
formulas: that says the same in all states, or in 4096 of them above twelve variables). Values: share of next
values right in states that were not observed; a dash where all were. Whole states: share of such states with
every next value right. Means over the networks; a dash also where a learner was not tried on all of them. One
that failed, or was given up after {PROCESSOR_LIMIT:.0f} processor seconds, counts as none found and half of
the values right, and {FAILED} counts these.
Seconds: processor seconds of one fit without flipped cells; by sample the median over the networks, on a
machine with other work on it. {{side_by_side}}
"""
_QUIET = "Network by network those of our fewest regulators and of PRIDE are from one run on a quiet machine."
_BUSY = (
    "So it is network by network, which is no measurement, but both learners of a line ran on the same one."
)


def dynamics_table(rows: Sequence[Row]) -> str:
    """Write what was found in short, a table for each sample and size, and one by networks."""
    if not rows:
        return NO_ROWS
    frame = pd.DataFrame(list(rows))
    for column in ("equal", "accuracy", "states", "few", "few_equal", "fit_seconds", "N", "M"):
        frame[column] = pd.to_numeric(frame[column]) if column in frame else float("nan")
    frame["ok"] = frame["status"] == "ok"
    frame["equal"] = frame["equal"].where(frame["ok"], 0.0)
    frame["accuracy"] = frame["accuracy"].where(frame["ok"], 0.5)
    parts = [_in_short(frame)]
    for sample in SAMPLES:
        for small in (True, False):
            part = frame[(frame["sample"] == sample) & ((frame["N"] <= SMALL) == small)]
            if not part.empty:
                size = f"up to {SMALL} variables" if small else "more"
                networks = f"{part['network'].nunique()} networks of {size}"
                parts.append(f"**{_WORDS[sample]}**, {networks}:\n\n{_by_learner(part)}")
    plain = _plain(frame)
    compared = plain[plain["method"].isin(["fewest", "pride"])]
    quiet = "timed" in compared and bool(compared["timed"].fillna(False).astype(bool).all())
    caption = _CAPTION.format(side_by_side=_QUIET if quiet else _BUSY)
    return "\n".join([*parts, _by_network(plain), caption])


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of 500 random transitions without flipped cells."""
    return frame[(frame["sample"] == "500") & (frame["noise"] == 0.0)]


def _in_short(frame: pd.DataFrame) -> str:
    """Say what ours found without noise, and how much longer pylfit takes."""
    ours = frame[(frame["method"] == "fewest") & (frame["noise"] == 0.0)]
    whole, some = ours[ours["sample"] == "all"], _plain(ours)
    lines = []
    if not whole.empty:
        exact = int((whole["equal"] == 1.0).sum())
        lines.append(f"- From all transitions {exact} of {len(whole)} networks come back exactly.")
    if not some.empty:
        values, states = some["accuracy"], some["states"]
        lines += [
            f"- From 500 random transitions {some['few_equal'].sum():.0f} of {some['few'].sum():.0f} "
            "variables with at most five regulators come back.",
            f"- Of next values in unseen states {percent(values.mean(), 2)} % are right, and at least "
            f"{percent(values.min(), 2)} % on each network; of whole next states "
            f"{percent(states.mean())} % and {percent(states.min())} %.",
        ]
    lines += _speed(_plain(frame[frame["N"] > 10]))
    return "\n".join(["In short, without flipped cells:\n", *lines, ""])


def _speed(frame: pd.DataFrame) -> list[str]:
    """Say how many times longer pylfit's quicker learner takes on the same transitions."""
    by_learner = frame.pivot_table(index="network", columns="method", values="fit_seconds", aggfunc="first")
    if not {"fewest", "pride"} <= set(by_learner.columns):
        return []
    ratio = (by_learner["pride"] / by_learner["fewest"]).dropna()
    lines = [
        f"- PRIDE took {ratio.min():.0f} to {ratio.max():.0f} times as long on {len(ratio)} networks above "
        "ten variables."
    ]
    given_up = frame.loc[(frame["method"] == "pride") & ~frame["ok"], "network"]
    if len(given_up):
        ours = by_learner.loc[by_learner.index.isin(given_up), "fewest"].max()
        lines.append(
            f"- On {len(given_up)} more it did not end within {PROCESSOR_LIMIT:.0f} processor seconds, where "
            f"ours took {ours:.2g} at most."
        )
    return lines


def _by_learner(frame: pd.DataFrame) -> str:
    """List the learners that were tried on all networks of a sample and size."""
    noises = sorted(frame["noise"].unique())
    header = ["learner"]
    for noise in noises:
        header += [f"rules, {100 * noise:.0f} % flipped", "values"]
    lines = []
    for learner in LEARNERS.values():
        line, failed = [], 0
        for noise in noises:
            at = frame[(frame["method"] == learner.name) & (frame["noise"] == noise)]
            complete = set(at["network"]) == set(frame["network"])
            line += [percent(at[name].mean()) if complete else _NONE for name in ("equal", "accuracy")]
            failed += int((~at["ok"]).sum()) if complete else 0
        if any(cell != _NONE for cell in line):
            own = frame[(frame["method"] == learner.name) & (frame["noise"] == 0.0) & frame["ok"]]
            seconds = f"{own['fit_seconds'].median():.2g}" if len(own) else _NONE
            lines.append([learner.label + (f" {FAILED}{failed}" if failed else ""), *line, seconds])
    return markdown([*header, "seconds"], lines)


def _by_network(frame: pd.DataFrame) -> str:
    """List what ours and pylfit's learners make of the same transitions, network by network."""
    header = ["network", "variables", "of ≤ 5 regulators, found"]
    shown = [name for name in ("fewest", "pride", "gula") if (frame["method"] == name).any()]
    for name in shown:
        header += [f"{LEARNERS[name].label}: rules", "values", "whole states", "seconds"]
    lines = []
    for (_, network), own in frame.groupby(["N", "network"]):
        ours = own[own["method"] == "fewest"]
        few = f"{ours['few_equal'].iloc[0]:.0f} of {ours['few'].iloc[0]:.0f}" if len(ours) else _NONE
        line = [str(network), f"{own['N'].iloc[0]:.0f}", few]
        for name in shown:
            line += _cells_of(own[own["method"] == name])
        lines.append(line)
    return f"**Network by network**, 500 random transitions, no cell flipped:\n\n{markdown(header, lines)}"


def _cells_of(rows: pd.DataFrame) -> list[str]:
    """Return what one learner made of one network; the first seed speaks."""
    if rows.empty:
        return [_NONE] * 4
    row = rows.iloc[0]
    if not row["ok"]:
        gave_up = "given up" in str(row.get("message", ""))
        return [_NONE, _NONE, _NONE, f"> {PROCESSOR_LIMIT:.0f}" if gave_up else FAILED]
    return [*(percent(row[name]) for name in ("equal", "accuracy", "states")), f"{row['fit_seconds']:.2g}"]
