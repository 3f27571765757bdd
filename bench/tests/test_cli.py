import re
from importlib import import_module
from pathlib import Path

import pytest
from effort import THOROUGH, usually
from typer.testing import CliRunner

from nri import InputError
from nri.cli.app import main
from nri_bench.cli import bench_app
from nri_bench.experiments import EXPERIMENTS
from nri_bench.experiments.training import ShortTraining
from nri_bench.report import documents_with_places
from nri_bench.run import append_row, read_rows

runner = CliRunner()


def bench(*arguments):
    result = runner.invoke(bench_app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


BRIEF = {
    "seeds": ("--sets", "monks-3", "--protocol", "p4"),
    "recovery": ("--methods", "tree-dnf,greedy"),
    "noise": ("--methods", "tree,greedy"),
    "spurious": ("--methods", "tree,greedy"),
    "scaling": ("--methods", "tree,greedy"),
    "planted": ("--methods", "tree-4,greedy"),
    "coverage": ("--methods", "greedy"),
    "together": ("--methods", "greedy"),
    "ablation": ("--methods", "paper,greedy", "--sets", "monks-3"),
    "slots": ("--methods", "paper,greedy"),
    "clauses": ("--sets", "monks-3"),
    "rules": ("--methods", "greedy,ripper", "--sets", "monks-3"),
    "dynamics": ("--methods", "greedy,tree"),
    "size": ("--methods", "nri,duckdb,tree", "--sets", "planted"),
}
"""Fewer methods and sets than the quick version has by itself."""


def fewer_trainings(monkeypatch, module):
    """Let one variant be trained, and one fold judge it."""
    for name in ("VARIANTS", "WATCHED"):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, ("full",))
    if hasattr(module, "FOLDS"):
        monkeypatch.setattr(module, "FOLDS", 1)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in EXPERIMENTS
        if name not in ("uci", "learning", "wide", "readable", "number", "survival", "small")
    ],
)
def test_every_experiment_has_a_quick_version_that_writes_rows_table_and_figure(name, tmp_path, monkeypatch):
    if hasattr(module := import_module(f"nri_bench.experiments.{name}"), "ShortTraining"):
        monkeypatch.setattr(module, "QUICK", ShortTraining(width=8, batch=8, updates=4, rules=1))
    if not THOROUGH:
        fewer_trainings(monkeypatch, module)
    jobs, asked = usually((0, BRIEF.get(name, ())), (2, ()))
    if name == "scaling":  # memory is that of a process of its own
        jobs = 1
    result = bench(name, "--quick", "--out", tmp_path, "--jobs", jobs, "--offline", *asked)
    assert result.exit_code == 0
    place = tmp_path / "quick"
    rows = read_rows(place / f"{name}.jsonl")
    assert rows
    assert all(row["status"] == "ok" for row in rows)
    assert (place / f"{name}.md").read_text().count("|") > 10 or name == "rules"
    assert list((place / "figures").glob("*.png"))


def test_quick_table_one_needs_no_files_and_no_network(tmp_path):
    """What `make bench-quick` runs, under one of its two protocols."""
    asked = usually(("--methods", "tree,ripper,greedy"), ())
    result = bench("uci", "--quick", "--protocol", "p4", "--out", tmp_path, "--jobs", 2, "--offline", *asked)
    assert result.exit_code == 0
    table = (tmp_path / "quick" / "uci.md").read_text()
    for name in ("tic-tac-toe", "monks-3", "balance-scale", "RIPPER", "NRI greedy"):
        assert name in table
    assert r"\toprule" in (tmp_path / "quick" / "uci-p4.tex").read_text()
    rows = read_rows(tmp_path / "quick" / "uci-p4.jsonl")
    assert all(row["status"] == "ok" and row["timed"] is False for row in rows)
    tree = [row["accuracy"] for row in rows if row["method"] == "tree" and row["dataset"] == "monks-3"]
    assert sum(tree) / len(tree) > 0.7


def test_learning_curves_run_on_an_own_csv(tmp_path):
    csv = tmp_path / "own.csv"
    csv.write_text("a,b,ok\n" + "".join(f"{i % 2},{i % 3},{'yn'[i % 2]}\n" for i in range(40)))
    bench("learning", "--quick", "--csv", csv, "--protocol", "sub50", "--out", tmp_path, "--methods", "tree")
    rows = read_rows(tmp_path / "quick" / "own" / "learning.jsonl")
    assert {row["dataset"] for row in rows} == {"own"}
    assert all(row["accuracy"] == 1.0 for row in rows)


def test_rows_made_anew_are_compared_with_the_published_ones(tmp_path, uci_rows):
    made = [{**row, "accuracy": row["accuracy"] + 0.01 * (row["method"] == "tree")} for row in uci_rows]
    for place, rows in (("made", made[:200]), ("published", uci_rows)):
        for row in rows:
            append_row(tmp_path / place / f"uci-{row['protocol']}.jsonl", row)
    text = bench("same", tmp_path / "made", "--results", tmp_path / "published").output
    assert re.search(r"Logistic +\| +(\d+) +\| +\1 ", text)
    assert re.search(r"DT +\| +\d+ +\| +0 .* 1\.0 \|", text)
    with pytest.raises(InputError, match="no rows of Table 1 there"):
        bench("same", tmp_path / "nowhere")


def test_small_stands_for_the_ten_smaller_sets(tmp_path):
    with pytest.raises(InputError, match="breast-cancer-wisconsin"):
        bench("uci", "--sets", "small", "--data", tmp_path, "--out", tmp_path, "--offline")


def test_numbers_and_tables_in_the_documents_are_those_of_the_rows():
    """Nobody types them: what `nri bench report` would write is what stands there."""
    root = Path(__file__).parents[2]
    documents = documents_with_places(root)
    assert root / "docs" / "dynamics.md" in documents  # it had been forgotten, and its numbers with it
    assert bench("report", *documents, "--results", root / "results", "--check").exit_code == 0


def test_the_list_names_methods_and_sets():
    text = bench("list").output
    for name in ("neural-dnf", "seeded", "seeded+300", "kr-vs-kp", "mux11"):
        assert name in text
    assert re.search(r"wide set saheart +choosing", text)


def test_report_fills_documents_and_check_tells_stale_ones(tmp_path):
    document = tmp_path / "README.md"
    document.write_text("<!-- bench:mean:tree:p4 -->1<!-- /bench -->\n")
    assert bench("report", document, "--results", tmp_path, "--check").exit_code == 1
    assert bench("report", document, "--results", tmp_path).exit_code == 0
    assert bench("report", document, "--results", tmp_path, "--check").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["uci", "--methods", "oracle"], "no method 'oracle'"),
        (["noise", "--methods", "lost.onnx"], "no weights lost.onnx"),
        (["uci", "--sets", "iris", "--methods", "tree"], "no data set 'iris'"),
        (["uci", "--quick", "--protocol", "p9", "--methods", "tree"], "no protocol 'p9'"),
        (["noise", "--seeds", "a"], "whole numbers"),
        (["noise", "--seeds=-1"], "whole numbers from 0"),
        (["noise", "--seeds", "4294967296"], "whole numbers from 0"),
        (["noise", "--methods", ","], "--methods ',': names nothing"),
        (["noise", "--sets", "vote"], "--sets: the experiment 'noise' does not take it"),
        (["spurious", "--protocol", "p4"], "--protocol: the experiment 'spurious' does not take it"),
        (["slots", "--csv", "own.csv"], "--csv: the experiment 'slots' does not take it"),
        (["ablation", "--protocol", "p4"], "its protocol is fixed"),
        (["learning", "--quick", "--protocol", "p4"], "--protocol p4: a learning curve is over shares"),
        (["uci", "--csv", "own.csv", "--sets", "vote"], "leave one of them out"),
        (["uci", "--sets", "vote", "--target", "ok"], "add --csv FILE"),
        (["noise", "--timed", "--jobs", "2"], "--timed with --jobs 2"),
        (["uci", "--half", "choosing"], "--half: the experiment 'uci' does not take it"),
        (["wide", "--n", "few"], "--n 'few': whole numbers"),
        (["wide", "--csv", "own.csv"], "--csv: the experiment 'wide' does not take it"),
        (["noise", "--out", f"{__file__}/deep/below"], "is a file"),
    ],
)
def test_a_users_mistake_is_one_line_and_code_two(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["bench", *arguments])
    assert stop.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == [], "nothing may be run before the options are looked at"
