"""The common shape of an experiment: options in, jobs; rows in, a table and figures."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nri import InputError
from nri_bench.methods import Method, choose_methods
from nri_bench.protocols import check_protocol
from nri_bench.run import Job, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Options:
    """What the caller of an experiment may choose; None means the experiment's own choice."""

    methods: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None
    quick: bool = False
    """a small version that ends within two minutes and still draws every figure"""
    sets: tuple[str, ...] | None = None
    protocols: tuple[str, ...] | None = None
    data_dir: Path | None = None
    csv: Path | None = None
    target: str | None = None
    download: bool = True
    half: str | None = None
    """of the wide suite: choosing, confirming or all"""
    sizes: tuple[int, ...] | None = None
    """numbers of support rows, of the wide suite"""
    draws: int | None = None
    """how many draws, of the wide suite"""
    timed: bool = False
    """whether seconds are to be published, so that a fit deserves a warm-up"""


@dataclass(frozen=True)
class Experiment:
    """One command of ``nri bench``: how its rows are made, and what is made of its rows."""

    name: str
    about: str
    """one line for the command's help"""
    jobs: Callable[[Options], list[Job]]
    table: Callable[[Sequence[Row]], str]
    """Markdown"""
    figures: Callable[[Sequence[Row]], Mapping[str, Figure]]
    """by file name without ending"""
    rows_file: Callable[[Row], str] | None = None
    """which file a row belongs in, if not in ``NAME.jsonl``"""
    texts: Callable[[Sequence[Row]], Mapping[str, str]] | None = None
    """further files to write, by name, e.g. a table in LaTeX"""
    takes: tuple[str, ...] = ()
    """which of the options that :data:`_FLAGS` lists have a meaning for it"""


ON_DATA = ("sets", "csv", "protocols")
"""What an experiment on data sets lets its caller choose."""
_FLAGS = {
    "sets": "--sets",
    "csv": "--csv",
    "protocols": "--protocol",
    "half": "--half",
    "sizes": "--n",
    "draws": "--draws",
}


def check_options(experiment: Experiment, options: Options) -> None:
    """Refuse options that would be ignored, before anything is loaded or run."""
    for name, flag in _FLAGS.items():
        if getattr(options, name) is not None and name not in experiment.takes:
            why = _why_not(experiment, name)
            raise InputError(
                f"{flag}: the experiment {experiment.name!r} does not take it, {why}; leave it out"
            )
    if options.csv is not None and options.sets is not None:
        raise InputError("--csv and --sets: both say what to run on; leave one of them out")
    if options.target is not None and options.csv is None:
        raise InputError(f"--target {options.target}: names a column of your own file; add --csv FILE")
    for protocol in options.protocols or ():
        check_protocol(protocol)


def _why_not(experiment: Experiment, option: str) -> str:
    if option in ("half", "sizes", "draws"):
        return "it is for the wide suite"
    return "its protocol is fixed" if experiment.takes else "it makes its own tables"


def chosen_methods(options: Options, default: Sequence[str], quick: Sequence[str]) -> list[Method]:
    """Return the methods asked for, or the experiment's own, shorter when quick."""
    return choose_methods(options.methods or (quick if options.quick else default))


_SOLVERS = {"exact": "scipy"}
"""The distribution that does a method's work, where it is neither scikit-learn nor among its packages."""


def method_facts(method: Method) -> dict[str, str]:
    """Return what is known of a method before it runs: the versions behind it."""
    versions = {"python": platform.python_version(), **method.versions()}
    if method.name in _SOLVERS:
        versions[_SOLVERS[method.name]] = importlib.metadata.version(_SOLVERS[method.name])
    return {"versions": " ".join(f"{name} {version}" for name, version in versions.items())}
