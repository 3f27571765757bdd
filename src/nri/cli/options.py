"""Options that several commands share, and how they choose an output format."""

from pathlib import Path
from typing import Annotated

import typer

from nri.errors import InputError

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A CSV, TSV, Parquet or ARFF table; - is standard input.")
]
RuleArgument = Annotated[
    Path, typer.Argument(metavar="RULE.json", help="A rule written by `nri induce --out RULE.json`.")
]
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to a file, whole or not at all.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but the result and errors.")]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="text, markdown, html, latex, json, sql, python, prolog, asp or sympy.",
    ),
]


def chosen_format(named: str | None, flags: dict[str, bool], out: Path | None) -> str | None:
    """Return the format asked for by name, by a flag or by the ending of the output's name, None if by none.

    >>> chosen_format(None, {"json": False, "sql": True}, None)
    'sql'
    >>> chosen_format(None, {}, Path("rule.json"))
    'json'
    """
    from nri.rule.render import FORMATS

    asked = [name for name, given in flags.items() if given]
    if named is not None:
        asked.append(named.lower())
    if len(set(asked)) > 1:
        raise InputError(f"two formats asked for, {' and '.join(dict.fromkeys(asked))}: choose one")
    if asked:
        if asked[0] not in FORMATS:
            raise InputError(f"no format {named!r}; use one of {', '.join(FORMATS)}")
        return asked[0]
    if out is not None:
        return next((form.name for form in FORMATS.values() if form.suffix == out.suffix.lower()), None)
    return None
