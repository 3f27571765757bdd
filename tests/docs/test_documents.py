"""Documents tell the truth: examples print what they show, trees name what exists, links lead somewhere."""

import re
from pathlib import Path

import pytest
from examples_in_docs import DOCUMENTS, ROOT, Example, examples, run

README = (ROOT / "README.md").read_text(encoding="utf-8")
ALL = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize(
    "example",
    [example for name in DOCUMENTS for example in examples((ROOT / name).read_text())],
    ids=lambda e: e.source,
)
def test_an_example_prints_what_the_document_shows(example: Example):
    assert run(example) == example.shown, "run `make docs` if the new output is right"


def test_the_readme_has_examples_of_both_kinds():
    assert {example.kind for example in examples(README)} == {"console", "pycon"}


def annotated_trees() -> dict[str, set[str]]:
    """Return for each folder at the left margin of the README's tree what is named directly below it."""
    block = re.search(r"```text\n(src/nri/\n.*?)```", README, re.DOTALL)
    assert block
    trees: dict[str, set[str]] = {}
    for line in block[1].splitlines():
        name = line.split()[0].rstrip("/")
        if not line.startswith(" "):
            parts = trees.setdefault(name, set())
        elif line[2] != " ":
            parts.add(name)
    return trees


def test_the_annotated_tree_shows_the_three_packages():
    assert list(annotated_trees()) == ["src/nri", "dynamics/nri_dynamics", "bench/nri_bench"]


@pytest.mark.parametrize(("package", "named"), annotated_trees().items())
def test_the_annotated_tree_names_every_part_of_a_package_and_nothing_else(package: str, named: set[str]):
    unnamed = {"__main__.py", "__pycache__"} | ({"__init__.py"} - named)
    assert named == {path.name for path in (ROOT / package).iterdir() if _is_part(path)} - unnamed


def _is_part(path: Path) -> bool:
    return path.suffix == ".py" or (path.is_dir() and (path / "__init__.py").exists())


def test_both_commands_of_the_readme_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^make (\w+)", README, re.MULTILINE)
    assert commands == ["demo", "test"]
    assert all(re.search(rf"^{command}:", makefile, re.MULTILINE) for command in commands)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_links_lead_to_files_that_exist(path: Path):
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if not link.startswith(("http:", "https:", "mailto:")):
            assert (path.parent / link).exists(), link


def test_the_table_of_commands_names_every_command():
    import typer

    from nri.cli.app import app

    group = typer.main.get_command(app)
    known = set(group.list_commands(None))
    assert set(re.findall(r"^\| `nri ([\w-]+)", README, re.MULTILINE)) == known
