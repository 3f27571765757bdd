"""What commands show: scores and doubts beside a rule, the effect on groups, the report, other results."""

import dataclasses
import datetime as dt
import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import numpy as np

from nri.cli.console import emit, message, progress, show_rule
from nri.cli.files import in_memory, write_text
from nri.cli.options import InduceOptions
from nri.cli.reading import Question
from nri.errors import InputError, UnknownColumnError
from nri.induce.assemble import coded_predictions
from nri.induce.floors import Floored, Floors, meet_floors, most_steps
from nri.induce.folds import note_on_rows
from nri.induce.induce import Induction
from nri.induce.validate import FOLDS, HeldOut, MeanCost, cores, hold_out, mean_cost, price_of_knowledge
from nri.outcome import Classes, Score
from nri.outcome.score import Diagnostics
from nri.rows.base import Rows
from nri.rule import Clause, NumberTarget, Rule, spelled
from nri.rule.phrase import number, phrase_clause, phrase_label, phrase_name
from nri.rule.render.as_text import display_width
from nri.table import Table
from nri.table.left_out import describe_left_out
from nri.tasks.fairness import Groups, by_group, note_on, protected_columns
from nri.tasks.leaks import leak
from nri.tasks.stability import ClauseFrequency, ClauseStability, Stability, clause_stability

if TYPE_CHECKING:  # which would load what few commands need
    from nri.induce.alternatives import Alternative, Alternatives
    from nri.tasks.compare import Comparison, RowChanges
    from nri.tasks.slices import Slices

FEW_SAMPLES = 10  # Samples behind the one line of `nri induce --stable`.


def check_supported(question: Question, options: InduceOptions) -> None:
    """Refuse options that the outcome, the columns or the source of rows do not allow."""
    rows, settings = question.rows, question.settings
    floors = {"--min-sensitivity": options.min_sensitivity, "--min-specificity": options.min_specificity}
    for name in question.scoring.protect or ():
        if name not in rows.columns:
            raise UnknownColumnError(name, tuple(rows.columns))
    if not isinstance(rows.outcome, Classes):
        if any(floors.values()):
            raise InputError("--min-sensitivity and --min-specificity are about a class; drop them")
        if settings.stable:
            raise InputError("--stable is for rules about classes; drop it")
    if question.table is None:
        unsupported = {"--keep": settings.knowledge.keep, **floors, "--stable": settings.stable}
        for option, value in unsupported.items():
            if value:
                raise InputError(f"{option} is for tables that are read into memory; add --engine memory")


def reach_floors(question: Question, options: InduceOptions) -> tuple[Floored, HeldOut]:
    """Weigh errors until floors are met on held-out rows."""
    assert question.table is not None, "floors are refused for other rows"
    least = Floors(options.min_sensitivity, options.min_specificity)
    with progress("cross-validating until the floor is met", steps=most_steps()) as step:
        floored, held = meet_floors(question.table, question.settings, least, rng=question.rng, step=step)
    message(str(floored), always=not floored.met)
    return floored, held


@dataclass(frozen=True)
class Validation:
    """How good rules are on rows that they were not induced from."""

    held: HeldOut
    floors: Floored | None
    note: str  # the line below the rule
    warning: str  # of a rule that is no better than a constant prediction
    table: str  # of what is counted of classes
    data: dict[str, Any]  # all of it, for JSON


def _validation(question: Question, rule: Rule, held: HeldOut, floors: Floored | None = None) -> Validation:
    score, cost = held.score, None
    measures: tuple[Diagnostics, ...] = ()
    if rule.predicts.kind == "classes":
        cost = held.cost(question.settings)
        measures = held.diagnostics(rule.described, question.scoring.prevalence)
    warning = score.warning if cost is None else cost.warning
    if floors is not None and floors.tilt != 1.0:  # a floor is worth what it costs
        warning = ""
    data = _data(held, cost, measures) | ({} if floors is None else {"floors": floors.data})
    return Validation(held, floors, _note(rule, score, cost), warning, _table(rule.target, measures), data)


def _data(held: HeldOut, cost: MeanCost | None, measures: Sequence[Diagnostics]) -> dict[str, Any]:
    score = held.score
    value = {"value": score.value, "standard_error": score.error}
    if score.interval is not None:
        value |= {"low": score.interval.low, "high": score.interval.high}
    data: dict[str, Any] = {"method": held.method, score.measure.replace("²", "2").lower(): value}
    data |= {"baseline": score.baseline, **score.details}
    if cost is not None:
        paid = {"value": cost.mean, "standard_error": cost.error, "one_class": cost.always}
        data[f"mean_{cost.measure}"] = paid
    for one in measures:
        about: dict[str, Any] = {"label": one.label, "prevalence": one.prevalence}
        about["prevalence_assumed"] = one.assumed
        for title, share in one.measures.items():
            bounds = {"low": share.interval.low, "high": share.interval.high}
            about[title.replace(" ", "_").lower()] = {"value": share.value, **bounds}
        data.setdefault("classes", []).append(about)
    return data


def _note(rule: Rule, score: Score, cost: MeanCost | None) -> str:
    target = rule.predicts
    if target.kind == "classes":
        paid = "" if cost is None else f", {cost.measure} {cost} a row"
        weighted = "weighted, " if rule.labels.weighted else ""
        return f"rule: accuracy {score}{paid} ({weighted}cross-validated)"
    note = f"{target.summary(rule.fit)}; cross-validated {score.measure} {score}"
    if isinstance(target, NumberTarget):
        names = ("mean_absolute_error", "mean_absolute_error_of_median")
        off, median = (target.amount(score.details[name]) for name in names)
        note += f", off by {off} on average (always predicting the median: {median})"
    return note


def _table(target: str, measures: Sequence[Diagnostics]) -> str:
    """Return a table of all measures: one class fills a column, several fill a row each."""
    if not measures:
        return ""
    heading = f"cross-validated, {phrase_name(target)}"
    one = measures[0]
    at = f" at prevalence {one.prevalence:g}" if one.assumed else ""
    titles = [f"{title}{at}" if title in ("PPV", "NPV") else title for title in one.measures]
    if len(measures) > 1:
        lines = [(phrase_label(one.label), *map(str, one.measures.values())) for one in measures]
        return text_table([(heading, *titles), *lines])
    rows = [(f"{heading} = {phrase_label(one.label)}", "", "95 % interval")]
    for title, x in zip(titles, one.measures.values(), strict=True):
        unknown = x.value is None
        interval = "" if unknown else f"{x.interval.low:.2f} to {x.interval.high:.2f}"
        rows.append((title, "-" if unknown else f"{x.value:.2f}", interval))
    return text_table(rows)


def judge(
    question: Question, induction: Induction, floors: tuple[Floored, HeldOut] | None
) -> tuple[Validation | None, MeanCost | None]:
    """Say what was searched, what knowledge costs and what is doubtful; return how good the rule is."""
    rule, table, settings = induction.rule, question.table, question.settings
    cost = validation = None
    if not question.output.quiet:
        _show_search(induction, question.rows)
        if table is not None and settings.knowledge:
            message(str(price_of_knowledge(table, settings, rule, rng=question.rng)))
    if table is not None and settings.prices_errors:
        cost = mean_cost(table, coded_predictions(rule, table), settings)
    if floors is not None:
        validation = _validation(question, rule, floors[1], floors[0])
    elif question.scoring.cv:
        with progress("cross-validating", steps=FOLDS) as step:
            held = hold_out(question.rows, settings, rng=question.rng, jobs=cores(), step=step)
        validation = _validation(question, rule, held)
    if validation is not None and validation.held.source is not None:
        message(note_on_rows(validation.held.source, "--groups {}".format))
    if not question.output.quiet:
        message(_warning(rule.reduced, validation))
    return validation, cost


def _show_search(induction: Induction, rows: Table | Rows) -> None:
    """Show which columns were left out, and where a part of rows or columns was searched."""
    message(describe_left_out(induction.left_out, named_in="--columns"))
    if induction.searched is not None:
        n_rows = f"{getattr(rows, 'n_rows', None) or len(rows):.10g}"  # type: ignore[arg-type]  # tables have it
        counted = f"choices, cuts and counts are counted on all {n_rows} rows"
        message(f"searched {induction.searched} of {n_rows} rows; {counted}")
    if induction.searched_columns is not None:
        searched = f"the {induction.searched_columns} of {len(rows.columns)} most informative columns"
        message(f"searched {searched}; name others in the setting require")


def _warning(rule: Rule, validation: Validation | None) -> str:
    """Return that there is no rule, that a constant is as good, or what else a reader must know of it."""
    if not rule.branches:
        constant = rule.predicts.cells(rule.otherwise)[0]
        remedies = "; ".join(filter(None, [_remedy(rule), _more_rows(rule)]))
        more = remedies or "give more rows, or other columns"
        return f"no rule beats always predicting {constant} on these rows: {more}"
    if validation is not None and validation.warning:
        return validation.warning
    if remedy := _remedy(rule):
        return remedy
    if rule.support.rows < _FEW_ROWS:
        return f"{number(rule.support.rows)} rows cannot tell a rule from chance: give {_FEW_ROWS} or more"
    if leaked := leak(rule):
        it = "is it" if len(leaked.columns) == 1 else "is one of them"
        remedy = f'Then leave it out: --without "{leaked.columns[0]}"'
        quoted = dataclasses.replace(leaked, columns=tuple(map(repr, leaked.columns)))
        return f"{quoted}: {it} the target in other words, or known only afterwards? {remedy}"
    late = [name for name in rule.columns if not _AFTERWARDS.isdisjoint(re.split(r"[\W_]+", name.lower()))]
    if late:
        question = f"is {late[0]!r} known when the rule is to be applied?"
        return f'{question} If only afterwards, leave it out: --without "{late[0]}"'
    return _more_rows(rule)


def _more_rows(rule: Rule) -> str:
    """Return how many rows would serve better, by learning curves; empty where rows suffice."""
    if rule.predicts.kind != "classes" or rule.support.rows >= _ROWS_OF_A_RULE:
        return ""
    # median and quartiles of the rows of `nri bench wide`; both halves of the tables agree
    gain = "got 4 more of 100 new rows right than rules from 30 (half of them 2 to 7)"
    return f"about 100 rows would serve better: on 88 tables rules from 100 {gain}"


_FEW_ROWS = 10  # Rows below which every rule comes with a warning.
_ROWS_OF_A_RULE = 60  # Rows below which more of them are mostly worth more than other columns or settings.
_AFTERWARDS = {"discharge", "discharged", "outcome", "total", "final", "followup", "death", "died"}
"""Words in names of columns that may be known only when the outcome is."""


def _remedy(rule: Rule) -> str:
    """Return what would bring classes that the rule never predicts; empty if it predicts all."""
    predicted = {one.value for one in rule.estimates}
    missing = [label for label in getattr(rule.predicts, "classes", ()) if label not in predicted]
    counts = {x: rows for x in missing if (rows := rule.support.counts[rule.labels.index(x)]) > 0}
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


def show_more(
    question: Question, induction: Induction, as_text: bool, judged: Validation | None, about: dict[str, Any]
) -> None:
    """Show stability and groups, and write the report; of a large table they are about a sample."""
    rule, settings, scoring = induction.rule.reduced, question.settings, question.scoring
    if question.table is None:
        if not (scoring.html or scoring.protect):
            return
        message("groups and report are about a sample; the rule was counted on all rows")
    table = in_memory(question.rows, question.sample)
    if settings.stable and rule.branches:
        with progress("inducing from samples", steps=FEW_SAMPLES) as step:
            result = clause_stability(table, rule, settings, rng=question.rng, samples=FEW_SAMPLES, step=step)
        message(f"stable: {result}")
    for column in scoring.protect or ():
        if as_text or question.output.out is not None:  # not between the lines of another format
            emit("\n" + _groups_table(by_group(table, induction.rule, column)))
    for column in protected_columns(induction.rule):
        if column not in (scoring.protect or ()):
            note = note_on(by_group(table, induction.rule, column))
            message(f"note: {note}; --protect {column!r} shows more")
    if scoring.html is None:
        return
    from nri.report import ReportOptions, gather_report, render_report, steps_of

    options = ReportOptions(
        source=None if question.source == "-" else Path(question.source).name,
        clinical=scoring.clinical,
        seed=scoring.random_state,
        prevalence=scoring.prevalence,
        protect=tuple(scoring.protect or ()),
        provenance=about,
    )
    held, floors = (None, None) if judged is None else (judged.held, judged.floors)
    with progress("writing the report", steps=steps_of(options)) as step:
        report = gather_report(table, induction, settings, options=options, held=held, step=step)
        write_text(scoring.html, render_report(dataclasses.replace(report, floors=floors)))


def provenance(source: str, rows: Table | Rows, *records: Any) -> dict[str, Any]:
    """Return where a rule comes from: date, version, file and its hash, options, and notes on the reading."""
    # for builds that must repeat
    stamp = os.environ.get("SOURCE_DATE_EPOCH")
    moment = dt.datetime.now(dt.UTC) if stamp is None else dt.datetime.fromtimestamp(int(stamp), dt.UTC)
    about: dict[str, Any] = {"date": moment.date().isoformat(), "nri": version("nri")}
    if os.path.isfile(source):
        with open(source, "rb") as file:
            about |= {"file": Path(source).name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    arguments = [
        f"{one.name}={value}"
        for record in records
        for one in dataclasses.fields(record)
        if (value := getattr(record, one.name)) != one.default and one.name not in _UNRECORDED
    ]
    return about | {"options": arguments, "notes": [str(note) for note in getattr(rows, "notes", ())]}


_UNRECORDED = {"html", "out", "quiet", "form", "dialect", "memory"}  # Options that do not change the rule.


def _groups_table(groups: Groups) -> str:
    """Return a row for each group: its rows, how often a clause fires, how often the rule is right."""
    rows = [(phrase_name(groups.column), "rows", "a clause fires on", "right on")]
    rows += [(one.name, number(one.rows), str(one.fires), str(one.right)) for one in groups.groups]
    unread = "" if groups.used else "\n(the rule does not read it; another column may stand for it)"
    return text_table(rows) + unread


def text_table(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Align rows of texts, the first of which is the heading; so many columns are flush left."""
    widths = [max(display_width(row[i]) for row in rows) for i in range(len(rows[0]))]

    def padded(cell: str, place: int) -> str:
        gap = " " * (widths[place] - display_width(cell))
        return cell + gap if place < left else gap + cell

    return "\n".join("  ".join(map(padded, row, range(len(row)))).rstrip() for row in rows)


def comparison_lines(comparison: "Comparison", rule: Rule) -> Iterator[str]:
    """Yield what changed from one rule to another; predictions are written as the new one writes them."""
    example, does = "they differ, for example, where", "predicts it" if comparison.opposite else "fires"
    if comparison.same_words:
        yield "both rules are the same"
    for change in comparison.classes:
        label = "" if change.label is None else f" = {phrase_label(change.label)}"
        yield f"{phrase_name(rule.target)}{label}: the new rule {does} on {change.relation}"
        yield from (f"    {phrase_clause(clause)}" for clause in change.kept)
        yield from (f"  ~ {phrase_clause(one.old)}  ->  {phrase_clause(one.new)}" for one in change.moved)
        yield from (f"  - {phrase_clause(clause)}" for clause in change.dropped)
        yield from (f"  + {phrase_clause(clause)}" for clause in change.added)
        if change.example is not None and not comparison.opposite:
            yield f"  {example} {phrase_clause(change.example)}"
    if comparison.opposite and comparison.classes[0].example is not None:
        yield f"{example} {phrase_clause(comparison.classes[0].example)}"
    old, new = comparison.default_old, comparison.default_new
    if old != new:
        yield f"else: {_shown(old, rule)} -> {_shown(new, rule)}"
    for one in comparison.regions:
        yield f"{_shown(one.old, rule)} -> {_shown(one.new, rule)} where {phrase_clause(one.where)}"
    dropped, added = comparison.columns_dropped, comparison.columns_added
    for title, names in (("no longer read", dropped), ("newly read", added)):
        if names:
            yield f"columns {title}: {', '.join(names)}"
    if comparison.rows is not None:
        yield from _row_lines(comparison.rows, rule)


def _shown(value: object, rule: Rule) -> str:
    """Write a prediction: a class, a number with its unit, or a risk."""
    if rule.predicts.kind == "number":
        return str(rule.predicts.amount(value))  # type: ignore[union-attr,arg-type]
    return f"{value:g}" if rule.predicts.kind == "survival" else phrase_label(value)  # type: ignore[arg-type]


def _row_lines(rows: "RowChanges", rule: Rule) -> Iterator[str]:
    yield f"they differ on {rows.differing} of {rows.n_rows} rows"
    for old, new, count in rows.changes:
        yield f"  {_shown(old, rule)} -> {_shown(new, rule)} on {count}"
    if rows.differing:
        more = f", ... ({rows.differing} in all)" if rows.differing > len(rows.first) else ""
        yield f"  rows {', '.join(map(str, rows.first))}{more}"
    if rows.score_old is not None and rows.score_new is not None:
        yield f"{rows.score_new.measure} {rows.score_old} -> {rows.score_new} on these rows"


def show_stability(rule: Rule | None, result: Stability) -> None:
    """Show how far samples agree on a rule, and the rule itself if it is given."""
    if rule is not None:
        show_rule(rule.render("text"))
        emit("")
    emit(f"{result}\n\n")
    lines = [("clause of the rule", "for", "same words", "same conditions", "rows in common")]
    for one in result.clauses:
        wording, conditions, rows = map("{:.0%}".format, (one.same_words, one.same_conditions, one.overlap))
        lines.append((*_clause_of(one), wording, conditions, rows))
    if result.clauses:
        emit(text_table(lines, left=2))
    rest = [(*_clause_of(one), f"{one.share:.0%}") for one in result.recurring if not one.in_rule]
    if rest:
        emit("\n" + text_table([("other conditions of samples", "for", "samples"), *rest], left=2))
    sizes = " to ".join(map(str, sorted({min(result.n_clauses), max(result.n_clauses)})))
    message(f"rules of samples have {sizes} {'clause' if sizes == '1' else 'clauses'}")


def _clause_of(one: ClauseStability | ClauseFrequency) -> tuple[str, str]:
    return phrase_clause(one.clause), "" if one.label is None else phrase_label(one.label)


def show_slices(result: "Slices") -> None:
    """Show the slices on which a model errs, and how many were doubtful."""
    tested = f"{result.rows} rows held out for testing ({result.errors} errors)"
    message(f"error rate {result.rate:.2f} on the {tested}")
    lines = [("slice", "rows", "errors", "rate", "95 % interval", "lift", "p (corrected)")]
    for one in result.slices:
        counts = (str(one.rows), str(one.errors), f"{one.rate:.2f}")
        interval = f"{one.interval.low:.2f} to {one.interval.high:.2f}"
        p_value = "< 0.0001" if one.p_value < 0.0001 else f"{one.p_value:.4f}"
        lines.append((phrase_clause(one.clause), *counts, interval, f"{one.lift:.1f}", p_value))
    nothing = "no slice: errors are not concentrated on rows that the columns separate"
    emit(text_table(lines) if result.slices else nothing)
    if n := len(result.rejected):
        more = f"{n} more" if result.slices else str(n)
        verb = "was" if n == 1 else "were"
        message(f"{more} {verb} found and did not hold up (p above {result.alpha:g})")


def show_alternatives(result: "Alternatives") -> None:
    """Show rules by number, then what columns are worth and what lines bring."""

    def amount(value: float) -> str:
        return f"{value:.3f}" if result.measure == "cost" else f"{100 * value:.1f}"

    def apart(one: "Alternative") -> tuple[str, str]:
        if one is result.best:
            return "", ""
        return amount(one.difference), f"{amount(one.interval.low)} to {amount(one.interval.high)}"

    parts = []
    for place, one in enumerate(result.rules, 1):
        interval = (
            f" ({apart(one)[1]})" if place > 1 else f", {result.measure} {one.score:.3f} {result.basis}"
        )
        parts.append(f"{place}.  {one.words}{interval}\n{indent(one.rule.render('text'), ' ' * 4).rstrip()}")
    if not result.others:
        parts.append(f"no other rule is within {result.within:g} of it; --within shows more")
    if result.columns:
        lines = [("column", "without it", "95 % interval", "any of these can take its place")]
        for each in result.columns:
            lines.append((each.column, *apart(each.without), ", ".join(each.stand_ins) or "-"))
        parts.append(text_table(lines))
    lines = [("lines", result.measure, "difference", "95 % interval")]
    lines += [(str(one.lines), f"{one.score:.3f}", *apart(one)) for one in result.frontier]
    emit("\n\n".join([*parts, text_table(lines)]))
    count = result.shortest.lines
    emit(
        f"the shortest rule that is as good within a point and its error has {count} line{'s' * (count != 1)}"
    )


def record_json(record: Any, **more: Any) -> str:
    """Write a record as JSON; clauses as text and as literals, rules as their own JSON."""
    data = _plain(record) if dataclasses.is_dataclass(record) else record
    return json.dumps(data | more, default=_plain, indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Return what JSON can hold in the place of a record, one level deep."""
    match value:
        case Clause():
            literals = [{"column": x.column, "op": str(x.op), "value": x.value} for x in value]
            needed = {"at_least": value.at_least} if value.counts else {}
            return {"text": phrase_clause(value), **needed, "literals": literals}
        case Rule():
            return json.loads(value.render("json"))
        case np.ndarray():
            return value.tolist()
        case dt.datetime():
            return value.isoformat()
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
