import math
from collections.abc import Callable

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import Module

from nri.paper.torch.network import (
    ClauseGates,
    FiLM,
    LiteralAttention,
    LiteralGates,
    PaperConfig,
    SlotDecoder,
    exclude_complements,
)

quick = settings(deadline=None, max_examples=25)
B, T, A, L, D = 2, 3, 2, 6, 8


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def made(kind: Callable[..., Module], *sizes: object, seed: int = 0, **options: float) -> Module:
    """A part of the network whose first weights are drawn from a seed."""
    torch.manual_seed(seed)
    return kind(*sizes, **options)


def parts(seed: int = 0) -> tuple[FiLM, Tensor, Tensor, Tensor]:
    film = made(FiLM, T, D, seed=seed)
    h = torch.randn(B, L, D)
    states = torch.randn(B, T, D)
    valid = torch.tensor([True, True, False] * 2).expand(B, L)
    return film, h, states, valid


def views(film: FiLM, h: Tensor) -> Tensor:
    """Every slot's view of every literal, eq. (7), [B, T, L, D]."""
    return film.gamma[:, None] * h[:, None] + film.beta[:, None]


def test_reading_the_shared_literals_with_a_slots_weights_is_reading_its_own_view() -> None:
    film, h, _, _ = parts()
    view = views(film, h)
    weight = torch.randn(A, 5, D, generator=generator(1))
    of_slot, bias = film.seen_through(weight)
    torch.testing.assert_close(
        torch.einsum("taed,bld->btlae", of_slot, h) + bias[:, None],
        torch.einsum("aed,btld->btlae", weight, view),
    )


def test_a_clause_gate_reads_the_mean_the_summary_the_state_and_the_non_null_probability() -> None:
    film, h, states, valid = parts()
    gates = made(ClauseGates, D, seed=6)
    z = torch.rand(B, T, L, generator=generator(7)) * valid[:, None]
    mean = torch.randn(B, D, generator=generator(8))
    summary = torch.einsum("btl,btld->btd", z, views(film, h)) / z.sum(-1, keepdim=True)
    some = 1 - (1 - z).prod(-1, keepdim=True)
    inputs = torch.cat([mean[:, None].expand(B, T, D), summary, states, some], -1)
    expected = gates.out(torch.nn.functional.gelu(gates.hidden(inputs))).squeeze(-1).sigmoid()
    torch.testing.assert_close(gates(mean, states, z, h, film), expected)


def test_film_starts_with_orthogonal_shifts_and_spread_scales() -> None:
    film = made(FiLM, 8, 64)
    torch.testing.assert_close(film.beta @ film.beta.mT, torch.eye(8), atol=1e-5, rtol=0)
    assert abs(film.gamma.mean().item() - 1) < 0.1
    assert abs(film.gamma.std().item() - 0.5) < 0.1


def test_folded_attention_equals_multi_head_attention_over_each_slots_own_memory() -> None:
    film, h, states, valid = parts()
    attention = made(LiteralAttention, D, A, seed=3, dropout=0.0)
    memory = views(film, h)
    q = attention.query(states).reshape(B, T, A, -1)
    k = attention.key(memory).reshape(B, T, L, A, -1)
    v = attention.value(memory).reshape(B, T, L, A, -1)
    scores = torch.einsum("btae,btlae->btal", q, k) / math.sqrt(D // A)
    weights = scores.masked_fill(~valid[:, None, None], -torch.inf).softmax(-1)
    expected = attention.out(torch.einsum("btal,btlae->btae", weights, v).reshape(B, T, D))
    torch.testing.assert_close(attention(states, h, valid, film), expected)


def test_what_attention_overlooks_takes_its_bias_along() -> None:
    """With dropout the shares of a slot no longer sum to one, and the folded biases have to follow."""
    film, h, states, valid = parts()
    attention = made(LiteralAttention, D, A, seed=3, dropout=0.999_999)
    expected = attention.out.bias.expand(B, T, D)  # nothing is left of values and their biases
    torch.testing.assert_close(attention(states, h, valid, film), expected)


def test_literal_gates_are_the_scaled_dot_product_of_the_paper() -> None:
    film, h, states, valid = parts()
    gates = made(LiteralGates, D, seed=4)
    with torch.no_grad():
        gates.bias.fill_(0.3)
    logits = torch.einsum("btd,btld->btl", gates.from_state(states), gates.from_literal(views(film, h)))
    expected = exclude_complements(logits / math.sqrt(D) + 0.3) * valid[:, None]
    torch.testing.assert_close(gates(states, h, valid, film), expected)


@quick
@given(st.lists(st.floats(-5, 5), min_size=8, max_size=8))
def test_of_a_variable_and_its_negation_the_lower_score_is_removed(scores: list[float]) -> None:
    logits = torch.tensor(scores)
    gates = exclude_complements(logits)
    for i in range(4):
        best = max(scores[i], scores[i + 4])
        pair = sorted(gates[[i, i + 4]].tolist())
        assert pair[0] == 0
        torch.testing.assert_close(pair[1], torch.tensor(best).sigmoid().item())


def test_slots_start_different_and_gates_are_probabilities() -> None:
    decoder = made(SlotDecoder, PaperConfig(slots=T, width=D, layers=1, heads=A), seed=5)
    _, h, _, valid = parts()
    rule = decoder(h, valid)
    for gate in (rule.z, rule.w):
        assert ((gate >= 0) & (gate <= 1)).all()
    assert (rule.z[:, 0] - rule.z[:, 1]).abs().max() > 1e-3
