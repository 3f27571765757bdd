"""What a branch leads one to expect of new rows."""

import numpy as np
from made_tables import labelled_table
from sklearn.datasets import load_breast_cancer

from nri import read_table
from nri.induce.induce import induce_rule
from nri.induce.settings import Settings


def test_the_share_to_expect_is_that_of_the_branch_though_cuts_and_order_have_changed():
    """A branch that was right on 36 of 36 rows said 0.71, and one with 10 of 12 said 0.88: it was its own."""
    data = load_breast_cancer(as_frame=True)
    rows = np.random.default_rng(4).permutation(len(data.data))[:120]
    frame, benign = data.data.iloc[rows, :10], data.target.iloc[rows].to_numpy()
    table = labelled_table(frame.reset_index(drop=True), 1 - benign, ("benign", "malignant"), "tumour")
    rule = induce_rule(table, Settings()).rule
    estimates = [one for one in rule.estimates if one.rows >= 10]
    shares = [rule.labels.share(one) for one in estimates]
    expected = [rule.labels.probability(one) for one in estimates]
    assert len(estimates) > 2
    assert shares.index(min(shares)) == expected.index(min(expected))
    assert all(new < old for new, old in zip(expected, shares, strict=True))


def test_three_rows_whose_labels_say_nothing_give_no_rule():
    """The rule once read: b > 2, 1 of 1 rows, about 0.50 on new ones."""
    table = read_table({"a": [1, 2, 3], "b": [2, 3, 1], "y": ["no", "yes", "no"]}, "y")
    assert not induce_rule(table).rule.branches


def test_a_rule_without_errors_stays_though_few_rows_are_of_its_class():
    """With 48 rows, four of them of one class, the rule behind all labels was found and then given up."""
    rng = np.random.default_rng(5)
    cells = rng.integers(0, 2, (48, 12)).astype(bool)
    holds = cells[:, [0, 3, 5, 9]].any(axis=1)
    assert 2 <= (~holds).sum() <= 5
    table = read_table({**{f"x{i}": cells[:, i] for i in range(12)}, "y": np.where(holds, "yes", "no")}, "y")
    rule = induce_rule(table).rule
    assert set(rule.columns) == {"x0", "x3", "x5", "x9"}
