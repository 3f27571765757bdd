"""``nri slices`` and ``nri surrogate``: where a model is wrong, and a rule that mimics it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nri.cli import options as opt
from nri.cli.console import emit, message, mute_notes, progress, text_table
from nri.cli.files import check_outputs, in_memory, large_files, open_rows, open_table
from nri.cli.options import (
    FileArgument,
    JsonOption,
    OutputOptions,
    PredictionsOption,
    QuietOption,
    Reading,
    RowOptions,
    RuleOptions,
)
from nri.cli.output import record_json, write_rule
from nri.cli.settings import settings_of, split_names
from nri.errors import InputError, UnknownColumnError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nri.rows.base import Rows
    from nri.rows.files import Files
    from nri.table import Table
    from nri.table.target import Answers
    from nri.tasks.slices import Slice, Slices
    from nri.tasks.surrogate import Surrogate

LabelsOption = Annotated[
    str, typer.Option("--labels", "-l", metavar="COLUMN", help='The truth, or a comparison: "price > 100".')
]
ToleranceOption = Annotated[
    float | None, typer.Option(min=0.0, help="For numbers: an error is a difference larger than this.")
]
TestOption = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="holdout (counts on rows not searched) or permutation (for small tables)."
    ),
]
AlphaOption = Annotated[
    float, typer.Option(min=0.0, max=1.0, help="Most chance of showing any slice where there is none.")
]
MostOption = Annotated[int, typer.Option(min=1, help="Most slices that are tested.")]
LiteralsOption = Annotated[int, typer.Option(min=1, help="Most conditions in one slice.")]
MinRowsOption = Annotated[
    int | None, typer.Option(min=1, help="Least rows of a slice; by default 2 %, at least 10.")
]
NegationsOption = Annotated[
    bool, typer.Option("--negations/--no-negations", help="Whether NOT and != may occur.")
]


@opt.spread
def slices(
    file: FileArgument,
    labels: LabelsOption,
    predictions: PredictionsOption,
    rows: RowOptions,
    tolerance: ToleranceOption = None,
    test: TestOption = "holdout",
    alpha: AlphaOption = 0.05,
    most: MostOption = 5,
    max_literals: LiteralsOption = 3,
    min_rows: MinRowsOption = None,
    columns: opt.ColumnsOption = None,
    without: opt.WithoutOption = None,
    negations: NegationsOption = False,
    sheet: opt.SheetOption = None,
    header: opt.HeaderOption = None,
    random_state: opt.SeedOption = 0,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find slices on which a model errs more often than elsewhere.

    The table holds the predictions of the model and the truth. By default slices are searched on one half of
    the rows and counted on the other, so that lift and p-value are not biased by the search. Of a large file
    some rows are searched and all others counted.
    """
    mute_notes(quiet)
    import numpy as np

    from nri.table.by_plan import comparison_of
    from nri.table.target import read_answers
    from nri.tasks.slices import error_slices

    options: dict[str, Any] = {"tolerance": tolerance, "alpha": alpha, "most": most}
    options |= {"max_literals": max_literals, "min_rows": min_rows, "negations": negations}

    def chosen(names: "Sequence[str]") -> dict[str, Any]:
        """Return the columns to use and never to use; labels and predictions are never used anyway."""
        both = ((labels, "--labels"), (predictions, "--predictions"))
        taken = [comparison_of(one, names, option)[0] for one, option in both]
        never = [name for name in split_names(without, names) or () if name not in taken]
        return {"columns": split_names(columns, names), "never": never}

    files = large_files(file, rows.engine, sheet, header) if test == "holdout" else None
    if files is not None:
        result = _slices_of_files(files, rows.sample, labels, predictions, chosen, options, quiet=quiet)
    else:
        table = open_table(file, sheet, header, quiet=quiet).table()
        options |= chosen(table.names)
        truth = read_answers(table, labels, "--labels")
        predicted = read_answers(table, predictions, "--predictions")
        features = table.without(truth.column, predicted.column)
        shuffles = 200 if test == "permutation" else None
        with progress("searching for slices", steps=shuffles, quiet=quiet) as step:
            rng = np.random.default_rng(random_state)
            result = error_slices(features, truth, predicted, test=test, rng=rng, step=step, **options)
    if json:
        emit(record_json(result))
    else:
        _show_slices(result, quiet=quiet)


def _slices_of_files(
    files: "Files",
    sample: int | None,
    labels: str,
    predictions: str,
    chosen: "Callable[[Sequence[str]], dict[str, Any]]",
    options: dict[str, Any],
    *,
    quiet: bool,
) -> "Slices":
    """Search some rows of a large table for slices, and count them on all others."""
    from nri.cli.files import SAMPLE
    from nri.rows.files import some_rows
    from nri.tasks.stream import stream_slices

    with progress("searching for slices", quiet=quiet) as step:
        some = some_rows(files, sample or SAMPLE)
        options = options | chosen(some.source.names)
        options["step"] = lambda rows: step.describe(f"counting on all rows: {rows}")
        result = stream_slices(files, some.source, some.n_rows, labels, predictions, **options)
    searched = f"searched {len(some.source)} of {some.n_rows} rows (--sample), chosen by a hash"
    message(f"{searched}; all others are counted", quiet=quiet)
    return result


def _show_slices(result: "Slices", *, quiet: bool) -> None:
    tested = "rows held out for testing" if result.test == "holdout" else "rows"
    message(
        f"error rate {result.rate:.2f} on the {result.rows} {tested} ({result.errors} errors)", quiet=quiet
    )
    if result.slices:
        heading = ("slice", "rows", "errors", "rate", "95 % interval", "lift", "p (corrected)")
        emit(text_table([heading, *(_slice_line(one) for one in result.slices)]))
    else:
        emit("no slice: errors are not concentrated on rows that the columns separate")
    if result.rejected:
        n = len(result.rejected)
        more = f"{n} more" if result.slices else str(n)
        verb = "was" if n == 1 else "were"
        message(f"{more} {verb} found and did not hold up (p above {result.alpha:g})", quiet=quiet)


def _slice_line(one: "Slice") -> tuple[str, ...]:
    from nri.rule.phrase import phrase_clause

    return (
        phrase_clause(one.clause),
        str(one.rows),
        str(one.errors),
        f"{one.rate:.2f}",
        f"{one.interval.low:.2f} to {one.interval.high:.2f}",
        f"{one.lift:.1f}",
        "< 0.0001" if one.p_value < 0.0001 else f"{one.p_value:.4f}",
    )


ThresholdOption = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="The predictions are scores: yes above this, else no.")
]
TruthOption = Annotated[
    str | None,
    typer.Option("--labels", "-l", metavar="COLUMN", help="The truth: not induced from, only compared with."),
]


@opt.spread
def surrogate(
    file: FileArgument,
    predictions: PredictionsOption,
    options: RuleOptions,
    output: OutputOptions,
    rows: RowOptions,
    threshold: ThresholdOption = None,
    labels: TruthOption = None,
    positive: opt.PositiveOption = None,
    weights: opt.WeightsOption = None,
    sheet: opt.SheetOption = None,
    header: opt.HeaderOption = None,
    random_state: opt.SeedOption = 0,
) -> None:
    """Induce a rule that mimics a model, from a column of its predictions or scores.

    Fidelity is how well the rule predicts the model's predictions, cross-validated.
    """
    mute_notes(output.quiet)
    check_outputs({"--out": output.out}, {"the table": file})
    output.chosen_format()
    target = predictions if threshold is None else f"{predictions} > {threshold:.15g}"
    reading = Reading(target, positive, weights=weights, sheet=sheet, header=header)
    try:
        with open_rows(file, reading, rows, quiet=output.quiet) as opened:
            _mimic(opened, options, output, target, labels, rows.sample, seed=random_state)
    except UnknownColumnError as error:
        if error.name != target and not target.startswith(error.name):
            raise
        raise UnknownColumnError(error.name, error.present, where="--predictions") from None


def _mimic(
    rows: "Table | Rows",
    options: RuleOptions,
    output: OutputOptions,
    target: str,
    labels: str | None,
    sample: int | None,
    *,
    seed: int,
) -> None:
    import numpy as np

    from nri.induce.validate import FOLDS
    from nri.outcome import Classes
    from nri.table import Table
    from nri.table.by_plan import comparison_of
    from nri.tasks.surrogate import mimic

    names = tuple(rows.names if isinstance(rows, Table) else rows.columns)
    taken = [] if labels is None else [comparison_of(labels, names, "--labels")[0]]
    if labels is not None:
        if not isinstance(rows.outcome, Classes):
            raise InputError(f"--labels are compared with classes; add --threshold, e.g. 0.5 for {target!r}")
        table = in_memory(rows, sample, quiet=output.quiet)
        truth, predicted = _truth_and_predictions(table, labels, target)
    classes = rows.outcome.classes if isinstance(rows.outcome, Classes) else ()
    without = split_names(options.without, names) or ()
    explained = [name for name in without if name not in names and target.strip('"').startswith(name)]
    settings = settings_of(options, names, *explained, *taken, classes=classes)
    settings = replace(settings, never=[*settings.never, *taken])
    with progress("searching for a rule", steps=FOLDS, quiet=output.quiet) as step:
        result = mimic(rows, settings, rng=np.random.default_rng(seed), step=step)
    write_rule(result.rule, output, _fidelity_note(result))
    if labels is not None:
        message(_against_truth(result, table, truth, predicted), quiet=output.quiet)


def _fidelity_note(result: "Surrogate") -> str:
    score = result.fidelity
    if score.measure == "accuracy":
        baseline = f"most frequent prediction {score.baseline:.2f}"
        return f"rule: fidelity {score} (cross-validated; {baseline})"
    return f"rule: fidelity {score.measure} {score} (cross-validated)"


def _truth_and_predictions(table: "Table", labels: str, target: str) -> "tuple[Answers, Answers]":
    """Return both as classes; raise before the work begins if they share no value."""
    from nri.table import table_of
    from nri.table.target import read_answers
    from nri.tasks.surrogate import as_texts

    truth = read_answers(table, labels, "--labels")
    outcome = table.labels
    codes = {"prediction": [outcome.classes[code] for code in outcome.codes]}
    predicted = replace(read_answers(table_of(codes), "prediction"), name=target)
    words = [set(as_texts(one)[one.labels.known].tolist()) for one in (truth, predicted)]
    if words[0] & words[1] or words[0] | words[1] <= {"0", "1"}:
        return truth, predicted
    remedies = [
        f'{option} "{name} = {max(some)}"'
        for option, name, some in (("--labels", truth.name, words[0]), ("--predictions", target, words[1]))
        if some - {"0", "1"}
    ]
    raise InputError(
        f"labels {truth.name!r} ({_few(words[0])}) and predictions {target!r} ({_few(words[1])}) "
        f"share no value; give both in the same words, e.g. {' '.join(remedies)}"
    )


def _few(words: set[str]) -> str:
    shown = sorted(words)
    return ", ".join(shown[:3]) + (", ..." if len(shown) > 3 else "")


def _against_truth(result: "Surrogate", table: "Table", truth: "Answers", predicted: "Answers") -> str:
    """Return a line on how often model and rule are right, on the rows where both are known."""
    from nri.tasks.surrogate import right_shares

    model, rule = right_shares(result.rule, table, truth, predicted)
    return f"against {truth.name}: the model is right on {model:.2f}, the rule on {rule:.2f} (on these rows)"
