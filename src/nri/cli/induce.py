"""``nri induce`` and ``nri demo``: a table in, a rule out, by one flow for every outcome."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli import options as opt
from nri.cli.compare import show_stability_line
from nri.cli.console import message, mute_notes, progress
from nri.cli.files import check_outputs, in_memory, open_rows
from nri.cli.options import InduceOptions, OutputOptions, Reading, RowOptions, spread
from nri.cli.output import (
    ReportFile,
    Validation,
    rule_note,
    show_groups,
    validation_of,
    write_report,
    write_rule,
)
from nri.cli.settings import settings_of
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.induce.floors import Floored, Floors
    from nri.induce.induce import Induction
    from nri.induce.settings import Settings
    from nri.induce.validate import HeldOut, MeanCost
    from nri.rows.base import Rows
    from nri.table import Table


@dataclass(frozen=True)
class Scoring:
    """What is shown beside the rule."""

    cv: opt.CvOption = False
    prevalence: opt.PrevalenceOption = None
    protect: opt.ProtectOption = None
    html: opt.HtmlOption = None
    clinical: opt.ClinicalOption = False
    random_state: opt.SeedOption = 0

    def __post_init__(self) -> None:
        if self.prevalence is None:
            return
        if not (self.cv or self.html):
            raise InputError("--prevalence is about estimates on new rows; add --cv or --html")
        if not 0 < self.prevalence < 1:
            raise InputError(f"--prevalence is a share between 0 and 1, not {self.prevalence:g}; 5 % is 0.05")

    def report(self, source: str | None) -> ReportFile | None:
        """Return where the report goes, if one is to be written."""
        if self.html is None:
            return None
        options = {
            "source": None if source in (None, "-") else Path(str(source)).name,
            "clinical": self.clinical,
            "seed": self.random_state,
            "prevalence": self.prevalence,
            "protect": tuple(self.protect or ()),
        }
        return ReportFile(self.html, options)


@spread
def induce(
    file: opt.HiddenFileArgument,
    reading: Reading,
    options: InduceOptions,
    scoring: Scoring,
    output: OutputOptions,
    rows: RowOptions,
    help_all: opt.HelpAllOption = False,
) -> None:
    """Induce a rule that explains a column of a table, and print it.

    FILE is a CSV, TSV, Excel, Parquet or ARFF table, a pattern for several files, a database URL, or - for
    standard input.
    """
    mute_notes(output.quiet)
    check_outputs({"--out": output.out, "--html": scoring.html}, {"the table": file})
    output.chosen_format()
    with open_rows(file, reading, rows, quiet=output.quiet) as opened:
        run(opened, options, scoring, output, source=file, sample=rows.sample)


def run(
    rows: "Table | Rows",
    options: InduceOptions,
    scoring: Scoring,
    output: OutputOptions,
    *,
    source: str | None = None,
    sample: int | None = None,
) -> None:
    """Induce, validate, and write the rule and what goes with it."""
    import numpy as np

    from nri.induce.assemble import coded_predictions
    from nri.induce.floors import Floors
    from nri.induce.induce import induce_rule
    from nri.induce.validate import FOLDS, cores, hold_out, mean_cost
    from nri.outcome import Classes
    from nri.table import Table

    quiet, seed = output.quiet, scoring.random_state
    table = rows if isinstance(rows, Table) else None
    outcome = rows.outcome
    names = tuple(rows.names if isinstance(rows, Table) else rows.columns)
    _require(names, scoring.protect or ())
    classes = outcome.classes if isinstance(outcome, Classes) else ()
    settings = settings_of(options, names, classes=classes)
    asked = options.min_sensitivity or options.min_specificity
    floors = Floors(options.min_sensitivity, options.min_specificity) if asked else None
    _check_supported(settings, floors, has_classes=bool(classes), in_memory=table is not None)
    floored, held = None, None
    if floors and table is not None:
        floored, held = _meet_floors(table, settings, floors, seed=seed, quiet=quiet)
        settings = replace(settings, tilt=floored.tilt)
    with progress("searching for a rule", quiet=quiet) as step:
        induction = induce_rule(rows, settings, rng=np.random.default_rng(seed), step=step.describe)
    _show_search(induction, rows, quiet=quiet)
    cost: MeanCost | None = None
    if table is not None:
        if settings.knowledge:
            _show_price(induction, table, settings, seed=seed, quiet=quiet)
        if settings.costs is not None:
            cost = mean_cost(table, coded_predictions(induction.rule, table), settings.costs)
    if scoring.cv and held is None:
        with progress("cross-validating", steps=FOLDS, quiet=quiet) as step:
            held = hold_out(rows, settings, rng=np.random.default_rng(seed), jobs=cores(), step=step)
    validation = None
    if held is not None:
        validation = validation_of(held, induction.rule, settings, scoring.prevalence, floored)
    _show_warnings(induction, rows, validation, quiet=quiet)
    write_rule(induction.rule, output, rule_note(induction.rule, validation, cost), validation)
    _show_more(induction, rows, settings, scoring, output, source, sample, held, floored)


def _require(names: tuple[str, ...], wanted: "list[str] | tuple[str, ...]") -> None:
    from nri.errors import UnknownColumnError

    for name in wanted:
        if name not in names:
            raise UnknownColumnError(name, names)


def _check_supported(
    settings: "Settings", floors: "Floors | None", *, has_classes: bool, in_memory: bool
) -> None:
    """Refuse options that the outcome or the source of rows does not allow."""
    if not has_classes:
        if floors:
            raise InputError("--min-sensitivity and --min-specificity are about a class; drop them")
        if settings.stable:
            raise InputError("--stable is for rules about classes; drop it")
    if not in_memory:
        refused = {
            "--keep": settings.knowledge.keep,
            "--min-sensitivity": floors,
            "--stable": settings.stable,
        }
        for option, value in refused.items():
            if value:
                raise InputError(f"{option} is for tables that are read into memory; add --engine memory")


def _meet_floors(
    table: "Table", settings: "Settings", floors: "Floors", *, seed: int, quiet: bool
) -> "tuple[Floored, HeldOut]":
    import numpy as np

    from nri.induce.floors import meet_floors, most_steps

    with progress("cross-validating until the floor is met", steps=most_steps(), quiet=quiet) as step:
        floored, held = meet_floors(table, settings, floors, rng=np.random.default_rng(seed), step=step)
    message(str(floored), quiet=quiet and floored.met)  # a floor that is not kept is shown in any case
    return floored, held


def _show_search(induction: "Induction", rows: "Table | Rows", *, quiet: bool) -> None:
    """Show which columns were left out, and where a part of rows or columns was searched."""
    from nri.table import Table
    from nri.table.binarizer import describe_left_out

    message(describe_left_out(induction.left_out, named_in="--columns"), quiet=quiet)
    n_rows = len(rows) if isinstance(rows, Table) else rows.n_rows
    if induction.searched is not None:
        counted = f"choices, cuts and counts are counted on all {n_rows:.10g} rows"
        message(f"searched {induction.searched} of {n_rows:.10g} rows; {counted}", quiet=quiet)
    if induction.searched_columns is not None:
        n_columns = len(rows.names if isinstance(rows, Table) else rows.columns)
        searched = f"searched the {induction.searched_columns} of {n_columns} most informative columns"
        message(f"{searched}; name others in the setting require", quiet=quiet)


def _show_price(
    induction: "Induction", table: "Table", settings: "Settings", *, seed: int, quiet: bool
) -> None:
    import numpy as np

    from nri.induce.validate import price_of_knowledge

    price = price_of_knowledge(table, settings, induction.rule, rng=np.random.default_rng(seed))
    message("" if price is None else str(price), quiet=quiet)


def _show_warnings(
    induction: "Induction", rows: "Table | Rows", validation: Validation | None, *, quiet: bool
) -> None:
    """Show that there is no rule, that it is no better than a constant, or that a column leaks the target."""
    rule = induction.rule.settled
    if not rule.branches:
        constant = rule.predicts.cells(rule.otherwise)[0]
        better = f"no rule beats always predicting {constant} on these rows"
        message(f"{better}: give more rows, or other columns", quiet=quiet)
    elif validation is not None and validation.warning:
        message(validation.warning, quiet=quiet)
    else:
        message(_leak(induction, rows), quiet=quiet)


def _leak(induction: "Induction", rows: "Table | Rows") -> str:
    """Return a hint if one column predicts all of many rows: it may be the target in other words."""
    from nri.table import Table
    from nri.tasks.predictions import leaking_column

    column = leaking_column(induction.rule, rows) if isinstance(rows, Table) else None
    if column is None:
        return ""
    return (
        f"{column!r} alone predicts every row: is it the target in other words, or known only afterwards? "
        f'Then leave it out: --without "{column}"'
    )


def _show_more(
    induction: "Induction",
    rows: "Table | Rows",
    settings: "Settings",
    scoring: Scoring,
    output: OutputOptions,
    source: str | None,
    sample: int | None,
    held: "HeldOut | None",
    floored: "Floored | None",
) -> None:
    """Show stability and groups, and write the report; of a large table they are about a sample."""
    from nri.table import Table

    report, protect = scoring.report(source), tuple(scoring.protect or ())
    if not isinstance(rows, Table):
        if not (report or protect):
            return
        held = None
        message("groups and report are about a sample; the rule was counted on all rows", quiet=output.quiet)
    table = in_memory(rows, sample, quiet=output.quiet)
    if settings.stable and induction.rule.settled.branches:
        show_stability_line(table, induction.rule, settings, seed=scoring.random_state, quiet=output.quiet)
    show_groups(induction.rule, table, protect, output)
    if report is not None:
        write_report(report, induction, table, settings, held=held, floored=floored, quiet=output.quiet)


_SETS = {
    "breast-cancer": (
        "load_breast_cancer",
        "tumour",
        "cell nuclei of breast tumours, measured under a microscope",
    ),
    "wine": ("load_wine", "cultivar", "chemical analysis of wines from three cultivars"),
    "iris": ("load_iris", "species", "leaves of iris flowers of three species"),
}

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(_SETS)}.")]


def demo(
    name: NameArgument = "breast-cancer", model: opt.ModelOption = None, quiet: opt.QuietOption = False
) -> None:
    """Induce a rule on a data set that comes with scikit-learn; nothing is downloaded."""
    mute_notes(quiet)
    if name not in _SETS:
        raise InputError(f"no demo {name!r}; choose one of {', '.join(_SETS)}")
    loader, target, about = _SETS[name]
    with progress(f"loading {name}", quiet=quiet):  # the imports take their time too
        table = _load(loader, target)
    message(f"{about}: {len(table)} rows, {len(table.names)} columns", quiet=quiet)
    run(table, InduceOptions(model=model), Scoring(cv=True), OutputOptions(quiet=quiet))


def _load(loader: str, target: str) -> "Table":
    import numpy as np
    from sklearn import datasets

    from nri.outcome import Classes
    from nri.table import table_of

    data = getattr(datasets, loader)(as_frame=True)
    classes = [str(name) for name in data.target_names]
    codes = np.argsort(np.argsort(classes))[data.target.to_numpy()]
    return table_of(data.data).with_outcome(Classes(target, tuple(sorted(classes)), codes))
