"""The page on the paper names code that exists."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = {
        t.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for t in node.targets
        if isinstance(t, ast.Name)
    }
    return defined | assigned


def test_every_name_on_the_page_is_in_its_file():
    named = re.findall(r"`([a-z_/]+\.py): (\w+)`", PAGE)
    assert len(named) > 30
    for file, name in named:
        place = ROOT / file if file.startswith("bench/") else ROOT / "src" / "nri" / file
        assert name in names_in(place), f"{file} has no {name}"


def test_every_command_on_the_page_is_an_experiment_or_a_command():
    from nri_bench.experiments import EXPERIMENTS

    for name in re.findall(r"`nri bench (\w+)", PAGE):
        assert name in EXPERIMENTS or name == "report", name
