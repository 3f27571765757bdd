import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from nri.episode import literal_truth
from nri.paper.torch.batch import literals
from nri.paper.torch.losses import with_gate_noise
from nri.paper.torch.tnorm import SoftRule, clause_truth, execute, non_null

quick = settings(deadline=None, max_examples=40)
seeds = st.integers(0, 2**32 - 1)


def plain_clause_truth(z: Tensor, literal_values: Tensor) -> Tensor:
    """Eq. (clause_truth) as it is written, with the tensor of rows x slots x literals."""
    return (1 - z.unsqueeze(-3) * (1 - literal_values.unsqueeze(-2))).prod(-1)


def random_soft(seed: int, hard: bool = False) -> tuple[SoftRule, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    z = torch.rand(2, 3, 8, generator=generator, dtype=torch.double)
    w = torch.rand(2, 3, generator=generator, dtype=torch.double)
    if hard:
        z, w = (z > 0.7).double(), (w > 0.4).double()
    levels = torch.tensor([0.0, 0.5, 1.0], dtype=torch.double)
    return SoftRule(z, w), levels[torch.randint(3, (2, 10, 8), generator=generator)]


@quick
@given(seeds)
def test_two_matrix_products_equal_the_equation_as_written(seed: int) -> None:
    rule, rows = random_soft(seed)
    torch.testing.assert_close(clause_truth(rule.z, rows), plain_clause_truth(rule.z, rows))


@quick
@given(seeds)
def test_soft_equals_hard_when_gates_and_cells_are_zero_or_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, membership, active = rng.random((9, 4)) < 0.5, rng.random((3, 8)) < 0.3, rng.random(3) < 0.7
    known = np.ones_like(values)
    holds = literal_truth(values, known)
    fires = np.array([[holds[m, clause].all() and clause.any() for clause in membership] for m in range(9)])
    expected = (fires & active).any(1)

    soft = SoftRule(torch.tensor(membership).float(), torch.tensor(active).float())
    cells = literals(torch.tensor(values).float(), torch.tensor(known))
    np.testing.assert_allclose(execute(soft, cells).clauses.numpy(), fires, atol=1e-6)
    np.testing.assert_allclose(execute(soft, cells).rule.numpy(), expected, atol=1e-6)


@quick
@given(seeds, st.booleans())
def test_truth_stays_between_zero_and_one(seed: int, hard: bool) -> None:
    rule, rows = random_soft(seed, hard)
    execution = execute(rule, rows)
    for truth in (execution.clauses, execution.rule):
        assert ((truth >= 0) & (truth <= 1)).all()


@quick
@given(seeds, st.integers(0, 7))
def test_asking_for_one_more_literal_never_makes_a_clause_truer(seed: int, j: int) -> None:
    rule, rows = random_soft(seed)
    stricter = rule.z.clone()
    stricter[..., j] = (stricter[..., j] + 0.3).clamp_max(1)
    assert (clause_truth(stricter, rows) <= clause_truth(rule.z, rows) + 1e-12).all()


@quick
@given(seeds, st.integers(0, 2))
def test_opening_a_clause_gate_never_makes_the_rule_less_true(seed: int, k: int) -> None:
    rule, rows = random_soft(seed)
    opened = rule.w.clone()
    opened[..., k] = 1
    assert (execute(SoftRule(rule.z, opened), rows).rule >= execute(rule, rows).rule - 1e-12).all()


@quick
@given(seeds, st.permutations(range(3)))
def test_slots_are_exchangeable(seed: int, order: list[int]) -> None:
    rule, rows = random_soft(seed)
    shuffled = SoftRule(rule.z[:, order], rule.w[:, order])
    torch.testing.assert_close(execute(shuffled, rows).rule, execute(rule, rows).rule)


def test_a_slot_without_literals_is_true_as_a_clause_and_silent_in_a_rule() -> None:
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    empty = SoftRule(torch.zeros(1, 2), torch.ones(1))
    assert (clause_truth(empty.z, rows) == 1).all()
    assert (execute(empty, rows).rule == 0).all()
    assert (execute(empty, rows, empty_is_silent=False).rule == 1).all()  # as the text's formula has it


def test_an_unknown_cell_counts_half() -> None:
    asks_first = SoftRule(torch.tensor([[1.0, 0.0]]), torch.ones(1))
    assert execute(asks_first, torch.tensor([[0.5, 0.5]])).rule.item() == 0.5


def test_gate_noise_is_logistic_on_the_logits_and_leaves_shut_gates_shut() -> None:
    gates = torch.tensor([0.0, 0.2, 0.7, 1.0]).expand(20_000, 1, 4)
    rule = SoftRule(gates, gates[..., 0])
    noisy = with_gate_noise(rule, torch.Generator().manual_seed(0)).z
    assert (noisy[..., 0] == 0).all()
    assert (noisy[..., 3] == 1).all()
    for column, gate in ((1, 0.2), (2, 0.7)):
        shift = torch.logit(noisy[..., column].double()) - torch.logit(torch.tensor(gate))
        assert abs(shift.mean()) < 0.05
        assert shift.var().item() == pytest.approx(math.pi**2 / 3, rel=0.05)
        # a gate is open after the noise as often as it says
        assert (noisy[..., column] > 0.5).double().mean().item() == pytest.approx(gate, abs=0.02)


def test_gradients_are_finite_at_shut_and_fully_open_gates() -> None:
    """A logarithm of 1 - z at z = 1 is minus infinity; its gradient must not poison the network."""
    z = torch.tensor([[1.0, 0.0, 1.0, 1 - 1e-7]], requires_grad=True)
    rows = torch.tensor([[0.0, 1.0, 0.5, 0.0], [1.0, 0.0, 1.0, 1.0]])
    (clause_truth(z, rows).sum() + non_null(z).sum()).backward()
    assert z.grad is not None
    assert z.grad.isfinite().all()


def test_gradients_equal_those_of_the_equation_as_written() -> None:
    rule, rows = random_soft(3)
    z = rule.z.clone().requires_grad_()
    (ours,) = torch.autograd.grad(clause_truth(z, rows).square().sum(), z)
    (plain,) = torch.autograd.grad(plain_clause_truth(z, rows).square().sum(), z)
    torch.testing.assert_close(ours, plain)
