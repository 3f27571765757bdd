"""``nri slices``: on which rows does somebody's model fail?"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nri.cli import options as given
from nri.cli import texts
from nri.cli.console import emit, mute_notes, tell, waiting
from nri.cli.options import (
    FileArgument,
    JsonOption,
    PredictionsOption,
    QuietOption,
)
from nri.cli.records import Part, spread

if TYPE_CHECKING:
    from nri.engine.files import Files
    from nri.tasks.slice_judge import Slice, Slices


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
    float, typer.Option(min=0.0, max=1.0, help="Most chance of naming any slice where there is none.")
]
MostOption = Annotated[int, typer.Option(min=1, help="Most slices that are judged.")]
LiteralsOption = Annotated[int, typer.Option(min=1, help="Most conditions in one slice.")]
MinRowsOption = Annotated[
    int | None, typer.Option(min=1, help="Least rows of a slice; by default 2 %, at least 10.")
]
NegationsOption = Annotated[
    bool, typer.Option("--negations/--no-negations", help="Whether NOT and != may occur.")
]


@spread
def slices(
    file: FileArgument,
    labels: LabelsOption,
    predictions: PredictionsOption,
    part: Part,
    tolerance: ToleranceOption = None,
    test: TestOption = "holdout",
    alpha: AlphaOption = 0.05,
    most: MostOption = 5,
    max_literals: LiteralsOption = 3,
    min_rows: MinRowsOption = None,
    columns: given.ColumnsOption = None,
    without: given.WithoutOption = None,
    negations: NegationsOption = False,
    sheet: given.SheetOption = None,
    header: given.HeaderOption = None,
    random_state: given.SeedOption = 0,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find slices on which a model errs more often than elsewhere.

    The table holds what the model said and what is true. By default slices are looked for on one half of
    the rows and counted on the other, so that lift and p-value are not the search's own praise. Of a large
    file some rows are searched and all others counted.
    """
    mute_notes(quiet)
    import numpy as np

    from nri.table.answers import read_answers
    from nri.tasks.slices import error_slices

    asked = {"tolerance": tolerance, "alpha": alpha, "most": most, "max_literals": max_literals}
    asked |= {"min_rows": min_rows, "negations": negations}
    files = part.files(file, sheet, header) if test == "holdout" else None
    if files is not None:
        found = _of_files(files, part.sample, labels, predictions, columns, without, asked, quiet=quiet)
    else:
        table = part.open(file, sheet, header, quiet=quiet).table()
        truth = read_answers(table, labels, "--labels")
        said = read_answers(table, predictions, "--predictions")
        features = table.without(truth.column, said.column)
        shuffles = 200 if test == "permutation" else None
        with waiting("looking for slices", steps=shuffles, quiet=quiet) as step:
            found = error_slices(
                features,
                truth,
                said,
                test=test,
                columns=texts.split_names(columns, features.names),
                never=texts.without_taken(without, features.names, truth.column, said.column),
                rng=np.random.default_rng(random_state),
                step=step,
                **asked,
            )
    if json:
        from nri.cli.record_json import record_json

        emit(record_json(found))
        return
    _show(found, quiet=quiet)


def _of_files(
    files: "Files",
    sample: int,
    labels: str,
    predictions: str,
    columns: list[str] | None,
    without: list[str] | None,
    asked: dict[str, Any],
    *,
    quiet: bool,
) -> "Slices":
    """Look for slices in some rows of a large table, and let all others judge them."""
    from nri.engine.some_rows import some_rows
    from nri.table.answers import comparison_of
    from nri.tasks.slices_large import slices_of_files

    with waiting("looking for slices", quiet=quiet) as step:
        some = some_rows(files, sample)
        names = some.source.names
        taken = [
            comparison_of(one, names, what)[0]
            for one, what in ((labels, "--labels"), (predictions, "--predictions"))
        ]
        found = slices_of_files(
            files,
            some,
            labels,
            predictions,
            columns=texts.split_names(columns, names),
            never=texts.without_taken(without, names, *taken),
            step=lambda rows: step.say(f"counting on all rows: {rows}"),
            **asked,
        )
    searched = f"searched {len(some.source)} of {some.n_rows} rows (--sample), chosen by a hash"
    tell(f"{searched}; all others are counted", quiet=quiet)
    return found


def _show(found: "Slices", *, quiet: bool) -> None:
    from nri.cli.console import text_table

    judged = "rows held out to judge" if found.test == "holdout" else "rows"
    tell(f"error rate {found.rate:.2f} on the {found.rows} {judged} ({found.errors} errors)", quiet=quiet)
    if found.slices:
        heading = ("slice", "rows", "errors", "rate", "95 % interval", "lift", "p (corrected)")
        emit(text_table([heading, *(_line(one) for one in found.slices)]))
    else:
        emit("no slice: errors are not concentrated on rows that the columns tell apart")
    if found.rejected:
        n = len(found.rejected)
        more = f"{n} more" if found.slices else str(n)
        tell(
            f"{more} {'was' if n == 1 else 'were'} found by the search and did not hold up "
            f"(p above {found.alpha:g})",
            quiet=quiet,
        )


def _line(one: "Slice") -> tuple[str, ...]:
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
