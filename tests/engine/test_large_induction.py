"""Rules for tables of any size: found in samples, settled on all rows."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from large_tables import induced, planted, with_gaps, written
from nri.engine import path
from nri.engine.cross import confusion
from nri.engine.files import open_files
from nri.engine.histogram import Histogram, histogram, narrowed
from nri.engine.large import profiled

from nri.induce.induce import induce_rule
from nri.induce.settings import Settings
from nri.rule import Literal, Op, Rule
from nri.table import label_table, table_of


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return planted()


def right_share(rules: Rule, frame: pd.DataFrame) -> float:
    return float((rules.predict(frame) == frame.bought.to_numpy()).mean())


def counts_on(rules: Rule, frame: pd.DataFrame) -> list[list[float]]:
    """What each clause covers, counted row by row in memory."""
    from nri.rule import clause_matrix

    columns = rules.read(frame)
    codes = np.array([list(rules.classes).index(label) for label in frame.bought])
    fires = clause_matrix([d.clause for d in rules.decisions], columns, len(frame))
    return [np.bincount(codes[fired], minlength=len(rules.classes)).tolist() for fired in fires.T]


def test_planted_rule_is_found_with_sharp_cuts(rows: pd.DataFrame, tmp_path: Path) -> None:
    found = induced(written(rows, tmp_path / "rows.parquet"))
    cuts = {x.column: x.value for rule in found.rule.rules for clause in rule.rule for x in clause}
    assert set(cuts) == {"size", "colour", "weight", "seen"}
    assert abs(cuts["size"] - 61.3) < 0.3
    assert abs(cuts["weight"] - 41.7) < 0.6
    assert abs(cuts["seen"] - pd.Timestamp("2021-03-01")) < pd.Timedelta(days=3)
    assert found.right_share > 0.945
    assert found.rule.support.rows == len(rows)
    assert f"all {len(rows)} rows" in found.note


@pytest.mark.parametrize("gaps", [False, True])
def test_counts_are_those_of_every_row(rows: pd.DataFrame, tmp_path: Path, gaps: bool) -> None:
    frame = with_gaps(rows) if gaps else rows
    found = induced(written(frame, tmp_path / "rows.parquet"))
    assert [list(d.evidence.counts) for d in found.rule.decisions] == counts_on(found.rule, frame)
    assert not found.rule.weighted
    said = pd.crosstab(found.rule.predict(frame), frame.bought.to_numpy()).to_numpy()
    assert confusion(found.profile, found.profile.rows, found.rule).tolist() == said.tolist()


@pytest.mark.parametrize("gaps", [False, True])
def test_a_rule_of_many_literals_is_counted_by_its_clauses(
    rows: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gaps: bool
) -> None:
    """Five classes and 40 literals made millions of patterns of ten million rows, and took 7.6 GB."""
    monkeypatch.setattr(path, "_MOST_PATTERNS", 1)
    monkeypatch.setattr(path, "_FEW_ROWS", 1)
    frame = with_gaps(rows) if gaps else rows
    found = induced(written(frame, tmp_path / "rows.parquet"))
    assert found.rounds == 0
    assert [list(d.evidence.counts) for d in found.rule.decisions] == counts_on(found.rule, frame)
    assert found.right_share == pytest.approx(right_share(found.rule, frame))
    assert found.table.weights.sum() == len(frame)


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
    from nri.engine.files import goes_by_engine

    whole = induced(written(rows, tmp_path / "whole.parquet"))
    for part in range(3):
        rows.iloc[part::3].to_parquet(tmp_path / f"part-{part}.parquet")
    files = goes_by_engine(str(tmp_path / "part-*.parquet"))
    assert files is not None
    assert induced(files).rule == whole.rule


def test_numbers_in_dress_are_read_by_their_plan(rows: pd.DataFrame, tmp_path: Path) -> None:
    dressed = rows.assign(weight=[f"{value} kg" for value in rows.weight])
    found = induced(written(dressed, tmp_path / "rows.parquet"))
    assert found.rule.plans["weight"].unit == ("", "kg")
    assert [list(d.evidence.counts) for d in found.rule.decisions] == counts_on(found.rule, dressed)


def test_spellings_that_no_sample_holds_are_counted(rows: pd.DataFrame, tmp_path: Path) -> None:
    """A category was known by the spellings of the sample alone: rows that shout were taken for others."""
    loud = rows.colour.where(np.arange(len(rows)) % 3000 != 0, rows.colour.str.upper())
    frame = rows.assign(colour=loud)
    found = induced(written(frame, tmp_path / "rows.parquet"))
    assert "RED" in found.rule.plans["colour"].spelled("red")
    assert [list(d.evidence.counts) for d in found.rule.decisions] == counts_on(found.rule, frame)


def test_a_rare_class_gets_its_rows_in_the_sample(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.uniform(0, 1, 40_000), "b": rng.uniform(0, 1, 40_000)})
    frame["bought"] = np.where((frame.a > 0.96) & (frame.b > 0.95), "yes", "no")
    found = induced(written(frame, tmp_path / "rows.parquet"), sample=800)
    assert found.right_share > 0.9995
    assert {x.column for rule in found.rule.rules for clause in rule.rule for x in clause} == {"a", "b"}


def test_few_different_rows_are_taken_whole(tmp_path: Path) -> None:
    """Rows of few categories share their hashes: a sample by hash held none or all of them."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 2, (20_000, 5)), columns=list("abcde"))
    frame["f"] = rng.choice(["x", "y", "z"], 20_000)
    frame["bought"] = np.where((frame.a == 1) & (frame.f == "x"), "yes", "no")
    found = induced(written(frame, tmp_path / "rows.parquet"), sample=500)
    assert found.right_share == 1.0
    assert found.profile.sample.counts.sum() == 20_000


@pytest.mark.parametrize("classes", [2, 3])
def test_no_worse_on_all_rows_than_the_rule_of_a_sample(tmp_path: Path, classes: int) -> None:
    rng = np.random.default_rng(classes)
    frame = pd.DataFrame(rng.normal(size=(3000, 4)), columns=list("abcd")).round(2)
    score = frame.a + frame.b * frame.c - 0.5 * frame.d + rng.logistic(scale=0.5, size=3000)
    frame["bought"] = pd.qcut(score, classes, labels=False).map(lambda k: f"k{k}")
    found = induced(written(frame, tmp_path / "rows.parquet"), sample=300)
    table = found.profile.table(found.profile.sample)
    alone = induce_rule(table, Settings(model="greedy")).rule
    assert right_share(found.rule, frame) >= right_share(alone, frame) - 0.001
    assert right_share(found.rule, frame) == pytest.approx(found.right_share)


def test_a_small_table_gives_the_rule_of_memory(tmp_path: Path) -> None:
    frame = planted(1200)
    found = induced(written(frame, tmp_path / "rows.parquet"), sample=5000)
    table = label_table(table_of(frame), "bought")
    assert str(found.rule) == str(induce_rule(table, Settings(model="greedy")).rule)


def test_wishes_hold_on_all_rows(rows: pd.DataFrame, tmp_path: Path) -> None:
    from nri.induce.knowledge import Knowledge

    wishes = Settings(
        model="greedy",
        never=["seen"],
        min_precision=0.8,
        max_clauses=2,
        knowledge=Knowledge(cuts={"size": [50, 65]}),
    )
    found = induced(written(rows, tmp_path / "rows.parquet"), settings=wishes)
    assert "seen" not in found.rule.columns
    assert len(found.rule.decisions) <= 2
    assert all(d.evidence.share(found.rule.index_of(d.label)) >= 0.8 for d in found.rule.decisions)
    assert {x.value for d in found.rule.decisions for x in d.clause if x.column == "size"} <= {50, 65}


def test_infinite_and_absent_numbers_are_unknown(rows: pd.DataFrame, tmp_path: Path) -> None:
    odd = (
        rows["size"].mask(np.arange(len(rows)) % 50 == 0, np.inf).mask(np.arange(len(rows)) % 51 == 0, np.nan)
    )
    frame = rows.assign(size=odd)
    found = induced(written(frame, tmp_path / "rows.parquet"))
    assert [list(d.evidence.counts) for d in found.rule.decisions] == counts_on(found.rule, frame)


def test_a_category_that_is_left_over_is_counted_as_itself(tmp_path: Path) -> None:
    """Neither red nor blue became ``colour = green``, of which the histogram said nothing: a KeyError."""
    opened = open_files(written(planted(3000), tmp_path / "rows.parquet"))
    found = profiled(opened.rows, "bought", sample=500)
    red, blue, green = (Literal("colour", Op.EQ, text) for text in ("red", "blue", "green"))
    large = Literal("size", Op.GT, 60.0)
    wide = histogram(found, {red, blue, large})
    for literals in ({green, large}, {red}, {red, green}, {Literal("size", Op.GT, 55.0)}):
        both = [narrowed(found, wide, literals), histogram(found, literals)]
        narrow, asked = (dict(_groups(one)) for one in both)
        assert narrow == asked
    opened.rows.close()


def _groups(found: Histogram) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield the codes and the class of each group, and how many rows it has."""
    keys = zip(*(codes.tolist() for codes in found.codes.values()), found.table.codes.tolist(), strict=True)
    return zip(keys, found.table.weights.tolist(), strict=True)
