"""SQL dialects: how each database writes names, texts, dates and booleans, and compares them.

Quoting, escapes and the names of types are sqlglot's. The fields below state what a comparison *means*: MySQL
ignores case by its usual collations, PostgreSQL refuses ``boolean = 1``. In templates, ``{x}`` is a column,
``{v}`` a value. What differs from the defaults stands in ``dialects.toml``.
"""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nri.errors import InputError
from nri.rule.render.as_table import packaged

if TYPE_CHECKING:
    from sqlglot.expressions import Expr


@dataclass(frozen=True, eq=False)
class Dialect:
    """What one database expects where databases differ."""

    name: str  # as in sqlglot; empty for SQL without a dialect
    product: str
    text: Sequence[str] = ("{x}", "{v}")
    """both sides of a comparison that distinguishes case, accents and trailing blanks"""
    date: Sequence[str] = ("{x}", "'{v}'")
    """both sides of a comparison of dates, independent of the session's time zone where that is possible"""
    zones: bool = False  # whether a column of that comparison may have a time zone
    zoned: str = ""  # the right side where it has one, if it is another
    microseconds: str = "EPOCH_US(CAST({x} AS TIMESTAMP))"  # a date as whole microseconds since 1970 UTC
    double: str = "CAST({x} AS DOUBLE)"
    infinite: bool = True  # whether a number can be infinite or NaN
    flag: str = "{x}"  # a boolean or number as a number, 1 for yes
    takes_text: bool = False  # whether a text can be compared with the number 1 without an error
    folded: str = "LOWER(TRIM(REGEXP_REPLACE({x}, '[[:space:]]+', ' ')))"
    """a text without differences of case and blanks"""
    letter: str = "ASCII({x})"  # the code of a text's first letter
    apart: str = ""  # keeps a query from being merged with the one around it, which computes it again
    truth: Sequence[str] = ("FALSE", "TRUE")  # how a boolean label is written
    folds_names: bool = True  # whether names that differ in case only are one name
    longest_name: int | None = None
    name_in_bytes: bool = False  # whether the length of a name is counted in bytes
    forbidden: str = ""  # characters that no name can have


PLAIN = Dialect("", "SQLite and DuckDB", takes_text=True, truth=("(1 = 0)", "(1 = 1)"))
"""Without a dialect. The word TRUE is a column in SQLite if the table has one of that name."""


_STATED: dict[str, dict[str, Any]] = tomllib.loads(packaged("dialects.toml"))
DIALECTS = {name: Dialect(name, **one) for name, one in _STATED.items()}  # Every dialect by its name
BACKENDS = {"pyspark": "spark", "databricks": "spark", "mssql": "tsql", "postgresql": "postgres"}
"""Other names of dialects in ibis and in URLs."""


def dialect_of(name: str | None) -> Dialect:
    """Return the dialect of that name, plain SQL for None."""
    if name is None:
        return PLAIN
    if name.lower() not in DIALECTS:
        raise InputError(f"no SQL dialect {name!r}: use one of {', '.join(DIALECTS)}")
    return DIALECTS[name.lower()]


def name_node(name: str, dialect: Dialect) -> "Expr":
    """Return the name of a column or a table as an expression of sqlglot."""
    from sqlglot import exp

    check_name(name, dialect)
    return exp.to_identifier(name, quoted=True)


def identifier(name: str, dialect: Dialect = PLAIN) -> str:
    """Quote a name, so that no character in it can mean anything else."""
    return name_node(name, dialect).sql(dialect=dialect.name)


def text_node(text: str, dialect: Dialect) -> "Expr":
    """Return a text as an expression of sqlglot."""
    from sqlglot import exp

    check_text(text)
    national = dialect.name == "tsql"  # else letters that the code page of the database lacks are lost
    return exp.National(this=text) if national else exp.Literal.string(text)


def text_literal(text: str, dialect: Dialect = PLAIN) -> str:
    """Quote a text."""
    return text_node(text, dialect).sql(dialect=dialect.name)


def float_literal(value: float) -> str:
    """Write a float64 so that every engine reads exactly this one."""
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"  # without an exponent DuckDB makes it a decimal


def check_name(name: str, dialect: Dialect) -> None:
    """Raise if no table of that database can have a column of this name."""
    where = dialect.product if dialect.name else "SQL"
    if not name:
        raise InputError("SQL has no columns without a name: name the column")
    check_text(name)
    size = len(name.encode()) if dialect.name_in_bytes else len(name)
    if dialect.longest_name is not None and size > dialect.longest_name:
        unit = "bytes" if dialect.name_in_bytes else "characters"
        raise InputError(f"{where} takes at most {dialect.longest_name} {unit}: shorten {name[:40]!r}")
    if wrong := [character for character in dialect.forbidden if character in name]:
        raise InputError(f"a name in {where} cannot have the character {wrong[0]}: rename {name!r}")
    if dialect.name == "mysql" and (name.endswith(tuple(" \t\n\v\f\r")) or max(name) > "\uffff"):
        raise InputError(f"names in {where} cannot end with a blank, nor go beyond U+FFFF: rename {name!r}")


def check_names(columns: Iterable[str], dialect: Dialect) -> None:
    """Raise if two columns are one to the database."""
    seen: dict[str, str] = {}
    for name in columns:
        other = seen.setdefault(name.lower() if dialect.folds_names else name, name)
        if other != name:
            raise InputError(f"{other!r} and {name!r} differ in case only, which SQL ignores: rename one")


def check_text(text: str) -> None:
    """Raise if no text of SQL can be this one."""
    if "\0" in text:
        raise InputError(f"SQL text cannot hold the character NUL: remove it from {text!r}")
