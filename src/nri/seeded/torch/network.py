"""The seeded network: one row, the seed, is looked at against all others.

Everything is expressed by agreement with the seed, so no parameter knows a row or a column, any M and
N will do, and flipping a column's coding changes nothing. Sums over agreement are matrix products with
values and with known; a tensor [seeds, M, N] is never built.

    repeat R times:
      neighbourhoods   w_h[m] = exp(-sum_i u_h[i] * disagrees(m, i)); the first is the clause's t-norm truth
      evidence         mass of each class, and its agreement with the seed at each variable, under w_h
      update           a small network on each variable's evidence and on what the seed knows as a whole
    out: posterior, reason and precision of the seed
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from nri.seeded.experts import ENSEMBLE
from nri.train.config import check_limits
from nri.weights import EXPERTS

Channels = Float[Tensor, "B C M"]  # what is summed: positives, negatives, the doubt that the experts leave
Variables = Float[Tensor, "B S N D"]  # each variable as it is seen from each seed
Contexts = Float[Tensor, "B S X"]  # each seed as a whole
Opinions = Float[Tensor, "B S E"]  # a number of each expert for each seed


@dataclass(frozen=True)
class SeededConfig:
    """One dial for each axis of size."""

    width: int = 64  # D, numbers that describe a variable as seen from a seed
    context: int = 96  # numbers that describe a seed
    heads: int = 6  # soft neighbourhoods looked at in each round; the first one is the clause itself
    rounds: int = 4  # times that the neighbourhoods are drawn anew

    def __post_init__(self) -> None:
        check_limits("model", self, vars(self), 1)


@dataclass(frozen=True, eq=False)
class SeededInputs:
    """A table as it is seen from S seeds. Cells are -1, +1, or 0 where unknown."""

    rows: Float[Tensor, "B M N"]  # the support rows
    labels: Float[Tensor, "B M"]  # 0 or 1
    weights: Float[Tensor, "B M"]  # how many rows each support row stands for
    seeds: Float[Tensor, "B S N"]  # the rows asked about
    apart: Float[Tensor, "B S M"]  # the weight of each row for each seed, one less where it is the seed
    row_opinions: Float[Tensor, "B M E"]  # what each expert says of a support row without having seen it
    seed_opinions: Float[Tensor, "B S E"]
    seed_parts: Float[Tensor, "B S N"]  # what each cell of a seed adds to the firm linear expert's opinion


@dataclass(frozen=True, eq=False)
class SeededOutputs:
    """What the network says of each seed as log-odds, after every round (the last one counts)."""

    posterior: Float[Tensor, "R B S"]  # that the seed is positive
    reason: Float[Tensor, "R B S N"]  # that its value at a variable is part of the clause that covers it
    precision: Float[Tensor, "R B S"]  # that an unseen row which the reason covers is positive


FEATURES = 7  # numbers that describe one expert's opinion on one seed


@dataclass(frozen=True, eq=False)
class ReadOpinions:
    """The experts' opinions after they were checked against the support's labels."""

    context: Contexts
    log_odds: Opinions  # what rows with a like opinion turned out to be
    council: Float[Tensor, "B S"]  # the council's opinion, taken at its word, as log-odds
    ensemble_rows: Float[Tensor, "B M"]  # the probability that the council gives each support row, unseen


class ExpertReader(nn.Module):
    """Describes each opinion by its size, by how good the expert is here, and by what like opinions meant."""

    def __init__(self, context: int) -> None:
        super().__init__()
        self.embed = nn.Linear(FEATURES * len(EXPERTS), context)
        self.mix = nn.Linear(context, context)
        self.log_bandwidth = nn.Parameter(torch.full((len(EXPERTS),), -1.0))

    def forward(self, inputs: SeededInputs) -> ReadOpinions:
        """Check every expert on the support, and read its opinion on each seed in that light."""
        rows, labels, weight = inputs.row_opinions, inputs.labels, inputs.weights
        total = weight.sum(dim=1, keepdim=True) + 1e-6
        rate = ((weight * labels).sum(dim=1, keepdim=True) + 0.5) / (total + 1)

        def over_rows(values: Float[Tensor, "B M E"]) -> Float[Tensor, "B 1 E"]:
            return (weight.unsqueeze(2) * values).sum(dim=1, keepdim=True) / total.unsqueeze(2)

        spread = torch.sqrt(over_rows((rows - over_rows(rows)) ** 2) + 1e-4)
        error = over_rows((rows - (labels - rate).unsqueeze(2)) ** 2)
        skill = torch.tanh(1 - error / (rate * (1 - rate)).unsqueeze(2))
        log_odds, support = self._like_opinions(inputs, rows / spread, inputs.seed_opinions / spread, rate)
        at_its_word = _log_odds(rate.unsqueeze(2) + inputs.seed_opinions, total.unsqueeze(2))
        sizes = [inputs.seed_opinions * 4, at_its_word, (inputs.seed_opinions / spread).clamp(-4, 4)]
        likes = [log_odds, torch.log(support + 0.5), skill.expand_as(log_odds), skill * log_odds]
        features = torch.stack([*sizes, *likes], dim=3)
        context = self.mix(nn.functional.gelu(self.embed(features.flatten(2))))
        ensemble_rows = (rate + rows[:, :, ENSEMBLE]).clamp(0.02, 0.98)
        return ReadOpinions(context, log_odds, at_its_word[:, :, ENSEMBLE], ensemble_rows)

    def _like_opinions(
        self, inputs: SeededInputs, rows: Float[Tensor, "B M E"], seeds: Opinions, rate: Float[Tensor, "B 1"]
    ) -> tuple[Opinions, Opinions]:
        """Log-odds of the label, and the mass, among rows whose opinion is close to the seed's."""
        sharpness = torch.exp(-2 * self.log_bandwidth)
        odds, masses = [], []
        for e in range(len(EXPERTS)):  # one expert at a time keeps memory at [S, M]
            distance = seeds[:, :, e].unsqueeze(2) - rows[:, :, e].unsqueeze(1)
            like = torch.exp(-0.5 * sharpness[e] * distance**2) * inputs.apart
            positive = (like @ inputs.labels.unsqueeze(2)).squeeze(2)
            # summed on its own: mass minus positive can fall below zero by rounding
            negative = (like @ (1 - inputs.labels).unsqueeze(2)).squeeze(2)
            odds.append(torch.log(positive + rate) - torch.log(negative + 1 - rate))
            masses.append(positive + negative)
        return torch.stack(odds, dim=2), torch.stack(masses, dim=2)


def _log_odds(p: Opinions, mass: Float[Tensor, "B 1 1"]) -> Opinions:
    """Log-odds of a probability that no table of this size can bring nearer to 0 or 1."""
    least = 0.5 / (mass + 2)
    bounded = torch.minimum(torch.maximum(p, least), 1 - least)
    return torch.log(bounded) - torch.log(1 - bounded)


PER_VARIABLE, PER_SEED = 6, 4  # F and G for each neighbourhood


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is found in the H neighbourhoods of each seed."""

    variables: Float[Tensor, "B S N F"]  # log masses that agree and disagree there, by class, and doubt
    seeds: Float[Tensor, "B S G"]  # log masses by class, doubt, log-odds
    log_odds: Float[Tensor, "B S H"]  # of the positive class, shrunk towards the base rate
    disagree: Float[Tensor, "B S C N"]  # masses by class that disagree there, in neighbourhood 0

    def only_kept_out_by(self, strength: Float[Tensor, "B S N"]) -> Float[Tensor, "B S N 2"]:
        """Log masses, by class, of the rows that a variable alone keeps out of the clause."""
        leaves = torch.exp(strength.clamp(max=8)).unsqueeze(2)  # 1 / (1 - z)
        return torch.log(self.disagree * leaves + 0.5).transpose(2, 3)


def neighbourhoods(inputs: SeededInputs, strength: Float[Tensor, "B S H N"]) -> Float[Tensor, "B S H M"]:
    """Weigh each row by how little it disagrees with the seed, where it matters."""
    B, S, H, N = strength.shape
    on_known = strength.reshape(B, S * H, N)
    on_values = (strength * inputs.seeds.unsqueeze(2)).reshape(B, S * H, N)
    rows = inputs.rows.transpose(1, 2)
    disagreement = 0.5 * (on_known @ rows.abs() - on_values @ rows)
    return torch.exp(-disagreement).reshape(B, S, H, -1) * inputs.apart.unsqueeze(2)


def gather_evidence(inputs: SeededInputs, channels: Channels, near: Float[Tensor, "B S H M"]) -> Evidence:
    """Sum each channel over each neighbourhood, in all and by agreement with the seed."""
    B, S, H, M = near.shape
    N, C = inputs.rows.shape[2], channels.shape[1]
    weights = near.unsqueeze(3) * channels[:, None, None]
    flat = weights.reshape(B, S * H * C, M)
    on_values = (flat @ inputs.rows).reshape(B, S, H * C, N) * inputs.seeds.unsqueeze(2)
    on_known = (flat @ inputs.rows.abs()).reshape(B, S, H * C, N) * inputs.seeds.abs().unsqueeze(2)
    agree = (0.5 * (on_known + on_values)).reshape(B, S, H, C, N)
    disagree = (0.5 * (on_known - on_values)).reshape(B, S, H, C, N)
    mass = weights.sum(dim=4)
    scale = 1 / torch.sqrt(mass[..., :2].sum(dim=3) + 1)
    counts = torch.cat([agree[:, :, :, :2], disagree[:, :, :, :2]], dim=3)
    doubts = torch.stack([agree[:, :, :, 2], disagree[:, :, :, 2]], dim=3) * scale[..., None, None]
    variables = torch.cat([torch.log(counts.clamp(min=0) + 0.5), doubts], dim=3)
    log_odds = _shrunk_log_odds(inputs, mass)
    rest = torch.stack([mass[..., 2] * scale, log_odds], dim=3)
    return Evidence(
        variables=variables.reshape(B, S, H * PER_VARIABLE, N).transpose(2, 3),
        seeds=torch.cat([torch.log(mass[..., :2] + 0.5), rest], dim=3).flatten(2),
        log_odds=log_odds,
        disagree=disagree[:, :, 0, :2].clamp(min=0),
    )


def _shrunk_log_odds(inputs: SeededInputs, mass: Float[Tensor, "B S H C"]) -> Float[Tensor, "B S H"]:
    """Log-odds of the positive class, as if one row of the base rate had been seen as well."""
    positive = (inputs.apart * inputs.labels.unsqueeze(1)).sum(dim=2, keepdim=True) + 0.5
    rate = positive / (inputs.apart.sum(dim=2, keepdim=True) + 1.0)
    return torch.log(mass[..., 0] + rate) - torch.log(mass[..., 1] + 1 - rate)


class SeededInducer(nn.Module):
    """Reads a table from the viewpoint of each seed; only wires the parts in order."""

    def __init__(self, config: SeededConfig) -> None:
        super().__init__()
        self.config = config
        self.experts = ExpertReader(config.context)
        self.first = FirstLook(config)
        self.rounds = nn.ModuleList(Round(config) for _ in range(config.rounds))
        self.verdict = Verdict(config)

    def forward(self, inputs: SeededInputs) -> SeededOutputs:
        """Answer for every seed after every round."""
        opinion = self.experts(inputs)
        doubt = inputs.labels - opinion.ensemble_rows
        channels = torch.stack([inputs.labels, 1 - inputs.labels, doubt], dim=1)
        variables, context = self.first(inputs, channels, opinion.context)
        answers = []
        for step in self.rounds:
            variables, context, evidence, gates = step(inputs, channels, variables, context)
            posterior, precision = self.verdict(context, evidence, opinion)
            answers.append((posterior, gates, precision))
        return SeededOutputs(*map(torch.stack, zip(*answers, strict=True)))


class FirstLook(nn.Module):
    """Describes each variable by the whole table, before any neighbourhood is drawn."""

    def __init__(self, config: SeededConfig) -> None:
        super().__init__()
        self.embed = nn.Linear(PER_VARIABLE + 3, config.width)
        self.mix = nn.Linear(config.width, config.width)
        self.context = nn.Linear(2 * config.width + PER_SEED + config.context + 2, config.context)

    def forward(
        self, inputs: SeededInputs, channels: Channels, opinion: Contexts
    ) -> tuple[Variables, Contexts]:
        """Return the variables as seen from each seed, and each seed as a whole."""
        evidence = gather_evidence(inputs, channels, inputs.apart.unsqueeze(2))
        known, part = inputs.seeds.abs().unsqueeze(3), inputs.seed_parts.unsqueeze(3)
        scale = part.abs().mean(dim=2, keepdim=True) + 1e-4
        features = torch.cat([evidence.variables, known, part * 4, torch.tanh(part / scale)], dim=3)
        variables = self.mix(nn.functional.gelu(self.embed(features))) * known
        rows = inputs.apart.sum(dim=2, keepdim=True)
        size = torch.log(torch.cat([rows, known.sum(dim=2)], dim=2) + 1) / 4 - 1
        summary = torch.cat([pooled(variables, known), evidence.seeds, opinion, size], dim=2)
        return variables, nn.functional.gelu(self.context(summary))


class Round(nn.Module):
    """Draws neighbourhoods, gathers the evidence in them, and updates variables and seed."""

    def __init__(self, config: SeededConfig) -> None:
        super().__init__()
        D, X, H = config.width, config.context, config.heads
        self.norm = nn.LayerNorm(D)
        self.pull = nn.Linear(D, H)
        self.pull_context = nn.Linear(X, H)
        self.evidence = nn.Linear(PER_VARIABLE * H + 2, D)
        self.state = nn.Linear(D, D, bias=False)
        self.seed = nn.Linear(X, D, bias=False)
        self.update = nn.Linear(D, D)
        self.attend = nn.Linear(D, 2)
        self.summary = nn.Linear(4 * D + PER_SEED * H + X, X)
        self.context = nn.Linear(X, X)
        self.context_norm = nn.LayerNorm(X)
        nn.init.constant_(self.pull.bias, -2.0)  # start from wide neighbourhoods, and from short clauses

    def forward(
        self, inputs: SeededInputs, channels: Channels, variables: Variables, context: Contexts
    ) -> tuple[Variables, Contexts, Evidence, Float[Tensor, "B S N"]]:
        """Return variables and seeds after the round, the evidence it found, and the clause's gates."""
        known = inputs.seeds.abs().unsqueeze(3)
        pull = self.pull(self.norm(variables)) + self.pull_context(context).unsqueeze(2)
        # softplus(a) = -log(1 - sigmoid(a)): so head 0 is exactly the t-norm truth of gates sigmoid(a)
        strength = nn.functional.softplus(pull) * known
        near = neighbourhoods(inputs, strength.transpose(2, 3))
        evidence = gather_evidence(inputs, channels, near)
        necessary = evidence.only_kept_out_by(strength[..., 0])
        mixed = self.evidence(torch.cat([evidence.variables, necessary], dim=3))
        mixed = mixed + self.state(variables) + self.seed(context).unsqueeze(2)
        variables = (variables + self.update(nn.functional.gelu(mixed))) * known
        look = torch.softmax(self.attend(variables) - 30 * (1 - known), dim=2)
        looked = (look.transpose(2, 3) @ variables).flatten(2)
        summary = torch.cat([pooled(variables, known), looked, evidence.seeds, context], dim=2)
        context = self.context_norm(context + self.context(nn.functional.gelu(self.summary(summary))))
        return variables, context, evidence, pull[..., 0] * known.squeeze(3) - 20 * (1 - known.squeeze(3))


class Verdict(nn.Module):
    """Weighs the neighbourhoods' and the experts' log-odds, and adds what the context knows.

    An untrained network repeats the council; what it learns is where the council errs.
    """

    def __init__(self, config: SeededConfig) -> None:
        super().__init__()
        X = config.context
        self.trust = nn.Linear(X, config.heads + len(EXPERTS) + 1)
        self.own = nn.Sequential(nn.Linear(X, X), nn.GELU(), nn.Linear(X, 2))
        nn.init.zeros_(self.trust.weight)
        nn.init.constant_(self.trust.bias, -4.0)
        nn.init.constant_(self.trust.bias[-1:], 0.54)  # softplus(0.54) = 1: take the council at its word

    def forward(
        self, context: Contexts, evidence: Evidence, opinion: ReadOpinions
    ) -> tuple[Float[Tensor, "B S"], Float[Tensor, "B S"]]:
        """Return the log-odds of the seed, and of an unseen row that its clause covers."""
        votes = torch.cat([evidence.log_odds, opinion.log_odds, opinion.council.unsqueeze(2)], dim=2)
        own = self.own(context)
        posterior = (nn.functional.softplus(self.trust(context)) * votes).sum(dim=2) + own[..., 0]
        return posterior, own[..., 1] + evidence.log_odds[..., 0]


def pooled(variables: Variables, known: Float[Tensor, "B S N 1"]) -> Float[Tensor, "B S P"]:
    """Mean over known variables, and the sum scaled so that many weak ones add up."""
    total, count = variables.sum(dim=2), known.sum(dim=2) + 1.0
    return torch.cat([total / count, total / count.sqrt()], dim=2)
