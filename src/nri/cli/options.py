"""The options of the commands: their names and help, and records of those that belong together.

A command takes a record (:class:`Reading`), and its command line every field of it; see :func:`spread`.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from nri.errors import InputError

_TARGET = "What is explained"
_COLUMNS = "Which columns"
_SHAPE = "The shape of the rule"
_COSTS = "Costs and floors"
_OUTPUT = "Output"
_LARGE = "Large tables"


def _option(*names: str, panel: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, show_default=False, **more)


def _flag(*names: str, panel: str, **more: Any) -> Any:
    return _option(*names, panel=panel, metavar=" ", **more)


# Files
FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A CSV, TSV, Excel, Parquet or ARFF table; - is standard input.")
]
HiddenFileArgument = Annotated[str, typer.Argument(metavar="FILE", hidden=True)]
"""Where the help of the command describes it."""
RuleArgument = Annotated[
    Path, typer.Argument(metavar="RULE.json", help="A rule written by `nri induce --out RULE.json`.")
]
SheetOption = Annotated[
    str | None,
    _option("--sheet", metavar="NAME", help="Sheet of a workbook, or Visits!B3:F90.", panel=_COLUMNS),
]
HeaderOption = Annotated[
    int | None,
    _option("--header", metavar="ROW", min=1, help="Row of a workbook with the names.", panel=_COLUMNS),
]

# What is explained
TargetOption = Annotated[
    str | None,
    _option("--target", "-t", metavar="COLUMN", help='Column to explain, or "price > 100".', panel=_TARGET),
]
PositiveOption = Annotated[
    str | None, _option("--positive", metavar="VALUE", help="The class the rule is about.", panel=_TARGET)
]
TimeOption = Annotated[
    str | None,
    _option("--time", metavar="COLUMN", help="With --event: how long it took.", panel=_TARGET),
]
EventOption = Annotated[
    str | None,
    _option("--event", metavar="COLUMN", help='With --time: if it happened, or "x = dead".', panel=_TARGET),
]
WeightsOption = Annotated[
    str | None,
    _option("--weights", metavar="COLUMN", help="How many rows each row stands for.", panel=_TARGET),
]
PredictionsOption = Annotated[
    str,
    _option(
        "--predictions", "-p", metavar="COLUMN", help='The predictions, or "score > 0.5".', panel=_TARGET
    ),
]

# Which columns
ColumnsOption = Annotated[
    list[str] | None,
    _option("--columns", metavar="NAMES", help="Use only these, commas between.", panel=_COLUMNS),
]
WithoutOption = Annotated[
    list[str] | None,
    _option("--without", metavar="NAMES", help="Never use these, commas between.", panel=_COLUMNS),
]
ExactOption = Annotated[
    bool, _flag("--exact-text", help="Keep apart texts that differ in case only.", panel=_COLUMNS)
]

# The shape of the rule
MaxClausesOption = Annotated[
    int | None,
    _option("--max-clauses", metavar="N", min=1, help="Most clauses of a class (8).", panel=_SHAPE),
]
MaxLiteralsOption = Annotated[
    int | None,
    _option("--max-literals", metavar="N", min=1, help="Most conditions of a clause (6).", panel=_SHAPE),
]
StableOption = Annotated[
    bool | None, _flag("--stable", help="Prefer what other rows would give too.", panel=_SHAPE)
]
KeepOption = Annotated[
    Path | None,
    _option("--keep", metavar="RULE.json", help="Keep the clauses of this rule.", panel=_SHAPE),
]
ModelOption = Annotated[
    str | None,
    _option("--model", metavar="NAME", help="seeded, greedy, paper or paper-*.", panel=_SHAPE),
]
SettingsFileOption = Annotated[
    Path | None,
    _option("--config", metavar="FILE.toml", help="These and more settings from a file.", panel=_SHAPE),
]
SeedOption = Annotated[
    int, _option("--random-state", metavar="N", min=0, help="Seed of the search.", panel=_SHAPE)
]

# Costs and floors
CostOption = Annotated[
    list[str] | None,
    _option("--cost", metavar="CLASS=COST", help="Cost of missing this class (1).", panel=_COSTS),
]
MinSensitivityOption = Annotated[
    float, _option("--min-sensitivity", metavar="SHARE", min=0, help="Least share found.", panel=_COSTS)
]
MinSpecificityOption = Annotated[
    float,
    _option("--min-specificity", metavar="SHARE", min=0, help="Least share of others spared.", panel=_COSTS),
]

# Output
CvOption = Annotated[bool, _flag("--cv", help="Score new rows by cross-validation.", panel=_OUTPUT)]
PrevalenceOption = Annotated[
    float | None,
    _option("--prevalence", metavar="SHARE", help="Predictive values at this share.", panel=_OUTPUT),
]
ProtectOption = Annotated[
    list[str] | None,
    _option("--protect", metavar="COLUMN", help="Show the rule's effect on its groups.", panel=_OUTPUT),
]
HtmlOption = Annotated[
    Path | None, _option("--html", metavar="FILE", help="Write a report for a browser.", panel=_OUTPUT)
]
ClinicalOption = Annotated[
    bool,
    _flag("--clinical", help="Say in the report: not validated for decisions.", panel=_OUTPUT),
]
OutOption = Annotated[
    Path | None,
    _option("--out", "-o", metavar="FILE", help="Write to a file: RULE.json, rule.sql, ...", panel=_OUTPUT),
]
FormatOption = Annotated[
    str | None,
    _option("--format", "-f", metavar="NAME", help="text, json, sql, python, markdown, ...", panel=_OUTPUT),
]
DialectOption = Annotated[
    str | None,
    _option("--dialect", metavar="NAME", help="Of SQL: postgres, mysql, bigquery, ...", panel=_OUTPUT),
]
JsonOption = Annotated[bool, _flag("--json", help="Print JSON for other programs.", panel=_OUTPUT)]
QuietOption = Annotated[bool, _flag("--quiet", "-q", help="Only the result and errors.", panel=_OUTPUT)]

# Large tables
EngineOption = Annotated[
    str, _option("--engine", metavar="NAME", help="auto (by size), memory or duckdb.", panel=_LARGE)
]
StreamOption = Annotated[
    str, _option("--engine", metavar="NAME", help="auto (by size), memory or stream.", panel=_LARGE)
]
SampleOption = Annotated[
    int | None,
    _option("--sample", metavar="ROWS", min=100, help="Rows that are searched at once.", panel=_LARGE),
]
DatabaseTableOption = Annotated[
    str | None, _option("--table", metavar="NAME", help="Table of a database URL (or --query).", panel=_LARGE)
]
QueryOption = Annotated[
    str | None, _option("--query", metavar="SELECT", help="Rows of a database URL.", panel=_LARGE)
]
MemoryOption = Annotated[
    str | None,
    _option("--memory", metavar="SIZE", help="Most memory for DuckDB, e.g. 2GB.", panel=_LARGE),
]


RARE = {"header", "exact_text", "dialect", "prevalence", "clinical", "query", "memory", "random_state"}
"""Options of ``nri induce`` that its help lists with --help-all only."""


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        for parameter in context.command.params:
            parameter.hidden = False  # type: ignore[attr-defined]  # options have it
        text = context.get_help()  # which may have been printed already
        if text:
            typer.echo(text)
        raise typer.Exit


HelpAllOption = Annotated[
    bool, _flag("--help-all", callback=_show_all, is_eager=True, help="List rare options too.", panel=_OUTPUT)
]


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that takes records be called with their fields, which is what typer sees of it.

    >>> @spread
    ... def show(name: str, rows: RowOptions) -> None:
    ...     print(name, rows.engine)
    >>> list(inspect.signature(show).parameters)[:3]
    ['name', 'engine', 'sample']
    >>> show(name="rule", engine="memory")
    rule memory
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    records: dict[str, Any] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if not is_dataclass(hints[name]):
            parameters.append(parameter.replace(annotation=hints[name], kind=parameter.KEYWORD_ONLY))
            continue
        records[name] = hints[name]
        kinds = get_type_hints(hints[name], include_extras=True)
        parameters += [
            inspect.Parameter(
                field.name, parameter.KEYWORD_ONLY, default=field.default, annotation=kinds[field.name]
            )
            for field in fields(hints[name])
        ]

    @wraps(command)
    def called(**options: Any) -> None:
        for name, record in records.items():
            own = {field.name for field in fields(record)} & options.keys()
            options[name] = record(**{field: options.pop(field) for field in own})
        command(**options)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


@dataclass(frozen=True)
class Reading:
    """Which rows are read, and what is explained."""

    target: TargetOption = None
    positive: PositiveOption = None
    time: TimeOption = None
    event: EventOption = None
    weights: WeightsOption = None
    sheet: SheetOption = None
    header: HeaderOption = None
    exact_text: ExactOption = False

    def __post_init__(self) -> None:
        if self.time is None and self.event is None:
            return
        if self.time is None or self.event is None:
            missing = "--time" if self.time is None else "--event"
            raise InputError(f"time and event go together; add {missing} COLUMN")
        if self.target is not None or self.positive is not None:
            raise InputError("--time and --event are what is explained; drop --target and --positive")


@dataclass(frozen=True)
class RowOptions:
    """Where the rows of a large table stay, and how many of them are searched."""

    engine: EngineOption = "auto"
    sample: SampleOption = None
    table: DatabaseTableOption = None
    query: QueryOption = None
    memory: MemoryOption = None


@dataclass(frozen=True)
class RuleOptions:
    """The shape of a rule, for every command that induces one. What is None is left to --config."""

    columns: ColumnsOption = None
    without: WithoutOption = None
    max_clauses: MaxClausesOption = None
    max_literals: MaxLiteralsOption = None
    stable: StableOption = None
    model: ModelOption = None
    config: SettingsFileOption = None


@dataclass(frozen=True)
class InduceOptions(RuleOptions):
    """The options of ``nri induce`` beyond those."""

    keep: KeepOption = None
    cost: CostOption = None
    min_sensitivity: MinSensitivityOption = 0.0
    min_specificity: MinSpecificityOption = 0.0


@dataclass(frozen=True)
class OutputOptions:
    """Where a rule goes, and in which format."""

    form: FormatOption = None
    out: OutOption = None
    dialect: DialectOption = None
    quiet: QuietOption = False

    def chosen_format(self) -> str | None:
        """Return the format by its name or by the ending of the file; None if neither is given."""
        form = choose_format(self.form, self.out, implied="sql" if self.dialect is not None else None)
        if self.dialect is not None and form != "sql":
            raise InputError(f"--dialect is for --format sql, not for {form}; drop it, or add that")
        return form


def choose_format(named: str | None, out: Path | None, *, implied: str | None = None) -> str | None:
    """Return the format by name or by the ending of the output's name, None if by neither.

    What other options imply counts where the ending says nothing.

    >>> choose_format(None, Path("rule.json"))
    'json'
    """
    from nri.rule.render import FORMATS, format_by_ending

    if named is not None:
        if named.lower() not in FORMATS:
            raise InputError(f"no format {named!r}; use one of {', '.join(FORMATS)}")
        return named.lower()
    known = {form.suffix for form in FORMATS.values()}
    if out is None or (implied is not None and out.suffix.lower() not in known):
        return implied
    return format_by_ending(out)
