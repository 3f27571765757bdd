"""``nri induce`` where segments stand in place of classes: for a number, and for the time until an event."""

from typing import TYPE_CHECKING, Any

import numpy as np

from nri.cli.console import tell, waiting
from nri.cli.large import rows_for_memory
from nri.cli.output import Estimate, Output, write_page, write_rule
from nri.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from nri.cli.records import Reading, Size
    from nri.induce.settings import Settings
    from nri.regress.path import NumberInduction
    from nri.report import ReportOptions
    from nri.rule import Segments, SurvivalRule
    from nri.survival.path import Followed, SurvivalInduction
    from nri.table import Table
    from nri.table.usable import LeftOut


def induce_and_show_number(
    table: "Table", settings: "Settings", output: Output, *, cv: bool, seed: int
) -> None:
    """Find segments, estimate how near they come, and write the rule where it is wanted."""
    from nri.regress.path import induce_segments

    with waiting("looking for segments", quiet=output.quiet):
        found = induce_segments(table, settings, rng=np.random.default_rng(seed))
    _tell_found(found.segments, found.left_out, output)
    note = _near(table, settings, found, seed=seed, quiet=output.quiet) if cv else Estimate("")
    write_rule(found.segments, note, output)

    def page(options: "ReportOptions", step: "Callable[[], None]") -> str:
        from nri.report.number import gather_number_report, render_number_report

        return render_number_report(gather_number_report(table, found, settings, options=options, step=step))

    write_page(output, seed, page)


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
    rows: "Followed", settings: "Settings", output: Output, *, cv: bool, seed: int
) -> None:
    """Find segments, estimate how well they order events, and write the rule where it is wanted."""
    from nri.survival.path import induce_survival

    with waiting("looking for segments", quiet=output.quiet):
        found = induce_survival(rows, settings, rng=np.random.default_rng(seed))
    _tell_found(found.rule, found.left_out, output)
    note = _in_order(rows, settings, found, seed=seed, quiet=output.quiet) if cv else Estimate("")
    write_rule(found.rule, note, output)

    def page(options: "ReportOptions", step: "Callable[[], None]") -> str:
        from nri.report.survival import gather_survival_report, render_survival_report

        report = gather_survival_report(rows, found, settings, options=options, step=step)
        return render_survival_report(report)

    write_page(output, seed, page)


def _tell_found(rule: "Segments | SurvivalRule", left_out: "tuple[LeftOut, ...]", output: Output) -> None:
    from nri.table.usable import describe_left_out

    tell(describe_left_out(left_out, named_in="--columns"), quiet=output.quiet)
    if not rule.segments:
        tell("no segment pays for itself on these rows: give more rows, or other columns", quiet=output.quiet)


def _near(
    table: "Table", settings: "Settings", found: "NumberInduction", *, seed: int, quiet: bool
) -> Estimate:
    """Cross-validate how near the segments of a number come."""
    from nri.induce.resample import FOLDS
    from nri.regress.validate import hold_out_numbers
    from nri.rule.render.numbers import explained_line

    rule = found.segments
    with waiting("cross-validating", steps=FOLDS, quiet=quiet) as step:
        fit = hold_out_numbers(table, settings, rng=np.random.default_rng(seed), step=step).fit
    if rule.segments and fit.explained <= 0:
        tell(
            f"cross-validated, the rule is no better than always saying the mean, "
            f"{rule.amount(rule.support.mean)}: take that, or give more rows",
            quiet=quiet,
        )
    return Estimate(
        f"{explained_line(rule)}; cross-validated R² {fit.explained:.2f} ± {fit.explained_error:.2f}, "
        f"off by {rule.amount(fit.off)} on average (the median: {rule.amount(fit.off_median)})"
    )


def _in_order(
    rows: "Followed", settings: "Settings", found: "SurvivalInduction", *, seed: int, quiet: bool
) -> Estimate:
    """Cross-validate how well the risks order events."""
    from nri.induce.resample import FOLDS
    from nri.rule.render.survival import parted_line
    from nri.survival.path import cross_validate_survival

    with waiting("cross-validating", steps=FOLDS, quiet=quiet) as step:
        judged = cross_validate_survival(rows, settings, rng=np.random.default_rng(seed), step=step)
    if judged is None:
        return Estimate(parted_line(found.rule), validation={})
    if found.rule.segments and judged.mean <= 0.5:
        tell("cross-validated, the rule orders events no better than chance: give more rows", quiet=quiet)
    validation: dict[str, Any] = {
        "method": "5-fold cross-validation",
        "concordance": {"value": judged.mean, "standard_error": judged.error},
    }
    told = f"{parted_line(found.rule)}; cross-validated concordance {judged}"
    return Estimate(told, validation=validation)
