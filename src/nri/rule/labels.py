"""Class labels: text, numbers or booleans, as plain Python values."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError

Label = bool | int | float | str


def as_label(label: object) -> Label:
    """Turn numpy scalars into plain Python; anything but text, a number or a boolean is refused."""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, bool):
        return plain
    if isinstance(plain, str):
        if not plain.isascii() and any("\ud800" <= c <= "\udfff" for c in plain):
            raise InputError(f"the class label {ascii(plain)[:60]} holds half a character; replace it")
        return str(plain)
    if isinstance(plain, int | float) and _is_finite(plain):
        return plain
    raise InputError(f"a class label cannot be {label!r}: use text, finite numbers or booleans")


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer beyond all floats
        return False


def spelled(label: object) -> str:
    """Write a label, or a cell, as the text of a rule spells it, but without quotes: ``true``, not ``True``.

    >>> spelled(True), spelled(np.False_), spelled(1), spelled("True")
    ('true', 'false', '1', 'True')
    """
    return str(label).lower() if isinstance(label, bool | np.bool_) else str(label)


def check_classes(classes: tuple[Label, ...]) -> None:
    """Raise unless there is a class, no two are equal, and all are of one sort."""
    if not classes:
        raise InputError("a rule set needs at least one class")
    if len(set(classes)) < len(classes):
        raise InputError(f"classes must differ: got {list(classes)}")
    if len({_sort(label) for label in classes}) > 1:
        raise InputError(f"classes mix sorts of labels: {list(classes)}; convert them to text")


def label_array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """[n_classes]: the labels as an array: bool, integer or float; object for text and huge integers."""
    if _sort(classes[0]) == "text":
        return np.array(classes, dtype=object)
    return np.array(classes)


def _sort(label: Label) -> str:
    if isinstance(label, bool):
        return "boolean"
    return "text" if isinstance(label, str) else "number"
