"""Weights and thresholds of the paper's objective."""

from dataclasses import dataclass

from nri.errors import ConfigError


@dataclass(frozen=True)
class PaperLossConfig:
    """A weight of zero switches its term off.

    The paper states the margins, the two weights inside the counterfactual loss and the clause
    dropout. The other weights are those of its published configuration, except for
    ``repulsion`` and ``entropy``, which that configuration does not have: they are small here.
    """

    switch: float = 0.1
    """lambda_b of the load-balancing loss of Switch Transformers."""
    usage: float = 0.1
    """lambda_b of the squared coefficient of variation of normalised slot usage."""
    activation: float = 0.05
    """lambda_b of the squared coefficient of variation of raw clause gates."""
    repulsion: float = 0.01
    """lambda_r, on the overlap of slots' gate vectors."""
    entropy: float = 0.01
    """lambda_e, on the binary entropy of gates."""
    margin: float = 1.0
    """lambda_m, on the max-margin coverage."""
    margin_positive: float = 0.7
    """tau+: the best clause should be at least this true on a positive row."""
    margin_negative: float = 0.3
    """tau-: the best clause should be at most this true on a negative row."""
    counterfactual: float = 0.15
    """lambda_cf, on necessity + spuriousness + the two terms below."""
    counterfactual_overlap: float = 0.1
    """lambda_o, inside the counterfactual loss."""
    counterfactual_balance: float = 0.01
    """lambda_c, inside the counterfactual loss."""
    counterfactual_warmup: float = 0.5
    """Share of training before the counterfactual loss sets in: steps 250 of 500 in the published run."""
    select_threshold: float = 0.3
    """A literal whose gate is at least this counts as selected in the counterfactual tests."""
    clause_dropout: float = 0.25
    """Chance that a slot sits out one step of one episode."""
    min_kept: int = 2
    """Slots that never sit out together."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 0:
                raise ConfigError(f"loss: {name} = {value} is negative; give 0 to switch it off, or more")
        for name in ("counterfactual_warmup", "select_threshold", "margin_positive", "margin_negative"):
            if getattr(self, name) > 1:
                raise ConfigError(f"loss: {name} = {getattr(self, name)} is above 1; give 0 to 1")
        if self.clause_dropout >= 1:
            raise ConfigError(
                f"loss: clause_dropout = {self.clause_dropout} drops everything; give less than 1"
            )
