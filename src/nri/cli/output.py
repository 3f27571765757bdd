"""Results: the rule with its scores, its effect on groups, the report, and records as JSON."""

import dataclasses
import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nri.cli.console import emit, message, progress, show_rule, text_table
from nri.cli.files import write_text
from nri.cli.options import OutputOptions

if TYPE_CHECKING:
    from nri.induce.floors import Floored
    from nri.induce.induce import Induction
    from nri.induce.settings import Settings
    from nri.induce.validate import HeldOut, MeanCost
    from nri.outcome import Score
    from nri.outcome.score import Diagnostics, Measure
    from nri.rule import Rule
    from nri.table import Table
    from nri.tasks.fairness import Groups


@dataclass(frozen=True)
class Validation:
    """How good rules are on rows that they were not induced from."""

    score: "Score"
    cost: "MeanCost | None" = None
    measures: "tuple[Diagnostics, ...]" = ()
    """sensitivity, specificity, ... of classes"""
    floors: "Floored | None" = None

    @property
    def warning(self) -> str:
        """A line for a rule that is no better than a constant prediction; a floor is worth what it costs."""
        if self.floors is not None and self.floors.tilt != 1.0:
            return ""
        return self.score.warning if self.cost is None else self.cost.warning

    @property
    def data(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        score = self.score
        data: dict[str, Any] = {
            "method": "5-fold cross-validation",
            score.measure.replace("²", "2").lower(): {"value": score.value, "standard_error": score.error},
            "baseline": score.baseline,
            **score.details,
        }
        if self.cost is not None:
            cost = self.cost
            data["mean_cost"] = {
                "value": cost.mean,
                "standard_error": cost.error,
                "one_class": cost.always,
            }
        if self.measures:
            data["classes"] = [_measures_data(one) for one in self.measures]
        if self.floors is not None:
            data["floors"] = self.floors.data
        return data


def validation_of(
    held: "HeldOut",
    rule: "Rule",
    settings: "Settings",
    prevalence: float | None = None,
    floors: "Floored | None" = None,
) -> Validation:
    """Return the scores of a cross-validation, for every outcome."""
    if rule.predicts.kind != "classes":
        return Validation(held.score)
    measures = held.diagnostics(rule.described, prevalence)
    return Validation(held.score, held.cost(settings.costs), measures, floors)


def rule_note(rule: "Rule", validation: Validation | None, costs: "MeanCost | None" = None) -> str:
    """Return the line below a rule: how good it is, on its own rows or cross-validated."""
    if rule.predicts.kind == "classes":
        weighted = "weighted, " if rule.labels.weighted else ""
        if validation is None:
            paid = "" if costs is None else f", cost {costs.mean:.2f} a row"
            return f"rule: accuracy {right_share(rule):.2f}{paid} ({weighted}on these rows)"
        paid = "" if validation.cost is None else f", cost {validation.cost} a row"
        return f"rule: accuracy {validation.score}{paid} ({weighted}cross-validated)"
    from nri.rule import NumberTarget

    summary = rule.predicts.summary(rule.fit)
    if validation is None:
        return summary
    score, details = validation.score, validation.score.details
    note = f"{summary}; cross-validated {score.measure} {score}"
    if isinstance(rule.predicts, NumberTarget):
        off, median = (
            rule.predicts.amount(details[name])
            for name in ("mean_absolute_error", "mean_absolute_error_of_median")
        )
        note += f", off by {off} on average (the median: {median})"
    return note


def right_share(rule: "Rule") -> float:
    """Return the share of its rows that a rule for classes predicts correctly."""
    right = sum(one.counts[k] for one, k in zip(rule.estimates, rule.class_indices, strict=True))
    return float(right / max(rule.support.rows, 1e-12))


def write_rule(
    rule: "Rule", output: OutputOptions, note: str = "", validation: Validation | None = None
) -> None:
    """Write a rule to its file and show it as text, or print it in another format."""
    from nri.rule.render import RenderOptions, render

    form = output.chosen_format()
    data = None if validation is None else validation.data
    options = RenderOptions(note=note or None, dialect=output.dialect, validation=data)
    if output.out is not None:
        write_text(output.out, render(rule, form or "text", options))
        message(f"wrote {output.out}", quiet=output.quiet)
    if output.out is None and form not in (None, "text"):
        emit(render(rule, form or "text", options))
    elif output.out is None or not output.quiet:
        show_rule(render(rule, "text", options))
        if validation is not None and validation.measures:
            emit("\n" + measures_table(rule.target, validation.measures))


def measures_table(target: str, measures: "Sequence[Diagnostics]") -> str:
    """Return a table of all measures: one class fills a column, several fill a row each."""
    from nri.rule.phrase import phrase_label, phrase_name

    name = phrase_name(target)
    if len(measures) == 1:
        (one,) = measures
        rows = [(f"cross-validated, {name} = {phrase_label(one.label)}", "", "95 % interval")]
        rows += [(_measure_title(title, one), *_cells(x)) for title, x in one.measures.items()]
        return text_table(rows)
    head = (
        f"cross-validated, {name}",
        *(_measure_title(title, measures[0]) for title in measures[0].measures),
    )
    lines = [(phrase_label(one.label), *map(str, one.measures.values())) for one in measures]
    return text_table([head, *lines])


def _measure_title(title: str, one: "Diagnostics") -> str:
    return f"{title} at prevalence {one.prevalence:g}" if one.assumed and title in ("PPV", "NPV") else title


def _cells(measure: "Measure") -> tuple[str, str]:
    if measure.value is None:
        return "-", ""
    return f"{measure.value:.2f}", f"{measure.interval.low:.2f} to {measure.interval.high:.2f}"


def _measures_data(one: "Diagnostics") -> dict[str, Any]:
    measures = {
        title.replace(" ", "_").lower(): {"value": x.value, "low": x.interval.low, "high": x.interval.high}
        for title, x in one.measures.items()
    }
    return {
        "label": one.label,
        "prevalence": one.prevalence,
        "prevalence_assumed": one.assumed,
        **measures,
    }


def show_groups(rule: "Rule", table: "Table", protect: Sequence[str], output: OutputOptions) -> None:
    """Show the effect of a rule on groups: those asked for, and a note on columns that look protected."""
    from nri.tasks.fairness import by_group, note_on, protected_columns

    for column in protect:
        if output.chosen_format() in (None, "text") or output.out is not None:
            emit("\n" + _groups_table(by_group(table, rule, column)))
    for column in protected_columns(rule):
        if column not in protect:
            note = note_on(by_group(table, rule, column))
            message(f"note: {note}; --protect {column!r} shows more", quiet=output.quiet)


def _groups_table(groups: "Groups") -> str:
    """Return a row for each group: its rows, how often a clause fires, how often the rule is right."""
    from nri.rule.phrase import number, phrase_name

    head = (phrase_name(groups.column), "rows", "a clause fires on", "right on")
    rows = [(one.name, number(one.rows), str(one.fires), str(one.right)) for one in groups.groups]
    text = text_table([head, *rows])
    return text if groups.used else f"{text}\n(the rule does not read it; another column may stand for it)"


@dataclass(frozen=True)
class ReportFile:
    """The report that --html asks for."""

    path: Path
    options: Mapping[str, Any] = field(default_factory=dict)
    """of :class:`nri.report.ReportOptions`"""


def write_report(
    report: ReportFile,
    induction: "Induction",
    table: "Table",
    settings: "Settings",
    *,
    held: "HeldOut | None" = None,
    floored: "Floored | None" = None,
    quiet: bool,
) -> None:
    """Write the report about a rule."""
    from nri.report import ReportOptions, gather_report, render_report, steps_of

    options = ReportOptions(**report.options)
    with progress("writing the report", steps=steps_of(options), quiet=quiet) as step:
        gathered = gather_report(table, induction, settings, options=options, held=held, step=step)
        write_text(report.path, render_report(dataclasses.replace(gathered, floors=floored)))
    message(f"wrote {report.path}", quiet=quiet)


def record_json(record: Any, **more: Any) -> str:
    """Write a record as JSON; clauses as text and as literals, rules as their own JSON.

    >>> from nri.rule import Clause, Literal, Op
    >>> print(record_json({}, clause=Clause([Literal("age", Op.GT, 61)])))
    {
      "clause": {
        "text": "age > 61",
        "literals": [
          {
            "column": "age",
            "op": ">",
            "value": 61
          }
        ]
      }
    }
    """
    data = _plain(record) | {key: _plain(value) for key, value in more.items()}
    return json.dumps(data, indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    import numpy as np

    from nri.rule import Clause, Rule
    from nri.rule.phrase import phrase_clause

    if isinstance(value, Clause):
        literals = [{"column": x.column, "op": str(x.op), "value": _plain(x.value)} for x in value]
        needed = {"at_least": value.at_least} if value.counts else {}
        return {"text": phrase_clause(value), **needed, "literals": literals}
    if isinstance(value, Rule):
        return json.loads(value.render("json"))
    if dataclasses.is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return value
