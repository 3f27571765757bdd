"""``nri dynamics``: learn a rule for each variable from transitions, and ask what follows from the rules.

The command line of nri finds it by its entry point and prints its errors.
"""

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

from nri.errors import InputError
from nri.table import atomic_file
from nri_dynamics.attractors import Attractors
from nri_dynamics.formats import READABLE, check_format, format_of_file, read_dynamics
from nri_dynamics.learn import DEFAULT, learn_dynamics
from nri_dynamics.report import render_report
from nri_dynamics.system import Dynamics, State
from nri_dynamics.wording import text_table

dynamics_app = typer.Typer(name="dynamics", pretty_exceptions_enable=False, add_completion=False)

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
    str | None, typer.Option(metavar="COLUMN", help="Separates several series.", rich_help_panel=_READ)
]
GapsOption = Annotated[
    bool, typer.Option("--skip-gaps", help="Split series at gaps in time.", rich_help_panel=_READ)
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
ExactOption = Annotated[
    bool,
    typer.Option("--exact-text", help="Keep texts apart that differ only in case or blanks, as yes and YES."),
]
SeedOption = Annotated[int, typer.Option("--random-state", min=0, help="Seed of models with chance in them.")]
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to a file, whole or not at all.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result and errors.")]
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


@dynamics_app.command(no_args_is_help=True)
def dynamics(
    file: TableArgument,
    next_file: NextOption = None,
    next_suffix: SuffixOption = "'",
    time: TimeOption = None,
    series: SeriesOption = None,
    skip_gaps: GapsOption = False,
    asynchronous: AsynchronousOption = False,
    without: WithoutOption = None,
    exact_text: ExactOption = False,
    model: ModelOption = None,
    random_state: SeedOption = 0,
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
    if quiet:
        for handler in logging.getLogger("nri").handlers:
            handler.setLevel(logging.ERROR)
    _check_outputs(
        {"--out": out, "--html": html},
        {"the table": file, "the table of next states": next_file, "the other system": compare},
    )
    if form is not None:
        form = check_format(form)
    elif out is not None:
        form = format_of_file(out)
    is_system = Path(file).suffix.lower() in READABLE
    if is_system:
        _refuse_reading(next_file, time, series, model)
        system = read_dynamics(file)
    else:
        with Console(stderr=True, quiet=quiet or not sys.stderr.isatty()).status(f"learning from {file}"):
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
    answers = []  # computed before anything is printed, so that a mistake is the only output
    if attractors:
        answers.append(_attractors(system, system.attractors(max_length)))
    if simulate is not None:
        answers.append(_states(system, system.simulate(simulate, steps)))
    if compare is not None:
        answers.append(_comparison(system, read_dynamics(compare), compare.name))
    only_answers = is_system and bool(answers) and form is None and out is None
    if out is not None:
        _write_file(out, system.render(form or "text"), quiet=quiet)
    if out is None and form not in (None, "text"):
        typer.echo(system.render(form or "text"), nl=False)
    elif not only_answers and (out is None or not quiet):
        _show(system.render("text"))
    if html is not None:
        _write_file(html, render_report(system, None if file == "-" else Path(file).name), quiet=quiet)
    if answers:
        typer.echo(("" if only_answers else "\n") + "\n\n".join(answers))


class _Highlighter(RegexHighlighter):
    """Marks the words and numbers of rules."""

    base_style = "rule."
    highlights = [  # noqa: RUF012  # the base class declares it so
        r"(?P<word>\b(IF|OR|AND|NOT|ELSE|ALWAYS|NEVER)\b)",
        r"(?P<number>probability (\d\.\d\d|-) +seen \d+ of \d+)",
    ]


def _show(text: str) -> None:
    """Print rules: in colour on a terminal, as plain text anywhere else."""
    if not sys.stdout.isatty():
        typer.echo(text, nl=False)
        return
    theme = Theme({"rule.word": "bold cyan", "rule.number": "dim"})
    console = Console(theme=theme, highlighter=_Highlighter(), soft_wrap=True, emoji=False, markup=False)
    console.print(text, end="")


def _check_outputs(outputs: Mapping[str, Path | None], inputs: Mapping[str, str | Path | None]) -> None:
    """Refuse before the work begins what could not be written in the end, or would destroy an input."""
    paths = {option: path for option, path in outputs.items() if path is not None}
    for option, path in paths.items():
        _check_writable(path)
        for name, source in inputs.items():
            is_read = source is not None and source != "-" and os.path.exists(source)
            if is_read and path.is_file() and os.path.samefile(path, str(source)):
                raise InputError(f"{option} {path} is {name} itself; choose another name")
    if len({path.resolve() for path in paths.values()}) < len(paths):
        raise InputError(f"{' and '.join(paths)} are both {next(iter(paths.values()))}; choose two names")


def _check_writable(path: Path) -> None:
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be written ({cause}); choose another name") from None
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file to write to")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to write {path.name} to; make it first")
    if not os.access(path if exists else path.parent, os.W_OK):
        raise InputError(f"{path} cannot be written (permission denied); choose another place")


def _write_file(path: Path, text: str, *, quiet: bool) -> None:
    with atomic_file(path) as file:
        file.write(text if text.endswith("\n") else text + "\n")
    if not quiet:
        typer.echo(f"wrote {path}", err=True)


def _refuse_reading(*options: str | None) -> None:
    if any(one is not None for one in options):
        raise InputError(
            "the file is a system already, so nothing is learned from it; leave out --next, --time, --series "
            "and --model, or give a table"
        )


def _names(texts: list[str] | None) -> list[str]:
    return [part.strip() for text in texts or () for part in text.split(",") if part.strip()]


def _values(texts: list[str] | None) -> dict[str, str]:
    values = {}
    for part in _names(texts):
        name, sign, value = part.rpartition("=")
        if not sign or not name:
            raise InputError(f"--knock-out {part}: give the value too, e.g. {part.strip('=') or 'x'}=0")
        values[name.strip()] = value.strip()
    return values


def _attractors(system: Dynamics, attractors: Attractors) -> str:
    """Write fixed points, then cycles, each with the share of states that lead there."""
    n_fixed, more = len(attractors.fixed_points), "" if attractors.is_all else " or more"
    shares = None if attractors.basins is None else [f"{100 * share:.3g} %" for share in attractors.basins]
    lines = [f"fixed points: {n_fixed}{more}"]
    if attractors.fixed_points:
        numbers = [str(i + 1) for i in range(n_fixed)]
        beside = ("#", numbers) if shares is None else ("from", shares[:n_fixed])
        lines.append(_states(system, attractors.fixed_points, beside))
    up_to = "" if attractors.longest is None else f" of at most {attractors.longest} states"
    lines.append(f"cycles{up_to}: {len(attractors.cycles)}{more}")
    for i, cycle in enumerate(attractors.cycles):
        share = "" if shares is None else f", where {shares[n_fixed + i]} of the states lead"
        lines += [f"a cycle of {len(cycle)} states{share}", _states(system, cycle)]
    return "\n".join(lines)


def _states(
    system: Dynamics, states: Sequence[State], beside: tuple[str, Sequence[str]] | None = None
) -> str:
    """Write states as a table, a column for each variable; beside them their time, or a title and marks."""
    title, marks = beside or ("t", [str(i) for i in range(len(states))])
    rows = [
        (mark, *(one.written(state[one.name]) for one in system.variables))
        for mark, state in zip(marks, states, strict=True)
    ]
    return text_table([(title, *system.names), *rows])


def _comparison(system: Dynamics, other: Dynamics, name: str) -> str:
    """Write how a system differs from another one, of that name."""
    comparison = other.compare(system)
    if comparison.equal:
        return "both systems move alike in every state"
    variables = {one.name: one for one in (*other.variables, *system.variables)}
    lines = [f"{len(comparison.same)} variables move alike, {len(comparison.different)} differently"]
    for one in comparison.different:
        at = ", ".join(f"{name}={variables[name].written(value)}" for name, value in one.example.items())
        there, here = (variables[one.name].written(value) for value in (one.old, one.new))
        where = f"where {at}" if at else "in every state"
        lines.append(f"  {one.name}: {where}, {here} comes next, and {there} in {name}")
    for words, names in ((f"only in {name}", comparison.only_old), ("not there", comparison.only_new)):
        if names:
            lines.append(f"  {words}: {', '.join(names)}")
    for words, influences in (
        (f"only in {name}", comparison.influences_dropped),
        ("not there", comparison.influences_added),
    ):
        lines += [f"  {words}: {one.source} {one.effect} {one.target}" for one in influences]
    return "\n".join(lines)
