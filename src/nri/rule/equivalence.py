"""Do two rules mean the same? Decided exactly, on the rows that can occur.

By default rows have no unknown cells, as in logic; with ``unknown_cells=True`` every cell may also be unknown
(unless its domain is complete).
"""

from nri.rule.column import OPEN, ColumnDomain, Domain
from nri.rule.literal import Clause, Dnf, Value
from nri.rule.regions import Place, Regions

Row = dict[str, Value | None]  # One cell for each column that matters; None is unknown.


def implies(first: Dnf, second: Dnf, domain: Domain | None = None, *, unknown_cells: bool = False) -> bool:
    """Whether the second rule fires on every row of the domain on which the first one does."""
    return difference(Dnf([*first, *second]), second, domain, unknown_cells=unknown_cells) is None


def difference(
    first: Dnf, second: Dnf, domain: Domain | None = None, *, unknown_cells: bool = False
) -> Row | None:
    """Return the first row, by the order of cells, on which just one of the rules fires; None if none.

    >>> from nri.rule import Clause, Literal, Op
    >>> difference(Dnf([Clause([Literal("age", Op.GT, 61)])]), Dnf([Clause([Literal("age", Op.GT, 70)])]))
    {'age': 61.00000000000001}
    """
    literals = [literal for rule in (first, second) for clause in rule for literal in clause]
    domain = domain or {}
    if not unknown_cells:
        known = {literal.column: domain.get(literal.column, OPEN) for literal in literals}
        domain = {name: ColumnDomain(column.values, complete=True) for name, column in known.items()}
    regions = Regions(literals, domain)
    only_one = [
        (clause, other)
        for rule, other in ((first, second), (second, first))
        for clause in rule
        if not any(regions.contains(wider, clause) for wider in other)
    ]

    def differ(within: Place) -> Place | None:
        places = (regions.find([clause], other, within) for clause, other in only_one)
        return next((place for place in places if place is not None), None)

    place = differ({})
    if place is None:
        return None
    within: Place = {}
    for name in regions.cells:
        lower = range(_lowest(place[name]))
        places = (differ({**within, name: 1 << region}) for region in lower)
        place = next((one for one in places if one is not None), place)
        within[name] = 1 << _lowest(place[name])
    return {name: cells.cell(_lowest(within[name])) for name, cells in regions.cells.items()}


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def can_fire(clause: Clause, where: Clause) -> bool:
    """Whether a clause can fire on a row on which another does."""
    return Regions([*clause, *where], {}).find([clause, where]) is not None


def must_fire(clause: Clause, where: Clause) -> bool:
    """Whether a clause fires on every row on which another does."""
    return Regions([*clause, *where], {}).find([where], [clause]) is None


def meeting(one: Clause, other: Clause) -> Clause | None:
    """Return a conjunction of their literals on whose rows both clauses fire, None if they never both do."""
    regions = Regions([*one, *other], {})
    place = regions.find([one, other])
    if place is None:
        return None
    row = {name: 1 << _lowest(mask) for name, mask in place.items()}
    where = Clause(x for x in (*one, *other) if regions.mask(x) & row[x.column])
    for literal in where:
        shorter = Clause(x for x in where if x != literal)
        if must_fire(one, shorter) and must_fire(other, shorter):
            where = shorter
    return where


def most_together(clause: Clause) -> dict[str, int]:
    """For each column, how many of the clause's literals can hold at once on a cell of it."""
    return {name: levels[-1][0] for name, levels in Regions(clause, {}).levels(clause).items()}
