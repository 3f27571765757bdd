"""``nri surrogate``: rules that say what a model says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli import options as given
from nri.cli.console import emit, mute_notes, show_rule, tell, waiting
from nri.cli.files import check_outputs, write_text
from nri.cli.options import FileArgument, PredictionsOption, QuietOption
from nri.cli.records import Form, Limits, spread
from nri.errors import InputError, TargetError

if TYPE_CHECKING:
    from nri.table import Table
    from nri.table.answers import Answers
    from nri.tasks.surrogate import Surrogate

ThresholdOption = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="The predictions are scores: yes above this, else no.")
]
TruthOption = Annotated[
    str | None,
    typer.Option("--labels", "-l", metavar="COLUMN", help="The truth: not induced from, only compared with."),
]


@spread
def surrogate(
    file: FileArgument,
    predictions: PredictionsOption,
    limits: Limits,
    written: Form,
    threshold: ThresholdOption = None,
    labels: TruthOption = None,
    positive: given.PositiveOption = None,
    weights: given.WeightsOption = None,
    sheet: given.SheetOption = None,
    header: given.HeaderOption = None,
    random_state: given.SeedOption = 0,
    quiet: QuietOption = False,
) -> None:
    """Induce rules that mimic a model, from a column of its predictions or scores.

    Fidelity is the share of rows on which the rules say what the model says, cross-validated.
    """
    mute_notes(quiet)
    check_outputs({"--out": written.out}, {"the table": file})
    form = written.chosen
    import numpy as np

    from nri.induce.resample import FOLDS
    from nri.table.answers import read_answers
    from nri.table.excel import SheetChoice
    from nri.table.files import read_table
    from nri.table.target import describe
    from nri.tasks.surrogate import mimic

    with waiting(f"reading {file}", quiet=quiet):
        table = read_table(file, choice=SheetChoice(sheet, header))
    target = predictions if threshold is None else f"{predictions} > {threshold:.15g}"
    said = read_answers(table, target, "--predictions")
    truth = None if labels is None else read_answers(table, labels, "--labels")
    if truth is not None:
        _check_words(truth, said)
    taken = [said.column] if truth is None else [said.column, truth.column]
    others = table.without(*(name for name in taken if name != said.column))
    labelled = _labelled(others, target, positive, weights)
    settings = limits.settings(labelled.names, *taken)
    tell(describe(labelled, len(table)), quiet=quiet)
    with waiting("looking for rules", steps=FOLDS, quiet=quiet) as step:
        found = mimic(labelled, settings, rng=np.random.default_rng(random_state), step=step)
    _write(found, form, written.out, quiet=quiet)
    if truth is not None:
        tell(_against_truth(found, table, truth, said), quiet=quiet)


def _labelled(table: "Table", target: str, positive: str | None, weights: str | None) -> "Table":
    """Take the predictions for the target; a mistake is told in the options of this command."""
    from nri.table.target import label_table

    try:
        return label_table(table, target, positive, weights, what="--predictions")
    except TargetError as error:
        remedy = "say where yes begins, e.g. --threshold 0.5"
        if " = " in error.comparison:
            remedy = f'ask for one value, e.g. --predictions "{error.comparison}"'
        raise InputError(f"{error.cause}; {remedy}") from None


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


def _check_words(truth: "Answers", said: "Answers") -> None:
    """Raise before the work begins if labels and predictions cannot be compared."""
    true_words, said_words = ({word for word in _words(one) if word is not None} for one in (truth, said))
    if true_words & said_words or true_words | said_words <= {"0", "1"}:
        return
    remedies = [
        f'{answers.what} "{answers.name} = {max(words)}"'
        for answers, words in ((truth, true_words), (said, said_words))
        if words - {"0", "1"}
    ]
    raise InputError(
        f"labels {truth.name!r} ({_few(true_words)}) and predictions {said.name!r} ({_few(said_words)}) "
        f"share no value; give both in the same words, e.g. {' '.join(remedies)}"
    )


def _words(answers: "Answers") -> list[str | None]:
    """Write answers so that they can be compared: yes and no of a comparison are the 1 and 0 of a table."""
    from nri.table.target import labels_as_text

    return [_WORDS.get(word, word) for word in labels_as_text(answers.labels, answers.plan)]


_WORDS = {"True": "1", "False": "0"}


def _few(words: set[str]) -> str:
    shown = sorted(words)
    return ", ".join(shown[:3]) + (", ..." if len(shown) > 3 else "")


def _against_truth(found: "Surrogate", table: "Table", truth: "Answers", said: "Answers") -> str:
    """Return a line on how often model and rules are right, on the rows where both can be judged."""
    import numpy as np

    from nri.induce.estimates import accuracy_of

    by_rule = [_WORDS.get(str(label), str(label)) for label in found.ruleset.predict(table)]
    known = truth.labels.known & said.labels.known
    right, model, rule = (
        np.array(words, dtype=object)[known] for words in (_words(truth), _words(said), by_rule)
    )
    return (
        f"against {truth.name}: the model is right on {accuracy_of(right == model).mean:.2f}, "
        f"the rule on {accuracy_of(right == rule).mean:.2f} (on these rows)"
    )
