"""Reading the experts: what an opinion has meant on the rows where it can be checked."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from nri.seeded.experts import COUNCIL
from nri.seeded.torch.batch import SeededInputs

FEATURES = 7
"""Numbers that describe one expert's opinion on one seed"""


@dataclass(frozen=True, eq=False)
class ReadOpinions:
    """The experts' opinions after they were checked against the support's labels."""

    context: Float[Tensor, "B S X"]
    log_odds: Float[Tensor, "B S E"]
    """What rows with a like opinion turned out to be"""
    council: Float[Tensor, "B S"]
    """The council's opinion, taken at its word, as log-odds"""
    council_rows: Float[Tensor, "B M"]
    """The probability that the council gives each support row, unseen"""


class ExpertReader(nn.Module):
    """Describes each opinion by its size, by how good the expert is here, and by what like opinions meant."""

    def __init__(self, n_experts: int, context: int) -> None:
        super().__init__()
        self.n_experts = n_experts
        self.embed = nn.Linear(FEATURES * n_experts, context)
        self.mix = nn.Linear(context, context)
        self.log_bandwidth = nn.Parameter(torch.full((n_experts,), -1.0))

    def forward(self, inputs: SeededInputs) -> ReadOpinions:
        """Check every expert on the support, and read its opinion on each seed in that light."""
        rows, labels, weight = inputs.row_opinions, inputs.labels, inputs.weights
        total = weight.sum(dim=1, keepdim=True) + 1e-6
        rate = ((weight * labels).sum(dim=1, keepdim=True) + 0.5) / (total + 1)
        mean = (weight.unsqueeze(2) * rows).sum(dim=1, keepdim=True) / total.unsqueeze(2)
        spread = torch.sqrt(
            (weight.unsqueeze(2) * (rows - mean) ** 2).sum(dim=1, keepdim=True) / total.unsqueeze(2) + 1e-4
        )
        target = (labels - rate).unsqueeze(2)
        error = (weight.unsqueeze(2) * (rows - target) ** 2).sum(dim=1, keepdim=True) / total.unsqueeze(2)
        skill = 1 - error / (rate * (1 - rate)).unsqueeze(2)
        skill = torch.tanh(skill)
        log_odds, support = self._like_opinions(inputs, rows / spread, inputs.seed_opinions / spread, rate)
        at_its_word = _log_odds(rate.unsqueeze(2) + inputs.seed_opinions, total.unsqueeze(2))
        features = torch.stack(
            [
                inputs.seed_opinions * 4,
                at_its_word,
                (inputs.seed_opinions / spread).clamp(-4, 4),
                log_odds,
                torch.log(support + 0.5),
                skill.expand_as(log_odds),
                skill * log_odds,
            ],
            dim=3,
        )
        context = self.mix(nn.functional.gelu(self.embed(features.flatten(2))))
        council_rows = (rate + rows[:, :, COUNCIL]).clamp(0.02, 0.98)
        return ReadOpinions(context, log_odds, at_its_word[:, :, COUNCIL], council_rows)

    def _like_opinions(
        self,
        inputs: SeededInputs,
        rows: Float[Tensor, "B M E"],
        seeds: Float[Tensor, "B S E"],
        rate: Float[Tensor, "B 1"],
    ) -> tuple[Float[Tensor, "B S E"], Float[Tensor, "B S E"]]:
        """Log-odds of the label, and the mass, among rows whose opinion is close to the seed's."""
        sharpness = torch.exp(-2 * self.log_bandwidth)
        odds, masses = [], []
        for e in range(self.n_experts):  # one expert at a time keeps memory at [S, M]
            distance = seeds[:, :, e].unsqueeze(2) - rows[:, :, e].unsqueeze(1)
            like = torch.exp(-0.5 * sharpness[e] * distance**2) * inputs.apart
            positive = (like @ inputs.labels.unsqueeze(2)).squeeze(2)
            # summed on its own: mass minus positive can fall below zero by rounding
            negative = (like @ (1 - inputs.labels).unsqueeze(2)).squeeze(2)
            odds.append(torch.log(positive + rate) - torch.log(negative + 1 - rate))
            masses.append(positive + negative)
        return torch.stack(odds, dim=2), torch.stack(masses, dim=2)


def _log_odds(p: Float[Tensor, "B S E"], mass: Float[Tensor, "B 1 1"]) -> Float[Tensor, "B S E"]:
    """Log-odds of a probability that no table of this size can bring nearer to 0 or 1."""
    least = 0.5 / (mass + 2)
    bounded = torch.minimum(torch.maximum(p, least), 1 - least)
    return torch.log(bounded) - torch.log(1 - bounded)
