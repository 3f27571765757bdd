"""Files that commands read and write: tables, rules and results, and the packages that they need."""

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from nri.cli.console import tell, waiting
from nri.errors import InputError, MissingTargetError

if TYPE_CHECKING:
    from nri.engine.files import Files
    from nri.rule import RuleSet, Segments, SurvivalRule
    from nri.table import Source, Table


def read_rule(path: Path) -> "RuleSet":
    """Read a rule file about classes; if there is none, say how one is made."""
    from nri.rule import RuleSet, Segments

    found = read_any_rule(path)
    if not isinstance(found, RuleSet):
        what = "a number" if isinstance(found, Segments) else "a time"
        raise InputError(f"{path} is a rule for {what}, {found.target!r}; give one about classes")
    return found


def read_any_rule(path: Path) -> "RuleSet | Segments | SurvivalRule":
    """Read a rule file about classes, a number or a time; if there is none, say how one is made."""
    from nri.api import read_rules
    from nri.table.files import similar_files

    if not os.path.exists(path) and not similar_files(path):
        how = "nri induce FILE --target COLUMN --out RULE.json"
        raise InputError(f"no rule file {path}; make one with: {how}")
    return read_rules(path)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    from nri.table.atomic import atomic_file

    with atomic_file(path) as file:
        file.write(text if text.endswith("\n") else text + "\n")


def open_table(
    file: str,
    *,
    sheet: str | None = None,
    header: int | None = None,
    rewritable: bool = True,
    quiet: bool = False,
) -> "Source":
    """Open a table that a rule is applied to; only the columns that the rule reads will be looked at."""
    from nri.table.excel import SheetChoice
    from nri.table.files import open_source

    with waiting(f"reading {file}", quiet=quiet):
        return open_source(file, choice=SheetChoice(sheet, header), rewritable=rewritable)


def files_in_place(
    file: str, engine: str, *, sheet: str | None = None, header: int | None = None
) -> "Files | None":
    """Return the files whose rows stay where they are; None for small ones and other formats."""
    if file == "-" or sheet is not None or header is not None:
        if engine == "duckdb":
            raise InputError("--engine duckdb reads files, not standard input or workbooks; leave it out")
        return None
    from nri.engine.files import goes_by_engine

    return goes_by_engine(file, engine)


def files_to_stream(file: str, engine: str) -> "Files | None":
    """Return the files whose rows are to be read some at a time; None if they fit into memory."""
    from nri.engine.files import files_of, goes_by_engine

    ways = {"auto": "auto", "memory": "memory", "stream": "duckdb"}
    if engine not in ways:
        raise InputError(f"no engine {engine!r}; use one of {', '.join(ways)}")
    if engine == "stream" and (file == "-" or files_of(file) is None):
        raise InputError(f"CSV, TSV and Parquet files can be streamed, not {file}; leave --engine out")
    return None if file == "-" else goes_by_engine(file, ways[engine])


def take_some(files: "Files", size: int, *, quiet: bool) -> "Source":
    """Take some rows of files that are too large to be read for this; tell how many of how many."""
    from nri.engine.some_rows import some_rows

    with waiting(f"taking rows of {files.paths[0]}", quiet=quiet):
        found = some_rows(files, size)
    tell(f"{found.note} (--sample ROWS for more, --engine memory for all)", quiet=quiet)
    return found.source


def check_outputs(outputs: Mapping[str, Path | None], inputs: Mapping[str, str | Path | None]) -> None:
    """Raise before the work begins if a result could not be written in the end, or would destroy an input.

    Parameters
    ----------
    outputs
        Where results go, by the option that says so; None where it was not given.
    inputs
        What is read, by what it is called in the message; ``-`` is standard input.
    """
    given = {option: path for option, path in outputs.items() if path is not None}
    for option, path in given.items():
        _check_writable(path)
        for what, source in inputs.items():
            if source not in (None, "-") and _same_file(path, str(source)):
                raise InputError(f"{option} {path} is {what} itself; choose another name")
        for other, earlier in given.items():
            if other < option and _same_place(path, earlier):
                raise InputError(f"{other} and {option} are both {path}; choose two names")


def _same_file(path: Path, other: str) -> bool:
    """Whether both are one regular file, also by another path or a link; a terminal may be both ends."""
    return os.path.isfile(path) and os.path.exists(other) and os.path.samefile(path, other)


def _same_place(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve() and (path.is_file() or not path.exists())


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


def labelled(
    source: "Source",
    target: str | None,
    positive: str | None = None,
    weights: str | None = None,
    *,
    exact: bool = False,
    numbers: bool = False,
) -> "tuple[Table, str]":
    """Read a table and split off its target; return the table and a line on what was read.

    See :func:`nri.table.target.label_table`, and for targets that may be numbers ``with_target`` there.
    """
    from nri.table.target import describe, label_table, with_target

    table = source.table(exact=exact)
    if target is None:
        raise MissingTargetError(table.names)
    split = with_target if numbers else label_table
    found = split(table, target, positive, weights)
    return found, describe(found, len(table))


def require_extra(extra: str | None, what: str, *packages: str) -> None:
    """Refuse to go on where a package is not installed.

    Parameters
    ----------
    extra
        The extra of this package that brings them; None if they are installed by their own names.
    what
        What needs them.
    packages
        Names to import.

    >>> require_extra("train", "training", "no_such_package")
    Traceback (most recent call last):
        ...
    nri.errors.InputError: training needs no_such_package, not installed; run: pip install 'nri[train]'
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        wanted = f"'nri[{extra}]'" if extra else " ".join(missing)
        raise InputError(f"{what} needs {', '.join(missing)}, not installed; run: pip install {wanted}")
