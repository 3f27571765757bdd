"""SQL: the one writer of a rule, for exports, for engines that hold the rows and for tables of ibis.

Missing cells are NULL, with which no comparison is true. Infinity and NaN count as missing: ``x - x = 0``
holds for finite numbers only. Dates are compared in UTC where the dialect can do so in any session.
"""

import datetime as dt
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from itertools import groupby
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.expressions import Expr

from nri.errors import InputError, UnknownColumnError
from nri.rule.column import ColumnPlan
from nri.rule.labels import Label
from nri.rule.literal import Clause, Kind, Literal, Op
from nri.rule.render.sql_dialects import (
    BACKENDS,
    DIALECTS,
    Dialect,
    check_names,
    dialect_of,
    float_literal,
    identifier,
    name_node,
    text_node,
)
from nri.rule.rule import RenderOptions, Rule
from nri.rule.truth import COMPARE
from nri.texts import one_line

ALIAS = "t"  # The short name of the table in a query; it needs no quotes.
IBIS_ROWS = "nri_rows"  # The name of a table of ibis in a query.
_EXACT = 2**53  # From here on a float64 can stand for several integers.
_FLAG_TEXTS = (("0", "0.0", "false"), ("1", "1.0", "true"))
_NODES: dict[Op, type[Expr]] = {Op.EQ: exp.EQ, Op.NE: exp.NEQ, Op.GT: exp.GT, Op.LE: exp.LTE}


@lru_cache(maxsize=256)
def _parsed(sql: str, dialect: str) -> Expr:
    return sqlglot.parse_one(sql, read=dialect)


def microseconds_of(moment: dt.datetime) -> int:
    """Return the microseconds since 1970 of a date."""
    return (moment - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)


def finite(value: str) -> str:
    """Write a number, NULL where it is infinite or NaN."""
    return f"CASE WHEN {value} - {value} = 0 THEN {value} END"


def _filled(template: str, dialect: Dialect, node: Expr) -> Expr:
    """Put an expression in the place of ``{x}`` or ``{v}`` of a template."""
    tree = _parsed(template.format(x="nri_", v="nri_"), dialect.name)
    return tree.transform(lambda one: node.copy() if isinstance(one, exp.Column) else one)


def _compare(op: Op, left: Expr, right: Expr) -> Expr:
    return _NODES[op](this=left.copy(), expression=right)


def _among(left: Expr, items: Sequence[Expr], op: Op = Op.EQ) -> Expr:
    if len(items) == 1:
        return _compare(op, left, items[0])
    inside = exp.In(this=left.copy(), expressions=list(items))
    return inside if op is Op.EQ else exp.Not(this=inside)


@dataclass(frozen=True)
class SqlColumn:
    """A column of a table in a database, and how a rule reads it."""

    name: str
    plan: ColumnPlan
    dialect: Dialect
    typed: bool = False
    """whether the column has the type of its kind, so that comparisons can be exactly those of memory"""
    finite: bool = False  # whether every number is known to be finite
    folds: bool = False  # whether spellings that the plan does not list are folded in the database
    prefix: str | None = None  # the table of the column, where a misspelt name alone would be read as a text

    @property
    def kind(self) -> Kind:
        """What its cells are."""
        return self.plan.kind

    @cached_property
    def node(self) -> Expr:
        """The column itself."""
        prefix = self.prefix and exp.to_identifier(self.prefix, quoted=self.prefix != ALIAS)
        return exp.column(name_node(self.name, self.dialect), table=prefix)

    @cached_property
    def value(self) -> Expr:
        """What is compared, NULL if it stands for nothing: number, date, microseconds, text, or 1 for yes."""
        if self.kind is Kind.TEXT:
            codes = [text_node(one, self.dialect) for one in self.plan.missing]
        else:
            codes = [self.operand(one) for one in self.plan.missing_values]
        return reduce(lambda left, code: exp.Nullif(this=left, expression=code), codes, self._raw_value)

    @cached_property
    def _raw_value(self) -> Expr:
        dialect = self.dialect
        templates = {
            Kind.BOOLEAN: dialect.flag,
            Kind.NUMBER: dialect.double if self.typed else "{x}",
            Kind.TEXT: dialect.text[0],
            Kind.DATE: dialect.microseconds if self.typed else dialect.date[0],
        }
        return _filled(templates[self.kind], dialect, self.node)

    @property
    def reads_text(self) -> bool:
        """Whether yes and no may be words, which would be compared with 1 without an error."""
        stated = self.plan.stated and self.plan.no_and_yes == ("false", "true")
        return self.kind is Kind.BOOLEAN and stated and self.dialect.takes_text and not self.typed

    @property
    def is_zoned(self) -> bool:
        """Whether moments have a time zone, which the dialect compares in another way."""
        return bool(self.dialect.zoned) and self.kind is Kind.DATE and any(self.plan.unit)

    @property
    def may_be_infinite(self) -> bool:
        """Whether comparisons must leave out infinity and NaN."""
        whole = self.plan.stated and self.plan.whole and not self.typed
        return self.kind is Kind.NUMBER and self.dialect.infinite and not self.finite and not whole

    @property
    def is_finite(self) -> Expr:
        """The condition that a number is neither infinite nor NaN."""
        difference = exp.Sub(this=self.value.copy(), expression=self.value.copy())
        return exp.EQ(this=difference, expression=exp.Literal.number(0))

    def operand(self, value: Any) -> Expr:
        """Write the right side of a comparison."""
        if self.kind is Kind.BOOLEAN:
            return exp.Literal.number(int(value))
        if self.kind is Kind.TEXT:
            plain = self.dialect.name == "mysql" and str(value).isascii()  # the same in every encoding
            template = "{v}" if plain else self.dialect.text[1]
            return _filled(template, self.dialect, text_node(str(value), self.dialect))
        if self.kind is Kind.NUMBER:
            return exp.Literal.number(float_literal(value) if self.typed else repr(value))
        if self.typed:
            return exp.Literal.number(microseconds_of(value))
        precision = "microseconds" if self.dialect.name == "oracle" else "auto"
        moment = value.isoformat(sep=" ", timespec=precision)
        template = self.dialect.zoned if self.is_zoned else self.dialect.date[1]
        return _parsed(template.format(v=moment), self.dialect.name).copy()

    def among(self, values: Iterable[Any], op: Op = Op.EQ) -> Expr:
        """Write where a cell is one of some values, or with the other comparison none of them."""
        return _among(self.value, [self.operand(value) for value in values], op)

    def holds(self, literal: Literal) -> Expr:
        """Write where a literal is known to hold, but for infinite numbers."""
        if self.reads_text:
            lowered = exp.Lower(this=exp.cast(self.node, "varchar(9)"))
            return _among(lowered, [exp.Literal.string(word) for word in _FLAG_TEXTS[literal.op is Op.EQ]])
        if self.kind is Kind.TEXT:
            return self._is_category(str(literal.value), literal.op)
        if self.kind is Kind.NUMBER and not self.typed and abs(literal.value) >= _EXACT:  # type: ignore[arg-type]
            return replace(self, typed=True).holds(literal)
        codes = self.plan.missing_values if self.kind in (Kind.NUMBER, Kind.DATE) else (0,)
        excluded = not any(COMPARE[literal.op](code, literal.value) for code in codes)
        return _compare(literal.op, self._raw_value if excluded else self.value, self.operand(literal.value))

    def _is_category(self, text: str, op: Op) -> Expr:
        spelled = self.plan.spelled(text)
        if self.plan.labels and all(code.lstrip("-").isdigit() for code in self.plan.labels):
            return _among(self._raw_value, [exp.Literal.number(code) for code in spelled], op)
        if not (self.folds and self.plan.folded):
            return self.among(spelled, op)
        fold = _filled(self.dialect.folded, self.dialect, self.node)
        word = exp.Literal.string(" ".join(text.split()).casefold())
        new: Expr = exp.EQ(this=fold, expression=word)
        if others := [one for one in (*self.plan.categories, *self.plan.spellings) if one not in spelled]:
            new = exp.and_(new, self.among(others, Op.NE), copy=False)
        held = exp.Paren(this=exp.or_(self.among(spelled), new, copy=False))
        return held if op is Op.EQ else exp.Not(this=held)


def fires(clause: Clause, columns: Mapping[str, SqlColumn]) -> Expr:
    """Write where a clause fires: all of its literals hold, or at least k of them."""
    if clause.counts:
        number = exp.Literal.number
        votes = [_case([(_conjunction([x], columns), number(1))], number(0)) for x in clause]
        total = reduce(lambda left, right: exp.Add(this=left, expression=right), votes)
        return exp.GTE(this=total, expression=number(clause.at_least))
    return _conjunction(clause.literals, columns)


def _conjunction(literals: Sequence[Literal], columns: Mapping[str, SqlColumn]) -> Expr:
    """Write that literals hold; a number that is bounded on both sides is finite."""
    if not literals:
        return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))
    held = [columns[literal.column].holds(literal) for literal in literals]
    for name in dict.fromkeys(literal.column for literal in literals):
        ops = {literal.op for literal in literals if literal.column == name}
        if columns[name].may_be_infinite and Op.EQ not in ops and not {Op.GT, Op.LE} <= ops:
            held.append(columns[name].is_finite)
    return exp.and_(*held, copy=False)


def _case(branches: Iterable[tuple[Expr, Expr]], default: Expr) -> Expr:
    ifs = [exp.If(this=condition, true=value) for condition, value in branches]
    return exp.Case(ifs=ifs, default=default) if ifs else default


def first_value(
    clauses: Sequence[Clause], values: Sequence[Label], columns: Mapping[str, SqlColumn], dialect: Dialect
) -> Expr:
    """Write the value of the first clause that fires, the last value where none does."""
    branches = [
        (exp.or_(*(fires(clause, columns) for clause, _ in group), copy=False), label_value(value, dialect))
        for value, group in groupby(zip(clauses, values, strict=False), key=lambda pair: pair[1])
    ]
    return _case(branches, label_value(values[-1], dialect))


def label_value(label: Label, dialect: Dialect) -> Expr:
    """Write a class label, or a number that is predicted, as a value."""
    if isinstance(label, bool):
        return _parsed(dialect.truth[label], dialect.name).copy()
    if isinstance(label, str):
        return text_node(label, dialect)
    if isinstance(label, float):
        number = exp.Literal.number(float_literal(label))
        exact = dialect.name not in ("postgres", "redshift")  # there an exponent makes no double of it
        return number if exact else _filled(dialect.double, dialect, number)
    return exp.Literal.number(label)


def label_type(labels: Iterable[Label], dialect: Dialect) -> str:
    """Return the type of a column that can hold every one of these labels."""
    labels = list(labels)
    if any(isinstance(label, str) for label in labels):
        wide = "N" if dialect.name == "tsql" else ""
        wanted = f"{wide}VARCHAR({max(1, *(len(str(label)) for label in labels))})"
    elif all(isinstance(label, bool) for label in labels):
        wanted = "SMALLINT" if dialect.name == "oracle" else "BOOLEAN"
    else:
        wanted = "DOUBLE" if any(isinstance(label, float) for label in labels) else "BIGINT"
    return exp.DataType.build(wanted).sql(dialect=dialect.name)


def table_parts(table: str | Sequence[str]) -> tuple[str, ...]:
    """Return the parts of a table's name; a dot separates schema and table unless it is in quotes."""
    if not isinstance(table, str):
        return tuple(table)
    parts = re.findall(r'"((?:[^"]|"")+)"|([^."][^.]*)', table)
    if ".".join(f'"{quoted}"' if quoted else bare for quoted, bare in parts) != table:
        return (table,)  # dots and quotes that make no such name are part of it
    return tuple(quoted.replace('""', '"') or bare for quoted, bare in parts)


def _head(columns: Collection[SqlColumn], dialect: Dialect) -> str:
    """Write comments: the database, and types where another one gives wrong results instead of an error."""
    others = "" if dialect.name else f"; for others name a dialect: {', '.join(DIALECTS)}"
    lines = [f"for {dialect.product}{others}"]
    kinds = (Kind.NUMBER, Kind.BOOLEAN, Kind.DATE)
    numbers, flags, dates = ([one for one in columns if one.kind is kind] for kind in kinds)
    formatted = [x for x in numbers if x.plan.stated and (any(x.plan.unit) or not x.plan.is_plain_number)]
    zone = "" if dialect.zones else " without time zone"
    in_sqlite = "; in SQLite text like 2024-05-01 00:00:00" if dialect.name in ("", "sqlite") else ""
    expected = {
        "numbers, without unit and separators": formatted,
        "1 or 0, true or false; not text": [x for x in flags if not x.reads_text],
        f"a date or time{in_sqlite or zone}": [x for x in dates if not x.is_zoned],
        "a time with time zone": [x for x in dates if x.is_zoned],
    }
    for what, some in expected.items():
        if some:
            names = ", ".join(one_line(identifier(one.name, dialect)) for one in some)
            lines.append(f"{names}: {what}")
    return "".join(f"-- {line}\n" for line in lines)


def _table(parts: Iterable[str], dialect: Dialect) -> exp.Table:
    names = [name_node(part, dialect) for part in parts]
    return exp.Table(this=exp.Dot.build(names) if len(names) > 1 else names[0])


def _selection(outcomes: Mapping[str, Expr], table: exp.Table, dialect: Dialect) -> exp.Select:
    """Write a query for all columns of a table and some more."""
    added = [exp.Alias(this=value, alias=name_node(name, dialect)) for name, value in outcomes.items()]
    all_of_table = exp.Column(this=exp.Star(), table=exp.to_identifier(ALIAS))
    return exp.Select(expressions=[all_of_table, *added]).from_(exp.alias_(table, ALIAS, table=True))


def render_sql(rule: Rule, options: RenderOptions) -> str:
    """Write the expression of what is predicted, or with a table's name a whole statement."""
    dialect, values = dialect_of(options.dialect), [one.value for one in rule.estimates]
    check_names(rule.columns, dialect)

    def predicted(prefix: str | None = None) -> Expr:
        columns = {name: SqlColumn(name, plan, dialect, prefix=prefix) for name, plan in rule.plans.items()}
        return first_value(rule.clauses, values, columns, dialect)

    def text(tree: Expr) -> str:
        return tree.sql(dialect=dialect.name, pretty=True)

    head = _head([SqlColumn(name, plan, dialect) for name, plan in rule.plans.items()], dialect)
    if predicted().find(exp.Sub) is not None:
        head += "-- x - x = 0: x is finite; infinity and NaN count as missing\n"
    if options.table is None:
        if options.statement is not None or options.into is not None:
            raise InputError("a whole statement needs the name of the table; give it (--table NAME)")
        return f"{head}{text(predicted())}\n"
    parts, name = table_parts(options.table), f"predicted_{rule.target}"

    def query(source: exp.Table) -> Expr:
        # With a prefix, SQLite reports a misspelt column; without, it would take the name for a text.
        return _selection({name: predicted(ALIAS)}, source, dialect)

    match options.statement or "select":
        case "select":
            return f"{head}{text(query(_table(parts, dialect)))}\n"
        case "view":
            into = table_parts(options.into or (f"{parts[-1]}_predicted",))
            view = _table(into if len(into) > 1 else (*parts[:-1], *into), dialect)
            create = exp.Create(this=view, kind="VIEW", expression=query(_table(parts, dialect)))
            return f"{head}{text(create)};\n"
        case "update":
            table, column = _table(parts, dialect), name_node(options.into or name, dialect)
            add = "ADD" if dialect.name in ("tsql", "oracle") else "ADD COLUMN"
            alter = f"ALTER TABLE {text(table)} {add} {text(column)} {label_type(values, dialect)};"
            remark = one_line(f"-- first, if it has no such column: {alter}")
            value = predicted(parts[-1] if dialect.name in ("", "sqlite") else None)
            update = exp.Update(this=table, expressions=[exp.EQ(this=column, expression=value)])
            everywhere = "\nWHERE TRUE" if dialect.name == "bigquery" else ""  # it requires a condition
            return f"{head}{remark}\n{text(update)}{everywhere};\n"
        case "dbt":
            source = exp.Table(this=exp.Var(this="\0"))  # no text in a query has this character
            return _dbt_model(f"{head}{text(query(source))}\n", parts)
    raise InputError(f"no SQL statement {options.statement!r}: use one of select, view, update, dbt")


def _dbt_model(query: str, table: tuple[str, ...]) -> str:
    """Write a model of dbt on another model, or with a schema's name on a source, where a query has NUL."""
    names = ["'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'" for name in table[-2:]]
    source = f"{{{{ {'ref' if len(names) == 1 else 'source'}({', '.join(names)}) }}}}"
    before, after = query.split("\0")
    if any(mark in before for mark in ("{{", "{%", "{#")):  # its templates must not find anything there
        before = before.replace("{", "{{ '{' }}")
    return f"{{{{ config(materialized='view') }}}}\n\n{before}{source}{after}"


def push_down(rule: Rule, table: Any) -> Any:
    """Return a table of ibis with the rule's predictions as further columns."""
    import ibis
    from ibis.expr import operations as ops

    schema, outcomes = table.schema(), rule.predicts.predictions(rule.estimates)
    if taken := [name for name in outcomes if name in schema]:
        raise InputError(f"the table has a column {taken[0]!r} already; rename or drop it")
    backends, _ = table._find_backends()  # a table without a database gets the SQL of DuckDB
    dialect = dialect_of(BACKENDS.get(backends[0].name, backends[0].name) if backends else "duckdb")
    columns = {}
    for name, plan in rule.plans.items():
        if name not in schema:
            raise UnknownColumnError(name, tuple(schema))
        if not _fits(schema[name], plan.kind):
            kind = schema[name]
            raise InputError(f"column {name!r} is {kind} where the rule reads a {plan.kind}; cast it first")
        finite = not schema[name].is_floating()
        columns[name] = SqlColumn(name, plan, dialect, typed=True, finite=finite, folds=True, prefix=ALIAS)
    cases = {name: first_value(rule.clauses, values, columns, dialect) for name, values in outcomes.items()}
    query = _selection(cases, exp.to_table(IBIS_ROWS), dialect).sql(dialect=dialect.name)
    added = {name: ibis.literal(values[-1]).type() for name, values in outcomes.items()}
    view = ops.SQLStringView(table.alias(IBIS_ROWS).op(), query, ibis.schema({**schema, **added}))
    return view.to_expr()


def _fits(kind: Any, wanted: Kind) -> bool:
    """Whether a column of a type of ibis can be read as a kind."""
    if wanted is Kind.TEXT:
        return bool(kind.is_string())
    if wanted is Kind.DATE:
        return bool(kind.is_timestamp() or kind.is_date())
    return bool(kind.is_numeric() or kind.is_boolean())
