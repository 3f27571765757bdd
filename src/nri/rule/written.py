"""What every written rule has, whether it says classes or numbers: the columns it reads, and its forms."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.column import Column, Columns, row_count
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan, unstated


class WrittenRule:
    """A frozen record of clauses with ``plans``, which says in :meth:`clauses` what these are."""

    plans: Mapping[str, ColumnPlan]

    def clauses(self) -> Iterable[Clause]:
        """Return every clause, in the order of reading."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.render("text")

    def _repr_html_(self) -> str:
        """Show the rule as a table in a notebook."""
        from nri.rule.render.as_html import in_notebook

        return in_notebook(self.render("html"))

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
    ) -> str:
        """Write the rule in another form.

        Parameters
        ----------
        form
            One of text, markdown, html, latex, json, sql, python, prolog, asp, sympy; for a number one of
            text, markdown, html, json, sql, python.
        note
            A line about the whole rule, in forms for people.
        table
            Name of the table to select from, a dot between schema and table; without it SQL is an expression.
        function
            Name of the Python function.
        dialect, statement, into
            For SQL; see :meth:`to_sql`.
        """
        from nri.rule.render import render  # the renderers know the rules, not the other way round

        return render(
            self,
            form,
            note=note,
            table=table,
            function=function,
            dialect=dialect,
            statement=statement,
            into=into,
        )

    def to_sql(
        self,
        dialect: str | None = None,
        *,
        table: str | Sequence[str] | None = None,
        statement: str | None = None,
        into: str | None = None,
    ) -> str:
        """Write the rule as SQL for a database; it says what ``predict`` says.

        Parameters
        ----------
        dialect
            One of postgres, mysql (also MariaDB), bigquery, snowflake, duckdb, sqlite, spark, tsql, oracle,
            redshift. Without one it is for SQLite and DuckDB.
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
        """Return a table of ibis with what the rule says of its rows, as :command:`nri predict` names it.

        Nothing is computed here: the database that holds the rows does it when the table is asked for.
        Columns must have the types that the rule reads; new spellings of categories are folded there.

        Parameters
        ----------
        table
            An ibis table with the columns that the rule reads (extra ``scale``).
        """
        from nri.rule.render.sql import add_outcomes

        return add_outcomes(self, table, self._outcomes())  # type: ignore[arg-type]  # every one is a list

    def _outcomes(self) -> Mapping[str, Sequence[Any]]:
        """For each column of predictions what it holds where each clause decides, the default last."""
        raise NotImplementedError

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rule reads, each once, in the order of reading."""
        return tuple(dict.fromkeys(name for clause in self.clauses() for name in clause.columns))

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """For each column the rule reads, what sort of value it is compared with."""
        kinds: dict[str, Kind] = {}
        for literal in (literal for clause in self.clauses() for literal in clause):
            if kinds.setdefault(literal.column, literal.kind) is not literal.kind:
                raise InputError(
                    f"column {literal.column!r} is compared as {kinds[literal.column]} and as "
                    f"{literal.kind}: use one kind"
                )
        return kinds

    def _complete_plans(self) -> None:
        """Give every column that is read a plan; for the ``__post_init__`` of a frozen record."""
        plans = {name: self.plans.get(name, unstated(kind)) for name, kind in self.kinds.items()}
        object.__setattr__(self, "plans", plans)

    def read(self, rows: Any) -> Columns:
        """Return the columns that the rule reads, by their plans; typed columns are taken as they are."""
        if isinstance(rows, Mapping) and all(isinstance(column, Column) for column in rows.values()):
            return rows
        from nri.table import read_columns  # whoever holds only typed columns needs no pandas

        return read_columns(rows, self.plans)

    def _read_all(self, rows: Any, n_rows: int | None) -> tuple[Columns, int]:
        """Return the columns that the rule reads, and M, which also a table knows of which none is read."""
        columns = self.read(rows)
        if n_rows is None and not columns and columns is not rows:
            n_rows = len(rows)
        return columns, row_count(columns, n_rows)

    def with_plans(self, plans: Mapping[str, ColumnPlan]) -> Self:
        """Return the rule with the plans of the columns that it reads."""
        mentioned: dict[str, set[str]] = {name: set() for name in self.columns}
        for literal in (literal for clause in self.clauses() for literal in clause):
            mentioned[literal.column].add(str(literal.value))
        kept = {name: plans[name].kept_with(texts) for name, texts in mentioned.items() if name in plans}
        return replace(self, plans=kept)  # type: ignore[type-var]  # every one of them is a record
