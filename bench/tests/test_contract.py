"""The bench is a user of nri like any other: it imports public names and nothing else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import nri

PACKAGE = Path(__file__).parents[1] / "nri_bench"


LOGGER = "nri.bench"


def trespasses(source: str) -> Iterator[str]:
    """Yield what a source names of nri that is not public."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names if name.name.startswith("nri."))
            case ast.ImportFrom(module="nri", names=names, level=0):
                yield from (name.name for name in names if name.name not in nri.__all__)
            case ast.ImportFrom(module=str(module), level=0) if module.startswith(("nri.", "nri_dynamics.")):
                yield module
            case ast.Attribute(value=ast.Name(id="nri"), attr=name) if name not in nri.__all__:
                yield name
            case ast.Constant(value=str(text)) if text.startswith("nri.") and text != LOGGER:
                yield text  # for a module that is imported by its name


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_uses_public_names_of_nri_only(path):
    assert list(trespasses(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "import nri.rule",
        "from nri.errors import InputError",
        "from nri import rule",
        "from nri_dynamics.system import Dynamics",
        "def f():\n    from nri.table.binarizer import Binarizer",
        "import nri\nnri.estimator",
        "import importlib\nimportlib.import_module('nri.search')",
    ],
)
def test_a_private_name_would_be_noticed(source):
    assert list(trespasses(source))


def test_public_names_are_no_trespass():
    assert not list(trespasses("import nri\nfrom nri import NRIClassifier\nnri.binarize"))
