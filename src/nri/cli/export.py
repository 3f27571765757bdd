"""``nri export``: a rule in another form."""

from typing import Annotated

import typer

from nri.cli.console import emit, show_rule, tell
from nri.cli.files import check_outputs, read_rule, write_text
from nri.cli.options import FormatOption, OutOption, QuietOption, RuleArgument, chosen_format
from nri.errors import InputError

TableOption = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="For sql: write a SELECT from this table."),
]
FunctionOption = Annotated[
    str | None,
    typer.Option("--function", metavar="NAME", help="For python: the name of the function; else predict."),
]


def export(
    rule: RuleArgument,
    form: FormatOption = None,
    out: OutOption = None,
    table: TableOption = None,
    function: FunctionOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write a rule as SQL, Python, Markdown or any other format."""
    check_outputs({"--out": out}, {"the rule": rule})
    ruleset = read_rule(rule)
    from nri.rule import render

    name = chosen_format(form, {}, out) or "text"
    for option, given, meant in (("--table", table, "sql"), ("--function", function, "python")):
        if given is not None and name != meant:
            raise InputError(f"{option} is for --format {meant}, not for {name}; drop it, or add that")
    text = render(ruleset, name, table=table, function=function or "predict")
    if out is not None:
        write_text(out, text)
        tell(f"wrote {out}", quiet=quiet)
    elif name == "text":
        show_rule(text)
    else:
        emit(text)
