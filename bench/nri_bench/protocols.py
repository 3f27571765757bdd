"""Who learns from which rows: the three protocols, written once.

All start from five stratified folds, shuffled by a seed.

``p20``
    each fold in turn is the support, the other four are the query (the paper's text);
``p4``
    the four training folds are thinned, class by class, to 5 % of their rows, that is about 4 % of the
    table, and the fifth fold is the query (the protocol the paper's Table 1 agrees with);
``full``
    ordinary five-fold cross-validation;
``subX``
    as ``p4`` with X percent in place of five, for learning curves.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

from nri import InputError
from nri_bench.arrays import IntArray

N_FOLDS = 5
P4_PERCENT = 5.0


@dataclass(frozen=True, eq=False)
class Split:
    """The rows a method learns from and the rows it is judged on; they never share a row."""

    fold: int
    support: IntArray
    query: IntArray


def check_protocol(protocol: str) -> str:
    """Return the protocol's name if there is such a one."""
    if protocol not in ("p20", "full"):
        _percent(protocol)
    return protocol


def splits(y: IntArray, protocol: str, seed: int) -> Iterator[Split]:
    """Yield the five splits of a protocol.

    Parameters
    ----------
    y
        [M] class indices.
    protocol
        ``p20``, ``p4``, ``full`` or ``subX``.
    seed
        Shuffles the folds and draws the thinned rows.

    Examples
    --------
    >>> y = np.repeat([0, 1], 50)
    >>> [len(split.support) for split in splits(y, "p20", seed=42)]
    [20, 20, 20, 20, 20]
    >>> [len(split.support) for split in splits(y, "p4", seed=42)]
    [4, 4, 4, 4, 4]
    """
    check_protocol(protocol)
    for fold, (train, test) in enumerate(_folds(y, seed)):
        if protocol == "p20":
            yield Split(fold, support=test, query=train)
        elif protocol == "full":
            yield Split(fold, support=train, query=test)
        else:
            rng = np.random.default_rng([seed, fold])
            yield Split(fold, support=thin(y, train, _percent(protocol) / 100, rng), query=test)


def thin(y: IntArray, rows: IntArray, share: float, rng: np.random.Generator) -> IntArray:
    """Draw a share of the rows, each class by its share of them, and at least one row of every class.

    Rounding follows the largest remainder, so that the classes sum to the share of all rows wherever
    one row for each class leaves that possible.
    """
    classes, counts = np.unique(y[rows], return_counts=True)
    total = min(len(rows), max(len(classes), int(share * len(rows) + 1e-9)))
    exact = counts * (total / len(rows))
    taken = np.maximum(1, np.floor(exact).astype(np.int64))
    while taken.sum() < total:
        room = np.where(taken < counts, exact - taken, -np.inf)
        taken[int(np.argmax(room))] += 1
    drawn = [
        rng.choice(rows[y[rows] == label], int(n), replace=False)
        for label, n in zip(classes, taken, strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def _folds(y: IntArray, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    if np.bincount(y).max(initial=0) < N_FOLDS:
        raise InputError(
            f"{len(y)} rows are too few: one class at least needs {N_FOLDS} rows for {N_FOLDS} folds"
        )
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # nursery's "recommend" has two rows: some folds go without it, and that is the data's nature
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        yield from folds.split(np.zeros((len(y), 1)), y)


def _percent(protocol: str) -> float:
    if protocol == "p4":
        return P4_PERCENT
    try:
        percent = float(protocol.removeprefix("sub")) if protocol.startswith("sub") else 0.0
    except ValueError:
        percent = 0.0
    if not 0 < percent <= 100:
        raise InputError(
            f"no protocol {protocol!r}; there are p20, p4, full and subX (X percent, e.g. sub10)"
        )
    return percent
