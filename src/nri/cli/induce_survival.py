"""``nri induce --time COLUMN --event COLUMN``: segments whose survival curves part."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nri.cli.console import emit, show_rule, tell, waiting
from nri.cli.files import write_text
from nri.cli.large import rows_for_memory
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.cli.output import Output
    from nri.cli.records import Reading, Size
    from nri.induce.path import Settings
    from nri.survival.path import Concordance, Followed, SurvivalInduction


def read_followed(
    file: str, reading: "Reading", size: "Size", time: str | None, event: str | None, *, quiet: bool
) -> "Followed":
    """Read the rows of a file and split off how long its rows were followed, and how that ended."""
    if time is None or event is None:
        missing = "--time" if time is None else "--event"
        raise InputError(f"how long until what? Add {missing} COLUMN: time and event go together")
    if reading.target is not None or reading.positive is not None:
        raise InputError("--time and --event say what is explained; drop --target and --positive")
    source = rows_for_memory(file, reading, size, quiet=quiet)
    with waiting(f"reading {file}", quiet=quiet):  # the imports take their time too
        from nri.survival.path import follow

        table = source.table(exact=reading.exact_text)
        rows = follow(table, time, event, reading.weights)
    more = f"; {len(table) - len(rows)} more without a time or an event" if len(rows) < len(table) else ""
    happened = f"{int(rows.event.sum())} with {event}, {int((~rows.event).sum())} censored"
    tell(f"{len(rows)} rows ({happened}), {len(rows.table.names)} columns{more}", quiet=quiet)
    return rows


def induce_and_show_survival(
    rows: "Followed", settings: "Settings", output: "Output", *, cv: bool, seed: int
) -> None:
    """Find segments, estimate how well they order events, and write the rule where it is wanted."""
    from nri.survival.path import induce_survival
    from nri.table.usable import describe_left_out

    with waiting("looking for segments", quiet=output.quiet):
        found = induce_survival(rows, settings, rng=np.random.default_rng(seed))
    tell(describe_left_out(found.left_out), quiet=output.quiet)
    rule, note, validation = found.rule, None, None
    if not rule.segments:
        tell("no segment pays for itself on these rows: give more rows, or other columns", quiet=output.quiet)
    if cv:
        note, validation = _judged(rows, settings, found, seed=seed, quiet=output.quiet)
    from nri.rule import render

    options: dict[str, Any] = {"note": note, "dialect": output.dialect, "validation": validation}
    if output.out is not None:
        write_text(output.out, render(rule, output.form or "text", **options))
        tell(f"wrote {output.out}", quiet=output.quiet)
    if output.out is None and output.form not in (None, "text"):
        emit(render(rule, output.form or "text", **options))
    elif output.out is None or not output.quiet:
        show_rule(render(rule, "text", note=note))
    if output.html is not None:
        _write_report(rows, found, settings, output, seed=seed)


def _judged(
    rows: "Followed", settings: "Settings", found: "SurvivalInduction", *, seed: int, quiet: bool
) -> tuple[str, dict[str, Any]]:
    from nri.induce.resample import FOLDS
    from nri.rule.render.survival import parted_line
    from nri.survival.path import cross_validate_survival

    with waiting("cross-validating", steps=FOLDS, quiet=quiet) as step:
        judged = cross_validate_survival(rows, settings, rng=np.random.default_rng(seed), step=step)
    if judged is None:
        return parted_line(found.rule), {}
    if found.rule.segments and judged.mean <= 0.5:
        tell("cross-validated, the rule orders events no better than chance: give more rows", quiet=quiet)
    return f"{parted_line(found.rule)}; cross-validated concordance {judged}", as_data(judged)


def as_data(judged: "Concordance") -> dict[str, Any]:
    """Return the estimate as plain data."""
    return {
        "method": "5-fold cross-validation",
        "concordance": {"value": judged.mean, "standard_error": judged.error},
    }


def _write_report(
    rows: "Followed", found: "SurvivalInduction", settings: "Settings", output: "Output", *, seed: int
) -> None:
    from nri.report.records import ReportOptions
    from nri.report.survival import gather_survival_report, render_survival_report

    assert output.html is not None
    source = None if output.source in (None, "-") else Path(str(output.source)).name
    options = ReportOptions(source=source, clinical=output.clinical, seed=seed)
    with waiting("writing the report", steps=options.folds, quiet=output.quiet) as step:
        report = gather_survival_report(rows, found, settings, options=options, step=step)
        write_text(output.html, render_survival_report(report))
    tell(f"wrote {output.html}", quiet=output.quiet)
