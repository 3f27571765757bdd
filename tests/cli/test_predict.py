"""What ``nri predict`` makes of a file as people have it."""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def weight_rule(nri, tmp_path):
    """A rule that is about a weight of more than 72."""
    table = tmp_path / "weights.csv"
    rows = "".join(f"{w}.5,{'heavy' if w >= 72 else 'light'}\n" for w in range(50, 100))
    table.write_text("weight,class\n" + rows)
    rule = tmp_path / "weight.json"
    assert (
        "weight > 72" in nri("induce", table, "--target", "class", "--positive", "heavy", "--out", rule).out
    )
    return rule


@pytest.mark.parametrize("cell", ["{} kg", "{}kg", "{},0", "{}.00"])
def test_numbers_with_a_unit_are_read_as_when_the_rule_was_induced(nri, tmp_path, weight_rule, cell):
    new = tmp_path / "new.csv"
    new.write_text("weight;who\n" + "".join(f"{cell.format(w)};{w}\n" for w in (60, 90)))
    done = nri("predict", weight_rule, new, "--only")
    assert [line.split(",")[0] for line in done.out.splitlines()] == ["predicted_class", "light", "heavy"]


def test_the_cells_and_the_delimiter_of_the_file_stay_as_they_were(nri, tmp_path, weight_rule):
    new = tmp_path / "new.csv"
    lines = [
        'weight;number;code;known;share;day;"a ""note"""',
        '60,50;12345678901234567890;007;TRUE;NA;03.02.2023;"two\nlines; and more"',
        "90,00;1.10; =1+1;?;1,10;22.01.2023;",
    ]
    new.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = nri("predict", weight_rule, new, "--quiet")
    added = ["predicted_class;probability", "light;0.9739", "heavy;0.9833"]
    assert done.out == "".join(f"{line};{more}\n" for line, more in zip(lines, added, strict=True))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_and_any_end_of_line_will_do(nri, tmp_path, weight_rule, end):
    new, out = tmp_path / "new.csv", tmp_path / "out.csv"
    new.write_bytes(f"weight,x{end}{end}60,{end}   {end}90,1".encode())
    assert nri("predict", weight_rule, new, "--out", out).code == 0
    lines = ["weight,x,predicted_class,probability", "60,,light,0.9739", "90,1,heavy,0.9833", ""]
    assert out.read_bytes().decode() == end.join(lines)


def test_the_name_of_the_result_may_ask_for_another_format(nri, tmp_path, weight_rule):
    new = tmp_path / "new.csv"
    new.write_text('weight,x\n60.0,"a,b"\n90.0,c\n')
    assert nri("predict", weight_rule, new, "--out", tmp_path / "out.tsv").code == 0
    assert (tmp_path / "out.tsv").read_text().splitlines()[1] == "60.0\ta,b\tlight\t0.9739"
    assert nri("predict", weight_rule, new, "--out", tmp_path / "out.parquet").code == 0
    assert pd.read_parquet(tmp_path / "out.parquet")["weight"].tolist() == [60, 90]


def test_a_parquet_table_keeps_its_types(nri, tmp_path, weight_rule):
    new, out = tmp_path / "new.parquet", tmp_path / "out.parquet"
    pd.DataFrame({"weight": [60.5, 90], "day": pd.to_datetime(["2023-01-22", None])}).to_parquet(new)
    assert nri("predict", weight_rule, new, "--out", out).code == 0
    again = pd.read_parquet(out)
    assert again["day"].dtype.kind == "M"
    assert again["predicted_class"].tolist() == ["light", "heavy"]


def test_a_workbook_goes_in_and_predictions_come_back_into_it(nri, tmp_path):
    visits = pd.read_csv(ROOT / "docs" / "examples" / "visits.csv")
    with pd.ExcelWriter(tmp_path / "visits.xlsx") as writer:
        pd.DataFrame({"ward": ["north"]}).to_excel(writer, sheet_name="Wards", index=False)
        visits.to_excel(writer, sheet_name="Visits", index=False, startrow=2)
    place = ("--sheet", "Visits", "--header", "3")
    induced = nri(
        "induce", tmp_path / "visits.xlsx", *place, "--target", "flu", "--out", tmp_path / "rule.json"
    )
    assert induced.code == 0
    done = nri(
        "predict", tmp_path / "rule.json", tmp_path / "visits.xlsx", *place, "--out", tmp_path / "said.xlsx"
    )
    assert done.code == 0
    book = pd.read_excel(tmp_path / "said.xlsx", sheet_name=None, header=None, engine="openpyxl")
    assert list(book) == ["Wards", "Visits"]
    assert book["Visits"].iloc[2].tolist()[-2:] == ["predicted_flu", "probability"]
    assert set(book["Visits"].iloc[3:, -2]) == {"yes", "no"}


def test_true_and_false_are_spelled_as_in_the_rule(nri, tmp_path):
    """``nri induce`` counted "96 False, 96 True" above "THEN flag = true", and predictions said True."""
    table, rule = tmp_path / "t.csv", tmp_path / "rule.json"
    rows = [(age, "true" if age > 72 else "false") for age in range(50, 100)]
    table.write_text("age,flag\n" + "".join(f"{age},{flag}\n" for age, flag in rows))
    induced = nri("induce", table, "--target", "flag", "--out", rule)
    assert "50 rows (23 false, 27 true), 1 columns" in induced.err
    assert "THEN flag = true" in induced.out
    assert "choose one of false, true" in nri("induce", table, "--target", "flag", "--positive", "maybe").err
    frame = pd.DataFrame(rows, columns=["age", "flag"]).assign(flag=lambda read: read["flag"] == "true")
    frame.to_parquet(tmp_path / "t.parquet")
    for file in (table, tmp_path / "t.parquet"):
        for engine in ("memory", "stream"):
            for only in ((), ("--only",)):
                said = nri("predict", rule, file, "--engine", engine, *only, "--quiet").out
                cells = [cell for line in said.splitlines()[1:] for cell in line.split(",")]
                assert {cell for cell in cells if cell.isalpha()} == {"true", "false"}
            out = tmp_path / f"{engine}.parquet"
            assert nri("predict", rule, file, "--engine", engine, "--out", out).code == 0
            assert pd.read_parquet(out)["predicted_flag"].dtype == bool


def test_totals_and_footnotes_of_a_sheet_stay_empty(nri, tmp_path, weight_rule):
    """The row of totals and the source below the table got a class each."""
    rows = [["weight", "who", "class"], [60, "a", "light"], [90, "b", "heavy"]]
    rows += [["Total", 150, None], ["Source: the scales of ward 3", None, None]]
    new, out = tmp_path / "new.xlsx", tmp_path / "said.xlsx"
    pd.DataFrame(rows).to_excel(new, header=False, index=False)
    done = nri("predict", weight_rule, new, "--out", out)
    said = pd.read_excel(out, engine="openpyxl")
    assert said["predicted_class"].fillna("").tolist() == ["light", "heavy", "", ""]
    assert "on the 2 rows" in done.err


def test_what_the_model_believes_beyond_the_rule_stands_beside_it(nri, tmp_path, weight_rule):
    done = nri(
        "predict", weight_rule, tmp_path / "weights.csv", "--posterior", tmp_path / "weights.csv", "--only"
    )
    names, first, *_, last = (line.split(",") for line in done.out.splitlines())
    assert names == ["predicted_class", "probability", "posterior_heavy", "posterior_light"]
    assert float(first[2]) < 0.3
    assert float(last[2]) > 0.7


def test_a_rule_file_says_where_the_rule_comes_from(nri, tmp_path, monkeypatch):
    """Date, version, options, hash of the file and reading notes, beside what a reader needs."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    table, rule, page = tmp_path / "t.csv", tmp_path / "rule.json", tmp_path / "report.html"
    rows = "".join(f"{-999 if w % 9 == 0 else w},{'heavy' if w >= 72 else 'light'}\n" for w in range(50, 100))
    table.write_text("weight,class\n" + rows)
    nri("induce", table, "--target", "class", "--max-literals", 2, "--out", rule, "--html", page)
    about = json.loads(rule.read_text())["provenance"]
    assert about == {
        "date": "2023-11-14",
        "nri": version("nri"),
        "file": "t.csv",
        "sha256": hashlib.sha256(table.read_bytes()).hexdigest(),
        "options": ["target=class", "max_literals=2"],
        "notes": ["weight: -999 in 6 of 50 cells is read as missing (--missing weight= keeps it)"],
    }
    assert about["sha256"] in page.read_text(encoding="utf-8")


def test_a_rule_file_says_which_rows_of_a_table_it_comes_from(nri, tmp_path):
    rule = tmp_path / "rule.json"
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        pd.DataFrame({"notes": ["none"]}).to_excel(book, sheet_name="about", index=False)
        frame = pd.DataFrame({"weight": range(50, 100), "class": ["light"] * 22 + ["heavy"] * 28})
        frame.to_excel(book, sheet_name="data", index=False)
    asked = ("--target", "class", "--sheet", "data", "--model", "greedy", "--quiet", "--out", rule)
    assert nri("induce", tmp_path / "t.xlsx", *asked).code == 0
    assert "sheet=data" in json.loads(rule.read_text())["provenance"]["options"]


@pytest.fixture
def coded_rule(nri, tmp_path):
    """A rule for a class of codes with words and a code for nothing, and the table that it is of."""
    table, rule = tmp_path / "coded.csv", tmp_path / "coded.json"
    rows = "".join(f"{age},{9 if age % 7 == 0 else 1 + (age > 54)}\n" for age in range(20, 90))
    table.write_text("age,ill\n" + rows)
    options = ("--labels", "ill:1=no,2=yes", "--missing", "ill=9", "--out", rule)
    assert "THEN ill = yes" in nri("induce", table, "-t", "ill", "--positive", "yes", *options).out
    return rule


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_target_of_codes_with_words_is_scored(nri, tmp_path, coded_rule, engine, ending):
    new = tmp_path / f"new.{ending}"
    frame = pd.read_csv(tmp_path / "coded.csv")
    frame.to_csv(new, index=False) if ending == "csv" else frame.to_parquet(new, index=False)
    done = nri("predict", coded_rule, new, "--engine", engine, "--out", tmp_path / "predicted.csv")
    assert done.err.startswith("accuracy 1.00 ± 0.00 on the 60 rows whose ill is known"), done.err
    frame["ill"] = frame["ill"].map({1: "No", 2: "YES", 9: ""})
    words = tmp_path / "words.csv"  # the words themselves are as good
    frame.to_csv(words, index=False)
    assert "accuracy 1.00" in nri("predict", coded_rule, words, "--out", tmp_path / "predicted.csv").err


def test_the_model_learns_from_a_target_of_codes_with_words(nri, tmp_path, coded_rule):
    table = tmp_path / "coded.csv"
    done = nri("predict", coded_rule, table, "--posterior", table, "--only")
    names, young, *_, old = done.out.splitlines()
    assert names == "predicted_ill,probability,posterior_no,posterior_yes"
    assert float(young.split(",")[2]) > 0.9 > 0.1 > float(old.split(",")[2])


def test_classes_that_begin_with_a_sign_stay_what_they_are(nri, tmp_path):
    """An apostrophe in front of ``-high`` made it another class: labels and predictions shared no value."""
    table, rule, said = tmp_path / "t.csv", tmp_path / "rule.json", tmp_path / "said.csv"
    table.write_text("x,y\n" + "".join(f"{x},{'-high' if x > 30 else '-low'}\n" for x in range(60)))
    nri("induce", table, "--target", "y", "--positive=-high", "--out", rule)
    assert nri("predict", rule, table, "--out", said).code == 0
    assert said.read_text().splitlines()[-1].startswith("59,-high,-high,")
    done = nri("slices", said, "--labels", "y", "--predictions", "predicted_y")
    assert "share no value" not in done.err + done.out
