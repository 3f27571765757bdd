"""``nri induce`` and its fellows with a number as target."""

import numpy as np
import pandas as pd
import pytest

from nri import induce_rules, induce_segments, read_table
from nri.errors import InputError


@pytest.fixture
def flats(tmp_path):
    rng = np.random.default_rng(0)
    rooms = rng.integers(1, 6, 90)
    frame = pd.DataFrame({"rooms": rooms, "floor": rng.integers(0, 9, 90)})
    frame["rent"] = [
        f"CHF {900 + 400 * (r > 3) + e:.0f}" for r, e in zip(rooms, rng.normal(0, 30, 90), strict=True)
    ]
    path = tmp_path / "flats.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_number_as_target_gives_segments_with_their_unit(flats, nri, tmp_path):
    done = nri("induce", flats, "--target", "rent", "--cv", "--out", tmp_path / "rule.json")
    assert "IF      (rooms > 3)" in done.out
    assert "CHF13" in done.out.replace(" ", "")
    assert "cross-validated R² 0.9" in done.out
    said = nri("predict", tmp_path / "rule.json", flats)
    assert said.out.splitlines()[0] == "rooms,floor,rent,predicted_rent"
    assert "R² 0.9" in said.err
    assert "off by CHF" in said.err
    why = nri("explain", tmp_path / "rule.json", flats, "--row", "1")
    assert "rent = CHF" in why.out
    sql = nri("export", tmp_path / "rule.json", "--format", "sql")
    assert "WHEN" in sql.out


def test_a_comparison_and_few_values_stay_classes(flats, nri):
    assert "THEN" in nri("induce", flats, "--target", "rent > 1100", "-q").out
    assert "THEN" in nri("induce", flats, "--target", "rooms", "-q", "--max-clauses", "1").out


def test_compare_refuses_a_rule_for_a_number(flats, nri, tmp_path):
    nri("induce", flats, "--target", "rent", "--out", tmp_path / "rule.json", "-q")
    done = nri("compare", tmp_path / "rule.json", tmp_path / "rule.json")
    assert done.code == 2
    assert "is a rule for a number, 'rent'" in done.err


def test_a_report_is_written(flats, nri, tmp_path):
    nri("induce", flats, "--target", "rent", "--html", tmp_path / "r.html", "-q")
    assert "How rent is spread" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_number_is_not_taken_for_classes_by_mistake(flats):
    table = read_table(flats, "rent")
    assert induce_segments(table).segments.segments
    with pytest.raises(InputError, match=r"compare it, e\.g\. 'rent > .*induce_segments"):
        induce_rules(table)
