"""Estimators and systems on tables as nobody should give them."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
from fuzz_tables import TableCase, arguments_of, cells, frame_of, labels_of, weights_of
from fuzz_tally import DifferentError
from hypothesis import strategies as st
from rule_strategies import NASTY

from nri import (
    NRIClassifier,
    NRIRegressor,
    Settings,
    induce_rule,
    read_table,
)
from nri.rule import from_json
from nri.table import with_survival
from nri_dynamics import learn_dynamics
from nri_dynamics.formats import FORMATS as SYSTEM_FORMATS


def fit(case: TableCase) -> None:
    """Fit, predict, explain, show, write and read again; what is read predicts the same."""
    rng = np.random.default_rng(case.seed)
    X, names = frame_of(case, rng)
    y, weights = labels_of(case, X, rng), weights_of(case, rng)
    asked = arguments_of(case, names, rng)
    estimator = NRIRegressor(**asked) if case.model == "number" else NRIClassifier(**asked)
    others = {"unlabelled": X} if "unlabelled" in case.arguments and case.model != "number" else {}
    estimator.fit(X, y, sample_weight=weights, **others)
    said = estimator.predict(X)
    estimator.explain(X)
    text = estimator.rule_.render("json")
    again = from_json(text)
    named = X if estimator.rule_.columns and estimator.rule_.columns[0] != "x0" else estimator._named(X)
    if case.model == "number":
        same = np.allclose(again.predict(named), said, rtol=0, atol=0, equal_nan=True)
    else:
        same = list(again.predict_index(named)) == list(estimator.rule_.predict_index(named))
        chances = estimator.predict_proba(X)
        same = same and bool(np.allclose(chances.sum(axis=1), 1))
    if not same or again.render("json") != text:
        raise DifferentError("a rule that was read again predicts something else")
    str(estimator.rule_)
    if getattr(estimator, "_posterior", None) is None:
        return
    if case.model == "number":
        if not np.isfinite(estimator.posterior_mean(X)).all():
            raise DifferentError("the posterior expects what is no number")
    else:
        chances = estimator.posterior_proba(X)
        if not (np.isfinite(chances).all() and np.allclose(chances.sum(axis=1), 1)):
            raise DifferentError("chances of the posterior do not sum to one")


def survive(case: TableCase) -> None:
    """Follow rows until an event, and write and read the rule again."""
    rng = np.random.default_rng(case.seed)
    pick = lambda values: values[int(rng.integers(len(values)))]  # noqa: E731
    names = [f"c{i}" for i in range(len(case.columns))]
    columns = {name: cells(kind, case.rows, rng) for name, kind in zip(names, case.columns, strict=True)}
    columns["days"] = np.abs(cells(pick(["normal", "whole", "few"]), case.rows, rng))
    if rng.random() < 0.2:
        columns["days"] = cells(pick(["hard", "date", "word", "missing"]), case.rows, rng)
    kind, event = pick([("flag", "dead"), ("flag", "dead"), ("few", "dead = 1"), ("word", "dead = red")])
    columns["dead"] = cells(kind, case.rows, rng)
    table = read_table(pd.DataFrame({name: pd.Series(values) for name, values in columns.items()}))
    if rng.random() < 0.1:
        event = pick(["dead", "dead = 1", "dead = red", "nobody", "days", ""])
    rows = with_survival(table, "days", event, pick([*[None] * 7, "c0", "c0", "days"]))
    asked = arguments_of(replace(case, model="number"), names, rng)
    known = {name: value for name, value in asked.items() if name in SETTINGS and value is not None}
    rule = induce_rule(rows, Settings(**known)).rule
    again = from_json(rule.render("json"))
    if again.render("json") != rule.render("json") or str(again) != str(rule):
        raise DifferentError("a rule that was read again says something else")
    if not np.array_equal(again.predict(columns), rule.predict(columns), equal_nan=True):
        raise DifferentError("a rule that was read again predicts something else")


SETTINGS = {field.name for field in fields(Settings)}
systems = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32 - 1),
        "variables": st.integers(1, 4),
        "rows": st.integers(1, 20),
        "values": st.sampled_from([2, 2, 2, 3, 30]),
        "form": st.sampled_from(["pairs", "pairs", "series", "series by", "two tables"]),
        "noise": st.booleans(),
        "asynchronous": st.booleans(),
        "model": st.sampled_from(["fewest", "fewest", "greedy"]),
        "bad": st.sampled_from([None] * 6 + ["time", "without", "next_suffix", "model", "table"]),
    }
)


def move(case: dict[str, Any]) -> None:
    """Learn a system, step it, look for its attractors and write it in every form."""
    rng = np.random.default_rng(case["seed"])
    n = case["variables"]
    names = [f"x{i}" if rng.random() < 0.7 else NASTY[rng.integers(len(NASTY))] + str(i) for i in range(n)]
    now = rng.integers(0, case["values"], (case["rows"], n)).astype(object)
    then = np.roll(now, 1, axis=1)
    if case["noise"]:
        hit = rng.random(then.shape) < 0.2
        then[hit] = None if rng.random() < 0.3 else 0
    options: dict[str, Any] = {"asynchronous": case["asynchronous"], "model": case["model"]}
    following = None
    table = pd.DataFrame(now, columns=names)
    if case["form"] == "pairs":
        table = table.join(pd.DataFrame(then, columns=[f"{name}'" for name in names]))
    elif case["form"] == "two tables":
        following = pd.DataFrame(then, columns=names)
    else:
        table["t"] = range(case["rows"])
        options["time"] = "t"
        if case["form"] == "series by":
            table["who"] = np.arange(case["rows"]) % 2
            options |= {"series": "who", "skip_gaps": True}
    if case["bad"] == "table":
        table = [None, 5, "x", [], pd.DataFrame()][rng.integers(5)]
    elif case["bad"]:
        options[case["bad"]] = [None, 5, "nobody", [], object()][rng.integers(5)]
    system = learn_dynamics(table, following, **options)
    for form in SYSTEM_FORMATS:
        system.render(form)
