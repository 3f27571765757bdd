"""SQL: one CASE expression, or a statement around it, in the dialect of the database where it will run.

Missing cells are NULL: a comparison with NULL is not true, so a clause that meets one does not
fire, just as here. DuckDB and PostgreSQL take NaN for the largest number, so store NULL instead. Dates in
SQLite are text like ``2024-05-01 00:00:00``, which sorts as dates do. Loaded as text ``TRUE`` into SQLite, a
yes would not equal 1, without an error, so a comment says which columns must not be text.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.rule import Rule
from nri.rule.labels import Label
from nri.rule.literal import Kind
from nri.rule.render.outline import RenderOptions
from nri.rule.phrase import one_line
from nri.rule.render.sql_dialects import (
    ALIAS,
    DIALECTS,
    Dialect,
    check_names,
    condition,
    dialect_of,
    identifier,
    label_literal,
    label_type,
)

STATEMENTS = ("select", "view", "update", "dbt")
"""What can be written around the expression, given the name of a table."""
_WIDEST = 110
"""A clause with more letters gets a line for each condition."""


def render_sql(rule: Rule, options: RenderOptions) -> str:
    """Write the expression of the predicted label, or with a table's name a whole statement."""
    dialect = dialect_of(options.dialect)
    check_names(rule.columns, dialect)
    head = _made_for(dialect) + _expected(rule, dialect)
    if options.table is None:
        if options.statement is not None or options.into is not None:
            raise InputError("a whole statement needs the name of the table; give it (--table NAME)")
        return head + _case(rule, dialect) + "\n"
    table = table_parts(options.table)
    match options.statement or "select":
        case "select":
            return f"{head}{_select(rule, dialect, _source(table, dialect))}\n"
        case "view":
            into = (options.into,) if options.into else (f"{table[-1]}_predicted",)
            name = _dotted((*table[:-1], *into), dialect)
            return f"{head}CREATE VIEW {name} AS\n{_select(rule, dialect, _source(table, dialect))};\n"
        case "update":
            return head + _update(rule, dialect, table, options.into)
        case "dbt":
            return _dbt(rule, dialect, table, head)
    raise InputError(f"no SQL statement {options.statement!r}: use one of {', '.join(STATEMENTS)}")


def table_parts(table: str | Sequence[str]) -> tuple[str, ...]:
    """Return the parts of a table's name; a dot in a text parts schema and table unless it is in quotes.

    >>> table_parts("clinic.visits"), table_parts('clinic."visits.2024"')
    (('clinic', 'visits'), ('clinic', 'visits.2024'))
    """
    if not isinstance(table, str):
        return tuple(table)
    parts = re.findall(r'"((?:[^"]|"")+)"|([^."][^.]*)', table)
    if ".".join(f'"{quoted}"' if quoted else bare for quoted, bare in parts) != table:
        return (table,)  # dots and quotes that make no such name are part of it
    return tuple(quoted.replace('""', '"') or bare for quoted, bare in parts)


def _made_for(dialect: Dialect) -> str:
    if dialect.name:
        return f"-- for {dialect.product}\n"
    return f"-- for {dialect.product}; for others name a dialect: {', '.join(DIALECTS)}\n"


def _expected(rule: Rule, dialect: Dialect) -> str:
    """Return comments on types, where another one gives wrong answers instead of an error."""
    dressed = [
        name
        for name, plan in rule.plans.items()
        if plan.kind is Kind.NUMBER and (any(plan.unit) or plan.thousands or plan.decimal != ".")
    ]
    of_kind = {kind: [name for name, one in rule.kinds.items() if one is kind] for kind in Kind}
    in_sqlite = "; in SQLite text like 2024-05-01 00:00:00" if dialect.name in ("", "sqlite") else ""
    expected = {
        "numbers, without unit and separators": dressed,
        "1 or 0, true or false; not text": of_kind[Kind.BOOLEAN],
        f"a date or time{in_sqlite}": of_kind[Kind.DATE],
    }
    return "".join(
        f"-- {', '.join(one_line(identifier(name, dialect)) for name in names)}: {what}\n"
        for what, names in expected.items()
        if names
    )


def _case(rule: Rule, dialect: Dialect, prefix: str | None = None, indent: str = "") -> str:
    """Write the expression; consecutive clauses for one label share a WHEN."""
    branches = []
    for label, group in groupby(rule.branches, key=lambda branch: branch.value):
        conditions = [_clause(branch.clause, rule, dialect, prefix, indent) for branch in group]
        fires = f"\n{indent}    OR ".join(conditions)
        branches.append(f"{indent}  WHEN {fires}\n{indent}    THEN {label_literal(label, dialect)}")
    otherwise = label_literal(rule.default, dialect)
    if not branches:
        return otherwise
    return "\n".join(["CASE", *branches, f"{indent}  ELSE {otherwise}", f"{indent}END"])


def _clause(clause: Clause, rule: Rule, dialect: Dialect, prefix: str | None, indent: str) -> str:
    conditions = [condition(literal, rule.plans[literal.column], dialect, prefix) for literal in clause]
    if clause.counts:
        held = f"\n{indent}      + ".join(f"CASE WHEN {one} THEN 1 ELSE 0 END" for one in conditions)
        return f"({held} >= {clause.at_least})"
    line = " AND ".join(conditions)
    if len(line) > _WIDEST:
        line = f"\n{indent}      AND ".join(conditions)
    return f"({line or '1 = 1'})"


def _select(rule: Rule, dialect: Dialect, source: str) -> str:
    # With a prefix, SQLite reports a misspelt column; without, it would take the name for a text.
    expression = _case(rule, dialect, prefix=ALIAS, indent="  ")
    predicted = identifier(f"predicted_{rule.target}", dialect)
    return f"SELECT {ALIAS}.*,\n  {expression} AS {predicted}\nFROM {source}"


def _source(table: tuple[str, ...], dialect: Dialect) -> str:
    return f"{_dotted(table, dialect)} {_as(dialect)}{ALIAS}"


def _as(dialect: Dialect) -> str:
    """Return the word before the short name of a table; Oracle has none."""
    return "" if dialect.name == "oracle" else "AS "


def _dotted(parts: Sequence[str], dialect: Dialect) -> str:
    return ".".join(identifier(part, dialect) for part in parts)


def _update(rule: Rule, dialect: Dialect, table: tuple[str, ...], into: str | None) -> str:
    column = identifier(into or f"predicted_{rule.target}", dialect)
    name = _dotted(table, dialect)
    add = "ADD" if dialect.name in ("tsql", "oracle") else "ADD COLUMN"
    kind = label_type(_labels(rule), dialect)
    first = one_line(f"-- first, if it has no such column: ALTER TABLE {name} {add} {column} {kind};")
    prefix = table[-1] if dialect.name in ("", "sqlite") else None  # see _select
    everywhere = "\nWHERE TRUE" if dialect.name == "bigquery" else ""  # it asks for a condition
    return f"{first}\nUPDATE {name} SET {column} = {_case(rule, dialect, prefix)}{everywhere};\n"


def _labels(rule: Rule) -> tuple[Label, ...]:
    """Return what can be said, each once."""
    return tuple(dict.fromkeys([*(branch.value for branch in rule.branches), rule.default]))


def _dbt(rule: Rule, dialect: Dialect, table: tuple[str, ...], head: str) -> str:
    """Write a model of dbt: on another model, or with a schema's name on a source.

    Its templates must not find anything in names and texts.
    """
    query = _without_templates(f"{head}{_select(rule, dialect, source='')}")
    names = ["'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'" for name in table[-2:]]
    source = f"{{{{ {'ref' if len(names) == 1 else 'source'}({', '.join(names)}) }}}}"
    return f"{{{{ config(materialized='view') }}}}\n\n{query}{source} {_as(dialect)}{ALIAS}\n"


def _without_templates(text: str) -> str:
    """Return text that Jinja leaves as it is."""
    if not any(mark in text for mark in ("{{", "{%", "{#")):
        return text
    return text.replace("{", "{{ '{' }}")
