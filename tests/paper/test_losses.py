from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from nri.errors import ConfigError
from nri.paper.episodes import PaperPreset, paper_episodes
from nri.paper.torch.batch import EpisodeBatch, batch_from_arrays, literals
from nri.paper.torch.losses import (
    PaperLossConfig,
    coverage,
    coverage_overlap,
    excess_length,
    exclusive_shares,
    flip_variables,
    gate_entropy,
    kept_slots,
    max_margin,
    necessity,
    paper_loss,
    repulsion,
    responsibility_balance,
    sampled_counterfactuals,
    soft_maximum,
    spuriousness,
    switch_balance,
    switch_balance_by_gates,
    usage_balance,
)
from nri.paper.torch.network import PaperConfig, PaperInducer
from nri.paper.torch.tnorm import SoftRule, clause_truth, execute

quick = settings(deadline=None, max_examples=20)
seeds = st.integers(0, 10**6)
B, M, N, T = 3, 7, 4, 3


def batch_of(preset: PaperPreset, seed: int = 0, start: int = 0, count: int = 4) -> EpisodeBatch:
    made = paper_episodes(preset, seed, start, count)
    return batch_from_arrays(made.values, made.known, made.labels, made.row_valid, made.variable_valid)


def random_case(seed: int) -> tuple[SoftRule, EpisodeBatch]:
    """Soft rules and small tables with unknown cells and padding rows."""
    rng = np.random.default_rng(seed)
    row_valid = np.ones((B, M), bool)
    row_valid[0, 5:] = False
    known = (rng.random((B, M, N)) < 0.8) & row_valid[:, :, None]
    values = (rng.random((B, M, N)) < 0.5) & known
    labels = (rng.random((B, M)) < 0.5) & row_valid
    batch = batch_from_arrays(values, known, labels, row_valid, np.ones((B, N), bool))
    rule = SoftRule(
        torch.tensor(rng.random((B, T, 2 * N)), dtype=torch.float32),
        torch.tensor(rng.random((B, T)), dtype=torch.float32),
    )
    return rule, batch


def positive_rows(batch: EpisodeBatch) -> list[tuple[int, int]]:
    return [(b, m) for b, m in np.ndindex(B, M) if batch.positives[b, m] == 1]


def valid_rows(batch: EpisodeBatch) -> list[tuple[int, int]]:
    return [(b, m) for b, m in np.ndindex(B, M) if batch.row_valid[b, m]]


@quick
@given(seeds)
def test_coverage_is_the_cross_entropy_over_valid_rows(seed: int) -> None:
    rule, batch = random_case(seed)
    prediction = execute(rule, batch.literals).rule
    expected = torch.nn.functional.binary_cross_entropy(
        prediction[batch.row_valid].clamp(1e-6, 1 - 1e-6), batch.labels[batch.row_valid]
    )
    torch.testing.assert_close(coverage(prediction, batch), expected)


@quick
@given(seeds)
def test_max_margin_asks_the_best_clause_alone(seed: int) -> None:
    rule, batch = random_case(seed)
    clauses = execute(rule, batch.literals).clauses
    short = [max(0.0, 0.7 - float(clauses[b, m].max())) for b, m in positive_rows(batch)]
    negatives = [(b, m) for b, m in valid_rows(batch) if batch.labels[b, m] == 0]
    over = [max(0.0, float(clauses[b, m].max()) - 0.3) for b, m in negatives]
    expected = sum(short) / max(len(short), 1) + sum(over) / max(len(over), 1)
    assert max_margin(clauses.amax(-1), batch, 0.7, 0.3).item() == pytest.approx(expected, abs=1e-6)


def test_a_clear_margin_costs_nothing() -> None:
    _, batch = random_case(0)
    clauses = torch.stack([batch.labels, torch.zeros_like(batch.labels)], -1)
    assert max_margin(clauses.amax(-1), batch, 0.7, 0.3).item() == 0


def test_switch_balance_is_one_when_slots_share_the_work_and_t_when_one_does_it_all() -> None:
    owner = torch.arange(6) % T
    shared = torch.nn.functional.one_hot(owner, T).float().unsqueeze(0)
    alone = torch.nn.functional.one_hot(torch.zeros(6, dtype=torch.long), T).float().unsqueeze(0)
    w, positives = torch.ones(1, T), torch.ones(1, 6)
    assert switch_balance(shared, w, positives).item() == pytest.approx(1, abs=1e-4)
    assert switch_balance(alone, w, positives).item() == pytest.approx(T, abs=1e-4)


def test_switch_balance_by_gates_is_the_published_codes_sum_and_sees_no_rows() -> None:
    w = torch.tensor([[0.9, 0.1, 0.5], [0.3, 0.3, 0.9]])
    u = torch.logit(w).softmax(-1).mean(0)
    f = w.mean(0) / w.mean(0).sum()
    assert switch_balance_by_gates(w).item() == pytest.approx(3 * (u * f).sum().item(), rel=1e-4)
    assert switch_balance_by_gates(torch.full((4, T), 0.2)).item() == pytest.approx(1, rel=1e-4)


def test_the_hinge_asks_the_whole_rule_for_the_margins() -> None:
    _, batch = random_case(0)
    undecided = torch.full_like(batch.labels, 0.5)
    assert max_margin(undecided, batch, 0.7, 0.3).item() == pytest.approx(0.4, abs=1e-6)
    assert max_margin(batch.labels, batch, 0.7, 0.3).item() == 0


def test_only_literals_beyond_the_longest_clause_cost_length() -> None:
    z = torch.tensor([[[1.0, 1.0, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0]]])
    assert excess_length(z, 2.0).item() == pytest.approx(0.25)
    assert excess_length(z, 3.0).item() == 0


def test_usage_and_activation_balance_are_the_papers_sum() -> None:
    w = torch.tensor([[0.9, 0.1, 0.5], [0.3, 0.3, 0.9]])
    raw = w.mean(0)
    assert usage_balance(raw).item() == pytest.approx(
        3 * ((raw / raw.mean() - 1) ** 2).sum().item(), rel=1e-4
    )
    share = (w / w.sum(1, keepdim=True)).mean(0)
    batch = batch_of(PaperPreset(), count=2)
    z = torch.rand(2, 3, batch.literal_valid.shape[1])
    terms = paper_loss(SoftRule(z, w), batch, PaperLossConfig(), 0.0).terms
    assert terms["activation"].item() == pytest.approx(usage_balance(raw).item(), rel=1e-4)
    assert terms["usage"].item() == pytest.approx(usage_balance(share).item(), rel=1e-4)
    assert usage_balance(torch.full((T,), 0.2)).item() == pytest.approx(0, abs=1e-6)


def test_repulsion_is_the_mean_cosine_of_different_slots() -> None:
    rule, _ = random_case(1)
    cosines = [
        torch.nn.functional.cosine_similarity(rule.z[:, k], rule.z[:, other]).mean()
        for k, other in combinations(range(T), 2)
    ]
    torch.testing.assert_close(repulsion(rule.z), torch.stack(cosines).mean())
    assert repulsion(rule.z[:, :1]).item() == 0


def test_sharp_gates_have_no_entropy_and_undecided_ones_have_most() -> None:
    valid = torch.tensor([[True, True, False, True, True, False]])
    sharp = SoftRule(torch.tensor([[[0.0, 1.0, 0.0, 1.0, 0.0, 0.0]]]), torch.tensor([[1.0]]))
    undecided = SoftRule(torch.full((1, 1, 6), 0.5), torch.tensor([[0.5]]))
    assert gate_entropy(sharp, valid).item() == pytest.approx(0, abs=1e-4)
    assert gate_entropy(undecided, valid).item() == pytest.approx(2 * np.log(2), abs=1e-5)


@quick
@given(seeds, st.lists(st.booleans(), min_size=N, max_size=N))
def test_swapping_gates_is_flipping_cells(seed: int, chosen: list[bool]) -> None:
    rule, batch = random_case(seed)
    which = torch.tensor(chosen)
    flipped_cells = torch.where(which, 1 - batch.values, batch.values) * batch.known
    torch.testing.assert_close(
        clause_truth(flip_variables(rule.z, which.expand(B, T, N)), batch.literals),
        clause_truth(rule.z, literals(flipped_cells, batch.known)),
    )


def flip_one(batch: EpisodeBatch, i: int) -> Tensor:
    values = batch.values.clone()
    values[..., i] = (1 - values[..., i]) * batch.known[..., i]
    return literals(values, batch.known)


@quick
@given(seeds)
def test_necessity_flips_each_selected_literal_on_its_own(seed: int) -> None:
    rule, batch = random_case(seed)
    threshold = 0.6
    clauses = execute(rule, batch.literals).clauses
    after = [clause_truth(rule.z, flip_one(batch, i)) for i in range(N)]
    costs = []
    for b, m in positive_rows(batch):
        share = clauses[b, m].softmax(0)
        for k in range(T):
            used = [i for i in range(N) if max(rule.z[b, k, i], rule.z[b, k, i + N]) >= threshold]
            costs.append(share[k] * sum(after[i][b, m, k] for i in used) / max(len(used), 1))
    expected = float(sum(costs)) / max(len(positive_rows(batch)), 1)
    got = necessity(rule, clauses, batch.literals, batch.positives, threshold)
    assert got.item() == pytest.approx(expected, abs=1e-6)


def test_an_idle_literal_is_not_necessary_and_a_deciding_one_is() -> None:
    """Every positive row has x0; the clause x0 breaks when x0 is flipped, a soft half-gate does not."""
    cells = literals(torch.ones(1, 2, 2), torch.ones(1, 2, 2, dtype=torch.bool))
    positives, w = torch.ones(1, 2), torch.ones(1, 1)
    costs = []
    for gate in (1.0, 0.4):
        rule = SoftRule(torch.tensor([[[gate, 0.0, 0.0, 0.0]]]), w)
        clauses = execute(rule, cells).clauses
        costs.append(necessity(rule, clauses, cells, positives, 0.3).item())
    assert costs == pytest.approx([0.0, 0.6], abs=1e-6)


def test_spuriousness_is_zero_when_ignored_literals_have_shut_gates() -> None:
    rule, batch = random_case(2)
    clean = SoftRule((rule.z > 0.8).float(), rule.w)
    leak = torch.cat([torch.full((N,), 0.2), torch.zeros(N)])  # a little of every positive literal
    leaky = SoftRule(torch.maximum(clean.z, leak), rule.w)
    for candidate, leaks in ((clean, False), (leaky, True)):
        execution = execute(candidate, batch.literals)
        cost = spuriousness(candidate, execution, batch.literals, batch.positives, 0.3, True).item()
        assert (cost > 1e-4) == leaks


@quick
@given(seeds)
def test_overlap_and_responsibility_are_the_appendix_sums(seed: int) -> None:
    rule, batch = random_case(seed)
    clauses = execute(rule, batch.literals).clauses
    rows = positive_rows(batch)
    pairs = [clauses[b, m, k] * clauses[b, m, o] for b, m in rows for k, o in combinations(range(T), 2)]
    expected = float(sum(pairs)) / max(len(rows) * 3, 1)
    assert coverage_overlap(clauses, batch.positives).item() == pytest.approx(expected, abs=1e-6)
    shares = [clauses[b, m].softmax(0) for b, m in rows]
    entropy = float(sum(-(r * r.log()).sum() for r in shares)) / max(len(rows), 1)
    assert responsibility_balance(clauses, batch.positives).item() == pytest.approx(-entropy, abs=1e-5)


@quick
@given(seeds)
def test_a_clause_is_responsible_as_far_as_no_other_one_covers_the_row(seed: int) -> None:
    rule, batch = random_case(seed)
    clauses = execute(rule, batch.literals).clauses
    alone = torch.stack(
        [clauses[..., k] * (1 - clauses[..., [j for j in range(T) if j != k]]).prod(-1) for k in range(T)],
        -1,
    )
    expected = alone / (alone.sum(-1, keepdim=True) + 1e-8)
    torch.testing.assert_close(exclusive_shares(clauses), expected, atol=1e-5, rtol=1e-4)
    assert (soft_maximum(clauses) >= clauses.amax(-1).clamp(0, 1) - 1e-6).all()


def test_sampled_counterfactuals_find_a_deciding_literal_necessary_and_an_ignored_one_harmless() -> None:
    """One slot says x0 and nothing else: a flip of x0 leaves nothing, a flip of the rest changes nothing."""
    values = np.array([[[1, 0, 1], [1, 1, 0], [0, 1, 1]]], bool)
    labels = values[:, :, 0]
    valid = np.ones((1, 3), bool)
    batch = batch_from_arrays(values, np.ones_like(values), labels, valid, valid)
    z = torch.zeros(1, 1, 6)
    z[0, 0, 0] = 1.0
    rule = SoftRule(z, torch.ones(1, 1))
    gated = execute(rule, batch.literals).clauses
    config = PaperLossConfig(sampled_counterfactuals=1)
    generator = torch.Generator().manual_seed(0)
    parts = sampled_counterfactuals(rule, gated, batch, config, generator)
    assert parts["necessity"]().item() == pytest.approx(0, abs=1e-5)
    assert parts["spuriousness"]().item() == pytest.approx(0, abs=1e-5)
    idle = SoftRule(z.roll(1, -1) * 0.5 + z, torch.ones(1, 1))  # asks for x1 too, which decides nothing
    parts = sampled_counterfactuals(idle, gated, batch, config, generator)
    assert np.mean([parts["necessity"]().item() for _ in range(20)]) > 0.05


def test_clause_dropout_drops_a_quarter_and_keeps_at_least_two() -> None:
    w = torch.ones(4000, 8)
    kept = kept_slots(w, 0.25, 2, torch.Generator().manual_seed(0))
    assert abs(kept.float().mean().item() - 0.75) < 0.01
    harsh = kept_slots(w, 0.95, 2, torch.Generator().manual_seed(0))
    assert harsh.sum(1).min() == 2
    assert kept_slots(w[:, :1], 0.9, 2, torch.Generator().manual_seed(0)).all()
    assert torch.equal(kept, kept_slots(w, 0.25, 2, torch.Generator().manual_seed(0)))


def test_each_term_can_be_switched_off_and_only_it_goes() -> None:
    rule, batch = random_case(4)
    everything = PaperLossConfig(clause_dropout=0.0)
    terms = paper_loss(rule, batch, everything, progress=1.0).terms
    assert set(terms) == {
        *("coverage", "margin", "switch", "usage", "activation", "repulsion", "entropy"),
        *("necessity", "spuriousness", "overlap", "responsibility"),
    }
    for name in ("margin", "switch", "usage", "activation", "repulsion", "entropy"):
        less = paper_loss(rule, batch, replace(everything, **{name: 0.0}), progress=1.0)
        assert set(terms) - set(less.terms) == {name}
    alone = replace(everything, counterfactual=0.0)
    assert "necessity" not in paper_loss(rule, batch, alone, progress=1.0).terms


def test_the_total_is_the_weighted_sum_of_the_terms() -> None:
    rule, batch = random_case(5)
    config = PaperLossConfig(clause_dropout=0.0)
    loss = paper_loss(rule, batch, config, progress=1.0)
    weights = {
        **{name: getattr(config, name) for name in ("margin", "switch", "usage", "activation")},
        **{"coverage": 1.0, "repulsion": config.repulsion, "entropy": config.entropy},
        **{"necessity": 0.15, "spuriousness": 0.15, "overlap": 0.015, "responsibility": 0.0015},
    }
    expected = sum(weights[name] * value.item() for name, value in loss.terms.items())
    assert loss.total.item() == pytest.approx(expected, rel=1e-5)


def test_overlap_counts_in_full_where_lambda_cf_does_not_scale_it() -> None:
    rule, batch = random_case(5)
    only = dict.fromkeys(("switch", "usage", "activation", "repulsion", "entropy", "margin"), 0.0)
    scaled = PaperLossConfig(**only, clause_dropout=0.0, counterfactual_balance=0.0)
    full = replace(scaled, counterfactual_scales_all=False)
    totals = [paper_loss(rule, batch, config, progress=1.0).total for config in (full, scaled)]
    overlap = coverage_overlap(execute(rule, batch.literals).clauses, batch.positives)
    torch.testing.assert_close(totals[0] - totals[1], 0.1 * (1 - 0.15) * overlap)


def test_without_a_counterfactual_weight_nothing_of_it_remains() -> None:
    """The ablation sets lambda_cf to 0: overlap and balance must go with it, scaled or not."""
    rule, batch = random_case(5)
    config = PaperLossConfig(counterfactual=0.0, counterfactual_scales_all=False)
    terms = paper_loss(rule, batch, config, progress=1.0).terms
    assert not {"necessity", "spuriousness", "overlap", "responsibility"} & set(terms)


def test_the_counterfactual_loss_waits_for_its_warm_up() -> None:
    rule, batch = random_case(6)
    assert "necessity" not in paper_loss(rule, batch, PaperLossConfig(), progress=0.49).terms
    assert "necessity" in paper_loss(rule, batch, PaperLossConfig(), progress=0.5).terms


@pytest.mark.parametrize("label", [False, True])
def test_episodes_of_one_class_have_finite_losses_and_gradients(label: bool) -> None:
    """The generator makes such episodes: a rule may hold on every row drawn, or on none."""
    rule, batch = random_case(7)
    batch = replace(batch, labels=batch.row_valid.float() * label)
    z, w = rule.z.requires_grad_(), rule.w.requires_grad_()
    paper_loss(SoftRule(z, w), batch, PaperLossConfig(), progress=1.0).total.backward()
    for gate in (z, w):
        assert gate.grad is not None
        assert gate.grad.isfinite().all()


def test_padding_rows_cost_nothing() -> None:
    rule, batch = random_case(8)
    config = PaperLossConfig(clause_dropout=0.0)
    other_values = batch.values.clone()
    other_values[0, 5:] = 1 - other_values[0, 5:]
    changed = replace(batch, values=other_values, known=batch.known | ~batch.row_valid.unsqueeze(-1))
    before, after = (paper_loss(rule, each, config, 1.0).total for each in (batch, changed))
    torch.testing.assert_close(before, after)


@pytest.mark.parametrize(
    "mistake",
    [{"switch": -1.0}, {"select_threshold": 1.5}, {"clause_dropout": 1.0}, {"margin_positive": 2.0}],
)
def test_impossible_weights_are_refused(mistake: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(mistake))):
        PaperLossConfig(**mistake)


def test_a_tiny_network_learns_from_the_papers_episodes() -> None:
    """Sixty steps are enough to beat its own start clearly, on episodes never seen."""
    generator = torch.manual_seed(0)
    preset = PaperPreset(max_variables=6, max_clauses=2, max_literals=2, n_spurious=1)
    model = PaperInducer(PaperConfig(slots=4, width=32, layers=1, heads=2, n_train=7))
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    held_out = batch_of(preset, seed=1, count=64)
    config = PaperLossConfig()

    def held_out_coverage() -> float:
        with torch.no_grad():
            return coverage(execute(model(held_out), held_out.literals).rule, held_out).item()

    start = held_out_coverage()
    for step in range(60):
        batch = batch_of(preset, seed=0, start=32 * step, count=32)
        loss = paper_loss(model(batch), batch, config, step / 60, generator)
        optimiser.zero_grad()
        loss.total.backward()
        optimiser.step()
    assert held_out_coverage() < 0.6 * start
