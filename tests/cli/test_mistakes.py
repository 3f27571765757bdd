"""Every mistake ends in one line that names cause and remedy, exit code 2, and nothing half-written."""

import os

import pytest


def table(path, text):
    path.write_text(text)
    return path


ROWS = "".join(f"{i % 3},{'ab'[i % 2]},{'yes' if i % 2 else 'no'}\n" for i in range(12))


@pytest.mark.parametrize(
    ("content", "target", "message"),
    [
        ("x,y\n", "y", "no rows"),
        ("", "y", "empty"),
        ("x,c,y\n" + ROWS, "z", "no target column 'z'"),
        ("x,c,label\n" + ROWS, "lable", "no target column 'lable'; did you mean 'label'?"),
        ("x,y\n1,a\n2,a\n3,a\n", "y", "target 'y' has one class only, 'a' in all 3 rows"),
        ("x,y\n1,\n2,\n", "y", "no row is left: target 'y' is missing in all rows"),
        ("x,y\n,a\n,b\n,a\n", "y", "no column can be used: x has no value at all"),
        ("x,y\n" + "".join(f"{i % 2},v{i % 50}\n" for i in range(100)), "y", "has 50 different values"),
        ("x,x,y\n1,2,a\n3,4,b\n", "y", "duplicate column names: 'x'"),
        ("y\na\nb\n", "y", "no column but 'y'"),
        ("x,y\n1,a,3\n2,b\n", "y", "line 2: 3 field(s)"),
        ("x,c,y\n" + ROWS, "x > many", "'many' is no number"),
        ("x,c,y\n" + ROWS, "x > nan", "'nan' is no number"),
        ("x,c,y\n" + ROWS, "x >> 1", "'> 1' is no number"),
    ],
    ids=lambda value: None if not isinstance(value, str) else value[:20].replace("\n", "|"),
)
def test_a_table_that_cannot_be_used_is_refused_in_one_line(nri, tmp_path, content, target, message):
    page, out = tmp_path / "page.html", tmp_path / "rule.json"
    file = table(tmp_path / "t.csv", content)
    done = nri("induce", file, "--target", target, "--html", page, "--out", out)
    assert done.code == 2
    assert done.out == ""
    *remarks, error = done.err.splitlines()
    assert error.startswith("error: ")
    assert message in error
    assert len(remarks) <= 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["t.csv"]


def test_a_comparison_without_a_value_asks_for_one_and_for_nothing_else(nri, visits):
    """It was read as the column, which then was not there: did you mean 'age'?, of age."""
    done = nri("induce", visits, "--target", "age >")
    assert done.code == 2
    assert done.err == "error: target 'age >' compares with nothing; give a value after >\n"


def test_a_table_on_the_web_is_to_be_downloaded_first(nri):
    """It was taken for a database, whose table was asked for."""
    done = nri("induce", "https://example.org/t.csv", "--target", "y")
    assert done.code == 2
    assert "is a URL, not a file; download the table and give that" in done.err


def test_a_config_in_another_encoding_is_told_plainly(nri, visits, tmp_path):
    config = tmp_path / "c.toml"
    config.write_bytes(b"max_clauses = 3 # caf\xe9\n")
    done = nri("induce", visits, "--target", "flu", "--config", config)
    assert done.err.splitlines()[-1].endswith("c.toml is no text in UTF-8, as TOML is; save it as UTF-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--positive", "maybe"], "no class 'maybe'; choose one of 'no', 'yes'"),
        (["--columns", "flu"], "column 'flu' is the target; name columns to explain it by"),
        (["--columns", "fevr"], "no column 'fevr'; did you mean 'fever'?"),
        (["--without", "wart"], "no column 'wart'; did you mean 'ward'?"),
        (["--format", "excel"], "no format 'excel'; use one of text, points, markdown"),
        (["--model", "magic"], "no model 'magic'"),
        (["--out", "no/such/folder/rule.json"], "there is no folder no/such/folder"),
        (
            ["--out", "rule.foo"],
            "rule.foo: no format ends in '.foo'; end the name in .txt, .md, .html, .tex, .json",
        ),
        (["--html", "/"], "/ is a folder; name a file"),
    ],
)
def test_an_option_that_cannot_be_met_is_refused_in_one_line(nri, visits, options, message):
    done = nri("induce", visits, "--target", "flu", *options)
    assert done.code == 2
    assert done.out == ""
    assert done.err.splitlines()[-1].startswith("error: ")
    assert message in done.err


def test_an_ending_of_no_format_is_refused_by_every_command_that_keeps_a_rule(nri, visits, rule, tmp_path):
    """``--out rule.foo`` wrote plain text without a word, and the rule could not be read again."""
    for command in (
        ["induce", visits, "--target", "flu", "--model", "greedy"],
        ["surrogate", visits, "-p", "flu", "--model", "greedy"],
        ["export", rule],
    ):
        done = nri(*command, "--out", tmp_path / "rule.foo")
        assert (done.code, done.out) == (2, "")
        assert "no format ends in '.foo'; end the name in .txt, " in done.err
        assert not (tmp_path / "rule.foo").exists()
        assert nri(*command, "--out", tmp_path / "rule", "-q").code == 0
        assert nri(*command, "--format", "json", "--out", tmp_path / "rule.foo", "-q").code == 0
        (tmp_path / "rule.foo").unlink()
    assert nri("export", rule, "--dialect", "sqlite", "--out", tmp_path / "rule.ddl").code == 0


def test_a_missing_file_is_named_with_the_nearest_one(nri, visits):
    done = nri("induce", visits.with_name("visit.csv"), "--target", "flu")
    assert done.code == 2
    assert "did you mean 'visits.csv'?" in done.err


def test_a_forgotten_target_lists_the_columns(nri, visits):
    done = nri("induce", visits)
    assert done.code == 2
    assert "Add --target COLUMN, one of 'fever', 'cough', 'chills', 'age', 'ward', 'flu'" in done.err


def test_a_place_without_permission_is_refused_before_the_work(nri, visits, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda place, mode: False)  # root may write anywhere
    done = nri("induce", visits, "--target", "flu", "--out", tmp_path / "rule.json")
    assert done.code == 2
    assert "permission denied" in done.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_name_that_no_disk_takes_is_refused_before_the_work(nri, visits, rule):
    """An ``--out`` of 300 letters ended with exit code 1."""
    for command in (["induce", visits, "--target", "flu"], ["predict", rule, visits], ["export", rule]):
        done = nri(*command, "--out", "a" * 300)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"error: {'a' * 300} cannot be written (File name too long); choose another name\n"


@pytest.mark.parametrize("name", ["a" * 300, "/", "b" * 300 + "/rule.json"])
def test_a_file_that_cannot_be_is_told_by_every_command_that_would_read_it(nri, visits, rule, name):
    """Names of 300 letters ended with exit code 1 where rules, weights and configurations are read."""
    commands = [
        ["export", name],
        ["compare", rule, name],
        ["predict", name, visits],
        ["induce", name, "--target", "flu"],
        ["induce", visits, "--target", "flu", "--keep", name],
        ["induce", visits, "--target", "flu", "--model", f"{name}.onnx"],
        ["train", "--config", name],
        ["export-weights", name, "--out", "w.onnx"],
    ]
    for command in commands:
        done = nri(*command)
        assert done.code == 2, command
        assert done.err.splitlines()[-1].startswith("error: "), command
        assert "NRI_DEBUG" not in done.err


def test_a_full_disk_is_told_in_one_line(nri, visits):
    done = nri("induce", visits, "--target", "flu", "--quiet", "--format", "json", "--out", "/dev/full")
    assert done.code == 2
    assert done.err.startswith("error: /dev/full cannot be written (No space left")


def test_an_old_file_stays_when_a_new_one_cannot_be_made(nri, visits, tmp_path):
    out = table(tmp_path / "rule.json", "old")
    assert nri("induce", visits, "--target", "nothing", "--out", out).code == 2
    assert out.read_text() == "old"


@pytest.mark.parametrize("command", ["predict", "explain", "export"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no rule file"),
        ("{", "is not a rule file"),
        ('{"format": "other"}', "is not a rule file"),
        ("\udcff", "it is not text"),
    ],
)
def test_a_wrong_rule_file_is_refused_in_one_line(nri, visits, tmp_path, command, content, message):
    path = tmp_path / "broken.json"
    if content is not None:
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
    arguments = {"predict": [visits], "explain": [visits, "--row", 1], "export": []}[command]
    done = nri(command, path, *arguments)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert message in done.err


def test_a_missing_rule_file_is_not_taken_for_a_table(nri, visits, rule):
    """Of ``visit.json`` it was asked whether visits.csv was meant."""
    assert "did you mean" not in nri("export", visits.with_name("visit.json")).err
    assert f"did you mean '{rule.name}'" in nri("export", rule.with_name("ruel.json")).err


def test_an_unexpected_failure_is_one_line_with_a_way_to_see_more(nri, visits, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the\nroof fell in")

    monkeypatch.setattr("nri.induce.induce.induce_rule", fail)
    monkeypatch.delenv("NRI_DEBUG", raising=False)
    done = nri("induce", visits, "--target", "flu", "-q")
    assert done.code == 1
    assert done.err == "error: RuntimeError: the roof fell in (set NRI_DEBUG=1 to see where)\n"


def test_debugging_shows_where_an_unexpected_failure_came_from(visits, monkeypatch):
    from nri.cli.app import main

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the roof fell in")

    monkeypatch.setattr("nri.induce.induce.induce_rule", fail)
    monkeypatch.setenv("NRI_DEBUG", "1")
    with pytest.raises(RuntimeError, match="the roof fell in"):
        main(["induce", str(visits), "--target", "flu"])


def test_ctrl_c_ends_with_code_130(nri, visits, monkeypatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nri.induce.induce.induce_rule", interrupt)
    done = nri("induce", visits, "--target", "flu", "-q")
    assert done.code == 130
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "message", "command"),
    [
        (["indoce"], "no such command 'indoce'. Did you mean 'induce'?", "nri"),
        (
            ["induce", "x.csv", "--tarjet", "y"],
            "no such option: --tarjet; did you mean --target?",
            "nri induce",
        ),
        (["induce", "x.csv", "--price", "y"], "no such option: --price", "nri induce"),
        (["induce", "x.csv", "--max-clauses", "0"], "invalid value for '--max-clauses': ", "nri induce"),
        (["explain", "r.json", "x.csv", "--row", "abc"], "invalid value for '--row' / '-r': ", "nri explain"),
        (["explain", "r.json"], "missing argument 'FILE'", "nri explain"),
        (["slices", "x.csv"], "missing option '--labels' / '-l'", "nri slices"),
        (["bench", "nothing"], "no such command 'nothing'", "nri bench"),
        (["bench", "uci", "--jobs", "-1"], "invalid value for '--jobs' / '-j': ", "nri bench uci"),
    ],
)
def test_a_mistake_in_a_command_is_told_in_one_line(nri, arguments, message, command):
    """It was a box of six lines with "Usage:" around it."""
    done = nri(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}")
    assert done.err.endswith(f" (see {command} --help)\n")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["induce"], ["bench"]])
def test_a_command_without_anything_shows_its_help(nri, arguments):
    done = nri(*arguments)
    assert "Usage: nri" in done.out + done.err
    assert "error:" not in done.err


@pytest.fixture
def by_link(visits):
    """The table by a symbolic link."""
    link = visits.with_name("link.csv")
    link.symlink_to(visits)
    return link


def test_a_table_is_never_overwritten_by_its_own_rule(nri, visits, by_link, monkeypatch):
    """``--out`` with the table's name once replaced the data by a rule, without a word."""
    monkeypatch.chdir(visits.parent)
    before = visits.read_text()
    roundabout = visits.parent / ".." / visits.parent.name / visits.name
    for place in (visits, roundabout, by_link, "visits.csv"):
        for option in ("--out", "--html"):
            done = nri("induce", visits, "-t", "flu", option, place)
            assert (done.code, done.out) == (2, "")
            assert done.err == f"error: {option} {place} is the table itself; choose another name\n"
    assert visits.read_text() == before


def test_no_command_overwrites_what_it_reads(nri, visits, rule):
    before, kept = visits.read_text(), rule.read_text()
    other = table(visits.with_name("new.csv"), before)
    for arguments, what in (
        (["predict", rule, visits, "--out", visits], "the table"),
        (["predict", rule, visits, "--out", rule], "the rule"),
        (["export", rule, "-f", "sql", "--out", rule], "the rule"),
        (["compare", rule, rule, visits, "--out", visits], "the table"),
        (["surrogate", visits, "-p", "flu", "--out", visits], "the table"),
        (["predict", rule, visits.with_name("v*.csv"), "--out", visits], "the table"),
        (["predict", rule, other, "--posterior", visits, "--out", visits], "the table of --posterior"),
    ):
        done = nri(*arguments)
        assert done.code == 2
        assert done.err.endswith(f" is {what} itself; choose another name\n")
        assert done.err.count("\n") == 1
    assert (visits.read_text(), rule.read_text()) == (before, kept)


def test_two_results_do_not_go_to_one_file(nri, visits, tmp_path):
    done = nri("induce", visits, "-t", "flu", "--out", tmp_path / "r.html", "--html", tmp_path / "r.html")
    assert done.code == 2
    assert "--html and --out are both" in done.err


def test_another_file_of_the_same_content_may_be_overwritten(nri, visits, tmp_path):
    copy = table(tmp_path / "copy.csv", visits.read_text())
    assert nri("induce", visits, "-t", "flu", "-q", "-f", "text", "--out", copy).code == 0
    assert copy.read_text().startswith("IF ")
