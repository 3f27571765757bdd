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
    assert "Influences" in page.read_text()
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
        (("--knock-out", "CycD"), "give the value too"),
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


def test_the_command_is_listed_with_its_options(nri):
    assert "dynamics" in nri("--help").out
    shown = nri("dynamics", "--help")
    assert shown.code == 0
    assert "--knock-out" in shown.out
    assert nri("dynamics").code == 2


def test_an_ending_of_no_format_is_refused(nri, tmp_path):
    """``--out rule.foo`` wrote plain text, and the system could not be read again."""
    series = tmp_path / "series.csv"
    series.write_text("t,a\n" + "".join(f"{i},{i % 2}\n" for i in range(9)))
    command = ["dynamics", series, "--time", "t"]
    done = nri(*command, "--out", tmp_path / "rule.foo")
    assert (done.code, done.out) == (2, "")
    assert "no format ends in '.foo'; end the name in .txt, " in done.err
    assert not (tmp_path / "rule.foo").exists()
    assert nri(*command, "--out", tmp_path / "rule", "-q").code == 0
    assert nri(*command, "--format", "json", "--out", tmp_path / "rule.foo", "-q").code == 0


def test_notes_are_printed_unless_quiet(nri, tmp_path):
    table = tmp_path / "light.csv"
    table.write_text("light,on,on'\n0,0,0\n1,0,1\n0,1,0\n1,1,1\n")
    assert "note: without a next column, so inputs: light" in nri("dynamics", table).err
    assert nri("dynamics", table, "--quiet").err == ""


@pytest.mark.parametrize("name", ["a" * 300, "/", "b" * 300 + "/rule.json", "absent.json"])
def test_a_file_that_cannot_be_read_is_refused(nri, name):
    done = nri("dynamics", name)
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith("error: ")
    assert "NRI_DEBUG" not in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--out", "a" * 300), "cannot be written (File name too long)"),
        (("--out", "/"), "/ is a folder"),
        (("--html", "none/page.html"), "there is no folder none"),
        (("--out", "same.txt", "--html", "same.txt"), "are both same.txt"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(nri, cycle, options, words):
    done = nri("dynamics", cycle, *options)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_an_input_is_never_overwritten(nri, cycle):
    before = cycle.read_text()
    done = nri("dynamics", cycle, "--html", cycle)
    assert "is the table itself" in done.err
    assert cycle.read_text() == before
