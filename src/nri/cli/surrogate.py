"""``nri surrogate``: rules that say what a model says."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nri.cli import options as given
from nri.cli.console import emit, mute_notes, show_rule, tell, waiting
from nri.cli.files import check_outputs, write_text
from nri.cli.options import (
    FileArgument,
    FormatOption,
    OutOption,
    PredictionsOption,
    QuietOption,
    chosen_format,
    read_answers,
    settings_of,
    without_taken,
)
from nri.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from nri.induce.labelled import Asked
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
    json: given.JsonFlag = False,
    sql: given.SqlFlag = False,
    python: given.PythonFlag = False,
    markdown: given.MarkdownFlag = False,
    latex: given.LatexFlag = False,
    prolog: given.PrologFlag = False,
    asp: given.AspFlag = False,
    sympy: given.SympyFlag = False,
) -> None:
    """Induce rules that mimic a model, from a column of its predictions or scores.

    Fidelity is the share of rows on which the rules say what the model says, cross-validated.
    """
    flags = given.format_flags(locals())
    mute_notes(quiet)
    check_outputs({"--out": out}, {"the table": file})
    form = chosen_format(form, flags, out)
    import numpy as np

    from nri.induce.resample import FOLDS
    from nri.table.read import read_table
    from nri.tasks.surrogate import mimic

    with waiting(f"reading {file}", quiet=quiet):
        frame = read_table(file)
    target = predictions if threshold is None else f"{predictions} > {threshold:.15g}"
    said_column, said = read_answers(frame, target, "--predictions")
    without = given.split_names(without, frame.columns.tolist())
    truth_column, truth = (None, None) if labels is None else _truth(frame, labels, said)
    if truth_column not in (None, said_column):
        frame = frame.drop(columns=[truth_column])
    asked = _labelled(frame, target, positive, weights)
    settings = settings_of(
        asked.table.features.columns.tolist(),
        model=model,
        max_clauses=max_clauses,
        max_literals=max_literals,
        columns=columns,
        without=without_taken(without, frame.columns.tolist(), said_column, truth_column),
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
        tell(_against_truth(found, frame, truth, said), quiet=quiet)


def _truth(frame: "pd.DataFrame", labels: str, said: "pd.Series[Any]") -> "tuple[str, pd.Series[Any]]":
    """Return the column of the labels and its answers, which predictions can be compared with."""
    column, truth = read_answers(frame, labels, "--labels")
    _check_words(truth, said)
    return column, truth


_BY_THRESHOLD = "say where yes begins, e.g. --threshold 0.5"


def _labelled(frame: "pd.DataFrame", target: str, positive: str | None, weights: str | None) -> "Asked":
    """Take the predictions for the target; a mistake is told in the options of this command."""
    from nri.induce.labelled import label_table

    try:
        return label_table(frame, target, positive, weights)
    except InputError as error:
        told = re.sub(r'compare it, e\.g\. --target ".*"$', _BY_THRESHOLD, str(error))
        told = told.replace(f"target {target!r}", f"--predictions {target!r}")
        raise InputError(told.replace("--target", "--predictions")) from None


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
    true_words, said_words = (set(_words(one.dropna())) for one in (truth, said))
    if true_words & said_words or true_words | said_words <= {"0", "1"}:
        return
    remedies = [
        f'{option} "{answers.name} = {max(words)}"'
        for option, answers, words in (("--labels", truth, true_words), ("--predictions", said, said_words))
        if words - {"0", "1"}
    ]
    raise InputError(
        f"labels {truth.name!r} ({_few(true_words)}) and predictions {said.name!r} ({_few(said_words)}) "
        f"share no value; give both in the same words, e.g. {' '.join(remedies)}"
    )


def _words(answers: "pd.Series[Any]") -> list[str]:
    """Write answers so that they can be compared: yes and no of a comparison are the 1 and 0 of a table."""
    return [str(int(one)) if one in (0, 1) else str(one) for one in answers.tolist()]


def _few(words: set[str]) -> str:
    shown = sorted(words)
    return ", ".join(shown[:3]) + (", ..." if len(shown) > 3 else "")


def _against_truth(
    found: "Surrogate", frame: "pd.DataFrame", truth: "pd.Series[Any]", said: "pd.Series[Any]"
) -> str:
    """Return a line on how often model and rules are right, on the rows where both can be judged."""
    import numpy as np
    import pandas as pd

    from nri.induce.resample import accuracy_of
    from nri.rule.labels import label_array
    from nri.table.columns import columns_of

    ruleset = found.ruleset
    columns = columns_of(frame, ruleset.columns, ruleset.kinds)
    rule = pd.Series(label_array(ruleset.classes)[ruleset.predict_index(columns, len(frame))])
    known = np.asarray(truth.notna() & said.notna(), dtype=bool)
    right, by_model, by_rule = (np.array(_words(one[known]), dtype=object) for one in (truth, said, rule))
    return (
        f"against {truth.name}: the model is right on {accuracy_of(right == by_model).mean:.2f}, "
        f"the rule on {accuracy_of(right == by_rule).mean:.2f} (on these rows)"
    )
