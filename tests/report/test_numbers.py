"""Every number of a report agrees with a plain count."""

import re
from dataclasses import replace

import numpy as np
import pytest
from report_tables import holds, induced, records

from nri.induce.assemble import count_classes
from nri.induce.induce import Induction, TablePosterior
from nri.induce.settings import Settings
from nri.induce.validate import cross_validate
from nri.outcome import Classes
from nri.report import ReportOptions, gather_report, render_report
from nri.report.gather import confusion_of
from nri.rule import Clause, Dnf, Literal, Op

QUICK = ReportOptions(samples=0, folds=0)


def test_branches_count_what_they_cover(visits):
    found = induced(visits)
    report = gather_report(visits, found, options=QUICK)
    assert report.branches
    labels = [visits.classes[code] for code in visits.codes]
    rows = records(visits)
    for branch in report.branches:
        fires = [all(holds(literal, row) for literal in branch.clause) for row in rows]
        right = sum(f and label == branch.value for f, label in zip(fires, labels, strict=True))
        assert branch.covers.rows == sum(fires)
        assert branch.covers.right == right
        assert branch.covers.precision == right / sum(fires)
        assert branch.covers.interval.low <= branch.covers.precision <= branch.covers.interval.high


def test_a_counting_clause_is_told_member_by_member(visits):
    members = [
        Literal("cough", Op.EQ, "yes"),
        Literal("fever", Op.EQ, "yes"),
        Literal("age", Op.GT, 50),
        Literal("chills", Op.EQ, "yes"),
    ]
    rule = count_classes({"flu": Dnf([Clause(members, 2)])}, "well", visits)
    report = gather_report(visits, Induction(rule), options=QUICK)
    (branch,) = report.branches
    rows = records(visits)
    held = [sum(holds(literal, row) for literal in members) for row in rows]
    yes = [visits.classes[code] == "flu" for code in visits.codes]
    assert branch.covers.rows == sum(n >= 2 for n in held)
    assert [tally.rows for tally in branch.by_number] == [held.count(n) for n in range(5)]
    assert [tally.right for tally in branch.by_number] == [
        sum(n == k and y for n, y in zip(held, yes, strict=True)) for k in range(5)
    ]
    for member in branch.members:
        mine = [holds(member.literal, row) for row in rows]
        assert member.holds.rows == sum(mine)
        assert member.within == sum(m and n >= 2 for m, n in zip(mine, held, strict=True))
        assert member.decisive == sum(m and n == 2 for m, n in zip(mine, held, strict=True))
    possible = [
        sum(row[literal.column] is None or holds(literal, row) for literal in members) for row in rows
    ]
    assert report.gaps.undecided == sum(p >= 2 > n for p, n in zip(possible, held, strict=True))
    assert "of these 4" in render_report(report)


def test_every_row_is_decided_once(visits):
    report = gather_report(visits, induced(visits), options=QUICK)
    otherwise = report.rule.decide(visits) == len(report.branches)
    assert sum(branch.decides.rows for branch in report.branches) + otherwise.sum() == len(report.table)
    assert sum(pattern.rows for pattern in report.patterns) == len(report.table)
    right_by_default = (visits.codes[otherwise] == report.rule.class_indices[-1]).sum()
    right = sum(branch.decides.right for branch in report.branches) + right_by_default
    assert right == sum(pattern.right for pattern in report.patterns)
    assert right / len(report.table) == pytest.approx(report.seen.value)


def test_the_confusion_matrix_counts_truth_against_prediction(visits):
    found = induced(visits)
    report = gather_report(visits, found, options=QUICK)
    said = [explanation.value for explanation in _explanations(visits, found)]
    for i, truth in enumerate(visits.classes):
        for j, label in enumerate(visits.classes):
            count = sum(
                visits.classes[code] == truth and one == label
                for code, one in zip(visits.codes, said, strict=True)
            )
            assert confusion_of(visits, report.predicted)[i][j] == count


def _explanations(table, found):
    return found.rule.explain(table, len(table))


def test_patterns_name_exactly_the_clauses_that_fire(visits):
    report = gather_report(visits, induced(visits), options=QUICK)
    rows = records(visits)
    for pattern in report.patterns:
        count = 0
        for row in rows:
            fired = tuple(
                branch.number
                for branch in report.branches
                if all(holds(literal, row) for literal in branch.clause)
            )
            count += fired == pattern.branches
        assert count == pattern.rows


def test_gaps_are_counted_in_columns_that_the_rule_reads(visits):
    found = induced(visits)
    report = gather_report(visits, found, options=QUICK)
    used = found.rule.columns
    rows = records(visits)
    assert report.gaps.rows == sum(any(row[name] is None for name in used) for row in rows) > 0
    assert report.gaps.columns
    for name, missing in report.gaps.columns:
        assert missing == sum(row[name] is None for row in rows) > 0
    undecided = 0
    for row in rows:
        fired = [all(holds(literal, row) for literal in branch.clause) for branch in report.branches]
        possible = [
            all(row[literal.column] is None or holds(literal, row) for literal in branch.clause)
            for branch in report.branches
        ]
        undecided += any(possible) and not any(fired)
    assert report.gaps.undecided == undecided > 0


def test_columns_are_told_apart_by_the_part_they_took(visits):
    settings = Settings(never=["chills"])
    report = gather_report(visits, induced(visits, settings), settings, options=QUICK)
    assert report.excluded == ["chills"]
    assert [str(one) for one in report.left_out] == ["visit_id looks like an identifier"]
    everything = {*report.rule.columns, *report.unused, "chills", "visit_id"}
    assert everything == set(visits.names)


def test_a_row_of_weight_two_is_two_rows(visits):
    twice = visits.take(np.concatenate([np.arange(80), np.arange(20)]))
    weights = np.where(np.arange(80) < 20, 2.0, 1.0)
    found = induced(visits)
    one = gather_report(twice, found, options=QUICK)
    other = gather_report(visits.reweighted(weights), found, options=QUICK)
    assert [(branch.covers.rows, branch.covers.right) for branch in one.branches] == [
        (branch.covers.rows, branch.covers.right) for branch in other.branches
    ]
    assert one.patterns == other.patterns
    assert confusion_of(one.table, one.predicted) == confusion_of(other.table, other.predicted)
    assert other.table.is_weighted
    assert not one.table.is_weighted


def test_weights_that_sum_to_the_number_of_rows_are_still_weights(visits):
    """The page called such rows plain rows, as the sum alone was looked at."""
    weights = np.where(np.arange(80) % 2 == 0, 0.5, 1.5)
    report = gather_report(visits.reweighted(weights), induced(visits), options=QUICK)
    assert report.weight == len(report.table)
    assert report.table.is_weighted
    assert "right on these weighted rows" in render_report(report)


def test_rows_of_weight_zero_are_as_good_as_absent(visits):
    weights = np.where(np.arange(80) < 20, 0.0, 1.0)
    report = gather_report(visits.reweighted(weights), induced(visits), options=QUICK)
    assert len(report.table) == 60


def test_the_held_out_accuracy_is_that_of_cross_validation(visits):
    settings = Settings(max_clauses=3)
    options = ReportOptions(samples=0, seed=7)
    report = gather_report(visits, induced(visits, settings), settings, options=options)
    expected = cross_validate(visits, settings, rng=np.random.default_rng(7))
    assert report.held_out.score == expected
    assert expected.interval.low < expected.value < expected.interval.high


def test_the_shortest_rule_that_is_as_good_within_a_point_and_its_error_is_recommended(visits):
    report = gather_report(visits, induced(visits), options=replace(QUICK, others=4))
    frontier = report.others.frontier
    assert [one.lines for one in frontier] == sorted({one.lines for one in frontier})
    errors = [(one.interval.high - one.interval.low) / 2 / 1.96 for one in frontier]
    within = [
        one for one, error in zip(frontier, errors, strict=True) if -one.difference <= min(0.01, error) + 1e-4
    ]
    assert report.others.shortest is within[0]
    shorter = within[0].rule.n_literals < report.rule.n_literals
    assert report.shorter == (within[0].rule if shorter else None)


def test_more_rows_than_allowed_are_sampled_for_what_is_induced_again(visits):
    options = ReportOptions(samples=1, folds=2, max_rows=40)
    report = gather_report(visits, induced(visits), options=options)
    assert len(report.table) == 80
    assert len(report.held_out.table) == 40
    assert report.stability.rows == 40


def test_progress_is_told_as_often_as_promised(visits):
    from nri.report import steps_of

    options = ReportOptions(samples=2, folds=3, seconds=None)
    calls = []
    gather_report(visits, induced(visits), options=options, step=lambda: calls.append(1))
    assert len(calls) == steps_of(options) == 5


def test_the_posterior_is_judged_on_held_out_rows_and_left_out_where_there_is_none(visits, monkeypatch):
    from nri.report import render_report

    options = ReportOptions(samples=0, folds=2)
    found = induced(visits)
    report = gather_report(visits, found, Settings(model="greedy"), options=options)
    assert report.held_out.posterior_score is None
    assert "readable form" not in render_report(report)
    seen = []

    def always_the_last_class(self, rows):
        seen.append(len(rows))
        return np.tile([0.1, 0.9], (len(rows), 1))

    monkeypatch.setattr(TablePosterior, "chances", always_the_last_class)
    report = gather_report(visits, found, options=options)
    assert sum(seen) == 80
    assert report.held_out.posterior_score.value == pytest.approx((visits.codes == 1).mean())
    page = render_report(report)
    assert "The readable form costs" in page
    assert re.search(r"(accuracy|here):\s+the model's own", page), "the colon had no blank behind it"


def test_other_classes_than_those_of_the_rules_are_refused(visits):
    from nri.errors import InputError

    other = visits.with_outcome(Classes("y", ("a", "b"), np.array([0, 1] * 40)))
    with pytest.raises(InputError, match="same classes"):
        gather_report(other, induced(visits))
