"""Symbols stand on numpy alone; heavier libraries come when they are used."""

import subprocess
import sys

import pytest

HEAVY = ["torch", "onnxruntime", "sklearn", "pandas", "scipy", "sympy"]

WALK = """
import importlib, pkgutil, sys
import nri.rule
for module in pkgutil.walk_packages(nri.rule.__path__, "nri.rule."):
    importlib.import_module(module.name)
"""


def loaded_by(code: str) -> set[str]:
    report = f"{code}\nimport sys; print(*(name for name in {HEAVY} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_no_module_of_the_symbols_imports_a_heavy_library():
    assert loaded_by(WALK) == set()


@pytest.mark.parametrize("library", ["scipy", "sympy"])
def test_the_check_above_can_fail(library):
    assert library in loaded_by(f"import {library}")


def test_predicting_from_a_file_loads_nothing_heavy():
    code = """
from nri.rule import *
clause, target = Clause([Literal("x", Op.GT, 3)]), ClassTarget("y", [0, 1])
no, yes = Shares(0, [1, 0], [0.9, 0.1]), Shares(1, [0, 1], [0.1, 0.9])
rule = Rule(target, [Branch(clause, yes)], no, Shares(0, [1, 1], [0.5, 0.5]))
again = from_json(rule.render("json"))
assert again.predict({"x": column_of([1, 5])}).tolist() == [0, 1]
assert [again.render(form) for form in FORMATS]
"""
    assert loaded_by(code) == set()
