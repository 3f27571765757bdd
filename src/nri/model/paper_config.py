"""Size of the paper's network."""

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

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name.startswith("extension") else 1
            if value < least:
                raise ConfigError(f"model: {field.name} = {value} is too small; give at least {least}")
        if self.width % self.heads:
            raise ConfigError(
                f"model: width = {self.width} cannot be shared by heads = {self.heads}; "
                "give a width that is a multiple of heads"
            )
