"""The wide suite: 88 raw tables as analysts have them, in two halves, read as the product reads a file.

Constants are chosen on the half ``choosing`` and confirmed on the half ``confirming``. Which set is in which
half was drawn once and is fixed in ``wide.json``: sets with 2, 3 to 5, and more classes apart, each group in
order of its rows, one of every two neighbours by lot.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import nri
from nri import InputError
from nri_bench.arrays import IntArray
from nri_bench.datasets.files import TARGET, read_text_table

HALVES = ("choosing", "confirming")
ALL = "all"


@dataclass(frozen=True, eq=False)
class WideTable:
    """A raw table: typed columns by the product's own reading, and class indices."""

    name: str
    frame: pd.DataFrame
    """[M, columns] without the target: numbers, ``boolean``, dates, and texts as objects"""
    y: IntArray
    """[M] indices into ``classes``"""
    classes: tuple[str, ...]
    sha256: str
    """of the file"""

    @property
    def n_rows(self) -> int:
        """M"""
        return len(self.y)


@cache
def halves() -> dict[str, tuple[str, ...]]:
    """Return the names of the data sets of each half, sorted."""
    text = resources.files("nri_bench.datasets").joinpath("wide.json").read_text(encoding="utf-8")
    return {half: tuple(names) for half, names in json.loads(text).items()}


def wide_names(half: str = ALL) -> tuple[str, ...]:
    """Return the data sets of ``choosing``, of ``confirming``, or of both, sorted."""
    if half == ALL:
        return tuple(sorted(name for names in halves().values() for name in names))
    if half not in halves():
        raise InputError(f"--half {half}: there are {', '.join(HALVES)} and {ALL}")
    return halves()[half]


def half_of(name: str) -> str:
    """Return the half that a data set is in; empty for a table that is not of the suite."""
    return next((half for half, names in halves().items() if name in names), "")


def wide_folder(data_dir: Path | None = None) -> Path:
    """Return the folder of the suite: the one named, or else ``wide`` beside or in that of ``NRI_DATA``."""
    if data_dir is not None:
        if not data_dir.is_dir():
            raise InputError(f"{data_dir}: not a folder; --data must name the folder of the CSV files")
        return data_dir
    known = os.environ.get("NRI_DATA")
    places = [Path(known).parent / "wide", Path(known) / "wide", Path(known)] if known else []
    for place in places:
        if (place / f"{wide_names()[0]}.csv").is_file():
            return place
    raise InputError(
        "the raw tables of the wide suite are not there; name their folder with --data DIR, "
        "or let NRI_DATA name a folder beside which they are in `wide`"
    )


@lru_cache(maxsize=128)
def load_wide(name: str, folder: Path) -> WideTable:
    """Read ``folder/NAME.csv`` as the product does; the target is its column ``class``, the rest features.

    What a column means is decided by all of its cells, as for a person who has one file of which some
    rows are labelled. Labels are taken to the letter: in ``vowel`` had and hAd are two classes.
    """
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise InputError(f"{path}: no such file; --data must name a folder that holds {name}.csv")
    labels = read_text_table(path)[TARGET]
    codes, classes = pd.factorize(labels, sort=True)
    if len(classes) < 2 or codes.min() < 0:
        raise InputError(f"{path}: the column {TARGET!r} needs two classes and no gaps; fetch the file again")
    return WideTable(
        name=name,
        frame=typed_frame(nri.read_table(path).without(TARGET)),
        y=np.asarray(codes, np.int64),
        classes=tuple(map(str, classes)),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def typed_frame(table: nri.Table) -> pd.DataFrame:
    """Return a table's columns in the types that pandas has for them, whatever their cells looked like."""
    return pd.DataFrame({name: _series(table, name) for name in table.names})


def _series(table: nri.Table, name: str) -> "pd.Series[Any]":
    column = table.columns[name]
    if column.categories is not None:
        return pd.Series(column.texts, dtype=object)
    if column.values.dtype.kind == "b":
        return pd.Series(pd.array(column.values, dtype="boolean")).where(pd.Series(column.known))
    if column.values.dtype.kind == "f" and table.plans[name].whole and column.known.all():
        return pd.Series(column.values.astype(np.int64))
    return pd.Series(column.values)
