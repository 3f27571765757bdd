"""``nri predict``, ``nri explain`` and ``nri export``: apply a rule from a file."""

import json
import sys
from collections.abc import Iterable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nri.cli import options as opt
from nri.cli.console import emit, message, printable, progress, show_rule
from nri.cli.files import check_outputs, choose_format, read_rule, write_text
from nri.cli.reading import large_files, open_table
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.rule import Columns, Rule
    from nri.table import Source


def predict(
    rule: Path,
    file: str,
    place: opt.StreamOptions,
    out: opt.File = None,
    only: bool = False,
    probability_of: opt.Texts = None,
    probabilities: bool = False,
    posterior: opt.Text = None,
    quiet: bool = False,
) -> None:
    """Add predictions to a table: a class and its probability, a number, or a risk.

    The table needs only the columns that the rule uses; a CSV or TSV table keeps its cells and its delimiter
    as they are, and so does a workbook with --out FILE.xlsx. If it has the target too, the score is
    reported. Large files, and several by a pattern, go through the rule batch by batch.
    """
    check_outputs(
        {"--out": out}, {"the table": file, "the rule": rule, "the table of --posterior": posterior}
    )
    from nri.table.source import open_source
    from nri.table.target import class_index
    from nri.table.write import write_beside, write_table
    from nri.tasks.predictions import Truth, posterior_columns, predictions, stream_predictions

    applied = read_rule(rule)
    if probability_of or probabilities:  # of the classes that are named, or of each
        target = applied.labels
        named = [] if probabilities else probability_of or []
        labels = [target.classes[class_index(target.classes, label)] for label in named]
        added = tuple(dict.fromkeys(labels)) or target.classes
        applied = replace(applied, predicts=replace(target, shown=added))
    _refuse_database(rule, file)
    files = large_files(file, place)
    if files is not None and posterior is not None:
        raise InputError("--posterior is for tables that are read into memory; add --engine memory")
    shown: Any = out or (_SafeTerminal() if sys.stdout.isatty() else sys.stdout)
    if files is not None:
        with progress("predicting") as step:
            score = stream_predictions(applied, files, shown, only=only, step=step.count_rows)
    else:
        source, truth = open_table(file, place), Truth(applied)
        predicted = predictions(applied, source)
        if posterior is not None:
            predicted |= posterior_columns(applied, source, open_source(posterior, rewritable=False))
        if only:
            write_table(predicted, shown)
        else:
            write_beside(source, predicted, shown)
        truth.add(source, next(iter(predicted.values())))
        score = truth.text
    if score is not None:
        message(f"{score} whose {applied.target} is known")
    if out is not None:
        message(f"wrote {out}")


class _SafeTerminal(StringIO):
    """Standard output on a terminal, which gets the cells of a table escaped."""

    def write(self, text: str) -> int:
        return sys.stdout.write(printable(text))


def _refuse_database(rule: Path, file: str) -> None:
    """Refuse a database, by its URL or as a file, and name the SQL that makes predictions in it."""
    from nri.rows.database import database_in, dialect_name

    scheme = file.partition("://")[0] if "://" in file else database_in(Path(file))
    dialect = None if scheme is None else dialect_name(scheme)
    if dialect is not None:
        sql = f"nri export {rule} --format sql --dialect {dialect} --table NAME"
        raise InputError(f"predictions in a database are made by its own SQL; write it by: {sql}")


_MOST_EXPLAINED = 20  # Rows of --where that are explained.


def explain(
    rule: Path,
    file: str,
    place: opt.StreamOptions,
    row: list[int] | None = None,
    where: opt.Text = None,
    quiet: bool = False,
) -> None:
    """Explain the prediction of rows: which clause fires or, when none does, what the nearest one lacks.

    Large files are read as far as the last row of --row.
    """
    if not row and where is None:
        raise InputError('which rows? Add --row N, or --where "id = P1002"')
    applied = read_rule(rule)
    files, numbers = large_files(file, place), list(row or ())
    if files is None:
        source = open_table(file, place)
        numbers += [] if where is None else _rows_where(source, where)
        parts: Iterable[tuple[int, int, Columns]] = [(1, len(source), applied.read(source))]
    elif where is None:
        from nri.tasks.predictions import stream_parts

        parts = stream_parts(applied, files)
    else:
        raise InputError("--where is for tables that are read into memory; add --engine memory, or use --row")
    with progress(f"reading {file}"):
        texts = _explanations(applied, parts, numbers, file)
    for number, text in zip(numbers, texts, strict=True):
        emit(f"row {number}: {text}")


def _explanations(
    rule: "Rule", parts: "Iterable[tuple[int, int, Columns]]", numbers: list[int], file: str
) -> list[str]:
    """Return why rows of some numbers have their prediction; rows behind them are not read."""
    import numpy as np

    explained: dict[int, str] = {}
    for first, n_rows, columns in parts:
        here = [number for number in numbers if first <= number < first + n_rows]
        if here:
            rows = np.array(here) - first
            taken = {name: column.take(rows) for name, column in columns.items()}
            explained |= zip(here, map(str, rule.explain(taken, len(rows))), strict=True)
        if len(explained) == len({*numbers}):
            return [explained[number] for number in numbers]
    absent = next(number for number in numbers if number not in explained)
    raise InputError(f"no row {absent}: {file} has rows 1 to {first + n_rows - 1}")


def _rows_where(source: "Source", condition: str) -> list[int]:
    """Return the numbers, from 1, of the rows on which a condition holds; of many the first ones."""
    import numpy as np

    from nri.rule.literal import Kind
    from nri.table.by_plan import comparison_of
    from nri.table.source import understand

    name, comparison = comparison_of(condition, source.names, "--where")
    read = understand(source.cells(name))
    if comparison is not None:
        holds = comparison.truth(read.column, read.plan, name) & read.column.known
    elif read.column.kind is Kind.BOOLEAN:
        holds = read.column.values & read.column.known
    else:
        raise InputError(f'--where {condition!r} names a column only; compare it, e.g. "{name} = 1"')
    numbers = (1 + np.flatnonzero(holds)).tolist()
    if not numbers:
        raise InputError(f"--where {condition!r} holds on no row; check the value, or use --row N")
    if len(numbers) > _MOST_EXPLAINED:
        message(f"{condition} holds on {len(numbers)} rows; the first {_MOST_EXPLAINED} follow")
    return numbers[:_MOST_EXPLAINED]


def export(
    rule: Path,
    form: opt.Text = None,
    out: opt.File = None,
    dialect: opt.Text = None,
    table: opt.Text = None,
    statement: opt.Text = None,
    into: opt.Text = None,
    function: opt.Text = None,
    quiet: bool = False,
) -> None:
    """Write a rule as SQL, Python, Markdown or any other format."""
    check_outputs({"--out": out}, {"the rule": rule})
    exported = read_rule(rule)
    for_sql: dict[str, Any] = {"dialect": dialect, "table": table, "statement": statement, "into": into}
    name = choose_format(form, out, implied="sql" if any(for_sql.values()) else None) or "text"
    for option, value in {**for_sql, "function": function}.items():
        needed = "python" if option == "function" else "sql"
        if value is not None and name != needed:
            raise InputError(f"--{option} is for --format {needed}, not for {name}; drop it, or add that")
    about: dict[str, Any] = {}
    if name == "json":  # where a rule comes from, and how good it is, stays with it
        kept = json.loads(rule.read_text(encoding="utf-8"))
        about = {key: kept.get(key) for key in ("provenance", "validation")}
    text = exported.render(name, function=function or "predict", **for_sql, **about)
    if out is not None:
        write_text(out, text)
    else:
        (show_rule if name == "text" else emit)(text)
