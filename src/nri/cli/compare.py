"""``nri compare`` and ``nri stability``: how two rules differ, and how rules of other rows would differ."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli import options as opt
from nri.cli.console import emit, message, mute_notes, progress, show_rule, text_table
from nri.cli.files import check_outputs, files_to_stream, in_memory, open_rows, open_table, read_rule
from nri.cli.options import FileArgument, JsonOption, OutOption, QuietOption, Reading, RowOptions, RuleOptions
from nri.cli.output import record_json
from nri.cli.settings import settings_of
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.induce.settings import Settings
    from nri.rule import Clause, Rule
    from nri.table import Table
    from nri.tasks.compare import ClassChange, Comparison, RowChanges
    from nri.tasks.stability import Stability

OldArgument = Annotated[Path, typer.Argument(metavar="OLD.json", help="A rule written by nri.")]
NewArgument = Annotated[Path, typer.Argument(metavar="NEW.json", help="Another rule for the same target.")]
TableArgument = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="A table to apply both to; - is standard input.")
]
FailOption = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        min=0.0,
        max=1.0,
        help="End with exit code 3 if more of the rows than this differ, e.g. 0.02.",
    ),
]
DIFFERENT = 3
"""Exit code of --fail-above."""


def compare(
    old: OldArgument,
    new: NewArgument,
    file: TableArgument = None,
    fail_above: FailOption = None,
    sheet: opt.SheetOption = None,
    header: opt.HeaderOption = None,
    out: OutOption = None,
    json: JsonOption = False,
    engine: opt.StreamOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Show what changed from one rule to another and, on a table, on which rows they differ.

    With a table, --out writes the rows on which they differ. Large files go through both rules batch by
    batch, so that all rows are counted.
    """
    mute_notes(quiet)
    if fail_above is not None and file is None:
        raise InputError("--fail-above is a share of rows; name a table to apply both rules to")
    check_outputs({"--out": out}, {"the table": file, "the old rule": old, "the new rule": new})
    first, second = read_rule(old), read_rule(new)
    from nri.tasks.compare import compare_rules

    comparison = compare_rules(first, second)
    if file is not None:
        rows = _on_rows(first, second, file, sheet, header, engine, out, quiet=quiet)
        comparison = replace(comparison, rows=rows)
    emit(record_json(comparison) if json else "\n".join(_lines(comparison, second)))
    if out is not None:
        written = f"wrote {out}" if file else "nothing written: name a table to apply both rules to"
        message(written, quiet=quiet)
    changed = comparison.rows
    if fail_above is not None and changed is not None and changed.n_rows:
        share = changed.differing / changed.n_rows
        if share > fail_above:
            message(f"the rules differ on {share:.4f} of the rows, more than {fail_above:g}", quiet=quiet)
            raise typer.Exit(DIFFERENT)


def _on_rows(
    old: "Rule",
    new: "Rule",
    file: str,
    sheet: str | None,
    header: int | None,
    engine: str,
    out: Path | None,
    *,
    quiet: bool,
) -> "RowChanges":
    """Apply both rules to a table, and write the rows on which they differ if they are wanted."""
    from nri.table.write import typed_frame, write_table
    from nri.tasks.compare import row_changes

    files = files_to_stream(file, engine, sheet, header)
    if files is not None:
        from nri.tasks.stream import stream_changes

        with progress("comparing", quiet=quiet) as step:
            return stream_changes(
                old, new, files, out, step=lambda rows: step.describe(f"comparing: {rows} rows")
            )
    source = open_table(file, sheet, header, quiet=quiet)
    changes = row_changes(old, new, source)
    if out is not None and changes.differs is not None:
        predicted = {f"old_{new.target}": changes.old, f"new_{new.target}": changes.new}
        changed = changes.differs.nonzero()[0]
        write_table(typed_frame(source).assign(**predicted).take(changed), out)
    return changes


def _lines(comparison: "Comparison", rule: "Rule") -> list[str]:
    lines = ["both rules are the same"] if comparison.same_words else []
    for change in comparison.classes:
        lines += _class_lines(change, rule, "predicts it" if comparison.opposite else "fires")
    if comparison.opposite and comparison.classes[0].example is not None:
        lines.append(_example(comparison.classes[0].example))
    if comparison.default_old != comparison.default_new:
        old, new = (_shown(one, rule) for one in (comparison.default_old, comparison.default_new))
        lines.append(f"else: {old} -> {new}")
    lines += _region_lines(comparison, rule)
    dropped, added = comparison.columns_dropped, comparison.columns_added
    for title, names in (("no longer read", dropped), ("newly read", added)):
        if names:
            lines.append(f"columns {title}: {', '.join(names)}")
    return lines if comparison.rows is None else [*lines, *_row_lines(comparison.rows, rule)]


def _class_lines(change: "ClassChange", rule: "Rule", does: str) -> list[str]:
    from nri.rule.phrase import phrase_clause, phrase_label, phrase_name

    subject = phrase_name(rule.target)
    if change.label is not None:
        subject += f" = {phrase_label(change.label)}"
    lines = [f"{subject}: the new rule {does} on {change.relation}"]
    lines += [f"    {phrase_clause(clause)}" for clause in change.kept]
    for moved in change.moved:
        lines.append(f"  ~ {phrase_clause(moved.old)}  ->  {phrase_clause(moved.new)}")
    lines += [f"  - {phrase_clause(clause)}" for clause in change.dropped]
    lines += [f"  + {phrase_clause(clause)}" for clause in change.added]
    if change.example is not None and does == "fires":
        lines.append(f"  {_example(change.example)}")
    return lines


def _region_lines(comparison: "Comparison", rule: "Rule") -> list[str]:
    from nri.rule.phrase import phrase_clause

    return [
        f"{_shown(one.old, rule)} -> {_shown(one.new, rule)} where {phrase_clause(one.where)}"
        for one in comparison.regions
    ]


def _example(clause: "Clause") -> str:
    from nri.rule.phrase import phrase_clause

    return f"they differ, for example, where {phrase_clause(clause)}"


def _shown(value: object, rule: "Rule") -> str:
    """Write a prediction: a class, a number with its unit, or a risk."""
    from nri.rule.phrase import phrase_label

    if rule.predicts.kind == "number":
        return str(rule.predicts.amount(value))  # type: ignore[union-attr,arg-type]
    return f"{value:g}" if rule.predicts.kind == "survival" else phrase_label(value)  # type: ignore[arg-type]


def _row_lines(rows: "RowChanges", rule: "Rule") -> list[str]:
    lines = [f"they differ on {rows.differing} of {rows.n_rows} rows"]
    for old, new, count in rows.changes:
        lines.append(f"  {_shown(old, rule)} -> {_shown(new, rule)} on {count}")
    if rows.differing:
        more = f", ... ({rows.differing} in all)" if rows.differing > len(rows.first) else ""
        lines.append(f"  rows {', '.join(map(str, rows.first))}{more}")
    if rows.score_old is not None and rows.score_new is not None:
        lines.append(f"{rows.score_new.measure} {rows.score_old} -> {rows.score_new} on these rows")
    return lines


FEW_SAMPLES = 10
"""Samples behind the one line of `nri induce --stable`."""
SamplesOption = Annotated[int, typer.Option(min=1, help="Bootstrap samples.")]


@opt.spread
def stability(
    file: FileArgument,
    reading: Reading,
    options: RuleOptions,
    rows: RowOptions,
    samples: SamplesOption = 20,
    random_state: opt.SeedOption = 0,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Induce rules from bootstrap samples of a table, and show how far they agree and which clauses recur.

    Of a large file some rows are taken, and it is about rules from so many rows.
    """
    mute_notes(quiet)
    import numpy as np

    from nri.induce.induce import induce_rule
    from nri.outcome import Classes

    with open_rows(file, reading, rows, quiet=quiet) as opened:
        table = in_memory(opened, rows.sample, quiet=quiet)
    classes = table.classes if isinstance(table.outcome, Classes) else ()
    settings = settings_of(options, table.names, classes=classes)
    with progress("inducing from samples", steps=samples, quiet=quiet) as step:
        rule = induce_rule(table, settings, rng=np.random.default_rng(random_state)).rule.settled
        result = _stability(table, rule, settings, samples, random_state, step)
    if json:
        emit(record_json(result, rule=rule))
    else:
        _show_stability(rule, result, quiet=quiet)


def _stability(
    table: "Table", rule: "Rule", settings: "Settings", samples: int, seed: int, step: object
) -> "Stability":
    import numpy as np

    from nri.tasks.stability import clause_stability

    rng = np.random.default_rng(seed)  # the samples of the report, so that both show the same
    return clause_stability(table, rule, settings, rng=rng, samples=samples, step=step)  # type: ignore[arg-type]


def show_stability_line(
    table: "Table", rule: "Rule", settings: "Settings", *, seed: int, quiet: bool
) -> None:
    """Show in one line whether other rows would have given the same predictions."""
    with progress("inducing from samples", steps=FEW_SAMPLES, quiet=quiet) as step:
        result = _stability(table, rule.settled, settings, FEW_SAMPLES, seed, step)
    message(f"stable: {result}", quiet=quiet)


def _show_stability(rule: "Rule", result: "Stability", *, quiet: bool) -> None:
    from nri.rule.phrase import phrase_clause, phrase_label

    def label(value: object) -> str:
        return "" if value is None else phrase_label(value)  # type: ignore[arg-type]

    if not quiet:
        show_rule(rule.render("text"))
        emit("")
    emit(str(result))
    emit("")
    heading = ("clause of the rule", "for", "same words", "same conditions", "rows in common")
    lines = [
        (
            phrase_clause(one.clause),
            label(one.label),
            f"{one.same_words:.0%}",
            f"{one.same_conditions:.0%}",
            f"{one.overlap:.0%}",
        )
        for one in result.clauses
    ]
    if lines:
        emit(text_table([heading, *lines], left=2))
    others = [one for one in result.recurring if not one.in_rule]
    if others:
        rest = [(phrase_clause(one.clause), label(one.label), f"{one.share:.0%}") for one in others]
        emit("")
        emit(text_table([("other conditions of samples", "for", "samples"), *rest], left=2))
    least, most = min(result.n_clauses), max(result.n_clauses)
    sizes = f"{least} to {most}" if least < most else f"{most}"
    message(f"rules of samples have {sizes} {'clause' if most == 1 else 'clauses'}", quiet=quiet)
