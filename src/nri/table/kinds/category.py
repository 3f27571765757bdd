"""Categories: columns of texts that are names of things, one thing however its name is spelled."""

from collections.abc import Mapping, Sequence

import numpy as np

from nri.arrays import IntArray
from nri.rule.column import ColumnPlan
from nri.rule.literal import Kind
from nri.table.kinds import ParsedTexts, example

_REPEATED = 0.5
"""Share of different words among the cells above which they are names or codes, whose case matters."""
_FREQUENT = 0.25
"""Share of the cells of a word that a spelling must have to be no slip."""
_SHOWN = 3


def fold(text: str) -> str:
    """Return what two spellings of one word have in common: all but case and blanks.

    >>> fold(" Yes ") == fold("YES")
    True
    """
    return " ".join(text.split()).casefold()


def spellings_of(texts: Sequence[str], counts: IntArray) -> dict[str, str]:
    """Return for each text that is spelled otherwise elsewhere the spelling to use: the most frequent one.

    >>> spellings_of(["yes", "YES", "no"], np.array([5, 2, 3]))
    {'YES': 'yes'}
    """
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(fold(text), []).append(place)
    used: dict[str, str] = {}
    for places in groups.values():
        if len(places) > 1:
            best = min(places, key=lambda i: (-counts[i], texts[i] != texts[i].strip(), texts[i].swapcase()))
            used.update({texts[i]: texts[best] for i in places if i != best})
    return used


def case_matters(texts: Sequence[str], counts: IntArray) -> bool:
    """Whether capitals within words tell things apart: both spellings are frequent, and nobody shouts.

    >>> case_matters(["had", "hAd"], np.array([10, 9])), case_matters(["had", "HAD"], np.array([10, 9]))
    (True, False)
    """
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(fold(text), []).append(place)
    for places in groups.values():
        cells = sum(int(counts[i]) for i in places)
        frequent = {texts[i].strip() for i in places if counts[i] >= _FREQUENT * cells}
        if len(frequent) > 1 and any(not _of_one_case(text) for text in frequent):
            return True
    return False


def _of_one_case(text: str) -> bool:
    return text in (text.lower(), text.upper(), text.title(), text.capitalize())


def in_words(spellings: Mapping[str, str]) -> str:
    """Return a note on spellings that were joined; nothing if there are none."""
    if not spellings:
        return ""
    first = sorted(spellings.items())[:_SHOWN]
    shown = ", ".join(f"{example_of(other)} as {example_of(used)}" for other, used in first)
    rest = f" and {len(spellings) - _SHOWN} more" if len(spellings) > _SHOWN else ""
    return f"texts that differ only in case or blanks are read as one: {shown}{rest}"


def example_of(text: str) -> str:
    """Return a text in quotation marks with its blanks, which are the point here."""
    return repr(text) if len(text) <= 20 else example(text)


def recognise(texts: Sequence[str], counts: IntArray, *, exact: bool = False) -> ParsedTexts:
    """Read texts as categories; with ``exact`` those that differ only in case and blanks are kept apart."""
    words = len({fold(text) for text in texts})
    folded = not exact and (words <= 2 or words <= _REPEATED * int(counts.sum()))
    folded = folded and not case_matters(texts, counts)
    spellings = spellings_of(texts, counts) if folded else {}
    used = np.array([spellings.get(text, text) for text in texts], dtype=object)
    categories = tuple(sorted(set(used)))
    plan = ColumnPlan(Kind.TEXT, categories=categories, spellings=spellings, folded=folded)
    return ParsedTexts(used, plan, in_words(spellings))


def read(texts: Sequence[str], counts: IntArray, plan: ColumnPlan) -> ParsedTexts:
    """Read texts as the categories of a plan; one that is known by another spelling gets the one in use.

    >>> plan = recognise(["yes", "YES", "no"], np.array([5, 2, 3])).plan
    >>> read(["Yes", "maybe"], np.array([1, 1]), plan).values.tolist()
    ['yes', 'maybe']
    """
    known = {fold(text): text for text in plan.categories} if plan.folded else {}
    spellings = {text: plan.spellings.get(text, known.get(fold(text), text)) for text in texts}
    spellings |= {text: text for text in plan.categories}
    new = {other: used for other, used in spellings.items() if other != used and other not in plan.spellings}
    return ParsedTexts(np.array([spellings[text] for text in texts], dtype=object), plan, in_words(new))
