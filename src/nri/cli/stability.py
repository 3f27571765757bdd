"""``nri stability``: which clauses would other rows have given?"""

from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli import options as given
from nri.cli.console import emit, mute_notes, show_rule, tell, waiting
from nri.cli.options import FileArgument, JsonOption, QuietOption
from nri.cli.records import Limits, Part, Reading, spread

if TYPE_CHECKING:
    from nri.induce.settings import Settings
    from nri.rule import RuleSet
    from nri.table import Table
    from nri.tasks.stability import Stability


FEW_SAMPLES = 10
"""Samples behind the one line that `nri induce --stable` tells."""
SamplesOption = Annotated[int, typer.Option(min=1, help="Bootstrap samples.")]


@spread
def stability(
    file: FileArgument,
    reading: Reading,
    limits: Limits,
    part: Part,
    samples: SamplesOption = 20,
    random_state: given.SeedOption = 0,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Induce rules from bootstrap samples of a table, and tell how far they agree and what comes back.

    Of a large file some rows are taken, and it is about rules from so many rows.
    """
    mute_notes(quiet)

    import numpy as np

    from nri.induce.path import induce_rules
    from nri.rule.render.options import settled
    from nri.tasks.stability import clause_stability

    source = part.open(file, reading.sheet, reading.header, quiet=quiet)
    with waiting(f"reading {file}", quiet=quiet):
        table, remark = reading.labelled(source)
    settings = limits.settings(table.names)
    tell(remark, quiet=quiet)
    with waiting("inducing again and again", steps=samples, quiet=quiet) as step:
        ruleset = settled(induce_rules(table, settings, rng=np.random.default_rng(random_state)).ruleset)
        rng = np.random.default_rng(random_state)  # the samples of the report, so that both tell the same
        found = clause_stability(table, ruleset, settings, rng=rng, samples=samples, step=step)
    if json:
        from nri.cli.record_json import record_json

        emit(record_json(found, ruleset=ruleset))
    else:
        _show(ruleset, found, quiet=quiet)


def tell_steadiness(
    table: "Table", ruleset: "RuleSet", settings: "Settings", *, seed: int, quiet: bool
) -> None:
    """Tell in one line whether other rows would have given the same answers."""
    import numpy as np

    from nri.rule.render.options import settled
    from nri.tasks.stability import clause_stability

    with waiting("inducing again and again", steps=FEW_SAMPLES, quiet=quiet) as step:
        rng = np.random.default_rng(seed)
        found = clause_stability(table, settled(ruleset), settings, rng=rng, samples=FEW_SAMPLES, step=step)
    tell(f"steady: {found}", quiet=quiet)


def _show(ruleset: "RuleSet", found: "Stability", *, quiet: bool) -> None:
    from nri.cli.console import text_table
    from nri.rule import render
    from nri.rule.phrase import phrase_clause, phrase_label

    if not quiet:
        show_rule(render(ruleset, "text"))
        emit("")
    emit(str(found))
    emit("")
    heading = ("clause of the rule", "for", "same words", "same conditions", "rows in common")
    lines = [
        (
            phrase_clause(one.clause),
            phrase_label(one.label),
            f"{one.same_words:.0%}",
            f"{one.same_conditions:.0%}",
            f"{one.overlap:.0%}",
        )
        for one in found.clauses
    ]
    if lines:
        emit(text_table([heading, *lines], left=2))
    others = [one for one in found.recurring if not one.in_rule]
    if others:
        rest = [(phrase_clause(one.clause), phrase_label(one.label), f"{one.share:.0%}") for one in others]
        emit("")
        emit(text_table([("other conditions that samples gave", "for", "samples"), *rest], left=2))
    least, most = min(found.n_clauses), max(found.n_clauses)
    sizes = f"{least} to {most}" if least < most else f"{most}"
    tell(f"rules of samples have {sizes} {'clause' if most == 1 else 'clauses'}", quiet=quiet)
