"""``nri explain``: why a rule says what it says about a row."""

from typing import Annotated

import typer

from nri.cli.console import emit, mute_notes
from nri.cli.files import read_rule, read_table_for
from nri.cli.options import FileArgument, QuietOption, RuleArgument
from nri.errors import InputError

RowOption = Annotated[
    list[int],
    typer.Option("--row", "-r", metavar="N", help="Number of the row, the first one being 1; repeatable."),
]


def explain(rule: RuleArgument, file: FileArgument, row: RowOption, quiet: QuietOption = False) -> None:
    """Tell which clauses fire on a row or, when none does, what the nearest one lacks."""
    mute_notes(quiet)
    ruleset = read_rule(rule)
    table = read_table_for(ruleset, file, quiet=quiet)
    for number in row:
        if not 1 <= number <= len(table):
            raise InputError(f"no row {number}: {file} has rows 1 to {len(table)}")
    from nri.table.columns import columns_of

    rows = table.iloc[[number - 1 for number in row]]
    explanations = ruleset.explain(columns_of(rows, ruleset.columns, ruleset.kinds), len(rows))
    for number, explanation in zip(row, explanations, strict=True):
        emit(f"row {number}: {explanation}")
