"""Options that the everyday tasks share."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nri.cli.induce_options import split_names
from nri.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from nri.induction import Settings

PredictionsOption = Annotated[
    str,
    typer.Option(
        "--predictions", "-p", metavar="COLUMN", help='What the model said, or a comparison: "score > 0.5".'
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]


def read_answers(frame: "pd.DataFrame", asked: str, option: str) -> "tuple[str, pd.Series[Any]]":
    """Return the column that an option names, or compares, and its cells; a mistake names the option."""
    from nri.table.target import read_target

    try:
        return read_target(frame, asked)
    except InputError as error:
        told = str(error).replace("no target column", "no column").replace(f"target {asked!r}", repr(asked))
        raise InputError(f"{option}: {told}") from None


def without_taken(names: list[str] | None, present: list[str], *taken: str | None) -> list[str]:
    """Return the columns not to use; labels and predictions are never used, so that naming them is fine."""
    return [name for name in split_names(names, present) or () if name not in taken]


def settings_of(
    names: list[str],
    *,
    model: str | None,
    max_clauses: int,
    max_literals: int,
    columns: list[str] | None,
    without: list[str] | None,
    negations: bool,
) -> "Settings":
    """Build settings from what a person gave on the command line."""
    from nri import inducers
    from nri.induction import Settings

    return Settings(
        model=model or inducers.DEFAULT,
        max_clauses=max_clauses,
        max_literals=max_literals,
        use=split_names(columns, names),
        never=split_names(without, names) or (),
        negations=negations,
    )
