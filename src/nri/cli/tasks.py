"""``nri alternatives``, ``compare``, ``stability``, ``slices`` and ``surrogate``: questions about rules."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nri.cli import options as opt
from nri.cli.console import emit, message, progress
from nri.cli.files import SAMPLE, check_outputs, in_memory, read_rule
from nri.cli.induce import check_output, write_rule
from nri.cli.reading import generator, large_files, open_rows, open_table, settings_of, split_names
from nri.errors import InputError, UnknownColumnError

if TYPE_CHECKING:
    from nri.rule import Rule
    from nri.table import Table
    from nri.table.target import Answers
    from nri.tasks.compare import RowChanges

DIFFERENT = 3  # Exit code of --fail-above.


def compare(
    old: Path,
    new: Path,
    place: opt.StreamOptions,
    file: str | None = None,
    fail_above: float | None = None,
    out: opt.File = None,
    json: bool = False,
    quiet: bool = False,
) -> None:
    """Show what changed from one rule to another and, on a table, on which rows they differ.

    With a table, --out writes the rows on which they differ. Large files go through both rules batch by
    batch, so that all rows are counted.
    """
    if fail_above is not None and file is None:
        raise InputError("--fail-above is a share of rows; name a table to apply both rules to")
    check_outputs({"--out": out}, {"the table": file, "the old rule": old, "the new rule": new})
    first, second = read_rule(old), read_rule(new)
    from nri.cli.output import comparison_lines, record_json
    from nri.tasks.compare import compare_rules

    comparison = compare_rules(first, second)
    if file is not None:
        comparison = replace(comparison, rows=_on_rows(first, second, file, place, out))
    emit(record_json(comparison) if json else "\n".join(comparison_lines(comparison, second)))
    if out is not None:
        message(f"wrote {out}" if file else "nothing written: name a table to apply both rules to")
    changed = comparison.rows
    if fail_above is not None and changed is not None and changed.n_rows:
        share = changed.differing / changed.n_rows
        if share > fail_above:
            message(f"the rules differ on {share:.4f} of the rows, more than {fail_above:g}")
            raise typer.Exit(DIFFERENT)


def _on_rows(old: "Rule", new: "Rule", file: str, place: opt.StreamOptions, out: Path | None) -> "RowChanges":
    """Apply both rules to a table, and write the rows on which they differ if they are wanted."""
    from nri.table.cells import objects_of
    from nri.table.source import Source
    from nri.table.write import typed_columns, write_table
    from nri.tasks.compare import row_changes, stream_changes

    files = large_files(file, place)
    if files is not None:
        with progress("comparing") as step:
            return stream_changes(old, new, files, out, step=step.count_rows)
    source = open_table(file, place)
    changes = row_changes(old, new, source)
    if out is not None:
        predicted = {f"old_{new.target}": changes.old, f"new_{new.target}": changes.new}
        both = Source({**typed_columns(source), **predicted})
        write_table({name: objects_of(both.listed(name))[changes.differs] for name in both.names}, out)
    return changes


def alternatives(
    file: str,
    reading: opt.Reading,
    options: opt.InduceOptions,
    output: opt.OutputOptions,
    rows: opt.RowOptions,
    within: float = 0.01,
    most: int = 20,
    pick: int | None = None,
    random_state: int = 0,
) -> None:
    """Show rules that are nearly as good as the best one, what its columns are worth, and what lines bring.

    With --pick, --out and --format are about the rule that is picked, as for nri induce.
    """
    from nri.cli.output import record_json, show_alternatives
    from nri.induce.alternatives import alternatives as find
    from nri.induce.floors import Floors

    form = check_output(output, file)
    if pick is None and output.out is not None:
        raise InputError("--out is for the rule that you pick; add --pick N, or write the list by > FILE")
    if pick is None and form not in (None, "text", "json"):
        raise InputError(f"--format {form} is for the rule that you pick; add --pick N, or use text or json")
    floors = Floors(options.min_sensitivity, options.min_specificity)
    with open_rows(file, reading, rows, options.config) as opened:
        table = in_memory(opened, rows.sample)
    with progress("searching for rules"):
        settings, rng = settings_of(options, table), generator(random_state)
        result = find(table, settings, within, most, rng=rng, floors=floors)
    if result.sampled is not None:
        message(f"searched and counted {result.sampled} of {len(table)} rows")
    if result.floored is not None:
        message(str(result.floored), always=not result.floored.met)
    if pick is not None:
        n_rules = len(result.rules)
        if pick > n_rules:
            raise InputError(f"--pick {pick}: there are {n_rules} rules; pick one of them, or raise --within")
        one = result.rules[pick - 1]
        write_rule(one.rule, output, form, f"rule {pick} of {n_rules}: {one.words}")
    elif form == "json":
        emit(record_json(result))
    else:
        show_alternatives(result)


def stability(
    file: str,
    reading: opt.Reading,
    options: opt.RuleOptions,
    rows: opt.RowOptions,
    samples: int = 20,
    random_state: int = 0,
    json: bool = False,
    quiet: bool = False,
) -> None:
    """Induce rules from bootstrap samples of a table, and show how far they agree and which clauses recur.

    A large file is sampled; the results are then about rules from so many rows.
    """
    from nri.cli.output import record_json, show_stability
    from nri.induce.folds import note_on_rows
    from nri.induce.induce import induce_rule
    from nri.tasks.stability import clause_stability

    with open_rows(file, reading, rows, options.config) as opened:
        table = in_memory(opened, rows.sample)
    message(note_on_rows(table, "--groups {}".format))
    settings = settings_of(options, table)
    with progress("inducing from samples", steps=samples) as step:
        rule = induce_rule(table, settings, rng=generator(random_state)).rule.reduced
        rng = generator(random_state)  # the samples of the report, so that both show the same
        result = clause_stability(table, rule, settings, rng=rng, samples=samples, step=step)
    if json:
        emit(record_json(result, rule=rule))
    else:
        show_stability(None if quiet else rule, result)


def slices(
    file: str,
    labels: str,
    predictions: str,
    rows: opt.RowOptions,
    tolerance: float | None = None,
    alpha: float = 0.05,
    most: int = 5,
    max_literals: int = 3,
    min_rows: int | None = None,
    groups: opt.Text = None,
    time_order: opt.Text = None,
    use: opt.Texts = None,
    never: opt.Texts = None,
    negations: bool = False,
    random_state: int = 0,
    json: bool = False,
    quiet: bool = False,
) -> None:
    """Find slices on which a model errs more often than elsewhere.

    The table holds the predictions of the model and the truth. Slices are searched on one half of the rows
    and counted on the other, so that lift and p-value are not biased by the search. Of a large file some
    rows are searched and all others counted.
    """
    from nri.cli.output import record_json, show_slices
    from nri.induce.folds import note_on_rows
    from nri.rows.files import some_rows
    from nri.table.by_plan import comparison_of
    from nri.table.target import read_answers
    from nri.tasks.slices import error_slices, stream_slices

    options: dict[str, Any] = {"tolerance": tolerance, "alpha": alpha, "most": most}
    options |= {"max_literals": max_literals, "min_rows": min_rows, "negations": negations}
    both = ((labels, "--labels"), (predictions, "--predictions"))

    def answers(table: "Table") -> "tuple[Answers, Answers]":
        return read_answers(table, *both[0]), read_answers(table, *both[1])

    def chosen(names: Sequence[str]) -> dict[str, Any]:
        """Return the columns to use and never to use; labels and predictions are never used anyway."""
        taken = [comparison_of(one, names, option)[0] for one, option in both]
        taken += [one for one in (groups, time_order) if one is not None]
        others = [name for name in split_names(never, names) or () if name not in taken]
        return {"columns": split_names(use, names), "never": others}

    files = large_files(file, rows)
    if files is not None and (groups or time_order):
        raise InputError("--groups and --time-order are for tables read into memory; add --engine memory")
    if files is not None:
        with progress("searching for slices") as step:
            some, n_rows = some_rows(files, rows.sample or SAMPLE)
            options |= chosen(some.names)
            result = stream_slices(files, some, n_rows, answers, step=step.count_rows, **options)
        searched = f"searched {len(some)} of {n_rows} rows (--sample), chosen by a hash"
        message(f"{searched}; all others are counted")
    else:
        table = open_table(file, rows).table()
        truth, predicted = answers(table)
        options |= chosen(table.names)
        features = table.without(truth.column, predicted.column).arranged(groups, time_order)
        message(note_on_rows(features, "--groups {}".format))
        with progress("searching for slices"):
            result = error_slices(features, truth, predicted, rng=generator(random_state), **options)
    if json:
        emit(record_json(result))
    else:
        show_slices(result)


def surrogate(
    file: str,
    predictions: str,
    options: opt.RuleOptions,
    output: opt.OutputOptions,
    rows: opt.RowOptions,
    threshold: float | None = None,
    positive: opt.Text = None,
    weights: opt.Text = None,
    random_state: int = 0,
) -> None:
    """Induce a rule that mimics a model, from a column of its predictions or scores.

    Fidelity is how well the rule predicts the model's predictions, cross-validated.
    """
    from nri.induce.validate import FOLDS
    from nri.tasks.surrogate import mimic

    form = check_output(output, file)
    target = predictions if threshold is None else f"{predictions} > {threshold:.15g}"
    reading = opt.Reading(target, positive, weights=weights)
    try:
        with open_rows(file, reading, rows, options.config) as opened:
            names = tuple(opened.columns)
            never = split_names(options.never, names) or ()
            explained = [one for one in never if one not in names and target.strip('"').startswith(one)]
            settings = settings_of(options, opened, *explained)
            with progress("searching for a rule", steps=FOLDS) as step:
                result = mimic(opened, settings, rng=generator(random_state), step=step)
    except UnknownColumnError as error:
        if error.name != target and not target.startswith(error.name):
            raise
        raise UnknownColumnError(error.name, error.present, where="--predictions") from None
    score = result.fidelity
    note = f"rule: fidelity {score.measure} {score} (cross-validated)"
    if score.measure == "accuracy":
        baseline = f"most frequent prediction {score.baseline:.2f}"
        note = f"rule: fidelity {score} (cross-validated; {baseline})"
    write_rule(result.rule, output, form, note)
