"""Tables that stay where they are: what ``nri induce`` does where an engine answers for the rows."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nri.cli.console import tell, waiting
from nri.cli.files import files_in_place
from nri.cli.records import Part, Reading, Size
from nri.errors import InputError, MissingTargetError

if TYPE_CHECKING:
    from nri.cli.induce import Wishes
    from nri.cli.output import Estimate, Output
    from nri.engine.files import Files
    from nri.engine.path import LargeInduction
    from nri.engine.profile import Profile
    from nri.engine.rows import Rows
    from nri.induce.settings import Settings
    from nri.rule.plan import ColumnPlan
    from nri.table import Source


def induce_in_place(
    file: str, reading: Reading, wishes: "Wishes", size: Size, output: "Output", *, cv: bool, seed: int
) -> bool:
    """Induce a rule where the rows are, and show it; return False if rows are to be read into memory.

    That is so for small files, and where a number is to be explained: then :func:`rows_for_memory` takes
    some rows.
    """
    files = None
    if "://" not in file:
        files = files_in_place(file, size.engine, sheet=reading.sheet, header=reading.header)
    if files is None and "://" not in file:
        return False
    from nri.engine.large import profiled
    from nri.engine.target import MeasurementError

    refused = {
        "--weights": reading.weights,
        "--keep": wishes.keep,
        "--min-sensitivity": wishes.floors,
        "--stable": wishes.stable,
    }
    for option, value in refused.items():
        if value:
            raise InputError(f"{option} is for tables that are read into memory; add --engine memory")
    with opened(file, files, size, exact=reading.exact_text, quiet=output.quiet) as (rows, plans):
        if reading.target is None:
            raise MissingTargetError([one.name for one in rows.columns])
        try:
            with waiting(f"looking at all rows of {file}", quiet=output.quiet):
                found = profiled(
                    rows,
                    reading.target,
                    reading.positive,
                    sample=size.searched,
                    exact=reading.exact_text,
                    plans=plans,
                )
        except MeasurementError:
            if files is None:
                raise
            return False
        _induce_and_show(found, wishes, size, output, cv=cv, seed=seed)
    return True


def rows_for_memory(file: str, reading: Reading, size: Size, *, quiet: bool) -> "Source":
    """Open a table for work that needs its rows in memory: of a large file some are taken, which is told."""
    part = Part(size.engine, size.taken)
    return part.open(file, reading.sheet, reading.header, rewritable=False, quiet=quiet)


@contextmanager
def opened(
    file: str, files: "Files | None", size: Size, *, exact: bool = False, quiet: bool
) -> "Iterator[tuple[Rows, Mapping[str, ColumnPlan]]]":
    """Open a table where it is, in files or in a database; what is known of its columns comes with it."""
    from nri.engine.database import database_rows
    from nri.engine.files import open_files

    if files is None:
        held = database_rows(file, size.table, size.query, memory=size.memory)
        try:
            yield held, {}
        finally:
            held.close()
        return
    shown = files.paths[0] if not files.many else f"{len(files.paths)} files"
    tell(
        f"{shown}: rows stay where they are, DuckDB answers for them (--engine memory reads them)",
        quiet=quiet,
    )
    with waiting(f"opening {shown}", quiet=quiet):
        opened = open_files(files, memory=size.memory, exact=exact)
    try:
        yield opened.rows, opened.plans
    finally:
        opened.rows.close()


def _induce_and_show(
    found: "Profile", wishes: "Wishes", size: Size, output: "Output", *, cv: bool, seed: int
) -> None:
    from nri.cli.output import Estimate, tell_groups, write_report, write_rule
    from nri.engine.large import induce_from
    from nri.induce.path import Induction
    from nri.rule.render.options import settled
    from nri.table.usable import describe_left_out

    sample = found.table(found.sample)
    sample.require(output.protect)
    settings = wishes.settings_for(sample)
    tell(found.remark, quiet=output.quiet)
    with waiting("looking for a rule", quiet=output.quiet) as step:
        large = induce_from(found, settings, seed=seed, step=step.say)
    tell(describe_left_out(large.left_out, named_in="--columns"), quiet=output.quiet)
    tell(large.note, quiet=output.quiet)
    note = Estimate(f"rule: accuracy {large.right_share:.2f} (on all {large.n_rows} rows)")
    if cv:
        note = _cross_validated(large, settings, size, output, seed=seed)
    if not settled(large.ruleset).decisions:
        tell("no rule pays for itself on these rows: give other columns", quiet=output.quiet)
    elif note.doubt:
        tell(note.doubt, quiet=output.quiet)
    write_rule(large.ruleset, note, output)
    in_sample = Induction(large.ruleset, large.left_out)
    if output.protect or output.html is not None:
        told = f"groups and report are about a sample of {len(sample)} rows; the rule was counted on all rows"
        tell(told, quiet=output.quiet)
        tell_groups(in_sample, sample, output)
    write_report(in_sample, sample, settings, output, seed=seed)


def _cross_validated(
    large: "LargeInduction", settings: "Settings", size: Size, output: "Output", *, seed: int
) -> "Estimate":
    from nri.cli.diagnostics import as_data
    from nri.cli.output import Estimate
    from nri.engine.cross import cross_validated
    from nri.induce.estimates import guess_of
    from nri.induce.resample import FOLDS

    with waiting("cross-validating on all rows", steps=FOLDS, quiet=output.quiet) as step:
        tried = cross_validated(large.profile, settings, size.searched, seed=seed, step=step)
    counts = large.profile.target.counts.tolist()
    doubt = guess_of(large.ruleset.classes, counts).doubt(tried.accuracy)
    measures = tried.diagnostics([rule.label for rule in large.ruleset.rules], output.prevalence)
    told = f"rule: accuracy {tried.accuracy} (cross-validated on all {large.n_rows} rows)"
    return Estimate(told, doubt, measures, as_data(tried.accuracy, measures))
