"""Files that options name: rules, settings, rows that stay where they are, and where results go."""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from glob import iglob
from pathlib import Path
from typing import TYPE_CHECKING

from nri.cli import options as opt
from nri.cli.console import message, progress
from nri.errors import InputError, UnknownColumnError

if TYPE_CHECKING:
    from nri.induce.settings import Settings
    from nri.rows.base import Rows
    from nri.rows.files import Files
    from nri.rule import Label, Rule
    from nri.table import Table
    from nri.table.codes import ReadOptions


SAMPLE = 20_000  # Rows of a large table that are taken by default where they must be in memory.


def read_rule(path: Path) -> "Rule":
    """Read a rule file."""
    from nri.api import read_rule as read

    return read(path)


def read_settings(path: Path, classes: "Sequence[Label]" = ()) -> "Settings":
    """Read settings from a TOML file: the fields of :class:`nri.Settings`, and a table ``[knowledge]``."""
    from nri.induce.settings import Knowledge, Settings
    from nri.train.config import read_toml, refuse_unknown

    read = read_toml(path, "settings", hint="")
    data = {key: value for key, value in read.items() if key not in ("missing", "labels")}  # of cells
    refuse_unknown(Settings, data, str(path))
    known = data.pop("knowledge", {})
    if not isinstance(known, dict):
        raise InputError(f"{path}: knowledge is {known!r}; write a table, [knowledge]")
    refuse_unknown(Knowledge, known, f"{path}: knowledge")
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


def read_options(
    reading: opt.Reading, config: opt.File, names: Sequence[str], explained: Sequence[str]
) -> "ReadOptions":
    """Return how the cells of some columns are read; the command line adds to the file of --config."""
    from nri.table import codes
    from nri.train.config import read_toml

    data = {} if config is None else read_toml(config, "settings", hint="")
    stated = codes.read_options(data.get("missing"), data.get("labels"))
    return codes.ReadOptions(
        exact=reading.exact_text,
        missing={**stated.missing, **parse_missing(reading.missing or (), names)},
        labels={**stated.labels, **parse_labels(reading.labels or (), names)},
        outcome=explained,
    )


def parse_missing(texts: Collection[str], names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return missing cells by column from texts such as ``-999,unknown`` and ``sbp=-1``."""
    from nri.table.cells import as_code

    missing: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for text in texts:
        name, sign, cells = text.partition("=")
        name, cells = (name.strip(), cells) if sign else ("", text)
        if sign and name not in names:
            raise UnknownColumnError(name, tuple(names), where="--missing")
        missing[name] += tuple(as_code(cell) for cell in cells.split(",") if cell.strip())
    return missing


def parse_labels(texts: Collection[str], names: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the words that codes stand for from texts such as ``outcome:1=no,2=yes``."""
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


def parse_costs(texts: list[str], classes: "Sequence[Label]") -> "dict[Label, float]":
    """Return costs from texts such as ``yes=5``."""
    costs: dict[str, float] = {}
    for text in texts:
        label, _, written = text.rpartition("=")
        try:
            costs[label] = float(written)
        except ValueError:
            raise InputError(f"--cost {text!r} is no CLASS=COST; write e.g. --cost yes=5") from None
    return _by_class(costs, classes)


def parse_order(text: str, classes: "Sequence[Label]") -> "tuple[Label, ...]":
    """Return classes from a text such as ``low,middle,high``, in its order."""
    if not classes:
        raise InputError("--ordered lists classes, but the target has no classes; drop it")
    return tuple(_by_class({word.strip(): 1.0 for word in text.split(",")}, classes))


def _by_class(costs: Mapping[str, float], classes: "Sequence[Label]") -> "dict[Label, float]":
    """Return costs by the labels that a person's words name."""
    from nri.table.target import class_index

    if not classes:
        raise InputError("a cost is of an error on a class, but the target has no classes; drop the cost")
    return {classes[class_index(classes, label)]: cost for label, cost in costs.items()}


def rows_in_place(
    file: str,
    files: "Files | None",
    reading: opt.Reading,
    rows: opt.RowOptions,
    options_of: "Callable[[tuple[str, ...]], tuple[str, ReadOptions]]",
) -> "Rows":
    """Open rows that stay in large files, or in a database; the names of columns say how they are read."""
    for option in ("weights", "groups", "time_order"):
        if getattr(reading, option) is not None:
            name = option.replace("_", "-")
            raise InputError(f"--{name} is for tables that are read into memory; add --engine memory")
    from nri.rows.database import open_database
    from nri.rows.engine import Engine
    from nri.rows.files import open_files
    from nri.rows.open import rows_in_engine

    if files is None:
        engine: Engine = open_database(file, rows.table, rows.query, memory=rows.memory)
    else:
        shown = files.paths[0] if not files.many else f"{len(files.paths)} files"
        message(f"{shown}: rows stay where they are, in DuckDB (--engine memory reads them)")
        engine = open_files(files, memory=rows.memory, options=lambda names: options_of(tuple(names))[1])
    try:
        target, options = options_of(tuple(one.name for one in engine.columns))
        outcome = {name: getattr(reading, name) for name in ("positive", "time", "event")}
        large: Rows = rows_in_engine(engine, target or None, **outcome, options=options, size=rows.sample)
    except BaseException:
        engine.close()
        raise
    message(large.remark)
    return large


def in_memory(rows: "Table | Rows", size: int | None) -> "Table":
    """Return the rows of a table, or some of them if they stay where they are."""
    from nri.rows.memory import rows_of
    from nri.table import Table

    if isinstance(rows, Table):
        return rows
    with progress("drawing a sample"):
        table = rows_of(rows.sample(size or SAMPLE), min(size or SAMPLE, int(rows.n_rows)))
    if len(table) < rows.n_rows:
        taken = f"{len(table)} of {rows.n_rows:.10g} rows were taken, by a hash of their cells"
        message(f"{taken} (--sample ROWS for more, --engine memory for all)")
    return table


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all, and say so."""
    from nri.table import atomic_file

    with atomic_file(path) as file:
        file.write(text if text.endswith("\n") else text + "\n")
    message(f"wrote {path}")


def check_outputs(outputs: Mapping[str, Path | None], inputs: Mapping[str, str | Path | None]) -> None:
    """Raise before the work begins if a result could not be written in the end, or would destroy an input."""
    paths = {option: path for option, path in outputs.items() if path is not None}
    for option, path in paths.items():
        _check_writable(path)
        for what, source in inputs.items():
            if source in (None, "-") or not path.exists():
                continue
            if any(_same_file(path, Path(one)) for one in (str(source), *iglob(str(source)))):
                raise InputError(f"{option} {path} is {what} itself; choose another name")
        for other, earlier in paths.items():
            if other < option and _same_file(path, earlier):
                raise InputError(f"{other} and {option} are both {path}; choose two names")


def _same_file(path: Path, other: Path) -> bool:
    """Whether both are one regular file, also by another path or a link; a terminal may be both ends."""
    if not path.exists():
        return path.resolve() == other.resolve()
    return path.is_file() and os.path.exists(other) and os.path.samefile(path, other)


def _check_writable(path: Path) -> None:
    try:
        path.exists()
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be written ({cause}); choose another name") from None
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file to write to")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to write {path.name} to; make it first")
    place = path if path.exists() else path.parent
    if not os.access(place, os.W_OK):
        raise InputError(f"{path} cannot be written (permission denied); choose another place")


def choose_format(named: str | None, out: Path | None, *, implied: str | None = None) -> str | None:
    """Return the format by name, by the ending of the output's name, or as other options imply; else None."""
    from nri.rule.render import FORMATS, format_by_ending

    if named is not None:
        if named.lower() not in FORMATS:
            raise InputError(f"no format {named!r}; use one of {', '.join(FORMATS)}")
        return named.lower()
    known = {form.suffix for form in FORMATS.values()}
    if out is None or (implied is not None and out.suffix.lower() not in known):
        return implied
    return format_by_ending(out)
