"""Codes for nothing and codes for words: found where they are plain, asked about, or named by the caller."""

import io
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

from nri import NRIClassifier, read_rule, read_table
from nri.cli.app import main
from nri.errors import InputError, UnknownColumnError
from nri.rule import Kind

RNG = np.random.default_rng(3)


def coded(values, code, n=120, share=0.15):
    cells = RNG.choice(values, n)
    cells[: int(share * n)] = code
    return RNG.permutation(cells)


def known_share(cells, **options):
    table = read_table({"x": cells, "other": np.arange(len(cells)) % 7}, **options)
    return table.columns["x"].known.mean()


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (range(90, 180), -999),
        (range(90, 180), 999),
        (range(18, 95), -9),
        (range(18, 95), -99),
        (range(7), 99),
        (range(7), 90),
        (range(1, 5), 9),
        (range(2), 9),
        ([0, 10, 20, 30], -9),
        (range(1990, 2021), 9999),
    ],
)
def test_a_number_far_outside_the_others_that_repeats_is_missing_and_a_note_names_it(values, code, caplog):
    assert known_share(coded(list(values), code)) == pytest.approx(0.85)
    assert f"{code} in 18 of 120 cells is read as missing (--missing x= keeps it)" in caplog.text


@pytest.mark.parametrize(("values", "code"), [(range(20, 81), 99), (range(7), 9), (range(12, 21), 9)])
def test_a_number_that_may_be_a_code_is_kept_and_the_note_says_the_option(values, code, caplog):
    cells = coded(list(values), code, share=0.05)
    assert known_share(cells) == 1
    assert f"may stand for missing; if it does, say so (--missing x={code})" in caplog.text
    assert known_share(cells, missing={"x": code}) == pytest.approx(0.95)


@pytest.mark.parametrize(
    "cells",
    [
        coded(list(range(1, 9)), 9),  # the next of a scale
        coded([12, 14, 16, 17, 20], 9),  # the lowest of a scale, no further away than the others
        coded(list(range(100)), 90),  # among the others
        [*range(90, 180), -999],  # once
        np.append(RNG.normal(0, 40, 118).round(1), [-99, -99]),  # among negative numbers
    ],
)
def test_numbers_that_belong_to_the_others_are_left_alone(cells, caplog):
    assert known_share(cells) == 1
    assert "missing" not in caplog.text


def test_what_is_explained_is_never_taken_for_a_code():
    table = read_table({"x": range(60), "y": [1, 2, 9] * 20}, "y")
    assert table.classes == (1, 2, 9)


def test_yes_and_no_beside_a_code_are_still_yes_and_no():
    plan = read_table({"flag": [0, 1, 9] * 20, "x": range(60)}).plans["flag"]
    assert (plan.kind, plan.missing) == (Kind.BOOLEAN, ("9",))


def visits(n=200):
    sbp = RNG.integers(90, 180, n)
    ill = np.where(sbp <= 120, "yes", "no")
    sbp = np.where(np.arange(n) % 9 == 0, -999, sbp)
    return pd.DataFrame({"sbp": sbp, "city": RNG.choice(["Bonn", "Ulm", "unknown"], n)}), ill


def test_every_export_reads_a_code_as_the_rule_does():
    frame, ill = visits()
    rule = NRIClassifier().fit(frame, ill).rule_
    assert rule.plans["sbp"].missing == ("-999",)
    predicted = rule.predict(frame).tolist()
    assert predicted == rule.predict(frame.assign(sbp=frame["sbp"].replace(-999, None))).tolist()
    assert predicted == rule.predict(pd.read_csv(io.StringIO(frame.to_csv()), dtype=str)).tolist()
    database = sqlite3.connect(":memory:")
    frame.to_sql("visits", database, index=False)
    assert [row[-1] for row in database.execute(rule.render("sql", table="visits"))] == predicted
    database.close()
    space: dict = {}
    exec(rule.render("python"), space)
    assert [space["predict"](row) for row in frame.to_dict("records")] == predicted
    assert [space["predict"](row) for row in frame.astype(str).to_dict("records")] == predicted


def test_the_estimator_takes_missing_cells_for_all_columns_or_for_one():
    frame, ill = visits()
    city = frame.assign(code=RNG.integers(0, 4, len(frame)))
    rule = NRIClassifier(missing=["unknown", 3], columns=["city", "code"]).fit(city, ill)
    assert rule.missing == ["unknown", 3]
    table = read_table(city, missing={"city": "unknown", "code": [2, 3]})
    assert not table.columns["city"].texts[city["city"] == "unknown"].any()
    assert table.columns["code"].known.tolist() == (city["code"] < 2).tolist()
    with pytest.raises(UnknownColumnError, match="sbpp"):
        read_table(frame, missing={"sbpp": -999})


def test_the_command_line_the_settings_file_and_the_rule_agree_on_missing_cells(tmp_path, capsys):
    frame, ill = visits()
    file, rule, config = tmp_path / "visits.csv", tmp_path / "rule.json", tmp_path / "settings.toml"
    frame.assign(y=ill).to_csv(file, index=False)
    config.write_text("missing = [-999, 'unknown']\n")
    rules = []
    for options in (["--missing", "-999,unknown"], ["--missing", "sbp=-999"], ["--config", str(config)]):
        with pytest.raises(SystemExit):
            main(["induce", str(file), "--target", "y", "--out", str(rule), "-q", *options])
        rules.append(read_rule(rule))
    assert [one.plans["sbp"].missing[0] for one in rules] == ["-999"] * 3
    assert len({tuple(one.predict(frame)) for one in rules}) == 1
    with pytest.raises(SystemExit):
        main(["induce", str(file), "--target", "y", "--missing", "sbp=", "-q", "--out", str(rule)])
    assert "missing" not in json.loads(rule.read_text())["columns"]["sbp"]


def test_rows_that_stay_in_an_engine_have_the_same_missing_codes(tmp_path, capsys):
    frame, ill = visits(2000)
    file = tmp_path / "visits.parquet"
    frame.assign(y=ill).to_parquet(file)
    shown = []
    for engine in ("memory", "duckdb"):
        with pytest.raises(SystemExit):
            main(["induce", str(file), "--target", "y", "--engine", engine, "--quiet"])
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1].replace(" (weighted)", "").replace("weighted, ", "")
    assert shown[0].startswith("IF  (sbp <= 120)")


def test_labels_say_what_codes_stand_for_in_features_target_and_exports(tmp_path, capsys):
    smoker = RNG.choice([1, 2, 3], 120)
    frame = pd.DataFrame({"smoker": smoker, "x": RNG.normal(size=120), "ill": np.where(smoker == 2, 2, 1)})
    words = {"smoker": {1: "never", 2: "now", 3: "once"}, "ill": {1: "no", 2: "yes"}}
    table = read_table(frame, "ill", labels=words, positive="yes")
    assert table.classes == ("no", "yes")
    file, kept = tmp_path / "t.csv", tmp_path / "rule.json"
    frame.to_csv(file, index=False)
    options = ["--labels", "smoker:1=never,2=now,3=once", "--labels", "ill:1=no,2=yes"]
    with pytest.raises(SystemExit):
        main(["induce", str(file), "-t", "ill", "--positive", "yes", "--out", str(kept), "-q", *options])
    rule = read_rule(kept)
    assert str(rule).startswith("IF  (smoker = now)")
    predicted = rule.predict(frame).tolist()
    assert predicted == np.where(smoker == 2, "yes", "no").tolist()
    database = sqlite3.connect(":memory:")
    frame.to_sql("t", database, index=False)
    assert [row[-1] for row in database.execute(rule.render("sql", table="t"))] == predicted
    database.close()
    space: dict = {}
    exec(rule.render("python"), space)
    for rows in (frame, frame.astype(str), frame.astype(float)):
        assert [space["predict"](row) for row in rows.to_dict("records")] == predicted


def test_labels_that_are_none_are_refused_with_an_example():
    with pytest.raises(InputError, match=r"write e\.g\. \{'smoker'"):
        read_table({"x": [1, 2]}, labels={"x": "no"})


def test_a_word_for_a_code_that_no_cell_has_is_refused_unless_it_is_one_of_a_codebook():
    """It was taken, and the other codes became texts."""
    rows = {"out": [0, 1, 0, 1], "x": [1, 2, 3, 4]}
    for cells in (rows["out"], ["0", "1", "0", "1"]):
        with pytest.raises(InputError, match="labels: no cell of 'out' is 3; the column has '0', '1'"):
            read_table(rows | {"out": cells}, "out", labels={"out": {3: "no"}})
    words = {0: "no", 1: "yes", 9: "refused"}
    assert read_table(rows, "out", labels={"out": words}).classes == ("no", "yes")
