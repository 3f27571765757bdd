"""Functions: read a table, turn one into yes/no questions, read and write a rule."""

from collections.abc import Collection
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from nri.arrays import FloatArray
from nri.errors import InputError, similar_files
from nri.rule import Kind, Label, Rule, from_json
from nri.rule.render import format_by_ending
from nri.table import Binarizer, Table
from nri.table.by_plan import comparison_of
from nri.table.cells import TypedCells
from nri.table.codes import ReadOptions, read_options
from nri.table.excel import SheetChoice
from nri.table.source import Source, open_source, source_of
from nri.table.target import with_survival, with_target


def read_table(
    source: Any,
    target: str | None = None,
    *,
    positive: Label | None = None,
    time: str | None = None,
    event: str | None = None,
    weights: str | None = None,
    groups: Any = None,
    time_order: Any = None,
    exact_text: bool = False,
    missing: Any = None,
    labels: Any = None,
    sheet: str | None = None,
    header: int | None = None,
) -> Table:
    """Read a table from a file or from what you hold, and choose what is to be explained.

    What each column means (numbers, dates, yes and no, categories; units, decimal marks, missing words) is
    decided here, once, by all of its cells; a rule keeps it and reads other tables by it.

    Parameters
    ----------
    source : path, file object, DataFrame of pandas or polars, array, list of rows or dict of columns
        Files are CSV, TSV, Excel, Parquet or ARFF; ``"-"`` is standard input.
    target : str, optional
        The column to be explained, or a comparison such as ``"price > 100"``. Rows without it are left out.
        A number of many values is explained as a number.
    positive : label, optional
        The class that the rule is to be about; of several classes it makes two, this one and any other.
    time, event : str, optional
        In place of a target, the time until an event: a column of numbers of 0 or more, and a column of
        yes and no (1 and 0) or a comparison such as ``"status = dead"`` for whether it ended in the event.
    weights : str, optional
        A column that says how many rows each row stands for.
    groups, time_order : str or array [M], optional
        A column, or a value for each row, that says which rows belong together (``"patient"``), or when they
        came. It is no feature; everything that validates keeps to it, see :func:`cross_validate`.
    exact_text : bool
        Whether texts that differ only in case and blanks are kept apart.
    missing : cell, list of cells, or dict of such by column, optional
        Cells that stand for nothing, e.g. ``[-999, "unknown"]`` or ``{"sbp": -999}``. Codes that can hardly
        be anything else are found without it; a column with an empty list keeps them.
    labels : dict of dict, optional
        For columns of codes what they stand for, e.g. ``{"smoker": {1: "no", 2: "yes"}}``.
    sheet : str, optional
        Of a workbook, the name or number of the sheet, or a range: ``"Visits!B3:F90"``.
    header : int, optional
        Of a workbook, the row that holds the names, as the spreadsheet numbers it.

    Raises
    ------
    InputError
        If there is no such file or column, or nothing in it can be explained.

    Examples
    --------
    >>> table = read_table({"price": [50, 150, 90, 120], "size": [1, 2, 1, 2]}, "price > 100")
    >>> len(table), table.names, table.classes
    (4, ('size',), (False, True))
    """
    if (time is None) != (event is None):
        raise InputError("time and event go together; give a column for each")
    if time is not None and (target is not None or positive is not None):
        raise InputError("time and event are what is explained; leave target and positive out")
    if isinstance(source, str | Path) or hasattr(source, "read"):
        source = open_source(source, choice=SheetChoice(sheet, header), rewritable=False)
    elif not isinstance(source, Table):
        source = source_of(source)
    if isinstance(source, Source):
        explained = {"target": target, "time": time, "event": event}
        outcome = [comparison_of(text, source.names, what)[0] for what, text in explained.items() if text]
        source = source.table(read_options(missing, labels, exact=exact_text, outcome=outcome))
    table: Table = source.arranged(groups, time_order)
    if time is not None and event is not None:
        return with_survival(table, time, event, weights)
    return table if target is None else with_target(table, target, positive, weights)


def read_rule(source: "str | PathLike[str] | IO[str]") -> Rule:
    """Read a rule from a JSON file, as :func:`write_rule` and ``nri induce --out RULE.json`` write it.

    It predicts on any table with the columns that it reads: ``read_rule("rule.json").predict(frame)``.

    Parameters
    ----------
    source : path or text file object
        Files of all earlier versions are read.
    """
    if not isinstance(source, str | PathLike):
        return from_json(source.read())
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        made = "; make one with: nri induce FILE --target COLUMN --out RULE.json"
        raise InputError(f"no rule file {path}{similar_files(path, '.json') or made}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is no rule file: it is not text; give the JSON that nri writes") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its permissions") from None
    try:
        return from_json(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def write_rule(rule: Rule, path: "str | PathLike[str]", *, format: str | None = None) -> None:
    """Write a rule to a file, whole or not at all.

    Parameters
    ----------
    rule
        The rule.
    path
        Where to; its ending says the format, e.g. ``.json``, ``.sql``, ``.py``, ``.md``. Without one it is
        text; an ending of no format is refused unless the format is given.
    format : str, optional
        One of text, markdown, html, latex, json, sql, python, prolog, asp, points.

    Examples
    --------
    >>> import tempfile
    >>> from nri import NRIClassifier
    >>> clf = NRIClassifier().fit({"age": [20, 30, 64, 70]}, ["no", "no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_rule(clf.rule_, Path(folder) / "rule.json")
    ...     print(read_rule(Path(folder) / "rule.json"))
    IF  (age > 50)     2 of 2 rows, about 0.68 on new ones
    THEN y = yes       ELSE no   2 of 2 rows, about 0.68 on new ones
    """
    chosen = format or format_by_ending(Path(path)) or "text"
    text = rule.render(chosen)
    from nri.table.write import atomic_file

    with atomic_file(Path(path)) as file:
        file.write(text if text.endswith("\n") else text + "\n")


@dataclass(frozen=True, eq=False)
class BinaryTable:
    """A table as numbers that any classifier takes: M rows of N yes/no questions."""

    matrix: FloatArray  # [M, N] of 1 (yes), 0 (no) and NaN (unknown)
    meanings: tuple[str, ...]
    """[N] what each question is, e.g. ``age > 61``; a column of yes and no is only named"""


def binarize(
    X: Any, mode: Literal["auto", "paper"] = "paper", *, numeric: Collection[str] | None = None
) -> BinaryTable:
    """Turn a table into yes/no questions, without looking at labels.

    Parameters
    ----------
    X : DataFrame, polars frame, array or list of rows
        Missing cells stay unknown.
    mode : {"auto", "paper"}
        As for :class:`NRIClassifier`: ``paper`` asks whether a number is above its median, and one question
        for each category.
    numeric : collection of str, optional
        The number columns; all others are then categories. By default the data say.

    Examples
    --------
    >>> table = binarize({"age": [20, 61, 64, None], "sex": ["f", "m", "f", "m"]})
    >>> table.meanings
    ('age > 61', 'sex = f', 'sex = m')
    >>> table.matrix[-1].tolist()
    [nan, 0.0, 1.0]
    """
    source = source_of(X)
    kinds = {} if numeric is None else _stated_kinds(source, numeric)
    table = source.table(ReadOptions(kinds, exact=True))
    binarizer = Binarizer(mode).fit(table)
    values, known = binarizer.cells(table.columns, len(table))
    return BinaryTable(
        matrix=np.where(known, values.astype(np.float64), np.nan),
        meanings=tuple(
            v.column if v.kind is Kind.BOOLEAN else f"{v.column} {v.op} {v.value}"
            for v in binarizer.variables_
        ),
    )


def _stated_kinds(source: Source, numeric: Collection[str]) -> dict[str, Kind]:
    """Return the kind of each column where the caller names the numbers; booleans by type stay booleans."""
    kinds = dict.fromkeys(numeric, Kind.NUMBER)
    for name in (name for name in source.names if name not in numeric):
        cells = source.cells(name)
        if not (isinstance(cells, TypedCells) and cells.column.kind is Kind.BOOLEAN):
            kinds[name] = Kind.TEXT
    return kinds
