"""Ablation and slots: what is trained, what is left out, and that installed models stand beside it."""

import json

import pytest

import nri
from nri_bench.experiments import EXPERIMENTS, Options, ablation, slots
from nri_bench.experiments.training import (
    QUICK,
    STAGES,
    VARIANTS,
    ShortTraining,
    Trained,
    short_config,
    training,
)
from nri_bench.methods import METHODS

TINY = ShortTraining(width=8, batch=8, updates=4, rules=1)


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """Names of what each variant logs at the end of its training."""
    found = {}
    for variant in VARIANTS:
        folder = tmp_path_factory.mktemp(variant)
        nri.train_network(short_config(TINY, variant, 0), folder)
        rows = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
        found[variant] = {name for row in rows for name in row}
    return found


@pytest.mark.parametrize(
    ("variant", "gone"),
    [
        ("full", set()),
        ("no-necessity", {"necessity", "spuriousness", "overlap", "responsibility"}),
        ("no-max-margin", {"margin"}),
        ("no-slot-balance", {"switch", "usage", "activation"}),
        ("no-length", {"length"}),
    ],
)
def test_a_variant_leaves_out_its_loss_and_no_other(logged, variant, gone):
    assert logged["full"] - logged[variant] == gone


def test_a_training_is_scored_after_each_stage_and_its_weights_are_a_model_like_any_other(tmp_path):
    trained = Trained(nri.train_network(short_config(TINY, "full", 0), tmp_path))
    assert [row["step"] for row in trained.scores] == [1, 2, 3, STAGES]
    unwatched = short_config(TINY, "no-length", 0)["run"]
    assert unwatched["validate_every"] == TINY.updates  # its end is all that is asked for
    X, y = next(slots.tables(1))
    model = nri.NRIClassifier(str(trained.weights())).fit(X, y)
    assert set(model.predict(X)) <= {False, True}


def test_experiments_share_the_trainings_of_a_clean_commit_and_no_others(tmp_path, monkeypatch):
    """Ablation, slots and options once trained the same network three times."""
    monkeypatch.setattr("nri_bench.experiments.training.commit_of", lambda: "abc1234")
    with training(TINY, "full", 0, tmp_path) as first:
        kept = first.checkpoint
        made = kept.stat().st_mtime_ns
    with training(TINY, "full", 0, tmp_path) as again:
        assert again.checkpoint == kept
        assert len(again.scores) == STAGES
    with training(TINY, "full", 1, tmp_path) as other:
        assert other.checkpoint != kept
    assert kept.stat().st_mtime_ns == made
    monkeypatch.setattr("nri_bench.experiments.training.commit_of", lambda: "abc1234+")
    with training(TINY, "full", 0, tmp_path) as changed:
        assert tmp_path not in changed.checkpoint.parents
    assert not changed.checkpoint.exists()


@pytest.mark.parametrize("name", ["ablation", "slots"])
def test_our_models_as_installed_stand_beside_the_trained_variants(name):
    made = EXPERIMENTS[name].jobs(Options(quick=True, download=False))
    variants = {(job.key["method"], job.key["variant"]) for job in made}
    ours = {model for model, method in METHODS.items() if method.family == "ours"} - {"posterior"}
    assert {(model, "shipped") for model in ours} <= variants
    assert ("paper", "full") in variants
    assert all(job.facts["updates"] == QUICK.updates for job in made if job.key["variant"] in VARIANTS)


def test_a_model_without_slots_opens_as_many_gates_as_it_has_clauses():
    found = slots.watch_installed("greedy", seed=0, n_episodes=4)
    assert found["gate_entropy"] < 1e-4
    assert found["usage_variance"] > 0


def test_the_gates_of_the_shipped_network_are_between_open_and_closed():
    X, y = next(slots.tables(1))
    gates = slots.shipped_gates(X, y)
    assert gates.shape == (slots.N_SLOTS,)
    assert ((gates > 0) & (gates < 1)).all()


def test_differences_are_to_the_full_objective():
    base = {"experiment": "ablation", "method": "paper", "status": "ok", "clauses": 3.0, "episodes": 1000}
    rows = [
        {**base, "variant": variant, "seed": 0, "accuracy": accuracy, "literals_per_clause": 2.0}
        for variant, accuracy in (("full", 0.75), ("no-max-margin", 0.72))
    ]
    assert "-3.0" in ablation.table(rows)
    assert "ablation" in ablation.figures(rows)
