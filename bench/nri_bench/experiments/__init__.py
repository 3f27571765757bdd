"""The experiments, each a small file of the same shape; see :class:`Experiment`."""

from nri_bench.experiments import (
    ablation,
    clauses,
    coverage,
    dynamics,
    learning,
    measured,
    missing,
    noise,
    options,
    planted,
    polarity,
    readable,
    recovery,
    rules,
    scaling,
    seeds,
    size,
    slots,
    small,
    spurious,
    together,
    uci,
    wide,
    xor,
)
from nri_bench.experiments.base import Experiment, Options

_MODULES = (
    *(uci, wide, planted, readable, coverage, together, seeds, learning, recovery, polarity, xor, noise),
    *(missing, spurious, scaling, ablation, options, slots, clauses, rules, dynamics, size, small),
)
EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        *(module.EXPERIMENT for module in _MODULES),
        *(measured.NUMBER_EXPERIMENT, measured.SURVIVAL_EXPERIMENT),
    )
}
"""Every experiment by its command's name."""

__all__ = ["EXPERIMENTS", "Experiment", "Options"]
