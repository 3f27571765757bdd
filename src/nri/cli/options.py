"""The options of the commands, by name."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    pass


_EXCEL = "Excel"

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A CSV, TSV, Excel, Parquet or ARFF table; - is standard input.")
]
SheetOption = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        help='Of a workbook, the sheet by name or number, or a range: "Visits!B3:F90".',
        rich_help_panel=_EXCEL,
    ),
]
HeaderOption = Annotated[
    int | None,
    typer.Option(
        "--header",
        metavar="ROW",
        min=1,
        help="Of a workbook, the row with the names.",
        rich_help_panel=_EXCEL,
    ),
]
RuleArgument = Annotated[
    Path, typer.Argument(metavar="RULE.json", help="A rule written by `nri induce --out RULE.json`.")
]
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to a file, whole or not at all.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but the result and errors.")]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="text, markdown, html, latex, json, sql, python, prolog, asp or sympy.",
    ),
]


DialectOption = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        metavar="NAME",
        help="SQL for postgres, mysql, bigquery, snowflake, duckdb, sqlite, spark, tsql or oracle.",
        rich_help_panel="Formats",
    ),
]

_RULE = "What the rule may be"
_FORMAT = "Formats"

TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", metavar="COLUMN", help='The column to explain, or a comparison: "price > 100".'
    ),
]
TimeOption = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COLUMN",
        help="With --event: how long each row was followed, which is explained.",
    ),
]
EventOption = Annotated[
    str | None,
    typer.Option(
        "--event", metavar="COLUMN", help='With --time: whether that ended in the event, or "status = dead".'
    ),
]
PositiveOption = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE", help="The class the rule is about; by default the one with the simpler rule."
    ),
]
CvOption = Annotated[
    bool,
    typer.Option("--cv", help="Estimate accuracy, sensitivity, ... on new rows by 5-fold cross-validation."),
]
PrevalenceOption = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="With --cv or --html: predictive values where the class is as frequent as this, e.g. 0.05.",
    ),
]
ProtectOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Tell how often the rule fires and is right on each group of this column; repeatable.",
    ),
]
WeightsOption = Annotated[
    str | None,
    typer.Option("--weights", metavar="COLUMN", help="A column that says how many rows each row stands for."),
]
ExactOption = Annotated[
    bool,
    typer.Option("--exact-text", help="Keep texts apart that differ only in case or blanks, as yes and YES."),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also write a report to open in a browser; it takes longer."),
]
ClinicalOption = Annotated[
    bool, typer.Option("--clinical", help="Let the report say that it is not validated for decisions.")
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What finds the rule: seeded (default), greedy, paper, paper-tuned, paper-feedback.",
    ),
]
_SIZE = "Tables of any size"
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where the rows stay: auto (by size), memory, or duckdb, which reads files in place.",
        rich_help_panel=_SIZE,
    ),
]
WayOption = Annotated[
    str,
    typer.Option(
        "--engine", metavar="NAME", help="How rows are read: auto (by size), memory (all at once), or stream."
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="SIZE", help="Most memory for DuckDB, such as 2GB.", rich_help_panel=_SIZE
    ),
]
DatabaseTableOption = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="Of a database URL, which table.", rich_help_panel=_SIZE),
]
QueryOption = Annotated[
    str | None,
    typer.Option("--query", metavar="SELECT", help="Of a database URL, which rows.", rich_help_panel=_SIZE),
]
SampleOption = Annotated[
    int | None,
    typer.Option(
        "--sample",
        metavar="ROWS",
        min=100,
        help="About how many rows of a large table are searched at once, all rows deciding; or are taken, "
        "to explain a number or a time.",
        show_default="8192; 32768 are taken",
        rich_help_panel=_SIZE,
    ),
]
TakenOption = Annotated[
    int,
    typer.Option(
        "--sample",
        metavar="ROWS",
        min=100,
        help="About how many rows of a large table are taken.",
        rich_help_panel=_SIZE,
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the search.")]
MaxClausesOption = Annotated[
    int, typer.Option(min=1, help="Most clauses in the rule of one class.", rich_help_panel=_RULE)
]
MaxLiteralsOption = Annotated[
    int, typer.Option(min=1, help="Most conditions in one clause.", rich_help_panel=_RULE)
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Use only these, commas between; repeatable.", rich_help_panel=_RULE),
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Never use these, commas between; repeatable.", rich_help_panel=_RULE),
]
RequireOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Every clause speaks about these; repeatable.", rich_help_panel=_RULE),
]
NegationsOption = Annotated[
    bool,
    typer.Option("--negations/--no-negations", help="Whether NOT and != may occur.", rich_help_panel=_RULE),
]
MinPrecisionOption = Annotated[
    float,
    typer.Option(min=0.0, max=1.0, help="Least precision of a clause on these rows.", rich_help_panel=_RULE),
]
KeepOption = Annotated[
    Path | None,
    typer.Option(
        metavar="RULE.json",
        help="Keep the clauses of this rule; find others around them.",
        rich_help_panel=_RULE,
    ),
]
ForbidOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CONDITION",
        help='Never say this, nor stricter: "age > 80"; repeatable.',
        rich_help_panel=_RULE,
    ),
]
CutsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=NUMBERS",
        help="Cut a number only here: age=40,50,65; repeatable.",
        rich_help_panel=_RULE,
    ),
]
MonotoneOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=up|down",
        help="More of it never speaks against (up), or for (down), the class of --positive; repeatable.",
        rich_help_panel=_RULE,
    ),
]
BinarizeOption = Annotated[
    str,
    typer.Option(
        metavar="MODE", help="auto (thresholds from the labels) or paper (medians).", rich_help_panel=_RULE
    ),
]
CountsOption = Annotated[
    str,
    typer.Option(
        metavar="MODE",
        help="Clauses AT LEAST k OF (...): auto (where they pay), never, only.",
        rich_help_panel=_RULE,
    ),
]


StableOption = Annotated[
    bool,
    typer.Option(
        "--stable",
        help="A rule that other rows would have given too, by what is believed rather than by few labels.",
        rich_help_panel=_RULE,
    ),
]


def _flag(name: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        f"--{name}", help=f"Short for --format {name}.", rich_help_panel=_FORMAT
    )
    return option


JsonFlag = Annotated[bool, _flag("json")]
SqlFlag = Annotated[bool, _flag("sql")]
PythonFlag = Annotated[bool, _flag("python")]
MarkdownFlag = Annotated[bool, _flag("markdown")]
LatexFlag = Annotated[bool, _flag("latex")]
PrologFlag = Annotated[bool, _flag("prolog")]
AspFlag = Annotated[bool, _flag("asp")]
SympyFlag = Annotated[bool, _flag("sympy")]


CostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cost",
        metavar="CLASS=COST",
        help="What it costs to take a row of this class for another one (else 1); repeatable.",
        rich_help_panel=_RULE,
    ),
]
MinSensitivityOption = Annotated[
    float,
    typer.Option(
        min=0.0,
        help="Least share of the class of --positive that is found on cross-validated rows.",
        rich_help_panel=_RULE,
    ),
]
MinSpecificityOption = Annotated[
    float,
    typer.Option(
        min=0.0,
        help="Least share of the other rows that is left alone on cross-validated rows.",
        rich_help_panel=_RULE,
    ),
]


PredictionsOption = Annotated[
    str,
    typer.Option(
        "--predictions", "-p", metavar="COLUMN", help='What the model said, or a comparison: "score > 0.5".'
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
