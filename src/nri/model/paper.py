"""The paper's network, wired: statistics and examples, then slots, then a soft rule.

In order: :mod:`~nri.model.statistics` (identity-free numbers of each literal), the encoder
(:mod:`~nri.model.paper_encoder`, with :mod:`~nri.model.example_keys`), the slots' views of the
literals (:mod:`~nri.model.film`), the decoder (:mod:`~nri.model.slot_decoder`). Executing the soft
rule is :mod:`~nri.model.tnorm`, making symbols of it :mod:`~nri.infer.deploy`.

What holds: the order of rows and padding change nothing, and neither does the company in a batch.
What does not: permuting columns permutes the statistics but not the example keys, which know
positions, so the rule may change. That is the paper's; the seeded network is free of it.
"""

from collections.abc import Sequence

import torch
from torch import nn

from nri.episode import Episode
from nri.model.batch import EpisodeBatch, pad_episodes
from nri.model.paper_config import PaperConfig
from nri.model.paper_encoder import PaperEncoder
from nri.model.slot_decoder import SlotDecoder
from nri.model.soft_rule import SoftRule


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
