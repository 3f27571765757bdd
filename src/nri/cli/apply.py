"""``nri predict``, ``nri explain`` and ``nri export``: what is done with a rule that somebody kept."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli.console import emit, mute_notes, show_rule, tell, waiting
from nri.cli.files import check_outputs, files_to_stream, open_table, read_any_rule, write_text
from nri.cli.options import (
    DialectOption,
    FileArgument,
    FormatOption,
    HeaderOption,
    OutOption,
    QuietOption,
    RuleArgument,
    SheetOption,
    WayOption,
)
from nri.cli.records import chosen_format
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.engine.files import Files
    from nri.rule import RuleSet, Segments, SurvivalRule

OnlyOption = Annotated[bool, typer.Option("--only", help="Leave out the columns of the table itself.")]


def predict(
    rule: RuleArgument,
    file: FileArgument,
    sheet: SheetOption = None,
    header: HeaderOption = None,
    out: OutOption = None,
    only: OnlyOption = False,
    engine: WayOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Add a column of predictions and one of their probabilities to a table; a number has no probability.

    The table needs only the columns that the rule uses; a CSV or TSV table keeps its cells and its delimiter
    as they are, and so does a workbook with --out FILE.xlsx. If it has the target too, the accuracy is
    reported. Large files, and several by a pattern, go through the rule batch by batch.
    """
    mute_notes(quiet)
    check_outputs({"--out": out}, {"the table": file, "the rule": rule})
    ruleset = read_any_rule(rule)
    _refuse_database(rule, file)
    files = None if sheet is not None or header is not None else files_to_stream(file, engine)
    if files is not None:
        _predict_in_batches(ruleset, files, out, only=only, quiet=quiet)
        return
    from nri.table.write import write_beside, write_table
    from nri.tasks.predictions import judge, predictions

    source = open_table(file, sheet=sheet, header=header, quiet=quiet)
    found = predictions(ruleset, source)
    if only:
        write_table(found, out or sys.stdout)
    else:
        write_beside(source, found, out or sys.stdout)
    judged = judge(ruleset, source, found.iloc[:, 0].to_numpy())
    if judged is not None:
        tell(f"{judged} whose {ruleset.target} is known", quiet=quiet)
    if out is not None:
        tell(f"wrote {out}", quiet=quiet)


def _refuse_database(rule: Path, file: str) -> None:
    """Refuse a database, by its URL or as a file, and say how it makes the predictions itself."""
    from nri.engine.connect import dialect_name
    from nri.table.files import database_in

    scheme = file.partition("://")[0] if "://" in file else database_in(Path(file))
    dialect = None if scheme is None else dialect_name(scheme)
    if dialect is not None:
        raise InputError(
            "predictions in a database are made by its own SQL, and that is written by: "
            f"nri export {rule} --format sql --dialect {dialect} --table NAME"
        )


def _predict_in_batches(
    rule: "RuleSet | Segments | SurvivalRule", files: "Files", out: Path | None, *, only: bool, quiet: bool
) -> None:
    from nri.tasks.stream import stream_predictions

    with waiting("predicting", quiet=quiet) as step:
        judged = stream_predictions(
            rule, files, out, only=only, step=lambda rows: step.say(f"predicting: {rows} rows")
        )
    if judged is not None:
        tell(f"{judged} whose {rule.target} is known", quiet=quiet)
    if out is not None:
        tell(f"wrote {out}", quiet=quiet)


RowOption = Annotated[
    list[int],
    typer.Option("--row", "-r", metavar="N", help="Number of the row, the first one being 1; repeatable."),
]


def explain(
    rule: RuleArgument,
    file: FileArgument,
    row: RowOption,
    sheet: SheetOption = None,
    header: HeaderOption = None,
    engine: WayOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Tell which clauses fire on a row or, when none does, what the nearest one lacks.

    Large files are read as far as the last row that is asked about.
    """
    mute_notes(quiet)
    ruleset = read_any_rule(rule)
    files = None if sheet is not None or header is not None else files_to_stream(file, engine)
    if files is not None:
        from nri.tasks.stream_questions import stream_explanations

        with waiting(f"reading {file}", quiet=quiet):
            explanations = stream_explanations(ruleset, files, row)
        for number, told in zip(row, explanations, strict=True):
            emit(f"row {number}: {told}")
        return
    source = open_table(file, sheet=sheet, header=header, quiet=quiet)
    for number in row:
        if not 1 <= number <= len(source):
            raise InputError(f"no row {number}: {file} has rows 1 to {len(source)}")
    import numpy as np

    rows = np.array([number - 1 for number in row])
    columns = {name: column.take(rows) for name, column in ruleset.read(source).items()}
    for number, explanation in zip(row, ruleset.explain(columns, len(rows)), strict=True):
        emit(f"row {number}: {explanation}")


TableOption = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="For sql: write a SELECT from this table, or SCHEMA.TABLE."),
]
StatementOption = Annotated[
    str | None,
    typer.Option(
        "--statement", metavar="NAME", help="For sql: select (default), view, update or dbt (a model)."
    ),
]
IntoOption = Annotated[
    str | None,
    typer.Option("--into", metavar="NAME", help="For sql: name of the view, or of the column to update."),
]
FunctionOption = Annotated[
    str | None,
    typer.Option("--function", metavar="NAME", help="For python: the name of the function; else predict."),
]


def export(
    rule: RuleArgument,
    form: FormatOption = None,
    out: OutOption = None,
    dialect: DialectOption = None,
    table: TableOption = None,
    statement: StatementOption = None,
    into: IntoOption = None,
    function: FunctionOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write a rule as SQL, Python, Markdown or any other format."""
    check_outputs({"--out": out}, {"the rule": rule})
    ruleset = read_any_rule(rule)
    for_sql = {"dialect": dialect, "table": table, "statement": statement, "into": into}
    name = chosen_format(form, out, implied="sql" if any(for_sql.values()) else None) or "text"
    meant = [(option, given, "sql") for option, given in for_sql.items()] + [("function", function, "python")]
    for option, given, wanted in meant:
        if given is not None and name != wanted:
            raise InputError(f"--{option} is for --format {wanted}, not for {name}; drop it, or add that")
    text = ruleset.render(name, function=function or "predict", **for_sql)
    if out is not None:
        write_text(out, text)
        tell(f"wrote {out}", quiet=quiet)
    elif name == "text":
        show_rule(text)
    else:
        emit(text)
