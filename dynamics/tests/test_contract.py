"""The package imports exported names of nri, nri.rule, nri.table and nri.errors, and nothing else of nri."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "nri_dynamics"
ALLOWED = ("nri", "nri.rule", "nri.table", "nri.errors")


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_a_file_uses_exported_names_only(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(name.name.split(".")[0] == "nri" for name in node.names)
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "nri":
            assert node.module in ALLOWED
            module = import_module(node.module)
            exported = getattr(module, "__all__", vars(module))
            assert {name.name for name in node.names} <= set(exported)
