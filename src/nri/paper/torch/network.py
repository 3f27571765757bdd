"""The paper's network, wired: statistics and examples, then slots, then a soft rule.

In order: :mod:`~nri.paper.torch.statistics` (identity-free numbers of each literal), the encoder
(:mod:`~nri.paper.torch.network`, with :mod:`~nri.paper.torch.keys`), the slots' views of the
literals (:mod:`~nri.paper.torch.network`), the decoder (:mod:`~nri.paper.torch.slots`). Executing the soft
rule is :mod:`~nri.paper.torch.tnorm`, making symbols of it :mod:`~nri.paper.deploy`.

What holds: the order of rows and padding change nothing, and neither does the company in a batch.
What does not: permuting columns permutes the statistics but not the example keys, which know
positions, so the rule may change. That is the paper's; the seeded network is free of it.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from nri.episode import Episode
from nri.paper.torch.batch import EpisodeBatch, pad_episodes
from nri.paper.torch.config import PaperConfig
from nri.paper.torch.keys import ExampleKeys
from nri.paper.torch.layers import MultiHeadAttention, linear
from nri.paper.torch.slots import SlotDecoder
from nri.paper.torch.statistics import NAMES, literal_statistics
from nri.paper.torch.tnorm import SoftRule


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


class PaperInducer(nn.Module):
    """Tables with labels in, one soft rule for each table out."""

    def __init__(self, config: PaperConfig, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.config = config
        self.encoder = PaperEncoder(config, generator)
        self.decoder = SlotDecoder(config, generator)

    def forward(self, batch: EpisodeBatch) -> SoftRule:
        """Induce a soft rule over the padded literals of the batch."""
        return self.decoder(self.encoder(batch), batch.literal_valid)

    @torch.no_grad()
    def induce(self, episodes: Sequence[Episode]) -> list[SoftRule]:
        """Induce one soft rule for each table, over the table's own literals, in one forward pass."""
        device = self.decoder.queries.device
        batch = pad_episodes(episodes).to(device)
        rules = self(batch)
        return [
            SoftRule(z[:, valid], w)
            for z, w, valid in zip(rules.z, rules.w, batch.literal_valid, strict=True)
        ]
