"""``nri induce``: a table in, a rule out, by one flow for every outcome."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nri.cli import options as opt
from nri.cli.console import emit, progress, show_rule
from nri.cli.files import check_outputs, choose_format, write_text
from nri.cli.reading import Question, open_rows, settings_of
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.cli.output import Validation
    from nri.rows.base import Rows
    from nri.rule import Rule
    from nri.table import Table


def induce(
    file: str,
    reading: opt.Reading,
    options: opt.InduceOptions,
    scoring: opt.Scoring,
    output: opt.OutputOptions,
    rows: opt.RowOptions,
    help_all: bool = False,
) -> None:
    """Induce a rule that explains a column of a table, and print it.

    FILE is a CSV, TSV, Excel, Parquet or ARFF table, a pattern for several files, a database URL, or - for
    standard input.
    """
    form = check_output(output, file, scoring)
    with open_rows(file, reading, rows, options.config) as opened:
        run(opened, options, scoring, output, reading, form=form, source=file, place=rows)


def run(
    rows: "Table | Rows",
    options: opt.InduceOptions,
    scoring: opt.Scoring,
    output: opt.OutputOptions,
    reading: opt.Reading,
    *,
    form: str | None = None,
    source: str = "-",
    place: opt.RowOptions | None = None,
) -> None:
    """Induce, validate, and write the rule and what goes with it."""
    from nri.induce.induce import induce_rule

    settings = settings_of(options, rows)
    place = place or opt.RowOptions()
    question = Question(rows, settings, scoring, output, source, place.sample)
    floors = cost = validation = None
    has_floors = bool(options.min_sensitivity or options.min_specificity)
    if has_floors or settings.stable or settings.knowledge.keep or scoring.protect:
        from nri.cli.output import check_supported, reach_floors

        check_supported(question, options)
        if has_floors:
            floors = reach_floors(question, options)
            question = replace(question, settings=replace(settings, tilt=floors[0].tilt))
    with progress("searching for a rule") as step:
        induction = induce_rule(rows, question.settings, rng=question.rng, step=step.describe)
    if not output.quiet or settings.prices_errors or scoring.cv or floors is not None:
        from nri.cli.output import judge

        validation, cost = judge(question, induction, floors)
    about = {}
    if form == "json" or scoring.html is not None:
        from nri.cli.output import provenance

        about = provenance(source, rows, reading, options, scoring, place)
    write_rule(induction.rule, output, form, rule_note(induction.rule, validation, cost), validation, about)
    if scoring.protect or scoring.html or not output.quiet:
        from nri.cli.output import show_more

        show_more(question, induction, form in (None, "text"), validation, about)


def rule_note(rule: "Rule", validation: "Validation | None" = None, cost: Any = None) -> str:
    """Return the line below a rule: how good it is, on its own rows or cross-validated."""
    if validation is not None:
        return validation.note
    if rule.predicts.kind != "classes":
        return rule.predicts.summary(rule.fit)
    from nri.rule.phrase import phrase_share

    paid = "" if cost is None else f", {cost.measure} {cost.mean:.2f} a row"
    weighted = "weighted, " if rule.labels.weighted else ""
    return f"rule: accuracy {phrase_share(rule.share_right)}{paid} ({weighted}on these rows)"


def check_output(output: opt.OutputOptions, file: str, scoring: opt.Scoring | None = None) -> str | None:
    """Return the format of a rule, None if none is asked for; raise now if nothing could be written later."""
    outputs = {"--out": output.out, "--html": None if scoring is None else scoring.html}
    if any(outputs.values()):
        check_outputs(outputs, {"the table": file})
    if scoring is not None and scoring.prevalence is not None:
        if not (scoring.cv or scoring.html):
            raise InputError("--prevalence is about estimates on new rows; add --cv or --html")
        if not 0 < (share := scoring.prevalence) < 1:
            raise InputError(f"--prevalence is a share between 0 and 1, not {share:g}; 5 % is 0.05")
    if not (output.form or output.out or output.dialect):
        return None
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
    about: dict[str, Any] | None = None,
) -> None:
    """Write a rule to its file and show it as text, or print it in another format."""
    options: dict[str, Any] = {"note": note or None, "dialect": output.dialect, "provenance": about or None}
    options["validation"] = None if validation is None else validation.data
    text = rule.render(form or "text", **options)
    if output.out is not None:
        write_text(output.out, text)
    if output.out is None and form not in (None, "text"):
        emit(text)
    elif output.out is None or not output.quiet:
        show_rule(rule.render("text", **options))
        if validation is not None and validation.table:
            emit("\n" + validation.table)
