"""The validation suite: fixed synthetic episodes, drawn from seeds that no training run uses."""

import numpy as np

from nri.synth.corrupt import turn_labels
from nri.synth.formulas import dnf_truth, random_dnf
from nri.synth.record import SyntheticBatch
from nri.synth.wide import WidePrior

SEED = 20_261_116
"""Training runs take small seeds."""


def validation_suite(batches: int = 8) -> dict[str, list[SyntheticBatch]]:
    """Name the parts: the wide prior by size of table, clean rules, noisy rules, spurious columns.

    ``batches`` is the size of a part of the wide prior; the parts with rules have a quarter of it.
    """
    few = max(1, batches // 4)
    small = WidePrior(max_rows=40)
    middle = WidePrior(min_rows=40, max_rows=200)
    large = WidePrior(min_rows=200)
    return {
        "small": [small.draw(np.random.default_rng([SEED, 0, i])) for i in range(batches)],
        "middle": [middle.draw(np.random.default_rng([SEED, 1, i])) for i in range(batches)],
        "large": [large.draw(np.random.default_rng([SEED, 2, i])) for i in range(batches)],
        "recovery": [_rules(np.random.default_rng([SEED, 3, i]), 48) for i in range(few)],
        "noise": [_rules(np.random.default_rng([SEED, 4, i]), 256, noise=0.3) for i in range(few)],
        "spurious": [_rules(np.random.default_rng([SEED, 5, i]), 48, spurious=8) for i in range(few)],
    }


def _rules(rng: np.random.Generator, n_support: int, noise: float = 0.0, spurious: int = 0) -> SyntheticBatch:
    """Draw DNFs over 12 fair columns; spurious ones agree with the support's labels 7 times in 10."""
    B, N, n_query = 24, 12, 64
    columns = rng.random((B, n_support + n_query, N)) < 0.5
    clauses = random_dnf(rng, columns, max_clauses=4, max_literals=3)
    truth = dnf_truth(clauses, columns)
    labels = turn_labels(rng, truth[:, :n_support], np.full((B, 1), noise))
    if spurious:
        shape = (B, n_support + n_query, spurious)
        columns = np.concatenate([columns, truth[:, :, None] ^ (rng.random(shape) < 0.3)], axis=2)
        empty = np.zeros((B, clauses.shape[1], spurious), dtype=bool)
        clauses = np.concatenate([clauses[:, :, :N], empty, clauses[:, :, N:], empty], axis=2)
    known = np.ones_like(columns)
    return SyntheticBatch(columns, known, labels, truth.astype(np.float32), clauses)
