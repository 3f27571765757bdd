"""Generated columns, clauses and rules: names and values as hostile as users' tables."""

import datetime as dt
import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from nri.induce.assemble import count_classes
from nri.outcome import Classes
from nri.rule import (
    Clause,
    Column,
    ColumnPlan,
    Dnf,
    Kind,
    Literal,
    Op,
    Rule,
    column_of,
    difference,
    rule_truth,
)
from nri.table import Table

NASTY = [
    "select",
    "a b",
    'say "hi"',
    "it's",
    "back\\slash",
    "two\nlines",
    "tab\tand\rreturn",
    "x'; DROP TABLE data; --",
    '"); import os; os.abort() #',
    '"""',
    "'''",
    "日本語",
    "naïve \u202e reversed",
    "% comment",
    "$x_{1}$ & \\input{x}",
    "<script>alert(1)</script>",
    "|pipe|`tick`*star*",
    "{brace} {0}",
    "_",
    "X",
    "NULL",
    "TRUE",
    "nan",
    "1",
    "\u2028",
    "\x1b[31m",
    "\ufeffbom",
]
"""Text that breaks exporters which paste instead of quoting."""

text = st.sampled_from(NASTY) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
)

MOMENT = st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2050, 1, 1))
NUMBER = st.integers(-5, 5) | st.sampled_from([0.1, 0.5, -2.75, 1e-9, 1e20, 12345678.123, 1 / 3, 3e9])

POOLS: dict[Kind, st.SearchStrategy] = {
    Kind.BOOLEAN: st.just([True, False]),
    Kind.NUMBER: st.lists(NUMBER, min_size=1, max_size=5, unique=True),
    Kind.TEXT: st.lists(text, min_size=1, max_size=4, unique=True),
    Kind.DATE: st.lists(MOMENT, min_size=1, max_size=4, unique=True),
}


@st.composite
def schemas(draw, kinds=tuple(Kind), max_columns=4):
    """Column names, each with its kind and the few values that cells and literals share."""
    names = draw(st.lists(text, min_size=1, max_size=max_columns, unique_by=lambda name: name.casefold()))
    return {name: (kind := draw(st.sampled_from(kinds)), draw(POOLS[kind])) for name in names}


@st.composite
def literals(draw, schema):
    name = draw(st.sampled_from(list(schema)))
    kind, pool = schema[name]
    ops = list(Op) if kind in (Kind.NUMBER, Kind.DATE) else [Op.EQ, Op.NE]
    return Literal(name, draw(st.sampled_from(ops)), draw(st.sampled_from(pool)))


@st.composite
def clauses(draw, schema, min_size=0, max_size=4):
    """Conjunctions, and clauses that count as soon as they have two literals."""
    members = set(draw(st.lists(literals(schema), min_size=min_size, max_size=max_size)))
    fewer = st.integers(1, len(members)) if len(members) > 1 else st.none()
    return Clause(members, draw(st.none() | fewer))


def dnfs(schema, max_size=4, min_literals=0):
    return st.lists(clauses(schema, min_literals), max_size=max_size).map(Dnf)


def cell(kind, pool):
    """A cell from the pool, beside it, or missing."""
    beside = {
        Kind.BOOLEAN: st.booleans(),
        Kind.NUMBER: NUMBER | st.floats(allow_nan=False),
        Kind.TEXT: text,
        Kind.DATE: MOMENT,
    }
    return st.none() | st.sampled_from(pool) | beside[kind]


@st.composite
def tables(draw, schema, min_rows=1, max_rows=8):
    """Rows of the schema as lists of cells; None is missing."""
    n = draw(st.integers(min_rows, max_rows))
    return {
        name: draw(st.lists(cell(kind, pool), min_size=n, max_size=n))
        for name, (kind, pool) in schema.items()
    }


def typed_column(kind: Kind, cells: list) -> Column:
    """A column of that kind also when every cell is missing."""
    if any(cell is not None for cell in cells):
        return column_of(cells)
    blank = {
        Kind.BOOLEAN: np.zeros(len(cells), bool),
        Kind.NUMBER: np.full(len(cells), np.nan),
        Kind.TEXT: np.full(len(cells), None, dtype=object),
        Kind.DATE: np.full(len(cells), np.datetime64("NaT"), dtype="datetime64[us]"),
    }
    return Column(blank[kind], np.zeros(len(cells), bool))


def columns_of(schema, table):
    """Columns as a table is read: what is infinite counts as missing."""
    known = {
        name: [None if cell in (math.inf, -math.inf) else cell for cell in table[name]] for name in schema
    }
    return {name: typed_column(kind, known[name]) for name, (kind, _) in schema.items()}


def n_rows(table) -> int:
    return len(next(iter(table.values())))


LABELS = st.one_of(
    st.lists(text, min_size=2, max_size=4, unique=True),
    st.lists(st.integers(-3, 40), min_size=2, max_size=4, unique=True),
    st.lists(st.sampled_from([0.5, -1.25, 2.0, 1e-9]), min_size=2, max_size=4, unique=True),
    st.just([False, True]),
)


def _usual_default(classes, conditions, columns, class_weights):
    if len(classes) == 2 and len(conditions) == 1:
        return next(label for label in classes if label not in conditions)
    fires = [rule_truth(dnf, columns, len(class_weights)) for dnf in conditions.values()]
    left = ~np.any(fires, axis=0) if fires else np.ones(len(class_weights), dtype=bool)
    shares = class_weights[left].sum(axis=0)
    return classes[int(np.argmax(shares if shares.any() else class_weights.sum(axis=0)))]


def counted(target, classes, conditions, columns, class_weights, default=None) -> Rule:
    """Return the conditions of classes as a rule, counted on rows of these weights [M, n_classes].

    Without a default it is the other one of two classes, or the most frequent one of the rows on which no
    condition holds.
    """
    classes, class_weights = tuple(classes), np.asarray(class_weights, dtype=np.float64)
    n_classes, n = len(classes), len(class_weights)
    if default is None:
        default = _usual_default(classes, conditions, columns, class_weights)
    rows, codes = np.repeat(np.arange(n), n_classes), np.tile(np.arange(n_classes), n)
    some = class_weights.reshape(-1) > 0
    rows, codes, weights = rows[some], codes[some], class_weights.reshape(-1)[some]
    taken = {name: column.take(rows) for name, column in columns.items()}
    plans = {name: ColumnPlan(column.kind) for name, column in columns.items()}
    outcome = Classes(target, classes, codes)
    table = Table(taken, plans, weights, np.arange(1, len(rows) + 1), outcome)
    return replace(count_classes(conditions, default, table), plans={})


@st.composite
def rules(draw, schema, min_literals=0) -> Rule:
    """A rule whose estimates were counted on a generated support table."""
    classes = draw(LABELS)
    support = draw(tables(schema, max_rows=6))
    labels = draw(
        st.lists(st.integers(0, len(classes) - 1), min_size=n_rows(support), max_size=n_rows(support))
    )
    described = draw(st.lists(st.sampled_from(classes), unique=True, max_size=len(classes)))
    return counted(
        target=draw(text),
        classes=classes,
        conditions={label: draw(dnfs(schema, max_size=3, min_literals=min_literals)) for label in described},
        columns=columns_of(schema, support),
        class_weights=np.eye(len(classes))[labels],
        default=draw(st.sampled_from([None, *classes])),
    )


@st.composite
def cases(draw, kinds=tuple(Kind), max_columns=4, min_literals=0):
    """A rule and a table to apply it to: (schema, rule, table)."""
    schema = draw(schemas(kinds, max_columns))
    return schema, draw(rules(schema, min_literals)), draw(tables(schema))


def equivalent(first: Dnf, second: Dnf, domain=None, *, unknown_cells=False) -> bool:
    """Whether two rules fire on the same rows of a domain."""
    return difference(first, second, domain, unknown_cells=unknown_cells) is None
