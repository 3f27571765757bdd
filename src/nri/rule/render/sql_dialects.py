"""SQL dialects: how each database writes names, texts, moments, yes and no, and compares them as a rule does.

Quoting, escapes and the names of types are sqlglot's; what is said here is what a comparison *means*: MySQL
and SQL Server fold case and drop blanks at the end by their usual collations, PostgreSQL refuses
``boolean = 1``, Oracle reads a moment by the settings of the session. sqlglot is imported when SQL is
written, not before.
"""

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nri.errors import InputError
from nri.rule.labels import Label
from nri.rule.literal import Kind, Literal, Op, Value
from nri.rule.plan import ColumnPlan

if TYPE_CHECKING:
    from sqlglot.expressions import Expr


ALIAS = "t"
"""The short name of the table in a query; it needs no quotes."""


@dataclass(frozen=True)
class Dialect:
    """What one database expects where databases differ."""

    name: str
    """as people say it, and sqlglot too; empty for SQL without a dialect"""
    product: str
    """the databases it is for"""
    text: str = "plain"
    """how texts are compared: ``plain``, or a way around collations that are the usual ones there"""
    moment: str | None = None
    """the type that a moment is written as; None is a text"""
    casts_moments: bool = False
    """whether the column is cast to that type too, because types of moments do not compare there"""
    flag: str = "number"
    """``number`` where yes compares with 1 by itself, ``cast`` where a boolean must become a number first"""
    truth: tuple[str, str] = ("FALSE", "TRUE")
    """how a boolean label is written"""
    folds_names: bool = True
    """whether names that differ in case only are one name"""
    longest_name: int | None = None
    name_in_bytes: bool = False
    """whether the length of a name is counted in bytes"""
    forbidden: str = ""
    """characters that no name can have"""


_PLAIN = Dialect("", "SQLite and DuckDB", truth=("(1 = 0)", "(1 = 1)"))
"""Without a dialect. The word TRUE is a column in SQLite if the table has one of that name."""

DIALECTS: dict[str, Dialect] = {
    one.name: one
    for one in (
        Dialect(
            "postgres",
            "PostgreSQL",
            moment="TIMESTAMP",
            flag="cast",
            folds_names=False,
            longest_name=63,
            name_in_bytes=True,
        ),
        Dialect("mysql", "MySQL and MariaDB", text="mysql", moment="DATETIME(6)", longest_name=64),
        Dialect(
            "bigquery",
            "BigQuery",
            moment="DATETIME",
            casts_moments=True,
            flag="cast",
            longest_name=300,
            forbidden="`\\.",  # a dot parts a path, in quotes too
        ),
        Dialect(
            "snowflake", "Snowflake", moment="TIMESTAMP_NTZ", flag="cast", folds_names=False, longest_name=255
        ),
        Dialect("duckdb", "DuckDB", moment="TIMESTAMP"),
        Dialect("sqlite", "SQLite", text="sqlite", truth=("0", "1")),
        Dialect("spark", "Spark and Databricks", moment="TIMESTAMP", flag="cast"),
        Dialect("tsql", "SQL Server", text="tsql", moment="DATETIME2(6)", truth=("0", "1"), longest_name=128),
        Dialect(
            "oracle",
            "Oracle",
            moment="TIMESTAMP",
            truth=("0", "1"),
            folds_names=False,
            longest_name=128,
            name_in_bytes=True,
            forbidden='"',
        ),
    )
}
"""Every dialect by its name."""


def dialect_of(name: str | None) -> Dialect:
    """Return the dialect of that name, plain SQL for None.

    >>> dialect_of("mysql").product
    'MySQL and MariaDB'
    """
    if name is None:
        return _PLAIN
    if name.lower() not in DIALECTS:
        raise InputError(f"no SQL dialect {name!r}: use one of {', '.join(DIALECTS)}")
    return DIALECTS[name.lower()]


def identifier(name: str, dialect: Dialect = _PLAIN) -> str:
    """Quote a name, so that no character in it can mean anything else.

    >>> identifier('a"b'), identifier("a`b", dialect_of("mysql"))
    ('"a""b"', '`a``b`')
    """
    from sqlglot import exp

    check_name(name, dialect)
    return exp.to_identifier(name, quoted=True).sql(dialect=dialect.name)


def text_literal(text: str, dialect: Dialect = _PLAIN) -> str:
    r"""Quote a text.

    >>> text_literal("it's"), text_literal("back\\", dialect_of("mysql"))
    ("'it''s'", "'back\\\\'")
    """
    return _text(text, dialect).sql(dialect=dialect.name)


def check_name(name: str, dialect: Dialect) -> None:
    """Raise if no table of that database can have a column of this name."""
    where = dialect.product if dialect.name else "SQL"
    if not name:
        raise InputError("SQL has no columns without a name: name the column")
    _printable(name)
    size = len(name.encode()) if dialect.name_in_bytes else len(name)
    if dialect.longest_name is not None and size > dialect.longest_name:
        unit = "bytes" if dialect.name_in_bytes else "characters"
        raise InputError(
            f"names in {where} have at most {dialect.longest_name} {unit}: shorten {name[:40]!r}..."
        )
    if wrong := [character for character in dialect.forbidden if character in name]:
        raise InputError(f"a name in {where} cannot have the character {wrong[0]}: rename {name!r}")
    if dialect.name == "mysql" and (name.endswith(tuple(" \t\n\v\f\r")) or max(name) > "\uffff"):
        raise InputError(
            f"a name in {where} cannot end with a blank nor have characters beyond U+FFFF: rename {name!r}"
        )


def check_names(columns: Iterable[str], dialect: Dialect) -> None:
    """Raise if two columns are one to the database."""
    seen: dict[str, str] = {}
    for name in columns:
        other = seen.setdefault(name.lower() if dialect.folds_names else name, name)
        if other != name:
            raise InputError(
                f"columns {other!r} and {name!r} differ in case only, which SQL does not see: rename one"
            )


def condition(literal: Literal, plan: ColumnPlan, dialect: Dialect, prefix: str | None = None) -> str:
    """Write a comparison; it is true where the literal is known to hold, and only there.

    >>> from nri.rule.plan import unstated
    >>> condition(Literal("smoker", Op.EQ, True), unstated(Kind.BOOLEAN), dialect_of("postgres"))
    'CAST("smoker" AS INT) = 1'
    """
    from sqlglot import exp

    check_name(literal.column, dialect)
    table = None if prefix is None else exp.to_identifier(prefix, quoted=prefix != ALIAS)
    column: Expr = exp.column(exp.to_identifier(literal.column, quoted=True), table=table)
    if literal.kind is Kind.TEXT:
        column, values = _texts(column, plan.spelled(str(literal.value)), dialect)
    elif literal.kind is Kind.DATE:
        assert isinstance(literal.value, dt.datetime)
        column, values = _moments(column, literal.value, dialect)
    elif literal.kind is Kind.BOOLEAN:
        column = exp.cast(column, "int") if dialect.flag == "cast" else column
        values = [exp.Literal.number("1")]
    else:
        values = [exp.Literal.number(repr(literal.value))]
    if len(values) == 1:
        return _COMPARISONS[literal.op](column, values[0]).sql(dialect=dialect.name)
    among = ", ".join(value.sql(dialect=dialect.name) for value in values)
    return f"{column.sql(dialect=dialect.name)} {'IN' if literal.op is Op.EQ else 'NOT IN'} ({among})"


def _compare(name: str) -> "Callable[[Expr, Expr], Expr]":
    def built(column: "Expr", value: "Expr") -> "Expr":
        from sqlglot import exp

        made: Expr = getattr(exp, name)(this=column, expression=value)
        return made

    return built


_COMPARISONS = {Op.EQ: _compare("EQ"), Op.NE: _compare("NEQ"), Op.GT: _compare("GT"), Op.LE: _compare("LTE")}


def label_literal(label: Label, dialect: Dialect) -> str:
    """Write a class label as a value."""
    from sqlglot import exp

    if isinstance(label, bool):
        return dialect.truth[label]
    if isinstance(label, str):
        return text_literal(label, dialect)
    if isinstance(label, float):
        text = repr(label)
        if dialect.name == "postgres":  # an exponent makes no double of it there
            return exp.cast(exp.Literal.number(text), "double").sql(dialect=dialect.name)
        return text if "e" in text else f"{text}e0"  # without an exponent DuckDB makes it a decimal
    return repr(label)


def label_type(labels: Iterable[Label], dialect: Dialect) -> str:
    """Return the type of a column that can hold every one of these labels.

    >>> label_type(["no", "maybe"], dialect_of("oracle"))
    'VARCHAR2(5)'
    """
    from sqlglot import exp

    labels = list(labels)
    if any(isinstance(label, str) for label in labels):
        wide = "N" if dialect.name == "tsql" else ""
        wanted = f"{wide}VARCHAR({max(1, *(len(str(label)) for label in labels))})"
    elif all(isinstance(label, bool) for label in labels):
        wanted = "SMALLINT" if dialect.name == "oracle" else "BOOLEAN"
    else:
        wanted = "DOUBLE" if any(isinstance(label, float) for label in labels) else "BIGINT"
    return exp.DataType.build(wanted).sql(dialect=dialect.name)


def _text(text: str, dialect: Dialect) -> "Expr":
    from sqlglot import exp

    _printable(text)
    if dialect.text == "tsql":  # else letters that the code page of the database lacks are lost
        return exp.National(this=text)
    return exp.Literal.string(text)


def _printable(text: str) -> str:
    if "\0" in text:
        raise InputError(f"SQL text cannot hold the character NUL: remove it from {text!r}")
    return text


def _texts(column: "Expr", texts: Iterable[str], dialect: Dialect) -> "tuple[Expr, list[Expr]]":
    """Return both sides of a comparison that tells apart what differs in case or in blanks at the end."""
    from sqlglot import exp

    written = {text: _text(text, dialect) for text in texts}
    match dialect.text:
        case "mysql":
            values = [one if text.isascii() else _utf8(one) for text, one in written.items()]
            return exp.cast(_utf8(column), "binary"), values
        case "tsql":
            wide, raw = (
                exp.DataType.build(f"{kind}(MAX)", dialect="tsql") for kind in ("NVARCHAR", "VARBINARY")
            )
            return exp.cast(exp.cast(column, wide), raw), [exp.cast(one, raw) for one in written.values()]
        case "sqlite":  # a column may have been declared with NOCASE or RTRIM
            return exp.Collate(this=column, expression=exp.var("BINARY")), list(written.values())
    return column, list(written.values())


def _utf8(expression: "Expr") -> "Expr":
    """Return a text in one encoding, whatever that of the column or of the connection is."""
    from sqlglot import exp

    kind = exp.DataType(this=exp.DataType.Type.CHARACTER_SET, kind=exp.var("utf8mb4"))
    return exp.Cast(this=expression, to=kind)


def _moments(column: "Expr", moment: Value, dialect: Dialect) -> "tuple[Expr, list[Expr]]":
    from sqlglot import exp

    assert isinstance(moment, dt.datetime)
    text = exp.Literal.string(moment.isoformat(sep=" "))
    if dialect.moment is None:
        return column, [text]
    if dialect.name == "oracle":  # a cast would follow the settings of the session
        fraction = ".FF6" if moment.microsecond else ""
        form = exp.Literal.string(f"YYYY-MM-DD HH24:MI:SS{fraction}")
        return column, [exp.Anonymous(this="TO_TIMESTAMP", expressions=[text, form])]
    kind = exp.DataType.build(dialect.moment, dialect=dialect.name)
    return (exp.cast(column, kind) if dialect.casts_moments else column), [exp.cast(text, kind)]
