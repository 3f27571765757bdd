"""Options that belong together, as records: a command takes a record, its command line every field of it."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from nri.cli import options as given
from nri.cli import texts
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.engine.files import Files
    from nri.induce.settings import Settings
    from nri.table import Source, Table

_SAMPLES = 4
"""Rows that are taken once, rather than again and again, are as many as so many samples have."""


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that takes records be called with their fields, which is what typer sees of it.

    >>> @spread
    ... def say(name: str, style: Limits) -> None:
    ...     print(name, style.max_clauses)
    >>> list(inspect.signature(say).parameters)[:3]
    ['name', 'max_clauses', 'max_literals']
    >>> say(name="rule", max_clauses=2)
    rule 2
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
    """Which rows are read, and what of them is to be explained."""

    target: given.TargetOption = None
    positive: given.PositiveOption = None
    weights: given.WeightsOption = None
    exact_text: given.ExactOption = False
    sheet: given.SheetOption = None
    header: given.HeaderOption = None

    def labelled(self, source: "Source", *, numbers: bool = False) -> "tuple[Table, str]":
        """Return rows with their target, which may be a number, and a line on what was read."""
        from nri.cli.files import labelled

        return labelled(
            source, self.target, self.positive, self.weights, exact=self.exact_text, numbers=numbers
        )


@dataclass(frozen=True)
class Part:
    """How many rows of a large file are taken, for work that needs its rows in memory."""

    engine: given.EngineOption = "auto"
    sample: given.TakenOption = 20_000

    def files(self, file: str, sheet: str | None, header: int | None) -> "Files | None":
        """Return the files if they are large, None if they are to be read whole."""
        from nri.cli.files import files_in_place

        return files_in_place(file, self.engine, sheet=sheet, header=header)

    def open(
        self, file: str, sheet: str | None, header: int | None, *, rewritable: bool = False, quiet: bool
    ) -> "Source":
        """Open a table: all of its rows, or of a large one some, which is told."""
        from nri.cli.files import open_table, take_some

        files = self.files(file, sheet, header)
        if files is None:
            return open_table(file, sheet=sheet, header=header, rewritable=rewritable, quiet=quiet)
        return take_some(files, self.sample, quiet=quiet)


@dataclass(frozen=True)
class Size:
    """Where the rows of a large table stay, and how many of them are looked at."""

    engine: given.EngineOption = "auto"
    memory: given.MemoryOption = None
    sample: given.SampleOption = None
    table: given.DatabaseTableOption = None
    query: given.QueryOption = None

    @property
    def searched(self) -> int:
        """About how many rows are searched at once, again and again."""
        from nri.engine.large import SAMPLE

        return self.sample or SAMPLE

    @property
    def taken(self) -> int:
        """About how many rows are taken where they are taken once only."""
        return self.sample or _SAMPLES * self.searched


@dataclass(frozen=True)
class Limits:
    """What a rule may be, for every command that looks for one."""

    max_clauses: given.MaxClausesOption = 8
    max_literals: given.MaxLiteralsOption = 6
    columns: given.ColumnsOption = None
    without: given.WithoutOption = None
    negations: given.NegationsOption = True
    counts: given.CountsOption = "auto"
    stable: given.StableOption = False
    model: given.ModelOption = None

    def settings(self, present: Sequence[str], *taken: str) -> "Settings":
        """Return them as settings for a table with these columns; those taken are never used anyway."""
        from nri.induce import models
        from nri.induce.settings import Settings

        return Settings(
            model=self.model or DEFAULT_MODEL,
            max_clauses=self.max_clauses,
            max_literals=self.max_literals,
            use=texts.split_names(self.columns, present),
            never=texts.without_taken(self.without, (*present, *taken), *taken),
            negations=self.negations,
            counts=self.counts,  # type: ignore[arg-type]  # the limits refuse unknown modes
            stable=self.stable,
        )


@dataclass(frozen=True)
class Form:
    """The format that is asked for: by name, by a flag, or by the ending of a file."""

    form: given.FormatOption = None
    out: given.OutOption = None
    json: given.JsonFlag = False
    sql: given.SqlFlag = False
    python: given.PythonFlag = False
    markdown: given.MarkdownFlag = False
    latex: given.LatexFlag = False
    prolog: given.PrologFlag = False
    asp: given.AspFlag = False
    sympy: given.SympyFlag = False

    def chosen(self, implied: str | None = None) -> str | None:
        """Return the name of the format, else what other options imply; None if nothing was said."""
        flags = [field.name for field in fields(self) if getattr(self, field.name) is True]
        return chosen_format(self.form, self.out, *flags, implied=implied)


def chosen_format(named: str | None, out: Path | None, *flags: str, implied: str | None = None) -> str | None:
    """Return the format asked for by name, by a flag or by the ending of the output's name, None if by none.

    What other options imply counts where the ending says nothing.

    >>> chosen_format(None, None, "sql")
    'sql'
    >>> chosen_format(None, Path("rule.json"))
    'json'
    """
    from nri.rule.render import FORMATS
    from nri.rule.render.endings import format_by_ending

    asked = [*flags, *([] if named is None else [named.lower()])]
    if len(set(asked)) > 1:
        raise InputError(f"two formats asked for, {' and '.join(dict.fromkeys(asked))}: choose one")
    if asked:
        if asked[0] not in FORMATS:
            raise InputError(f"no format {named!r}; use one of {', '.join(FORMATS)}")
        return asked[0]
    known = {form.suffix for form in FORMATS.values()}
    if out is None or (implied is not None and out.suffix.lower() not in known):
        return implied
    return format_by_ending(out, FORMATS.values())
