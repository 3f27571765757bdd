"""``nri induce``: a table in, a rule out, by one flow for every outcome."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nri.cli import options as opt
from nri.cli.console import emit, message, progress, show_rule
from nri.cli.reading import generator, open_rows, settings_of
from nri.errors import InputError, UnknownColumnError

if TYPE_CHECKING:
    from nri.cli.output import Validation
    from nri.induce.induce import Induction
    from nri.rows.base import Rows
    from nri.rule import Rule
    from nri.table import Table


RARE = {
    *("header", "exact_text", "dialect", "prevalence", "clinical"),
    *("query", "memory", "sample", "random_state"),
}
"""Options that the help lists with --help-all only."""


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        for parameter in context.command.params:
            parameter.hidden = False  # type: ignore[attr-defined]  # options have it
        text = context.get_help()  # which may have been printed already
        if text:
            typer.echo(text)
        raise typer.Exit


def induce(
    file: opt.HiddenFileArgument,
    reading: opt.Reading,
    options: opt.InduceOptions,
    scoring: opt.Scoring,
    output: opt.OutputOptions,
    rows: opt.RowOptions,
    help_all: Annotated[
        bool,
        opt.option("--help-all", "List rare options too.", opt.OUTPUT, callback=_show_all, is_eager=True),
    ] = False,
) -> None:
    """Induce a rule that explains a column of a table, and print it.

    FILE is a CSV, TSV, Excel, Parquet or ARFF table, a pattern for several files, a database URL, or - for
    standard input.
    """
    check_output(output, file, scoring)
    with open_rows(file, reading, rows, quiet=output.quiet) as opened:
        run(opened, options, scoring, output, source=file, sample=rows.sample)


def run(
    rows: "Table | Rows",
    options: opt.InduceOptions,
    scoring: opt.Scoring,
    output: opt.OutputOptions,
    *,
    source: str = "-",
    sample: int | None = None,
) -> None:
    """Induce, validate, and write the rule and what goes with it."""
    from nri.induce.induce import induce_rule
    from nri.table import Table

    for name in scoring.protect or ():
        if name not in rows.columns:
            raise UnknownColumnError(name, tuple(rows.columns))
    table = rows if isinstance(rows, Table) else None
    settings = settings_of(options, rows)
    held = floored = cost = validation = None
    floors = bool(options.min_sensitivity or options.min_specificity)
    if floors or settings.stable or settings.knowledge.keep:
        from nri.cli.output import check_supported

        check_supported(settings, floors, rows)
    if floors and table is not None:
        from nri.cli.output import meet_floors

        floored, held = meet_floors(table, settings, options, scoring, quiet=output.quiet)
        settings = replace(settings, tilt=floored.tilt)
    with progress("searching for a rule", quiet=output.quiet) as step:
        rng = generator(scoring.random_state)
        induction = induce_rule(rows, settings, rng=rng, step=step.describe)
    _show_search(induction, rows, quiet=output.quiet)
    if table is not None and settings.knowledge:
        from nri.induce.validate import price_of_knowledge

        rng = generator(scoring.random_state)
        message(str(price_of_knowledge(table, settings, induction.rule, rng=rng)), quiet=output.quiet)
    if table is not None and settings.costs is not None:
        from nri.induce.assemble import coded_predictions
        from nri.induce.validate import mean_cost

        cost = mean_cost(table, coded_predictions(induction.rule, table), settings.costs)
    if scoring.cv or held is not None:
        from nri.cli.output import validate

        held, validation = validate(
            held, rows, induction.rule, settings, scoring, floored, quiet=output.quiet
        )
    message(_warning(induction.rule.settled, table, validation), quiet=output.quiet)
    form = chosen_format(output)
    write_rule(induction.rule, output, form, rule_note(induction.rule, validation, cost), validation)
    if scoring.protect or scoring.html or not output.quiet:
        from nri.cli.output import show_more

        show_more(induction, rows, settings, scoring, output, form, source, sample, held, floored)


def _show_search(induction: "Induction", rows: "Table | Rows", *, quiet: bool) -> None:
    """Show which columns were left out, and where a part of rows or columns was searched."""
    from nri.table.binarizer import describe_left_out

    message(describe_left_out(induction.left_out, named_in="--columns"), quiet=quiet)
    if induction.searched is not None:
        n_rows = f"{getattr(rows, 'n_rows', None) or len(rows):.10g}"  # type: ignore[arg-type]  # tables have it
        counted = f"choices, cuts and counts are counted on all {n_rows} rows"
        message(f"searched {induction.searched} of {n_rows} rows; {counted}", quiet=quiet)
    if induction.searched_columns is not None:
        searched = f"the {induction.searched_columns} of {len(rows.columns)} most informative columns"
        message(f"searched {searched}; name others in the setting require", quiet=quiet)


def _warning(rule: "Rule", table: "Table | None", validation: "Validation | None") -> str:
    """Return that there is no rule, that a constant is as good, or what else a reader must know of it."""
    if not rule.branches:
        constant = rule.predicts.cells(rule.otherwise)[0]
        more = _remedy(rule) or "give more rows, or other columns"
        return f"no rule beats always predicting {constant} on these rows: {more}"
    if validation is not None and validation.warning:
        return validation.warning
    if remedy := _remedy(rule):
        return remedy
    if table is None or len(rule.columns) > 1:
        return ""
    from nri.tasks.predictions import leaking_column

    column = leaking_column(rule, table)
    if column is None:
        return ""
    return (
        f"{column!r} alone predicts every row: is it the target in other words, or known only afterwards? "
        f'Then leave it out: --without "{column}"'
    )


def _remedy(rule: "Rule") -> str:
    """Return what would bring classes that the rule never predicts; empty if it predicts all."""
    from nri.rule.labels import spelled
    from nri.rule.phrase import number

    predicted = {one.value for one in rule.estimates}
    missing = [label for label in getattr(rule.predicts, "classes", ()) if label not in predicted]
    counts = {label: rule.support.counts[rule.labels.index(label)] for label in missing}
    counts = {label: rows for label, rows in counts.items() if rows > 0}
    if not counts:
        return ""
    label, rows = max(counts.items(), key=lambda pair: pair[1])
    cost = max(2, round(max(rule.support.counts) / rows))
    dearer = f"--cost {spelled(label)}={cost}"
    few = f"{spelled(label)} has {number(rows)} of {number(rule.support.rows)} rows"
    if len(rule.labels.classes) == 2:
        return f"{few}; {dearer} or --min-sensitivity 0.8 makes them count for more, or give more rows"
    branches = max(len(rule.branches) + len(counts), 2 * len(rule.labels.classes) + 2)
    return f"{few}, but is never predicted; --max-branches {branches} or {dearer} may bring it"


def rule_note(rule: "Rule", validation: "Validation | None" = None, cost: Any = None) -> str:
    """Return the line below a rule: how good it is, on its own rows or cross-validated."""
    if validation is not None:
        return validation.note(rule)
    if rule.predicts.kind != "classes":
        return rule.predicts.summary(rule.fit)
    from nri.rule.phrase import phrase_share

    right = sum(one.counts[k] for one, k in zip(rule.estimates, rule.class_indices, strict=True))
    accuracy = float(right / max(rule.support.rows, 1e-12))
    paid = "" if cost is None else f", cost {cost.mean:.2f} a row"
    weighted = "weighted, " if rule.labels.weighted else ""
    return f"rule: accuracy {phrase_share(accuracy)}{paid} ({weighted}on these rows)"


def check_output(output: opt.OutputOptions, file: str, scoring: opt.Scoring | None = None) -> None:
    """Raise before the work begins if the rule or what goes with it could not be written in the end."""
    given = {"--out": output.out, "--html": None if scoring is None else scoring.html}
    if any(given.values()):
        from nri.cli.output import check_outputs

        check_outputs(given, {"the table": file})
    if scoring is not None and scoring.prevalence is not None:
        from nri.cli.output import check_prevalence

        check_prevalence(scoring)
    chosen_format(output)


def chosen_format(output: opt.OutputOptions) -> str | None:
    """Return the format of a rule by its name or by the ending of its file; None if neither is given."""
    if output.form is None and output.out is None and output.dialect is None:
        return None
    from nri.cli.output import choose_format

    form = choose_format(output.form, output.out, implied="sql" if output.dialect is not None else None)
    if output.dialect is not None and form != "sql":
        raise InputError(f"--dialect is for --format sql, not for {form}; drop it, or add that")
    return form


def write_rule(
    rule: "Rule",
    output: opt.OutputOptions,
    form: str | None,
    note: str,
    validation: "Validation | None" = None,
) -> None:
    """Write a rule to its file and show it as text, or print it in another format."""
    from nri.rule.render import RenderOptions, render

    data = None if validation is None else validation.data
    options = RenderOptions(note=note or None, dialect=output.dialect, validation=data)
    if output.out is not None:
        from nri.cli.output import write_text

        write_text(output.out, render(rule, form or "text", options))
        message(f"wrote {output.out}", quiet=output.quiet)
    if output.out is None and form not in (None, "text"):
        emit(render(rule, form or "text", options))
    elif output.out is None or not output.quiet:
        show_rule(render(rule, "text", options))
        if validation is not None and validation.measures:
            emit("\n" + validation.table(rule.target))
