"""Formats of a system: for people, for other programs, as a picture; and reading those that can be read."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import IO

from nri.errors import InputError
from nri_dynamics.formats.bnet import read_bnet, render_bnet
from nri_dynamics.formats.json_file import read_json, render_json
from nri_dynamics.formats.programs import render_asp, render_prolog
from nri_dynamics.formats.sbml import render_sbml
from nri_dynamics.formats.text import render_text
from nri_dynamics.picture import influence_picture
from nri_dynamics.system import Dynamics


@dataclass(frozen=True)
class SystemFormat:
    """A way of writing a system."""

    name: str
    suffix: str
    """of a file in this format"""
    write: Callable[[Dynamics], str]


FORMATS: dict[str, SystemFormat] = {
    form.name: form
    for form in (
        SystemFormat("text", ".txt", render_text),
        SystemFormat("json", ".json", render_json),
        SystemFormat("bnet", ".bnet", render_bnet),
        SystemFormat("prolog", ".pl", render_prolog),
        SystemFormat("asp", ".lp", render_asp),
        SystemFormat("sbml", ".sbml", render_sbml),
        SystemFormat("svg", ".svg", lambda system: str(influence_picture(system))),
    )
}
"""Every format by its name."""
READABLE = (".json", ".bnet")
"""Endings of files that hold a system."""


def render_system(system: Dynamics, form: str = "text") -> str:
    """Write a system in the format of that name."""
    return FORMATS[check_format(form)].write(system)


def check_format(name: str) -> str:
    """Return the name of a format as it is registered; refuse any other name."""
    if name.lower() not in FORMATS:
        raise InputError(f"no format {name!r} for a system; use one of {', '.join(FORMATS)}")
    return name.lower()


def format_of_file(path: Path) -> str | None:
    """Return the format with the ending of a file; None if its name has no ending."""
    by_suffix = {form.suffix: form.name for form in FORMATS.values()}
    suffix = path.suffix.lower()
    if suffix and suffix not in by_suffix:
        endings = ", ".join(by_suffix)
        raise InputError(f"{path}: no format ends in {suffix!r}; end the name in {endings}, or name a format")
    return by_suffix.get(suffix)


def read_dynamics(source: "str | PathLike[str] | IO[str]") -> Dynamics:
    r"""Read a system from a file: ``.json`` as ``nri dynamics --out`` writes it, or ``.bnet``.

    Parameters
    ----------
    source : path or text file object
        Its first character decides which of the two it is.

    Raises
    ------
    InputError
        If there is no such file, or it holds no system.

    Examples
    --------
    >>> import io
    >>> toggle = read_dynamics(io.StringIO("targets, factors\na, !b\nb, !a\n"))
    >>> len(toggle.attractors().fixed_points)
    2
    """
    text = _text_of(Path(source)) if isinstance(source, str | PathLike) else source.read()
    return read_json(text) if text.lstrip().startswith(("{", "[")) else read_bnet(text)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"no file {path}{_similar(path)}; give a .json or .bnet file of a system") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8; give a .json or .bnet file of a system") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; give a .json or .bnet file") from None


def _similar(path: Path) -> str:
    """Return a hint at files beside an absent one that have nearly its name."""
    try:
        beside = {entry.stem: entry.name for entry in path.parent.iterdir() if entry.suffix in READABLE}
    except OSError:
        return ""
    close = [repr(beside[stem]) for stem in get_close_matches(path.stem, list(beside), n=2)]
    return f" (did you mean {' or '.join(close)}?)" if close else ""
