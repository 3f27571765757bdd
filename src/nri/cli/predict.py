"""``nri predict``: apply a rule to a table."""

import sys
from typing import Annotated

import typer

from nri.cli.console import mute_notes, tell, waiting
from nri.cli.files import check_outputs, read_rule, text_columns
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

    The table needs only the columns that the rule uses; a CSV or TSV table keeps its cells and its delimiter
    as they are. If it has the target too, the accuracy is reported.
    """
    mute_notes(quiet)
    check_outputs({"--out": out}, {"the table": file, "the rule": rule})
    ruleset = read_rule(rule)
    from nri.cli.predictions import accuracy_on, predictions
    from nri.table.read import read_source
    from nri.table.verbatim import write_beside
    from nri.table.write import write_table

    with waiting(f"reading {file}", quiet=quiet):
        table, source = read_source(file, keep_text=text_columns(ruleset))
    found = predictions(ruleset, table)
    if only:
        write_table(found, out or sys.stdout)
    else:
        write_beside(table, found, source, out or sys.stdout)
    tell(accuracy_on(ruleset, table, found), quiet=quiet)
    if out is not None:
        tell(f"wrote {out}", quiet=quiet)
