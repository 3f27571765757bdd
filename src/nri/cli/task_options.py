"""Options that the everyday tasks share."""

from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli.induce_options import split_names

if TYPE_CHECKING:
    from nri.induction import Settings

PredictionsOption = Annotated[
    str,
    typer.Option(
        "--predictions", "-p", metavar="COLUMN", help='What the model said, or a comparison: "score > 0.5".'
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]


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
