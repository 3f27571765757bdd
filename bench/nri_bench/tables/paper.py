"""What the paper states beside what comes out here, claim by claim, every figure from rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from nri_bench.run import Row
from nri_bench.tables.cell import FAILED, markdown, percent
from nri_bench.tables.frame import frame_of, with_values

RowsOf = Callable[[str, str], Sequence[Row]]
"""The rows of an experiment, in a folder below the results."""

NETWORKS = {"`paper`": ("", "paper"), "`paper-tuned`": ("", "paper-tuned")}
NETWORKS |= {"`paper-feedback`": ("", "paper-feedback")}
PUBLISHED = {
    "its code": ("published-code", "published-code"),
    "its run, 100": ("published-run", "published-100.onnx"),
    "its run, 500": ("published-run", "published-500.onnx"),
}
"""Columns of the tables: the folder of their rows and the method in them."""

Measure = Callable[[pd.DataFrame], str]
SHARES = ("score", "equal", "shifted_accuracy")  # in percent


def mean_of(field: str) -> Measure:
    """Return what writes the mean of a field."""

    def measure(frame: pd.DataFrame) -> str:
        mean = frame[field].mean()
        if pd.isna(mean):
            return ""
        return percent(mean) if field in SHARES else f"{mean:.2g}"

    return measure


accuracy = mean_of("score")


def least_cell(frame: pd.DataFrame) -> str:
    """Write the least accuracy over all numbers and strengths of distractors."""
    return percent(frame.groupby(["D", "rho"])["score"].mean().min())


def cells_above(frame: pd.DataFrame, bar: float = 0.92) -> str:
    """Count the cells of D x rho that are above the paper's 92 %."""
    cells = frame.groupby(["D", "rho"])["score"].mean()
    return f"{(cells > bar).sum()} of {len(cells)}"


@dataclass(frozen=True)
class Claim:
    """Something that the paper states, and where its counterpart is among our rows."""

    what: str
    stated: str
    experiment: str
    conditions: str  # values that a row must have, e.g. ``K=1,L=2,M=256``
    measure: Measure = accuracy

    def measured(self, rows_of: RowsOf, folder: str, method: str) -> str:
        """Write what a method has, with a mark if some of its fits failed; nothing without rows."""
        meant = with_values(rows_of(self.experiment, folder), f"method={method},{self.conditions}".strip(","))
        frame = frame_of(meant)
        if frame.empty:
            return ""
        return self.measure(frame) + ("" if frame["ok"].all() else FAILED)


_RECOVERED = {"1x1": "99.5", "1x2": "91.5", "1x3": "81.7", "4x1": "34.2", "4x3": "24.0"}
_SHAPES = ("1x1", "1x2", "1x3", "2x1", "3x1", "4x1", "2x2", "3x2", "4x2", "2x3", "3x3", "4x3")

CLAIMS = (
    Claim("14 sets, p20", "75.6", "uci", "protocol=p20"),
    Claim("14 sets, p4", "69.7", "uci", "protocol=p4"),
    Claim("adult, p20", "65.0", "uci", "protocol=p20,dataset=adult"),
    Claim("adult, p4", "69.6", "uci", "protocol=p4,dataset=adult"),
    *(
        Claim(
            f"recovery {shape}", _RECOVERED.get(shape, ""), "recovery", f"K={shape[0]},L={shape[2]},M=256",
            mean_of("equal"),
        )
        for shape in _SHAPES
    ),
    Claim("noise 0 %", "92.3", "noise", "noise=0.0"),
    Claim("noise 30 %", "87.4", "noise", "noise=0.3"),
    Claim("spurious: least cell", "above 92", "spurious", "", least_cell),
    Claim("spurious: cells above 92", "all", "spurious", "", cells_above),
    Claim("spurious: D = 32, rho = 0.9", "97.6", "spurious", "D=32,rho=0.9"),
    Claim("spurious: D = 32, rho = 0.1", "96.7", "spurious", "D=32,rho=0.1"),
)  # fmt: skip
"""The paper's own tables and figures; the released weights' p20 and adult are from its repository."""

FURTHER = (
    Claim("ten seeds, p20", "75.6", "seeds", "protocol=p20"),
    Claim("ten seeds, p4", "69.7", "seeds", "protocol=p4"),
    Claim("ablation: all losses", "74.8", "ablation", "variant=full"),
    Claim("ablation: no necessity", "74.1", "ablation", "variant=no-necessity"),
    Claim("ablation: no max-margin", "72.0", "ablation", "variant=no-max-margin"),
    Claim("ablation: no slot balance", "73.3", "ablation", "variant=no-slot-balance"),
    Claim("usage variance", "0.003", "slots", "variant=full", mean_of("usage_variance")),
    Claim("the same, no balance", "0.35", "slots", "variant=no-slot-balance", mean_of("usage_variance")),
    Claim("gate entropy", "about 0.26", "slots", "variant=full", mean_of("gate_entropy")),
    Claim("half of the cells unknown", "robust", "missing", "gaps=unknown,missing=0.5"),
    Claim("half of the cells filled", "", "missing", "gaps=filled,missing=0.5"),
    Claim("XOR of two, N = 4, found", "seen", "xor", "rule=xor,N=4", mean_of("equal")),
    Claim("kr-vs-kp, one clause", "", "clauses", "dataset=kr-vs-kp,most=1"),
    Claim("kr-vs-kp, eight clauses", "needed", "clauses", "dataset=kr-vs-kp,most=8"),
    Claim("N = 512, M = 128: MB", "593", "scaling", "N=512,M=128", mean_of("peak_mb")),
)
"""What else it states, with a figure or without."""


def paper_table(rows_of: RowsOf) -> str:
    """Lay out the paper, its published code, its run by our code, and the three networks."""
    columns = PUBLISHED | NETWORKS
    lines = [[c.what, c.stated, *(c.measured(rows_of, *at) for at in columns.values())] for c in CLAIMS]
    return markdown(["", "paper", *columns], lines)


def expected_table(rows_of: RowsOf) -> str:
    """Lay out what each command of the bench is expected to give."""
    lines = [
        [c.what, f"`{c.experiment}`", c.stated, *(c.measured(rows_of, *at) for at in NETWORKS.values())]
        for c in CLAIMS + FURTHER
    ]
    return markdown(["", "`nri bench`", "paper", *NETWORKS], lines)
