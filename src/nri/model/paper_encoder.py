"""The paper's encoder: statistics of a literal, then a look at the examples."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from nri.model.batch import EpisodeBatch
from nri.model.example_keys import ExampleKeys
from nri.model.layers import MultiHeadAttention, linear
from nri.model.paper_config import PaperConfig
from nri.model.statistics import NAMES, literal_statistics


class PaperEncoder(nn.Module):
    """Literal embeddings h1 = h0 + attention(h0 over example keys), eq. (h0) to eq. (h1)."""

    def __init__(self, config: PaperConfig, generator: torch.Generator | None) -> None:
        super().__init__()
        width = config.width
        self.from_statistics = nn.Sequential(
            linear(len(NAMES), width, generator),
            nn.ReLU(),
            linear(width, width, generator),
            nn.LayerNorm(width),
        )
        self.keys = ExampleKeys(
            width,
            config.n_train,
            config.bottleneck,
            config.extension_seed,
            config.extension_scale,
            generator,
        )
        self.attention = MultiHeadAttention(width, config.heads, generator)

    def forward(self, batch: EpisodeBatch) -> Float[Tensor, "B L D"]:
        """Embed every literal of every table."""
        h0 = self.from_statistics(literal_statistics(batch))  # eq. (h0)
        examples = self.keys(batch)  # eq. (example_key)
        return h0 + self.attention(h0, examples, batch.row_valid)  # eq. (h1)
