"""The size of the paper's network and the weights of its losses."""

from dataclasses import dataclass, fields

from nri.errors import ConfigError


@dataclass(frozen=True)
class PaperConfig:
    """The published network by default; every field can be set from a TOML file."""

    slots: int = 8
    """T, clause slots: the most clauses a rule can have."""
    width: int = 384
    """D, of literal embeddings and slot states."""
    layers: int = 3
    """Decoder layers."""
    heads: int = 4
    """Attention heads, in the decoder and over the examples."""
    feedforward: int = 4
    """Hidden width of a decoder layer's MLP, in multiples of the width."""
    n_train: int = 15
    """Variable positions the example keys know: at most 12 causal and 3 spurious ones in training."""
    bottleneck: int = 64
    """Units between a row's literal values and its key."""
    extension_seed: int = 0
    """Seed of the columns added to the example keys for tables wider than ``n_train``."""
    extension_scale: float = 1.0
    """Size of those columns relative to fresh ones; 0 leaves variables past ``n_train`` out of the keys."""
    dropout: float = 0.0
    """Chance that a unit of the decoder or of the clause gates sits out in training; the text names none, the
    published code has 0.1."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name.startswith(("extension", "dropout")) else 1
            if value < least:
                raise ConfigError(f"model: {field.name} = {value} is too small; give at least {least}")
        if self.dropout >= 1:
            raise ConfigError(f"model: dropout = {self.dropout} drops everything; give less than 1")
        if self.width % self.heads:
            raise ConfigError(
                f"model: width = {self.width} cannot be shared by heads = {self.heads}; "
                "give a width that is a multiple of heads"
            )


@dataclass(frozen=True)
class PaperLossConfig:
    """A weight of zero switches its term off.

    The paper states the margins, the two weights inside the counterfactual loss and the clause
    dropout. The other weights are those of its published configuration, except for
    ``repulsion`` and ``entropy``, which that configuration does not have: they are small here.

    Where the published code does something else than the text says, the text is the default and the code's
    way an option: ``gate_noise``, ``coverage_hinge``, ``gated_margin``, ``switch_by_gates``,
    ``sampled_counterfactuals``, ``counterfactual_scales_all``.
    """

    gate_noise: bool = False
    """Whether gates are executed with logistic noise on their logits, so that only sure ones are safe."""
    coverage_hinge: float = 0.0
    """Weight of hinge margins on the rule's truth, at the margins below, added to the coverage loss."""
    gated_margin: bool = False
    """Whether the max-margin loss looks at clauses with their gates multiplied in."""
    switch_by_gates: bool = False
    """Whether the Switch loss routes by clause gates alone instead of by who covers a positive row."""
    sampled_counterfactuals: int = 0
    """Flip so many literals, sampled by their mean gate over slots, in place of every slot's own."""
    counterfactual_scales_all: bool = True
    """Whether lambda_cf multiplies overlap and balance too, as in the formula."""
    length: float = 0.0
    """Weight of literals beyond ``max_length`` in a slot. Ours: a slot that is not needed must close its
    gate, for it cannot fall silent by asking for everything."""
    max_length: float = 4.0
    """The most literals of a deployed clause."""

    empty_is_silent: bool = True
    """Whether a clause counts in proportion to the chance that its slot selects a literal at all, as in the
    published code; a slot without literals is no clause once deployed. The text has no such factor."""

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
