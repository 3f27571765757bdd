"""``nri surrogate``: rules that say what a model says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nri.cli import induce_options as given
from nri.cli.console import emit, mute_notes, show_rule, tell, waiting
from nri.cli.files import check_outputs, write_text
from nri.cli.options import FileArgument, FormatOption, OutOption, QuietOption, chosen_format
from nri.cli.task_options import PredictionsOption, settings_of
from nri.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from nri.tasks.surrogate import Surrogate

ThresholdOption = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="The predictions are scores: yes above this, else no.")
]
TruthOption = Annotated[
    str | None,
    typer.Option("--labels", "-l", metavar="COLUMN", help="The truth: not induced from, only compared with."),
]


def surrogate(
    file: FileArgument,
    predictions: PredictionsOption,
    threshold: ThresholdOption = None,
    labels: TruthOption = None,
    positive: given.PositiveOption = None,
    weights: given.WeightsOption = None,
    form: FormatOption = None,
    out: OutOption = None,
    model: given.ModelOption = None,
    random_state: given.SeedOption = 0,
    quiet: QuietOption = False,
    max_clauses: given.MaxClausesOption = 8,
    max_literals: given.MaxLiteralsOption = 6,
    columns: given.ColumnsOption = None,
    without: given.WithoutOption = None,
    negations: given.NegationsOption = True,
) -> None:
    """Induce rules that mimic a model, from a column of its predictions or scores.

    Fidelity is the share of rows on which the rules say what the model says, cross-validated.
    """
    mute_notes(quiet)
    check_outputs({"--out": out}, {"the table": file})
    form = chosen_format(form, {}, out)
    import numpy as np

    from nri.labelled import label_table
    from nri.table.read import read_table
    from nri.table.target import read_target
    from nri.tasks.surrogate import mimic
    from nri.validate import FOLDS

    with waiting(f"reading {file}", quiet=quiet):
        frame = read_table(file)
    target = predictions if threshold is None else f"{predictions} > {threshold:.15g}"
    truth = None
    if labels is not None:
        column, truth = read_target(frame, labels)
        frame = frame.drop(columns=column)
        _check_words(truth, read_target(frame, target)[1])
    asked = label_table(frame, target, positive, weights)
    settings = settings_of(
        asked.table.features.columns.tolist(),
        model=model,
        max_clauses=max_clauses,
        max_literals=max_literals,
        columns=columns,
        without=without,
        negations=negations,
    )
    tell(asked.remark, quiet=quiet)
    with waiting("looking for rules", steps=FOLDS, quiet=quiet) as step:
        found = mimic(
            asked.table,
            settings,
            positive=asked.positive,
            rng=np.random.default_rng(random_state),
            step=step,
        )
    _write(found, form, out, quiet=quiet)
    if truth is not None:
        tell(_against_truth(found, frame, target, truth), quiet=quiet)


def _write(found: "Surrogate", form: str | None, out: Path | None, *, quiet: bool) -> None:
    """Put the rules where they are wanted, with their fidelity."""
    from nri.rule import render

    note = f"rule: fidelity {found.fidelity} (cross-validated; most frequent answer {found.baseline:.2f})"
    if out is not None:
        write_text(out, render(found.ruleset, form or "text", note=note))
        tell(f"wrote {out}", quiet=quiet)
    if out is None and form not in (None, "text"):
        emit(render(found.ruleset, form or "text", note=note))
    elif out is None or not quiet:
        show_rule(render(found.ruleset, "text", note=note))


def _check_words(truth: "pd.Series[Any]", said: "pd.Series[Any]") -> None:
    """Raise before the work begins if labels and predictions cannot be compared."""
    if not set(truth.dropna().astype(str)) & set(said.dropna().astype(str)):
        raise InputError(
            f"labels {truth.name!r} and predictions {said.name!r} share no value; give both in the "
            'same words, e.g. as comparisons: --labels "flu = yes"'
        )


def _against_truth(found: "Surrogate", frame: "pd.DataFrame", target: str, truth: "pd.Series[Any]") -> str:
    """Return a line on how often model and rules are right, on the rows where both can be judged."""
    import numpy as np

    from nri.rule.labels import label_array
    from nri.table.columns import columns_of
    from nri.table.target import read_target
    from nri.validate import accuracy_of

    _, said = read_target(frame, target)
    ruleset = found.ruleset
    columns = columns_of(frame, ruleset.columns, ruleset.kinds)
    rule = label_array(ruleset.classes)[ruleset.predict_index(columns, len(frame))].astype(str)
    known = np.asarray(truth.notna() & said.notna(), dtype=bool)
    right = truth[known].astype(str).to_numpy(dtype=object)
    model_right = accuracy_of(right == said[known].astype(str).to_numpy(dtype=object))
    return (
        f"against {truth.name}: the model is right on {model_right.mean:.2f}, "
        f"the rule on {accuracy_of(right == rule[known]).mean:.2f} (on these rows)"
    )
