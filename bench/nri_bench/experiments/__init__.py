"""The experiments, each a small file of the same shape; see :class:`Experiment`."""

from nri_bench.experiments import (
    ablation,
    clauses,
    dynamics,
    learning,
    missing,
    noise,
    options,
    polarity,
    recovery,
    regression,
    rules,
    scaling,
    seeds,
    size,
    slots,
    spurious,
    uci,
    wide,
    xor,
)
from nri_bench.experiments.base import Experiment, Options

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (
        *(uci, wide, seeds, learning, recovery, polarity, xor, noise, missing, spurious, scaling),
        *(ablation, options, slots, clauses, rules, dynamics, regression, size),
    )
}
"""Every experiment by its command's name."""

__all__ = ["EXPERIMENTS", "Experiment", "Options"]
