"""What can go wrong, as exceptions that name the cause and the remedy; their fields let callers reword it."""

import difflib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path

from nri.texts import one_line as one_line


class NRIError(Exception):
    r"""Base of every error this package raises on purpose. Its message is one line, whatever it quotes.

    >>> str(NRIError("no column two\nlines"))
    'no column two\\nlines'
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(one_line(message))


class InputError(NRIError, ValueError):
    """The caller's table, file, column or option cannot be used as given.

    The message is one line: what was found, where, and what to do about it.
    The command line prints it as it is and exits with code 2.
    """


class ConfigError(InputError):
    """A configuration file has an unknown key or an impossible value."""


class UnknownColumnError(InputError):
    """A column was named that the table does not have."""

    def __init__(self, name: str, present: Sequence[str], what: str = "column", where: str = "") -> None:
        self.name, self.present = name, tuple(present)  # the name, and the columns that there are
        prefix = f"{where}: " if where else ""
        super().__init__(f"{prefix}no {what} {name!r}{nearest(name, present)}")


class TargetError(InputError):
    """What is to be explained has too many values for classes."""

    def __init__(self, cause: str, comparison: str) -> None:
        self.cause, self.comparison = cause, comparison  # the comparison makes classes of it
        super().__init__(f"{cause}; compare it, e.g. {comparison!r}")


class ScoresError(InputError):
    """The predictions are scores, the labels classes."""

    def __init__(self, name: str, scores: int, classes: int) -> None:
        self.cause = f"{name} is a number with {scores} values, labels have {classes}"
        self.comparison = f"{name} > 0.5"  # which makes classes of them
        super().__init__(f"{self.cause}; compare it, e.g. {self.comparison!r}, or give a tolerance")


class MissingTargetError(InputError):
    """No target was named."""

    def __init__(self, present: Sequence[str]) -> None:
        self.present = tuple(present)  # the columns that there are
        super().__init__(f"which column is to be explained? Name one of {listed(present)}")


def nearest(name: str, present: Sequence[str], holder: str = "the table") -> str:
    """Return the remedy for an absent name: the names most like it, or a few of those there are."""
    by_lower = {column.lower(): column for column in present}
    close = [by_lower[low] for low in difflib.get_close_matches(name.lower(), list(by_lower), n=3)]
    if close:
        return "; did you mean " + " or ".join(repr(column) for column in close) + "?"
    shown = ", ".join(repr(column) for column in present[:8]) + (", ..." if len(present) > 8 else "")
    return f"; {holder} has {shown}"


def listed(names: Sequence[str], most: int = 12) -> str:
    """Name columns; of many the first ones and the last, which is often the target."""
    quoted = [repr(name) for name in names]
    return ", ".join(quoted if len(quoted) <= most else [*quoted[: most - 1], "...", quoted[-1]])


def missing_file(path: Path) -> InputError:
    """Return an error that there is no such file, with a hint at files of nearly the same name."""
    hint = f"; there is no folder {path.parent} either"
    if os.path.isdir(path.parent):
        hint = similar_files(path) or "; check the name and the folder"
    return InputError(f"no file {path}{hint}")


def similar_files(path: Path, ending: str = "") -> str:
    """Return a hint at files of an ending beside an absent one whose stems are nearly its own, or nothing."""
    try:
        beside = sorted(one for one in path.parent.iterdir() if one.is_file() and one.name.endswith(ending))
    except OSError:  # no such folder, or none that may be looked into
        return ""
    beside.sort(key=lambda entry: entry.suffix == path.suffix)  # of files of one stem, the last one counts
    by_stem = {entry.stem: entry.name for entry in beside}
    close = [by_stem[stem] for stem in difflib.get_close_matches(path.stem, list(by_stem), n=2)]
    return "; did you mean " + " or ".join(map(repr, close)) + "?" if close else ""


def require_extra(extra: str | None, what: str, *packages: str) -> None:
    """Refuse to go on where a package is not installed; it comes with an extra, or by its own name."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        wanted = f"'nri[{extra}]'" if extra else " ".join(missing)
        raise InputError(f"{what} needs {', '.join(missing)}, not installed; run: pip install {wanted}")
