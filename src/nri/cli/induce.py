"""``nri induce``: a table in, a rule out."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nri.cli import options as given
from nri.cli.console import emit, mute_notes, show_rule, tell, waiting
from nri.cli.files import check_outputs, read_rule, write_text
from nri.cli.options import FileArgument, FormatOption, OutOption, QuietOption, chosen_format
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.induce.diagnostics import Diagnostics
    from nri.induce.estimates import Accuracy
    from nri.induce.path import Induction, Settings
    from nri.table import Table


def induce(
    file: FileArgument,
    target: given.TargetOption = None,
    positive: given.PositiveOption = None,
    weights: given.WeightsOption = None,
    exact_text: given.ExactOption = False,
    sheet: given.SheetOption = None,
    header: given.HeaderOption = None,
    cv: given.CvOption = False,
    prevalence: given.PrevalenceOption = None,
    protect: given.ProtectOption = None,
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
    keep: given.KeepOption = None,
    forbid: given.ForbidOption = None,
    cuts: given.CutsOption = None,
    monotone: given.MonotoneOption = None,
    binarize: given.BinarizeOption = "auto",
    counts: given.CountsOption = "auto",
    cost: given.CostOption = None,
    json: given.JsonFlag = False,
    sql: given.SqlFlag = False,
    python: given.PythonFlag = False,
    markdown: given.MarkdownFlag = False,
    latex: given.LatexFlag = False,
    prolog: given.PrologFlag = False,
    asp: given.AspFlag = False,
    sympy: given.SympyFlag = False,
    dialect: given.DialectOption = None,
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
    if dialect is not None and (form := form or "sql") != "sql":
        raise InputError(f"--dialect is for --format sql, not for {form}; drop it, or add that")
    if prevalence is not None and not (cv or html):
        raise InputError("--prevalence is about estimates on new rows; add --cv or --html")
    if prevalence is not None and not 0 < prevalence < 1:
        raise InputError(f"--prevalence is a share between 0 and 1, not {prevalence:g}; 5 % is 0.05")
    output = Output(form, out, html, quiet, clinical, file, dialect, prevalence, tuple(protect or ()))
    output.check()
    with waiting(f"reading {file}", quiet=quiet):  # the imports take their time too
        from nri.cli.files import read_labelled
        from nri.induce import models
        from nri.induce.path import Settings

        table, remark = read_labelled(
            file, target, positive, weights, exact=exact_text, sheet=sheet, header=header, numbers=True
        )
    table.require(output.protect)
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
        counts=counts,  # type: ignore[arg-type]  # the limits refuse unknown modes
        costs=given.costs_of(cost, () if table.measured is not None else table.classes),
        keep=None if keep is None else read_rule(keep),
        forbid=tuple(forbid or ()),
        cuts={
            name: given.numbers_of(text, "--cuts")
            for name, text in given.split_assignments(cuts, "--cuts").items()
        },
        monotone=given.split_assignments(monotone, "--monotone"),
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
    dialect: str | None = None
    """Of SQL."""
    prevalence: float | None = None
    """Of the class asked about, for predictive values; by default the table's."""
    protect: tuple[str, ...] = ()
    """Columns whose groups are told about."""

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
    tell(_cost_of_knowledge(found, table, settings, seed=seed), quiet=output.quiet)
    weighted = "weighted, " if found.ruleset.weighted else ""
    note = Estimate(f"rule: accuracy {_seen(found, table).mean:.2f} ({weighted}on these rows)")
    if cv:
        note = _cross_validated(found, table, settings, output, seed=seed)
    if not settled(found.ruleset).decisions:
        tell("no rule pays for itself on these rows: give more rows, or other columns", quiet=output.quiet)
    elif note.doubt:
        tell(note.doubt, quiet=output.quiet)
    else:
        tell(_leak(found, table), quiet=output.quiet)
    _write(found, note, output)
    _tell_groups(found, table, output)
    if output.html is not None:
        _write_report(found, table, settings, output, seed=seed)


def _cost_of_knowledge(found: "Induction", table: "Table", settings: "Settings", *, seed: int) -> str:
    """Return what clauses, cuts and conditions that a person asked for cost on these rows."""
    import numpy as np

    from nri.induce.knowledge import knows, without_knowledge
    from nri.induce.path import induce_rules

    if not knows(settings):
        return ""
    free = induce_rules(table, without_knowledge(settings), rng=np.random.default_rng(seed))
    own, other = _seen(found, table).mean, _seen(free, table).mean
    told = f"accuracy {own:.2f} on these rows, {other:.2f} without"
    if other > own:
        return f"what you asked for costs {(other - own) * 100:.1f} points: {told}"
    return f"what you asked for costs nothing here: {told}"


@dataclass(frozen=True)
class Estimate:
    """How good a rule is, in the words that stand beside it."""

    text: str
    doubt: str = ""
    """A warning where the rule is no better than a guess."""
    measures: "tuple[Diagnostics, ...]" = ()
    """Sensitivity and its kin, if they were estimated."""
    validation: dict[str, Any] | None = None
    """The same for other programs."""


def _seen(found: "Induction", table: "Table") -> "Accuracy":
    from nri.induce.estimates import accuracy_of

    return accuracy_of(found.ruleset.predict_index(table) == table.codes, table.weights)


def _leak(found: "Induction", table: "Table") -> str:
    """Return a hint if one column tells all of many rows: it may be the answer in other words."""
    from nri.induce.estimates import lone_teller

    column = lone_teller(found.ruleset, table)
    if column is None:
        return ""
    return (
        f"{column!r} alone tells every row: is it the answer in other words, or known only afterwards? "
        f'Then leave it out: --without "{column}"'
    )


def _cross_validated(
    found: "Induction", table: "Table", settings: "Settings", output: Output, *, seed: int
) -> Estimate:
    import numpy as np

    from nri.cli.diagnostics import as_data
    from nri.induce.estimates import guess_of
    from nri.induce.resample import FOLDS, cores, hold_out

    with waiting("cross-validating", steps=FOLDS, quiet=output.quiet) as step:
        held = hold_out(table, settings, rng=np.random.default_rng(seed), jobs=cores(), step=step)
    weighted = "weighted, " if found.ruleset.weighted else ""
    doubt = guess_of(table.classes, table.by_class.tolist()).doubt(held.accuracy)
    measures = held.diagnostics([rule.label for rule in found.ruleset.rules], output.prevalence)
    return Estimate(
        f"rule: accuracy {held.accuracy} ({weighted}cross-validated)",
        doubt,
        measures,
        as_data(held.accuracy, measures),
    )


def _write(found: "Induction", note: Estimate, output: Output) -> None:
    from nri.cli.diagnostics import lines
    from nri.rule import render

    ruleset = found.ruleset
    options = {"note": note.text, "dialect": output.dialect, "validation": note.validation}
    if output.out is not None:
        write_text(output.out, render(ruleset, output.form or "text", **options))
        tell(f"wrote {output.out}", quiet=output.quiet)
    if output.out is None and output.form not in (None, "text"):
        emit(render(ruleset, output.form or "text", **options))
    elif output.out is None or not output.quiet:
        show_rule(render(ruleset, "text", note=note.text))
        if note.measures:
            emit("\n" + lines(ruleset.target, note.measures))


def _tell_groups(found: "Induction", table: "Table", output: Output) -> None:
    """Tell what the rule does with groups of people: those asked for, and of columns that look protected."""
    from nri.cli.groups import groups_lines
    from nri.tasks.fairness import by_group, note_on, protected_columns

    for column in output.protect:
        if output.form in (None, "text") or output.out is not None:
            emit("\n" + groups_lines(by_group(table, found.ruleset, column)))
    for column in protected_columns(found.ruleset):
        if column not in output.protect:
            groups = by_group(table, found.ruleset, column)
            tell(f"note: {note_on(groups)}; --protect {column!r} tells more", quiet=output.quiet)


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
    options = ReportOptions(
        source=source,
        clinical=output.clinical,
        seed=seed,
        prevalence=output.prevalence,
        protect=output.protect,
    )
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
