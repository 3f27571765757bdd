"""The paper's network: statistics and examples, then slots, then a soft rule; eqs. (4) to (10).

:mod:`nri.paper.plain` is the same forward pass unfolded, equation by equation. Here eqs. (7) to (9) are
folded into weights, so that no tensor of slots x literals x width is built.

The order of rows, padding and the other tables of a batch change nothing. Permuting columns may change the
rule, since the example keys know positions. Literals with equal statistics have equal gates in every slot
(docs/paper.md).
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from nri.errors import ConfigError
from nri.paper.torch.batch import NAMES, EpisodeBatch, literal_statistics
from nri.paper.torch.tnorm import SoftRule, non_null
from nri.train.config import check_limits

Queries = Float[Tensor, "B Q D"]
Embedded = Float[Tensor, "B L D"]  # h, an embedding of each literal
States = Float[Tensor, "B T D"]  # s, a state of each slot
LiteralMask = Bool[Tensor, "B L"]  # which literals are no padding
Gates = Float[Tensor, "B T L"]  # z, of each literal in each slot


@dataclass(frozen=True)
class PaperConfig:
    """The published network by default; every field can be set from a TOML file."""

    slots: int = 8  # T, clause slots: the most clauses a rule can have
    width: int = 384  # D, of literal embeddings and slot states
    layers: int = 3  # decoder layers
    heads: int = 4  # attention heads, in the decoder and over the examples
    feedforward: int = 4  # hidden width of a decoder layer's MLP, in multiples of the width
    n_train: int = 15  # variable positions the example keys know: in training 12 causal, 3 spurious ones
    bottleneck: int = 64  # units between a row's literal values and its key
    extension_seed: int = 0  # of the columns added to the example keys for tables wider than ``n_train``
    extension_scale: float = 1.0  # their size relative to fresh ones; 0 leaves these variables out
    dropout: float = 0.0  # of units of the decoder and the clause gates; as published 0.1, in the text none

    def __post_init__(self) -> None:
        sizes = ("slots", "width", "layers", "heads", "feedforward", "n_train", "bottleneck")
        check_limits("model", self, sizes, 1)
        check_limits("model", self, ["extension_seed", "extension_scale"], 0)
        check_limits("model", self, ["dropout"], 0, 0.99)
        if self.width % self.heads:
            cause = f"width = {self.width} cannot be shared by heads = {self.heads}"
            raise ConfigError(f"model: {cause}; give a width that is a multiple of heads")


def mlp(n_in: int, width: int) -> nn.Sequential:
    """Return two linear layers with a ReLU between them."""
    return nn.Sequential(nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, width))


class MultiHeadAttention(nn.Module):
    """Scaled dot-product attention of queries over a set of items, with several heads.

    ``dropout`` is the chance that an item is overlooked in training.
    """

    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def forward(
        self, queries: Queries, items: Float[Tensor, "B I D"], item_valid: Bool[Tensor, "B I"] | None = None
    ) -> Queries:
        """Mix the valid items for each query."""
        projected = self.query(queries), *self.key_value(items).chunk(2, -1)
        q, k, v = (x.reshape(*x.shape[:2], self.heads, -1).transpose(1, 2) for x in projected)
        mask = None if item_valid is None else item_valid[:, None, None, :]
        overlooked = self.dropout if self.training else 0.0
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=overlooked)
        return self.out(mixed.transpose(1, 2).flatten(2))


class ExampleKeys(nn.Module):
    """e_m = MLP_y([y, 1 - y, observed]) + MLP_x(literal values), eq. (5) ``example_key``.

    MLP_x has one weight for each variable *position* and polarity, so these keys, unlike the statistics,
    depend on the order of columns. That is the paper's design, with a narrow bottleneck against it.
    """

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        self.config = config
        n_train, bound = config.n_train, 1 / math.sqrt(2 * config.n_train)
        self.from_label = mlp(3, config.width)
        self.columns = nn.Parameter(torch.empty(2, config.bottleneck, n_train).uniform_(-bound, bound))
        """[polarity, unit, variable]: the first layer of MLP_x, one block for each polarity, so that a
        variable meets the same weights however many columns stand beside it."""
        self.bias = nn.Parameter(torch.zeros(config.bottleneck))
        self.from_values = nn.Linear(config.bottleneck, config.width)

    def forward(self, batch: EpisodeBatch) -> Float[Tensor, "B M D"]:
        """Key of each row; padding rows get one too, to be masked by the reader."""
        trained, seeded = self.adapted_columns(batch.values.shape[-1])
        values = batch.literals * batch.literal_valid.unsqueeze(-2)
        # seeded columns have the size of a fresh layer's of 2N inputs, so their sum does not grow with N;
        # that is the table's own width, not that of the batch: padding changes nothing
        size = (2 * batch.variable_valid.sum(-1)).to(values.dtype).clamp_min(1).rsqrt()
        added = nn.functional.linear(values, seeded) * size[:, None, None]
        hidden = (nn.functional.linear(values, trained, self.bias) + added).relu()
        # MLP_y at its only two inputs, a positive and a negative row, handed out to the rows
        of_label = self.from_label(values.new_tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]))
        return torch.stack([batch.labels, 1 - batch.labels], -1) @ of_label + self.from_values(hidden)

    def adapted_columns(self, n_variables: int) -> tuple[Float[Tensor, "U L"], Float[Tensor, "U L"]]:
        """Trained columns, and seeded ones in [-1, 1) where there is none trained; each zero at the other's.

        Below the trained number of columns the last ones are left out, which equals padding the input with
        zeros; above it, seeded columns follow. There is no branch on N: one exported graph serves all tables.
        """
        first, last = 2 * self.config.n_train, 2 * (self.config.n_train + n_variables)
        n_units, device = self.columns.shape[1], self.columns.device
        drawn = seeded_columns(self.config.extension_seed, first, last, n_units, device)
        drawn = drawn.to(self.columns.dtype) * self.config.extension_scale
        halves = [(trained, drawn[:, polarity::2]) for polarity, trained in enumerate(self.columns)]
        known = [torch.cat([old, torch.zeros_like(new)], -1)[:, :n_variables] for old, new in halves]
        added = [torch.cat([torch.zeros_like(old), new], -1)[:, :n_variables] for old, new in halves]
        return torch.cat(known, -1), torch.cat(added, -1)


_PRIME = 2**31 - 1  # products of two residues stay below 2^62, inside int64
_ROUNDS = (1_103_515_245, 747_796_405, 1_664_525_001)


def seeded_columns(
    seed: int, first: int, last: int, n_units: int, device: torch.device | None = None
) -> Float[Tensor, "U C"]:
    """Weights in [-1, 1) of columns ``first .. last-1`` for each unit.

    >>> wide = seeded_columns(0, 15, 40, 8)
    >>> bool((wide[:, 5:10] == seeded_columns(0, 20, 25, 8)).all())
    True
    """
    column, unit = torch.arange(first, last, device=device), torch.arange(n_units, device=device)
    state = (column * 2_654_435 + unit.unsqueeze(-1) * 40_503 + seed * 97 + 1) % _PRIME
    for constant in _ROUNDS:
        state = (state * (state + constant) + constant) % _PRIME  # not linear, so columns decorrelate
    return state.to(torch.float32) / (_PRIME / 2) - 1


class PaperEncoder(nn.Module):
    """Literal embeddings h1 = h0 + attention(h0 over example keys), eq. (4) ``h0`` to eq. (6) ``h1``."""

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        self.from_statistics = mlp(len(NAMES), config.width).append(nn.LayerNorm(config.width))
        self.keys = ExampleKeys(config)
        self.attention = MultiHeadAttention(config.width, config.heads)

    def forward(self, batch: EpisodeBatch) -> Embedded:
        """Embed every literal of every table."""
        h0 = self.from_statistics(literal_statistics(batch))  # eq. (4) ``h0``
        examples = self.keys(batch)  # eq. (5) ``example_key``
        return h0 + self.attention(h0, examples, batch.row_valid)  # eq. (6) ``h1``


class FiLM(nn.Module):
    """h_kj = gamma_k * h_j + beta_k, eq. (7) ``film``, with one gamma and beta for each slot.

    The tensor of slots x literals x width is never built: every reader of a slot's view is linear in it, so
    its weights take in gamma and beta once (:meth:`seen_through`), and then read the shared h.
    """

    def __init__(self, slots: int, width: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.empty(slots, width).normal_(1.0, 0.5))
        self.beta = nn.Parameter(nn.init.orthogonal_(torch.empty(slots, width)))

    def seen_through(
        self, weight: Float[Tensor, "*heads E D"]
    ) -> tuple[Float[Tensor, "T *heads E D"], Float[Tensor, "T *heads E"]]:
        """Weights and biases, one set for each slot, with weight_k h_j + bias_k = weight h_kj."""
        shape = (len(self.gamma), *(1,) * (weight.ndim - 1), -1)
        gamma, beta = self.gamma.reshape(shape), self.beta.reshape(shape)
        return weight * gamma, (weight * beta).sum(-1)


class SlotDecoder(nn.Module):
    """Slot states by a transformer decoder, then literal gates and clause gates."""

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        width = config.width
        self.film = FiLM(config.slots, width)
        self.queries = nn.Parameter(torch.empty(config.slots, width).normal_(0.0, 0.02))
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.literal_gates = LiteralGates(width)
        self.clause_gates = ClauseGates(width, config.dropout)

    def forward(self, h: Embedded, literal_valid: LiteralMask) -> SoftRule:
        """Fill the slots for a batch of embedded literals."""
        states = self.states(h, literal_valid)
        z = self.literal_gates(states, h, literal_valid, self.film)
        return SoftRule(z, self.clause_gates(_mean(h, literal_valid), states, z, h, self.film))

    def states(self, h: Embedded, literal_valid: LiteralMask) -> States:
        """s_k of eq. (8) ``clause_state``."""
        states = self.queries + _mean(h, literal_valid).unsqueeze(1)
        for layer in self.layers:
            states = layer(states, h, literal_valid, self.film)
        return self.norm(states)


def _mean(h: Embedded, literal_valid: LiteralMask) -> Float[Tensor, "B D"]:
    r"""\bar h of eq. (8) ``clause_state``."""
    valid = literal_valid.unsqueeze(-1)
    return (h * valid).sum(1) / valid.sum(1).clamp_min(1)


class DecoderLayer(nn.Module):
    """Slots look at each other, then at their own view of the literals, then think; dropout is as usual."""

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        width, hidden = config.width, config.feedforward * config.width
        self.norm_slots = nn.LayerNorm(width)
        self.slots = MultiHeadAttention(width, config.heads, config.dropout)
        self.norm_literals = nn.LayerNorm(width)
        self.literals = LiteralAttention(width, config.heads, config.dropout)
        steps = nn.LayerNorm(width), nn.Linear(width, hidden), nn.GELU(), nn.Dropout(config.dropout)
        self.think = nn.Sequential(*steps, nn.Linear(hidden, width))
        self.drop = nn.Dropout(config.dropout)

    def forward(self, states: States, h: Embedded, literal_valid: LiteralMask, film: FiLM) -> States:
        """Refine the slot states."""
        normed = self.norm_slots(states)
        states = states + self.drop(self.slots(normed, normed))
        states = states + self.drop(self.literals(self.norm_literals(states), h, literal_valid, film))
        return states + self.drop(self.think(states))


class LiteralAttention(nn.Module):
    """Multi-head attention of slot k over the memory {h_kj} of eq. (8) ``clause_state``.

    Keys and values for each slot would cost T projections of all literals. Instead the key projection is
    applied to the query and the value projection to the attended mean. The numbers are the same: a softmax
    ignores what all literals share, and its weights sum to one.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.scale = heads, 1 / math.sqrt(width // heads)
        self.drop = nn.Dropout(dropout)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=False)  # a bias would be shared by all literals
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, states: States, h: Embedded, literal_valid: LiteralMask, film: FiLM) -> States:
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
    """z_kj = sigmoid(<W_s s_k, W_h h_kj> / sqrt(D) + b), eq. (9) ``literal_gate``."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(width)
        self.from_state = nn.Linear(width, width, bias=False)
        self.from_literal = nn.Linear(width, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, states: States, h: Embedded, literal_valid: LiteralMask, film: FiLM) -> Gates:
        """Gate every literal in every slot; zero on padding."""
        weight, offset = film.seen_through(self.from_literal.weight)  # W_h as slot k applies it to h_j
        queries = self.from_state(states)  # W_s s_k
        shared = torch.einsum("bte,te->bt", queries, offset).unsqueeze(-1)
        inner = torch.einsum("bte,ted->btd", queries, weight) @ h.transpose(-1, -2) + shared
        return exclude_complements(inner * self.scale + self.bias) * literal_valid.unsqueeze(1)


def exclude_complements(logits: Float[Tensor, "*batch L"]) -> Float[Tensor, "*batch L"]:
    """Gates of which at most one in each complementary pair is open: x and not-x never hold together.

    The literal with the lower score is removed; in a tie the negation is.

    >>> exclude_complements(torch.tensor([2.0, -1.0, 0.0, -1.0]))
    tensor([0.8808, 0.2689, 0.0000, 0.0000])
    """
    N = logits.shape[-1] // 2
    keep_positive = logits[..., :N] >= logits[..., N:]
    return logits.sigmoid() * torch.cat([keep_positive, ~keep_positive], -1)


class ClauseGates(nn.Module):
    """w_k = sigmoid(MLP([mean literal, summary, state, non-null probability])), eq. (10) ``clause_gate``."""

    def __init__(self, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.hidden = nn.Linear(3 * width + 1, width)
        self.out = nn.Linear(width, 1)

    def forward(
        self, mean: Float[Tensor, "B D"], states: States, z: Gates, h: Embedded, film: FiLM
    ) -> Float[Tensor, "B T"]:
        """Gate every slot, given the literals it selected."""
        shares = z / z.sum(-1, keepdim=True).clamp_min(1e-6)
        summary = film.gamma * (shares @ h) + film.beta  # \tilde h_k, since the shares sum to one
        means = mean.unsqueeze(1).expand_as(states)
        inputs = torch.cat([means, summary, states, non_null(z).unsqueeze(-1)], -1)
        return self.out(self.drop(nn.functional.gelu(self.hidden(inputs)))).squeeze(-1).sigmoid()


class PaperInducer(nn.Module):
    """Tables with labels in, one soft rule for each table out."""

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = PaperEncoder(config)
        self.decoder = SlotDecoder(config)

    def forward(self, batch: EpisodeBatch) -> SoftRule:
        """Induce a soft rule over the padded literals of the batch."""
        return self.decoder(self.encoder(batch), batch.literal_valid)
