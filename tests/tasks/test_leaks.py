"""Columns that give the target away: by what they predict, alone or in a pair, or by their names."""

import numpy as np
import pandas as pd
import pytest

from nri import induce_rule, read_table
from nri.cli.app import main
from nri.tasks.leaks import leak

RNG = np.random.default_rng(5)
N = 300


def rule_of(frame, y, **options):
    return induce_rule(read_table(frame.assign(y=y), "y", **options)).rule


def test_one_column_that_predicts_99_of_100_rows_is_a_leak():
    """One error in 200 rows, and there was no warning."""
    y = RNG.random(N) < 0.5
    code = np.where(np.arange(N) < 3, ~y, y)
    rule = rule_of(pd.DataFrame({"code": np.where(code, "J10", "Z00"), "x": RNG.normal(size=N)}), y)
    assert str(leak(rule)) == "code alone predicts 99 % of the rows"


def test_a_pair_of_columns_can_be_a_leak():
    a, b = RNG.random((2, N)) < 0.6
    rule = rule_of(pd.DataFrame({"a": a, "b": b, "x": RNG.normal(size=N)}), a & b)
    assert str(leak(rule)) == "a and b alone predict every row"


@pytest.mark.parametrize("errors", [15, 60])
def test_a_good_rule_is_no_leak(errors):
    y = RNG.random(N) < 0.5
    rule = rule_of(pd.DataFrame({"a": np.where(np.arange(N) < errors, ~y, y)}), y)
    assert leak(rule) is None


def test_where_a_class_is_rare_being_right_on_nearly_all_rows_means_little():
    y = np.arange(N) < 6
    rule = rule_of(pd.DataFrame({"a": y & (np.arange(N) < 3), "x": RNG.normal(size=N)}), y)
    assert leak(rule) is None


def test_a_column_that_is_known_afterwards_by_its_name_gets_a_question(tmp_path, capsys):
    x = RNG.normal(size=N).round(2)
    y = np.where((x > 0) ^ (RNG.random(N) < 0.1), "yes", "no")
    frame = pd.DataFrame({"discharge_score": x, "totally": RNG.normal(size=N)})
    file = tmp_path / "t.csv"
    frame.assign(y=y).to_csv(file, index=False)
    with pytest.raises(SystemExit):
        main(["induce", str(file), "--target", "y"])
    assert "is 'discharge_score' known when the rule is to be applied?" in capsys.readouterr().err
