"""``nri induce``: a table in, a rule out."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli import options as given
from nri.cli.console import emit, mute_notes, show_rule, tell, waiting
from nri.cli.files import check_outputs, write_text
from nri.cli.options import FileArgument, FormatOption, OutOption, QuietOption, chosen_format
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.induce.estimates import Accuracy
    from nri.induce.path import Induction, Settings
    from nri.table import Table


def induce(
    file: FileArgument,
    target: given.TargetOption = None,
    positive: given.PositiveOption = None,
    weights: given.WeightsOption = None,
    exact_text: given.ExactOption = False,
    cv: given.CvOption = False,
    form: FormatOption = None,
    out: OutOption = None,
    html: given.HtmlOption = None,
    clinical: given.ClinicalOption = False,
    model: given.ModelOption = None,
    random_state: given.SeedOption = 0,
    quiet: QuietOption = False,
    max_clauses: given.MaxClausesOption = 8,
    max_literals: given.MaxLiteralsOption = 6,
    columns: given.ColumnsOption = None,
    without: given.WithoutOption = None,
    require: given.RequireOption = None,
    negations: given.NegationsOption = True,
    min_precision: given.MinPrecisionOption = 0.0,
    binarize: given.BinarizeOption = "auto",
    json: given.JsonFlag = False,
    sql: given.SqlFlag = False,
    python: given.PythonFlag = False,
    markdown: given.MarkdownFlag = False,
    latex: given.LatexFlag = False,
    prolog: given.PrologFlag = False,
    asp: given.AspFlag = False,
    sympy: given.SympyFlag = False,
) -> None:
    """Induce a rule that explains a column of a table, and print it.

    With --out the rule goes to a file (RULE.json is what the other commands read) and is shown as text too.
    """
    mute_notes(quiet)
    form = chosen_format(
        form,
        out,
        json=json,
        sql=sql,
        python=python,
        markdown=markdown,
        latex=latex,
        prolog=prolog,
        asp=asp,
        sympy=sympy,
    )
    output = Output(form, out, html, quiet, clinical, file)
    output.check()
    with waiting(f"reading {file}", quiet=quiet):  # the imports take their time too
        from nri.cli.files import read_labelled
        from nri.induce import models
        from nri.induce.path import Settings

        table, remark = read_labelled(file, target, positive, weights, exact=exact_text, numbers=True)
    settings = Settings(
        model=model or models.DEFAULT,
        max_clauses=max_clauses,
        max_literals=max_literals,
        use=given.split_names(columns, table.names),
        never=given.split_names(without, table.names) or (),
        require=given.split_names(require, table.names) or (),
        negations=negations,
        min_precision=min_precision,
        binarize=binarize,  # type: ignore[arg-type]  # the binarizer refuses unknown modes
    )
    tell(remark, quiet=quiet)
    if table.measured is not None:
        from nri.cli.induce_number import induce_and_show_number

        return induce_and_show_number(table, settings, output, cv=cv, seed=random_state)
    induce_and_show(table, settings, output, cv=cv, seed=random_state)


@dataclass(frozen=True)
class Output:
    """Where a rule goes, and in which form."""

    form: str | None
    out: Path | None
    html: Path | None
    quiet: bool
    clinical: bool = False
    """Whether the report warns that it is not validated for decisions."""
    source: str | None = None
    """Where the rows came from."""

    def check(self) -> None:
        """Raise before anything is computed if a file cannot be written in the end."""
        check_outputs({"--out": self.out, "--html": self.html}, {"the table": self.source})


def induce_and_show(
    table: "Table",
    settings: "Settings",
    output: Output,
    *,
    cv: bool,
    seed: int,
) -> None:
    """Induce, estimate the accuracy, and write the rule where it is wanted."""
    import numpy as np

    from nri.induce.path import induce_rules
    from nri.rule.render.options import settled
    from nri.table.usable import describe_left_out

    with waiting("looking for a rule", quiet=output.quiet):
        found = induce_rules(table, settings, rng=np.random.default_rng(seed))
    tell(describe_left_out(found.left_out), quiet=output.quiet)
    note = Estimate(f"rule: accuracy {_seen(found, table).mean:.2f} (on these rows)")
    if cv:
        note = _cross_validated(table, settings, seed=seed, quiet=output.quiet)
    if not settled(found.ruleset).decisions:
        tell("no rule pays for itself on these rows: give more rows, or other columns", quiet=output.quiet)
    elif note.doubt:
        tell(note.doubt, quiet=output.quiet)
    else:
        tell(_leak(found, table), quiet=output.quiet)
    _write(found, note.text, output)
    if output.html is not None:
        _write_report(found, table, settings, output, seed=seed)


@dataclass(frozen=True)
class Estimate:
    """How good a rule is, in the words that stand beside it."""

    text: str
    doubt: str = ""
    """A warning where the rule is no better than a guess."""


def _seen(found: "Induction", table: "Table") -> "Accuracy":
    from nri.induce.estimates import accuracy_of

    return accuracy_of(found.ruleset.predict_index(table) == table.codes, table.weights)


_MANY = 20
"""On fewer rows a column may tell them all by chance."""


def _leak(found: "Induction", table: "Table") -> str:
    """Return a hint if one column tells all of many rows: it may be the answer in other words."""
    columns = found.ruleset.columns
    if len(columns) != 1 or len(table) < _MANY or _seen(found, table).mean < 1:
        return ""
    return (
        f"{columns[0]!r} alone tells every row: is it the answer in other words, or known only afterwards? "
        f'Then leave it out: --without "{columns[0]}"'
    )


def _cross_validated(table: "Table", settings: "Settings", *, seed: int, quiet: bool) -> Estimate:
    import numpy as np

    from nri.induce.estimates import guess_of
    from nri.induce.resample import FOLDS, cross_validate

    with waiting("cross-validating", steps=FOLDS, quiet=quiet) as step:
        estimate = cross_validate(table, settings, rng=np.random.default_rng(seed), step=step)
    doubt = guess_of(table.classes, table.by_class.tolist()).doubt(estimate)
    return Estimate(f"rule: accuracy {estimate} (cross-validated)", doubt)


def _write(found: "Induction", note: str, output: Output) -> None:
    from nri.rule import render

    ruleset = found.ruleset
    if output.out is not None:
        write_text(output.out, render(ruleset, output.form or "text", note=note))
        tell(f"wrote {output.out}", quiet=output.quiet)
    if output.out is None and output.form not in (None, "text"):
        emit(render(ruleset, output.form or "text", note=note))
    elif output.out is None or not output.quiet:
        show_rule(render(ruleset, "text", note=note))


def _write_report(
    found: "Induction",
    table: "Table",
    settings: "Settings",
    output: Output,
    *,
    seed: int,
) -> None:
    from nri.report import ReportOptions, gather_report, render_report, steps_of

    assert output.html is not None
    source = None if output.source in (None, "-") else Path(str(output.source)).name
    options = ReportOptions(source=source, clinical=output.clinical, seed=seed)
    with waiting("writing the report", steps=steps_of(options), quiet=output.quiet) as step:
        report = gather_report(table, found, settings, options=options, step=step)
        write_text(output.html, render_report(report))
    tell(f"wrote {output.html}", quiet=output.quiet)


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


def demo(name: NameArgument = "breast-cancer", quiet: QuietOption = False) -> None:
    """Induce a rule on a data set that comes with scikit-learn; nothing is downloaded."""
    mute_notes(quiet)
    if name not in _SETS:
        raise InputError(f"no demo {name!r}; choose one of {', '.join(_SETS)}")
    loader, target, about = _SETS[name]
    with waiting(f"loading {name}", quiet=quiet):  # the imports take their time too
        from nri.induce.path import Settings

        table = _load(loader, target)
    tell(f"{about}: {len(table)} rows, {len(table.names)} columns", quiet=quiet)
    induce_and_show(table, Settings(), Output(None, None, None, quiet), cv=True, seed=0)


def _load(loader: str, target: str) -> "Table":
    import numpy as np
    from sklearn import datasets

    from nri.table import Target, table_of

    data = getattr(datasets, loader)(as_frame=True)
    classes = [str(name) for name in data.target_names]
    codes = np.argsort(np.argsort(classes))[data.target.to_numpy()]
    return table_of(data.data).labelled(Target(target, tuple(sorted(classes)), codes))
