"""Where a rule goes, what stands beside it, and the report about it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nri.cli.console import emit, show_rule, tell, text_table, waiting
from nri.cli.files import write_text

if TYPE_CHECKING:
    from nri.induce.diagnostics import Diagnostics
    from nri.induce.floors import Floored
    from nri.induce.path import Induction
    from nri.induce.resample import HeldOut
    from nri.induce.settings import Settings
    from nri.report import ReportOptions
    from nri.rule import RuleSet, Segments, SurvivalRule
    from nri.table import Table
    from nri.tasks.fairness import Groups


@dataclass(frozen=True)
class Output:
    """Where a rule goes, and in which form."""

    form: str | None
    out: Path | None
    html: Path | None
    quiet: bool
    clinical: bool = False
    """Whether the report warns that it is not validated for decisions."""
    source: str | None = None
    """Where the rows came from."""
    dialect: str | None = None
    """Of SQL."""
    prevalence: float | None = None
    """Of the class asked about, for predictive values; by default the table's."""
    protect: tuple[str, ...] = ()
    """Columns whose groups are told about."""


@dataclass(frozen=True)
class Estimate:
    """How good a rule is, in the words that stand beside it."""

    text: str
    doubt: str = ""
    """A warning where the rule is no better than a guess."""
    measures: "tuple[Diagnostics, ...]" = ()
    """Sensitivity and its kin, if they were estimated."""
    validation: dict[str, Any] | None = None
    """The same for other programs."""


def write_rule(rule: "RuleSet | Segments | SurvivalRule", note: Estimate, output: Output) -> None:
    """Write a rule where it is wanted, and show it."""
    from nri.cli.diagnostics import lines
    from nri.rule import render

    options = {"note": note.text, "dialect": output.dialect, "validation": note.validation}
    if output.out is not None:
        write_text(output.out, render(rule, output.form or "text", **options))
        tell(f"wrote {output.out}", quiet=output.quiet)
    if output.out is None and output.form not in (None, "text"):
        emit(render(rule, output.form or "text", **options))
    elif output.out is None or not output.quiet:
        show_rule(render(rule, "text", note=note.text))
        if note.measures:
            emit("\n" + lines(rule.target, note.measures))


def tell_groups(found: "Induction", table: "Table", output: Output) -> None:
    """Tell what the rule does with groups of people: those asked for, and of columns that look protected."""
    from nri.tasks.fairness import by_group, note_on, protected_columns

    for column in output.protect:
        if output.form in (None, "text") or output.out is not None:
            emit("\n" + _groups_lines(by_group(table, found.ruleset, column)))
    for column in protected_columns(found.ruleset):
        if column not in output.protect:
            groups = by_group(table, found.ruleset, column)
            tell(f"note: {note_on(groups)}; --protect {column!r} tells more", quiet=output.quiet)


def _groups_lines(groups: "Groups") -> str:
    """Return a row for each group: its rows, how often a clause fires, how often the rule is right."""
    from nri.rule.phrase import number, phrase_name

    head = (phrase_name(groups.column), "rows", "a clause fires on", "right on")
    rows = [(one.name, number(one.rows), str(one.fires), str(one.right)) for one in groups.groups]
    told = text_table([head, *rows])
    return told if groups.used else f"{told}\n(the rule does not read it; another column may stand for it)"


def write_report(
    found: "Induction",
    table: "Table",
    settings: "Settings",
    output: Output,
    *,
    seed: int,
    held: "HeldOut | None" = None,
    floored: "Floored | None" = None,
) -> None:
    """Write the report that --html asks for."""

    def page(options: "ReportOptions", step: Callable[[], None]) -> str:
        from nri.report import gather_report, render_report

        report = gather_report(table, found, settings, options=options, held=held, step=step)
        return render_report(replace(report, floors=floored))

    write_page(output, seed, page, by_sample=True)


def write_page(
    output: Output,
    seed: int,
    page: "Callable[[ReportOptions, Callable[[], None]], str]",
    *,
    by_sample: bool = False,
) -> None:
    """Write the page that --html asks for, if it does, and show how far it is.

    Parameters
    ----------
    output
        Where it goes, and what it says beside the numbers.
    seed
        Of its folds and samples.
    page
        From options and what is called after each fold to the text.
    by_sample
        Whether it is called after each bootstrap sample too.
    """
    if output.html is None:
        return
    from nri.report import ReportOptions, steps_of

    source = None if output.source in (None, "-") else Path(str(output.source)).name
    options = ReportOptions(
        source=source,
        clinical=output.clinical,
        seed=seed,
        prevalence=output.prevalence,
        protect=output.protect,
    )
    steps = steps_of(options) if by_sample else options.folds
    with waiting("writing the report", steps=steps, quiet=output.quiet) as step:
        write_text(output.html, page(options, step))
    tell(f"wrote {output.html}", quiet=output.quiet)
