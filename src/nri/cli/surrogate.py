"""``nri surrogate``: rules that say what a model says."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli import options as given
from nri.cli.console import emit, mute_notes, show_rule, tell, waiting
from nri.cli.files import check_outputs, files_in_place, write_text
from nri.cli.large import opened
from nri.cli.options import FileArgument, PredictionsOption, QuietOption
from nri.cli.records import Form, Limits, Size, spread
from nri.errors import InputError, TargetError

if TYPE_CHECKING:
    from nri.engine.rows import Rows
    from nri.rule.plan import ColumnPlan
    from nri.table import Table
    from nri.table.answers import Answers
    from nri.tasks.surrogate import Surrogate
    from nri.tasks.surrogate_large import LargeSurrogate

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
    size: Size,
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

    Fidelity is the share of rows on which the rules say what the model says, cross-validated. Of a large
    table all rows tell it.
    """
    mute_notes(quiet)
    check_outputs({"--out": written.out}, {"the table": file})
    form = written.chosen()
    target = predictions if threshold is None else f"{predictions} > {threshold:.15g}"
    files = None
    if "://" not in file:
        files = files_in_place(file, size.engine, sheet=sheet, header=header)
    if files is not None or "://" in file:
        if weights is not None:
            raise InputError("--weights is for tables that are read into memory; add --engine memory")
        asked = _Asked(target, labels, positive)
        with opened(file, files, size, quiet=quiet) as (rows, plans):
            return _in_place(rows, plans, asked, limits, written, size, seed=random_state, quiet=quiet)
    import numpy as np

    from nri.induce.resample import FOLDS
    from nri.table.answers import read_answers
    from nri.table.excel import SheetChoice
    from nri.table.files import read_table
    from nri.table.target import describe
    from nri.tasks.surrogate import mimic

    with waiting(f"reading {file}", quiet=quiet):
        table = read_table(file, choice=SheetChoice(sheet, header))
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


@dataclass(frozen=True)
class _Asked:
    """What the model said, and what is true."""

    target: str
    labels: str | None
    positive: str | None


def _in_place(
    rows: "Rows",
    plans: "Mapping[str, ColumnPlan]",
    asked: _Asked,
    limits: Limits,
    written: Form,
    size: Size,
    *,
    seed: int,
    quiet: bool,
) -> None:
    """Mimic a model where the rows are; all of them are counted."""
    from nri.engine.large import profiled
    from nri.engine.target import read_target
    from nri.induce.resample import FOLDS
    from nri.tasks.surrogate_large import as_word, mimic_large, right_shares

    with waiting("looking at all rows", quiet=quiet):
        truth = None if asked.labels is None else read_target(rows, asked.labels)
        never = [] if truth is None else [truth.column]
        found = profiled(rows, asked.target, asked.positive, sample=size.searched, plans=plans, never=never)
        truth = None if asked.labels is None else read_target(found.rows, asked.labels)
    if truth is not None:
        true_words, said_words = ({as_word(x) for x in one.labels.classes} for one in (truth, found.target))
        _check_shared(asked.labels or "", true_words, asked.target, said_words)
    settings = limits.settings([*found.columns], found.target.column, *never)
    tell(found.remark, quiet=quiet)
    with waiting("looking for rules on all rows", steps=FOLDS, quiet=quiet) as step:
        mimicked = mimic_large(found, settings, size.searched, seed=seed, step=step)
    tell(mimicked.induction.note, quiet=quiet)
    _write(mimicked, written.chosen(), written.out, quiet=quiet)
    if truth is not None:
        tell(_told(asked.labels or "", *right_shares(found, truth, mimicked.ruleset)), quiet=quiet)


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


def _write(found: "Surrogate | LargeSurrogate", form: str | None, out: Path | None, *, quiet: bool) -> None:
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
    _check_shared(truth.name, true_words, said.name, said_words)


def _check_shared(truth: str, true_words: set[str], said: str, said_words: set[str]) -> None:
    if true_words & said_words or true_words | said_words <= {"0", "1"}:
        return
    remedies = [
        f'{option} "{name} = {max(words)}"'
        for option, name, words in (("--labels", truth, true_words), ("--predictions", said, said_words))
        if words - {"0", "1"}
    ]
    raise InputError(
        f"labels {truth!r} ({_few(true_words)}) and predictions {said!r} ({_few(said_words)}) "
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
    return _told(truth.name, accuracy_of(right == model).mean, accuracy_of(right == rule).mean)


def _told(truth: str, model: float, rule: float) -> str:
    return f"against {truth}: the model is right on {model:.2f}, the rule on {rule:.2f} (on these rows)"
