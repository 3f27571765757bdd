"""The rule: branches to try in order, and an ELSE. One record for classes, numbers and survival.

    branch    = clause -> estimate
    clause    = conjunction of literals, or at least k of n
    estimate  = class shares, a mean or a risk, counted on the rows that the branch decides

The first branch whose clause fires decides a row; where none fires, ``otherwise`` does. How the cells of its
columns are read (``plans``) comes with a rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.rule.column import Column, ColumnPlan, Columns, row_count
from nri.rule.estimate import AnyTarget, NumberTarget
from nri.rule.labels import ClassTarget, Label
from nri.rule.literal import Clause, Dnf, Kind
from nri.rule.truth import clause_matrix, favour, first_to_fire


@dataclass(frozen=True)
class RenderOptions:
    """Options of all formats, as :meth:`Rule.render` describes them; a format reads those that concern it."""

    note: str | None = None
    table: str | Sequence[str] | None = None
    function: str = "predict"
    dialect: str | None = None
    statement: str | None = None
    into: str | None = None
    validation: Mapping[str, Any] | None = None
    provenance: Mapping[str, Any] | None = None


_extensions: dict[str, Any] = {}


def extend(**extensions: Any) -> None:
    """Give rules what modules above this one know: reading rows, rendering, explaining, pushing down."""
    _extensions.update(extensions)


@dataclass(frozen=True)
class Branch:
    """A condition, and what is known of the rows that it decides."""

    clause: Clause
    estimate: Any  # one of :class:`Shares`, :class:`Mean` and :class:`Risk`

    @property
    def value(self) -> Any:
        """What is predicted."""
        return self.estimate.value


@dataclass(frozen=True)
class Rule:
    """Branches to try in order, what holds where none fires, and the rows behind all of it."""

    predicts: AnyTarget  # What is predicted: classes, a number, or the time until an event
    branches: tuple[Branch, ...]
    otherwise: Any  # Estimate of the rows on which no branch fires
    support: Any  # Estimate of all rows that the rule was counted on
    fit: float | None = None
    """On these rows: R² of a number, p-value of the log-rank test of survival; None for classes."""
    plans: Mapping[str, ColumnPlan] = field(default_factory=dict)
    """How the cells of the columns are read; what is not mentioned is read by the kind of its literals."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "branches", tuple(self.branches))
        self._check_estimates()
        plans = {name: ColumnPlan(kind, stated=False) for name, kind in self.kinds.items()}
        plans |= {name: self.plans[name] for name in plans if name in self.plans}
        object.__setattr__(self, "plans", plans)

    def _check_estimates(self) -> None:
        if not isinstance(self.predicts, ClassTarget):
            if not np.isfinite(np.array([one.value for one in self.estimates], dtype=np.float64)).all():
                raise InputError(f"a branch predicts no finite number: {[e.value for e in self.estimates]}")
            return
        n_classes = len(self.predicts.classes)
        for shares in (*self.estimates, self.support):
            self.predicts.index(shares.value)
            if not len(shares.counts) == len(shares.expected) == n_classes:
                raise InputError(f"an estimate has {len(shares.counts)} counts for {n_classes} classes")

    def __str__(self) -> str:
        return self.render("text")

    def _repr_html_(self) -> str:
        """Show the rule as a table in a notebook."""
        return str(_extensions["in_notebook"](self.render("html")))

    # What it says

    @property
    def target(self) -> str:
        """Name of what is predicted."""
        return self.predicts.name

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The conditions, in the order in which they are tried."""
        return tuple(branch.clause for branch in self.branches)

    @property
    def estimates(self) -> tuple[Any, ...]:
        """Those of the branches, and that of the ELSE as the last."""
        return (*(branch.estimate for branch in self.branches), self.otherwise)

    @property
    def default(self) -> Any:
        """What is predicted where no branch fires."""
        return self.otherwise.value

    @property
    def labels(self) -> ClassTarget:
        """The target, if it is one of classes."""
        if not isinstance(self.predicts, ClassTarget):
            what = "a number" if isinstance(self.predicts, NumberTarget) else "the time until an event"
            raise InputError(f"the rule predicts {what}, {self.target!r}, where classes are needed")
        return self.predicts

    @property
    def classes(self) -> tuple[Label, ...]:
        """Labels in the order of counts and probabilities."""
        return self.labels.classes

    def conditions(self, label: Label) -> Dnf:
        """Return the clauses of the branches that predict a class."""
        self.labels.index(label)
        return Dnf(branch.clause for branch in self.branches if branch.value == label)

    @property
    def described(self) -> tuple[Label, ...]:
        """The classes that have a branch, in the order of the classes."""
        predicted = {branch.value for branch in self.branches}
        return tuple(label for label in self.classes if label in predicted)

    @property
    def n_literals(self) -> int:
        """Literals over all branches."""
        return sum(len(branch.clause) for branch in self.branches)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rule reads, each once, in the order of reading."""
        return tuple(self.kinds)

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """For each column that the rule reads, what sort of value it is compared with."""
        kinds: dict[str, Kind] = {}
        for literal in (literal for clause in self.clauses for literal in clause):
            name, kind = literal.column, kinds.setdefault(literal.column, literal.kind)
            if kind is not literal.kind:
                raise InputError(f"column {name!r} is compared as {kind} and as {literal.kind}: use one kind")
        return kinds

    # What it predicts

    def read(self, rows: Any) -> Columns:
        """Return the columns that the rule reads, by their plans; typed columns are taken as they are."""
        if isinstance(rows, Mapping) and all(isinstance(column, Column) for column in rows.values()):
            return rows
        if "read" not in _extensions:
            raise InputError("rows must be typed columns until nri.table is loaded; use nri.read_rule")
        columns: Columns = _extensions["read"](rows, self.plans)
        return columns

    def _read_all(self, rows: Any, n_rows: int | None) -> tuple[Columns, int]:
        """Return the columns that the rule reads, and M, which also a table has of which none is read."""
        columns = self.read(rows)
        if n_rows is None and not columns and columns is not rows:
            n_rows = len(rows)
        return columns, row_count(columns, n_rows)

    def decide(self, rows: Any, n_rows: int | None = None) -> IntArray:
        """[M]: index of the branch that decides each row; their number where none fires."""
        return first_to_fire(clause_matrix(self.clauses, *self._read_all(rows, n_rows)))

    def predict(self, rows: Any, n_rows: int | None = None) -> NDArray[Any]:
        """[M]: the class, the number or the risk of each row.

        Parameters
        ----------
        rows
            A DataFrame of pandas or polars, or anything else that :class:`nri.NRIClassifier` takes, with the
            columns that the rule reads; or :data:`Columns`, typed already.
        n_rows
            How many rows there are, where typed columns do not say it because the rule reads none.
        """
        values: NDArray[Any] = self.predicts.values(self.estimates)[self.decide(rows, n_rows)]
        return values

    @cached_property
    def class_indices(self) -> IntArray:
        """[branches + 1]: position among the classes of what each branch, and at last the ELSE, predicts."""
        return np.array([self.labels.index(one.value) for one in self.estimates], dtype=np.int64)

    @property
    def share_right(self) -> float:
        """Share of the support rows whose class is predicted."""
        right = sum(one.counts[k] for one, k in zip(self.estimates, self.class_indices, strict=True))
        return float(right / max(self.support.rows, 1e-12))

    def predict_index(self, rows: Any, n_rows: int | None = None) -> IntArray:
        """[M]: position in :attr:`classes` of each row's class."""
        return np.take(self.class_indices, self.decide(rows, n_rows))

    def predict_proba(self, rows: Any, n_rows: int | None = None) -> FloatArray:
        """[M, n_classes]: probabilities of the classes, of which the predicted one's is the highest."""
        n_classes = len(self.classes)  # raises for numbers
        expected = np.array([one.expected for one in self.estimates]).reshape(-1, n_classes)
        return expected[self.decide(rows, n_rows)]

    def explain(self, rows: Any, n_rows: int | None = None) -> list[Any]:
        """Return an :class:`Explanation` of each row: what decides it, what else fired, what was lacking."""
        explanations: list[Any] = _extensions["explain"](self, *self._read_all(rows, n_rows))
        return explanations

    # Its forms

    def render(
        self,
        form: str = "text",
        *,
        note: str | None = None,
        table: str | Sequence[str] | None = None,
        function: str = "predict",
        dialect: str | None = None,
        statement: str | None = None,
        into: str | None = None,
        validation: Mapping[str, Any] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> str:
        """Write the rule in another form.

        Parameters
        ----------
        form
            One of text, markdown, html, latex, json, sql, python, prolog, asp.
        note
            A line about the whole rule, in forms for people.
        table
            Name of the table to select from, a dot between schema and table; without it SQL is an expression.
        function
            Name of the Python function.
        dialect, statement, into
            For SQL; see :meth:`to_sql`.
        validation
            What was estimated about the rule, as plain data; JSON keeps it.
        provenance
            Where the rule comes from, as plain data; JSON keeps it.
        """
        formats = _extensions["formats"]
        if form not in formats:
            raise InputError(f"no format {form!r}: use one of {', '.join(formats)}")
        options = RenderOptions(note, table, function, dialect, statement, into, validation, provenance)
        return str(formats[form].write(self.reduced if formats[form].reduces else self, options))

    def to_sql(
        self,
        dialect: str | None = None,
        *,
        table: str | Sequence[str] | None = None,
        statement: str | None = None,
        into: str | None = None,
    ) -> str:
        """Write the rule as SQL for a database; it predicts what :meth:`predict` predicts.

        Parameters
        ----------
        dialect
            One of postgres, mysql (also MariaDB), bigquery, snowflake, duckdb, sqlite, spark, tsql, oracle.
            Without one it is for SQLite and DuckDB.
        table
            Name of the table, a dot between schema and table; without it SQL is an expression.
        statement
            What is written around the expression: select, view, update or dbt (a model).
        into
            Name of the view, else the table's with ``_predicted``; or of the column to update, else
            ``predicted_`` and the target.
        """
        return self.render("sql", table=table, dialect=dialect, statement=statement, into=into)

    def to_ibis(self, table: Any) -> Any:
        """Return an ibis table with the rule's predictions beside its columns; the database computes them.

        Columns must have the types that the rule reads; new spellings of categories are folded there.

        Parameters
        ----------
        table
            An ibis table with the columns that the rule reads (extra ``scale``).
        """
        return _extensions["push_down"](self, table)

    def with_plans(self, plans: Mapping[str, ColumnPlan]) -> "Rule":
        """Return the rule with the plans of the columns that it reads."""
        mentioned: dict[str, set[str]] = {name: set() for name in self.columns}
        for literal in (literal for clause in self.clauses for literal in clause):
            mentioned[literal.column].add(str(literal.value))
        kept = {name: plans[name].kept_with(texts) for name, texts in mentioned.items() if name in plans}
        return replace(self, plans=kept)

    @property
    def reduced(self) -> "Rule":
        """The same predictions, without branches where one that always holds makes the others idle."""
        always = next((i for i, clause in enumerate(self.clauses) if not clause.literals), None)
        tried = {branch.value for branch in self.branches[: (always or 0) + 1]}
        if always is None or len(tried) > 1:
            return self
        value = tried.pop()
        expected = favour(
            np.array(self.support.expected), self.labels.index(value), self.support.counts
        ).tolist()
        otherwise = replace(self.support, value=value, expected=tuple(expected))
        return replace(self, branches=(), otherwise=otherwise, plans={})
