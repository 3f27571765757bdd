"""The options of the commands: their names and help, and records of those that belong together.

A command takes a record (:class:`Reading`), and its command line every field of it; see
:func:`nri.cli.app.spread`. Rules and settings may come from files that options name.
"""

import os
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nri.errors import InputError, UnknownColumnError, nearest

if TYPE_CHECKING:
    from nri.induce.settings import Settings
    from nri.rule import Label, Rule
    from nri.table.codes import ReadOptions

Text = str | None
Texts = list[str] | None
File = Path | None

_TARGET = "What is explained"
_COLUMNS = "Which columns"
_SHAPE = "The shape of the rule"
_COSTS = "Costs and floors"
OUTPUT = "Output"
_LARGE = "Large tables"


def option(names: str, about: str, panel: str | None = None, **more: Any) -> Any:
    """Return an option by its names and what its value is called: ``--target -t COLUMN``; a flag has none."""
    words = names.split()
    metavar = None if words[-1].startswith("-") else words.pop()
    if panel is not None:
        more |= {"rich_help_panel": panel, "show_default": False}
    return typer.Option(*words, metavar=metavar or (" " if panel else None), help=about, **more)


FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A CSV, TSV, Excel, Parquet or ARFF table; - is standard input.")
]
HiddenFileArgument = Annotated[str, typer.Argument(metavar="FILE", hidden=True)]
"""Where the help of the command describes it."""
RuleArgument = Annotated[
    Path, typer.Argument(metavar="RULE.json", help="A rule written by `nri induce --out RULE.json`.")
]
PositiveOption = Annotated[Text, option("--positive VALUE", "The class the rule is about.", _TARGET)]
WeightsOption = Annotated[Text, option("--weights COLUMN", "How many rows each row stands for.", _TARGET)]
GroupsOption = Annotated[Text, option("--groups COLUMN", "Rows that belong together, e.g. patient.", _TARGET)]
TimeOrderOption = Annotated[
    Text, option("--time-order COLUMN", "Judge on later rows than those used.", _TARGET)
]
PredictionsOption = Annotated[
    str, option("--predictions -p COLUMN", 'The predictions, or "score > 0.5".', _TARGET)
]
ColumnsOption = Annotated[Texts, option("--columns NAMES", "Use only these, commas between.", _COLUMNS)]
WithoutOption = Annotated[Texts, option("--without NAMES", "Never use these, commas between.", _COLUMNS)]
ModelOption = Annotated[Text, option("--model NAME", "seeded, greedy, paper or paper-*.", _SHAPE)]
SeedOption = Annotated[int, option("--random-state N", "Seed of the search.", _SHAPE, min=0)]
OutOption = Annotated[File, option("--out -o FILE", "Write to a file: RULE.json, rule.sql, ...", OUTPUT)]
FormatOption = Annotated[Text, option("--format -f NAME", "text, json, sql, python, markdown, ...", OUTPUT)]
DialectOption = Annotated[Text, option("--dialect NAME", "Of SQL: postgres, mysql, bigquery, ...", OUTPUT)]
JsonOption = Annotated[bool, option("--json", "Print JSON for other programs.", OUTPUT)]
QuietOption = Annotated[bool, option("--quiet -q", "Only the result and errors.", OUTPUT)]
SampleOption = Annotated[
    int | None, option("--sample ROWS", "Rows that are searched at once.", _LARGE, min=100)
]


@dataclass(frozen=True)
class Reading:
    """What is explained, and how cells are read."""

    target: Annotated[Text, option("--target -t COLUMN", 'Column to explain, or "price > 100".', _TARGET)] = (
        None
    )
    positive: PositiveOption = None
    time: Annotated[Text, option("--time COLUMN", "With --event: how long it took.", _TARGET)] = None
    event: Annotated[
        Text, option("--event COLUMN", 'With --time: if it happened, or "x = dead".', _TARGET)
    ] = None
    weights: WeightsOption = None
    groups: GroupsOption = None
    time_order: TimeOrderOption = None
    exact_text: Annotated[
        bool, option("--exact-text", "Keep apart texts that differ in case only.", _COLUMNS)
    ] = False
    missing: Annotated[
        Texts, option("--missing CELLS", "Missing cells: -999,unknown or sbp=-999.", _COLUMNS)
    ] = None
    labels: Annotated[
        Texts, option("--labels COLUMN:CODES", "Words for codes: outcome:1=no,2=yes.", _COLUMNS)
    ] = None


@dataclass(frozen=True)
class RuleOptions:
    """The shape of a rule, for every command that induces one, by the names of :class:`nri.Settings`.

    What is None is left to --config.
    """

    use: ColumnsOption = None
    never: WithoutOption = None
    max_clauses: Annotated[
        int | None, option("--max-clauses N", "Most clauses of a class (8).", _SHAPE, min=1)
    ] = None
    max_branches: Annotated[
        int | None, option("--max-branches N", "Most lines of a rule (about two a class).", _SHAPE, min=1)
    ] = None
    max_literals: Annotated[
        int | None, option("--max-literals N", "Most conditions of a clause (6).", _SHAPE, min=1)
    ] = None
    stable: Annotated[bool | None, option("--stable", "Prefer what other rows would give too.", _SHAPE)] = (
        None
    )
    model: ModelOption = None
    config: Annotated[File, option("--config FILE.toml", "These and more settings from a file.", _SHAPE)] = (
        None
    )


@dataclass(frozen=True)
class InduceOptions(RuleOptions):
    """The options of ``nri induce`` beyond those."""

    keep: Annotated[File, option("--keep RULE.json", "Keep the clauses of this rule.", _SHAPE)] = None
    costs: Annotated[Texts, option("--cost CLASS=COST", "Cost of missing this class (1).", _COSTS)] = None
    min_sensitivity: Annotated[
        float, option("--min-sensitivity SHARE", "Least share found.", _COSTS, min=0)
    ] = 0.0
    min_specificity: Annotated[
        float, option("--min-specificity SHARE", "Least share of others spared.", _COSTS, min=0)
    ] = 0.0


@dataclass(frozen=True)
class Scoring:
    """What ``nri induce`` shows beside the rule."""

    cv: Annotated[bool, option("--cv", "Score new rows by cross-validation.", OUTPUT)] = False
    prevalence: Annotated[
        float | None, option("--prevalence SHARE", "Predictive values at this share.", OUTPUT)
    ] = None
    protect: Annotated[Texts, option("--protect COLUMN", "Show the rule's effect on its groups.", OUTPUT)] = (
        None
    )
    html: Annotated[File, option("--html FILE", "Write a report for a browser.", OUTPUT)] = None
    clinical: Annotated[
        bool, option("--clinical", "Say in the report: not validated for decisions.", OUTPUT)
    ] = False
    random_state: SeedOption = 0


@dataclass(frozen=True)
class OutputOptions:
    """Where a rule goes, and in which format."""

    form: FormatOption = None
    out: OutOption = None
    dialect: DialectOption = None
    quiet: QuietOption = False


@dataclass(frozen=True)
class FileOptions:
    """Where in a workbook the table is."""

    sheet: Annotated[Text, option("--sheet NAME", "Sheet of a workbook, or Visits!B3:F90.", _COLUMNS)] = None
    header: Annotated[
        int | None, option("--header ROW", "Row of a workbook with the names; 0: none.", _COLUMNS, min=0)
    ] = None


@dataclass(frozen=True)
class StreamOptions(FileOptions):
    """How the rows of a table go through a rule."""

    engine: Annotated[str, option("--engine NAME", "auto (by size), memory or stream.", _LARGE)] = "auto"


@dataclass(frozen=True)
class RowOptions(FileOptions):
    """Where the rows of a large table stay, and how many of them are searched."""

    engine: Annotated[str, option("--engine NAME", "auto (by size), memory or duckdb.", _LARGE)] = "auto"
    sample: SampleOption = None
    table: Annotated[Text, option("--table NAME", "Table of a database URL (or --query).", _LARGE)] = None
    query: Annotated[Text, option("--query SELECT", "Rows of a database URL.", _LARGE)] = None
    memory: Annotated[Text, option("--memory SIZE", "Most memory for DuckDB, e.g. 2GB.", _LARGE)] = None


def read_rule(path: Path) -> "Rule":
    """Read a rule file; if there is none, say how one is made."""
    from nri.api import read_rule as read
    from nri.errors import similar_files

    if not os.path.exists(path) and not similar_files(path):
        how = "nri induce FILE --target COLUMN --out RULE.json"
        raise InputError(f"no rule file {path}; make one with: {how}")
    return read(path)


def read_settings(path: Path, classes: "Sequence[Label]" = ()) -> "Settings":
    """Read settings from a TOML file: the fields of :class:`nri.Settings`, and a table ``[knowledge]``."""
    from nri.induce.settings import Knowledge, Settings

    data = {key: value for key, value in _read_toml(path).items() if key not in _OF_CELLS}
    _check_keys(path, data, Settings)
    known = data.pop("knowledge", {})
    if not isinstance(known, dict):
        raise InputError(f"{path}: knowledge is {known!r}; write a table, [knowledge]")
    _check_keys(path, known, Knowledge, "knowledge.")
    if "keep" in known:
        if not isinstance(known["keep"], str):
            raise InputError(f"{path}: knowledge.keep is {known['keep']!r}; name a rule file")
        known["keep"] = read_rule(path.parent / known["keep"])
    if isinstance(data.get("costs"), dict):
        data["costs"] = _by_class(data["costs"], classes)
    try:
        return Settings(**data, knowledge=Knowledge(**known))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


_OF_CELLS = ("missing", "labels")
"""Keys of a settings file that say how cells are read."""


def read_options(
    reading: Reading, config: File, names: Sequence[str], explained: Sequence[str]
) -> "ReadOptions":
    """Return how the cells of some columns are read; the command line adds to the file of --config."""
    from nri.table import codes

    data = {} if config is None else _read_toml(config)
    stated = codes.read_options(data.get("missing"), data.get("labels"))
    return codes.ReadOptions(
        exact=reading.exact_text,
        missing={**stated.missing, **parse_missing(reading.missing or (), names)},
        labels={**stated.labels, **parse_labels(reading.labels or (), names)},
        outcome=explained,
    )


def parse_missing(texts: Collection[str], names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return missing cells by column from texts of a command line.

    >>> parse_missing(["-999,unknown", "sbp=-1,-2", "age="], ["sbp", "age"])
    {'': ('-999', 'unknown'), 'sbp': ('-1', '-2'), 'age': ()}
    """
    from nri.table.cells import as_code

    missing: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, sign, cells = text.partition("=")
        if not sign:
            name, cells = "", text
        elif name.strip() not in names:
            raise UnknownColumnError(name.strip(), tuple(names), where="--missing")
        codes = [as_code(cell) for cell in cells.split(",") if cell.strip()]
        missing[name.strip()] = (*missing.get(name.strip(), ()), *codes)
    return missing


def parse_labels(texts: Collection[str], names: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the words that codes stand for from texts of a command line.

    >>> parse_labels(["outcome:1=no,2=yes"], ["outcome"])
    {'outcome': {'1': 'no', '2': 'yes'}}
    """
    from nri.table.cells import as_code

    labels: dict[str, dict[str, str]] = {}
    for text in texts:
        name, _, pairs = text.rpartition(":")
        split = [pair.partition("=") for pair in pairs.split(",")]
        if not name or not all(code.strip() and word.strip() for code, _, word in split):
            raise InputError(f"--labels {text!r} is no COLUMN:CODE=LABEL; write e.g. outcome:1=no,2=yes")
        if name not in names:
            raise UnknownColumnError(name, tuple(names), where="--labels")
        labels.setdefault(name, {}).update({as_code(code): word.strip() for code, _, word in split})
    return labels


def _read_toml(path: Path) -> dict[str, Any]:
    from nri.errors import similar_files

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"no settings file {path}{similar_files(path)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not valid TOML: {error}") from None
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({cause}); check its name and permissions") from None


def _check_keys(path: Path, data: Mapping[str, Any], record: Any, prefix: str = "") -> None:
    """Refuse a key that the record does not have, and name the nearest one."""
    keys = [field.name for field in fields(record)]
    for key in data:
        if key not in keys:
            place = "[knowledge]" if prefix else "the settings"
            raise InputError(f"{path}: unknown key {prefix + key!r}{nearest(key, keys, place)}")


def parse_costs(texts: list[str], classes: "Sequence[Label]") -> "dict[Label, float]":
    """Return costs from texts such as ``yes=5``.

    >>> parse_costs(["yes=5"], ("no", "yes"))
    {'yes': 5.0}
    """
    costs: dict[str, float] = {}
    for text in texts:
        label, _, written = text.rpartition("=")
        try:
            costs[label] = float(written)
        except ValueError:
            raise InputError(f"--cost {text!r} is no CLASS=COST; write e.g. --cost yes=5") from None
    return _by_class(costs, classes)


def _by_class(costs: Mapping[str, float], classes: "Sequence[Label]") -> "dict[Label, float]":
    """Return costs by the labels that a person's words name."""
    from nri.table.target import class_index

    if not classes:
        raise InputError("a cost is of an error on a class, but the target has no classes; drop the cost")
    return {classes[class_index(classes, label)]: cost for label, cost in costs.items()}
