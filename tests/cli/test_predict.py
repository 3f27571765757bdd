"""What ``nri predict`` makes of a file as people have it."""

import pytest


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
