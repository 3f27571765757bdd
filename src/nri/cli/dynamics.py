"""``nri dynamics``: transitions in, a rule for each variable out; and what follows from them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli import options as given
from nri.cli.console import emit, mute_notes, show_rule, tell, waiting
from nri.cli.files import check_outputs, write_text
from nri.cli.options import OutOption, QuietOption
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.dynamics.attractors import Attractors
    from nri.dynamics.system import Dynamics, State

_READ = "How transitions are read"
_ASK = "What to ask of the system"

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A table of transitions; - is standard input. Or a system: a .json or .bnet file.",
    ),
]
NextOption = Annotated[
    str | None,
    typer.Option("--next", metavar="FILE", help="Next states, row by row.", rich_help_panel=_READ),
]
SuffixOption = Annotated[
    str, typer.Option(metavar="TEXT", help="Ending of columns with next values.", rich_help_panel=_READ)
]
TimeOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="For time series: the time.", rich_help_panel=_READ)
]
SeriesOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Tells several series apart.", rich_help_panel=_READ)
]
GapsOption = Annotated[
    bool, typer.Option("--skip-gaps", help="Take series apart at gaps in time.", rich_help_panel=_READ)
]
AsynchronousOption = Annotated[
    bool,
    typer.Option("--asynchronous", help="Variables may also stay as they are.", rich_help_panel=_READ),
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES", help="No part of a state, commas between; repeatable.", rich_help_panel=_READ
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="fewest (regulators; default), seeded, greedy, paper, paper-tuned."),
]
FormOption = Annotated[
    str | None,
    typer.Option("--format", "-f", metavar="NAME", help="text, json, bnet, prolog, asp, sbml or svg."),
]
HtmlOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write a report to open in a browser.")
]
KnockOutOption = Annotated[
    list[str] | None,
    typer.Option(metavar="X=0", help="Hold a variable at a value; repeatable.", rich_help_panel=_ASK),
]
AttractorsOption = Annotated[
    bool, typer.Option("--attractors", help="Fixed points and cycles.", rich_help_panel=_ASK)
]
LengthOption = Annotated[
    int,
    typer.Option(min=1, help="Longest cycle to look for in a large system.", rich_help_panel=_ASK),
]
SimulateOption = Annotated[
    str | None,
    typer.Option(metavar="STATE", help='Go on from a state: "a=1, b=0", the others 0.', rich_help_panel=_ASK),
]
StepsOption = Annotated[
    int | None,
    typer.Option(min=1, help="Steps; by default until a state recurs.", rich_help_panel=_ASK),
]
CompareOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Another system (.json or .bnet) to compare with.", rich_help_panel=_ASK
    ),
]


def dynamics(
    file: TableArgument,
    next_file: NextOption = None,
    next_suffix: SuffixOption = "'",
    time: TimeOption = None,
    series: SeriesOption = None,
    skip_gaps: GapsOption = False,
    asynchronous: AsynchronousOption = False,
    without: WithoutOption = None,
    exact_text: given.ExactOption = False,
    model: ModelOption = None,
    random_state: given.SeedOption = 0,
    form: FormOption = None,
    out: OutOption = None,
    html: HtmlOption = None,
    knock_out: KnockOutOption = None,
    attractors: AttractorsOption = False,
    max_length: LengthOption = 4,
    simulate: SimulateOption = None,
    steps: StepsOption = None,
    compare: CompareOption = None,
    quiet: QuietOption = False,
) -> None:
    """Learn how a system moves: a rule for the next value of each variable.

    The table has columns x (now) and x' (next), or is a time series (--time). With --out the system goes to
    a file, by its ending (.json is what this command reads back, .bnet, .pl, .lp, .sbml, .svg).
    """
    mute_notes(quiet)
    inputs = {"the table": file, "the table of next states": next_file, "the other system": compare}
    check_outputs({"--out": out, "--html": html}, inputs)
    form = _format(form, out)
    with waiting(f"reading {file}", quiet=quiet):  # the imports take their time too
        from nri.dynamics.files import SUFFIXES, read_dynamics
        from nri.dynamics.learn import DEFAULT, learn_dynamics

    kept = Path(file).suffix.lower() in SUFFIXES
    if kept:
        _refuse_reading(next_file, time, series, model)
        system = read_dynamics(file)
    else:
        import numpy as np

        with waiting("looking for regulators", quiet=quiet):
            system = learn_dynamics(
                file,
                next_file,
                next_suffix=next_suffix,
                time=time,
                series=series,
                skip_gaps=skip_gaps,
                without=_names(without),
                asynchronous=asynchronous,
                model=model or DEFAULT,
                exact_text=exact_text,
                rng=np.random.default_rng(random_state),
            )
    system = system.with_fixed(_values(knock_out))
    answers = []  # before anything is printed, so that a mistake in a question is told alone
    if attractors:
        answers.append(_attractors(system, system.attractors(max_length)))
    if simulate is not None:
        answers.append(_states(system, system.simulate(simulate, steps)))
    if compare is not None:
        answers.append(_comparison(system, read_dynamics(compare), compare.name))
    only_answers = kept and bool(answers) and form is None and out is None
    if not only_answers:  # whoever asks something of a kept system knows its rules
        _write(system, form, out, quiet=quiet)
    if html is not None:
        _write_report(system, html, None if file == "-" else Path(file).name, quiet=quiet)
    if answers:
        emit(("" if only_answers else "\n") + "\n\n".join(answers))


def _format(named: str | None, out: Path | None) -> str | None:
    """Return the format asked for by name or by the ending of the output's name."""
    from nri.dynamics.render import FORMATS
    from nri.rule.render.endings import format_by_ending

    if named is not None:
        if named.lower() not in FORMATS:
            raise InputError(f"no format {named!r} for a system; use one of {', '.join(FORMATS)}")
        return named.lower()
    return None if out is None else format_by_ending(out, FORMATS.values())


def _refuse_reading(*asked: str | None) -> None:
    if any(one is not None for one in asked):
        raise InputError(
            "the file is a system already, so nothing is learned from it; leave out --next, --time, --series "
            "and --model, or give a table"
        )


def _names(texts: list[str] | None) -> list[str]:
    return [part.strip() for text in texts or () for part in text.split(",") if part.strip()]


def _values(texts: list[str] | None) -> dict[str, str]:
    found = {}
    for part in _names(texts):
        name, sign, value = part.rpartition("=")
        if not sign or not name:
            raise InputError(f"--knock-out {part}: say the value too, e.g. {part.strip('=') or 'x'}=0")
        found[name.strip()] = value.strip()
    return found


def _write(system: "Dynamics", form: str | None, out: Path | None, *, quiet: bool) -> None:
    if out is not None:
        write_text(out, system.render(form or "text"))
        tell(f"wrote {out}", quiet=quiet)
    if out is None and form not in (None, "text"):
        emit(system.render(form or "text"))
    elif out is None or not quiet:
        show_rule(system.render("text"))


def _write_report(system: "Dynamics", html: Path, source: str | None, *, quiet: bool) -> None:
    from nri.report.dynamics import render_dynamics_report

    with waiting("writing the report", quiet=quiet):
        write_text(html, render_dynamics_report(system, source))
    tell(f"wrote {html}", quiet=quiet)


def _attractors(system: "Dynamics", found: "Attractors") -> str:
    """Write fixed points, then cycles, each with the share of states that lead there."""
    n_fixed, more = len(found.fixed_points), "" if found.is_all else " or more"
    shares = None if found.basins is None else [f"{100 * share:.3g} %" for share in found.basins]
    lines = [f"fixed points: {n_fixed}{more}"]
    if found.fixed_points:
        numbers = [str(i + 1) for i in range(n_fixed)]
        beside = ("#", numbers) if shares is None else ("from", shares[:n_fixed])
        lines.append(_states(system, found.fixed_points, beside))
    up_to = "" if found.longest is None else f" of at most {found.longest} states"
    lines.append(f"cycles{up_to}: {len(found.cycles)}{more}")
    for i, cycle in enumerate(found.cycles):
        share = "" if shares is None else f", where {shares[n_fixed + i]} of the states lead"
        lines += [f"a cycle of {len(cycle)} states{share}", _states(system, cycle)]
    return "\n".join(lines)


def _states(
    system: "Dynamics", states: "Sequence[State]", beside: tuple[str, Sequence[str]] | None = None
) -> str:
    """Write states as a table, a column for each variable; beside them their time, or what is given."""
    from nri.cli.console import text_table

    title, marks = beside or ("t", [str(i) for i in range(len(states))])
    rows = [
        (mark, *(one.written(state[one.name]) for one in system.variables))
        for mark, state in zip(marks, states, strict=True)
    ]
    return text_table([(title, *system.names), *rows])


def _comparison(system: "Dynamics", other: "Dynamics", name: str) -> str:
    """Write in what a system differs from another one, of that name."""
    found = other.compare(system)
    if found.equal:
        return "both systems move alike in every state"
    variables = {one.name: one for one in (*other.variables, *system.variables)}
    lines = [f"{len(found.same)} variables move alike, {len(found.different)} differently"]
    for one in found.different:
        at = ", ".join(f"{name}={variables[name].written(value)}" for name, value in one.example.items())
        there, here = (variables[one.name].written(value) for value in (one.old, one.new))
        where = f"where {at}" if at else "in every state"
        lines.append(f"  {one.name}: {where}, {here} comes next, and {there} in {name}")
    for words, names in ((f"only in {name}", found.only_old), ("not there", found.only_new)):
        if names:
            lines.append(f"  {words}: {', '.join(names)}")
    for words, influences in (
        (f"only in {name}", found.influences_dropped),
        ("not there", found.influences_added),
    ):
        lines += [f"  {words}: {one.source} {one.effect} {one.target}" for one in influences]
    return "\n".join(lines)
