"""Endings of files, which say in which format something is written."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from nri.errors import InputError


class Ending(Protocol):
    """A format, and how its files end."""

    @property
    def name(self) -> str:
        """Of the format."""
        ...

    @property
    def suffix(self) -> str:
        """Of a file in it."""
        ...


def format_by_ending(path: Path, formats: Iterable[Ending]) -> str | None:
    """Return the first format whose files end so; None if the name has no ending.

    An ending that no format has is refused: what would be written then could not be read again.
    """
    names: dict[str, str] = {}
    for form in formats:
        names.setdefault(form.suffix, form.name)
    suffix = path.suffix.lower()
    if suffix and suffix not in names:
        raise InputError(
            f"{path}: no format ends in {suffix!r}; end the name in {', '.join(names)}, or name a format"
        )
    return names.get(suffix)
