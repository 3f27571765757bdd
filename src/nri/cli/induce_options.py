"""The options of ``nri induce``, by name; what they mean for the rules is :class:`nri.induction.Settings`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

_RULE = "What the rule may be"
_FORMAT = "Formats"

TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", metavar="COLUMN", help='The column to explain, or a comparison: "price > 100".'
    ),
]
PositiveOption = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE", help="The class the rule is about; by default the one with the simpler rule."
    ),
]
CvOption = Annotated[
    bool, typer.Option("--cv", help="Estimate the accuracy on new rows by 5-fold cross-validation.")
]
WeightsOption = Annotated[
    str | None,
    typer.Option("--weights", metavar="COLUMN", help="A column that says how many rows each row stands for."),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also write a report to open in a browser; it takes longer."),
]
ClinicalOption = Annotated[
    bool, typer.Option("--clinical", help="Let the report say that it is not validated for decisions.")
]
ModelOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="What finds the rule: seeded (default), greedy, paper.")
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the search.")]
MaxClausesOption = Annotated[
    int, typer.Option(min=1, help="Most clauses in the rule of one class.", rich_help_panel=_RULE)
]
MaxLiteralsOption = Annotated[
    int, typer.Option(min=1, help="Most conditions in one clause.", rich_help_panel=_RULE)
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Use only these, commas between; repeatable.", rich_help_panel=_RULE),
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Never use these, commas between; repeatable.", rich_help_panel=_RULE),
]
RequireOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Every clause speaks about these; repeatable.", rich_help_panel=_RULE),
]
NegationsOption = Annotated[
    bool,
    typer.Option("--negations/--no-negations", help="Whether NOT and != may occur.", rich_help_panel=_RULE),
]
MinPrecisionOption = Annotated[
    float,
    typer.Option(min=0.0, max=1.0, help="Least precision of a clause on these rows.", rich_help_panel=_RULE),
]
BinarizeOption = Annotated[
    str,
    typer.Option(
        metavar="MODE", help="auto (thresholds from the labels) or paper (medians).", rich_help_panel=_RULE
    ),
]


def _flag(name: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        f"--{name}", help=f"Short for --format {name}.", rich_help_panel=_FORMAT
    )
    return option


JsonFlag = Annotated[bool, _flag("json")]
SqlFlag = Annotated[bool, _flag("sql")]
PythonFlag = Annotated[bool, _flag("python")]
MarkdownFlag = Annotated[bool, _flag("markdown")]
LatexFlag = Annotated[bool, _flag("latex")]
PrologFlag = Annotated[bool, _flag("prolog")]
AspFlag = Annotated[bool, _flag("asp")]
SympyFlag = Annotated[bool, _flag("sympy")]
_FLAGS = ("json", "sql", "python", "markdown", "latex", "prolog", "asp", "sympy")


def format_flags(options: Mapping[str, object]) -> dict[str, bool]:
    """Of all that a command was given, return the flags that stand for a format."""
    return {name: bool(options[name]) for name in _FLAGS}


def split_names(texts: list[str] | None, present: list[str]) -> list[str] | None:
    """Return column names from texts with commas between; a name that itself has a comma is kept whole.

    >>> split_names(["age,sex", "height, in cm"], ["age", "sex", "height, in cm"])
    ['age', 'sex', 'height, in cm']
    """
    if not texts:
        return None
    names: list[str] = []
    for text in texts:
        names += [text] if text in present else [part.strip() for part in text.split(",") if part.strip()]
    return names
