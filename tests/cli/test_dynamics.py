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
    assert "CycD: where CycD=1, 0 comes next, and 1 in published.bnet" in again.out
    assert "(t+1)" not in again.out, "of a kept system the answers are enough"
    course = nri("dynamics", kept, "--simulate", "CycD=1", "--steps", "2", "--quiet")
    assert course.out.rstrip().splitlines()[-1].startswith("2 ")


def test_a_format_is_named_or_told_by_the_ending(nri, cycle, tmp_path):
    assert nri("dynamics", cycle, "--format", "bnet", "--quiet").out.startswith("targets, factors\n")
    out = tmp_path / "graph.svg"
    nri("dynamics", cycle, "--out", out)
    assert out.read_text().startswith("<svg")


def test_a_published_system_tells_of_no_transitions(nri, tmp_path):
    """Each clause of a .bnet file was said to be seen in 0 of 0 transitions."""
    published, page = tmp_path / "published.bnet", tmp_path / "page.html"
    published.write_text(cell_cycle().render("bnet"))
    assert "seen" not in nri("dynamics", published, "--html", page).out
    assert "probability" not in page.read_text()


def test_a_variable_that_is_held_is_told_as_such_on_the_page(nri, cycle, tmp_path):
    """The page said that it was never on, as a rule would say it."""
    page = tmp_path / "page.html"
    nri("dynamics", cycle, "--knock-out", "CycD=0", "--html", page)
    assert "held at 0" in page.read_text()
    assert ". Held at a value: CycD = 0." in " ".join(page.read_text().split())


def test_times_are_told_as_they_were_written(nri, tmp_path):
    """Times of 0 and 1 were told as False and True."""
    table = tmp_path / "twice.csv"
    table.write_text("hour,a\n0,1\n1,0\n1,1\n", encoding="utf-8")
    assert "hour 1 occurs twice" in nri("dynamics", table, "--time", "hour").err


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
