"""``nri compare``: what changed between two rules."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli.console import emit, mute_notes, tell, waiting
from nri.cli.files import check_outputs, files_to_stream, open_table, read_rule
from nri.cli.options import HeaderOption, JsonOption, OutOption, QuietOption, SheetOption, WayOption

if TYPE_CHECKING:
    from nri.rule import Clause, RuleSet
    from nri.tasks.compare import ClassChange, Comparison, RowChanges, RowCounts


OldArgument = Annotated[Path, typer.Argument(metavar="OLD.json", help="A rule written by nri.")]
NewArgument = Annotated[Path, typer.Argument(metavar="NEW.json", help="Another rule for the same target.")]
TableArgument = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="A table to try both on; - is standard input.")
]


def compare(
    old: OldArgument,
    new: NewArgument,
    file: TableArgument = None,
    sheet: SheetOption = None,
    header: HeaderOption = None,
    out: OutOption = None,
    json: JsonOption = False,
    engine: WayOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Tell what changed from one rule to another and, on a table, on which rows they differ.

    With a table, --out writes the rows on which they differ. Large files go through both rules batch by
    batch, so that all rows are counted.
    """
    mute_notes(quiet)
    check_outputs({"--out": out}, {"the table": file, "the old rule": old, "the new rule": new})
    first, second = read_rule(old), read_rule(new)
    from nri.tasks.compare import compare_rules

    found = compare_rules(first, second)
    if file is not None:
        found = replace(found, rows=_on_rows(first, second, file, sheet, header, engine, out, quiet=quiet))
    if json:
        from nri.cli.record_json import record_json

        emit(record_json(found))
    else:
        emit("\n".join(_lines(found)))
    if out is not None:
        written = f"wrote {out}" if file else "nothing written: name a table to try both rules on"
        tell(written, quiet=quiet)


def _on_rows(
    old: "RuleSet",
    new: "RuleSet",
    file: str,
    sheet: str | None,
    header: int | None,
    engine: str,
    out: Path | None,
    *,
    quiet: bool,
) -> "RowChanges | RowCounts":
    """Try both rules on a table, and write the rows on which they differ if they are wanted."""
    from nri.table.write import typed_frame, write_table
    from nri.tasks.compare import row_changes

    files = None if sheet is not None or header is not None else files_to_stream(file, engine)
    if files is not None:
        from nri.tasks.stream_questions import stream_changes

        with waiting("comparing", quiet=quiet) as step:
            return stream_changes(old, new, files, out, step=lambda rows: step.say(f"comparing: {rows} rows"))
    source = open_table(file, sheet=sheet, header=header, quiet=quiet)
    found = row_changes(old, new, source)
    if out is not None:
        said = {f"old_{new.target}": found.old, f"new_{new.target}": found.new}
        write_table(typed_frame(source).assign(**said)[found.differs], out)
    return found


def _lines(found: "Comparison") -> list[str]:
    from nri.rule.phrase import phrase_label
    from nri.tasks.compare import RowChanges

    lines = ["both rules say the same"] if found.same_words else []
    for change in found.classes:
        lines += _class_lines(found.target, change, "says so" if found.opposite else "fires")
    if found.opposite and found.classes[0].example is not None:
        lines.append(_example(found.classes[0].example))
    if found.default_old != found.default_new:
        lines.append(f"else: {phrase_label(found.default_old)} -> {phrase_label(found.default_new)}")
    for sign, names in (("no longer read", found.columns_dropped), ("newly read", found.columns_added)):
        if names:
            lines.append(f"columns {sign}: {', '.join(names)}")
    if found.rows is not None:
        lines += _row_lines(found.rows.counts if isinstance(found.rows, RowChanges) else found.rows)
    return lines


def _class_lines(target: str, change: "ClassChange", does: str) -> list[str]:
    from nri.rule.phrase import phrase_clause, phrase_label, phrase_name

    outcome = f"{phrase_name(target)} = {phrase_label(change.label)}"
    lines = [f"{outcome}: the new rule {does} on {change.relation}"]
    lines += [f"    {phrase_clause(clause)}" for clause in change.kept]
    for moved in change.moved:
        lines.append(f"  ~ {phrase_clause(moved.old)}  ->  {phrase_clause(moved.new)}")
    lines += [f"  - {phrase_clause(clause)}" for clause in change.dropped]
    lines += [f"  + {phrase_clause(clause)}" for clause in change.added]
    if change.example is not None and does == "fires":
        lines.append(f"  {_example(change.example)}")
    return lines


def _example(clause: "Clause") -> str:
    from nri.rule.phrase import phrase_clause

    return f"they differ, for example, where {phrase_clause(clause)}"


def _row_lines(rows: "RowCounts") -> list[str]:
    from nri.rule.phrase import phrase_label

    lines = [f"they differ on {rows.differing} of {rows.n_rows} rows"]
    for old, new, count in rows.changes:
        lines.append(f"  {phrase_label(old)} -> {phrase_label(new)} on {count}")
    if rows.differing:
        more = f", ... ({rows.differing} in all)" if rows.differing > len(rows.first) else ""
        lines.append(f"  rows {', '.join(map(str, rows.first))}{more}")
    if rows.accuracy_old is not None and rows.accuracy_new is not None:
        lines.append(f"accuracy {rows.accuracy_old} -> {rows.accuracy_new} on these rows")
    return lines
