"""The functional path, in a few words: read a table, induce rules from it, keep them in a file.

What :mod:`nri` makes public beside the estimator; each function here is only a face of what does the work.
"""

from os import PathLike
from pathlib import Path
from typing import IO, Any

from nri.errors import InputError
from nri.rule import FORMATS, Label, RuleSet, Segments, SurvivalRule, any_rule_from_json
from nri.rule.render.endings import format_by_ending
from nri.table import Table, atomic_file, table_of
from nri.table import files as table_files
from nri.table.excel import SheetChoice
from nri.table.files import similar_files
from nri.table.target import with_target


def read_table(
    source: Any,
    target: str | None = None,
    *,
    positive: Label | None = None,
    weights: str | None = None,
    exact_text: bool = False,
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
        A number of many values is explained as a number, by :func:`nri.induce_segments`.
    positive : label, optional
        The class that the rule is to be about; of several classes it makes two, this one and any other.
    weights : str, optional
        A column that says how many rows each row stands for.
    exact_text : bool
        Whether texts that differ only in case and blanks are kept apart.
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
    if isinstance(source, str | Path) or hasattr(source, "read"):
        choice = SheetChoice(sheet, header)
        table = table_files.read_table(source, exact=exact_text, choice=choice)
    else:
        table = table_of(source, exact=exact_text)
    return table if target is None else with_target(table, target, positive, weights)


def read_rules(source: "str | PathLike[str] | IO[str]") -> RuleSet | Segments | SurvivalRule:
    """Read rules from a JSON file, as :func:`write_rules` and ``nri induce --out RULE.json`` write it.

    They predict on any table with the columns that they read: ``read_rules("rule.json").predict(frame)``.

    Parameters
    ----------
    source : path or text file object
        Files of all earlier versions are read.
    """
    if not isinstance(source, str | PathLike):
        return any_rule_from_json(source.read())
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"no rule file {path}{similar_files(path)}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is no rule file: it is not text; give the JSON that nri writes") from None
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}); check its name and permissions"
        ) from None
    try:
        return any_rule_from_json(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def write_rules(
    ruleset: RuleSet | Segments | SurvivalRule, path: "str | PathLike[str]", *, format: str | None = None
) -> None:
    """Write rules to a file, whole or not at all.

    Parameters
    ----------
    ruleset
        The rules.
    path
        Where to; its ending says the format, e.g. ``.json``, ``.sql``, ``.py``, ``.md``. Without one it is
        text; an ending of no format is refused unless the format is given.
    format : str, optional
        One of text, markdown, html, latex, json, sql, python, prolog, asp, sympy.

    Examples
    --------
    >>> import tempfile
    >>> from nri import NRIClassifier
    >>> clf = NRIClassifier().fit({"age": [20, 30, 64, 70]}, ["no", "no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_rules(clf.rules_, Path(folder) / "rule.json")
    ...     print(read_rules(Path(folder) / "rule.json"))
    IF  (age > 50)     precision 1.00   covers 2 of 4
    THEN y = yes       ELSE no
    """
    chosen = format or format_by_ending(Path(path), FORMATS.values()) or "text"
    text = ruleset.render(chosen)
    with atomic_file(Path(path)) as file:
        file.write(text if text.endswith("\n") else text + "\n")
