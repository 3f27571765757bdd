"""Two tables that mean the same: what holds on the one holds on the other.

Some relations are exact: classes and columns of other names, numbers in another unit, codes and infinities
where nothing was measured, other zones, copies of rows in the place of weights. Others leave a choice between
rules that are equally good: a column bent, classes in another order, and a copied column where experts count
columns. These may not lose accuracy.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from fuzz_tally import DifferentError
from hypothesis import strategies as st

from nri import NRIClassifier, NRIRegressor, Settings, induce_rule, read_table
from nri.induce.folds import make_folds

ZONES = ("America/New_York", "Asia/Tokyo", "Asia/Kathmandu", "Pacific/Apia")
LOST = 0.3
"""Share of rows that a rule of equal worth may be wrong on beyond the first: it has other cuts or branches."""


@dataclass(frozen=True)
class Problem:
    """A table, and what is to be explained."""

    cells: pd.DataFrame
    y: np.ndarray
    model: str
    weights: np.ndarray | None = None

    def fitted(self) -> Any:
        estimator = NRIRegressor() if self.model == "number" else NRIClassifier(model=self.model)
        return estimator.fit(self.cells, self.y, sample_weight=self.weights)

    def with_cells(self, **changed: Any) -> "Problem":
        return replace(self, cells=self.cells.assign(**changed))


def problem(seed: int, model: str, *, two: bool = False) -> Problem:
    """Return a table with two numbers, a flag, a word and a moment, and an outcome that goes with them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(16, 70))
    amount = rng.normal(size=n).round(2)
    amount[rng.permutation(n)[: int(rng.integers(3, 8))]] = np.nan
    hours = pd.to_timedelta(rng.integers(0, 9000, n), unit="h")
    cells = pd.DataFrame(
        {
            "amount": amount,
            "count": rng.integers(0, 30, n).astype(float),
            "flag": rng.integers(0, 2, n),
            "word": rng.choice(["red", "blue", "green"], n),
            "seen": pd.Timestamp("2024-01-01") + hours,
        }
    )
    score = np.nan_to_num(amount) + (cells["count"] > 12) + (cells["word"] == "red") + rng.normal(size=n) / 3
    if model == "number":
        return Problem(cells, score.to_numpy().round(3), model)
    places = [0.7] if two or rng.random() < 0.7 else [0.3, 1.2]
    names = np.array(["no", "perhaps", "yes"])[: len(places) + 1]
    return Problem(cells, names[np.searchsorted(places, score)], model)


def unit(one: Problem, pick: Callable[[Any], Any]) -> Problem:
    """Other units: cuts are round in the one where they are round in the other."""
    factor = pick([10.0, 100.0, 1000.0])
    return one.with_cells(count=one.cells["count"] * factor)


def infinite(one: Problem, pick: Callable[[Any], Any]) -> Problem:
    return one.with_cells(amount=one.cells["amount"].fillna(pick([np.inf, -np.inf])))


def coded(one: Problem, pick: Callable[[Any], Any]) -> Problem:
    return one.with_cells(amount=one.cells["amount"].fillna(pick([-999.0, 999.0, -99999.0])))


def zoned(one: Problem, pick: Callable[[Any], Any]) -> Problem:
    return one.with_cells(seen=one.cells["seen"].dt.tz_localize("UTC").dt.tz_convert(pick(ZONES)))


def renamed(one: Problem, pick: Callable[[Any], Any]) -> Problem:
    """Other names of classes in the same order, such as 4, 5, 6."""
    names = pick([np.array([*"αβγ"]), np.array([4, 5, 6]), np.array(["\x1b[31m", "année", "日本"])])
    return replace(one, y=names[np.unique(one.y, return_inverse=True)[1]])


def bent(one: Problem, pick: Callable[[Any], Any]) -> Problem:
    """Return a number by which rows have the same order."""
    name, bend = pick([("amount", np.exp), ("amount", lambda x: 4 * x + 8), ("count", lambda x: x**3)])
    return one.with_cells(**{name: bend(one.cells[name])})


def doubled(one: Problem, pick: Callable[[Any], Any]) -> Problem:
    return one.with_cells(again=one.cells[pick(["amount", "word", "flag"])])


def swapped(one: Problem, pick: Callable[[Any], Any]) -> Problem:
    _, codes = np.unique(one.y, return_inverse=True)
    return replace(one, y=np.array([*"cba"])[codes])


EXACT = {"unit": unit, "infinite": infinite, "coded": coded, "zoned": zoned, "renamed": renamed}
NEAR = {"bent": bent, "doubled": doubled, "swapped": swapped}
OF_ROWS = ("weighed", "grouped", "copied", "written")
relations = st.tuples(
    st.sampled_from([*EXACT, *NEAR, *OF_ROWS]),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["greedy"] * 6 + ["seeded", "number"]),
)


def relate(case: tuple[str, int, str]) -> None:
    """Compare what is induced from two tables that mean the same."""
    relation, seed, model = case
    rng = np.random.default_rng(seed)
    pick = lambda values: values[int(rng.integers(len(values)))]  # noqa: E731
    near = relation in NEAR and (relation, model) != ("doubled", "greedy")
    # the greedy search for lists of several classes stops early on one of two such tables and not on the other
    one = problem(seed, model, two=model == "greedy" and near)
    if relation in OF_ROWS:
        RELATIONS_OF_ROWS[relation](one, rng)
        return
    if model == "number" and relation in ("renamed", "swapped"):
        one = problem(seed, "greedy", two=True)
    other = {**EXACT, **NEAR}[relation](one, pick)
    first, second = one.fitted(), other.fitted()
    if near:
        if (lost := first.score(one.cells, one.y) - second.score(other.cells, other.y)) > LOST:
            raise DifferentError(f"{relation} loses {lost:.2f}: {first.rule_} against {second.rule_}")
        return
    predicted, again = first.predict(one.cells), second.predict(other.cells)
    if one.model != "number":
        predicted, again = (np.searchsorted(np.unique(p.y), x) for p, x in ((one, predicted), (other, again)))
    if not np.array_equal(predicted, again):
        raise DifferentError(f"{relation}: {first.rule_} became {second.rule_}")


def _weighed(one: Problem, rng: np.random.Generator) -> None:
    """A row of weight two counts as two rows."""
    weights = rng.integers(1, 4, len(one.y))
    rows = np.repeat(np.arange(len(one.y)), weights)
    first = replace(one, weights=weights).fitted()
    second = replace(one, cells=one.cells.iloc[rows], y=one.y[rows]).fitted()
    if list(first.predict(one.cells)) != list(second.predict(one.cells)):
        raise DifferentError(f"weighed: {first.rule_} became {second.rule_}")


def _read(one: Problem, **more: Any) -> Any:
    return read_table(one.cells.assign(y=one.y, **more), "y", groups="who" if "who" in more else None)


def _grouped(one: Problem, rng: np.random.Generator) -> None:
    """No group is in two folds, and no rule has the column of the groups."""
    who = rng.integers(0, max(3, len(one.y) // 5), len(one.y))
    table = _read(one, who=[f"p{i}" for i in who])
    fold = make_folds(table, 5, rng).fold
    if any(len(set(fold[who == i])) > 1 for i in who):
        raise DifferentError("a group is in two folds")
    if "who" in induce_rule(table, Settings(model="greedy")).rule.columns:
        raise DifferentError("the groups decide")


def _copied(one: Problem, rng: np.random.Generator) -> None:
    """Copies of a row are in one fold."""
    rows = np.tile(np.arange(len(one.y)), int(rng.integers(2, 5)))
    rows = rows[rng.permutation(len(rows))]
    fold = make_folds(_read(replace(one, cells=one.cells.iloc[rows], y=one.y[rows])), 5, rng).fold
    if any(len(set(fold[rows == i])) > 1 for i in rows):
        raise DifferentError("copies of a row are in two folds")


def _written(one: Problem, rng: np.random.Generator) -> None:
    """A table that went through a file of text gives the same rule."""
    frame = one.cells.assign(y=one.y)
    text = io.StringIO(frame.to_csv(index=False, sep=",;\t"[int(rng.integers(3))]))
    settings = Settings(model="greedy")
    first, second = (induce_rule(read_table(source, "y"), settings).rule for source in (frame, text))
    if list(first.predict(one.cells)) != list(second.predict(one.cells)):
        raise DifferentError(f"written: {first} became {second}")


RELATIONS_OF_ROWS = {"weighed": _weighed, "grouped": _grouped, "copied": _copied, "written": _written}
