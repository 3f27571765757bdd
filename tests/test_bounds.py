"""The size and the shape of the package stay within the bounds of its design."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import nri
from nri.outcome import Outcome
from nri.rows.base import Rows

ROOT = Path(nri.__file__).parent
VISITS = Path(__file__).parents[1] / "docs" / "examples" / "visits.csv"
FILES = sorted(ROOT.rglob("*.py"))
RETIRED = {
    "wishes",
    "words",
    "given",
    "lanes",
    "patience",
    "elsewhere",
    "likely",
    "cheapest",
    "found",
    "panics",
    "some_rows",
}


def lines_of(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def module_name(file: Path) -> str:
    parts = ("nri", *file.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in FILES}


def public_members(interface: type) -> list[str]:
    """What an interface offers: its methods and properties."""
    return sorted(
        name
        for name, member in vars(interface).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
    )


def test_the_package_has_few_files():
    assert len(FILES) <= 160


def test_the_package_has_few_lines():
    assert sum(map(lines_of, FILES)) <= 30_000


def test_the_path_is_short():
    assert lines_of(ROOT / "induce" / "induce.py") <= 300


@pytest.mark.parametrize("interface", [Outcome, Rows], ids=lambda one: one.__name__)
def test_interfaces_are_small(interface):
    assert 3 < len(public_members(interface)) <= 10, public_members(interface)


def test_no_module_has_a_retired_name():
    names = {file.relative_to(ROOT).with_suffix("").as_posix() for file in FILES}
    retired = [name for name in names if name.rpartition("/")[2] in RETIRED or name.endswith("_large")]
    assert not retired
    assert not names & {"induce/long", "induce/wide"}


def imported_by(name: str) -> Iterator[str]:
    """Yield the modules that one imports anywhere: at its top, in functions and for types."""
    is_package = MODULES[name].name == "__init__.py"
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = name.split(".")[: len(name.split(".")) - node.level + is_package] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in MODULES else base


def cycles() -> list[set[str]]:
    """Return the sets of modules that import each other, by Tarjan's algorithm."""
    graph = {name: {x for x in imported_by(name) if x in MODULES and x != name} for name in MODULES}
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    components: list[set[str]] = []

    def visit(name: str) -> None:
        index[name] = lowest[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], index[other])
        if lowest[name] == index[name]:
            place = stack.index(name)
            components.append(set(stack[place:]))
            del stack[place:]

    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5000))
    for name in sorted(graph):
        if name not in index:
            visit(name)
    return [one for one in components if len(one) > 1]


def test_no_modules_import_each_other_not_even_lazily():
    assert cycles() == []


_WALK = """
import sys
from inspect import CO_OPTIMIZED
entered, importing = set(), 0
def note(frame, event, argument):
    global importing
    if frame.f_code.co_name == "<module>":  # what a module does while it is imported is no step of the walk
        importing += {"call": 1, "return": -1}.get(event, 0)
    elif event == "call" and not importing and frame.f_code.co_flags & CO_OPTIMIZED:
        name = frame.f_globals.get("__name__") or ""
        if name.split(".")[0] == "nri":
            entered.add(name)
from nri.cli.app import main
sys.setprofile(note)
try:
    main(["induce", sys.argv[1], "--target", "flu", "--quiet"])
except SystemExit as end:
    sys.setprofile(None)
    assert not end.code, end.code
print("entered:", *sorted(entered), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def walk() -> dict[str, int]:
    """The modules that ``nri induce`` goes through, with their lines."""
    command = [sys.executable, "-c", _WALK, str(VISITS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    names = re.search(r"^entered: (.*)$", done.stderr, re.MULTILINE)
    assert names is not None
    return {name: lines_of(MODULES[name]) for name in names[1].split() if name in MODULES}


def test_a_rule_is_induced_through_few_modules(walk):
    assert len(walk) <= 50, sorted(walk)


def test_a_rule_is_induced_through_few_lines(walk):
    assert sum(walk.values()) <= 9000, sorted(walk.items(), key=lambda one: -one[1])
