"""``nri induce`` where the target is a number: segments in place of classes."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nri.cli.console import emit, show_rule, tell, waiting
from nri.cli.files import write_text

if TYPE_CHECKING:
    from nri.cli.output import Output
    from nri.induce.path import Settings
    from nri.regress.path import NumberInduction
    from nri.rule import Segments
    from nri.table import Table


def induce_and_show_number(
    table: "Table", settings: "Settings", output: "Output", *, cv: bool, seed: int
) -> None:
    """Find segments, estimate how near they come, and write the rule where it is wanted."""
    from nri.regress.path import induce_segments
    from nri.table.usable import describe_left_out

    with waiting("looking for segments", quiet=output.quiet):
        found = induce_segments(table, settings, rng=np.random.default_rng(seed))
    tell(describe_left_out(found.left_out), quiet=output.quiet)
    rule = found.segments
    note = _cross_validated(table, settings, rule, seed=seed, quiet=output.quiet) if cv else None
    if not rule.segments:
        tell("no segment pays for itself on these rows: give more rows, or other columns", quiet=output.quiet)
    if output.out is not None:
        write_text(output.out, rule.render(output.form or "text", note=note))
        tell(f"wrote {output.out}", quiet=output.quiet)
    if output.out is None and output.form not in (None, "text"):
        emit(rule.render(output.form or "text", note=note))
    elif output.out is None or not output.quiet:
        show_rule(rule.render("text", note=note))
    if output.html is not None:
        _write_report(found, table, settings, output, seed=seed)


def _cross_validated(
    table: "Table", settings: "Settings", rule: "Segments", *, seed: int, quiet: bool
) -> str:
    from nri.induce.resample import FOLDS
    from nri.regress.validate import hold_out_numbers
    from nri.rule.render.numbers import explained_line

    with waiting("cross-validating", steps=FOLDS, quiet=quiet) as step:
        fit = hold_out_numbers(table, settings, rng=np.random.default_rng(seed), step=step).fit
    if rule.segments and fit.explained <= 0:
        tell(
            f"cross-validated, the rule is no better than always saying the mean, "
            f"{rule.amount(rule.support.mean)}: take that, or give more rows",
            quiet=quiet,
        )
    return (
        f"{explained_line(rule)}; cross-validated R² {fit.explained:.2f} ± {fit.explained_error:.2f}, "
        f"off by {rule.amount(fit.off)} on average (the median: {rule.amount(fit.off_median)})"
    )


def _write_report(
    found: "NumberInduction", table: "Table", settings: "Settings", output: "Output", *, seed: int
) -> None:
    from nri.report.number import gather_number_report, render_number_report
    from nri.report.records import ReportOptions

    assert output.html is not None
    source = None if output.source in (None, "-") else Path(str(output.source)).name
    options = ReportOptions(source=source, clinical=output.clinical, seed=seed)
    with waiting("writing the report", steps=options.folds, quiet=output.quiet) as step:
        report = gather_number_report(table, found, settings, options=options, step=step)
        write_text(output.html, render_number_report(report))
    tell(f"wrote {output.html}", quiet=output.quiet)
