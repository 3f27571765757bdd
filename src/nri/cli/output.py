"""Where a rule goes, what stands beside it, and the report about it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nri.cli.console import emit, show_rule, tell, waiting
from nri.cli.files import check_outputs, write_text

if TYPE_CHECKING:
    from nri.induce.diagnostics import Diagnostics
    from nri.induce.path import Induction, Settings
    from nri.induce.resample import HeldOut
    from nri.rule import RuleSet
    from nri.table import Table


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

    def check(self) -> None:
        """Raise before anything is computed if a file cannot be written in the end."""
        check_outputs({"--out": self.out, "--html": self.html}, {"the table": self.source})


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


def write_rule(ruleset: "RuleSet", note: Estimate, output: Output) -> None:
    """Write a rule where it is wanted, and show it."""
    from nri.cli.diagnostics import lines
    from nri.rule import render

    options = {"note": note.text, "dialect": output.dialect, "validation": note.validation}
    if output.out is not None:
        write_text(output.out, render(ruleset, output.form or "text", **options))
        tell(f"wrote {output.out}", quiet=output.quiet)
    if output.out is None and output.form not in (None, "text"):
        emit(render(ruleset, output.form or "text", **options))
    elif output.out is None or not output.quiet:
        show_rule(render(ruleset, "text", note=note.text))
        if note.measures:
            emit("\n" + lines(ruleset.target, note.measures))


def tell_groups(found: "Induction", table: "Table", output: Output) -> None:
    """Tell what the rule does with groups of people: those asked for, and of columns that look protected."""
    from nri.cli.groups import groups_lines
    from nri.tasks.fairness import by_group, note_on, protected_columns

    for column in output.protect:
        if output.form in (None, "text") or output.out is not None:
            emit("\n" + groups_lines(by_group(table, found.ruleset, column)))
    for column in protected_columns(found.ruleset):
        if column not in output.protect:
            groups = by_group(table, found.ruleset, column)
            tell(f"note: {note_on(groups)}; --protect {column!r} tells more", quiet=output.quiet)


def write_report(
    found: "Induction",
    table: "Table",
    settings: "Settings",
    output: Output,
    *,
    seed: int,
    held: "HeldOut | None" = None,
) -> None:
    """Write the report that --html asks for."""
    from nri.report import ReportOptions, gather_report, render_report, steps_of

    assert output.html is not None
    source = None if output.source in (None, "-") else Path(str(output.source)).name
    options = ReportOptions(
        source=source,
        clinical=output.clinical,
        seed=seed,
        prevalence=output.prevalence,
        protect=output.protect,
    )
    with waiting("writing the report", steps=steps_of(options), quiet=output.quiet) as step:
        report = gather_report(table, found, settings, options=options, held=held, step=step)
        write_text(output.html, render_report(report))
    tell(f"wrote {output.html}", quiet=output.quiet)
