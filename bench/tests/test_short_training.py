"""Ablation and slots: what is trained, what is left out, and that installed models stand beside it."""

import numpy as np
import pytest

from nri.induce.models import INDUCERS
from nri.paper.torch.losses import paper_loss
from nri.paper.torch.training import PaperTraining, tensors
from nri.synth.paper import paper_episodes
from nri_bench.experiments import EXPERIMENTS, Options, ablation, slots
from nri_bench.experiments.base import chosen_methods
from nri_bench.short_training import QUICK, VARIANTS, ShortTraining, TorchGates, short_task, stages

TINY = ShortTraining(width=8, batch=8, updates=4)


@pytest.mark.parametrize(
    ("variant", "gone"),
    [
        ("full", set()),
        ("no-necessity", {"necessity", "spuriousness", "overlap", "responsibility"}),
        ("no-max-margin", {"margin"}),
        ("no-slot-balance", {"switch", "usage", "activation"}),
    ],
)
def test_a_variant_leaves_out_its_loss_and_no_other(variant, gone):
    def terms(task: PaperTraining) -> set[str]:
        batch = tensors(paper_episodes(task.config.data, 0, 0, 4))
        return set(paper_loss(task.build()(batch), batch, task.config.loss, progress=1.0).terms)

    assert terms(short_task(TINY, "full", 0)) - terms(short_task(TINY, variant, 0)) == gone


def test_a_training_is_seen_in_stages_that_end_where_the_whole_one_does():
    parts = list(stages(short_task(TINY, "full", 1), 2))
    (whole,) = stages(short_task(TINY, "full", 1), 1)
    assert len(parts) == 2
    X = np.random.default_rng(0).random((20, 5)) < 0.5
    known, labels = np.ones_like(X), X[:, 0]
    seen = [TorchGates(network).gates(X, known, labels).z for network in (*parts, whole)]
    np.testing.assert_allclose(seen[1], seen[2], atol=1e-6)
    assert np.abs(seen[0] - seen[2]).max() > 1e-6


@pytest.mark.parametrize("name", ["ablation", "slots"])
def test_our_models_that_are_installed_stand_beside_the_trained_variants(name):
    made = EXPERIMENTS[name].jobs(Options(quick=True, download=False))
    variants = {(job.key["method"], job.key["variant"]) for job in made}
    assert {(model, "shipped") for model in INDUCERS} <= variants
    assert ("paper", "full") in variants
    assert all(job.facts["updates"] == QUICK.updates for job in made if job.key["variant"] in VARIANTS)


def test_a_model_without_slots_opens_as_many_gates_as_it_has_clauses():
    found = slots.watch_installed("greedy", seed=0, n_episodes=4)
    assert found["gate_entropy"] < 1e-4
    assert found["usage_variance"] > 0


def test_differences_are_to_the_full_objective():
    base = {"experiment": "ablation", "method": "paper", "status": "ok", "clauses": 3.0, "episodes": 1000}
    rows = [
        {**base, "variant": variant, "seed": 0, "accuracy": accuracy, "literals_per_clause": 2.0}
        for variant, accuracy in (("full", 0.75), ("no-max-margin", 0.72))
    ]
    assert "-3.0" in ablation.table(rows)
    assert "ablation" in ablation.figures(rows)


def test_models_that_are_not_installed_are_left_out_unless_asked_for(monkeypatch):
    monkeypatch.setattr("nri_bench.experiments.base.INDUCERS", {"greedy": None})
    assert [m.name for m in chosen_methods(Options(), ("tree", "paper", "greedy"), ())] == ["tree", "greedy"]
    asked = chosen_methods(Options(methods=("paper",)), ("greedy",), ())
    assert [m.name for m in asked] == ["paper"]
