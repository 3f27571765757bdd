"""What a column means is decided once: by ``nri induce``, and kept with the rule."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from nri.table import source

KILOS = "weight;who;class\n" + "".join(
    f"2,{i:02d} kg;{'ab'[i % 2]};{'heavy' if i >= 50 else 'light'}\n" for i in range(100)
)


@pytest.fixture
def kilo_rule(nri, tmp_path: Path) -> Path:
    """A rule from weights with decimal commas, about more than two and a half kilos."""
    (tmp_path / "kilos.csv").write_text(KILOS)
    rule = tmp_path / "rule.json"
    done = nri("induce", tmp_path / "kilos.csv", "--target", "class", "--positive", "heavy", "--out", rule)
    assert done.code == 0, done.err
    assert "weight: read as numbers with the unit kg, with decimal commas" in done.err
    return rule


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_predict_reads_commas_as_induce_did(nri, tmp_path, kilo_rule, delimiter):
    """The new file looks as if commas stood between thousands, and 2,250 kg were more than two tons."""
    new = tmp_path / "new.csv"
    new.write_text(f"weight{delimiter}n\n2,250 kg{delimiter}1\n2,750 kg{delimiter}2\n2,100 kg{delimiter}3\n")
    done = nri("predict", kilo_rule, new, "--only")
    assert done.code == 0, done.err
    said = [line.split(",")[0] for line in done.out.splitlines()]
    assert said == ["predicted_class", "light", "heavy", "light"]


def test_predict_never_refuses_the_file_that_the_rule_was_induced_from(nri, tmp_path):
    """Many dashes and some words beside few numbers made a number column, which predict then refused."""
    cells = [*["-"] * 30, *[str(x) for x in range(20)], *["lost"] * 15]
    labels = ["no"] * 30 + ["yes" if x > 9 else "no" for x in range(20)] + ["no"] * 15
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in zip(cells, labels, strict=True)))
    assert nri("induce", table, "--target", "y", "--out", tmp_path / "rule.json").code == 0
    done = nri("predict", tmp_path / "rule.json", table, "--only")
    assert done.code == 0, done.err
    assert [line.split(",")[0] for line in done.out.splitlines()[1:]] == labels
    assert "accuracy 1.00" in done.err


def test_a_few_odd_cells_of_new_rows_are_told_and_most_of_them_refused(nri, tmp_path, kilo_rule):
    new = tmp_path / "new.csv"
    new.write_text("weight;n\n2,25 kg;1\n2,75 kg;2\npending;3\n")
    done = nri("predict", kilo_rule, new, "--only")
    assert done.code == 0
    assert "weight: 1 of 3 cells are not numbers and are treated as missing, such as 'pending'" in done.err
    new.write_text("weight;n\n2,25 kg;1\nlost;2\npending;3\n")
    done = nri("predict", kilo_rule, new, "--only")
    assert done.code == 2
    assert "column 'weight', row 2: 'lost' is no number; correct it" in done.err


@pytest.mark.parametrize("exact", [False, True])
def test_spellings_are_one_value_unless_they_are_to_be_kept_apart(nri, tmp_path, exact):
    table = tmp_path / "table.csv"
    table.write_text("smoker,ill\n" + "yes,Y\nYES,y\nno,n\nno,N\nyes,y\nno,n\n" * 4)
    done = nri("induce", table, "--target", "ill", *(["--exact-text"] if exact else []))
    assert done.code == 0, done.err
    classes = "4 N, 4 Y, 8 n, 8 y" if exact else "12 n, 12 y"
    assert f"24 rows ({classes})" in done.err
    assert (
        "smoker: texts that differ only in case or blanks are read as one: 'YES' as 'yes'" in done.err
    ) is (not exact)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Counter[Any]]:
    """How often columns were opened, understood and read by a plan."""
    counts: dict[str, Counter[Any]] = {"cells": Counter(), "understand": Counter(), "read_by": Counter()}
    cells, understand, read_by = source.Source.cells, source.understand, source.read_by

    def counted_cells(self, name, **options):
        counts["cells"][name] += 1
        return cells(self, name, **options)

    def counted_understand(*one, **options):
        counts["understand"]["any column"] += 1
        return understand(*one, **options)

    def counted_read_by(one, plan, name):
        counts["read_by"][name] += 1
        return read_by(one, plan, name)

    monkeypatch.setattr(source.Source, "cells", counted_cells)
    monkeypatch.setattr(source, "understand", counted_understand)
    monkeypatch.setattr(source, "read_by", counted_read_by)
    return counts


@pytest.mark.parametrize("more", [[], ["--cv"], ["--positive", "yes"], ["--format", "python"]], ids=str)
def test_induce_looks_at_each_column_once(nri, visits, counts, more):
    """Every fold, every sharper cut and every count used to read all cells of the table anew."""
    done = nri("induce", visits, "--target", "flu", "--quiet", *more)
    assert done.code == 0, done.err
    assert counts["cells"] == dict.fromkeys(["fever", "cough", "chills", "age", "ward", "flu"], 1)
    assert counts["understand"] == {"any column": 6}
    assert not counts["read_by"]


def test_predict_looks_at_the_columns_of_the_rule_once_and_decides_nothing_anew(nri, visits, rule, counts):
    without_target = visits.with_name("new.csv")
    lines = visits.read_text().splitlines()
    without_target.write_text("".join(line.rsplit(",", 1)[0] + "\n" for line in lines))
    done = nri("predict", rule, without_target, "--only", "--quiet")
    assert done.code == 0, done.err
    assert counts["read_by"] == dict.fromkeys(["fever", "cough", "chills", "age"], 1)
    assert counts["cells"] == counts["read_by"]
    assert not counts["understand"]
