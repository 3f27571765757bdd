"""What must not matter: order of rows, order, coding and names of columns, weights instead of repetitions."""

import random
from functools import cache

import numpy as np
import pandas as pd
import pytest
from effort import usually
from example_tables import crossed_table, random_table
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import NRIClassifier
from nri.rule import Clause, Dnf, Literal, Rule

SEEDS = tuple(random.SystemRandom().sample(range(2**32), 6))
"""Other tables in every run, but the same in every test: each is fitted once, only its variants anew."""
seeds = st.sampled_from(SEEDS)
few = settings(max_examples=usually(3, 8), deadline=None)


def induced(table: pd.DataFrame, labels: np.ndarray, **options) -> Rule:
    return NRIClassifier(**options).fit(table, labels).rule_


@cache
def tabled(seed: int) -> tuple[pd.DataFrame, np.ndarray, Rule]:
    """A random table, its labels and its rule."""
    table, labels = random_table(seed)
    return table, labels, induced(table, labels)


def changed_with(rule: Rule, change) -> dict[object, Dnf]:
    """The rules with every literal changed."""
    return {
        label: Dnf(Clause(map(change, clause), clause.at_least) for clause in rule.conditions(label))
        for label in rule.described
    }


def rules_of(rule: Rule) -> dict[object, Dnf]:
    return changed_with(rule, lambda literal: literal)


@few
@given(seeds)
def test_the_order_of_rows_is_irrelevant(seed):
    table, labels, rules = tabled(seed)
    order = np.random.default_rng(seed).permutation(len(table))
    assert induced(table.iloc[order], labels[order]) == rules


@few
@given(seeds)
def test_permuting_columns_changes_nothing_but_their_order(seed):
    table, labels, rules = tabled(seed)
    names = np.random.default_rng(seed).permutation(table.columns)
    assert induced(table[list(names)], labels) == rules


@few
@given(seeds, st.sampled_from(["fever", "cough", "smoker"]))
def test_flipping_the_coding_of_a_column_flips_its_literals_only(seed, name):
    table, labels, rules = tabled(seed)
    flipped = table.assign(
        **{name: ~table[name] if table[name].dtype == bool else 1 - table[name].astype("Int64")}
    )

    def flip(literal: Literal) -> Literal:
        return literal.negate() if literal.column == name else literal

    assert rules_of(induced(flipped, labels)) == changed_with(rules, flip)


@few
@given(seeds)
def test_cuts_that_move_do_not_depend_on_order_or_names(seed):
    table, labels = crossed_table(seed, n_rows=100)
    rules = induced(table, labels)
    rng = np.random.default_rng(seed)
    rows, names = rng.permutation(len(table)), rng.permutation(table.columns)
    assert induced(table[list(names)].iloc[rows], labels[rows]) == rules
    renames = dict(zip(table.columns, names, strict=True))

    def rename(literal: Literal) -> Literal:
        return Literal(renames[literal.column], literal.op, literal.value)

    renamed = induced(table.rename(columns=renames), labels)
    assert rules_of(renamed) == changed_with(rules, rename)


@few
@given(seeds)
def test_renaming_columns_renames_them_in_the_rule_only(seed):
    table, labels, rules = tabled(seed)
    names = dict(zip(table.columns, np.random.default_rng(seed).permutation(table.columns), strict=True))

    def rename(literal: Literal) -> Literal:
        return Literal(names[literal.column], literal.op, literal.value)

    renamed = induced(table.rename(columns=names), labels)
    assert rules_of(renamed) == changed_with(rules, rename)


@few
@given(seeds)
def test_a_row_of_weight_two_counts_as_two_rows(seed):
    table, labels = random_table(seed, n_rows=40)
    weights = np.random.default_rng(seed).integers(0, 3, len(table))
    repeated = np.repeat(np.arange(len(table)), weights)
    weighted = NRIClassifier().fit(table, labels, sample_weight=weights).rule_
    assert rules_of(weighted) == rules_of(induced(table.iloc[repeated], labels[repeated]))
    assert weighted.support.rows == weights.sum()


@pytest.mark.parametrize("flipped", [[], ["a"], ["a", "b"]])
def test_ties_between_columns_are_broken_alike_whatever_their_order(flipped):
    """Of columns that serve equally well the first used to be taken: the rule changed with the order."""
    rng = np.random.default_rng(3)
    labels = np.arange(40) % 2
    a, b = labels.copy(), labels.copy()
    a[[1, 2]] ^= 1  # as wrong as b, on other rows
    b[[3, 4]] ^= 1
    table = pd.DataFrame({"a": a, "b": b, "c": rng.integers(0, 2, 40), "d": rng.integers(0, 2, 40)})
    for name in flipped:
        table[name] = 1 - table[name]
    orders = (["a", "b", "c", "d"], ["b", "d", "c", "a"], ["d", "c", "b", "a"])
    found = {induced(table[order], labels, max_clauses=1, max_literals=1).columns for order in orders}
    assert len(found) == 1


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("copied", ["amount", "word"])
def test_a_copy_of_a_column_changes_no_list_of_the_greedy_model(seed, copied):
    """Copies of literals crowded out others and made all dearer: lists of three classes lost up to 0.4."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "amount": rng.normal(size=40).round(2),
            "count": rng.integers(0, 30, 40),
            "word": rng.choice(["red", "blue", "green"], 40),
        }
    )
    score = table["amount"] + (table["count"] > 12) + (table["word"] == "red") + rng.normal(size=40) / 3
    labels = np.array(["no", "perhaps", "yes"])[np.searchsorted([0.3, 1.2], score)]
    rule = induced(table, labels, model="greedy")
    assert induced(table.assign(again=table[copied]), labels, model="greedy") == rule
