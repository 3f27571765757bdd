"""The whole objective: L = L_cov + l_b L_bal + l_r L_rep + l_e L_ent + l_m L_mm + l_cf L_cf."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from nri.model.batch import EpisodeBatch
from nri.model.soft_rule import SoftRule
from nri.model.tnorm import Execution, disjunction, execute
from nri.train.paper_losses import balance, counterfactual, coverage, gates
from nri.train.paper_losses.config import PaperLossConfig


@dataclass(frozen=True, eq=False)
class PaperLoss:
    """The number to descend, and its parts for the log."""

    total: Float[Tensor, ""]
    terms: Mapping[str, Tensor]
    """Every term in use by name, before its weight, without gradient."""


def paper_loss(
    rule: SoftRule,
    batch: EpisodeBatch,
    config: PaperLossConfig,
    progress: float,
    generator: torch.Generator | None = None,
) -> PaperLoss:
    """Judge soft rules on the rows they were induced from.

    Parameters
    ----------
    rule
        One soft rule for each episode of the batch.
    batch
        The episodes.
    config
        Weights; a term whose weight is zero is not computed.
    progress
        Share of training done, in [0, 1]: the counterfactual loss waits for its warm-up.
    generator
        Source of clause dropout.
    """
    literals = batch.literals
    execution = execute(rule, literals)
    prediction, clauses = execution.rule, execution.clauses
    if config.clause_dropout:
        kept = coverage.kept_slots(rule.w, config.clause_dropout, config.min_kept, generator)
        clauses = clauses * kept.unsqueeze(1)
        prediction = disjunction(clauses, rule.w)

    terms: dict[str, tuple[float, Callable[[], Tensor]]] = {
        "coverage": (1.0, lambda: coverage.coverage(prediction, batch)),
        "margin": (
            config.margin,
            lambda: coverage.max_margin(clauses, batch, config.margin_positive, config.margin_negative),
        ),
        "switch": (
            config.switch,
            lambda: balance.switch_balance(execution.clauses, rule.w, batch.positives),
        ),
        "usage": (config.usage, lambda: balance.usage_balance(rule.w)),
        "activation": (config.activation, lambda: balance.activation_balance(rule.w)),
        "repulsion": (config.repulsion, lambda: gates.repulsion(rule.z)),
        "entropy": (config.entropy, lambda: gates.gate_entropy(rule, batch.literal_valid)),
    }
    if progress >= config.counterfactual_warmup:
        terms |= _counterfactual_terms(rule, execution, literals, batch.positives, config)

    values = {name: (weight, compute()) for name, (weight, compute) in terms.items() if weight}
    total = torch.stack([weight * value for weight, value in values.values()]).sum()
    return PaperLoss(total, {name: value.detach() for name, (_, value) in values.items()})


def _counterfactual_terms(
    rule: SoftRule,
    execution: Execution,
    literals: Float[Tensor, "B M L"],
    positives: Float[Tensor, "B M"],
    config: PaperLossConfig,
) -> dict[str, tuple[float, Callable[[], Tensor]]]:
    """L_cf = L_nec + L_spur + l_o L_ovl + l_c L_cf-bal, with l_cf multiplied in."""
    weight, threshold, clauses = config.counterfactual, config.select_threshold, execution.clauses
    return {
        "necessity": (
            weight,
            lambda: counterfactual.necessity(rule, clauses, literals, positives, threshold),
        ),
        "spuriousness": (
            weight,
            lambda: counterfactual.spuriousness(rule, execution, literals, positives, threshold),
        ),
        "overlap": (
            weight * config.counterfactual_overlap,
            lambda: counterfactual.coverage_overlap(clauses, positives),
        ),
        "responsibility": (
            weight * config.counterfactual_balance,
            lambda: counterfactual.responsibility_balance(clauses, positives),
        ),
    }
