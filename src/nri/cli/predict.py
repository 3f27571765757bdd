"""``nri predict``: apply a rule to a table."""

import sys
from typing import Annotated

import typer

from nri.cli.console import mute_notes, tell
from nri.cli.files import check_outputs, read_rule, read_table_for
from nri.cli.options import FileArgument, OutOption, QuietOption, RuleArgument

OnlyOption = Annotated[bool, typer.Option("--only", help="Leave out the columns of the table itself.")]


def predict(
    rule: RuleArgument,
    file: FileArgument,
    out: OutOption = None,
    only: OnlyOption = False,
    quiet: QuietOption = False,
) -> None:
    """Add a column of predictions and one of their probabilities to a table.

    The table needs only the columns that the rule uses. If it has the target too, the accuracy is reported.
    """
    mute_notes(quiet)
    check_outputs({"--out": out}, {"the table": file, "the rule": rule})
    ruleset = read_rule(rule)
    table = read_table_for(ruleset, file, quiet=quiet)
    from nri.cli.predictions import accuracy_on, predictions
    from nri.table.write import write_table

    found = predictions(ruleset, table)
    write_table(found if only else table.join(found), out or sys.stdout)
    tell(accuracy_on(ruleset, table, found), quiet=quiet)
    if out is not None:
        tell(f"wrote {out}", quiet=quiet)
