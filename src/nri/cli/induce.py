"""``nri induce``: a table in, a rule out."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli import options as given
from nri.cli import texts
from nri.cli.console import mute_notes, tell, waiting
from nri.cli.files import check_outputs, read_rule
from nri.cli.options import FileArgument, QuietOption
from nri.cli.output import Estimate, Output, tell_groups, write_report, write_rule
from nri.cli.records import Form, Limits, Reading, Size, spread
from nri.cli.stability import tell_steadiness
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.induce.estimates import Accuracy
    from nri.induce.floors import Floored, Floors
    from nri.induce.path import Induction
    from nri.induce.resample import HeldOut
    from nri.induce.settings import Settings
    from nri.rule import RuleSet
    from nri.table import Table


@dataclass(frozen=True)
class Wishes(Limits):
    """What a rule may be, and what a person knows."""

    require: given.RequireOption = None
    min_precision: given.MinPrecisionOption = 0.0
    keep: given.KeepOption = None
    forbid: given.ForbidOption = None
    cuts: given.CutsOption = None
    monotone: given.MonotoneOption = None
    binarize: given.BinarizeOption = "auto"
    cost: given.CostOption = None
    min_sensitivity: given.MinSensitivityOption = 0.0
    min_specificity: given.MinSpecificityOption = 0.0

    def settings_for(self, table: "Table") -> "Settings":
        """Return them as settings for a table with its target."""
        from nri.induce.knowledge import Knowledge

        return replace(
            self.settings(table.names),
            require=texts.split_names(self.require, table.names) or (),
            min_precision=self.min_precision,
            binarize=self.binarize,  # type: ignore[arg-type]  # the binarizer refuses unknown modes
            costs=texts.costs_of(self.cost, () if table.measured is not None else table.classes),
            knowledge=Knowledge(
                keep=None if self.keep is None else read_rule(self.keep),
                forbid=tuple(self.forbid or ()),
                cuts={
                    name: texts.numbers_of(text, "--cuts")
                    for name, text in texts.split_assignments(self.cuts, "--cuts").items()
                },
                monotone=texts.split_assignments(self.monotone, "--monotone"),
            ),
        )

    @property
    def floors(self) -> "Floors":
        """What must be reached on new rows."""
        from nri.induce.floors import Floors

        return Floors(self.min_sensitivity, self.min_specificity)


@spread
def induce(
    file: FileArgument,
    reading: Reading,
    wishes: Wishes,
    written: Form,
    size: Size,
    time: given.TimeOption = None,
    event: given.EventOption = None,
    dialect: given.DialectOption = None,
    html: given.HtmlOption = None,
    clinical: given.ClinicalOption = False,
    cv: given.CvOption = False,
    prevalence: given.PrevalenceOption = None,
    protect: given.ProtectOption = None,
    random_state: given.SeedOption = 0,
    quiet: QuietOption = False,
) -> None:
    """Induce a rule that explains a column of a table, and print it.

    With --out the rule goes to a file (RULE.json is what the other commands read) and is shown as text too.
    """
    mute_notes(quiet)
    check_outputs({"--out": written.out, "--html": html}, {"the table": file})
    form = written.chosen("sql" if dialect is not None else None)
    if dialect is not None and form != "sql":
        raise InputError(f"--dialect is for --format sql, not for {form}; drop it, or add that")
    if prevalence is not None and not (cv or html):
        raise InputError("--prevalence is about estimates on new rows; add --cv or --html")
    if prevalence is not None and not 0 < prevalence < 1:
        raise InputError(f"--prevalence is a share between 0 and 1, not {prevalence:g}; 5 % is 0.05")
    output = Output(form, written.out, html, quiet, clinical, file, dialect, prevalence, tuple(protect or ()))
    if time is not None or event is not None:
        from nri.cli.induce_segments import induce_and_show_survival, read_followed

        _check_classes(wishes)
        rows = read_followed(file, reading, size, time, event, quiet=quiet)
        rows.table.require(output.protect)
        settings = wishes.settings_for(rows.scored)
        return induce_and_show_survival(rows, settings, output, cv=cv, seed=random_state)
    from nri.cli.large import induce_in_place, rows_for_memory

    if induce_in_place(file, reading, wishes, size, output, cv=cv, seed=random_state):
        return
    source = rows_for_memory(file, reading, size, quiet=quiet)
    with waiting(f"reading {file}", quiet=quiet):  # the imports take their time too
        table, remark = reading.labelled(source, numbers=True)
    del source  # its cells are twice in memory else
    table.require(output.protect)
    settings = wishes.settings_for(table)
    tell(remark, quiet=quiet)
    if table.measured is not None:
        from nri.cli.induce_segments import induce_and_show_number

        _check_classes(wishes)
        return induce_and_show_number(table, settings, output, cv=cv, seed=random_state)
    induce_and_show(table, settings, output, cv=cv, seed=random_state, floors=wishes.floors)


def _check_classes(wishes: Wishes) -> None:
    """Refuse what makes no sense of a number."""
    if wishes.floors:
        raise InputError("--min-sensitivity and --min-specificity are about a class, not about a number")
    if wishes.stable:
        raise InputError("--stable is for rules about classes, not about a number; drop it")


def induce_and_show(
    table: "Table",
    settings: "Settings",
    output: Output,
    *,
    cv: bool,
    seed: int,
    floors: "Floors | None" = None,
) -> None:
    """Induce, estimate the accuracy, and write the rule where it is wanted."""
    import numpy as np

    floored, held = None, None
    if floors:
        floored, held = _with_floors(table, settings, floors, seed=seed, quiet=output.quiet)
        settings = replace(settings, tilt=floored.tilt)
    from nri.induce.costs import mean_cost
    from nri.induce.path import induce_rules
    from nri.induce.price import price_of_knowledge
    from nri.induce.resample import FOLDS, cores, hold_out
    from nri.rule.render.options import settled
    from nri.table.usable import describe_left_out

    with waiting("looking for a rule", quiet=output.quiet):
        found = induce_rules(table, settings, rng=np.random.default_rng(seed))
    tell(describe_left_out(found.left_out, named_in="--columns"), quiet=output.quiet)
    if found.searched is not None:
        told = f"searched {found.searched} of {len(table)} rows; choices, cuts and counts are by all rows"
        tell(told, quiet=output.quiet)
    if found.searched_columns is not None:
        told = f"searched the {found.searched_columns} of {len(table.names)} columns that tell most alone"
        tell(f"{told}; name others in --require", quiet=output.quiet)
    price = price_of_knowledge(table, settings, found.ruleset, rng=np.random.default_rng(seed))
    tell("" if price is None else str(price), quiet=output.quiet)
    weighted = "weighted, " if found.ruleset.weighted else ""
    cost = mean_cost(table, found.ruleset.predict_index(table), settings.costs)
    paid = "" if cost is None else f", cost {cost.mean:.2f} a row"
    note = Estimate(f"rule: accuracy {_seen(found, table).mean:.2f}{paid} ({weighted}on these rows)")
    if cv and held is None:
        with waiting("cross-validating", steps=FOLDS, quiet=output.quiet) as step:
            held = hold_out(table, settings, rng=np.random.default_rng(seed), jobs=cores(), step=step)
    if held is not None:
        note = _cross_validated(found.ruleset, held, settings, output.prevalence, floored)
    if not settled(found.ruleset).decisions:
        tell("no rule pays for itself on these rows: give more rows, or other columns", quiet=output.quiet)
    elif note.doubt:
        tell(note.doubt, quiet=output.quiet)
    else:
        tell(_leak(found, table), quiet=output.quiet)
    write_rule(found.ruleset, note, output)
    if settings.stable and settled(found.ruleset).decisions:
        tell_steadiness(table, found.ruleset, settings, seed=seed, quiet=output.quiet)
    tell_groups(found, table, output)
    write_report(found, table, settings, output, seed=seed, held=held, floored=floored)


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


def _with_floors(
    table: "Table", settings: "Settings", floors: "Floors", *, seed: int, quiet: bool
) -> "tuple[Floored, HeldOut]":
    import numpy as np

    from nri.induce.floors import meet_floors, most_steps

    with waiting("cross-validating until the floor is met", steps=most_steps(), quiet=quiet) as step:
        floored, held = meet_floors(table, settings, floors, rng=np.random.default_rng(seed), step=step)
    tell(str(floored), quiet=quiet and floored.met)  # whoever asks for a floor must hear that it is not kept
    return floored, held


def _cross_validated(
    ruleset: "RuleSet",
    held: "HeldOut",
    settings: "Settings",
    prevalence: float | None,
    floored: "Floored | None",
) -> Estimate:
    from nri.cli.diagnostics import as_data
    from nri.induce.estimates import guess_of

    table, cost = held.table, held.cost(settings.costs)
    if cost is not None:
        doubt, paid = cost.doubt, f", cost {cost} a row"
    else:
        doubt, paid = guess_of(table.classes, table.by_class.tolist()).doubt(held.accuracy), ""
    measures = held.diagnostics([rule.label for rule in ruleset.rules], prevalence)
    weighted = "weighted, " if ruleset.weighted else ""
    return Estimate(
        f"rule: accuracy {held.accuracy}{paid} ({weighted}cross-validated)",
        "" if settings.tilt != 1.0 else doubt,  # a floor is worth what it costs to whoever asked for it
        measures,
        as_data(held.accuracy, measures, cost) | ({} if floored is None else {"floors": floored.data}),
    )


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
        from nri.induce.settings import Settings

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
