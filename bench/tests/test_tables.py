import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare

from nri import InputError
from nri_bench.experiments import EXPERIMENTS
from nri_bench.figures.words import spread_out
from nri_bench.report import content_of, fill, fill_documents, ranking_table
from nri_bench.run import append_row
from nri_bench.tables.frame import frame_of, label_of, scores_by_set
from nri_bench.tables.published import ACCURACY
from nri_bench.tables.statistics import friedman_p, nemenyi_distance, rank_methods, win_tie_loss
from nri_bench.tables.table1 import LATEX_COLUMNS, table1, table1_latex, table1_markdown


def row(method, dataset, accuracy, fold=0, seed=0, **more):
    base = {"experiment": "uci", "method": method, "dataset": dataset, "protocol": "p4", "seed": seed}
    found = {"status": "ok", "accuracy": accuracy, "majority_accuracy": 0.5, "n_variables": 7}
    return {**base, "fold": fold, **found, **more}


def test_a_failed_fit_counts_as_the_majority_and_is_marked():
    rows = [row("tree", "vote", 0.9), row("tree", "vote", None, fold=1, status="failed")]
    assert frame_of(rows)["score"].tolist() == [0.9, 0.5]
    cell = table1(rows, "p4").cells["vote", "tree"]
    assert cell.mean == pytest.approx(70.0)
    assert cell.n_failed == 1
    text = table1_markdown(rows, "p4")
    assert "70.0** ± 28.3†" in text
    assert "count as the majority class" in text


def test_the_best_of_each_line_is_bold_and_ties_share_it():
    rows = [row("tree", "vote", 0.9), row("figs", "vote", 0.90001), row("ripper", "vote", 0.8)]
    line = next(line for line in table1_markdown(rows, "p4").splitlines() if line.startswith("| vote"))
    assert line.count("**90.0**") == 2
    assert "**80.0**" not in line


def test_fewer_seeds_are_said():
    rows = [row("tree", "vote", 0.9, seed=seed) for seed in (0, 1)] + [row("ebm", "vote", 0.8)]
    text = table1_markdown(rows, "p4")
    assert "80.0‡" in text
    assert "fewer seeds" in text


def test_a_mean_of_fewer_seeds_is_marked_in_table_and_ranking(tmp_path):
    rows = [row("tree", "vote", 0.9, seed=seed) for seed in (0, 1)] + [row("ebm", "vote", 0.95)]
    assert table1(rows, "p4").means["ebm"].marks == "‡"
    ranking = ranking_table(rows, "p4")
    assert re.search(r"EBM +\| +95\.0‡", ranking)
    assert "fewer seeds or folds" in ranking


def test_failed_fits_fall_back_in_every_measure_of_the_ranking():
    """Four timeouts of five once gave an accuracy of 66 beside a balanced accuracy of 90."""
    more = {"balanced_accuracy": 0.9, "auc": 0.95, "n_classes": 2}
    rows = [row("tree", "vote", 0.9, **more)]
    rows += [row("tree", "vote", None, fold=fold, status="timeout", n_classes=2) for fold in range(1, 5)]
    assert re.search(r"DT +\| +58\.0† +\| +58\.0 +\| +59\.0", ranking_table(rows, "p4"))
    assert "DT" in ranking_table([rows[1]], "p4")


def synthetic(method, seed=0, status="ok", **more):
    return {"method": method, "seed": seed, "status": status, "accuracy": 0.9, "timed": True, **more}


def test_a_failed_row_of_a_curve_is_marked():
    rows = [synthetic("tree", noise=0.0), synthetic("tree", seed=1, noise=0.0)]
    rows.append({"method": "tree", "seed": 2, "status": "timeout", "noise": 0.0})
    text = EXPERIMENTS["noise"].table(rows)
    assert "76.7 ± 23.1†" in text
    assert "† some fits failed" in text


def test_a_curve_compares_methods_on_the_sets_they_share():
    rows = [synthetic("tree", dataset="vote", protocol="sub5")]
    rows += [synthetic("paper", dataset=name, protocol="sub5", accuracy=0.7) for name in ("vote", "car")]
    text = EXPERIMENTS["learning"].table(rows)
    assert "1 data sets" in text


def test_methods_with_more_values_of_rho_leave_the_others_comparable():
    """Four more values for the network alone once would have left every rival without a mean."""
    few = [synthetic("tree", D=8, rho=rho, shifted_accuracy=0.8) for rho in (0.1, 0.9)]
    many = [synthetic("paper", D=8, rho=rho, shifted_accuracy=0.8) for rho in (0.1, 0.2, 0.9)]
    shared, everything = EXPERIMENTS["spurious"].table(few + many).split("All 3 values")
    assert "DT" in shared
    assert "NRI paper" in shared
    assert "–" not in shared  # noqa: RUF001
    assert "DT" not in everything


def test_a_method_that_was_run_on_fewer_sizes_has_gaps_and_keeps_its_columns():
    few = [synthetic("tree", D=8, rho=rho, shifted_accuracy=0.8) for rho in (0.1, 0.9)]
    many = [synthetic("paper", D=D, rho=rho, shifted_accuracy=0.8) for D in (8, 32) for rho in (0.1, 0.9)]
    line = next(line for line in EXPERIMENTS["spurious"].table(few + many).splitlines() if "DT" in line)
    assert line.count("–") == 5  # noqa: RUF001
    sizes = [synthetic("tree", M=32, N=16, fit_seconds=0.1, peak_mb=3.0)]
    sizes += [synthetic("paper", M=m, N=16, fit_seconds=0.2, peak_mb=3.0) for m in (32, 64)]
    assert re.search(r"DT +\| +ms +\| +100 +\| +– \|", EXPERIMENTS["scaling"].table(sizes))  # noqa: RUF001


@pytest.mark.parametrize("name", ["noise", "spurious", "scaling", "recovery"])
def test_rows_that_all_failed_still_make_a_table(name, experiment_rows):
    keys = {"method", "seed", "noise", "D", "rho", "M", "N", "K", "L"}
    failed = [
        {key: value for key, value in row.items() if key in keys} | {"status": "failed", "timed": False}
        for row in experiment_rows[name]
    ]
    assert "NRI seeded" in EXPERIMENTS[name].table(failed)


def test_a_method_without_all_sets_has_no_mean():
    rows = [row("tree", "vote", 0.9), row("tree", "car", 0.7), row("ebm", "vote", 0.8)]
    means = table1(rows, "p4").means
    assert means["tree"].mean == pytest.approx(80.0)
    assert "ebm" not in means


def test_latex_holds_the_same_numbers_as_markdown(uci_rows):
    table = table1(uci_rows, "p4")
    latex, text = table1_latex(uci_rows, "p4"), table1_markdown(uci_rows, "p4")
    for cell in table.cells.values():
        assert f"{cell.mean:.1f}" in text
        assert f"{cell.mean:.1f}" in latex
    assert r"\pm" in latex


def test_latex_is_balanced_has_every_name_and_fits_the_page(uci_rows):
    table, latex = table1(uci_rows, "p4"), table1_latex(uci_rows, "p4")
    plain = re.sub(r"\\[{}]", "", latex)
    assert plain.count("{") == plain.count("}")
    assert plain.replace(r"\$", "").count("$") % 2 == 0
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", latex):
        assert kind == "begin" or opened.pop() == name
        opened += [name] if kind == "begin" else []
    assert opened == []
    for name in (*table.datasets, *(label_of(method) for method in table.methods)):
        assert name in latex.replace(r"\\", " ")
    counts = {line.count("&") for line in latex.splitlines() if line.endswith(r" \\")}
    columns = {len(kinds) - 1 for kinds in re.findall(r"@\{\}(l.*?)@\{\}", latex)}
    assert counts == columns
    assert max(columns) <= LATEX_COLUMNS + 1
    assert latex.count(r"\toprule") == -(-len(table.methods) // LATEX_COLUMNS)


def test_names_that_tex_would_read_as_commands_are_escaped():
    latex = table1_latex([row("tree", r"my_data & 5%{#}~^\$", 0.9)], "p4")
    assert r"my\_data \& 5\%\{\#\}\textasciitilde{}\textasciicircum{}\textbackslash{}\$ & 7 &" in latex
    assert table1_latex([], "p4") == "% No rows yet.\n"


def test_only_data_sets_that_methods_share_are_compared():
    rows = [row(method, name, 0.8) for method in ("tree", "figs", "ripper") for name in ("vote", "car")]
    rows += [row("ebm", "vote", 0.9), row("tree", "adult", 0.8)]
    scores = scores_by_set(rows, "p4")
    assert set(scores.columns) == {"tree", "figs", "ripper"}
    assert set(scores.index) == {"vote", "car"}


def test_friedman_agrees_with_scipy_and_nemenyi_with_the_published_table():
    scores = np.random.default_rng(0).random((12, 4))
    ranking = rank_methods(pd.DataFrame(scores, columns=list("abcd")))
    assert ranking.ranks.sum() == pytest.approx(10.0)
    statistic = friedmanchisquare(*scores.T).statistic
    f_form = 11 * statistic / (12 * 3 - statistic)
    from scipy.stats import f

    assert ranking.friedman_p == pytest.approx(f.sf(f_form, 3, 33))
    published = {2: 1.960, 5: 2.728, 10: 3.164}  # q at 5 % (Demsar 2006, table 5)
    for k, q in published.items():
        assert nemenyi_distance(k, 10) == pytest.approx(q * np.sqrt(k * (k + 1) / 60), rel=1e-3)


def test_equal_methods_do_not_differ():
    assert friedman_p(np.full((5, 3), 2.0)) == 1.0
    ranking = rank_methods(pd.DataFrame(np.ones((5, 3)), columns=list("abc")))
    assert ranking.cliques() == [(0, 2)]


def test_methods_far_apart_are_in_no_clique():
    scores = pd.DataFrame(np.tile([0.9, 0.5, 0.1], (30, 1)), columns=list("abc"))
    ranking = rank_methods(scores)
    assert ranking.methods == ("a", "b", "c")
    assert ranking.cliques() == []
    assert ranking.friedman_p < 1e-6


def test_wins_of_one_are_losses_of_the_other():
    scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.8, 0.8, 0.9]})
    counts = win_tie_loss(scores)
    assert counts.loc["a", "b"] == (1, 1, 1)
    assert counts.loc["b", "a"] == (1, 1, 1)
    assert counts.loc["a", "a"] == (0, 3, 0)


def test_labels_spread_without_crossing_or_leaving():
    places = spread_out([5.0, 5.1, 5.2, 0.0], gap=1.0, low=0.0, high=6.0)
    assert places[3] == 0.0
    assert np.all(np.diff(places[:3]) >= 1.0 - 1e-9)
    assert max(places) <= 6.0 + 1e-9


def test_marked_places_are_filled_and_filling_twice_changes_nothing(tmp_path, uci_rows):
    for one in uci_rows:
        append_row(tmp_path / f"uci-{one['protocol']}.jsonl", one)
    text = (
        "The mean is <!-- bench:mean:seeded:p4 -->?<!-- /bench --> %.\n\n"
        "<!-- bench:table1:p4 -->\n<!-- /bench -->\n\n<!-- bench:ranking:p4 --><!-- /bench -->\n"
        "<!-- bench:provenance --><!-- /bench -->\n"
    )
    filled = fill(text, tmp_path)
    mean = table1(uci_rows, "p4").means["seeded"].mean
    assert f"<!-- bench:mean:seeded:p4 -->{mean:.1f}<!-- /bench --> %." in filled
    assert "| adult" in filled
    assert "scikit-learn 1.9.1" in filled
    assert "abc1234" in filled
    assert fill(filled, tmp_path) == filled


def test_the_version_and_commit_of_our_rows_are_stated(tmp_path, uci_rows):
    """Curves of 0.1 stood beside tables of 0.3 without a word."""
    older = [one | {"versions": "nri 0.1.0 numpy 2.4.6", "commit": "0ld"} for one in uci_rows]
    for one in older:
        append_row(tmp_path / f"uci-{one['protocol']}.jsonl", one)
    sentence = content_of("measured:uci", tmp_path)
    assert "NRI seeded: version 0.1.0, commit 0ld" in sentence
    assert "XGB" not in sentence


def test_check_reports_stale_documents_and_leaves_them(tmp_path):
    document = tmp_path / "README.md"
    document.write_text("<!-- bench:mean:tree:p4 -->99.9<!-- /bench -->\n")
    assert fill_documents([document], tmp_path, write=False) == [document]
    assert "99.9" in document.read_text()
    assert fill_documents([document], tmp_path) == [document]
    assert "n/a" in document.read_text()
    assert fill_documents([document], tmp_path) == []


def test_an_unknown_place_and_an_unclosed_one_are_errors(tmp_path):
    with pytest.raises(InputError, match="no bench place 'nonsense'"):
        content_of("nonsense", tmp_path)
    with pytest.raises(InputError, match="1 bench places opened but 0 closed"):
        fill("<!-- bench:provenance -->", tmp_path)


@pytest.mark.parametrize(
    "name",
    [name for name in EXPERIMENTS if name not in ("uci", "number", "survival", "dynamics", "size", "small")],
)
def test_every_experiment_makes_a_table_of_its_rows_and_of_none(name, experiment_rows):
    text = EXPERIMENTS[name].table(experiment_rows[name])
    for label in ("RIPPER", "NRI seeded") if name != "options" else ("gate noise", "no-length"):
        assert label in text
    assert EXPERIMENTS[name].table([]) == "No rows yet.\n"


def test_fits_without_a_rule_are_counted_though_none_failed():
    """RIPPER and RuleFit came out empty thirty and twenty times at p4 and looked as if all was well.

    Fifteen of either were wholly empty, on hepatitis; the others had no rule for one class of the five of
    nursery, and a count of models without any clause passed them over.
    """
    rows = [row("tree", name, 0.9) | {"clauses": clauses} for name, clauses in (("vote", 0), ("car", 3))]
    assert re.search(r"DT +\|.*\| +0 \| +1 \|", ranking_table(rows, "p4"))
    rows[1]["note"] = "empty rule set: predicts the majority"
    assert re.search(r"DT +\|.*\| +0 \| +1 \+ 1 in part \|", ranking_table(rows, "p4"))


def test_the_networks_accuracy_stands_beside_their_recovery():
    base = {"experiment": "recovery", "method": "paper", "K": 1, "L": 2, "M": 48, "seed": 0, "status": "ok"}
    text = EXPERIMENTS["recovery"].table([{**base, "equal": 0.4, "accuracy": 0.975, "n_episodes": 5}])
    assert "| NRI paper |  48 |  40 |" in text
    assert "| NRI paper |  48 | 97.5 |" in text


def test_rules_of_as_many_literals_are_compared_as_clauses_and_as_lengths():
    base = {"experiment": "recovery", "method": "paper", "M": 48, "seed": 0, "status": "ok", "accuracy": 0.9}
    cells = [
        {**base, "K": k, "L": n, "equal": share} for k, n, share in ((1, 2, 0.8), (2, 1, 0.5), (2, 2, 0))
    ]
    text = EXPERIMENTS["recovery"].table(cells)
    assert re.search(r"method +\| +M \| +2x1, 1x2 \|", text)
    assert re.search(r"NRI paper +\| +48 \| +50.0 against 80.0 \|", text)


def test_differences_to_the_papers_table_are_told_set_by_set(tmp_path):
    for name in ACCURACY:
        append_row(tmp_path / "uci-p4.jsonl", row("tree", name, 0.85))
    text = content_of("against-paper", tmp_path)
    assert re.search(r"adult +\| +\*\*\+2\.9\*\*", text)  # 85.0 against 82.1
    assert re.search(r"kr-vs-kp +\| +\*\*-7\.4\*\*", text)
    assert "RIPPER" not in text


def test_a_single_value_is_the_mean_of_the_rows_that_are_meant(tmp_path):
    base = {"experiment": "recovery", "method": "paper", "K": 1, "seed": 0, "status": "ok"}
    rows = [
        {**base, "L": 1, "equal": 0.9},
        {**base, "L": 2, "equal": 0.5},
        {**base, "L": 2, "seed": 1, "equal": 0.7},
    ]
    for row in rows:
        append_row(tmp_path / "recovery.jsonl", row)
    assert content_of("value:recovery:equal:method=paper,K=1,L=2", tmp_path) == "60.0"
    assert content_of("value:recovery:equal:method=greedy,K=1", tmp_path) == "n/a"


def test_the_campaign_is_summed_over_its_runs(tmp_path):
    assert content_of("campaign", tmp_path) == "No rows yet.\n"
    ended = {"ok": 900, "refused": 99, "foreign": 1, "hung": 0, "different": 0}
    for part, rows in (("fits", 0), ("fits", 0), ("exports", 1_000_000)):
        row = {"part": part, "seed": 1, "commit": "abc", "tried": 1000, **ended, "rows": rows}
        with (tmp_path / "fuzz.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")
    text = content_of("campaign", tmp_path)
    assert re.search(r"fits of classifiers and regressors +\| 2 000 \| 1 800 \| +198 \| +2 \|", text)
    assert "1 000 000 rows of tables" in text
    assert "again" not in text


def test_rounds_that_the_campaign_drew_again_are_told_apart(tmp_path):
    ended = {"ok": 900, "refused": 99, "foreign": 1, "hung": 0, "different": 0, "rows": 0}
    mended = {**ended, "refused": 100, "foreign": 0}
    rows = [{"part": "fits", "tried": 1000, **ended}, {"part": "fits", "tried": 200, "again": [7], **mended}]
    (tmp_path / "fuzz.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = content_of("campaign", tmp_path)
    assert re.search(r"fits of classifiers and regressors +\| 1 000 \| +900 \| +99 \| +1 \|", text)
    assert "after a finding in them was fixed: 200 cases, 0 findings" in text


def test_the_last_soak_is_told_in_a_sentence(tmp_path):
    assert content_of("soak", tmp_path) == "No rows yet.\n"
    first = {"visitors": 100, "minutes": 10.0, "requests": 8235, "failed": 0, "edits": 1378, "lost": 0}
    first |= {"told_place": 874, "left": 0, "small": 4128, "p50_ms": 102, "p99_ms": 989, "megabytes": 710}
    rows = [{**first, "commit": "abc"}, {**first, "commit": "def", "p99_ms": 1500}]
    (tmp_path / "soak.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = content_of("soak", tmp_path)
    assert text.startswith(
        "100 visitors for 10 minutes: 8 235 requests, 0 answers of 5xx, 1 378 edits and 0 lost"
    )
    assert "99 % at most 1 500 ms; memory of the server at most 710 MB (commit def)" in text


def test_a_place_may_name_a_folder_of_rows_below(tmp_path):
    """Rows of a network that does not ship are told on a page, and enter no table of those that do."""
    row = {"experiment": "noise", "method": "mine.onnx", "noise": 0.0, "seed": 0, "status": "ok"}
    append_row(tmp_path / "mine" / "noise.jsonl", {**row, "accuracy": 0.75})
    assert content_of("mine/value:noise:accuracy:method=mine.onnx,noise=0.0", tmp_path) == "75.0"
    assert content_of("value:noise:accuracy:method=mine.onnx,noise=0.0", tmp_path) == "n/a"
    assert "mine.onnx" in content_of("mine/noise", tmp_path)


def test_claims_stand_beside_the_rows_that_answer_them_and_a_gap_stays_empty():
    from nri_bench.tables.paper import expected_table, paper_table

    rows = [
        {"method": "paper", "D": d, "rho": 0.9, "seed": 0, "status": "ok", "accuracy": accuracy}
        for d, accuracy in ((16, 0.95), (32, 0.91))
    ]
    asked = []

    def rows_of(experiment, folder):
        asked.append((experiment, folder))
        return rows if (experiment, folder) == ("spurious", "") else []

    lines = {line.split("|")[1].strip(): line.split("|")[2:] for line in paper_table(rows_of).splitlines()}
    place = [cell.strip() for cell in lines[""]].index("`paper`")
    cells = {what: [cell.strip() for cell in line] for what, line in lines.items()}
    assert cells["spurious: least cell"][place] == "91.0"
    assert cells["spurious: cells above 92"][place] == "1 of 2"
    assert cells["spurious: D = 32, rho = 0.9"][0:2] == ["97.6", ""]
    assert cells["recovery 4x3"][0] == "24.0"
    assert cells["recovery 4x3"][place] == ""
    assert ("uci", "published-code") in asked
    assert "| `spurious` |" in expected_table(rows_of).replace("  ", " ").replace("  ", " ")
