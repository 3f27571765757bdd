"""Examples in documents: find them, run them, and put what they print where it belongs.

Run as a script (``make docs``) to renew the output of every example after the rules have changed.
"""

import doctest
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            "getting-started",
            "commands",
            "outcomes",
            "alternatives",
            "costs",
            "knowledge",
            "cells",
            "dynamics",
        )
    ),
)
_BLOCK = re.compile(r"```(?P<kind>console|pycon)\n(?P<text>.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Example:
    """One fenced block: a command after ``$`` or statements after ``>>>``, and the output below."""

    kind: str
    source: str
    shown: str


def examples(text: str) -> Iterator[Example]:
    """Yield the runnable blocks of a document."""
    for block in _BLOCK.finditer(text):
        lines = block["text"].splitlines(keepends=True)
        typed = [line for line in lines if line.startswith(("$ ", ">>> ", "... "))]
        assert lines[: len(typed)] == typed, f"input after output in {block['text']!r}"
        yield Example(block["kind"], "".join(typed), "".join(lines[len(typed) :]))


def run(example: Example) -> str:
    """Return what an example prints, run from the root of the project."""
    runner = _run_command if example.kind == "console" else _run_python
    here = Path.cwd()
    os.chdir(ROOT)
    try:
        return runner(example.source)
    finally:
        os.chdir(here)


def _run_command(source: str) -> str:
    from nri.cli.app import main

    program, *arguments = shlex.split(source.removeprefix("$ "))
    assert program == "nri", f"only nri is run: {source!r}"
    printed, code = io.StringIO(), None
    try:
        with redirect_stdout(printed):
            main(arguments)
    except SystemExit as ended:
        code = ended.code
    assert not code, f"{source!r} ended with {code}"
    return printed.getvalue()


def _run_python(source: str) -> str:
    printed = io.StringIO()
    names: dict[str, object] = {}
    with redirect_stdout(printed):
        for statement in doctest.DocTestParser().get_examples(source):
            exec(compile(statement.source, "<document>", "single"), names)
    return printed.getvalue()


def renew(path: Path) -> None:
    """Write what every example prints into the document."""

    def renewed(block: re.Match[str]) -> str:
        (example,) = examples(block[0])
        return f"```{example.kind}\n{example.source}{run(example)}```"

    path.write_text(_BLOCK.sub(renewed, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or DOCUMENTS:
        renew(ROOT / name)
