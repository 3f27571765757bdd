"""Rules for tables of any size: found in samples, settled on all rows."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from effort import usually
from large_tables import induced, planted, with_gaps, written

from nri.induce.assemble import least_precision
from nri.induce.induce import induce_rule
from nri.induce.settings import Knowledge, Settings
from nri.rows.base import Rows, Window
from nri.rows.files import goes_by_engine, open_files
from nri.rows.memory import MemoryRows
from nri.rows.open import rows_in_engine
from nri.rule import Literal, Op, Rule, literal_truth
from nri.table import Table, label_table, table_of


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return planted()


def right_share(rules: Rule, frame: pd.DataFrame) -> float:
    return float((rules.predict(frame) == frame.bought.to_numpy()).mean())


def counts_on(rule: Rule, frame: pd.DataFrame) -> list[list[float]]:
    """What each branch, and at last the ELSE, decides, counted row by row in memory."""
    codes = np.array([rule.classes.index(label) for label in frame.bought])
    deciding = rule.decide(frame)
    n_classes = len(rule.classes)
    return [
        np.bincount(codes[deciding == i], minlength=n_classes).tolist() for i in range(len(rule.estimates))
    ]


def counted_in(rule: Rule) -> list[list[float]]:
    return [list(estimate.counts) for estimate in rule.estimates]


def test_planted_rule_is_found_with_sharp_cuts(rows: pd.DataFrame, tmp_path: Path) -> None:
    found = induced(written(rows, tmp_path / "rows.parquet"))
    cuts = {x.column: x.value for clause in found.rule.clauses for x in clause}
    assert set(cuts) == {"size", "colour", "weight", "seen"}
    assert abs(cuts["size"] - 61.3) < 0.3
    assert abs(cuts["weight"] - 41.7) < 0.6
    assert abs(cuts["seen"] - pd.Timestamp("2021-03-01")) < pd.Timedelta(days=3)
    assert right_share(found.rule, rows) > 0.945
    assert found.rule.support.rows == len(rows)
    assert 500 < found.searched < 2000


@pytest.mark.parametrize("gaps", [False, True])
def test_counts_are_those_of_every_row(rows: pd.DataFrame, tmp_path: Path, gaps: bool) -> None:
    frame = with_gaps(rows) if gaps else rows
    rule = induced(written(frame, tmp_path / "rows.parquet")).rule
    assert counted_in(rule) == counts_on(rule, frame)
    assert not rule.labels.weighted


@pytest.mark.parametrize("gaps", [False, True])
def test_a_rule_of_many_literals_is_sought_with_fewer(
    rows: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gaps: bool
) -> None:
    """Five classes and 40 literals made millions of patterns of ten million rows, and took 7.6 GB."""
    monkeypatch.setattr("nri.induce.settle._MOST_PATTERNS", 1)
    monkeypatch.setattr("nri.induce.settle._PATTERNS", 6)
    frame = with_gaps(rows) if gaps else rows
    rule = induced(written(frame, tmp_path / "rows.parquet")).rule
    assert counted_in(rule) == counts_on(rule, frame)


def test_order_of_rows_and_threads_do_not_matter(rows: pd.DataFrame, tmp_path: Path) -> None:
    shuffled = rows.sample(frac=1.0, random_state=5, ignore_index=True)
    one = induced(written(rows, tmp_path / "one.parquet"), threads=1)
    other = induced(written(shuffled, tmp_path / "other.parquet"), threads=2)
    assert one.rule == other.rule
    assert str(one.rule) == str(other.rule)


def test_text_files_give_the_rule_of_typed_ones(rows: pd.DataFrame, tmp_path: Path) -> None:
    typed = induced(written(rows, tmp_path / "rows.parquet"))
    texts = induced(written(rows, tmp_path / "rows.csv.gz"))
    assert str(texts.rule) == str(typed.rule)


def test_several_files_are_one_table(rows: pd.DataFrame, tmp_path: Path) -> None:
    whole = induced(written(rows, tmp_path / "whole.parquet"))
    for part in range(3):
        rows.iloc[part::3].to_parquet(tmp_path / f"part-{part}.parquet")
    files = goes_by_engine(str(tmp_path / "part-*.parquet"))
    assert files is not None
    assert induced(files).rule == whole.rule


def test_numbers_with_units_are_read_by_their_plan(rows: pd.DataFrame, tmp_path: Path) -> None:
    formatted = rows.assign(weight=[f"{value} kg" for value in rows.weight])
    found = induced(written(formatted, tmp_path / "rows.parquet"))
    assert found.rule.plans["weight"].unit == ("", "kg")
    assert counted_in(found.rule) == counts_on(found.rule, formatted)


def test_spellings_that_no_sample_holds_are_counted(rows: pd.DataFrame, tmp_path: Path) -> None:
    """A category was known by the spellings of the sample alone: rows that shout were taken for others."""
    loud = rows.colour.where(np.arange(len(rows)) % 3000 != 0, rows.colour.str.upper())
    frame = rows.assign(colour=loud)
    found = induced(written(frame, tmp_path / "rows.parquet"))
    assert "RED" in found.rule.plans["colour"].spelled("red")
    assert counted_in(found.rule) == counts_on(found.rule, frame)


def test_a_rare_class_gets_its_rows_in_the_sample(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.uniform(0, 1, 40_000), "b": rng.uniform(0, 1, 40_000)})
    frame["bought"] = np.where((frame.a > 0.96) & (frame.b > 0.95), "yes", "no")
    found = induced(written(frame, tmp_path / "rows.parquet"), sample=800)
    assert right_share(found.rule, frame) > 0.9995
    assert set(found.rule.columns) == {"a", "b"}


def test_few_different_rows_are_taken_whole(tmp_path: Path) -> None:
    """Rows of few categories share their hashes: a sample by hash held none or all of them."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 2, (20_000, 5)), columns=list("abcde"))
    frame["f"] = rng.choice(["x", "y", "z"], 20_000)
    frame["bought"] = np.where((frame.a == 1) & (frame.f == "x"), "yes", "no")
    found = induced(written(frame, tmp_path / "rows.parquet"), sample=500)
    assert right_share(found.rule, frame) == 1.0
    assert found.searched is None, "all rows were searched"


@pytest.mark.parametrize("classes", [2, 3])
def test_no_worse_on_all_rows_than_the_rule_of_a_sample(tmp_path: Path, classes: int) -> None:
    rng = np.random.default_rng(classes)
    frame = pd.DataFrame(rng.normal(size=(3000, 4)), columns=list("abcd")).round(2)
    score = frame.a + frame.b * frame.c - 0.5 * frame.d + rng.logistic(scale=0.5, size=3000)
    frame["bought"] = pd.qcut(score, classes, labels=False).map(lambda k: f"k{k}")
    settings = Settings(model="greedy", max_clauses=usually(3, 8))
    found = induced(written(frame, tmp_path / "rows.parquet"), sample=300, settings=settings)
    table = MemoryRows(label_table(table_of(frame), "bought")).sample(300)
    alone = induce_rule(table, settings).rule
    assert right_share(found.rule, frame) >= right_share(alone, frame) - 0.001


def test_a_small_table_gives_the_rule_of_memory(tmp_path: Path) -> None:
    frame = planted(1200)
    found = induced(written(frame, tmp_path / "rows.parquet"), sample=5000)
    table = label_table(table_of(frame), "bought")
    assert str(found.rule) == str(induce_rule(table, Settings(model="greedy")).rule)


def test_settings_hold_on_all_rows(rows: pd.DataFrame, tmp_path: Path) -> None:
    wanted = Settings(
        model="greedy",
        never=["seen"],
        min_precision=0.8,
        max_clauses=2,
        knowledge=Knowledge(cuts={"size": [50, 65]}),
    )
    found = induced(written(rows, tmp_path / "rows.parquet"), settings=wanted)
    assert "seen" not in found.rule.columns
    assert len(found.rule.branches) <= 2
    assert least_precision(found.rule, label_table(table_of(rows), "bought")) >= 0.8
    assert {x.value for clause in found.rule.clauses for x in clause if x.column == "size"} <= {50, 65}


def test_infinite_and_absent_numbers_are_unknown(rows: pd.DataFrame, tmp_path: Path) -> None:
    odd = (
        rows["size"].mask(np.arange(len(rows)) % 50 == 0, np.inf).mask(np.arange(len(rows)) % 51 == 0, np.nan)
    )
    frame = rows.assign(size=odd)
    found = induced(written(frame, tmp_path / "rows.parquet"))
    assert counted_in(found.rule) == counts_on(found.rule, frame)


def test_a_category_that_is_left_over_is_counted_as_itself(tmp_path: Path) -> None:
    """Neither red nor blue became ``colour = green``, of which the histogram said nothing: a KeyError."""
    engine = open_files(written(planted(3000), tmp_path / "rows.parquet"))
    found = rows_in_engine(engine, "bought", size=500)
    red, blue, green = (Literal("colour", Op.EQ, text) for text in ("red", "blue", "green"))
    counted = found.count({red, blue})
    assert _shares(counted.table, green) == _shares(found.count({green}).table, green)
    found.close()


@pytest.mark.parametrize("in_memory", [True, False])
def test_rows_in_a_window_are_told_apart_and_those_outside_stay_where_they_are(in_memory, tmp_path) -> None:
    frame = planted(3000)
    held = label_table(table_of(frame), "bought")
    found: Rows = MemoryRows(held)
    if not in_memory:
        found = rows_in_engine(open_files(written(frame, tmp_path / "rows.parquet")), "bought", size=500)
    literals = [Literal("size", Op.GT, 60.0), Literal("size", Op.GT, 20.0), Literal("colour", Op.EQ, "red")]
    window = Window("size", 60.0, 0.5, 8)
    fine = found.fine(found.count(literals), window)
    cuts = [Literal("size", Op.GT, 60.0 + 0.5 * place) for place in range(-8, 9)]
    for literal in (*literals, *cuts):
        assert _shares(fine, literal) == _shares(held, literal)
    coarse = len(found.count(literals).table)
    assert len(fine) > coarse


def _shares(table: Table, literal: Literal) -> list[float]:
    """Return how many rows of each class a literal holds on."""
    holds = literal_truth(literal, table.columns)[0]
    return np.bincount(table.codes, table.weights * holds, 2).round(6).tolist()
