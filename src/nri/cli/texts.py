"""Texts that people write behind options, as the values that they stand for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nri.errors import InputError

if TYPE_CHECKING:
    from nri.rule import Label


def split_names(texts: list[str] | None, present: Sequence[str]) -> list[str] | None:
    """Return column names from texts with commas between; a name that itself has a comma is kept whole.

    >>> split_names(["age,sex", "height, in cm"], ["age", "sex", "height, in cm"])
    ['age', 'sex', 'height, in cm']
    """
    if not texts:
        return None
    names: list[str] = []
    for text in texts:
        names += [text] if text in present else [part.strip() for part in text.split(",") if part.strip()]
    return names


def costs_of(texts: list[str] | None, classes: Sequence["Label"]) -> dict["Label", float] | None:
    """Return costs from texts such as ``yes=5``; a number as target has no classes.

    >>> costs_of(["yes=5"], ("no", "yes"))
    {'yes': 5.0}
    """
    from nri.table.target import class_index

    if texts and not classes:
        raise InputError("--cost is what an error on a class costs, but the target is a number; drop it")
    costs = {}
    for text in texts or ():
        label, _, written = text.rpartition("=")
        try:
            cost = float(written)
        except ValueError:
            raise InputError(f"--cost {text!r} is no CLASS=COST; write e.g. --cost yes=5") from None
        costs[classes[class_index(classes, label)]] = cost
    return costs or None


def split_assignments(texts: list[str] | None, option: str) -> dict[str, str]:
    """Return what stands behind the last = of each text, by what stands before it.

    >>> split_assignments(["age=40,50", "a=b=up"], "--cuts")
    {'age': '40,50', 'a=b': 'up'}
    """
    found: dict[str, str] = {}
    for text in texts or ():
        name, sign, value = text.rpartition("=")
        if not (name and sign and value):
            raise InputError(f"{option} {text!r}: write COLUMN=VALUE")
        found[name.strip()] = value.strip()
    return found


def numbers_of(text: str, option: str) -> list[float]:
    """Return numbers with commas between.

    >>> numbers_of("40, 50.5", "--cuts")
    [40.0, 50.5]
    """
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{option}: {text!r} are no numbers; write e.g. age=40,50,65") from None


def without_taken(names: list[str] | None, present: Sequence[str], *taken: str | None) -> list[str]:
    """Return the columns not to use; labels and predictions are never used, so that naming them is fine."""
    return [name for name in split_names(names, present) or () if name not in taken]
