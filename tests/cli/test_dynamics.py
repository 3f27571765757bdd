"""``nri dynamics`` as people call it."""

import json

import numpy as np
import pytest
from networks import cell_cycle, transitions


@pytest.fixture
def cycle(tmp_path):
    path = tmp_path / "cycle.csv"
    states = np.random.default_rng(0).integers(0, 2, (300, 10))
    transitions(cell_cycle(), states).to_csv(path, index=False)
    return path


def test_rules_are_printed_kept_and_asked_again(nri, cycle, tmp_path):
    kept, page = tmp_path / "system.json", tmp_path / "report.html"
    first = nri("dynamics", cycle, "--out", kept, "--html", page)
    assert first.code == 0
    assert "CycB(t+1) IF (NOT Cdc20 AND NOT cdh1)" in first.out
    assert json.loads(kept.read_text())["format"] == "nri-dynamics"
    assert "Who acts on whom" in page.read_text()
    assert "<script" not in page.read_text()
    published = tmp_path / "published.bnet"
    published.write_text(cell_cycle().render("bnet"))
    again = nri("dynamics", kept, "--knock-out", "CycD=0", "--attractors", "--quiet", "--compare", published)
    assert "cycles: 0" in again.out
    assert "9 variables move alike, 1 differently" in again.out
    course = nri("dynamics", kept, "--simulate", "CycD=1", "--steps", "2", "--quiet")
    assert course.out.rstrip().splitlines()[-1].startswith("2 ")


def test_a_format_is_named_or_told_by_the_ending(nri, cycle, tmp_path):
    assert nri("dynamics", cycle, "--format", "bnet", "--quiet").out.startswith("targets, factors\n")
    out = tmp_path / "graph.svg"
    nri("dynamics", cycle, "--out", out)
    assert out.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--next-suffix", "_next"), "no column holds next values"),
        (("--time", "hour"), "no column 'hour'"),
        (("--knock-out", "CycD"), "say the value too"),
        (("--knock-out", "CycX=0"), "no variable 'CycX'"),
        (("--format", "xml"), "no format 'xml'"),
        (("--simulate", "CycD=2"), "it is 0 or 1"),
    ],
)
def test_mistakes_end_in_one_line_and_code_2(nri, cycle, arguments, words):
    run = nri("dynamics", cycle, *arguments)
    assert run.code == 2
    assert words in run.err
    assert run.err.count("error:") == 1
    assert run.out == ""  # a question that makes no sense is told before anything is printed
