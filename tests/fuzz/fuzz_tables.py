"""Tables, labels, weights and arguments as nobody should give them, drawn from a seed.

A case is what hypothesis draws: a seed and a few choices. What it stands for is made from these, so that a
finding is one line that can be tried again.
"""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from rule_strategies import NASTY

from nri import Knowledge

WORDS = [
    *NASTY,
    *[
        "NA",
        "n/a",
        "yes",
        "no",
        "1e5",
        "1,5",
        "1.234,5",
        "$1,200",
        "0042",
        "12:30",
        "2024-02-30",
        "31/12/2023",
        "03/04/2024",
        "true",
    ],
    *["-", "∞", "½", "٣", "1_000", "0x1f", "inf"],
    *("", " ", "Yes ", "72 kg", "x" * 300),
]
NUMBERS = np.array(
    [0, 1, -1, 0.5, 1e308, -1e308, 5e-324, 1e-300, 2**53, 2**63, np.nan, np.inf, -np.inf, -0.0]
)
COLUMNS = (
    *[
        "normal",
        "whole",
        "few",
        "hard",
        "flag",
        "word",
        "nasty",
        "date",
        "moment",
        "span",
        "decimal",
        "constant",
        "missing",
        "mixed",
    ],
    *["category", "near", "bytes", "object", "order"],
)
CONTAINERS = ("pandas", "pandas", "dict", "rows", "records", "array", "objects", "polars", "lazy", "arrow")


@dataclass(frozen=True)
class TableCase:
    """A table with labels, weights and arguments."""

    seed: int
    rows: int
    columns: tuple[str, ...]
    container: str
    labels: str
    weights: str
    arguments: tuple[str, ...]
    model: str


LABELS = [
    "two",
    "two",
    "two",
    "rule",
    "rule",
    "three",
    "six",
    "one",
    "text",
    "bool",
    "float",
    "nasty",
    "many",
    "bad",
    "length",
]
WEIGHTS = [
    *["none"] * 8,
    "ones",
    "whole",
    "share",
    "zeros",
    "extreme",
    "heavy",
    "dust",
    "bad",
]
ARGUMENTS = (
    *[
        "max_clauses",
        "max_literals",
        "columns",
        "require",
        "negations",
        "min_precision",
        "binarize",
        "counts",
    ],
    *["class_weight", "positive", "exact_text", "random_state", "min_sensitivity", "min_specificity"],
    *["knowledge", "knowledge", "unlabelled", "bad"],
)
MODELS = ("greedy",) * 12 + ("seeded",) * 2 + ("paper", "paper-tuned") + ("number",) * 4


def table_cases(most_rows: int = 24) -> st.SearchStrategy[TableCase]:
    """Draw small tables, a few of them with hardly any row, a few with many: most of them can be fitted."""
    return st.builds(
        TableCase,
        seed=st.integers(0, 2**32 - 1),
        rows=st.sampled_from([*[*range(4, most_rows + 1)] * 4, *range(4), 5 * most_rows]),
        columns=st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=5).map(tuple),
        container=st.sampled_from(CONTAINERS),
        labels=st.sampled_from(LABELS),
        weights=st.sampled_from(WEIGHTS),
        arguments=st.lists(st.sampled_from(ARGUMENTS), max_size=3, unique=True).map(tuple),
        model=st.sampled_from(MODELS),
    )


def cells(kind: str, n: int, rng: np.random.Generator) -> Any:
    """Return a column of that kind."""
    whole = rng.integers(-9, 10, n)
    pick = lambda values: [values[i] for i in rng.integers(0, len(values), n)]  # noqa: E731
    match kind:
        case "normal":
            return np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n) * 10.0 ** rng.integers(-3, 9))
        case "whole":
            return whole
        case "few":
            return rng.integers(0, 3, n).astype(float)
        case "hard":
            return rng.choice(NUMBERS, n)
        case "flag":
            return pick([True, False, *([None] if rng.random() < 0.5 else [])])
        case "word":
            return pick(["red", "green", "blue", *([None] if rng.random() < 0.5 else [])])
        case "nasty":
            few = [WORDS[i] for i in rng.integers(0, len(WORDS), 1 + rng.integers(6))]
            return pick(few)
        case "date":
            return pick([dt.date(2024, 1, 1) + dt.timedelta(int(i)) for i in rng.integers(-9999, 9999, 4)])
        case "moment":
            zone = dt.UTC if rng.random() < 0.3 else None
            moments = [
                dt.datetime(1, 1, 1),
                dt.datetime(9999, 12, 31),
                dt.datetime(2024, 1, 1, tzinfo=zone),
                None,
            ]
            return pick(moments)
        case "span":
            return pick([dt.timedelta(hours=int(i)) for i in range(5)])
        case "decimal":
            return pick(
                [Decimal("1.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("1e400"), Decimal(3), None][
                    : 2 + n % 5
                ]
            )
        case "constant":
            return [5] * n
        case "missing":
            return [None] * n
        case "mixed":
            values = [
                1,
                "1",
                True,
                None,
                2.5,
                "x",
                Decimal(2),
                dt.date(2024, 1, 1),
                b"b",
                10**400,
                Fraction(1, 3),
            ]
            return pick([values[i] for i in rng.integers(0, len(values), 3)])
        case "category":
            return pd.Categorical(pick(["lo", "hi", None]), categories=["lo", "mid", "hi"], ordered=True)
        case "near":
            return 1e9 + whole * 1e-7
        case "bytes":
            return pick([b"a", b"b\xff", b""])
        case "object":
            return pick(
                [[1], {"a": 1}, object, 1j, None, np.float32(1), np.datetime64("2024-01-01")][: 2 + n % 6]
            )
    return whole.astype(">i4") if rng.random() < 0.5 else rng.normal(size=n).astype(">f8")


def frame_of(case: TableCase, rng: np.random.Generator) -> Any:
    """Return the table in its container, and the names of its columns."""
    names = [
        f"c{i}" if rng.random() < 0.7 else NASTY[rng.integers(len(NASTY))] + str(i)
        for i in range(len(case.columns))
    ]
    columns = {name: cells(kind, case.rows, rng) for name, kind in zip(names, case.columns, strict=True)}
    match case.container:
        case "pandas":
            return pd.DataFrame({name: pd.Series(values) for name, values in columns.items()}), names
        case "dict":
            return columns, names
        case "rows" | "records":
            rows = [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]
            return (rows if case.container == "records" else [list(row.values()) for row in rows]), names
        case "array":
            dtype = ["f4", "f8", ">f8", "i8", ">i2", "u1", "?", "U6", "S3", "M8[s]", "m8[h]", "c16", "V2"][
                rng.integers(13)
            ]
            array = rng.integers(0, 5, (case.rows, len(names)))
            return array.astype("i8").astype(dtype) if dtype != "V2" else np.zeros(array.shape, "V2"), names
        case "objects":
            table = np.empty((case.rows, len(names)), dtype=object)
            for place, values in enumerate(columns.values()):
                table[:, place] = list(values)
            return table, names
    # making a column of these crashes the process in polars itself, before anything of ours is called
    risky = ("object", "mixed", "decimal")
    for name, kind in zip(names, case.columns, strict=True):
        if kind in risky:
            columns[name] = [ascii(value) for value in columns[name]]
    return foreign_frame(case.container, columns), names


def foreign_frame(container: str, columns: dict[str, Any]) -> Any:
    """Return a frame of polars or Arrow; columns that these cannot hold are left as texts."""
    made = {}
    for name, values in columns.items():
        try:
            made[name] = (
                pl.Series(name, list(values), strict=False)
                if container != "arrow"
                else pa.array(list(values))
            )
        except BaseException:  # polars panics, which is no Exception
            made[name] = [ascii(value) for value in values]
    if container == "arrow":
        return pa.table(made)
    frame = pl.DataFrame(made)
    return frame.lazy() if container == "lazy" else frame


def labels_of(case: TableCase, table: Any, rng: np.random.Generator) -> Any:
    """Return labels; what a first number column says, or drawn."""
    n = case.rows
    number = {"two": 2, "three": 3, "six": 6, "one": 1, "many": max(n, 1)}
    if case.model == "number":
        values = (
            rng.normal(size=n) * 10.0 ** rng.integers(-200, 200)
            if rng.random() < 0.3
            else rng.integers(0, 9, n)
        )
        return values if case.labels != "bad" else [None] * n
    if case.labels in number:
        return rng.integers(0, number[case.labels], n)
    match case.labels:
        case "rule":
            return np.arange(n) % 3 > 0
        case "text":
            return pd.Series(
                [["no", "yes", "No "][i] for i in rng.integers(0, 3, n)], name=NASTY[n % len(NASTY)]
            )
        case "bool":
            return rng.random(n) < 0.5
        case "float":
            return rng.integers(0, 2, n) + 0.5
        case "nasty":
            return [NASTY[i] for i in rng.integers(0, len(NASTY), n)]
        case "bad":
            sorts = [None, b"x", [1, 2], 1j, object(), "\ud800", np.inf, dt.date(2024, 1, 1), 10**400]
            bad = [None, 5, "text", {1: 2}, [1, "1"] * n, *([one] * n for one in sorts)]
            return bad[rng.integers(len(bad))]
    return [0, 1] * n


def weights_of(case: TableCase, rng: np.random.Generator) -> Any:
    n = case.rows
    match case.weights:
        case "ones":
            return np.ones(n)
        case "whole":
            return rng.integers(0, 4, n)
        case "share":
            return rng.random(n)
        case "zeros":
            return np.zeros(n)
        case "extreme":
            return 10.0 ** rng.uniform(-320, 308, n)
        case "heavy":
            return np.where(np.arange(n) == 0, 10.0 ** rng.uniform(0, 20), 1.0)
        case "dust":
            return np.where(np.arange(n) == 0, 5e-324, 1.0)
        case "bad":
            bad = [
                "x",
                -1,
                [None] * n,
                [1] * (n + 1),
                [[1]] * n,
                [float("nan")] * n,
                object(),
                {"a": 1},
                ["a"] * n,
            ]
            return bad[rng.integers(len(bad))]
    return None


BAD = [
    None,
    5,
    -1,
    0,
    "x",
    1.5,
    float("nan"),
    True,
    [],
    {},
    object(),
    [None],
    ["nobody"],
    {"nobody": True},
    10**30,
    b"x",
]


def _knowledge(names: list[str], pick: Any) -> Knowledge:
    """Return what somebody may think to know, rightly or not."""
    name = pick([*names, "nobody"])
    cuts = pick([{}, {}, {name: [0]}, {name: [1, 2.5]}, {name: []}, {name: [float("nan")]}, {name: ["x"]}, 5])
    monotone = pick([{}, {}, {name: "up"}, {name: "down"}, {name: "sideways"}, {name: 1}, 5])
    forbid = pick([(), (), [f"{name} > 1"], [f"{name} = red"], [name], ["="], [""], [5], "x > 1"])
    return Knowledge(keep=pick([*[None] * 9, "x"]), forbid=forbid, cuts=cuts, monotone=monotone)


def arguments_of(case: TableCase, names: list[str], rng: np.random.Generator) -> dict[str, Any]:
    """Return what is asked of the rule."""
    pick = lambda values: values[int(rng.integers(len(values)))]  # noqa: E731
    good = {
        "max_clauses": [1, 2, 3, 16, 10**9],
        "max_literals": [1, 2, 3, 40, 10**9],
        "columns": [names[:1], {names[0]: False}, {names[-1]: True}, ["x0"]],
        "require": [names[:1], names, ["x0"]],
        "negations": [False],
        "min_precision": [0.5, 1.0, 0.9],
        "binarize": ["paper"],
        "counts": ["only", "never"],
        "class_weight": ["balanced", {0: 5.0}, {1: 1e6}, {True: 0.1}, {"yes": 1e-6}],
        "positive": [0, 1, True, "yes", 0.5],
        "exact_text": [True],
        "random_state": [0, 7, 2**32 - 1],
        "min_sensitivity": [0.1, 0.5, 0.9, 1.0],
        "min_specificity": [0.1, 0.5, 0.9, 1.0],
        "knowledge": [None],
    }
    asked = {name: pick(good[name]) for name in case.arguments if name in good}
    if "knowledge" in asked:
        asked["knowledge"] = _knowledge(names, pick)
    if "bad" in case.arguments:
        asked[pick(list(good))] = pick(BAD)
    if case.model == "number":
        return {
            key: value
            for key, value in asked.items()
            if not key.startswith("min_") and key not in ("counts", "class_weight", "positive")
        }
    return {"model": case.model, **asked}
