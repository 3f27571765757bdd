"""How a paper network in training is watched: deployed rules on fresh rows, and the state of its slots."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from nri.infer.deploy import PUBLISHED, DeployConfig, deploy
from nri.model.batch import batch_from_arrays
from nri.model.soft_rule import SoftRule
from nri.model.statistics import binary_entropy
from nri.synth.formulas import dnf_truth
from nri.synth.paper_preset import PaperEpisodes, PaperPreset, paper_episodes

SEED = 20_261_116
"""Training runs take small seeds."""

_FRESH_ROWS = 256
_SURE = 1e-6

PaperSuite = Mapping[str, PaperEpisodes]
"""Fixed episodes by name."""


def validation_suite(preset: PaperPreset, episodes: int) -> PaperSuite:
    """Draw episodes like those of training, and the same with 30 % of labels flipped."""
    clean = replace(preset, label_noise=0.0, missing=0.0, max_label_noise=0.0, max_missing=0.0)
    noisy = replace(clean, label_noise=0.3)
    return {
        "clean": paper_episodes(clean, SEED, 0, episodes),
        "noisy": paper_episodes(noisy, SEED, 0, episodes),
    }


def score(network: nn.Module, suite: PaperSuite, config: DeployConfig = PUBLISHED) -> dict[str, float]:
    """Score deployed rules and slots on every part of the suite."""
    scores: dict[str, float] = {}
    device = next(network.parameters()).device
    for name, episodes in suite.items():
        batch = batch_from_arrays(
            episodes.values, episodes.known, episodes.labels, episodes.row_valid, episodes.variable_valid
        )
        with torch.no_grad():
            rule = network(batch.to(device))
        found = {"accuracy": _fresh_accuracy(rule, episodes, config), **slot_state(rule)}
        scores |= {f"{name}/{key}": value for key, value in found.items()}
    return scores


def slot_state(rule: SoftRule) -> dict[str, float]:
    """How evenly slots are used over a batch, and how sharp clause gates are.

    ``usage_variance`` is the variance over slots of the mean clause gate, ``gate_entropy`` the mean binary
    entropy of clause gates in nats.
    """
    gates = rule.w.clamp(_SURE, 1 - _SURE)
    return {
        "usage_variance": float(rule.w.mean(0).var(correction=0)),
        "gate_entropy": float(binary_entropy(gates).mean()),
    }


def _fresh_accuracy(rule: SoftRule, episodes: PaperEpisodes, config: DeployConfig) -> float:
    """Mean accuracy of deployed rules on coin-flip rows that no rule was induced from."""
    n_variables = episodes.variable_valid.shape[1]
    rows = np.random.default_rng(SEED).random((len(episodes), _FRESH_ROWS, n_variables)) < 0.5
    truth = dnf_truth(episodes.clauses, rows)
    z, w = rule.z.numpy(force=True), rule.w.numpy(force=True)
    predicted = np.zeros_like(truth)
    for index, valid in enumerate(episodes.variable_valid):
        cells = rows[index][:, valid]
        literals = np.concatenate([cells, ~cells], axis=1)
        gates = z[index][:, np.tile(valid, 2)]
        for clause in deploy(gates, w[index], episodes.episode(index), config):
            predicted[index] |= literals[:, list(clause)].all(axis=1)
    return float((predicted == truth).mean())
