"""The experiments, each a small file of the same shape; see :class:`Experiment`."""

from nri_bench.experiments import (
    ablation,
    learning,
    noise,
    recovery,
    regression,
    rules,
    scaling,
    slots,
    spurious,
    uci,
)
from nri_bench.experiments.base import Experiment, Options

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (uci, learning, recovery, noise, spurious, scaling, ablation, slots, rules, regression)
}
"""Every experiment by its command's name."""

__all__ = ["EXPERIMENTS", "Experiment", "Options"]
