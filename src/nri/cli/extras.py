"""Commands that need more than the base installation say so in one line."""

import importlib.util

from nri.errors import InputError


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
