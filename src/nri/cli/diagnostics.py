"""Sensitivity and its kin, as lines for the terminal and as data for other programs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nri.cli.console import text_table

if TYPE_CHECKING:
    from nri.induce.costs import MeanCost
    from nri.induce.diagnostics import Diagnostics, Measure
    from nri.induce.estimates import Accuracy


def lines(target: str, measures: "Sequence[Diagnostics]") -> str:
    """Return a table of all measures: one class fills a column, several fill a row each."""
    from nri.rule.phrase import phrase_label, phrase_name

    name = phrase_name(target)
    if len(measures) == 1:
        (one,) = measures
        rows = [(f"cross-validated, {name} = {phrase_label(one.label)}", "", "95 % interval")]
        rows += [(_title(title, one), *_cells(measure)) for title, measure in one.measures.items()]
        return text_table(rows)
    titles = list(measures[0].measures)
    head = (f"cross-validated, {name}", *(_title(title, measures[0]) for title in titles))
    return text_table(
        [head, *((phrase_label(one.label), *map(str, one.measures.values())) for one in measures)]
    )


def as_data(
    accuracy: "Accuracy", measures: "Sequence[Diagnostics]", cost: "MeanCost | None" = None
) -> dict[str, Any]:
    """Return the same as plain data, with what an error costs if that was said."""
    paid = {}
    if cost is not None:
        paid["mean_cost"] = {"value": cost.mean, "standard_error": cost.error, "one_class": cost.always}
    return {
        "method": "5-fold cross-validation",
        "accuracy": {"value": accuracy.mean, "standard_error": accuracy.error},
        **paid,
        "classes": [
            {
                "label": one.label,
                "prevalence": one.prevalence,
                "prevalence_assumed": one.assumed,
                **{
                    title.replace(" ", "_").lower(): _plain(measure)
                    for title, measure in one.measures.items()
                },
            }
            for one in measures
        ],
    }


def _title(title: str, one: "Diagnostics") -> str:
    return f"{title} at prevalence {one.prevalence:g}" if one.assumed and title in ("PPV", "NPV") else title


def _cells(measure: "Measure") -> tuple[str, str]:
    if measure.value is None:
        return "-", ""
    return f"{measure.value:.2f}", f"{measure.interval.low:.2f} to {measure.interval.high:.2f}"


def _plain(measure: "Measure") -> dict[str, float | None]:
    return {"value": measure.value, "low": measure.interval.low, "high": measure.interval.high}
