"""The experiments, each a small file of the same shape; see :class:`Experiment`."""

from nri.bench.experiments import learning, noise, recovery, rules, scaling, spurious, uci
from nri.bench.experiments.base import Experiment, Options

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (uci, learning, recovery, noise, spurious, scaling, rules)
}
"""Every experiment by its command's name."""

__all__ = ["EXPERIMENTS", "Experiment", "Options"]
