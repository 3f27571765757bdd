"""Predictions where the rows are say what predictions in memory say, on every row."""

import datetime as dt
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st
from large_tables import planted, with_gaps

from nri import NRIClassifier, NRIRegressor, Rule
from nri.errors import InputError
from nri.rows import batches
from nri.rows.files import files_of
from nri.tasks.predictions import stream_predictions


@pytest.fixture(scope="module")
def rules() -> Rule:
    """Rules that read numbers, dates, flags and texts, the texts in several spellings."""
    frame = planted(600)
    frame.loc[:5, "colour"] = frame.colour[:6].str.upper()
    flagged = (frame.member & (frame.weight > 50)) | (frame.bought == "yes")
    return NRIClassifier("greedy").fit(frame.drop(columns="bought"), np.where(flagged, "yes", "no")).rule_


COLUMNS = {
    "size": st.floats(-100, 200) | st.sampled_from([61.3, np.nan, np.inf, -np.inf]),
    "weight": st.floats(0, 100) | st.none(),
    "visits": st.integers(0, 40),
    "colour": st.sampled_from(["red", "RED", " Red ", "green", "blue", "black", None]),
    "seen": st.datetimes(dt.datetime(2021, 1, 1), dt.datetime(2022, 1, 1)) | st.none(),
    "member": st.booleans() | st.none(),
}


TYPES = {"size": "float64", "weight": "float64", "visits": "int64"}
TYPES |= {"colour": "string", "seen": "timestamp(6)", "member": "boolean"}


def frame_of(rows: list[dict[str, object]]) -> pd.DataFrame:
    types = {"size": "float64", "weight": "float64", "seen": "datetime64[us]", "member": "boolean"}
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(types)


@settings(max_examples=usually(5, 15), deadline=None)
@given(rows=st.lists(st.fixed_dictionaries(COLUMNS), min_size=1, max_size=12))
def test_a_database_says_what_memory_says(rules: Rule, rows: list[dict[str, object]]) -> None:
    ibis = pytest.importorskip("ibis", reason="ibis-framework is in the extra scale")
    frame = frame_of(rows)
    held = ibis.table(TYPES | {"row": "int64"}, name="held")
    asked = str(ibis.to_sql(rules.to_ibis(held).order_by("row"), dialect="duckdb"))
    with duckdb.connect() as connection:
        connection.register("held", pa.Table.from_pandas(frame.assign(row=range(len(rows)))))
        found = connection.execute(asked).fetchall()
    chances = rules.predict_proba(frame)[np.arange(len(frame)), rules.predict_index(frame)]
    expected = zip(rules.predict(frame).tolist(), np.round(chances, 4).tolist(), strict=True)
    assert [row[-2:] for row in found] == list(expected)


@pytest.fixture(scope="module")
def gaps() -> pd.DataFrame:
    return with_gaps(planted(700, seed=3))


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "tsv"])
def test_batches_say_what_the_whole_table_says(
    rules: Rule, gaps: pd.DataFrame, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_LETTERS", 5000)
    monkeypatch.setattr(batches, "_CELLS", 1)
    table = tmp_path / f"rows.{ending}"
    frame = gaps.assign(remark='says "no",\nthen yes')
    if ending == "parquet":
        frame.to_parquet(table)
    else:
        frame.to_csv(table, index=False, sep="\t" if ending == "tsv" else ",")
    files = files_of(str(table))
    assert files is not None
    stream_predictions(rules, files, tmp_path / "out.csv")
    out = pd.read_csv(tmp_path / "out.csv", keep_default_na=False)
    assert out.iloc[:, -2].tolist() == rules.predict(gaps).tolist()
    assert out.remark.tolist() == frame.remark.tolist()
    stream_predictions(rules, files, tmp_path / "out.parquet", only=True)
    assert pd.read_parquet(tmp_path / "out.parquet").iloc[:, 0].tolist() == rules.predict(gaps).tolist()


def test_streamed_files_are_those_of_the_whole_table(
    tmp_path: Path, gaps: pd.DataFrame, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from nri.cli.app import main

    def nri(*arguments: object) -> str:
        with pytest.raises(SystemExit):
            main([str(argument) for argument in arguments])
        return capsys.readouterr().err

    monkeypatch.setattr(batches, "_LETTERS", 3000)
    table, rule = tmp_path / "rows.csv", tmp_path / "rule.json"
    gaps.to_csv(table, index=False)
    nri("induce", table, "--target", "bought", "--model", "greedy", "--out", rule)
    whole = nri("predict", rule, table, "--out", tmp_path / "whole.csv")
    parts = nri("predict", rule, table, "--out", tmp_path / "parts.csv", "--engine", "stream")
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert whole.splitlines()[0] == parts.splitlines()[0]
    assert "accuracy" in parts


def test_a_number_is_judged_as_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nri.table.source import source_of
    from nri.tasks.predictions import Truth

    monkeypatch.setattr(batches, "_CELLS", 1)
    frame = planted(2500).drop(columns="bought")
    rule = NRIRegressor().fit(frame.drop(columns="weight"), frame.weight + frame["size"]).rule_
    table = frame.assign(**{rule.target: frame.weight + frame["size"]})
    table.to_parquet(tmp_path / "rows.parquet")
    files = files_of(str(tmp_path / "rows.parquet"))
    assert files is not None
    told = stream_predictions(rule, files, tmp_path / "out.parquet")
    truth = Truth(rule)
    truth.add(source_of(table), rule.predict(table))
    assert told == truth.text


def test_nothing_is_left_of_predictions_that_were_interrupted(rules: Rule, tmp_path: Path) -> None:
    planted(300).to_parquet(tmp_path / "rows.parquet")
    files = files_of(str(tmp_path / "rows.parquet"))
    assert files is not None

    def interrupted(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stream_predictions(rules, files, tmp_path / "out.parquet", step=interrupted)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_units_that_change_between_batches_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read in parts, kilograms were taken for such and pounds too, where a whole table knows one unit."""
    monkeypatch.setattr(batches, "_LETTERS", 400)
    frame = pd.DataFrame({"weight": np.arange(100.0)})
    rules = NRIClassifier("greedy").fit(frame, frame.weight > 50).rule_
    table = tmp_path / "rows.csv"
    units = "".join(f"{i} {'kg' if i < 60 else 'lb'}\n" for i in range(400))
    table.write_text("weight\n" + units)
    files = files_of(str(table))
    assert files is not None
    with pytest.raises(InputError, match="several units"):
        stream_predictions(rules, files, tmp_path / "out.csv")
