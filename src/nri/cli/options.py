"""The options of the commands, in records: a command line takes every field (:func:`nri.cli.app.spread`).

Their names and help stand in ``options.toml``.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

Text = str | None
Texts = list[str] | None
File = Path | None

_DECLARED = tomllib.loads(Path(__file__).with_name("options.toml").read_text(encoding="utf-8"))
RARE = frozenset(_DECLARED["rare"])  # Options that the help of a long command lists with --help-all only.


def declared(command: str, name: str) -> Any:
    """Return the argument or option that sets a parameter of a command, as typer takes it."""
    own = _DECLARED["arguments"] | _DECLARED.get(command, {})
    if name in own:
        return _parameter(*own[name])
    panel, entries = next((title, some) for title, some in _DECLARED["panels"].items() if name in some)
    return _parameter(*entries[name], panel=panel)


def _parameter(
    names: str, about: str, bounds: Mapping[str, Any] | None = None, *, panel: str | None = None
) -> Any:
    """Return an option by its names and what its value is called; a flag has none, an argument only that."""
    parts, more = names.split(), dict(bounds or {})
    if not parts[0].startswith("-"):
        return typer.Argument(metavar=names, help=about, **more)
    metavar = None if parts[-1].startswith("-") else parts.pop()
    if panel is not None:
        more |= {"rich_help_panel": panel, "show_default": False}
    return typer.Option(*parts, metavar=metavar or (" " if panel else None), help=about, **more)


@dataclass(frozen=True)
class Reading:
    """What is explained, and how cells are read."""

    target: Text = None
    positive: Text = None
    time: Text = None
    event: Text = None
    weights: Text = None
    groups: Text = None
    time_order: Text = None
    exact_text: bool = False
    missing: Texts = None
    labels: Texts = None


@dataclass(frozen=True)
class RuleOptions:
    """The shape of a rule, by the names of :class:`nri.Settings`; what is None is left to --config."""

    use: Texts = None
    never: Texts = None
    max_clauses: int | None = None
    max_branches: int | None = None
    max_literals: int | None = None
    stable: bool | None = None
    model: Text = None
    config: File = None


@dataclass(frozen=True)
class InduceOptions(RuleOptions):
    """The options of ``nri induce`` beyond those."""

    keep: File = None
    costs: Texts = None
    ordered: Text = None
    min_sensitivity: float = 0.0
    min_specificity: float = 0.0
    points: bool = False


@dataclass(frozen=True)
class Scoring:
    """What ``nri induce`` shows beside the rule."""

    cv: bool = False
    prevalence: float | None = None
    protect: Texts = None
    html: File = None
    clinical: bool = False
    random_state: int = 0


@dataclass(frozen=True)
class OutputOptions:
    """Where a rule goes, and in which format."""

    form: Text = None
    out: File = None
    dialect: Text = None
    quiet: bool = False


@dataclass(frozen=True)
class FileOptions:
    """Where in a workbook the table is."""

    sheet: Text = None
    header: int | None = None


@dataclass(frozen=True)
class StreamOptions(FileOptions):
    """How the rows of a table go through a rule."""

    streaming: str = "auto"


@dataclass(frozen=True)
class RowOptions(FileOptions):
    """Where the rows of a large table stay, and how many of them are searched."""

    engine: str = "auto"
    sample: int | None = None
    table: Text = None
    query: Text = None
    memory: Text = None
