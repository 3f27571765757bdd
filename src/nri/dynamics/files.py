"""Files of systems: JSON as nri writes it, and .bnet as others do."""

from os import PathLike
from pathlib import Path
from typing import IO

from nri.dynamics.render.as_bnet import read_bnet
from nri.dynamics.render.as_json import read_json
from nri.dynamics.system import Dynamics
from nri.errors import InputError
from nri.table.files import decode, similar_files

SUFFIXES = (".json", ".bnet")
"""Of files that hold a system."""


def read_dynamics(source: "str | PathLike[str] | IO[str]") -> Dynamics:
    r"""Read a system from a file: ``.json`` as ``nri dynamics --out`` writes it, or ``.bnet``.

    Parameters
    ----------
    source : path or text file object
        Its first character tells which of the two it is.

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
    if not isinstance(source, str | PathLike):
        return _parsed(source.read())
    path = Path(source)
    try:
        text = decode(path.read_bytes(), str(path))
    except FileNotFoundError:
        close = similar_files(path)
        raise InputError(f"no file {path}{close or '; give a .json or .bnet file of a system'}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; give a .json or .bnet file") from None
    return _parsed(text)


def _parsed(text: str) -> Dynamics:
    return read_json(text) if text.lstrip().startswith(("{", "[")) else read_bnet(text)
