"""Which rows a run takes as done: stories of numbers that belonged to other data or another protocol."""

import json
from pathlib import Path

import pytest

from nri_bench.command import experiment_rows, make_rows, write_outputs
from nri_bench.datasets.files import catalog
from nri_bench.experiments import EXPERIMENTS, Options
from nri_bench.run import RunOptions, append_row, read_rows, row_key

ONE_PROCESS = RunOptions(0)


def write_csv(path, labels="yn", column="a"):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{column},b,ok\n" + "".join(f"{i % 2},{i % 3},{labels[i % 2]}\n" for i in range(40)))
    return path


def run(name, out, csv, methods=("majority",), protocols=("sub50",)):
    options = Options(methods=methods, seeds=(0,), csv=csv, protocols=protocols)
    return make_rows(EXPERIMENTS[name], options, out, ONE_PROCESS)


def test_an_own_file_with_a_catalogued_name_does_not_touch_the_rows_of_that_set(tmp_path):
    """An own vote.csv was once answered with the published numbers for vote, and never run."""
    out = tmp_path / "results"
    published = {"experiment": "uci", "method": "majority", "dataset": "vote", "protocol": "p20", "seed": 0}
    append_row(out / "uci-p20.jsonl", {**published, "fold": 0, "status": "ok", "accuracy": 0.6})
    before = (out / "uci-p20.jsonl").read_bytes()
    assert run("uci", out, write_csv(tmp_path / "vote.csv"), protocols=("p20",)) == 5
    assert (out / "uci-p20.jsonl").read_bytes() == before
    assert [row["accuracy"] for row in experiment_rows(EXPERIMENTS["uci"], out)] == [0.6]
    assert len(read_rows(out / "own" / "uci-p20.jsonl")) == 5


def test_a_file_that_has_changed_is_run_again_and_its_old_rows_go(tmp_path, caplog):
    """A file with other labels once gave 0 of 0 jobs and the old file's table."""
    csv = write_csv(tmp_path / "mine.csv")
    assert run("uci", tmp_path, csv, ("majority", "tree")) == 10
    assert run("uci", tmp_path, csv, ("tree",), ("p20",)) == 5
    assert run("uci", tmp_path, csv, ("majority", "tree")) == 0
    old = {row["data"] for row in experiment_rows(EXPERIMENTS["uci"], tmp_path / "own")}
    write_csv(csv, labels="no")
    assert run("uci", tmp_path, csv, ("tree",)) == 5
    assert "computed from other data" in caplog.text
    rows = experiment_rows(EXPERIMENTS["uci"], tmp_path / "own")
    assert len(rows) == 5, "the rows of another method and of another protocol are of the old file too"
    assert not old & {row["data"] for row in rows}


def test_another_own_file_keeps_the_rows_of_the_first(tmp_path):
    run("uci", tmp_path, write_csv(tmp_path / "one.csv"))
    run("uci", tmp_path, write_csv(tmp_path / "two.csv", labels="no"))
    rows = experiment_rows(EXPERIMENTS["uci"], tmp_path / "own")
    assert [row["dataset"] for row in rows] == ["one"] * 5 + ["two"] * 5
    assert (tmp_path / "own" / "uci.md") in write_outputs(EXPERIMENTS["uci"], tmp_path / "own")


def test_only_the_rows_that_are_run_again_go_where_a_catalogued_set_differs(tmp_path):
    """A variant of a published set replaces what it recomputes, and nothing else."""
    options = Options(methods=("majority",), seeds=(0,), sets=("monks-1",), protocols=("p20",))
    for job in EXPERIMENTS["uci"].jobs(options):
        for method in ("majority", "tree"):
            key = {**job.key, "method": method}
            append_row(tmp_path / "uci-p20.jsonl", {**key, "status": "ok", "data": "00000000"})
    assert make_rows(EXPERIMENTS["uci"], options, tmp_path, ONE_PROCESS) == 5
    data = {(row["method"], row["data"]) for row in read_rows(tmp_path / "uci-p20.jsonl")}
    assert ("tree", "00000000") in data
    assert len(data) == 2


def test_rules_of_another_protocol_or_with_other_names_are_other_rules(tmp_path):
    """--protocol full was once answered with the rules of p4."""
    csv = write_csv(tmp_path / "mine.csv")
    assert run("rules", tmp_path, csv, ("tree-dnf",), ("sub50",)) == 1
    assert run("rules", tmp_path, csv, ("tree-dnf",), ("sub50", "full")) == 1
    text = EXPERIMENTS["rules"].table(read_rows(tmp_path / "own" / "rules.jsonl"))
    assert "### mine (sub50)" in text
    assert "### mine (full)" in text
    write_csv(csv, column="renamed")
    assert run("rules", tmp_path, csv, ("tree-dnf",), ("full",)) == 1
    (row,) = read_rows(tmp_path / "own" / "rules.jsonl")
    assert "renamed" in row["rule"]


@pytest.mark.parametrize(
    ("name", "key", "unsaid"),
    [
        ("rules", {"method": "greedy", "dataset": "monks-1", "seed": 0}, {"protocol": "p4"}),
        ("ablation", {"method": "greedy", "variant": "shipped", "seed": 0}, {"sets": "uci"}),
    ],
)
def test_older_rows_stand_for_the_default_of_a_field_they_lack(tmp_path, name, key, unsaid):
    path = tmp_path / f"{name}.jsonl"
    append_row(path, {"experiment": name, **key, "status": "ok"})
    (row,) = read_rows(path)
    assert row_key(row) == row_key({"experiment": name, **key, **unsaid})


def test_older_rules_are_not_written_again(tmp_path):
    key = {"experiment": "rules", "method": "greedy", "dataset": "monks-1", "seed": 0}
    append_row(tmp_path / "rules.jsonl", {**key, "status": "ok"})
    options = Options(methods=("greedy",), sets=("monks-1",))
    assert make_rows(EXPERIMENTS["rules"], options, tmp_path, ONE_PROCESS) == 0


def test_the_ablation_names_its_sets_in_every_row():
    """A run on one set was once taken for one on all fourteen."""
    keys = [
        EXPERIMENTS["ablation"].jobs(Options(methods=("greedy",), sets=sets))[0].key
        for sets in (("monks-1",), ("mux6", "monks-1"), ("monks-1", "mux6"))
    ]
    assert [key["sets"] for key in keys] == ["monks-1", "monks-1,mux6", "monks-1,mux6"]


def test_tables_over_different_sets_are_not_mixed():
    measured = {"status": "ok", "clauses": 1.0, "literals": 2.0, "literals_per_clause": 2.0, "episodes": 1000}
    rows = [
        {"method": "paper", "variant": "full", "sets": sets, "seed": 0, "accuracy": accuracy, **measured}
        for sets, accuracy in (("uci", 0.8), ("mux6", 0.6))
    ]
    text = EXPERIMENTS["ablation"].table(rows)
    assert "On uci:" in text
    assert "80.0" in text
    assert "60.0" in text


def test_rows_of_a_share_that_is_none_do_not_spoil_the_learning_curve():
    """`learning --protocol p4` once ran every fit and then failed at the table, then and ever after."""
    rows = [
        {
            "method": "tree",
            "dataset": "vote",
            "protocol": protocol,
            "seed": 0,
            "status": "ok",
            "accuracy": 0.8,
        }
        for protocol in ("sub50", "p4")
    ]
    assert "50 %" in EXPERIMENTS["learning"].table(rows)


def test_the_published_rows_are_those_of_the_catalogues_data():
    """So that adding the checksum to what identifies a row leaves none of them without an owner."""
    folder = Path(__file__).parents[2] / "results"
    for path in sorted(folder.glob("uci-*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            found = {(row["dataset"], row.get("data")) for row in map(json.loads, lines)}
        known = {name: entry.sha256[:8] for name, entry in catalog().items()}
        assert all(data == known[name] for name, data in found if name in known)
