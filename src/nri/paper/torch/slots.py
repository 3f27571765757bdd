"""The paper's decoder: T slots fill themselves in parallel, so clauses have no order."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from nri.paper.torch.config import PaperConfig
from nri.paper.torch.layers import MultiHeadAttention, linear
from nri.paper.torch.tnorm import SoftRule, non_null


class FiLM(nn.Module):
    """h_kj = gamma_k * h_j + beta_k, eq. (film), with one gamma and beta for each slot.

    The tensor of slots x literals x width is T times the literals' own, and nothing needs it whole:
    every reader of a slot's view is linear in it. So a reader's weights take gamma and beta in once,
    for all episodes (:meth:`seen_through`), and then read the shared h. :meth:`forward` is the plain
    form that this is tested against.
    """

    def __init__(self, slots: int, width: int, generator: torch.Generator | None) -> None:
        super().__init__()
        gamma = torch.empty(slots, width).normal_(1.0, 0.5, generator=generator)
        beta = nn.init.orthogonal_(torch.empty(slots, width), generator=generator)
        self.gamma = nn.Parameter(gamma)
        self.beta = nn.Parameter(beta)

    def forward(self, h: Float[Tensor, "B L D"]) -> Float[Tensor, "B T L D"]:
        """Every slot's view of every literal."""
        return self.gamma[:, None] * h[:, None] + self.beta[:, None]

    def seen_through(
        self, weight: Float[Tensor, "*heads E D"]
    ) -> tuple[Float[Tensor, "T *heads E D"], Float[Tensor, "T *heads E"]]:
        """Weights and biases, one set for each slot, with weight_k h_j + bias_k = weight h_kj."""
        shape = (len(self.gamma), *(1,) * (weight.ndim - 1), -1)
        gamma, beta = self.gamma.reshape(shape), self.beta.reshape(shape)
        return weight * gamma, (weight * beta).sum(-1)


class SlotDecoder(nn.Module):
    """Slot states by a transformer decoder, then literal gates and clause gates."""

    def __init__(self, config: PaperConfig, generator: torch.Generator | None) -> None:
        super().__init__()
        width = config.width
        self.film = FiLM(config.slots, width, generator)
        queries = torch.empty(config.slots, width).normal_(0.0, 0.02, generator=generator)
        self.queries = nn.Parameter(queries)
        self.layers = nn.ModuleList(DecoderLayer(config, generator) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.literal_gates = LiteralGates(width, generator)
        self.clause_gates = ClauseGates(width, generator, config.dropout)

    def forward(self, h: Float[Tensor, "B L D"], literal_valid: Bool[Tensor, "B L"]) -> SoftRule:
        """Fill the slots for a batch of embedded literals."""
        states = self.states(h, literal_valid)
        mean = _mean(h, literal_valid)
        z = self.literal_gates(states, h, literal_valid, self.film)
        w = self.clause_gates(mean, states, z, h, self.film)
        return SoftRule(z, w)

    def states(self, h: Float[Tensor, "B L D"], literal_valid: Bool[Tensor, "B L"]) -> Float[Tensor, "B T D"]:
        """s_k of eq. (clause_state)."""
        states = self.queries + _mean(h, literal_valid).unsqueeze(1)
        for layer in self.layers:
            states = layer(states, h, literal_valid, self.film)
        return self.norm(states)


def _mean(h: Float[Tensor, "B L D"], literal_valid: Bool[Tensor, "B L"]) -> Float[Tensor, "B D"]:
    r"""\bar h of eq. (clause_state)."""
    valid = literal_valid.unsqueeze(-1)
    return (h * valid).sum(1) / valid.sum(1).clamp_min(1)


class DecoderLayer(nn.Module):
    """Slots look at each other, then at their own view of the literals, then think.

    Dropout stands where a usual transformer decoder has it: on attention weights, on what each of the three
    steps adds, and inside the last one.
    """

    def __init__(self, config: PaperConfig, generator: torch.Generator | None) -> None:
        super().__init__()
        width, hidden = config.width, config.feedforward * config.width
        self.norm_slots = nn.LayerNorm(width)
        self.slots = MultiHeadAttention(width, config.heads, generator, config.dropout)
        self.norm_literals = nn.LayerNorm(width)
        self.literals = LiteralAttention(width, config.heads, generator, config.dropout)
        self.think = nn.Sequential(
            nn.LayerNorm(width),
            linear(width, hidden, generator),
            nn.GELU(),
            nn.Dropout(config.dropout),
            linear(hidden, width, generator),
        )
        self.drop = nn.Dropout(config.dropout)

    def forward(
        self,
        states: Float[Tensor, "B T D"],
        h: Float[Tensor, "B L D"],
        literal_valid: Bool[Tensor, "B L"],
        film: FiLM,
    ) -> Float[Tensor, "B T D"]:
        """Refine the slot states."""
        normed = self.norm_slots(states)
        states = states + self.drop(self.slots(normed, normed))
        states = states + self.drop(self.literals(self.norm_literals(states), h, literal_valid, film))
        return states + self.drop(self.think(states))


class LiteralAttention(nn.Module):
    """Multi-head attention of slot k over the memory {h_kj} of eq. (clause_state).

    Keys and values for each slot would cost T projections of all literals. Instead the key
    projection is applied to the query and the value projection to the attended mean: the same
    numbers, since a softmax ignores what all literals share and its weights sum to one, from T
    projections of one vector instead of T projections of L.
    """

    def __init__(self, width: int, heads: int, generator: torch.Generator | None, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.drop = nn.Dropout(dropout)
        self.scale = 1 / math.sqrt(width // heads)
        self.query = linear(width, width, generator)
        self.key = linear(width, width, generator, bias=False)  # a bias would be shared by all literals
        self.value = linear(width, width, generator)
        self.out = linear(width, width, generator)

    def forward(
        self,
        states: Float[Tensor, "B T D"],
        h: Float[Tensor, "B L D"],
        literal_valid: Bool[Tensor, "B L"],
        film: FiLM,
    ) -> Float[Tensor, "B T D"]:
        """Gather for each slot what its state asks of the valid literals."""
        B, T, D = states.shape
        key, _ = film.seen_through(self.key.weight.reshape(self.heads, -1, D))  # [T, A, E, D]
        value, value_bias = film.seen_through(self.value.weight.reshape(self.heads, -1, D))
        q = self.query(states).reshape(B, T, self.heads, -1) * self.scale  # [B, T, A, E]
        u = torch.einsum("btae,taed->btad", q, key).flatten(1, 2)  # [B, T * A, D]
        scores = (u @ h.transpose(-1, -2)).masked_fill(~literal_valid.unsqueeze(1), -torch.inf)
        shares = self.drop(scores.softmax(-1))
        attended = (shares @ h).reshape(B, T, self.heads, D)
        # every literal carries the biases, so they count by what dropout left of the shares: one without it
        total = shares.sum(-1).reshape(B, T, self.heads, 1)
        own_bias = value_bias + self.value.bias.reshape(self.heads, -1)
        mixed = torch.einsum("btad,taed->btae", attended, value) + total * own_bias
        return self.out(mixed.flatten(2))


class LiteralGates(nn.Module):
    """z_kj = sigmoid(<W_s s_k, W_h h_kj> / sqrt(D) + b), eq. (literal_gate)."""

    def __init__(self, width: int, generator: torch.Generator | None) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(width)
        self.from_state = linear(width, width, generator, bias=False)
        self.from_literal = linear(width, width, generator, bias=False)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(
        self,
        states: Float[Tensor, "B T D"],
        h: Float[Tensor, "B L D"],
        literal_valid: Bool[Tensor, "B L"],
        film: FiLM,
    ) -> Float[Tensor, "B T L"]:
        """Gate every literal in every slot; zero on padding."""
        weight, offset = film.seen_through(self.from_literal.weight)  # W_h as slot k applies it to h_j
        asked = self.from_state(states)  # W_s s_k
        shared = torch.einsum("bte,te->bt", asked, offset).unsqueeze(-1)
        inner = torch.einsum("bte,ted->btd", asked, weight) @ h.transpose(-1, -2) + shared
        return exclude_complements(inner * self.scale + self.bias) * literal_valid.unsqueeze(1)


def exclude_complements(logits: Float[Tensor, "*batch L"]) -> Float[Tensor, "*batch L"]:
    """Gates of which at most one in each complementary pair is open: x and not-x never hold together.

    The literal with the lower score is removed; in a tie the negation is.

    >>> exclude_complements(torch.tensor([2.0, -1.0, 0.0, -1.0]))
    tensor([0.8808, 0.2689, 0.0000, 0.0000])
    """
    N = logits.shape[-1] // 2
    keep_positive = logits[..., :N] >= logits[..., N:]
    keep = torch.cat([keep_positive, ~keep_positive], -1)
    return logits.sigmoid() * keep


class ClauseGates(nn.Module):
    """w_k = sigmoid(MLP([mean literal, clause summary, state, non-null probability])), eq. (clause_gate)."""

    def __init__(self, width: int, generator: torch.Generator | None, dropout: float = 0.0) -> None:
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.hidden = linear(3 * width + 1, width, generator)
        self.out = linear(width, 1, generator)

    def forward(
        self,
        mean: Float[Tensor, "B D"],
        states: Float[Tensor, "B T D"],
        z: Float[Tensor, "B T L"],
        h: Float[Tensor, "B L D"],
        film: FiLM,
    ) -> Float[Tensor, "B T"]:
        """Gate every slot, given the literals it selected."""
        shares = z / z.sum(-1, keepdim=True).clamp_min(1e-6)
        summary = film.gamma * (shares @ h) + film.beta  # \tilde h_k, since the shares sum to one
        means = mean.unsqueeze(1).expand_as(states)
        inputs = torch.cat([means, summary, states, non_null(z).unsqueeze(-1)], -1)
        return self.out(self.drop(nn.functional.gelu(self.hidden(inputs)))).squeeze(-1).sigmoid()
