"""The API reference, made from docstrings: ``make docs`` writes docs/api.md, a test keeps it current."""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

import nri
import nri_dynamics

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "docs" / "api.md"

RECORDS = {
    "nri.induce.induce": ["Induction"],
    "nri.induce.validate": ["KnowledgePrice"],
    "nri.induce.floors": ["Floored", "Floors"],
    "nri.outcome": ["Score", "Interval", "Classes", "Number", "Survival"],
    "nri.outcome.score": ["Diagnostics", "Measure"],
    "nri.rule": [
        "Branch",
        "Clause",
        "Literal",
        "Op",
        "Dnf",
        "ClassTarget",
        "NumberTarget",
        "SurvivalTarget",
        "Shares",
        "Mean",
        "Risk",
        "Explanation",
        "NearMiss",
        "ColumnPlan",
    ],
    "nri.tasks.slices": ["Slices", "Slice"],
    "nri.tasks.surrogate": ["Surrogate"],
    "nri.tasks.compare": ["Comparison", "ClassChange", "RegionChange", "RowChanges"],
    "nri.tasks.stability": ["Stability", "ClauseStability", "ClauseFrequency"],
    "nri.api": ["BinaryTable"],
}
"""What the public functions take and return, for reading; callers need not import them."""

DYNAMICS = ("learn_dynamics", "read_dynamics", "Dynamics")
"""The names of nri_dynamics that come first; the others are what these return."""
OURS = ("nri.", "nri_dynamics.")
"""Modules whose fields and methods are documented."""

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


def reference() -> str:
    """Return the whole page."""
    parts = [
        "# API reference\n\nMade from docstrings by `make docs`; do not edit. "
        "[Glossary](glossary.md) · [Cookbook](cookbook/README.md)\n"
    ]
    parts.append(
        "Everything below the first heading is imported as `from nri import NAME`, and below the last one as "
        "`from nri_dynamics import NAME` (`pip install ./dynamics`); other modules are private."
        "\n\n## Public names\n"
    )
    parts += [_entry(nri, name) for name in nri._PLACES]
    parts.append("## What they take and return\n")
    for module_name, names in RECORDS.items():
        parts += [_entry(importlib.import_module(module_name), name) for name in names]
    parts.append("## Dynamics: the package `nri_dynamics`\n")
    ordered = dict.fromkeys((*DYNAMICS, *nri_dynamics.__all__))
    parts += [_entry(nri_dynamics, name) for name in ordered]
    return "\n".join(parts).rstrip() + "\n"


def _entry(module: Any, name: str) -> str:
    thing = getattr(module, name)
    if not inspect.isclass(thing):
        return f"### `{name}{_signature(thing)}`\n\n{_document(thing)}\n"
    head = f"### class `{name}`\n\n{_document(thing)}\n"
    fields = "".join(f"- `{field}`{about}\n" for field, about in _fields(thing))
    methods = "".join(f"- `{name}`: {_text(_summary(member))}\n" for name, member in _methods(thing))
    return "\n".join(part for part in (head, fields, methods) if part)


def _signature(function: Any) -> str:
    """Write the parameters as the source has them: the same under every version of Python."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    arguments = tree.args
    for group in (arguments.posonlyargs, arguments.args):
        if group and group[0].arg in ("self", "cls"):
            del group[0]
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None:
            rest.annotation = None
    scope = getattr(function, "__globals__", {})
    arguments.defaults = [_default(one, scope) for one in arguments.defaults]
    arguments.kw_defaults = [one and _default(one, scope) for one in arguments.kw_defaults]
    return f"({ast.unparse(arguments)})"


def _default(default: ast.expr, scope: dict[str, Any]) -> ast.expr:
    """Return a constant in the place of its name, and dots in that of a function that does nothing."""
    if isinstance(default, ast.Lambda):
        return ast.Constant(...)
    value = scope.get(default.id) if isinstance(default, ast.Name) else None
    return ast.Constant(value) if isinstance(value, int | float | str) else default


def _document(thing: Any) -> str:
    """Turn a numpydoc docstring into Markdown."""
    text = inspect.getdoc(thing) or ""
    pieces = _HEADING.split(text)
    parts = [_prose(pieces[0])]
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        if title == "Examples":
            parts.append(_prose(body))
        elif title in ("Parameters", "Attributes", "Raises", "Returns"):
            parts.append(f"**{title}**\n\n{_items(body)}")
        else:
            parts.append(f"**{title}**\n\n{_prose(body)}")
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _prose(text: str) -> str:
    """Keep paragraphs, and fence what is an example."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.lstrip().startswith(">>>"):
            blocks.append(f"```pycon\n{textwrap.dedent(block)}\n```")
        elif block.startswith(("-", "``")) or "\n    " in block:
            blocks.append(_text(block))
        else:
            blocks.append(_text(" ".join(block.split())))
    return "\n\n".join(blocks)


def _items(body: str) -> str:
    """Write ``name : type`` with its indented description as a list."""
    lines = []
    for item in re.split(r"\n(?=\S)", body.strip()):
        head, *rest = item.splitlines()
        name, _, kind = head.partition(" : ")
        about = _text(" ".join(line.strip() for line in rest if line.strip()))
        typed = f" ({_text(kind)})" if kind else ""
        lines.append(f"- `{name}`{typed}" + (f": {about}" if about else ""))
    return "\n".join(lines)


def _fields(thing: type) -> Iterator[tuple[str, str]]:
    """Yield the documented fields of a record, those that it inherits first.

    They are the annotated names, each with the string below it or the comment behind it; what belongs to the
    class is none.
    """
    for one in reversed(thing.__mro__):
        if one.__module__.startswith(OURS):
            yield from _own_fields(one)


def _own_fields(thing: type) -> Iterator[tuple[str, str]]:
    source = textwrap.dedent(inspect.getsource(thing))
    tree, lines = ast.parse(source).body[0], source.splitlines()
    assert isinstance(tree, ast.ClassDef)
    of_record = any("dataclass" in ast.unparse(decorator) for decorator in tree.decorator_list)
    if not of_record or issubclass(thing, BaseEstimator):  # whose parameters are described
        return
    for node, following in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if "ClassVar" in ast.unparse(node.annotation):
                continue
            last_line = lines[(node.end_lineno or 1) - 1].encode()  # offsets count bytes
            _, _, about = last_line[node.end_col_offset :].decode().partition("# ")
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                about = str(following.value.value)
            about = f": {_text(' '.join(about.split()))}" if about else ""
            default = f" = {ast.unparse(node.value)}" if node.value is not None else ""
            yield f"{node.target.id}{default if 'field(' not in default else ''}", about


def _methods(thing: type) -> Iterator[tuple[str, Any]]:
    """Own ones first, then those of what it derives from in this package."""
    ours = [one for one in thing.__mro__ if one.__module__.startswith(OURS)]
    members = {name: member for one in reversed(ours) for name, member in vars(one).items()}
    order = dict.fromkeys(name for one in ours for name in vars(one))
    for name, member in ((name, members[name]) for name in order):
        if not name.startswith("_") and inspect.isfunction(member):
            yield name + _signature(member), member
        elif not name.startswith("_") and isinstance(member, property | cached_property):
            yield name, member


def _summary(thing: Any) -> str:
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def _text(text: str) -> str:
    """Turn the few marks of reStructuredText that docstrings use into Markdown."""
    text = re.sub(r":(?:class|func|mod|data|attr|meth):`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


if __name__ == "__main__":
    PLACE.write_text(reference(), encoding="utf-8")
