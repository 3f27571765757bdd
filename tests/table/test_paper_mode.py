import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nri.outcome import Classes
from nri.rule import Kind
from nri.table import Binarizer, LeftOut, Reason, table_of
from nri.table.codes import ReadOptions

ROOT = Path(__file__).resolve().parents[2]
UCI = Path(os.environ.get("NRI_DATA", ROOT.parent / "shared" / "data" / "uci"))
VARIABLES = {
    "adult": 105,
    "breast-cancer-wisconsin": 9,
    "car": 21,
    "credit-approval": 46,
    "diabetes": 8,
    "german-credit": 61,
    "hepatitis": 32,
    "ionosphere": 34,
    "kr-vs-kp": 73,
    "mushroom": 116,
    "nursery": 27,
    "spambase": 57,
    "tic-tac-toe": 27,
    "vote": 32,
}


def fit(X: Any, numeric: Collection[str] | None = None) -> Binarizer:
    """Variables as in the paper; if somebody says which columns are numbers, all others are categories."""
    kinds: dict[str, Kind] = {}
    if numeric is not None:
        kinds = {name: Kind.NUMBER if name in numeric else Kind.TEXT for name in X}
    return Binarizer("paper").fit(table_of(X, ReadOptions(kinds=kinds)))


def meanings(binarizer: Binarizer) -> list[str]:
    return [f"{literal.column} {literal.op} {literal.value}" for literal in binarizer.variables_]


@pytest.mark.skipif(not (UCI / "datasets.json").exists(), reason="the UCI tables are not here")
@pytest.mark.parametrize("name", VARIABLES)
def test_the_uci_tables_have_as_many_variables_as_in_the_paper(name: str) -> None:
    numeric = json.loads((UCI / "datasets.json").read_text())[name]["numeric"]
    frame = pd.read_csv(UCI / f"{name}.csv", keep_default_na=False, na_values=[""]).drop(columns="class")
    named = fit(frame, numeric)
    assert len(named.variables_) == VARIABLES[name]
    assert len(fit(frame).variables_) == VARIABLES[name]
    assert named.left_out_ == ()
    assert [named.columns_[group] for group in named.groups_] == [v.column for v in named.variables_]


def test_a_number_is_cut_strictly_above_its_median() -> None:
    table = pd.DataFrame({"n": [1.0, 2.0, 4.0, 8.0, None]})
    assert meanings(fit(table)) == ["n > 3"]
    odd = fit(table.iloc[:3])
    assert meanings(odd) == ["n > 2"]
    values, known = odd.cells(table_of(table).columns)
    assert values[:, 0].tolist() == [False, False, True, True, False]
    assert known[:, 0].tolist() == [True, True, True, True, False]


def test_each_category_has_a_variable_in_sorted_order() -> None:
    binarizer = fit({"c": ["z", "a", None, "m"], "two": ["y", "n", "n", "n"]})
    assert meanings(binarizer) == ["c = a", "c = m", "c = z", "two = n", "two = y"]
    assert binarizer.groups_.tolist() == [0, 0, 0, 1, 1]


def test_constant_and_identifier_columns_stay_but_an_empty_one_cannot() -> None:
    table = pd.DataFrame({"id": range(30), "same": ["a"] * 30, "one": [1.5] * 30, "none": [None] * 30})
    binarizer = fit(table)
    assert meanings(binarizer) == ["id > 14.5", "same = a", "one > 1.5"]
    assert binarizer.left_out_ == (LeftOut("none", Reason.MISSING),)


def test_named_number_columns_are_cut_and_all_others_are_categories() -> None:
    table = pd.DataFrame({"flag": [0, 1, 1, 1], "code": [10, 20, 20, 30], "bool": [True, False, True, True]})
    by_data = fit(table)
    assert meanings(by_data) == ["flag = True", "code > 20", "bool = True"]
    read = table_of(table, ReadOptions(kinds={"flag": Kind.NUMBER, "code": Kind.TEXT}))
    assert meanings(Binarizer("paper").fit(read)) == [
        "flag > 1", "code = 10", "code = 20", "code = 30", "bool = True"
    ]  # fmt: skip
    kinds = {name: plan.kind for name, plan in read.plans.items()}
    assert kinds == {"flag": Kind.NUMBER, "code": Kind.TEXT, "bool": Kind.BOOLEAN}


def test_labels_are_never_looked_at() -> None:
    table = table_of({"n": np.arange(10.0)})
    labels = Classes("y", (0, 1), (np.arange(10) > 7).astype(np.int64))
    assert Binarizer("paper").fit(table.with_outcome(labels)).variables_ == fit(table).variables_


def test_a_date_is_cut_at_a_date_of_the_table() -> None:
    table = pd.DataFrame({"d": pd.to_datetime(["2024-01-01", "2024-03-01", "2024-05-01", "2024-06-01"])})
    binarizer = fit(table)
    assert meanings(binarizer) == ["d > 2024-03-01 00:00:00"]
