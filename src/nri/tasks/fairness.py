"""Whom a rule concerns: how often it fires, and is right, on each group of a column that may be protected.

A rule can repeat an injustice in the rows. Which columns are protected is for people to say; names that look
so, in several languages, only give a hint.
"""

import itertools
import re
import unicodedata
from dataclasses import dataclass

import numpy as np

from nri.arrays import BoolArray, FloatArray
from nri.induce.diagnostics import Measure
from nri.induce.estimates import Interval, effective_rows, wilson
from nri.rule import Column, Kind, RuleSet, clause_matrix
from nri.rule.literal import plain_value
from nri.rule.phrase import phrase_label, phrase_name, phrase_value
from nri.table.table import Table

MISSING = "(missing)"
"""What the group of rows without a cell is called."""
MOST_GROUPS = 8
"""More categories are joined into one group of others."""
_BANDS = 4
"""Numbers are cut into so many bands of about as many rows."""

_WORDS = {
    "sex": "sex gender male female geschlecht maennlich weiblich sexe homme femme sexo genero hombre mujer"
    " sesso genere uomo donna geslacht kjonn sukupuoli plec pohlavi cinsiyet",
    "age": "age birthdate birthday dob alter lebensalter geburtsdatum geburtsjahr naissance edad nacimiento"
    " nascita idade nascimento leeftijd geboortedatum alder wiek",
    "origin": "race ethnicity ethnic nationality citizenship citizen immigrant migrant foreigner hispanic"
    " latino afam minority birthplace geburtsort"
    " herkunft abstammung rasse nationalitaet staatsangehoerigkeit auslaender ethnie origine nationalite"
    " etnia origen raza nacionalidad razza nazionalita origem raca nacionalidade afkomst nationaliteit",
    "religion": "religion religious faith catholic protestant muslim jewish konfession glaube"
    " religione religiao religie wyznanie",
    "disability": "disability disabled handicap behinderung behindert discapacidad disabilita deficiencia",
    "orientation": "sexual_orientation lgbt",
    "family": "marital married pregnant pregnancy familienstand verheiratet schwanger enceinte embarazada"
    " civil_status estado_civil stato_civile etat_civil",
    "place": "zip zipcode postcode plz postleitzahl code_postal codigo_postal postal_code neighbourhood"
    " neighborhood stadtteil quartier barrio",
}
_WHOLE_NAMES = {
    "black": "origin",
    "white": "origin",
    "asian": "origin",
    "native": "origin",
    "single": "family",
    "eta": "age",
    "mann": "sex",
    "frau": "sex",
}
"""Words that mean it only where they are the whole name: white blood cells are no origin."""


def _folded(name: str) -> str:
    """Return a name in plain small letters, accents and the ways of writing umlauts made alike."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss").lower())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return re.sub(r"([aou])e", r"\1", plain)


_PROTECTED = {_folded(word): what for what, words in _WORDS.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that have one value, or a range of them, in a column."""

    name: str
    rows: float
    fires: Measure
    """share of its rows on which a clause fires"""
    right: Measure
    """share of its rows on which the rule is right"""


@dataclass(frozen=True, slots=True)
class Groups:
    """What a rule does with the groups of a column."""

    column: str
    used: bool
    """whether the rule reads the column"""
    groups: tuple[Group, ...]


def looks_protected(name: str) -> str | None:
    """Return what a column seems to be about, if that is commonly protected by law, else None.

    >>> looks_protected("Applicant_Race"), looks_protected("Geschlecht"), looks_protected("package")
    ('origin', 'sex', None)
    """
    words = re.findall(r"[a-z]+", _folded(name))
    if len(words) == 1 and words[0] in _WHOLE_NAMES:
        return _WHOLE_NAMES[words[0]]
    pairs = [f"{first}_{second}" for first, second in itertools.pairwise(words)]
    return next((_PROTECTED[word] for word in (*words, *pairs) if word in _PROTECTED), None)


def protected_columns(ruleset: RuleSet) -> tuple[str, ...]:
    """Return the columns of a rule that look protected."""
    return tuple(name for name in ruleset.columns if looks_protected(name))


def by_group(table: Table, ruleset: RuleSet, column: str) -> Groups:
    """Count for each group of a column how often the rule fires and is right.

    Parameters
    ----------
    table
        Labelled rows that have the column, also if the rule does not read it.
    ruleset
        The rule.
    column
        Categories, yes and no, or numbers and dates, which are cut into bands of about as many rows.
    """
    table.require([column])
    columns = ruleset.read(table)
    clauses = [decision.clause for decision in ruleset.decisions]
    fires: BoolArray = np.logical_or.reduce(clause_matrix(clauses, columns, len(table)), axis=1)
    right = ruleset.predict_index(columns, len(table)) == table.codes
    found = []
    for name, rows in _groups(table.columns[column]):
        if rows.any():
            weights = table.weights[rows]
            found.append(
                Group(
                    name,
                    float(weights.sum()),
                    _share(fires[rows], weights),
                    _share(right[rows], weights),
                )
            )
    return Groups(column, column in ruleset.columns, tuple(found))


def note_on(groups: Groups) -> str:
    """Return a sentence on a protected-looking column that the rule uses: the groups that differ most."""
    known = [group for group in groups.groups if group.name != MISSING] or list(groups.groups)
    told = sorted(known, key=lambda group: group.fires.value or 0.0)
    ends = told if len(told) < 3 else [told[0], told[-1]]
    shares = "; ".join(
        f"{one.name}: fires on {_percent(one.fires)}, right on {_percent(one.right)}" for one in ends
    )
    return f"the rule uses {groups.column!r}, which may be protected ({shares})"


def _percent(measure: Measure) -> str:
    return "-" if measure.value is None else f"{measure.value:.0%}".replace("%", " %")


def _share(hit: BoolArray, weights: FloatArray) -> Measure:
    total = float(weights.sum())
    if total <= 0:
        return Measure(None, Interval(0.0, 1.0))
    share = min(1.0, float(weights[hit].sum()) / total)
    return Measure(share, wilson(share, effective_rows(weights)))


def _groups(column: Column) -> list[tuple[str, BoolArray]]:
    """Return names and rows of the groups, those without a cell last."""
    match column.kind:
        case Kind.BOOLEAN:
            groups = [("yes", column.values & column.known), ("no", ~column.values & column.known)]
        case Kind.TEXT:
            groups = _categories(column)
        case _:
            groups = _bands(column)
    return [*groups, (MISSING, ~column.known)]


def _categories(column: Column) -> list[tuple[str, BoolArray]]:
    texts, counts = column.distinct()
    assert column.categories is not None
    order = [str(texts[i]) for i in np.argsort(-counts, kind="stable")]
    kept = order if len(order) <= MOST_GROUPS else order[: MOST_GROUPS - 1]
    groups = [(phrase_label(text), column.values == column.categories.index(text)) for text in kept]
    if len(order) > len(kept):
        others = column.known.copy()
        for _, rows in groups:
            others &= ~rows
        groups.append((f"{len(order) - len(kept)} others", others))
    return groups


def _bands(column: Column) -> list[tuple[str, BoolArray]]:
    cells = np.sort(column.values[column.known])
    if not len(cells):
        return []
    edges = [cells[min(len(cells) - 1, round(len(cells) * k / _BANDS))] for k in range(1, _BANDS)]
    edges = sorted(set(edges) - {cells[-1]})
    groups, below = [], column.known
    for i, edge in enumerate(edges):
        rows = below & (column.values <= edge)
        low = "" if i == 0 else f"{_shown(edges[i - 1])} to "
        groups.append((f"{low}{_shown(edge)}" if low else f"up to {_shown(edge)}", rows))
        below = below & ~rows
    groups.append((f"above {_shown(edges[-1])}" if edges else phrase_name("all"), below))
    return groups


def _shown(edge: object) -> str:
    return phrase_value(plain_value(edge))
