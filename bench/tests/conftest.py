import itertools

import numpy as np
import pytest
from effort import usually
from threadpoolctl import threadpool_limits
from trainings import judged_briefly

from nri_bench.datasets import uci_names
from nri_bench.experiments.options import FIELDS
from nri_bench.experiments.readable import LINTS
from nri_bench.methods import METHODS, TABLE_METHODS
from nri_bench.run import engine

SIZES = {
    "majority": 0,
    "best-literal": 1,
    "seeded": 9,
    "greedy": 11,
    "paper": 22,
    "paper-tuned": 6,
    "paper-feedback": 8,
    "ripper": 12,
    "tree": 60,
}
BOXES = {name for name, method in METHODS.items() if method.family == "black box"}


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    """As in the benchmark's own processes; small fits are slower with more."""
    with threadpool_limits(1):
        yield


@pytest.fixture(autouse=True, scope="session")
def _judged_briefly():
    """No test of the benchmark is about how good a network is after a few updates."""
    with judged_briefly():
        yield


@pytest.fixture(autouse=True, scope="session")
def _loaded_once():
    """A session has one fork server: what that one did not load, hundreds of children would each load."""
    heavy = ("nri.estimator",)
    trained = usually((), ("torch", "nri.train.loop", "nri.paper.torch.training"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "PRELOADED", (*engine.PRELOADED, *heavy, *trained))
        yield


def measured(rng, method, level):
    """Results as a fit would give them, better for later methods."""
    rank = list(METHODS).index(method)
    size = None if method in BOXES else SIZES.get(method, 25)
    return {
        "status": "ok",
        "accuracy": float(np.clip(level + 0.01 * rank + rng.normal(0, 0.02), 0, 1)),
        "balanced_accuracy": 0.7,
        "auc": 0.8,
        "fit_seconds": float(np.exp(rng.normal(rank - 12, 0.2))),
        "peak_mb": 5.0 + rank,
        "clauses": None if size is None else size // 2,
        "literals": size,
        "timed": True,
    }


@pytest.fixture(scope="session")
def uci_rows():
    """Rows as if all methods had run on the fourteen sets under two protocols."""
    rng = np.random.default_rng(0)
    rows = []
    for number, (name, protocol) in enumerate(itertools.product(uci_names(), ("p20", "p4"))):
        for method, seed, fold in itertools.product(TABLE_METHODS, (0, 1), range(2)):
            key = {"experiment": "uci", "method": method, "dataset": name, "protocol": protocol}
            facts = {"n_variables": 10 + number, "majority_accuracy": 0.55, "commit": "abc1234"}
            versions = {"versions": "numpy 2.4.6 scikit-learn 1.9.1"}
            found = measured(rng, method, 0.5 + 0.02 * (number % 14))
            rows.append({**key, "seed": seed, "fold": fold, **found, **facts, **versions})
    return rows


@pytest.fixture(scope="session")
def experiment_rows():
    """Rows of each synthetic experiment, by its name."""
    rng = np.random.default_rng(1)
    axes = {
        "recovery": {"K": (1, 2, 3, 4), "L": (1, 2, 3), "M": (48, 256)},
        "noise": {"noise": (0.0, 0.1, 0.2, 0.3)},
        "spurious": {"D": (0, 4, 32), "rho": (0.1, 0.5, 0.9)},
        "learning": {"protocol": ("sub2", "sub10", "sub50"), "dataset": ("vote", "car")},
        "scaling": {"M": (32, 128, 512), "N": (16, 64, 256)},
        "rules": {"dataset": ("vote", "car")},
        "dynamics": {"N": (10,), "network": ("random-10",), "sample": ("500", "10 %"), "noise": (0.0, 0.05)},
        "ablation": {"variant": ("full", "no-max-margin", "shipped")},
        "slots": {"variant": ("full", "no-slot-balance", "shipped")},
        "wide": {"dataset": ("saheart", "musk", "hmda"), "n": (30, 100), "draw": (0, 1)},
        "options": {"variant": ("full", "no-length", "gate noise")},
        "missing": {"gaps": ("unknown", "filled"), "missing": (0.0, 0.3)},
        "xor": {"rule": ("xor", "control"), "N": (4, 12)},
        "polarity": {"pattern": ("+ +", "+ -", "++ --")},
        "clauses": {"dataset": ("vote", "car"), "most": (1, 8)},
        "planted": {"n": (60, 300), "noise": (0.0, 0.1)},
        "readable": {"dataset": ("saheart", "hmda")},
        "coverage": {"outcome": ("classes",), "n": (50, 300)},
        "together": {"kind": ("visits", "copies"), "labels": ("random", "rule")},
        "seeds": {"dataset": ("vote", "car"), "protocol": ("p20", "p4")},
    }
    extra = {"recovery": {"equal": 0.7}, "polarity": {"equal": 0.5}, "spurious": {"shifted_accuracy": 0.8}}
    extra["planted"] = {"exact_columns": 0.5, "foreign": 0.2, "literals": 4.0, "calibration": 0.04}
    extra["together"] = {"told": 0.51, "true": 0.5, "held": 0.95, "n_episodes": 10}
    extra["coverage"] = {"accuracy_covered": 0.95, "accuracy_width": 0.2, "n_episodes": 20}
    extra["readable"] = {"clean": 1.0, "counts": 0.0, "branches": 3, "literals": 6} | dict.fromkeys(
        LINTS, 0.0
    )
    extra["ablation"] = {"literals_per_clause": 2.5, "episodes": 192_000}
    extra["slots"] = {"usage_variance": 0.01, "gate_entropy": 0.2, "usage_variance_25": 0.02}
    extra["wide"] = {"half": "choosing", "n_classes": 2, "log_loss": 0.5}
    extra["rules"] = {"rule": "yes: (a AND NOT b = 1) OR (c > 2)"}
    extra["options"] = {"width": 32, "updates": 800, "batch": 64, **dict.fromkeys(FIELDS, 0.5)}
    found = {}
    for name, fields in axes.items():
        found[name] = [
            {"experiment": name, "method": method, **dict(zip(fields, values, strict=True)), "seed": seed}
            | measured(rng, method, 0.7)
            | extra.get(name, {})
            for method in ("ripper", "tree", "paper", "greedy", "seeded")
            for values in itertools.product(*fields.values())
            for seed in (0, 1)
        ]
    return found
