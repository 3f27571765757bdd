"""Back from regions to literals: the fewest literals that hold on exactly the given regions."""

from collections.abc import Collection, Iterable, Sequence
from itertools import product

from nri.rule.domain import OPEN, Domain
from nri.rule.literal import Kind, Literal, Op, kind_of
from nri.rule.regions import ColumnRegions


def vocabulary(literals: Iterable[Literal], domain: Domain) -> dict[str, tuple[Literal, ...]]:
    """For each column, the literals it may be re-told in.

    These are the rule's own literals and their negations, so that no threshold is made up; where
    a category is named and the categories are a closed set, also all the others.
    """
    words: dict[str, dict[Literal, None]] = {}
    for literal in literals:
        own = words.setdefault(literal.column, {})
        own.update({literal: None, literal.negate(): None})
        if literal.op.ordered or literal.kind is Kind.BOOLEAN:
            continue
        for value in domain.get(literal.column, OPEN).values or ():
            if kind_of(value) is literal.kind:
                own.update({Literal(literal.column, op, value): None for op in (Op.EQ, Op.NE)})
    return {column: tuple(own) for column, own in words.items()}


def express(
    mask: int, regions: ColumnRegions, words: Sequence[Literal], preferred: Collection[Literal]
) -> tuple[Literal, ...] | None:
    """Return the fewest literals that hold together on exactly these regions, None if none do.

    Among equally short answers the preferred literals win, then positive ones.
    """
    if mask == regions.everything:
        return ()

    def rank(literal: Literal) -> tuple[object, ...]:
        return (literal not in preferred, not literal.positive, literal.sort_key)

    usable = sorted((x for x in words if mask & ~regions.mask(x) == 0), key=rank)
    for literal in usable:
        if regions.mask(literal) == mask:
            return (literal,)
    best: tuple[Literal, ...] | None = None
    for low, high in product(_tightest(usable, Op.GT, regions), _tightest(usable, Op.LE, regions)):
        bounds = low + high
        excluded = _exclusions(mask, bounds, usable, regions)
        if excluded is not None and (best is None or len(bounds) + len(excluded) < len(best)):
            best = bounds + excluded
    return best


def _tightest(usable: Sequence[Literal], op: Op, regions: ColumnRegions) -> list[tuple[Literal, ...]]:
    """No bound, or the closest one; the closest leaves least to exclude."""
    bounds = [literal for literal in usable if literal.op is op]
    if not bounds:
        return [()]
    return [(), (min(bounds, key=lambda literal: regions.mask(literal).bit_count()),)]


def _exclusions(
    mask: int, bounds: tuple[Literal, ...], usable: Sequence[Literal], regions: ColumnRegions
) -> tuple[Literal, ...] | None:
    """Name the single values to exclude so that the bounds leave exactly the mask, None if they cannot."""
    left = regions.known
    for literal in bounds:
        left &= regions.mask(literal)
    chosen: list[Literal] = []
    for literal in usable:
        if literal.op is Op.NE and left & ~regions.mask(literal):
            left &= regions.mask(literal)
            chosen.append(literal)
    if left != mask or not (bounds or chosen):
        return None
    return tuple(chosen)
