"""Every command on tables that stay where they are: exact on all rows, or told what was taken of them."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from large_tables import planted

from nri.errors import InputError
from nri.rows.files import files_of, some_rows

N = 6000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with what a model said of it, as Parquet and as CSV, and two rules."""
    from nri import Settings, induce_rule, read_table, write_rule

    place = tmp_path_factory.mktemp("tasks")
    rows = planted(N)
    rng = np.random.default_rng(1)
    fails = (rows["visits"] > 30) & (rng.random(N) < 0.6)
    other = np.where(rows["bought"] == "yes", "no", "yes")
    rows["said"] = np.where(fails, other, rows["bought"])
    rows.to_parquet(place / "rows.parquet")
    rows.to_csv(place / "rows.csv", index=False)
    features = rows.drop(columns="said")
    for name, n_rows in (("old", 300), ("new", 3000)):
        table = read_table(features.head(n_rows), "bought")
        write_rule(induce_rule(table, Settings(model="greedy")).rule, place / f"{name}.json")
    return place


def nri(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    from nri.cli.app import main

    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_rows_are_taken_by_their_cells_whatever_their_order(
    folder: Path, tmp_path: Path, ending: str
) -> None:
    rows = pd.read_csv(folder / "rows.csv", dtype=str).sample(frac=1.0, random_state=3)
    if ending == "csv":
        rows.to_csv(tmp_path / "rows.csv", index=False)
    else:
        pd.read_parquet(folder / "rows.parquet").loc[rows.index].to_parquet(tmp_path / "rows.parquet")
    taken = [some_rows(files_of(str(place / f"rows.{ending}")), 1000) for place in (folder, tmp_path)]
    (first, n_rows), (second, _) = taken
    assert n_rows == N
    assert 900 < len(first) < 1100
    assert first.names == second.names
    assert all(first.listed(name) == second.listed(name) for name in first.names)


def test_rows_that_are_alike_are_taken_in_their_shares(tmp_path: Path) -> None:
    """A hash decides about all copies of a row together, so of few different rows none or all were taken."""
    rows = pd.DataFrame({"a": ["x"] * 7000 + ["y"] * 2000 + ["z"] * 1000})
    rows.to_parquet(tmp_path / "rows.parquet")
    taken = Counter(some_rows(files_of(str(tmp_path / "rows.parquet")), 1000)[0].listed("a"))
    assert max(abs(taken[one] - n) for one, n in (("x", 700), ("y", 200), ("z", 100))) <= 1


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_compare_counts_all_rows_of_a_large_file(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    asked = ("compare", folder / "old.json", folder / "new.json", folder / f"rows.{ending}", "--quiet")
    out = {engine: tmp_path / f"{engine}.{ending}" for engine in ("memory", "stream")}
    told = {one: nri(capsys, *asked, "--engine", one, "--out", out[one]) for one in out}
    assert told["stream"] == told["memory"]
    assert told["stream"][0] == 0
    assert f"of {N} rows" in told["stream"][1]
    written = [getattr(pd, f"read_{ending}")(path) for path in out.values()]
    assert len(written[0]) > 0
    pd.testing.assert_frame_equal(written[0], written[1], check_dtype=False)  # pandas 2 has dates in ns or us


def test_compare_as_json_has_counts_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("compare", folder / "old.json", folder / "new.json", folder / "rows.parquet", "--json")
    _, out, _ = nri(capsys, *asked, "--engine", "stream")
    assert json.loads(out)["rows"]["n_rows"] == N


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_explain_reads_a_large_file_as_far_as_the_row(
    folder: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    asked = ("explain", folder / "new.json", folder / f"rows.{ending}", "--row", 5901, "--row", 7)
    told = [nri(capsys, *asked, "--engine", engine) for engine in ("memory", "stream")]
    assert told[0] == told[1]
    assert told[1][1].startswith("row 5901: ")


@pytest.mark.parametrize("number", [N + 1, 0])
def test_a_row_that_is_not_there_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    asked = ("explain", folder / "new.json", folder / "rows.parquet", "--row", number, "--engine", "stream")
    code, _, err = nri(capsys, *asked)
    assert code == 2
    assert f"rows 1 to {N}" in err


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_slices_are_counted_on_all_rows_that_were_not_searched(
    folder: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    asked = ("slices", folder / f"rows.{ending}", "--labels", "bought", "--predictions", "said", "--json")
    code, out, err = nri(capsys, *asked, "--engine", "duckdb", "--sample", 1500)
    assert code == 0
    found = json.loads(out)
    searched = N - found["rows"]
    assert 1400 < searched < 1600
    assert f"searched {searched} of {N} rows" in err
    assert "visits" in {literal["column"] for literal in found["slices"][0]["clause"]["literals"]}
    rows = pd.read_parquet(folder / "rows.parquet")
    errors = int((rows["bought"] != rows["said"]).sum())
    taken, _ = some_rows(files_of(str(folder / f"rows.{ending}")), 1500)
    pairs = zip(taken.listed("bought"), taken.listed("said"), strict=True)
    assert found["errors"] == errors - sum(bought != said for bought, said in pairs)


def test_a_surrogate_is_told_by_all_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("surrogate", folder / "rows.parquet", "--predictions", "said", "--without", "bought")
    short = ("--max-clauses", 2, "--max-literals", 2, "--model", "greedy")
    code, out, err = nri(capsys, *asked, "--engine", "duckdb", "--sample", 400, *short)
    assert code == 0
    assert "fidelity" in out
    assert f"{N} rows" in err
    assert "bought" not in out.replace("THEN said", "")


def test_a_number_is_searched_in_some_rows_and_counted_on_all(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("induce", folder / "rows.parquet", "--target", "size", "--engine", "duckdb", "--sample", 200)
    code, out, err = nri(capsys, *asked)
    assert code == 0
    assert "explains" in out
    assert f"of {N} rows" in err


def test_as_many_rows_are_taken_as_were_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the target is a number, ``--sample 20000`` took 79934 rows: four times as many."""
    asked = ("induce", folder / "rows.parquet", "--target", "size", "--engine", "duckdb")
    told = nri(capsys, *asked, "--sample", 500)[2]
    searched = int(told.split(f" of {N} rows;")[0].split()[-1])
    assert 400 < searched < 600


def test_survival_is_searched_in_some_rows_and_counted_on_all(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("induce", folder / "rows.csv", "--time", "weight", "--event", "bought = yes")
    code, out, err = nri(capsys, *asked, "--engine", "duckdb", "--sample", 300)
    assert code == 0
    assert f"of {N} rows;" in err
    assert "log-rank" in out or "no clause" in out


def test_stability_says_how_many_rows_were_taken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("stability", folder / "rows.csv", "--target", "bought", "--without", "said", "--samples", 2)
    code, out, err = nri(capsys, *asked, "--engine", "duckdb", "--sample", 400, "--model", "greedy")
    assert code == 0
    assert f"of {N} rows were taken" in err
    assert "clause of the rule" in out


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="has no rows"):
        some_rows(files_of(str(tmp_path / "rows.csv")), 100)


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four different rows, 400 times each, of which a column gives the class away."""
    path = tmp_path_factory.mktemp("alike") / "rows.csv"
    path.write_text("a,b,y\n" + "no,no,ill\nno,yes,ill\nyes,no,well\nyes,yes,well\n" * 400)
    return path


def test_copies_of_a_row_are_rows_to_all_that_asks_about_rows(
    alike: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sixteen hundred rows were four: no better than a constant, as the report had it."""
    page = alike.with_name("report.html")
    asked = (alike, "--target", "y", "--engine", "duckdb", "--model", "greedy")
    _, out, err = nri(capsys, "induce", *asked, "--html", page, "--cv")
    assert "cross-validated" in out
    assert "weighted" not in out
    report = page.read_text(encoding="utf-8")
    assert "1600 rows" in report
    assert "No better than" not in report
    assert "were taken" not in err
    _, out, _ = nri(capsys, "stability", *asked, "--samples", 3, "--json", "-q")
    assert json.loads(out)["rows"] == 1600
    _, _, err = nri(capsys, "stability", *asked, "--samples", 3, "--sample", 600)
    assert "600 of 1600 rows were taken" in err


def test_a_column_that_gives_the_target_away_is_questioned_wherever_its_rows_are(
    alike: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for engine in ("memory", "duckdb"):
        _, out, err = nri(capsys, "induce", alike, "--target", "y", "--engine", engine, "--positive", "ill")
        assert "IF  (a = no)" in out
        assert "'a' alone predicts every row: is it the target in other words" in err
