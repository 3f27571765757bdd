"""The options of the commands: records of those that belong together, and what typer is told of each.

A command takes a record (:class:`Reading`), and its command line every field of it; see
:func:`nri.cli.app.spread`. Their names and help stand in ``options.toml``. Rules and settings may come from
files that options name.
"""

import os
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nri.errors import InputError, UnknownColumnError, nearest

if TYPE_CHECKING:
    from nri.induce.settings import Settings
    from nri.rule import Label, Rule
    from nri.table.codes import ReadOptions

Text = str | None
Texts = list[str] | None
File = Path | None

_DECLARED = tomllib.loads(Path(__file__).with_name("options.toml").read_text(encoding="utf-8"))
RARE = frozenset(_DECLARED["rare"])
"""Options that the help of a long command lists with --help-all only."""


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
    words, more = names.split(), dict(bounds or {})
    if not words[0].startswith("-"):
        return typer.Argument(metavar=names, help=about, **more)
    metavar = None if words[-1].startswith("-") else words.pop()
    if panel is not None:
        more |= {"rich_help_panel": panel, "show_default": False}
    return typer.Option(*words, metavar=metavar or (" " if panel else None), help=about, **more)


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
    """The shape of a rule, for every command that induces one, by the names of :class:`nri.Settings`.

    What is None is left to --config.
    """

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
    min_sensitivity: float = 0.0
    min_specificity: float = 0.0


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


def read_rule(path: Path) -> "Rule":
    """Read a rule file; if there is none, say how one is made."""
    from nri.api import read_rule as read
    from nri.errors import similar_files

    if not os.path.exists(path) and not similar_files(path):
        how = "nri induce FILE --target COLUMN --out RULE.json"
        raise InputError(f"no rule file {path}; make one with: {how}")
    return read(path)


def read_settings(path: Path, classes: "Sequence[Label]" = ()) -> "Settings":
    """Read settings from a TOML file: the fields of :class:`nri.Settings`, and a table ``[knowledge]``."""
    from nri.induce.settings import Knowledge, Settings

    data = {key: value for key, value in _read_toml(path).items() if key not in _OF_CELLS}
    _check_keys(path, data, Settings)
    known = data.pop("knowledge", {})
    if not isinstance(known, dict):
        raise InputError(f"{path}: knowledge is {known!r}; write a table, [knowledge]")
    _check_keys(path, known, Knowledge, "knowledge.")
    if "keep" in known:
        if not isinstance(known["keep"], str):
            raise InputError(f"{path}: knowledge.keep is {known['keep']!r}; name a rule file")
        known["keep"] = read_rule(path.parent / known["keep"])
    if isinstance(data.get("costs"), dict):
        data["costs"] = _by_class(data["costs"], classes)
    try:
        return Settings(**data, knowledge=Knowledge(**known))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


_OF_CELLS = ("missing", "labels")
"""Keys of a settings file that say how cells are read."""


def read_options(
    reading: Reading, config: File, names: Sequence[str], explained: Sequence[str]
) -> "ReadOptions":
    """Return how the cells of some columns are read; the command line adds to the file of --config."""
    from nri.table import codes

    data = {} if config is None else _read_toml(config)
    stated = codes.read_options(data.get("missing"), data.get("labels"))
    return codes.ReadOptions(
        exact=reading.exact_text,
        missing={**stated.missing, **parse_missing(reading.missing or (), names)},
        labels={**stated.labels, **parse_labels(reading.labels or (), names)},
        outcome=explained,
    )


def parse_missing(texts: Collection[str], names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return missing cells by column from texts of a command line.

    >>> parse_missing(["-999,unknown", "sbp=-1,-2", "age="], ["sbp", "age"])
    {'': ('-999', 'unknown'), 'sbp': ('-1', '-2'), 'age': ()}
    """
    from nri.table.cells import as_code

    missing: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, sign, cells = text.partition("=")
        if not sign:
            name, cells = "", text
        elif name.strip() not in names:
            raise UnknownColumnError(name.strip(), tuple(names), where="--missing")
        codes = [as_code(cell) for cell in cells.split(",") if cell.strip()]
        missing[name.strip()] = (*missing.get(name.strip(), ()), *codes)
    return missing


def parse_labels(texts: Collection[str], names: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the words that codes stand for from texts of a command line.

    >>> parse_labels(["outcome:1=no,2=yes"], ["outcome"])
    {'outcome': {'1': 'no', '2': 'yes'}}
    """
    from nri.table.cells import as_code

    labels: dict[str, dict[str, str]] = {}
    for text in texts:
        name, _, pairs = text.rpartition(":")
        split = [pair.partition("=") for pair in pairs.split(",")]
        if not name or not all(code.strip() and word.strip() for code, _, word in split):
            raise InputError(f"--labels {text!r} is no COLUMN:CODE=LABEL; write e.g. outcome:1=no,2=yes")
        if name not in names:
            raise UnknownColumnError(name, tuple(names), where="--labels")
        labels.setdefault(name, {}).update({as_code(code): word.strip() for code, _, word in split})
    return labels


def _read_toml(path: Path) -> dict[str, Any]:
    from nri.errors import similar_files

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"no settings file {path}{similar_files(path)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not valid TOML: {error}") from None
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({cause}); check its name and permissions") from None


def _check_keys(path: Path, data: Mapping[str, Any], record: Any, prefix: str = "") -> None:
    """Refuse a key that the record does not have, and name the nearest one."""
    keys = [field.name for field in fields(record)]
    for key in data:
        if key not in keys:
            place = "[knowledge]" if prefix else "the settings"
            raise InputError(f"{path}: unknown key {prefix + key!r}{nearest(key, keys, place)}")


def parse_costs(texts: list[str], classes: "Sequence[Label]") -> "dict[Label, float]":
    """Return costs from texts such as ``yes=5``.

    >>> parse_costs(["yes=5"], ("no", "yes"))
    {'yes': 5.0}
    """
    costs: dict[str, float] = {}
    for text in texts:
        label, _, written = text.rpartition("=")
        try:
            costs[label] = float(written)
        except ValueError:
            raise InputError(f"--cost {text!r} is no CLASS=COST; write e.g. --cost yes=5") from None
    return _by_class(costs, classes)


def _by_class(costs: Mapping[str, float], classes: "Sequence[Label]") -> "dict[Label, float]":
    """Return costs by the labels that a person's words name."""
    from nri.table.target import class_index

    if not classes:
        raise InputError("a cost is of an error on a class, but the target has no classes; drop the cost")
    return {classes[class_index(classes, label)]: cost for label, cost in costs.items()}
